"""Crossovers at the best split of devices, within the range that its axis has: from 1 to the number of devices.

Where a time is least is a formula that holds inside the range, and beyond an end of it the end. So a crossover that is solved at the
formula counts where, at the crossover, the formula is inside; and one that is solved at an end, where it is beyond that.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from sympy import Abs, Expr, Integer

from shardlang.cost.conditions import Condition, compare
from shardlang.cost.crossover import Crossover, Pair, Question, Uncrossed, solve, uncrossed
from shardlang.cost.values import Values, evaluate

_Key: TypeAlias = tuple[tuple[str, str], tuple[str, ...]]  # which pair a crossover is of
PairsAt: TypeAlias = Callable[[Expr], Sequence[Pair]]
"""Gives the pairs of times to compare, where the axis is what a formula says."""


def crossings(
    question: Question, pairs_at: PairsAt, place: Expr, most: Expr, values: Values
) -> tuple[tuple[Crossover, ...], tuple[Uncrossed, ...]]:
    """Return the crossovers at the best split, and the pairs that have none.

    place: of the axis, as a formula without regard to the ends of its range, 1 and `most`. A crossover requires that the place is inside
    at it; where the numbers say that it is not, the one at the end counts.
    """
    pairs = tuple(pairs_at(place))
    inside: list[Crossover] = []
    beyond: dict[Expr, set[_Key]] = {}
    for found in solve(question, pairs, values):
        conditions, end = _inside(found, question, place, most, values)
        if end is None:
            inside.append(_requiring(found, conditions, values))
        else:
            beyond.setdefault(end, set()).add((found.between, found.steps))
    for end, keys in beyond.items():
        inside += _at_end(question, pairs_at(end), keys, place, most, end, values)
    left = uncrossed(question, pairs, inside, values)
    return tuple(inside), left


class _End(NamedTuple):
    """An end of the range at a crossover. holds: whether the place is inside of it there, None while that is open.

    condition: when it is, as a formula; None where it has none that can be read.
    """

    end: Expr
    condition: Condition | None
    holds: bool | None


def _inside(
    found: Crossover, question: Question, place: Expr, most: Expr, values: Values
) -> tuple[tuple[Condition, ...], Expr | None]:
    """Return when the place is inside the range at a crossover, and the end that it is known to be beyond there, or None."""
    ends = tuple(_ends(found, question, place, most, values))
    beyond = next((one.end for one in ends if one.holds is False), None)
    told = (one.condition for one in ends if one.condition is not None and one.condition.relation != "always")
    kept = (c for c in told if c.holds(values) is not True or c.left.free_symbols & question.sizes.all)
    return tuple(dict.fromkeys(kept)), beyond


def _ends(found: Crossover, question: Question, place: Expr, most: Expr, values: Values) -> Iterator[_End]:
    """Yield each end of the range at both ends of an answer; none where the place is the same whatever the answer is."""
    inner, outer = (expr.xreplace(dict(question.replaced)) for expr in (place, most))
    if not inner.has(question.symbol):
        return
    for threshold, value in ((found.threshold, found.value), (found.until, found.until_value)):
        known = None if value is None else {**values, question.symbol: value}
        for end, larger, smaller in ((Integer(1), inner, Integer(1)), (most, outer, inner)):
            condition = None
            if threshold is not None:
                sides = [expr.subs(question.symbol, threshold) for expr in (larger, smaller)]
                if not any(side.has(Abs) for side in sides):  # the root of a square, of what may be negative
                    condition = compare(*sides, *question.sizes)
            numbers = [None if known is None else evaluate(expr, known) for expr in (larger, smaller)]
            holds = None if condition is None else condition.holds(values)
            if numbers[0] is not None and numbers[1] is not None:
                holds = numbers[0] > numbers[1]
            yield _End(end, condition, holds)


def _requiring(found: Crossover, conditions: tuple[Condition, ...], values: Values) -> Crossover:
    """Return a crossover that requires conditions besides its own."""
    more = tuple(condition for condition in conditions if condition not in found.conditions)
    if not more:
        return found
    return found._replace(
        conditions=(*found.conditions, *more),
        requires=(*found.requires, *(condition.text for condition in more)),
        requires_hold=(*found.requires_hold, *(condition.holds(values) for condition in more)),
        otherwise=None,
    )


def _at_end(
    question: Question, pairs: Sequence[Pair], keys: Container[_Key], place: Expr, most: Expr, end: Expr, values: Values
) -> Iterator[Crossover]:
    """Yield the crossovers of some pairs with the axis at an end of its range, where the place is beyond that at them."""
    for found in solve(question, pairs, values):
        ends = (one for one in _ends(found, question, place, most, values) if one.end == end)
        if (found.between, found.steps) in keys and all(one.holds is not True for one in ends):
            yield found
