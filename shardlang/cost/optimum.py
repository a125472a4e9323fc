"""The split of a number of devices over mesh axes that makes a time least.

With N = X·Y in place, a time is a sum or a maximum of sums of powers of X. A sum c X^p with c > 0 is convex in log X, and so is
the largest of several: a place where it is stationary, or where its rising and its falling parts cross, is the least
everywhere. A sum is stationary where the parts that rise, each times its power, outweigh those that fall. Exact where
that is linear or quadratic in a power of X, else numeric. Source: COST_MODEL section 11.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import NamedTuple

from sympy import Expr, Integer, Symbol

from shardlang.cost import terms as t
from shardlang.cost.conditions import difference
from shardlang.cost.posynomials import Largest, Part, is_convex, slopes
from shardlang.cost.solving import Sizes, Solution, solve_difference
from shardlang.cost.terms import Term
from shardlang.cost.values import Values, evaluate


class Place(NamedTuple):
    """Where a time is least.

    formula: without regard to the ends of the range; None where there is none. value: the number within the range, None
    while a symbol is open. exact: whether it was solved for, or searched numerically. clipped: whether the formula lies
    beyond an end of the range, so that the end is what counts. numbers: whether it took the numbers to tell which of several
    places it is, so that the formula is that of these sizes only. kind: `stationary`, `crossing`, `end`, or `search`.
    """

    kind: str
    formula: Expr | None
    value: float | None
    exact: bool = True
    clipped: bool = False
    numbers: bool = False

    def expression(self, total: Expr) -> Expr | None:
        """Return what to put in for the symbol: the end of the range where it is clipped."""
        if not self.clipped or self.value is None:
            return self.formula
        return Integer(1) if self.value == 1 else total


class Range(NamedTuple):
    """A symbol goes from 1 to `total`, the number of devices."""

    symbol: Symbol
    total: Expr


def least(time: Largest, within: Range, values: Values, sizes: Sizes) -> Place | None:
    """Return where a time is least; None where it is the same everywhere, or that takes numbers which are open."""
    symbol = within.symbol
    parts = tuple(part for part in time.parts if slopes(part, symbol))
    known = {s: value for s, value in values.items() if s != symbol}
    if not parts:
        return None
    if len(signs := {sign for part in parts for sign in slopes(part, symbol)}) == 1:
        end = Integer(1) if signs == {1} else within.total
        return Place("end", end, evaluate(end, known))
    found = _only(parts, symbol, known, sizes)
    if found is not None:
        return _clipped(found, within, known)
    return _best(parts, within, known, sizes)


def search(measure: Callable[[float], float | None], most: float) -> float | None:
    """Return the number from 1 to `most` at which `measure` is least, by its values alone; None where it has none.

    The best of a grid, then a ternary search between its neighbours: what has several valleys narrower than the grid
    may be missed.
    """
    step: float = most ** (1 / (_POINTS - 1))
    grid = [step**at for at in range(_POINTS)]
    heights = [measure(at) for at in grid]
    third: float
    if any(height is None for height in heights):
        return None
    best = min(range(_POINTS), key=lambda at: heights[at] or 0.0)
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, _POINTS - 1)]
    for _ in range(_REFINED):
        third = (high / low) ** (1 / 3)
        left, right = measure(low * third), measure(low * third * third)
        if left is None or right is None:
            return None
        low, high = (low, low * third * third) if left <= right else (low * third, high)
    return min((low, high, grid[best]), key=lambda at: measure(at) or 0.0)


_POINTS, _REFINED = 241, 80


def _only(parts: tuple[Part, ...], symbol: Symbol, known: Values, sizes: Sizes) -> Place | None:
    """Return the one place that it can be whatever the numbers are, else None."""
    if len(parts) == 1:
        solutions = _stationary(parts[0], symbol, known, sizes) if is_convex(parts[0], symbol) else []
        return _place("stationary", solutions, known)
    if len(parts) == 2 and all(len(slopes(part, symbol)) == 1 for part in parts):
        return _place("crossing", _crossing(parts[0], parts[1], symbol, known, sizes), known)
    return None


def _place(kind: str, solutions: list[Solution], known: Values) -> Place | None:
    if len(solutions) != 1 or solutions[0].threshold is None:
        return None
    (found,) = solutions
    if not found.exact:
        return Place(kind, None, evaluate(found.threshold, known), exact=False)
    return Place(kind, found.threshold, evaluate(found.threshold, known))


def _stationary(part: Part, symbol: Symbol, known: Values, sizes: Sizes) -> list[Solution]:
    weighted = [Term(term.coefficient * term.power(symbol), term.powers) for term in part if term.power(symbol) != 0]
    rising = [term for term in weighted if term.coefficient > 0]
    falling = [Term(-term.coefficient, term.powers) for term in weighted if term.coefficient < 0]
    return solve_difference(*difference(rising, falling), symbol, known, sizes)


def _crossing(one: Part, other: Part, symbol: Symbol, known: Values, sizes: Sizes) -> list[Solution]:
    return solve_difference(*difference(one, other), symbol, known, sizes)


def _clipped(found: Place, within: Range, known: Mapping[Symbol, float]) -> Place:
    total = evaluate(within.total, known)
    if found.value is None:
        return found
    if found.value < 1:
        return found._replace(value=1.0, clipped=True)
    if total is not None and found.value > total:
        return found._replace(value=float(total), clipped=True)
    return found


def _best(parts: tuple[Part, ...], within: Range, known: Values, sizes: Sizes) -> Place | None:
    """Return the best of all places where it can be, by the numbers.

    The largest of convex functions of one variable is least where one of them is, or where two cross (Helly), or at an end.
    """
    symbol = within.symbol
    times = [t.total(part) for part in parts]

    def height(at: float) -> float | None:
        values = {**known, symbol: at}
        heights = [evaluate(time, values) for time in times]
        known_heights = [one for one in heights if one is not None]
        return max(known_heights) if len(known_heights) == len(heights) else None

    total = evaluate(within.total, known)
    if total is None or height(1.5) is None:
        return None
    if not all(is_convex(part, symbol) or len(slopes(part, symbol)) == 1 for part in parts):
        found = search(height, total)
        return None if found is None else Place("search", None, found, exact=False, numbers=True)
    places = [Place("end", Integer(1), 1.0), Place("end", within.total, float(total))]
    for part in parts:
        if len(slopes(part, symbol)) == 2:
            places += _places("stationary", _stationary(part, symbol, known, sizes), known)
    for one, other in combinations(parts, 2):
        places += _places("crossing", _crossing(one, other, symbol, known, sizes), known)
    inside = [place for place in places if place.value is not None and 1 <= place.value <= total]
    best = min(inside, key=lambda place: height(place.value or 1.0) or 0.0)
    return best._replace(numbers=True)


def _places(kind: str, solutions: list[Solution], known: Values) -> list[Place]:
    found = (_place(kind, [solution], known) for solution in solutions)
    return [place for place in found if place is not None]
