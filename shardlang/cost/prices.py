"""What a statement costs, and what a plan does: FLOPs, seconds of each roof, their bounds, bytes.

Everything is per device. What adds up and what overlaps is COST_MODEL section 9.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sympy import Add, Expr, Symbol

from shardlang.cost.conditions import Condition, compare
from shardlang.cost.forms import form_of_statement
from shardlang.cost.maximum import maximum
from shardlang.cost.memory import LARGEST_FORMULA, peak
from shardlang.cost.pricer import Pricer, StepEstimate
from shardlang.cost.renaming import Renaming
from shardlang.cost.terms import quotient
from shardlang.cost.values import Values
from shardlang.limits import ENDLESS, Clock
from shardlang.pricing.roofs import HBM, MATH, NETWORK, ROOFS, known_roofs
from shardlang.rules.plan import COLLECTIVES, StatementPlan


@dataclass(frozen=True, slots=True)
class Prices:
    """Per device: FLOPs, the seconds of each roof, the bounds of the time, bytes of memory and of HBM traffic.

    times: seconds by roof (`math`, `ici`, `hbm`, and what else counts). t_comms_sum: of communication where no two
    collectives overlap. t_lower: the largest of the roofs that count. t_upper: nothing overlaps. shortened: the
    fields, named as here and `t_hbm` for a time, that are leading terms under the assumptions made, not the whole.
    """

    flops: Expr
    times: Mapping[str, Expr]
    t_comms_sum: Expr
    t_lower: Expr
    t_upper: Expr
    memory: Expr
    hbm_bytes: Expr
    shortened: frozenset[str]

    @property
    def t_math(self) -> Expr:
        """Seconds of arithmetic."""
        return self.times[MATH]

    @property
    def t_comms(self) -> Expr:
        """Seconds of communication: of a plan the largest over groups of links, unless these add up (`--comms sum`)."""
        return self.times[NETWORK]

    @property
    def t_hbm(self) -> Expr:
        """Seconds of reading and writing HBM."""
        return self.times[HBM]

    @property
    def intensity(self) -> Expr | None:
        """FLOPs/byte of HBM traffic, in lowest terms; None without traffic. Source: COST_MODEL section 9."""
        return None if self.hbm_bytes == 0 or self.flops == 0 else quotient(self.flops, self.hbm_bytes)

    def fields(self) -> dict[str, Any]:
        """Return what prices are made of, by name: for something else that has prices."""
        return {name: getattr(self, name) for name in Prices.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class StatementEstimate(Prices):
    """One statement with its steps; `plan` is what was priced."""

    steps: tuple[StepEstimate, ...]
    plan: StatementPlan = field(repr=False)


def price_statement(statement: StatementPlan, pricer: Pricer, values: Values) -> StatementEstimate:
    """Return the price of one statement: of a bare array the bytes that it holds and one read of them."""
    steps = tuple(pricer.step(step) for step in statement.steps)
    t_comms = Add(*(step.t_comms for step in steps))
    prices = together(
        pricer,
        flops=Add(*(step.flops for step in steps)),
        math=Add(*(step.t_math for step in steps)),
        comms=t_comms,
        comms_sum=t_comms,
        moved=_hbm_bytes(steps, statement, pricer),
        memory=peak((statement,), pricer.bytes_of, values, *pricer.size_symbols()).bytes,
        parts=[step.shortened for step in steps],
    )
    return StatementEstimate(**prices.fields(), steps=steps, plan=statement)


def price_statements(
    statements: Iterable[StatementPlan], pricer: Pricer, values: Values, clock: Clock = ENDLESS
) -> Iterator[StatementEstimate]:
    """Yield the price of each statement; of one that differs from another only in its names, the other's renamed.

    When the time of `clock` is used up, a statement is priced as a refused one: it costs nothing.
    """
    first: dict[tuple[Any, ...], tuple[tuple[str, ...], StatementEstimate]] = {}
    for whole in statements:
        statement = StatementPlan(whole.statement, None) if clock.over() else whole
        form = form_of_statement(statement, pricer.dtype_of)
        key = (*form.key, pricer.fixed_of(form.dims))
        if key in first and _is_short(statement):
            dims, price = first[key]
            yield _renamed(price, pricer.renaming(dims, form.dims), statement)
        else:
            first[key] = form.dims, price_statement(statement, pricer, values)
            yield first[key][1]


def _is_short(statement: StatementPlan) -> bool:
    """Say whether the peak of memory has too few addends to depend on the known sizes."""
    arrays = sum(len(step.operands) + 1 for step in statement.steps)
    return len(statement.steps) * arrays <= LARGEST_FORMULA


def _renamed(price: StatementEstimate, renaming: Renaming, plan: StatementPlan) -> StatementEstimate:
    of = renaming.of
    return StatementEstimate(
        flops=of(price.flops),
        times={roof: of(seconds) for roof, seconds in price.times.items()},
        t_comms_sum=of(price.t_comms_sum),
        t_lower=of(price.t_lower),
        t_upper=of(price.t_upper),
        memory=of(price.memory),
        hbm_bytes=of(price.hbm_bytes),
        shortened=price.shortened,
        steps=tuple(each.renamed(renaming, step) for each, step in zip(price.steps, plan.steps, strict=True)),
        plan=plan,
    )


def total(
    statements: Sequence[StatementEstimate], network: Iterable[Expr], added: bool, pricer: Pricer, memory: Expr
) -> Prices:
    """Return the price of a plan. network: the seconds of each group of links; added: they add up, and do not overlap."""
    serial = Add(*(s.t_comms for s in statements))
    return together(
        pricer,
        flops=Add(*(s.flops for s in statements)),
        math=Add(*(s.t_math for s in statements)),
        comms=serial if added else maximum(*network),
        comms_sum=serial,
        moved=Add(*(s.hbm_bytes for s in statements)),
        memory=memory,
        parts=[s.shortened for s in statements],
    )


def together(
    pricer: Pricer,
    *,
    flops: Expr,
    math: Expr,
    comms: Expr,
    comms_sum: Expr,
    moved: Expr,
    memory: Expr,
    parts: Iterable[frozenset[str]],
) -> Prices:
    """Return prices with the times of all roofs and the bounds; shortened under the assumptions of the pricer.

    moved: the HBM traffic; summed before it is divided by a rate, so that a formula has one fraction. parts: what
    was shortened of that of which these are the sums.
    """
    shortened = set().union(*parts)

    def short(name: str, expr: Expr) -> Expr:
        found = pricer.short(expr)
        if found != expr:
            shortened.add(name)
        return found

    moved = short("hbm_bytes", moved)
    raw = {MATH: math, NETWORK: comms, **pricer.streams(moved)}
    roofs = known_roofs(pricer.roofs)
    times = {roof: short(ROOFS[roof].field, raw[roof]) for roof in roofs}
    if "hbm_bytes" in shortened:
        shortened.update(ROOFS[roof].field for roof in roofs if ROOFS[roof].rate is not None)
    comms_sum = short("t_comms_sum", comms_sum)
    if "t_comms" in shortened:
        shortened.add("t_comms_sum")
    counted = {roof: times[roof] for roof in pricer.roofs}
    serial = [comms_sum if roof == NETWORK else seconds for roof, seconds in counted.items()]
    lower, upper = short("t_lower", maximum(*counted.values())), short("t_upper", Add(*serial))
    if shortened.intersection(ROOFS[roof].field for roof in counted):
        shortened.update(("t_lower", "t_upper"))
    flops, memory = short("flops", flops), short("memory", memory)
    return Prices(flops, times, comms_sum, lower, upper, memory, moved, frozenset(shortened))


def wins_when(
    plan: Prices, other: Prices, sizes: frozenset[Symbol], axes: frozenset[Symbol] = frozenset()
) -> Condition:
    """Return the condition under which `plan` beats `other`: its T_math + T_comms is smaller.

    sizes: the symbols of dimensions and mesh axes, which stand on the left of the condition. axes: those of mesh
    axes, which are at least 2.
    """
    return compare(other.t_math + other.t_comms, plan.t_math + plan.t_comms, sizes, axes)


def is_bare(statement: StatementPlan) -> bool:
    """Say whether a statement is an array that stands alone."""
    return type(statement.statement.body).__name__ == "BareArray"


def _hbm_bytes(steps: Sequence[StepEstimate], statement: StatementPlan, pricer: Pricer) -> Expr:
    if statement.output is not None and is_bare(statement):
        return pricer.bytes_of(statement.output)
    return Add(*(step.bytes for step in steps if step.kind not in COLLECTIVES))
