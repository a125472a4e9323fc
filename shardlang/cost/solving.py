"""Where a sum of monomials exceeds another one, solved for one of their symbols.

Exact where the comparison is linear or quadratic in a power of the symbol, else numeric, where every other symbol is
known. No general solver: prices are sums of monomials, and their comparison is arithmetic.
"""

import math
from itertools import pairwise
from typing import NamedTuple

from sympy import Add, Expr, Float, Integer, Mul, Pow, Rational, Symbol, sqrt

from shardlang.cost import terms as t
from shardlang.cost.conditions import NAME, Condition, condition_of, difference
from shardlang.cost.terms import Term
from shardlang.cost.text import formula
from shardlang.cost.values import Values, evaluate


class Sizes(NamedTuple):
    """The symbols of dimensions and mesh axes, and those of mesh axes alone."""

    all: frozenset[Symbol]
    axes: frozenset[Symbol]


class Solution(NamedTuple):
    """`symbol relation threshold`, where all of `requires` hold. threshold: None where there is only the comparison itself.

    otherwise: whether it holds for all values of the symbol where one of `requires` does not; None where that depends.
    """

    relation: str
    threshold: Expr | None
    requires: tuple[Condition, ...] = ()
    exact: bool = True
    otherwise: bool | None = False


def solve_difference(
    positive: list[Term], negative: list[Term], symbol: Symbol, values: Values, sizes: Sizes
) -> list[Solution]:
    """Return where the sum of `positive` exceeds that of `negative`, as conditions on `symbol`."""
    signed = [*positive, *(Term(-term.coefficient, term.powers) for term in negative)]
    flat = t.opened(signed, symbol)
    if flat is None:
        return _numeric(signed, symbol, values, sizes)
    by_power = t.coefficients(flat, symbol)
    powers = sorted(by_power)
    if len(powers) < 2 or not positive or not negative:
        return []
    signs = [_sign(by_power[power], values) for power in powers]
    if len(powers) == 2:
        low, high = (by_power[power] for power in powers)
        return _linear(low, high, signs, powers[1] - powers[0], values, sizes)
    if len(powers) == 3 and powers[2] - powers[1] == powers[1] - powers[0]:
        solution = _quadratic([by_power[power] for power in powers], signs, powers[1] - powers[0], sizes)
        if solution:
            return solution
    return _numeric(flat, symbol, values, sizes)


def _sign(terms: list[Term], values: Values) -> int:
    """Return 1 or -1 where the sign of a sum is certain or known from the numbers, else 0."""
    signs = {1 if term.coefficient > 0 else -1 for term in terms}
    if len(signs) == 1:
        return signs.pop()
    number = evaluate(t.total(terms), values)
    return 0 if not number else int(math.copysign(1, number))


def _parts(terms: list[Term]) -> tuple[list[Term], list[Term]]:
    positive = [term for term in terms if term.coefficient > 0]
    return positive, [Term(-term.coefficient, term.powers) for term in terms if term.coefficient < 0]


def _linear(
    low: list[Term], high: list[Term], signs: list[int], step: Rational, values: Values, sizes: Sizes
) -> list[Solution]:
    """Solve `low + high·u > 0` for u, a power of the variable: `u > -low/high`, or `<` where `high` is negative."""
    low_sign, high_sign = signs
    up = high_sign > 0 if high_sign else low_sign < 0 or not low_sign
    if low_sign and high_sign == low_sign:
        return []  # with these numbers one roof is larger everywhere
    threshold = _quotient(low, high, up)
    mixed_low, mixed_high = (
        any(term.coefficient > 0 for term in s) and any(term.coefficient < 0 for term in s) for s in (low, high)
    )
    requires: tuple[Condition, ...] = ()
    otherwise: bool | None = False
    if mixed_high:  # of the other sign it adds to `low`, or takes from it
        requires, otherwise = (_signed_condition(high, up, sizes),), None if mixed_low else not up
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


def _quadratic(parts: list[list[Term]], signs: list[int], step: Rational, sizes: Sizes) -> list[Solution]:
    """Solve `a + b·u + c·u² > 0` where the signs of a and c are certain."""
    a, b, c = (t.total(part) for part in parts)
    discriminant = b**2 - 4 * a * c
    if (signs[0], signs[2]) == (-1, 1):
        return [Solution(">", _rooted((-b + sqrt(discriminant)) / (2 * c), step))]
    if (signs[0], signs[2]) == (1, -1):
        return [Solution("<", _rooted((b + sqrt(discriminant)) / (-2 * c), step))]
    if signs == [-1, 1, -1]:
        room = condition_of(*difference(t.terms_of(b**2), t.terms_of(4 * a * c)), *sizes)
        low, high = (b - sqrt(discriminant)) / (-2 * c), (b + sqrt(discriminant)) / (-2 * c)
        return [Solution(">", _rooted(low, step), (room,)), Solution("<", _rooted(high, step), (room,))]
    return []


_SMALLEST, _LARGEST, _POINTS = 1e-6, 1e18, 481


def _numeric(signed: list[Term], symbol: Symbol, values: Values, sizes: Sizes) -> list[Solution]:
    """Search the sign changes of a sum in `symbol` over 24 decades; without the other numbers there is only the condition."""
    expr = Add(*(t.expression(term) for term in signed))
    if not expr.has(symbol):
        return []

    def at(number: float) -> float | None:
        return evaluate(expr, {**values, symbol: number})

    if at(1.5) is None:
        return [Solution(">", None, (condition_of(*_parts(signed), *sizes),), exact=False)]
    grid = [_SMALLEST * (_LARGEST / _SMALLEST) ** (i / (_POINTS - 1)) for i in range(_POINTS)]
    found = []
    for left, right in pairwise(grid):
        low, high = at(left), at(right)
        if low is None or high is None or (low > 0) == (high > 0):
            continue
        for _ in range(200):
            middle = math.sqrt(left * right)
            value = at(middle)
            if value is None or not left < middle < right:
                break
            left, right = (middle, right) if (value > 0) == (low > 0) else (left, middle)
        found.append(Solution(">" if high > 0 else "<", Float(right), exact=False))
    return found
