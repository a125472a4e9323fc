"""A transfer from one device to another in formulas, with the numbers where sizes and hardware are known."""

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Integer

from shardlang.cost.names import Names, SymbolInfo, is_literal, plan_values
from shardlang.cost.pricer import SYMBOLS, Pricer
from shardlang.cost.values import Values, evaluate, known_values
from shardlang.pricing.machine import Machine
from shardlang.pricing.transfers import Leg, NoRouteError, find_route, first_byte, through
from shardlang.rules.plan import Plan


@dataclass(frozen=True, slots=True)
class Transfer:
    """What a transfer takes.

    bytes: of what one device holds. legs: the way, from the inside. first_byte, through: seconds of the hops, and of all
    bytes through the narrowest leg. time: their sum. symbols, values: of the formulas. missing_figures: bandwidths without
    a number on named hardware.
    """

    bytes: Expr
    legs: tuple[Leg, ...]
    first_byte: Expr
    through: Expr
    symbols: dict[str, SymbolInfo]
    values: Values
    missing_figures: tuple[str, ...]

    @property
    def time(self) -> Expr:
        """Seconds until the last byte is there."""
        return self.first_byte + self.through

    @property
    def hops(self) -> int:
        """Links one after another."""
        return sum(leg.hops for leg in self.legs)

    @property
    def ports(self) -> int:
        """Links that the sender uses at once, on the leg where it uses most."""
        return max((leg.ports for leg in self.legs), default=0)

    def value(self, expr: Expr) -> float | None:
        """Return the number of a formula, None while a size or the hardware is open."""
        return evaluate(expr, self.values)


def price_transfer(
    plan: Plan,
    machine: Machine,
    source: Mapping[str, int],
    target: Mapping[str, int],
    constants: Mapping[str, float] | None = None,
) -> Transfer:
    """Return the price of sending what a device holds of the one array of `plan` to another device.

    source, target: coordinates by mesh axis. Raises `NoRouteError` where open sizes decide the way.
    """
    dims = (dim for value in plan_values(plan) for dim in value.type.dims if not is_literal(dim))
    axes = [axis.name for axis in plan.program.mesh.axes]
    names = Names(dims, axes, ())
    pricer = Pricer(
        plan,
        names,
        machine,
        axes=axes,
        model="exact",
        latency=True,
        roofs=(),
        reduce_dtype=None,
        uneven=plan.program.uneven,
    )
    output = plan.statements[0].output
    assert output is not None
    sent = pricer.bytes_of(output)
    known = {} if constants is None else constants
    for network in machine.networks:
        count = next((part.spans for part in network.levels if part.spans and part.spans not in known), None)
        if count is not None and source[network.name] != target[network.name]:
            raise NoRouteError(f"how many physical axes {network.name} spans, {count}, is open")
    legs = find_route(machine.networks, pricer.rates.links, source, target, names.rate)
    hops, rest = Integer(1) * first_byte(legs, names.rate), Integer(1) * through(sent, legs, SYMBOLS)
    values, _ = known_values(plan.program, names, machine.hardware, constants or {})
    used = sent.free_symbols | hops.free_symbols.union(*((Integer(1) * leg.rate).free_symbols for leg in legs))
    rates = names.hardware().items()
    missing = tuple(n for n, symbol in rates if n.startswith("W_") and symbol in used and symbol not in values)
    return Transfer(
        bytes=sent,
        legs=legs,
        first_byte=hops,
        through=rest,
        symbols={name: info for name, info in names.table.items() if any(s.name == name for s in used)},
        values=values,
        missing_figures=missing if machine.hardware is not None else (),
    )
