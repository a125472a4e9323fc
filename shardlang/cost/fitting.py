"""Whether what a plan needs fits into the memory of a chip, and up to which size it does."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from sympy import Add, Expr, Integer, Max, Min, Mul, Symbol, ceiling

from shardlang.cost.conditions import Condition
from shardlang.cost.crossover import Crossover, Pair, Roof, uncrossed
from shardlang.cost.estimate import Estimate
from shardlang.cost.maximum import in_printed_order, maximum
from shardlang.cost.memory import peak
from shardlang.cost.ratio import read_ratio
from shardlang.cost.whole import LARGEST_WHOLE, Cut, Fitting
from shardlang.pricing.steps import size_of
from shardlang.rules.plan import Value

_LONGEST = 12  # limits of a formula that is their least


class Verdict(NamedTuple):
    """Whether `needed` bytes fit into `capacity`. fits: None while a size or the chip is open. share: needed/capacity."""

    needed: Expr
    capacity: Symbol
    fits: bool | None
    share: float | None


class Limit(NamedTuple):
    """Where it fits: `variable relation threshold` and all of `requires`.

    threshold: a formula, None where it cannot be solved for with so much open, or where nothing fits. value: its
    number. whole: the largest (`<`) or least (`>`) whole size that fits, padding counted, None for a ratio or while a
    symbol is open. divisible: the nearest one to it that fits and divides over the mesh axes. replanned: bytes
    of the plan that is chosen with that size, where it is another one and does not fit. exact: whether it was solved for, or searched numerically. relation: `<`, `>`; `always` where the need does
    not grow with the variable; `never` where it is too large for every value of it.
    """

    variable: str
    relation: str
    threshold: Expr | None
    value: float | None
    whole: int | None
    exact: bool
    requires: tuple[Condition, ...]
    divisible: int | None = None
    replanned: float | None = None

    def tried(self, padded: bool) -> int | None:
        """Return the whole size that can be put in: the last one where shards are padded, else the one that divides."""
        return self.whole if padded else self.divisible


class Sizing(NamedTuple):
    """What whole sizes are tried with: the bytes needed with all padding, and the dimensions that are cut."""

    padded: Expr
    cuts: tuple[Cut, ...]


def judge(needed: Expr, estimate: Estimate) -> Verdict:
    """Return whether `needed` bytes fit into the HBM of one chip."""
    capacity = estimate.pricer.capacity
    bytes_needed, room = estimate.value(needed), estimate.value(capacity)
    if bytes_needed is None or room is None:
        return Verdict(needed, capacity, None, None)
    return Verdict(needed, capacity, bytes_needed <= room, bytes_needed / room)


def limits(variable: str, needed: Expr, estimate: Estimate, sizing: Sizing | None = None) -> tuple[Limit, ...]:
    """Return for which values of a printed name or a ratio `needed` bytes fit: one limit, two where it is a range.

    Raises `RatioError` for what is no ratio of symbols of the plan.
    """
    capacity, sizing = estimate.pricer.capacity, sizing or Sizing(needed, ())
    never = (Limit(variable, "never", None, None, None, True, ()),)
    found: list[Crossover] = []
    requires: list[Condition] = []
    for part in _cases(_unrounded(needed, variable, estimate)):
        estimate.clock.check()
        if not _depends(part + capacity, variable, estimate):
            requires.append(Condition(part, "<", capacity))
            continue
        pair = (Pair(Roof("capacity", capacity), Roof("needed", part)),)
        solved = estimate.solve(variable, pair)
        if not solved and uncrossed(estimate.question(variable), pair, (), estimate.values)[0].holds:
            continue
        if not solved:
            return never
        if len(solved) == 1 and solved[0].conditions:
            solved = (solved[0]._replace(conditions=_room(solved[0], part, capacity, estimate)),)
        found += (end for one in solved for end in one.ends)
    if any(_exceeds(condition, estimate) for one in found for condition in one.conditions) or any(
        _exceeds(condition, estimate) for condition in requires
    ):
        return never
    if not found:
        return (Limit(variable, "always", None, None, None, True, tuple(dict.fromkeys(requires))),)
    kinds = {relation: [one for one in found if one.relation == relation] for relation in ("<", ">")}
    tightest = (_tightest(same, requires, needed, estimate) for same in kinds.values() if same)
    counted = tuple(_with_whole(limit, sizing, estimate) for limit in tightest)
    return never if None in counted else tuple(limit for limit in counted if limit is not None)


def _unrounded(needed: Expr, variable: str, estimate: Estimate) -> Expr:
    """Return what is needed without the rounding of shards that the variable decides: whole sizes are tried with it."""
    asked = {symbol for symbol, _ in read_ratio(variable, estimate.pricer.names)}
    return needed.xreplace({c: c.args[0] for c in needed.atoms(ceiling) if c.free_symbols & asked})


def _exceeds(condition: Condition, estimate: Estimate) -> bool:
    """Say whether what has to fit alone is known to be larger than the memory."""
    left, room = estimate.value(condition.left), estimate.value(condition.right)
    fits_alone = condition.relation == "<" and condition.right == estimate.pricer.capacity
    return fits_alone and left is not None and room is not None and left > room


def padded_estimate(estimate: Estimate) -> Estimate:
    """Return the estimate with formulas of memory that round every shard up, also along sizes that are open."""
    pricer = estimate.pricer.padded()
    operations = [one.plan for one in estimate.statements]
    return replace(
        estimate, pricer=pricer, peak=peak(operations, pricer.bytes_of, estimate.values, *pricer.size_symbols())
    )


def cuts_of(values: Iterable[Value], estimate: Estimate) -> tuple[Cut, ...]:
    """Return the dimensions of arrays that mesh axes shard, each once with its number of shards."""
    sizes = estimate.pricer.sizes
    pairs = {
        pair for value in values for pair in zip(value.type.dims, value.type.sharding.axes, strict=True) if pair[1]
    }
    return tuple(
        Cut(Integer(1) * size_of(dim, sizes), Mul(*(sizes.axes[axis] for axis in axes))) for dim, axes in pairs
    )


def _room(solved: Crossover, part: Expr, capacity: Symbol, estimate: Estimate) -> tuple[Condition, ...]:
    """Return the condition of a solution as people write it: what does not change with the variable has to fit alone.

    Where there is no solution in a formula, that is the comparison itself.
    """
    if solved.threshold is None:
        return (Condition(part, "<", capacity),)
    fixed = Add(*(addend for addend in Add.make_args(part) if not _depends(addend, solved.variable, estimate)))
    return (Condition(fixed, "<", capacity),) if fixed != 0 else solved.conditions


def _cases(needed: Expr) -> list[Expr]:
    """Return the sums of which `needed` is the largest: each of them has to fit."""
    cases = [needed]
    while any(expr.has(Max) for expr in cases):
        opened: list[Expr] = []
        for expr in cases:
            most = next((addend for addend in Add.make_args(expr) if isinstance(addend, Max)), None)
            if most is None:
                return [needed]  # a maximum inside a product, which the numeric search takes as it is
            opened += [expr - most + arg for arg in most.args]
        cases = opened
    return cases


def _depends(expr: Expr, variable: str, estimate: Estimate) -> bool:
    """Say whether an expression has the variable in it, sizes in terms of others put in."""
    names = {symbol for symbol, _ in read_ratio(variable, estimate.pricer.names)}
    defined = estimate.definitions()
    inside = set(expr.free_symbols)
    for _ in range(len(defined)):
        inside |= {symbol for name in inside & set(defined) for symbol in defined[name].free_symbols}
    return bool(names & inside)


def _tightest(found: list[Crossover], requires: list[Condition], needed: Expr, estimate: Estimate) -> Limit:
    """Return the limit that implies all the others: the least of upper ones, the largest of lower ones."""
    variable, relation = found[0].variable, found[0].relation
    upper = relation == "<"
    if len(found) > 1 and all(one.value is not None for one in found):
        found = [(min if upper else max)(found, key=lambda one: one.value or 0.0)]
    needs = _strongest([*requires, *(condition for one in found for condition in one.conditions)])
    thresholds = list(dict.fromkeys(one.threshold for one in found))
    if None in thresholds or len(thresholds) > _LONGEST:
        return Limit(variable, relation, None, None, None, False, (Condition(needed, "<", estimate.pricer.capacity),))
    several = len(thresholds) > 1
    threshold = in_printed_order(thresholds, Min if upper else Max) if several else thresholds[0]
    value = estimate.value(threshold) if several else found[0].value
    value = value if value is not None and value > 0 else None
    exact = all(one.exact for one in found)
    return Limit(variable, relation, threshold, value, None, exact, needs)


def _strongest(conditions: list[Condition]) -> tuple[Condition, ...]:
    """Return conditions without those that another one implies: of sums that have to fit the ones that none exceeds."""
    kept = maximum(*(condition.left for condition in conditions if condition.relation == "<"))
    sums = kept.args if isinstance(kept, Max) else (kept,)
    return tuple(dict.fromkeys(c for c in conditions if c.relation == ">" or c.left in sums))


def _with_whole(limit: Limit, sizing: Sizing, estimate: Estimate) -> Limit | None:
    """Return a limit with the last whole size that fits, where the variable has whole sizes; None where none fits."""
    ratio = read_ratio(limit.variable, estimate.pricer.names)
    if limit.value is None or len(ratio) != 1 or ratio[0][1] != 1 or ratio[0][0] not in estimate.size_symbols():
        return limit
    symbol, upper = ratio[0][0], limit.relation == "<"
    capacity, known = estimate.pricer.capacity, estimate.values
    sizes = Fitting(symbol, sizing.padded, capacity, known, estimate.definitions(), sizing.cuts)
    whole = sizes.last(limit.value, upper)
    if whole is None:
        return limit if limit.value > LARGEST_WHOLE else None
    return limit._replace(whole=whole, divisible=sizes.dividing(whole, upper) if whole else None)
