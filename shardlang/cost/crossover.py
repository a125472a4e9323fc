"""Crossovers: where one roof becomes larger than another, solved for a size or a ratio of sizes.

Exact where the comparison is linear or quadratic in a power of the variable, else numeric, where every other
symbol is known. No general solver: prices are sums of monomials, and their comparison is arithmetic.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from sympy import Add, Dummy, Expr, Float, Integer, Mul, Pow, Rational, Symbol, sqrt

from shardlang.cost import terms as t
from shardlang.cost.conditions import NAME, Condition, compare, condition_of, difference
from shardlang.cost.names import Names
from shardlang.cost.ratio import read_ratio
from shardlang.cost.terms import Term
from shardlang.cost.text import formula
from shardlang.cost.values import Values, evaluate
from shardlang.semantics.program import Program


class Roof(NamedTuple):
    """A resource (`math`, `hbm`, `ici:X`) and the seconds that the plan keeps it busy; shortened: the leading terms only."""

    name: str
    time: Expr
    shortened: bool = False


class Crossover(NamedTuple):
    """The first of `between` is the larger one where `variable relation threshold` and all of `requires` hold.

    threshold: a formula; None where there is none and the other symbols are not known. value: its number, None
    while a symbol is open. exact: whether the threshold was solved for, or searched numerically. requires: the
    conditions of the other groups of links, and what the solution itself takes for granted; requires_hold: whether
    each is true of the numbers that are known, None while one is open. conditions: the same as data. shortened: it
    follows from leading terms, not from the whole formulas. otherwise: whether the first is the larger one whatever the
    variable is where the solution is none because a condition does not hold; None where that depends.
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
    shortened: bool = False
    otherwise: bool | None = False


class Sizes(NamedTuple):
    """The symbols of dimensions and mesh axes, and those of mesh axes alone."""

    all: frozenset[Symbol]
    axes: frozenset[Symbol]


class _Solution(NamedTuple):
    relation: str
    threshold: Expr | None
    requires: tuple[Condition, ...] = ()
    exact: bool = True
    otherwise: bool | None = False


def solve(
    variable: str,
    pairs: Sequence[tuple[Roof, Roof]],
    values: Values,
    names: Names,
    defined: Mapping[Symbol, Expr],
) -> tuple[Crossover, ...]:
    """Return the crossovers of all pairs of roofs for a printed name or a ratio (`B/X`)."""
    ratio = read_ratio(variable, names)
    axes = frozenset(names.axes().values())
    sizes = Sizes(axes | frozenset(names.dims().values()), axes)
    symbol, replaced = unknown(ratio, defined)
    others = {s: v for s, v in values.items() if s != symbol}
    found: list[Crossover] = []
    for first, second in pairs:
        positive, negative = difference(_terms(first.time, replaced), _terms(second.time, replaced))
        for solution in _solve(positive, negative, symbol, others, sizes):
            if any(condition.relation == "never" for condition in solution.requires):
                continue
            own = solution.requires
            if solution.threshold is None:  # the comparison itself, in the symbols of the plan
                own = (compare(first.time, second.time, *sizes),)
            needed = (*_other_conditions(first, second, pairs, sizes), *own)
            conditions = tuple(dict.fromkeys(c for c in needed if not _granted(c, others, sizes)))
            found.append(
                Crossover(
                    variable=variable,
                    between=(first.name, second.name),
                    relation=solution.relation,
                    threshold=solution.threshold,
                    value=_positive(solution.threshold, others),
                    exact=solution.exact,
                    requires=tuple(condition.text for condition in conditions),
                    requires_hold=tuple(condition.holds(values) for condition in conditions),
                    conditions=conditions,
                    shortened=first.shortened or second.shortened,
                    otherwise=solution.otherwise,
                )
            )
    return tuple(found)


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


def unknown(ratio: list[tuple[Symbol, int]], defined: Mapping[Symbol, Expr]) -> tuple[Symbol, dict[Symbol, Expr]]:
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


def replaced_in(expr: Expr, replaced: Mapping[Symbol, Expr]) -> Expr:
    """Return a formula with symbols replaced, also those that what is put in has."""
    for _ in range(len(replaced)):  # a definition may use another
        if not expr.free_symbols & set(replaced):
            break
        expr = expr.xreplace(dict(replaced))
    return expr


def _terms(expr: Expr, replaced: Mapping[Symbol, Expr]) -> tuple[Term, ...]:
    return t.terms_of(replaced_in(expr, replaced))


def _positive(threshold: Expr | None, values: Values) -> float | None:
    value = None if threshold is None else evaluate(threshold, values)
    return value if value is None or value > 0 else None


def _other_conditions(
    first: Roof, second: Roof, pairs: Sequence[tuple[Roof, Roof]], sizes: Sizes
) -> tuple[Condition, ...]:
    """Return the conditions of the same roof against the other groups of links of the same network."""
    others = (b for a, b in pairs if a == first and b != second and ":" in b.name and ":" in second.name)
    return tuple(compare(first.time, other.time, *sizes) for other in others)


def _granted(condition: Condition, values: Values, sizes: Sizes) -> bool:
    """Say whether a condition goes without saying: it always holds, or does for the rates of the hardware alone."""
    symbols = condition.left.free_symbols | condition.right.free_symbols
    return condition.relation == "always" or (not symbols & sizes.all and condition.holds(values) is True)


def _solve(positive: list[Term], negative: list[Term], symbol: Symbol, values: Values, sizes: Sizes) -> list[_Solution]:
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
) -> list[_Solution]:
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
    return [_Solution(">" if up else "<", _rooted(threshold, step), requires, otherwise=otherwise)]


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


def _quadratic(parts: list[list[Term]], signs: list[int], step: Rational, sizes: Sizes) -> list[_Solution]:
    """Solve `a + b·u + c·u² > 0` where the signs of a and c are certain."""
    a, b, c = (t.total(part) for part in parts)
    discriminant = b**2 - 4 * a * c
    if (signs[0], signs[2]) == (-1, 1):
        return [_Solution(">", _rooted((-b + sqrt(discriminant)) / (2 * c), step))]
    if (signs[0], signs[2]) == (1, -1):
        return [_Solution("<", _rooted((b + sqrt(discriminant)) / (-2 * c), step))]
    if signs == [-1, 1, -1]:
        room = condition_of(*difference(t.terms_of(b**2), t.terms_of(4 * a * c)), *sizes)
        low, high = (b - sqrt(discriminant)) / (-2 * c), (b + sqrt(discriminant)) / (-2 * c)
        return [_Solution(">", _rooted(low, step), (room,)), _Solution("<", _rooted(high, step), (room,))]
    return []


_SMALLEST, _LARGEST, _POINTS = 1e-6, 1e18, 481


def _numeric(signed: list[Term], symbol: Symbol, values: Values, sizes: Sizes) -> list[_Solution]:
    """Search the sign changes of a sum in `symbol` over 24 decades; without the other numbers there is only the condition."""
    expr = Add(*(t.expression(term) for term in signed))
    if not expr.has(symbol):
        return []

    def at(number: float) -> float | None:
        return evaluate(expr, {**values, symbol: number})

    if at(1.5) is None:
        return [_Solution(">", None, (condition_of(*_parts(signed), *sizes),), exact=False)]
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
        found.append(_Solution(">" if high > 0 else "<", Float(right), exact=False))
    return found
