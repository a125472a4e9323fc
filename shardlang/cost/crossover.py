"""Crossovers: where one time becomes larger than another, solved for a size or a ratio of sizes.

The times are roofs of a plan, the latency and the bandwidth of a collective, or those of two plans. A time may be the
largest of several sums: one is longer than that when it is longer than each of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sympy import Dummy, Expr, Integer, Max, Min, Mul, Pow, Rational, Symbol, ceiling

from shardlang.cost import terms as t
from shardlang.cost.conditions import Condition, compare, condition_of, difference
from shardlang.cost.maximum import maximum
from shardlang.cost.names import Names
from shardlang.cost.ratio import read_ratio
from shardlang.cost.solving import Sizes, Solution, solve_difference
from shardlang.cost.terms import Term
from shardlang.cost.text import formula
from shardlang.cost.values import Values, evaluate
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


class Crossover(NamedTuple):
    """The first of `between` is the larger one where `variable relation threshold` and all of `conditions` hold.

    threshold: a formula; None where there is none and the other symbols are not known. value: its number, None
    while a symbol is open. exact: whether the threshold was solved for, or searched numerically. besides: of a pair with
    `math`, the conditions of the other groups of links of the same network: with them too arithmetic hides all of it.
    requires: `besides`, then `conditions`, as text; requires_hold: whether each is true of the numbers that are known,
    None while one is open. steps: see `Pair`. assumes: what was taken for granted to solve it, in words. shortened: it
    follows from leading terms, not from the whole formulas. otherwise: see `Solution`. here: what the variable is with
    the numbers that are known, None while one of them is open. consistent: false where it is known not to hold at the whole
    sizes next to it, as the links of a mesh axis are others there.
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

    @property
    def holds_here(self) -> bool | None:
        """Whether all of it holds with the numbers that are known; None while one of them is open."""
        if self.here is None or self.value is None:
            return None
        verdicts = [self.here > self.value if self.relation == ">" else self.here < self.value, *self.requires_hold]
        return False if False in verdicts else None if None in verdicts else True


class Uncrossed(NamedTuple):
    """A pair that no value of the variable turns round. when: the first is the larger one then, whatever the variable is.

    None where that depends on the variable too, and the numbers that are known leave it no way to turn.
    """

    between: tuple[str, str]
    when: Condition | None
    steps: tuple[str, ...] = ()


class Question(NamedTuple):
    """What crossovers are solved for, read: the symbol, and what stands for others (of a ratio B/X, B is X times the ratio)."""

    variable: str
    powers: tuple[tuple[Symbol, int], ...]
    symbol: Symbol
    replaced: Mapping[Symbol, Expr]
    sizes: Sizes


def read_question(variable: str, names: Names, defined: Mapping[Symbol, Expr]) -> Question:
    """Return what is asked. Raises `RatioError` for what is no name or ratio of the plan's symbols.

    defined: the sizes that are given in terms of others, see `definitions`.
    """
    ratio = read_ratio(variable, names)
    axes = frozenset((*names.axes().values(), *names.totals().values()))
    symbol, replaced = _unknown(ratio, defined)
    return Question(variable, tuple(ratio), symbol, replaced, Sizes(axes | frozenset(names.dims().values()), axes))


def solve(question: Question, pairs: Sequence[Pair], values: Values) -> tuple[Crossover, ...]:
    """Return the crossovers of all pairs."""
    others = {symbol: value for symbol, value in values.items() if symbol != question.symbol}
    found: list[Crossover] = []
    for pair in pairs:
        first, assumed = _smooth(pair.first.time, question)
        second, more = _smooth(pair.second.time, question)
        besides = _besides(pair, pairs, question.sizes)
        for solution in _solve_times(first, second, question, others):
            if any(condition.relation == "never" for condition in solution.requires):
                continue
            own = solution.requires
            if solution.threshold is None:  # the comparison itself, in the symbols of the plan
                own = (compare(pair.first.time, pair.second.time, *question.sizes),)
            conditions = _needed(own, others, question.sizes)
            more_conditions = tuple(c for c in _needed(besides, others, question.sizes) if c not in conditions)
            both = (*more_conditions, *conditions)
            found.append(
                Crossover(
                    variable=question.variable,
                    between=pair.between,
                    relation=solution.relation,
                    threshold=solution.threshold,
                    value=_positive(solution.threshold, others),
                    exact=solution.exact,
                    requires=tuple(condition.text for condition in both),
                    requires_hold=tuple(condition.holds(values) for condition in both),
                    conditions=conditions,
                    besides=more_conditions,
                    steps=pair.steps,
                    assumes=tuple(dict.fromkeys((*assumed, *more))),
                    shortened=pair.first.shortened or pair.second.shortened,
                    otherwise=solution.otherwise,
                    here=evaluate(Mul(*(Pow(base, power) for base, power in question.powers)), values),
                )
            )
    return tuple(found)


def uncrossed(question: Question, pairs: Sequence[Pair], found: Iterable[Crossover]) -> tuple[Uncrossed, ...]:
    """Return the pairs that `found` has no crossover of, with why."""
    crossed = {(one.between, one.steps) for one in found}
    left = []
    for pair in pairs:
        if (pair.between, pair.steps) in crossed:
            continue
        condition = compare(pair.first.time, pair.second.time, *question.sizes)
        unknown = {symbol for symbol, _ in question.powers}
        depends = _depends(pair.first.time, question) or _depends(pair.second.time, question)
        settled = condition.relation in ("always", "never")
        free = not (condition.left.free_symbols | condition.right.free_symbols) & unknown
        left.append(Uncrossed(pair.between, condition if settled or free or not depends else None, pair.steps))
    return tuple(left)


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
    """Return a time in which an axis that is asked for counts X/2 hops, not ceil(X/2), and what that takes for granted."""
    asked = {symbol for symbol, _ in question.powers}
    rounded = [c for c in time.atoms(ceiling) if c.free_symbols & asked] if asked & question.sizes.axes else []
    if not rounded:
        return time, []
    return time.xreplace({c: c.args[0] for c in rounded}), [
        f"{formula(c)} = {formula(c.args[0])}" for c in sorted(rounded, key=formula)
    ]


def replaced_in(expr: Expr, replaced: Mapping[Symbol, Expr]) -> Expr:
    """Return a formula with symbols replaced, also those that what is put in has."""
    for _ in range(len(replaced)):  # a definition may use another
        if not expr.free_symbols & set(replaced):
            break
        expr = expr.xreplace(dict(replaced))
    return expr


def _terms(expr: Expr, replaced: Mapping[Symbol, Expr]) -> tuple[Term, ...]:
    return t.terms_of(replaced_in(expr, replaced))


def _depends(time: Expr, question: Question) -> bool:
    return any(t.expression(term).has(question.symbol) for term in _terms(time, question.replaced))


def _positive(threshold: Expr | None, values: Values) -> float | None:
    value = None if threshold is None else evaluate(threshold, values)
    return value if value is None or value > 0 else None


def _besides(pair: Pair, pairs: Sequence[Pair], sizes: Sizes) -> Iterator[Condition]:
    """Yield the conditions under which arithmetic takes longer than the other groups of links of the same network.

    One group alone says nothing of being compute-bound. Of HBM and links nothing follows for the plan, and a pair of
    plans, or of latency and bandwidth, is the whole question.
    """
    if pair.first.name != "math" or ":" not in pair.second.name:
        return
    for other in pairs:
        if other.first.name == "math" and other.second != pair.second and ":" in other.second.name:
            yield compare(pair.first.time, other.second.time, *sizes)


def _needed(conditions: Iterable[Condition], values: Values, sizes: Sizes) -> tuple[Condition, ...]:
    return tuple(dict.fromkeys(c for c in conditions if not _granted(c, values, sizes)))


def _granted(condition: Condition, values: Values, sizes: Sizes) -> bool:
    """Say whether a condition goes without saying: it always holds, or does for the rates of the hardware alone."""
    symbols = condition.left.free_symbols | condition.right.free_symbols
    return condition.relation == "always" or (not symbols & sizes.all and condition.holds(values) is True)


def _solve_times(first: Expr, second: Expr, question: Question, values: Values) -> list[Solution]:
    """Return where `first` exceeds `second`; either may be a maximum.

    One exact condition where there is one, else the numbers, where they are known; without numbers, the ways in which one
    part of `first` exceeds all of `second`, any of which is enough.
    """
    larger, smaller = _arguments(first), _arguments(second)
    if not 1 < len(larger) * len(smaller) <= _MOST_PARTS:
        return _solve(first, second, question, values)
    ways = [_exceeds_all(expr, smaller, question, values) for expr in larger]
    known = [way for way in ways if way is not None and way.relation != "never"]
    joined = _any_of(known) if len(known) == sum(way is None or way.relation != "never" for way in ways) else None
    if joined is not None:
        return [joined]
    whole = _solve(first, second, question, values)
    if None in ways or len(known) > _MOST_WAYS or not known or all(one.threshold is not None for one in whole):
        return whole
    return known


_MOST_PARTS, _MOST_WAYS = 16, 4


def _arguments(time: Expr) -> tuple[Expr, ...]:
    return tuple(time.args) if isinstance(time, Max) else (time,)


def _solve(first: Expr, second: Expr, question: Question, values: Values) -> list[Solution]:
    positive, negative = difference(_terms(first, question.replaced), _terms(second, question.replaced))
    return solve_difference(positive, negative, question.symbol, values, question.sizes)


def _any_of(ways: list[Solution]) -> Solution | None:
    """Return the condition under which any of several holds, where that is one condition, else None."""
    if len(ways) == 1:
        return ways[0]
    if not ways or any(way.requires for way in ways):
        return None
    return _joined([(way.relation, way.threshold) for way in ways if way.threshold is not None], (), "any")


def _exceeds_all(first: Expr, smaller: Sequence[Expr], question: Question, values: Values) -> Solution | None:
    """Return where `first` exceeds all of `smaller`; the relation `never` where it does nowhere, None where that is no one condition."""
    bounds: list[tuple[str, Expr]] = []
    requires: list[Condition] = []
    for second in smaller:
        positive, negative = difference(_terms(first, question.replaced), _terms(second, question.replaced))
        if not negative:
            continue
        if not positive:
            return Solution("never", None)
        if not any(t.expression(term).has(question.symbol) for term in (*positive, *negative)):
            requires.append(condition_of(positive, negative, *question.sizes))
            continue
        solutions = solve_difference(positive, negative, question.symbol, values, question.sizes)
        if len(solutions) != 1 or not solutions[0].exact or solutions[0].threshold is None:
            return None
        bounds.append((solutions[0].relation, solutions[0].threshold))
        requires += solutions[0].requires
    return _joined(bounds, tuple(requires), "all") if bounds else None


def _joined(bounds: list[tuple[str, Expr]], requires: tuple[Condition, ...], how: str) -> Solution | None:
    """Return several bounds of one relation as one."""
    relations = {relation for relation, _ in bounds}
    if len(relations) != 1:
        return None
    relation = relations.pop()
    thresholds = list(dict.fromkeys(threshold for _, threshold in bounds))
    largest = (relation == ">") == (how == "all")
    joined = maximum(*thresholds) if largest else Min(*thresholds)
    return Solution(relation, Integer(1) * joined, requires, otherwise=None if requires else False)
