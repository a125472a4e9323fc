"""Crossovers: where one time becomes larger than another, solved for a size or a ratio of sizes.

The times are roofs of a plan, the latency and the bandwidth of a collective, or those of two plans. A time may be the
largest of several sums: one is longer than that when it is longer than each of them.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sympy import Dummy, Expr, Min, Mul, Pow, Rational, Symbol, ceiling

from shardlang.cost import terms as t
from shardlang.cost.conditions import FLIPPED, Condition, compare
from shardlang.cost.exceeding import Unknown, solve_times, terms_in
from shardlang.cost.names import Names
from shardlang.cost.ratio import read_ratio
from shardlang.cost.solving import ALWAYS, NEVER, Sizes
from shardlang.cost.text import formula
from shardlang.cost.values import Values, evaluate
from shardlang.limits import ENDLESS, Clock
from shardlang.semantics.program import Program


class Roof(NamedTuple):
    """A resource (`math`, `hbm`, `ici:X`) and the seconds that the plan keeps it busy; shortened: the leading terms only."""

    name: str
    time: Expr
    shortened: bool = False


class Pair(NamedTuple):
    """Two times to compare. steps: those that they are of, where they are not of the whole plan."""

    first: Roof
    second: Roof
    steps: tuple[str, ...] = ()

    @property
    def between(self) -> tuple[str, str]:
        """The names of the two."""
        return (self.first.name, self.second.name)


class Bound(NamedTuple):
    """`variable relation value`, of a range `value < variable < until`: a condition solved with the numbers that are known."""

    variable: str
    relation: str
    value: float
    until: float | None = None


class Crossover(NamedTuple):
    """The first of `between` is the larger one where `variable relation threshold` and all of `conditions` hold.

    threshold: a formula; None where there is none and the other symbols are not known. value: its number, None
    while a symbol is open. exact: whether the threshold was solved for, or searched numerically. until, until_value: the
    upper end of a range, of which the threshold is the lower one; the relation then is `>`. besides: of a pair with
    `math`, the conditions of the other groups of links of the same network: with them too arithmetic hides all of it.
    requires: `besides`, then `conditions`, as text; requires_hold: whether each is true of the numbers that are known,
    None while one is open. bounds: for each of `besides`, where it holds in the same variable, each range enough; empty where
    that takes numbers which are open, or no value of the variable turns it. steps: see `Pair`. assumes: what was taken for granted
    to solve it, in words. shortened: it follows from leading terms, not from the whole formulas. otherwise: whether the
    first is the larger one for all values of the variable where one of `conditions` does not hold; None where that
    depends. here: what the variable is with the numbers that are known, None while one of them is open; consistent: false where
    it is known not to hold at the whole sizes next to it, as the links of a mesh axis are others there.
    """

    variable: str
    between: tuple[str, str]
    relation: str
    threshold: Expr | None
    value: float | None
    exact: bool
    requires: tuple[str, ...]
    requires_hold: tuple[bool | None, ...] = ()
    conditions: tuple[Condition, ...] = ()
    besides: tuple[Condition, ...] = ()
    steps: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    shortened: bool = False
    otherwise: bool | None = False
    here: float | None = None
    consistent: bool = True
    until: Expr | None = None
    until_value: float | None = None
    bounds: tuple[tuple[Bound, ...], ...] = ()

    @property
    def ends(self) -> "tuple[Crossover, ...]":
        """It as places where the two times are equal, each with its side."""
        if self.until is None:
            return (self,)
        lower = self._replace(until=None, until_value=None)
        return (lower, lower._replace(relation="<", threshold=self.until, value=self.until_value))

    @property
    def within(self) -> bool | None:
        """Whether the variable is in the range with the numbers that are known; None while one of them is open."""
        if self.here is None or self.value is None or (self.until is not None and self.until_value is None):
            return None
        return self.covers(self.here)

    def covers(self, number: float) -> bool:
        """Say whether a number is in the range, by those of its ends that are known."""
        value = self.value or 0.0
        if self.relation == "<":
            return number < value
        return value < number < (math.inf if self.until_value is None else self.until_value)

    @property
    def alternative(self) -> Condition | None:
        """What is enough too, whatever the variable is; None where there is no such thing, or the numbers settle it."""
        if not self.otherwise or len(self.conditions) != 1 or self.requires_hold[-1] is not None:
            return None
        (condition,) = self.conditions
        return condition._replace(relation=FLIPPED[condition.relation])

    @property
    def holds_here(self) -> bool | None:
        """Whether all of it holds with the numbers that are known; None while one of them is open."""
        verdicts = [self.within, *self.requires_hold]
        return False if False in verdicts else None if None in verdicts else True


class Uncrossed(NamedTuple):
    """A pair that no value of the variable turns round. when: the first is the larger one then, whatever the variable is.

    None where that depends on the variable too, and the numbers that are known leave it no way to turn. longer: which of
    the two is the larger one with these numbers, 1 the first, -1 the second, 0 where they are equal; None while that is open.
    """

    between: tuple[str, str]
    when: Condition | None
    steps: tuple[str, ...] = ()
    longer: int | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the first is the larger one with the numbers that are known, whatever the variable is."""
        return None if self.longer is None else self.longer == 1


class Question(NamedTuple):
    """What crossovers are solved for, read: the symbol, and what stands for others (of a ratio B/X, B is X times the ratio).

    clock: says before each pair whether there is time left; else OutOfTimeError is raised.
    """

    variable: str
    powers: tuple[tuple[Symbol, int], ...]
    symbol: Symbol
    replaced: Mapping[Symbol, Expr]
    sizes: Sizes
    clock: Clock = ENDLESS

    @property
    def unknown(self) -> Unknown:
        """What equations are solved for."""
        return Unknown(self.symbol, self.replaced, self.sizes)


def read_question(variable: str, names: Names, defined: Mapping[Symbol, Expr], clock: Clock = ENDLESS) -> Question:
    """Return what is asked. Raises `RatioError` for what is no name or ratio of the plan's symbols.

    defined: the sizes that are given in terms of others, see `definitions`.
    """
    ratio = read_ratio(variable, names)
    axes = frozenset((*names.axes().values(), *names.totals().values()))
    symbol, replaced = _unknown(ratio, defined)
    return Question(
        variable, tuple(ratio), symbol, replaced, Sizes(axes | frozenset(names.dims().values()), axes), clock
    )


def solve(question: Question, pairs: Sequence[Pair], values: Values) -> tuple[Crossover, ...]:
    """Return the crossovers of all pairs."""
    others = {symbol: value for symbol, value in values.items() if symbol != question.symbol}
    found: list[Crossover] = []
    for pair in pairs:
        question.clock.check()
        first, assumed = _smooth(pair.first.time, question)
        second, more = _smooth(pair.second.time, question)
        besides = tuple(_besides(pair, pairs, question, others))
        for solution in solve_times(first, second, question.unknown, others):
            if solution.relation not in FLIPPED or any(c.relation == "never" for c in solution.requires):
                continue
            own = solution.requires
            if solution.threshold is None:  # the comparison itself, in the symbols of the plan
                own = (compare(pair.first.time, pair.second.time, *question.sizes),)
            conditions = _needed(own, others, question.sizes)
            linked = [(c, bounds) for c, bounds in besides if c not in conditions]
            both = (*(condition for condition, _ in linked), *conditions)
            found.append(
                Crossover(
                    variable=question.variable,
                    between=pair.between,
                    relation=solution.relation,
                    threshold=solution.threshold,
                    value=_positive(solution.threshold, others),
                    until=solution.until,
                    until_value=_positive(solution.until, others),
                    exact=solution.exact,
                    requires=tuple(condition.text for condition in both),
                    requires_hold=tuple(condition.holds(values) for condition in both),
                    conditions=conditions,
                    besides=tuple(condition for condition, _ in linked),
                    bounds=tuple(bounds for _, bounds in linked),
                    steps=pair.steps,
                    assumes=tuple(dict.fromkeys((*assumed, *more))),
                    shortened=pair.first.shortened or pair.second.shortened,
                    otherwise=solution.otherwise,
                    here=evaluate(Mul(*(Pow(base, power) for base, power in question.powers)), values),
                )
            )
    return tuple(found)


def uncrossed(
    question: Question, pairs: Sequence[Pair], found: Iterable[Crossover], values: Values
) -> tuple[Uncrossed, ...]:
    """Return the pairs that `found` has no crossover of, with why."""
    crossed = {(one.between, one.steps) for one in found}
    left = []
    for pair in pairs:
        question.clock.check()
        if (pair.between, pair.steps) in crossed:
            continue
        first, second = (_smooth(roof.time, question)[0] for roof in (pair.first, pair.second))
        condition = compare(first, second, *question.sizes)
        unknown = {symbol for symbol, _ in question.powers}
        depends = _depends(first, question) or _depends(second, question)
        settled = condition.relation in ("always", "never")
        free = not (condition.left.free_symbols | condition.right.free_symbols) & unknown
        when = condition if settled or free or not depends else None
        longer = _longer(pair, question, values)
        if settled and longer is None:  # by what sizes are at least, which no number has to say
            longer = 1 if condition.relation == "always" else -1
        left.append(Uncrossed(pair.between, when, pair.steps, longer))
    return tuple(left)


def _longer(pair: Pair, question: Question, values: Values) -> int | None:
    """Return which of two times that do not cross is the larger one with these numbers, see `Uncrossed`."""
    others = {symbol: value for symbol, value in values.items() if symbol != question.symbol}
    first, second = (_smooth(roof.time, question)[0] for roof in (pair.first, pair.second))
    ahead, behind = (_settled(*both, question, others) for both in ((first, second), (second, first)))
    if ahead or behind:
        return 1 if ahead else -1
    return 0 if ahead is behind is False else None


def _settled(first: Expr, second: Expr, question: Question, values: Values) -> bool | None:
    """Say whether `first` exceeds `second` for every value of the variable (True) or none (False); None for neither."""
    solutions = solve_times(first, second, question.unknown, values)
    if solutions in ([ALWAYS], [NEVER]):
        return solutions == [ALWAYS]
    return None


def definitions(program: Program, names: Names) -> dict[Symbol, Expr]:
    """Return the sizes that are given in terms of others (`let F = 4*D`) as formulas."""
    lookup = {("dim", name): symbol for name, symbol in names.dims().items()}
    lookup.update({("axis", name): symbol for name, symbol in names.axes().items()})
    found = {}
    for dim, symbol in names.dims().items():
        size = program.sizes.get(dim)
        if size is None or not size.powers or any((s.kind, s.name) not in lookup for s, _ in size.powers):
            continue
        parts = (Pow(lookup[s.kind, s.name], power) for s, power in size.powers)
        found[symbol] = Mul(Rational(size.numerator, size.denominator), *parts)
    return found


def _unknown(ratio: list[tuple[Symbol, int]], defined: Mapping[Symbol, Expr]) -> tuple[Symbol, dict[Symbol, Expr]]:
    """Return the symbol to solve for, and what to put in for others: of a ratio `B/X`, B becomes X times the ratio."""
    wanted = {symbol for symbol, _ in ratio}
    replaced = {symbol: formula for symbol, formula in defined.items() if formula.has(*wanted) and symbol not in wanted}
    if len(ratio) == 1 and ratio[0][1] == 1:
        return ratio[0][0], replaced
    unknown = Dummy("ratio", positive=True)
    first = next((symbol for symbol, power in ratio if power == 1), ratio[0][0])
    power = dict(ratio)[first]
    rest = Mul(*(Pow(symbol, -exponent) for symbol, exponent in ratio if symbol != first))
    replaced[first] = (unknown * rest) ** Rational(1, power)
    return unknown, replaced


def _smooth(time: Expr, question: Question) -> tuple[Expr, list[str]]:
    """Return a time that can be solved, and what that takes for granted.

    An axis that is asked for counts X/2 hops, not ceil(X/2); and a row goes to no more parts than there are: min(1, k/X) is k/X.
    """
    asked = {symbol for symbol, _ in question.powers}
    smooth = {c: c.args[0] for c in time.atoms(ceiling) if c.free_symbols & asked & question.sizes.axes}
    for least in time.atoms(Min):
        parts = [part for part in least.args if part.has(*asked)]
        if len(parts) == 1:
            smooth[least] = parts[0]
    if not smooth:
        return time, []
    return time.xreplace(smooth), [f"{formula(c)} = {formula(smooth[c])}" for c in sorted(smooth, key=formula)]


def _depends(time: Expr, question: Question) -> bool:
    return any(t.expression(term).has(question.symbol) for term in terms_in(time, question.replaced))


def _positive(threshold: Expr | None, values: Values) -> float | None:
    value = None if threshold is None else evaluate(threshold, values)
    return value if value is None or value > 0 else None


def _besides(
    pair: Pair, pairs: Sequence[Pair], question: Question, values: Values
) -> Iterator[tuple[Condition, tuple[Bound, ...]]]:
    """Yield the conditions under which arithmetic takes longer than the other groups of links of the same network.

    With each, where it holds in the variable, if the numbers say so. One group alone says nothing of being compute-bound.
    Of HBM and links nothing follows for the plan, and a pair of plans, or of latency and bandwidth, is the whole question.
    """
    if pair.first.name != "math" or ":" not in pair.second.name:
        return
    said = set()
    for other in pairs:
        question.clock.check()
        if other.first.name == "math" and other.second != pair.second and ":" in other.second.name:
            condition = compare(pair.first.time, other.second.time, *question.sizes)
            if condition not in said and not _granted(condition, values, question.sizes):
                said.add(condition)
                yield condition, _bounds(other, question, values)


def _bounds(pair: Pair, question: Question, values: Values) -> tuple[Bound, ...]:
    first, second = (_smooth(roof.time, question)[0] for roof in (pair.first, pair.second))
    solutions = [one for one in solve_times(first, second, question.unknown, values) if one.relation in FLIPPED]
    ends = [[_positive(end, values) for end in (one.threshold, one.until)] for one in solutions]
    if any(
        low is None or (one.until is not None and high is None)
        for one, (low, high) in zip(solutions, ends, strict=True)
    ):
        return ()
    return tuple(
        Bound(question.variable, one.relation, low, high)
        for one, (low, high) in zip(solutions, ends, strict=True)
        if low is not None
    )


def _needed(conditions: Iterable[Condition], values: Values, sizes: Sizes) -> tuple[Condition, ...]:
    return tuple(dict.fromkeys(c for c in conditions if not _granted(c, values, sizes)))


def _granted(condition: Condition, values: Values, sizes: Sizes) -> bool:
    """Say whether a condition goes without saying: it always holds, or does for the rates of the hardware alone."""
    symbols = condition.left.free_symbols | condition.right.free_symbols
    return condition.relation == "always" or (not symbols & sizes.all and condition.holds(values) is True)
