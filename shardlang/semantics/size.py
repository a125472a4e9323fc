"""Sizes and prices that may be open: a fraction times whole powers of symbols.

Checking must say which of two plans is cheaper without a computer algebra system, and every size and
every asymptotic byte count of the notation is a monomial. Symbols carry their namespace, because `B`
may be a dimension and a mesh axis at once.
"""

from math import gcd
from typing import NamedTuple


class Symbol(NamedTuple):
    """kind: `dim`, `axis` (the size of a mesh axis) or `hardware` (`C`, `W_ici`, …)."""

    kind: str
    name: str


def dim_symbol(name: str) -> Symbol:
    """Return the symbol for the size of a dimension."""
    return Symbol("dim", name)


def axis_symbol(name: str) -> Symbol:
    """Return the symbol for the size of a mesh axis."""
    return Symbol("axis", name)


class Monomial(NamedTuple):
    """`numerator/denominator · Π symbol^power`, positive, in lowest terms, powers sorted and never zero.

    The arithmetic operators take monomials and whole numbers and give monomials; addition is not closed
    and therefore not defined.
    """

    numerator: int
    denominator: int = 1
    powers: tuple[tuple[Symbol, int], ...] = ()

    @property
    def value(self) -> float | None:
        """The number, or None while a symbol is open."""
        return None if self.powers else self.numerator / self.denominator

    @property
    def integer(self) -> int | None:
        """The whole number, or None if a symbol is open or the number is not whole."""
        return self.numerator if not self.powers and self.denominator == 1 else None

    def symbols(self) -> tuple[Symbol, ...]:
        """Return the open symbols."""
        return tuple(symbol for symbol, _ in self.powers)

    def substitute(self, values: "dict[Symbol, Monomial]") -> "Monomial":
        """Return the monomial with symbols replaced by what `values` says of them."""
        result = Monomial(self.numerator, self.denominator)
        for symbol, power in self.powers:
            known = values.get(symbol)
            result = result * ((known if known is not None else of(symbol)) ** power)
        return result

    def __mul__(self, other: "Monomial | int") -> "Monomial":  # type: ignore[override]
        other = _lift(other)
        powers = dict(self.powers)
        for symbol, power in other.powers:
            powers[symbol] = powers.get(symbol, 0) + power
        return _make(self.numerator * other.numerator, self.denominator * other.denominator, powers)

    def __rmul__(self, other: "Monomial | int") -> "Monomial":  # type: ignore[override]
        return self * other

    def __truediv__(self, other: "Monomial | int") -> "Monomial":
        return self * _lift(other) ** -1

    def __rtruediv__(self, other: int) -> "Monomial":
        return _lift(other) * self**-1

    def __pow__(self, exponent: int) -> "Monomial":
        numerator, denominator = (
            (self.numerator, self.denominator) if exponent >= 0 else (self.denominator, self.numerator)
        )
        powers = {symbol: power * exponent for symbol, power in self.powers}
        return _make(numerator ** abs(exponent), denominator ** abs(exponent), powers)


def of(symbol: Symbol) -> Monomial:
    """Return the monomial that is just `symbol`."""
    return Monomial(1, 1, ((symbol, 1),))


def number(value: int) -> Monomial:
    """Return the monomial of a whole number."""
    return Monomial(value)


def _lift(value: Monomial | int) -> Monomial:
    return value if isinstance(value, Monomial) else Monomial(value)


def _make(numerator: int, denominator: int, powers: dict[Symbol, int]) -> Monomial:
    common = gcd(numerator, denominator) or 1
    kept = tuple(sorted((symbol, power) for symbol, power in powers.items() if power))
    return Monomial(numerator // common, denominator // common, kept)
