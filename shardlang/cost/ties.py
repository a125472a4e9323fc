"""How far one sum is ahead of another: what may be rounding alone is settled in fractions."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, prod

from sympy import Add, Expr, Float, Max, Min, Mul, Pow, Rational, Symbol, ceiling

from shardlang.cost.values import Values, evaluate

SAME = 1e-12
"""As a part of the larger one: floating point does not tell sums apart that are nearer."""


def lead(more: Expr, less: Expr, values: Values) -> float | None:
    """Return `more - less` as a part of the larger one, 0 only for a tie; None while a symbol of them is open."""
    first, second = evaluate(more, values), evaluate(less, values)
    if first is None or second is None:
        return None
    gap = (first - second) / (max(abs(first), abs(second)) or 1.0)
    if abs(gap) > SAME:
        return gap
    try:
        exact = {symbol: Fraction(values[symbol]) for symbol in more.free_symbols | less.free_symbols}
        difference = _fraction(more, exact) - _fraction(less, exact)
    except (ValueError, ZeroDivisionError, OverflowError):
        return 0.0
    return SAME * ((difference > 0) - (difference < 0))


def _fraction(expr: Expr, values: Mapping[Symbol, Fraction]) -> Fraction:
    """Return the exact number of an expression. Raises ValueError where it has a root or a logarithm."""
    if isinstance(expr, Symbol):
        return values[expr]
    if isinstance(expr, Rational):
        return Fraction(expr.p, expr.q)
    if isinstance(expr, Float):
        return Fraction(float(expr))
    if isinstance(expr, Pow) and expr.exp.is_Integer:
        return _fraction(expr.base, values) ** int(expr.exp)
    parts = [_fraction(arg, values) for arg in expr.args]
    if isinstance(expr, Add):
        return sum(parts, Fraction(0))
    if isinstance(expr, Mul):
        return prod(parts, start=Fraction(1))
    if isinstance(expr, Max | Min):
        return max(parts) if isinstance(expr, Max) else min(parts)
    if isinstance(expr, ceiling):
        return Fraction(ceil(parts[0]))
    raise ValueError(expr)
