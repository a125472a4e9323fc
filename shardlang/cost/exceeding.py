"""Where one time exceeds another, either of which may be the largest of several sums."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sympy import Expr, Integer, Max, Min, Symbol

from shardlang.cost import terms as t
from shardlang.cost.conditions import Condition, condition_of, difference
from shardlang.cost.maximum import maximum
from shardlang.cost.solving import ALWAYS, NEVER, Sizes, Solution, where_larger
from shardlang.cost.terms import Term
from shardlang.cost.values import Values


class Unknown(NamedTuple):
    """The symbol to solve for, what stands for others (of a ratio B/X, B is X times the ratio), and what sizes there are."""

    symbol: Symbol
    replaced: Mapping[Symbol, Expr]
    sizes: Sizes


def solve_times(first: Expr, second: Expr, unknown: Unknown, values: Values) -> list[Solution]:
    """Return where `first` exceeds `second`; either may be a maximum.

    One exact condition where there is one, else the numbers, where they are known; without numbers, the ways in which one
    part of `first` exceeds all of `second`, any of which is enough.
    """
    larger, smaller = _arguments(first), _arguments(second)
    if not 1 < len(larger) * len(smaller) <= _MOST_PARTS:
        return _solve(first, second, unknown, values)
    ways = [_exceeds_all(expr, smaller, unknown, values) for expr in larger]
    known = [way for way in ways if way is not None and way != NEVER]
    joined = _any_of(known) if None not in ways else None
    if joined is not None:
        return [joined]
    whole = _solve(first, second, unknown, values)
    bare = any(one.threshold is None and one not in (ALWAYS, NEVER) for one in whole)  # only the comparison itself
    return known if bare and None not in ways and len(known) <= _MOST_WAYS else whole


_MOST_PARTS, _MOST_WAYS = 16, 4


def _arguments(time: Expr) -> tuple[Expr, ...]:
    return tuple(time.args) if isinstance(time, Max) else (time,)


def _solve(first: Expr, second: Expr, unknown: Unknown, values: Values) -> list[Solution]:
    positive, negative = difference(terms_in(first, unknown.replaced), terms_in(second, unknown.replaced))
    return where_larger(positive, negative, unknown.symbol, values, unknown.sizes)


def _any_of(ways: list[Solution]) -> Solution | None:
    """Return the condition under which any of several holds, where that is one condition, else None."""
    if not ways or ALWAYS in ways:
        return ALWAYS if ways else NEVER
    if len(ways) == 1:
        return ways[0]
    if any(way.requires for way in ways):
        return None
    return _joined([(way.relation, way.threshold) for way in ways if way.threshold is not None], (), "any")


def _exceeds_all(first: Expr, smaller: Sequence[Expr], unknown: Unknown, values: Values) -> Solution | None:
    """Return where `first` exceeds all of `smaller`, `NEVER` where it does nowhere, None where that is no one condition."""
    bounds: list[tuple[str, Expr]] = []
    requires: list[Condition] = []
    several = False
    for second in smaller:
        positive, negative = difference(terms_in(first, unknown.replaced), terms_in(second, unknown.replaced))
        solutions = where_larger(positive, negative, unknown.symbol, values, unknown.sizes)
        if solutions == [NEVER]:
            return NEVER
        if solutions == [ALWAYS]:
            continue
        if not solutions:  # it does not depend on the variable
            requires.append(condition_of(positive, negative, *unknown.sizes))
            continue
        found = solutions[0]
        if len(solutions) > 1 or not found.exact or found.threshold is None or found.until is not None:
            several = True
            continue
        bounds.append((found.relation, found.threshold))
        requires += found.requires
    if several or (requires and not bounds):
        return None
    return _joined(bounds, tuple(requires), "all") if bounds else ALWAYS


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


def replaced_in(expr: Expr, replaced: Mapping[Symbol, Expr]) -> Expr:
    """Return a formula with symbols replaced, also those that what is put in has."""
    for _ in range(len(replaced)):  # a definition may use another
        if not expr.free_symbols & set(replaced):
            break
        expr = expr.xreplace(dict(replaced))
    return expr


def terms_in(expr: Expr, replaced: Mapping[Symbol, Expr]) -> tuple[Term, ...]:
    """Return the terms of a formula with symbols replaced."""
    return t.terms_of(replaced_in(expr, replaced))
