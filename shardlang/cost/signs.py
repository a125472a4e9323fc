"""Which of two sums of monomials is the larger one whatever the sizes are: a dimension is at least 1, a mesh axis at least 2.

Both are written in what exceeds those bounds (`B = 1 + b`, `X = 2 + x`) and multiplied out: where no coefficient
of the difference is negative, the difference is not. What is not decided so is not decided.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from sympy import Add, Expr, Integer, Max, Mul, Rational, Symbol

from shardlang.cost.terms import Term

Polynomial: TypeAlias = dict[tuple[tuple[Expr, int], ...], Rational]

_LARGEST_SYMBOLS = 9  # each doubles the length of a product
_LARGEST_TERMS = 40
_LARGEST_POWER = 4


def decide(
    positive: Sequence[Term], negative: Sequence[Term], sizes: frozenset[Symbol], axes: frozenset[Symbol]
) -> str:
    """Return `always` or `never` if that holds of `sum of positive > sum of negative` for all sizes, else nothing.

    Powers are expected to be whole and not negative, as `conditions.difference` leaves them.
    """
    signed = [*positive, *(Term(-term.coefficient, term.powers) for term in negative)]
    symbols = {symbol for term in signed for base, _ in term.powers for symbol in base.free_symbols}
    powers = (power for term in signed for _, power in term.powers)
    if len(signed) > _LARGEST_TERMS or len(symbols & sizes) > _LARGEST_SYMBOLS:
        return ""
    if any(power < 0 or power > _LARGEST_POWER or not power.is_Integer for power in powers):
        return ""
    if exceeds(positive, negative, axes) and exceeds(negative, positive, axes):
        return ""
    found = {_sign(case, sizes, axes) for case in _cases(signed, axes)}
    return found.pop() if len(found) == 1 else ""


def exceeds(one: Sequence[Term], other: Sequence[Term], axes: frozenset[Symbol]) -> bool:
    """Say whether the sum of `one` is seen to exceed that of `other`: where the symbols above the bar of one of its terms are huge.

    A cheap look before the comparison for all sizes; terms that are not taken apart are not looked at (false).
    """
    powers = [[(base, int(power)) for base, power in term.powers if base.is_Symbol] for term in (*one, *other)]
    if any(len(term.powers) != len(whole) for term, whole in zip((*one, *other), powers, strict=True)):
        return False
    numbers = [float(term.coefficient) for term in (*one, *other)]
    for term in powers[: len(one)]:
        huge = {base for base, power in term if power > 0}
        sums = [0.0, 0.0]
        for at, (number, factors) in enumerate(zip(numbers, powers, strict=True)):
            for base, power in factors:
                number *= (_HUGE if base in huge else 2.0 if base in axes else 1.0) ** power
            sums[at >= len(one)] += number
        if sums[0] > sums[1]:
            return True
    return False


_HUGE = 2.0**30


def _cases(signed: list[Term], axes: frozenset[Symbol]) -> Iterator[list[tuple[Rational, list[tuple[Expr, int]]]]]:
    """Yield the terms as factors, once for each order of two axes whose maximum occurs: X is then `Y + x`."""
    largest = {base for term in signed for base, _ in term.powers if isinstance(base, Max)}
    base = next(iter(largest), None)
    pairs: list[tuple[Expr, Expr]] = []
    if base is not None and len(largest) == 1 and len(base.args) == 2 and set(base.args) <= axes:
        pairs = [(base.args[0], base.args[1]), (base.args[1], base.args[0])]
    for large, small in pairs:
        replaced = {base: large, large: small + Symbol(f"{large}-{small}", positive=True)}
        yield [(t.coefficient, [(_put(b, replaced), int(p)) for b, p in t.powers]) for t in signed]
    if not pairs:
        yield [(t.coefficient, [(b, int(p)) for b, p in t.powers]) for t in signed]


def _put(base: Expr, replaced: dict[Expr, Expr]) -> Expr:
    """Return a base with the maximum and the larger axis replaced."""
    return base.xreplace(replaced).xreplace(replaced) if base.has(*replaced) else base


def _sign(
    terms: Iterable[tuple[Rational, list[tuple[Expr, int]]]], sizes: frozenset[Symbol], axes: frozenset[Symbol]
) -> str:
    total: Polynomial = {}
    for coefficient, factors in terms:
        product: Polynomial = {(): coefficient}
        for base, power in factors:
            shifted = _shifted(base, sizes, axes)
            for _ in range(power):
                product = _times(product, shifted)
        for key, number in product.items():
            total[key] = total.get(key, Integer(0)) + number
    if all(number <= 0 for number in total.values()):
        return "never"
    if any(number < 0 for number in total.values()):
        return ""
    # Equal at the smallest sizes would be a tie, not a win: something must be left where every excess is zero.
    return "always" if any(number > 0 and not _excess(key, sizes) for key, number in total.items()) else ""


def _excess(key: tuple[tuple[Expr, int], ...], sizes: frozenset[Symbol]) -> bool:
    return any(base in sizes or "-" in str(base) for base, _ in key)


def _shifted(base: Expr, sizes: frozenset[Symbol], axes: frozenset[Symbol]) -> Polynomial:
    """Return a base as a polynomial in what exceeds the least sizes; what is not taken apart stays a symbol of its own."""
    total: Polynomial = {}
    for addend in Add.make_args(base):
        coefficient, rest = addend.as_coeff_Mul()
        product: Polynomial = {(): coefficient}
        for factor in Mul.make_args(rest):
            symbol, power = factor.as_base_exp()
            if factor == 1:
                continue
            if not power.is_Integer or power < 0 or (not symbol.is_Symbol and symbol != base):
                return {((base, 1),): Integer(1)}
            one: Polynomial = {((symbol, 1),): Integer(1)}
            if symbol in sizes:
                one[()] = Integer(2 if symbol in axes else 1)
            for _ in range(int(power)):
                product = _times(product, one)
        for key, number in product.items():
            total[key] = total.get(key, Integer(0)) + number
    return total


def _times(one: Polynomial, other: Polynomial) -> Polynomial:
    product: Polynomial = {}
    for left, a in one.items():
        for right, b in other.items():
            powers = dict(left)
            for base, power in right:
                powers[base] = powers.get(base, 0) + power
            key = tuple(sorted(powers.items(), key=lambda item: str(item[0])))
            product[key] = product.get(key, Integer(0)) + a * b
    return product
