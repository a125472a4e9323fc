"""Which roof binds a statement or a plan, by how much, and where along a size that changes.

Arithmetic intensity is FLOPs/byte, of what the model divides by the bandwidth of a level: HBM traffic, the bytes of
collectives on a group of links. The hardware needs C/W of it for arithmetic to bind. Source: COST_MODEL section 9.
"""

from collections.abc import Sequence
from itertools import permutations, zip_longest
from math import sqrt
from typing import NamedTuple

from sympy import Expr, Min, Mul, Pow, Symbol

from shardlang.cost.conditions import FLIPPED, Condition, compare
from shardlang.cost.crossover import Crossover, Pair, Roof, solve, uncrossed
from shardlang.cost.estimate import Estimate, counted_roofs, link_roofs
from shardlang.cost.exceeding import replaced_in
from shardlang.cost.maximum import maximum
from shardlang.cost.prices import Prices
from shardlang.cost.ratio import read_ratio
from shardlang.cost.terms import quotient
from shardlang.cost.text import formula
from shardlang.cost.ties import SAME
from shardlang.cost.values import Values, evaluate
from shardlang.limits import ENDLESS, OutOfTimeError
from shardlang.pricing.networks import rate_of
from shardlang.pricing.roofs import MATH, ROOFS


class Level(NamedTuple):
    """One roof: its seconds, the arithmetic intensity at it in FLOPs/byte, and the critical one, from which on arithmetic binds.

    intensity, needed: None for arithmetic itself, and where there is none. shortened: leading terms only.
    """

    roof: str
    time: Expr
    intensity: Expr | None
    needed: Expr | None
    shortened: bool


class Need(NamedTuple):
    """What must hold for a roof to bind: `condition`, or else the opposite of `unless`, with which it holds for all values."""

    condition: Condition
    unless: Condition | None = None

    @property
    def text(self) -> str:
        """It as text, every side as SymPy would parse it."""
        return self.condition.text + (f" or {self.opposite.text}" if self.opposite is not None else "")

    @property
    def opposite(self) -> Condition | None:
        """What holds where `unless` does not."""
        return None if self.unless is None else self.unless._replace(relation=FLIPPED[self.unless.relation])

    def holds(self, values: Values) -> bool | None:
        """Say whether it is true of these numbers; None while a symbol is open."""
        own, other = self.condition.holds(values), None if self.opposite is None else self.opposite.holds(values)
        if self.opposite is None or own or other is None:
            return own
        return True if other else own


class Range(NamedTuple):
    """Where a roof binds: from `lower` to `upper` (None: without end) of the variable, and where `requires` holds besides.

    The values are the numbers of the bounds, None while a symbol is open. exact: the bounds were solved for, not searched.
    A bound that is none for some of the open sizes is among what is required.
    """

    roof: str
    lower: Expr | None
    upper: Expr | None
    lower_value: float | None
    upper_value: float | None
    exact: bool
    requires: tuple[Need, ...] = ()


class Roofline(NamedTuple):
    """The levels of a statement or a plan. binds: the longest, None while sizes decide it.

    when: for each roof that can bind the conditions under which it does, while sizes decide it. ranges: the same along
    the variable that was asked for. late: there was no time to find these.
    """

    prices: Prices
    levels: tuple[Level, ...]
    binds: str | None
    when: tuple[tuple[str, tuple[Condition, ...]], ...]
    ranges: tuple[Range, ...]
    late: bool = False


def rooflines(estimate: Estimate, variable: str | None = None) -> tuple[tuple[Roofline, ...], Roofline]:
    """Return the roofline of each statement, and that of the plan.

    variable: a printed name or a ratio such as `B/X`, for the ranges. Raises what `read_ratio` does. When the time of the
    estimate's clock is used up, those that are left are `late`.
    """
    if variable is not None:
        read_ratio(variable, estimate.pricer.names)
    added = estimate.comms == "sum"
    found = []
    for statement in estimate.statements:
        if estimate.clock.over():
            found.append(Roofline(statement, (), None, (), (), late=True))
            continue
        groups = link_roofs(statement.steps, estimate.pricer)
        found.append(_roofline(statement, counted_roofs(statement, groups, estimate.roofs, added), estimate, variable))
    return tuple(found), _roofline(estimate.within(ENDLESS), estimate.all_roofs(), estimate, variable)


def _roofline(prices: Prices, roofs: tuple[Roof, ...], estimate: Estimate, variable: str | None) -> Roofline:
    try:
        levels = tuple(_level(roof, prices, estimate) for roof in roofs)
        binds, when = _binding(roofs, estimate)
        ranges: tuple[Range, ...] = ()
        if variable is not None and roofs:
            ranges = Along(variable, estimate).ranges(roofs)
    except OutOfTimeError:
        return Roofline(prices, (), None, (), (), late=True)
    return Roofline(prices, levels, binds, when, ranges)


def _level(roof: Roof, prices: Prices, estimate: Estimate) -> Level:
    estimate.clock.check()
    if roof.name == MATH or prices.flops == 0 or prices.t_math == 0:
        return Level(roof.name, roof.time, None, None, roof.shortened)
    rate = bandwidth(roof, estimate)
    intensity, needed = (quotient(prices.flops, seconds * rate) for seconds in (roof.time, prices.t_math))
    shortened = roof.shortened or bool(prices.shortened & {"flops", "t_math"})
    return Level(roof.name, roof.time, intensity, needed, shortened)


def bandwidth(roof: Roof, estimate: Estimate) -> Symbol:
    """Return the bandwidth that the bytes of a roof are divided by; of several levels that are one, one that occurs."""
    names = estimate.pricer.names
    fixed = ROOFS[roof.name].rate if roof.name in ROOFS else None
    if fixed is not None:
        return names.rate(fixed)
    groups = [roof.name] if ":" in roof.name else [group.name for group in estimate.groups]
    kinds = (kind for group in groups for kind in group.partition(":")[0].split("+"))
    rates = [names.rate(rate_of(kind)) for kind in kinds]
    return next((rate for rate in rates if rate in roof.time.free_symbols), rates[0])


def _binding(
    roofs: Sequence[Roof], estimate: Estimate
) -> tuple[str | None, tuple[tuple[str, tuple[Condition, ...]], ...]]:
    numbers = [estimate.value(roof.time) for roof in roofs]
    known = [number for number in numbers if number is not None]
    if len(known) == len(roofs):
        return (roofs[known.index(max(known))].name if roofs else None), ()
    when = []
    for roof in roofs:
        estimate.clock.check()
        conditions = [
            compare(roof.time, other.time, *estimate.pricer.size_symbols()) for other in roofs if other != roof
        ]
        conditions = [
            c for c in dict.fromkeys(conditions) if c.relation != "always" and c.holds(estimate.values) is not True
        ]
        if all(c.holds(estimate.values) is not False for c in conditions):
            when.append((roof.name, tuple(conditions)))
    certain = [name for name, conditions in when if not conditions]
    return (certain[0], ()) if len(certain) == 1 else (None, tuple(when))


class Along:
    """Finds where each roof binds along one variable of a plan."""

    def __init__(self, variable: str, estimate: Estimate) -> None:
        self._estimate, self._question = estimate, estimate.question(variable)
        self._ratio = Mul(*(Pow(symbol, power) for symbol, power in self._question.powers))
        self._symbol, self._replaced = self._question.symbol, self._question.replaced
        self._values = {symbol: value for symbol, value in estimate.values.items() if symbol != self._symbol}

    def ranges(self, roofs: Sequence[Roof]) -> tuple[Range, ...]:
        """Return the ranges, in order where everything else is known; else each roof with what it takes."""
        times = [replaced_in(roof.time, self._replaced) for roof in roofs]
        if self._longest(times, 1.5) is not None:
            return self._in_order(roofs, times)
        found = [one for roof in roofs if (one := self._where(roof, roofs)) is not None]
        if all((one.lower is None) == (one.lower_value is None) for one in found):
            found.sort(key=lambda one: one.lower_value or 0.0)
        return tuple(found)

    def _longest(self, times: Sequence[Expr], at: float, before: int | None = None) -> int | None:
        """Return which time is the longest at a value of the variable, None where a number is missing.

        Of those that tie it is the one that was the longest `before`, else the first.
        """
        values: Values = {**self._values, self._symbol: at}
        numbers = [evaluate(time, values) for time in times]
        known = [number for number in numbers if number is not None]
        if len(known) != len(numbers):
            return None
        ties = [place for place, number in enumerate(known) if number >= max(known) * (1 - SAME)]
        return before if before in ties else ties[0]

    def _in_order(self, roofs: Sequence[Roof], times: Sequence[Expr]) -> tuple[Range, ...]:
        """Return the ranges from the smallest value on: between two crossovers the longest roof stays the same."""
        crossings = sorted(
            (end.value, at, end)
            for at, pair in enumerate(permutations(roofs, 2))  # two may be equal between where either is the longer
            for found in self._solved(*pair)
            for end in found.ends
            if end.value is not None
        )
        longest = self._longest(times, 1.5 if not crossings else crossings[0][0] / 2)
        if longest is None:
            return ()
        found = [Range(roofs[longest].name, None, None, None, None, True)]
        for (value, _, crossing), following in zip_longest(crossings, crossings[1:]):
            sample = value * 2 if following is None else sqrt(value * following[0])
            now = self._longest(times, sample, longest)
            if now is None or now == longest:
                continue
            pair = {roofs[longest].name, roofs[now].name}
            near = (c for v, _, c in crossings if abs(v - value) <= SAME * value and set(c.between) == pair)
            meets, longest = next(near, crossing), now
            found[-1] = found[-1]._replace(
                upper=meets.threshold, upper_value=meets.value, exact=found[-1].exact and meets.exact
            )
            found.append(Range(roofs[now].name, meets.threshold, None, meets.value, None, meets.exact))
        return tuple(found)

    def _solved(self, one: Roof, other: Roof) -> tuple[Crossover, ...]:
        return solve(self._question, (Pair(one, other),), self._estimate.values)

    def _settled(self, one: Roof, other: Roof) -> int | None:
        """Return which of two that do not cross is the longer one with these numbers, as `Uncrossed` says it."""
        return uncrossed(self._question, (Pair(one, other),), (), self._estimate.values)[0].longer

    def _where(self, roof: Roof, roofs: Sequence[Roof]) -> Range | None:
        """Return where a roof is longer than all others, None where it never is."""
        bounds: dict[str, list[Expr]] = {">": [], "<": []}
        needs: list[Need] = []
        others = [other for other in roofs if other != roof]
        for other in others:
            solved = self._solved(roof, other)
            settled = None if solved else self._settled(roof, other)
            if settled == -1 or (settled == 0 and roofs.index(other) < roofs.index(roof)):
                return None
            if settled is not None:
                continue
            if len(solved) != 1 or solved[0].otherwise is None or solved[0].until is not None:
                needs.append(Need(compare(roof.time, other.time, *self._estimate.pricer.size_symbols())))
                continue
            for found in solved:
                if found.otherwise and found.conditions and found.threshold is not None:
                    needs.append(Need(Condition(self._ratio, found.relation, found.threshold), found.conditions[-1]))
                    continue
                needs += [Need(condition) for condition in found.conditions]
                if found.threshold is not None:
                    bounds[found.relation].append(found.threshold)
        left = [
            n for n in dict.fromkeys(needs) if n.condition.relation != "always" and n.holds(self._values) is not True
        ]
        if any(n.condition.relation == "never" or n.holds(self._values) is False for n in left):
            return None
        lower = maximum(*bounds[">"]) if bounds[">"] else None
        upper = _minimum(bounds["<"]) if bounds["<"] else None
        low, high = (None if bound is None else evaluate(bound, self._values) for bound in (lower, upper))
        if low is not None and high is not None and low >= high:
            return None
        return Range(roof.name, lower, upper, low, high, True, tuple(left))


def _minimum(bounds: Sequence[Expr]) -> Expr:
    unique = sorted(dict.fromkeys(bounds), key=formula)
    return unique[0] if len(unique) == 1 else Min(*unique, evaluate=False)
