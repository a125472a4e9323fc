"""What plans cost as exact functions of the open sizes: bytes received, or T_math + T_comms on named hardware.

The formulas are those of `shardlang.pricing`, with the factor (n-1)/n. Latency is left out.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from shardlang.planning.context import Context
from shardlang.pricing import collectives
from shardlang.pricing import steps as pricing
from shardlang.pricing.collectives import NODE, Link, Maths
from shardlang.pricing.machine import Machine, Timer, make_link
from shardlang.pricing.widths import rate_name
from shardlang.rules.plan import COLLECTIVES, Step
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.inequality import Bounds
from shardlang.semantics.naming import SizeNames
from shardlang.semantics.polynomial import ZERO, Polynomial, Quantity, lift, of
from shardlang.semantics.program import refs_of
from shardlang.semantics.sharding import dim_text, is_anonymous
from shardlang.semantics.size import Monomial, Symbol, axis_symbol, dim_symbol
from shardlang.semantics.size import of as monomial

LEAST_AXIS = 2

T = TypeVar("T")


class ExactPrices:
    """Prices the steps of one statement, over the axes `active`. timed: whether by time (else by bytes received)."""

    def __init__(self, context: Context, active: Iterable[str] = ()) -> None:
        self.context = context
        timer = context.settings.collective_time
        machine = timer.machine if isinstance(timer, Timer) else None
        if machine is not None and any(machine.bandwidth(axis) is None for axis in active):
            machine = None
        self.machine: Machine | None = machine
        self.timed = machine is not None
        self.figures = self._figures()
        self.maxima: dict[Symbol, tuple[Polynomial, ...]] = {}
        self._dims = {dim_symbol(name): size for name, size in context.program.sizes.items()}
        self._axes = {axis_symbol(name): Monomial(size) for name, size in context.sizes.axes.items()}
        self._lengths: dict[str, Monomial] = {}
        self.sizes = pricing.Sizes(
            _Lookup(lambda name: lift(self.dim(name))),
            _Lookup(lambda name: lift(self.axis(name))),
            context.program.dtype,
            context.settings.reduce_dtype,
            width=lambda dtype: lift(dtype_bytes(dtype)),
            declared=context.program.declared_types,
        )
        self._links = _Lookup(self._link)
        self._maths = Maths(self._maximum, _unused, _unused)
        self._memo: dict[object, Polynomial] = {}
        self.names = _Naming(context)

    def dim(self, name: str) -> Monomial:
        """Return the length of a dimension: a number, or a monomial of what is open."""
        if name not in self._lengths:
            text = dim_text(name)
            literal = Monomial(int(text)) if is_anonymous(name) and text.isdigit() else None
            self._lengths[name] = literal or monomial(dim_symbol(name)).substitute(self._dims).substitute(self._axes)
        return self._lengths[name]

    def axis(self, name: str) -> Monomial:
        """Return the size of a mesh axis: a number or its symbol."""
        return self._axes.get(axis_symbol(name)) or monomial(axis_symbol(name))

    def price(self, steps: Iterable[Step]) -> Polynomial:
        """Return the bytes that a device receives, or the seconds that it takes, in symbols of what is open."""
        total = ZERO
        for step in steps:
            key = (step.kind, step.axes, step.contracted, step.operands, step.result)
            if key not in self._memo:
                self._memo[key] = self._price(step)
            total = total + self._memo[key]
        return total

    def flops(self, steps: Iterable[Step]) -> Polynomial:
        """Return the FLOPs of a device."""
        total = ZERO
        for step in steps:
            total = total + pricing.flops(step, self.sizes)
        return total

    def nominal(self, quantity: Polynomial) -> float:
        """Return a price or FLOPs at the nominal sizes of the search, which only put plans in order."""
        sizes = self.context.sizes
        total = 0.0
        for powers, number in quantity.substitute(self.figures).terms.items():
            product = float(number)
            for symbol, power in powers:
                size = sizes.dim(symbol.name) if symbol.kind == "dim" else sizes.axis(symbol.name)
                product *= float(size) ** power
            total += product
        return total / quantity.substitute(self.figures).denominator

    def bounds(self, plans: Iterable[tuple[Step, ...]] = ()) -> Bounds:
        """Return what is known of the open sizes: an axis is at least 2, a dimension a multiple of the axes that cut it.

        plans: those in which layouts are looked for that cut a dimension; it divides as they need it.
        """
        longest: dict[str, tuple[str, ...]] = {}
        for steps in plans:
            for step in steps:
                for value in (*step.operands, step.result):
                    for dim, axes in zip(value.type.dims, value.type.sharding.axes, strict=True):
                        if len(axes) > len(longest.setdefault(dim, ())):
                            longest[dim] = axes
        least = _AtLeast()
        factors: dict[Symbol, tuple[Symbol, ...]] = {}
        for dim, axes in longest.items():
            symbol = dim_symbol(dim)
            if self.dim(dim) != monomial(symbol):
                continue
            for axis in axes:
                size = self.axis(axis)
                least[symbol] = least[symbol] * (size.integer or 1)
                factors[symbol] = (*factors.get(symbol, ()), *size.symbols())
        return Bounds(least, factors, self.figures)

    def _figures(self) -> dict[Symbol, Polynomial]:
        """Return the rates of the hardware as numbers."""
        if self.machine is None or self.machine.hardware is None:
            return {}
        hardware = self.machine.hardware
        rates: dict[str, float | None] = {f"C_{dtype}": rate for dtype, rate in hardware.flops.items()}
        rates |= {"W_ici": hardware.ici, "W_egress": hardware.egress}
        found = {}
        for name, rate in rates.items():
            if rate:
                above, below = float(rate).as_integer_ratio()
                found[_rate_symbol(name)] = Polynomial({(): above}, below)
        return found

    def _price(self, step: Step) -> Polynomial:
        if not self.timed:
            return lift(pricing.bytes_received(step, self.sizes))
        if step.kind in COLLECTIVES:
            links = [self._links[axis] for axis in step.axes]
            volume = pricing.volume(step, self.sizes)
            return lift(collectives.time(step.kind, volume, links, "exact", None, self._maths))
        work = lift(pricing.flops(step, self.sizes))
        rate = _rate_symbol(f"C_{rate_name(pricing.rate_dtype(step, self.sizes))}")
        return work / of(rate) if work.terms and rate in self.figures else ZERO

    def _link(self, axis: str) -> Link:
        assert self.machine is not None
        network = self.machine.network(axis)
        rate = _rate_symbol("W_egress" if network.kind == NODE else "W_ici")
        size = self.axis(axis)
        return make_link(network._replace(size=size.integer), lift(size), of(rate))

    def _maximum(self, *arguments: Quantity) -> Polynomial:
        """Return the largest: a number, or a symbol that stands for the maximum."""
        different: list[Polynomial] = []
        for argument in map(lift, arguments):
            if argument not in different:
                different.append(argument)
        if len(different) == 1:
            return different[0]
        if not any(argument.symbols for argument in different):
            return max(different, key=lambda argument: argument.terms[()] / argument.denominator)
        texts = sorted(self.names.sum(argument) for argument in different)
        symbol = Symbol("max", f"Max({', '.join(texts)})")
        self.maxima[symbol] = tuple(different)
        return of(symbol)


class _Naming:
    """What symbols are called in conditions, by the names of the whole text."""

    def __init__(self, context: Context) -> None:
        refs = [ref for statement in context.program.statements for ref in refs_of(statement.body)]
        used = (axis for ref in refs for axis in ref.type.sharding.used())
        self._texts = SizeNames((dim for ref in refs for dim in ref.type.dims), used)
        self._rates: dict[str, str] = {}
        self._types: set[str] = set()

    def __call__(self, symbol: Symbol) -> str:
        """Return the name of a symbol; a rate of arithmetic names its element type where there are several."""
        if symbol.kind == "dim":
            return self._texts.dims.get(symbol.name, symbol.name)
        if symbol.kind == "axis":
            return self._texts.axes.get(symbol.name, symbol.name)
        if symbol.kind == "max":
            return symbol.name
        name = "C" if symbol.name in self._types and len(self._types) == 1 else symbol.name
        if name not in self._rates:
            self._rates[name] = self._texts.rate(name)
        return self._rates[name]

    def note(self, quantity: Polynomial) -> None:
        """Take note of the rates of arithmetic in a price."""
        self._types.update(symbol.name for symbol in quantity.symbols if symbol.name.startswith("C_"))

    def sum(self, quantity: Polynomial) -> str:
        """Return a sum of terms as text."""
        texts = []
        for powers, number in quantity.terms.items():
            parts = [str(number)] if number != 1 or all(power < 0 for _, power in powers) else []
            parts += [
                f"{self(symbol)}**{power}" if power > 1 else self(symbol) for symbol, power in powers if power > 0
            ]
            below = [self(symbol) for symbol, power in powers for _ in range(-power)]
            texts.append("/".join(["*".join(parts), *below]))
        total = " + ".join(texts).replace("+ -", "- ")
        if quantity.denominator == 1:
            return total
        return f"({total})/{quantity.denominator}" if len(texts) > 1 else f"{total}/{quantity.denominator}"


class _Lookup(dict[str, T]):
    """A mapping that asks a function for what it does not have."""

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make

    def get(self, name: str, default: object = None) -> T:
        return self[name]

    def __missing__(self, name: str) -> T:
        self[name] = self._make(name)
        return self[name]


class _AtLeast(dict[Symbol, int]):
    """The least value of a size: of a mesh axis 2, of a dimension 1 unless more is known; no other symbol has one."""

    def __contains__(self, symbol: object) -> bool:
        return isinstance(symbol, Symbol) and symbol.kind in ("dim", "axis")

    def __missing__(self, symbol: Symbol) -> int:
        return 1 if symbol.kind == "dim" else LEAST_AXIS


def _rate_symbol(name: str) -> Symbol:
    return Symbol("hardware", name)


def _unused(value: Quantity) -> Quantity:
    return value
