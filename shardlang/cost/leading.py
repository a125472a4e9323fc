"""Formulas cut down to their leading terms under assumptions such as `B << D, F`.

A term is negligible beside another one if their quotient is a product of non-negative powers of the assumed quotients
small/large, at least one of them positive, and of 1/size, as sizes are at least 1. Constant factors do not count. Such
quotients are a cone in the exponents, so that it is a matter of linear inequalities, decided exactly.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

from sympy import Add, Expr, Integer, Max, Mul, Pow, Symbol, ceiling

from shardlang.cost.cone import spans
from shardlang.cost.maximum import maximum
from shardlang.cost.text import formula

Exponents: TypeAlias = Mapping[Expr, Expr]

_MOST_PARTS = 64  # terms of a product of sums; one that has more is left as it is
_MOST_ADDENDS = 200
_MOST_QUESTIONS = 1_000  # comparisons that take more than a look; after that formulas are left as they are


class Assumption(NamedTuple):
    """`small << large`, both products of powers of symbols."""

    small: Exponents
    large: Exponents


class Leading:
    """Cuts formulas down. texts: the assumptions as they are printed.

    sizes: symbols that are at least 1; axes: those of mesh axes, which are at least 2, so that `X - 1` is like X.
    equal: products of powers that do not change, such as F/D where `F = 4*D`.
    """

    def __init__(
        self,
        texts: Sequence[str],
        assumptions: Iterable[Assumption],
        sizes: frozenset[Symbol],
        axes: frozenset[Symbol],
        equal: Iterable[Exponents] = (),
    ) -> None:
        self.texts = tuple(texts)
        self._axes, self._sizes = axes, sizes
        self._ratios = [_minus(assumption.small, assumption.large) for assumption in assumptions]
        self._equal = [*equal]
        self._equal += [{base: -power for base, power in one.items()} for one in self._equal]
        self._named = {base for one in (*self._ratios, *self._equal) for base in one}
        self._grows = {base for one in (*self._ratios, *self._equal) for base, power in one.items() if power > 0}
        self._known: dict[tuple[tuple[Expr, Expr], ...], bool] = {}
        self._short: dict[Expr, Expr] = {}

    @property
    def contradictory(self) -> bool:
        """Whether a product would be negligible beside itself, as with `B << D, D << B` or `X << 1`."""
        return self._spanned({})

    def terms(self, expr: Expr) -> Expr:
        """Return the leading terms of a formula."""
        if expr.is_Atom:
            return expr
        if expr not in self._short:
            self._short[expr] = self._shortened(expr)
        return self._short[expr]

    def _shortened(self, expr: Expr) -> Expr:
        if isinstance(expr, Add):
            return Add(*self._kept([self.terms(addend) for addend in expr.args]))
        if isinstance(expr, Max):
            return maximum(*self._kept([self.terms(argument) for argument in expr.args]))
        if isinstance(expr, Mul):
            return Mul(*(self.terms(factor) for factor in expr.args))
        if isinstance(expr, Pow):
            return Pow(self.terms(expr.base), expr.exp)
        if isinstance(expr, ceiling):
            inside = self.terms(expr.args[0])
            return inside if self._negligible(Integer(1), inside) else ceiling(inside)
        return expr

    def _kept(self, parts: list[Expr]) -> list[Expr]:
        """Return the addends, or the arguments of a maximum, that are not negligible beside another one."""
        if len(parts) > _MOST_ADDENDS:
            return parts
        largest: list[Expr] = []  # none of them negligible beside another
        for part in parts:
            if not part.could_extract_minus_sign() and not any(self._negligible(part, other) for other in largest):
                largest = [other for other in largest if not self._negligible(other, part)]
                largest.append(part)
        return [part for part in parts if part in largest or not any(self._negligible(part, o) for o in largest)]

    def _negligible(self, small: Expr, large: Expr) -> bool:
        """Say whether every term of `small` is negligible beside one of `large`."""
        beside = _parts(large, self._axes)
        parts = _parts(small, self._axes)
        if parts is None or beside is None:
            return False
        return all(any(self._is_small(_minus(one, other)) for other in beside) for one in parts)

    def _is_small(self, ratio: Exponents) -> bool:
        """Say whether a quotient of two terms is negligible beside 1."""
        for base, power in ratio.items():
            if power > 0 and base not in self._grows:
                return False
            if power < 0 and base not in self._named and base not in self._sizes:
                return False
        key = tuple(sorted(ratio.items(), key=lambda item: formula(item[0])))
        if key not in self._known:
            self._known[key] = len(self._known) < _MOST_QUESTIONS and self._spanned(ratio)
        return self._known[key]

    def _spanned(self, ratio: Exponents) -> bool:
        bases = [*dict.fromkeys((*ratio, *self._named))]
        rows = [[one.get(base, 0) for base in bases] for one in self._ratios]
        free = [[one.get(base, 0) for base in bases] for one in self._equal]
        free += [[-int(base == other) for other in bases] for base in bases if base in self._sizes]
        exact = ([[_fraction(number) for number in row] for row in vectors] for vectors in (rows, free))
        strict, weak = exact
        return spans(strict, weak, [_fraction(ratio.get(base, 0)) for base in bases])


def _fraction(number: Expr | int) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(int(number.p), int(number.q))


def _minus(one: Exponents, other: Exponents) -> dict[Expr, Expr]:
    powers = dict(one)
    for base, power in other.items():
        powers[base] = powers.get(base, Integer(0)) - power
    return {base: power for base, power in powers.items() if power != 0}


@lru_cache(maxsize=4096)
def _parts(expr: Expr, axes: frozenset[Symbol]) -> tuple[Exponents, ...] | None:
    """Return the terms whose sum a formula is like, without constant factors; None where they are too many.

    A maximum is like the sum of its arguments, `X - 1` like X, rounding up like the number or 1.
    """
    if expr.is_number:
        return ({},)
    if isinstance(expr, Add):
        symbol = next(iter(expr.free_symbols)) if len(expr.free_symbols) == 1 else None
        if symbol in axes and all(addend.is_number or addend.as_coeff_Mul()[1] == symbol for addend in expr.args):
            return ({symbol: Integer(1)},)
        if any(addend.could_extract_minus_sign() for addend in expr.args):
            return ({expr: Integer(1)},)
        return _all(_parts(addend, axes) for addend in expr.args)
    if isinstance(expr, Max):
        return _all(_parts(argument, axes) for argument in expr.args)
    if isinstance(expr, ceiling):
        return _all((_parts(expr.args[0], axes), ({},)))
    if isinstance(expr, Mul):
        return _product(_parts(factor, axes) for factor in expr.args)
    if isinstance(expr, Pow) and expr.exp.is_Rational:
        inside = _parts(expr.base, axes)
        if inside is not None and len(inside) == 1:
            return ({base: power * expr.exp for base, power in inside[0].items()},)
        return ({expr.base: expr.exp},)
    return ({expr: Integer(1)},)


def _all(found: Iterable[tuple[Exponents, ...] | None]) -> tuple[Exponents, ...] | None:
    parts: list[Exponents] = []
    for one in found:
        if one is None or len(parts) + len(one) > _MOST_PARTS:
            return None
        parts += one
    return tuple(parts)


def _product(found: Iterator[tuple[Exponents, ...] | None]) -> tuple[Exponents, ...] | None:
    total: tuple[Exponents, ...] = ({},)
    for one in found:
        if one is None or len(total) * len(one) > _MOST_PARTS:
            return None
        total = tuple(_minus(a, {base: -power for base, power in b.items()}) for a, b in product(total, one))
    return total
