"""Where a sum of monomials exceeds another one, solved for one of their symbols.

Exact where the comparison is linear or quadratic in a power of the symbol, else numeric, where every other symbol is
known. No general solver: prices are sums of monomials, and their comparison is arithmetic.
"""

from typing import NamedTuple

from sympy import Expr, Float, Integer, Mul, Pow, Rational, Symbol, sqrt

from shardlang.cost import terms as t
from shardlang.cost.conditions import FLIPPED, NAME, Condition, condition_of, difference
from shardlang.cost.ranges import positive_ranges
from shardlang.cost.terms import Term
from shardlang.cost.text import formula
from shardlang.cost.ties import lead
from shardlang.cost.values import Values


class Sizes(NamedTuple):
    """The symbols of dimensions and mesh axes, and those of mesh axes alone."""

    all: frozenset[Symbol]
    axes: frozenset[Symbol]


class Solution(NamedTuple):
    """`symbol relation threshold`, where all of `requires` hold; of a range `threshold < symbol < until`, the relation is `>`.

    relation: `>`, `<`, or `always` / `never` where every value of the symbol gives the same. threshold: None then, and where
    there is only the comparison itself. otherwise: whether it holds for all values of the symbol where one of `requires`
    does not; None where that depends.
    """

    relation: str
    threshold: Expr | None
    requires: tuple[Condition, ...] = ()
    exact: bool = True
    otherwise: bool | None = False
    until: Expr | None = None

    @property
    def ends(self) -> "tuple[Solution, ...]":
        """It as places where the comparison turns round, each with its side."""
        if self.until is None:
            return (self,)
        return (self._replace(until=None), self._replace(relation="<", threshold=self.until, until=None))


ALWAYS, NEVER = Solution("always", None), Solution("never", None)


def solve_difference(
    positive: list[Term], negative: list[Term], symbol: Symbol, values: Values, sizes: Sizes
) -> list[Solution]:
    """Return where the sum of `positive` begins or ceases to exceed that of `negative`, as conditions on `symbol`."""
    found = where_larger(positive, negative, symbol, values, sizes)
    return [end for one in found if one.relation in FLIPPED for end in one.ends]


def where_larger(
    positive: list[Term], negative: list[Term], symbol: Symbol, values: Values, sizes: Sizes
) -> list[Solution]:
    """Return the ranges of `symbol` in which the sum of `positive` exceeds that of `negative`, any of which is enough.

    One that is `ALWAYS` or `NEVER` where that is certain, none where it depends on other symbols alone.
    """
    if not positive or not negative:
        return [ALWAYS if positive else NEVER]
    signed = [*positive, *_negated(negative)]
    flat = t.opened(signed, symbol)
    if flat is None:
        return _numeric(positive, negative, symbol, values, sizes)
    by_power = t.coefficients(flat, symbol)
    signs = {power: _sign(terms, values) for power, terms in by_power.items()}
    powers = sorted(power for power, sign in signs.items() if sign != 0)
    found = [signs[power] for power in powers]
    if None not in found and len(set(found)) < 2:
        return [ALWAYS if 1 in found else NEVER]
    if len(powers) < 2:
        return []
    parts, step = [by_power[power] for power in powers], powers[1] - powers[0]
    if len(powers) == 2:
        return _linear(parts[0], parts[1], found, step, sizes)
    if len(powers) == 3 and powers[2] - powers[1] == step:
        solution = _quadratic(parts, found, step, values, sizes)
        if solution:
            return solution
    return _numeric(*_parts(flat), symbol, values, sizes)


def _negated(terms: list[Term]) -> list[Term]:
    return [Term(-term.coefficient, term.powers) for term in terms]


def _sign(terms: list[Term], values: Values) -> int | None:
    """Return the sign of a sum, 1, 0 or -1, where it is certain or follows from the numbers, else None.

    What its terms share does not matter for it: `B·D·(W_hbm - W_ici)` has a sign without B and D.
    """
    positive, negative = difference(*_parts(terms))
    if not positive or not negative:
        return bool(positive) - bool(negative)
    ahead = lead(t.total(positive), t.total(negative), values)
    return None if ahead is None else (ahead > 0) - (ahead < 0)


def _parts(terms: list[Term]) -> tuple[list[Term], list[Term]]:
    positive = [term for term in terms if term.coefficient > 0]
    return positive, [Term(-term.coefficient, term.powers) for term in terms if term.coefficient < 0]


def _linear(low: list[Term], high: list[Term], signs: list[int | None], step: Rational, sizes: Sizes) -> list[Solution]:
    """Solve `low + high·u > 0` for u, a power of the variable: `u > -low/high`, or `<` where `high` is negative."""
    low_sign, high_sign = signs
    up = high_sign > 0 if high_sign is not None else low_sign != 1
    threshold = _quotient(low, high, up)
    mixed_low, mixed_high = (
        any(term.coefficient > 0 for term in s) and any(term.coefficient < 0 for term in s) for s in (low, high)
    )
    requires: tuple[Condition, ...] = ()
    otherwise: bool | None = False
    if mixed_high:  # of the other sign it adds to `low`, or takes from it
        requires = (_signed_condition(high, up, sizes),)
        otherwise = None if mixed_low and low_sign is None else not up
    elif mixed_low:
        requires, otherwise = (_signed_condition(low, not up, sizes),), up
    return [Solution(">" if up else "<", _rooted(threshold, step), requires, otherwise=otherwise)]


def _signed_condition(terms: list[Term], positive: bool, sizes: Sizes) -> Condition:
    plus, minus = difference(*_parts(terms))
    return condition_of(plus, minus, *sizes) if positive else condition_of(minus, plus, *sizes)


def _quotient(low: list[Term], high: list[Term], up: bool) -> Expr:
    """Return -low/high with the factors that all addends share cancelled; above and below stand what is positive."""
    shared_low, shared_high = t.common(low), t.common(high)
    above = t.total(t.divided(term, shared_low) for term in low)
    below = t.total(t.divided(term, shared_high) for term in high)
    above, below = (-above, below) if up else (above, -below)
    found = Mul(t.expression(t.divided(shared_low, shared_high)), above, Pow(below, -1))
    if len(low) > 1 or not 1 < len(high) <= _SHORTENED:
        return found
    return min((found, *_reciprocals(low[0], high)), key=lambda form: len(NAME.findall(formula(form))))


_SHORTENED = 12


def _reciprocals(low: Term, high: list[Term]) -> list[Expr]:
    """Return forms of `-low/high`, as `X/(W_hbm/C - 1/D - Y/F)`: above stands nothing, or one of the symbols of `low`."""
    size = abs(low.coefficient)
    tops = [Term(Integer(1), ()), *(Term(Integer(1), (item,)) for item in low.powers if item[1] > 0)]
    forms = []
    for top in tops:
        unit = t.divided(Term(size, low.powers), top)
        sign = -1 if low.coefficient > 0 else 1
        forms.append(
            t.expression(top) / t.total(t.times(t.divided(term, unit), Term(Integer(sign), ())) for term in high)
        )
    return forms


def _rooted(threshold: Expr, step: Rational) -> Expr:
    return threshold if step == 1 else Pow(threshold, 1 / step)


def _quadratic(
    parts: list[list[Term]], signs: list[int | None], step: Rational, values: Values, sizes: Sizes
) -> list[Solution]:
    """Solve `a + b·u + c·u² > 0` where the signs of a and c are certain."""
    a, b, c = (t.total(part) for part in parts)
    root = sqrt(b**2 - 4 * a * c)
    ends = (signs[0], signs[2])
    if ends in ((-1, 1), (1, -1)):
        sign = signs[2] or 1  # of the two forms of a root that is taken which adds what is positive: it loses no digits
        found = -2 * sign * a / (sign * b + root) if signs[1] == sign else (root - sign * b) / (2 * sign * c)
        return [Solution(">" if sign == 1 else "<", _rooted(found, step))]
    if signs not in ([-1, 1, -1], [1, -1, 1]):
        return []
    inside = signs[1] == 1  # between the two roots, where there are any
    sign = 1 if inside else -1
    room = condition_of(*difference(t.terms_of((sign * b) ** 2), t.terms_of(4 * a * c)), *sizes)
    if room.relation == "never" or room.holds(values) is False:
        return [NEVER if inside else ALWAYS]
    middle = sign * b + root
    low, high = (_rooted(place, step) for place in (-2 * sign * a / middle, middle / (-2 * sign * c)))
    if inside:
        return [Solution(">", low, (room,), until=high)]
    return [Solution("<", low, (room,), otherwise=True), Solution(">", high, (room,), otherwise=True)]


def _numeric(
    positive: list[Term], negative: list[Term], symbol: Symbol, values: Values, sizes: Sizes
) -> list[Solution]:
    """Search the ranges over 24 decades, for a mesh axis from 1 on; without the other numbers there is only the condition."""
    more, less = t.total(positive), t.total(negative)

    def ahead(number: float) -> float | None:
        return lead(more, less, {**values, symbol: number})

    if ahead(1.5) is None:
        return [Solution(">", None, (condition_of(positive, negative, *sizes),), exact=False)]
    ranges = positive_ranges(ahead, 1.0 if symbol in sizes.axes else _SMALLEST, _LARGEST)
    return [_range(*ends) for ends in ranges] or [NEVER]


_SMALLEST, _LARGEST = 1e-6, 1e18


def _range(low: float | None, high: float | None) -> Solution:
    if low is None:
        return ALWAYS if high is None else Solution("<", Float(high), exact=False)
    return Solution(">", Float(low), exact=False, until=None if high is None else Float(high))
