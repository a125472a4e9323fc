"""Sums of monomials with whole-number coefficients over one denominator: prices of plans, exact.

Powers may be negative (a share of an array is its length over mesh axes). Only what comparing prices needs is
here: ring arithmetic, division by a monomial and by `m - 1`, values, and signs for all sizes.
"""

from collections.abc import Callable, Iterable, Mapping
from math import gcd, lcm
from typing import NamedTuple, TypeAlias

from shardlang.semantics.size import Monomial, Symbol

Powers: TypeAlias = tuple[tuple[Symbol, int], ...]

_LARGEST = 3_000  # terms of a product; a comparison that needs more is left open


class TooManyTermsError(Exception):
    """A polynomial grew beyond the bound."""


class Polynomial(NamedTuple):
    """`(Σ coefficient · powers) / denominator`; no coefficient is zero, the denominator is positive.

    The arithmetic operators take polynomials, monomials and whole numbers; a divisor has one term.
    """

    terms: dict[Powers, int]
    denominator: int = 1

    def __add__(self, other: "Quantity") -> "Polynomial":  # type: ignore[override]
        other = lift(other)
        shared = gcd(self.denominator, other.denominator)
        mine, theirs = other.denominator // shared, self.denominator // shared
        terms = {powers: number * mine for powers, number in self.terms.items()}
        for powers, number in other.terms.items():
            terms[powers] = terms.get(powers, 0) + number * theirs
        return _reduced(terms, self.denominator * mine)

    def __radd__(self, other: "Quantity") -> "Polynomial":
        return self + other

    def __neg__(self) -> "Polynomial":
        return Polynomial({powers: -number for powers, number in self.terms.items()}, self.denominator)

    def __sub__(self, other: "Quantity") -> "Polynomial":
        return self + -lift(other)

    def __rsub__(self, other: "Quantity") -> "Polynomial":
        return -self + other

    def __mul__(self, other: "Quantity") -> "Polynomial":  # type: ignore[override]
        other = lift(other)
        if len(self.terms) * len(other.terms) > _LARGEST:
            raise TooManyTermsError
        terms: dict[Powers, int] = {}
        for one, a in self.terms.items():
            for two, b in other.terms.items():
                powers = joined(one, two)
                terms[powers] = terms.get(powers, 0) + a * b
        return _reduced(terms, self.denominator * other.denominator)

    def __rmul__(self, other: "Quantity") -> "Polynomial":  # type: ignore[override]
        return self * other

    def __truediv__(self, other: "Quantity") -> "Polynomial":
        other = lift(other)
        ((powers, number),) = other.terms.items()
        sign = -1 if number < 0 else 1
        inverse = tuple((symbol, -power) for symbol, power in powers)
        return self * Polynomial({inverse: sign * other.denominator}, abs(number))

    def __rtruediv__(self, other: "Quantity") -> "Polynomial":
        return lift(other) / self

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols that occur."""
        return frozenset(symbol for powers in self.terms for symbol, _ in powers)

    def value(self, values: Mapping[Symbol, int]) -> tuple[int, int]:
        """Return the exact value as a fraction (numerator, positive denominator). Raises KeyError for an open symbol."""
        above, below = 0, 1
        for powers, number in self.terms.items():
            over, under = number, 1
            for symbol, power in powers:
                factor = values[symbol] ** abs(power)
                over, under = (over * factor, under) if power > 0 else (over, under * factor)
            above, below = above * under + over * below, below * under
        return above, below * self.denominator

    def number(self, values: Mapping[Symbol, float]) -> float:
        """Return the value as a float. Raises KeyError for an open symbol."""
        total = 0.0
        for powers, count in self.terms.items():
            product = count / self.denominator
            for symbol, power in powers:
                product *= values[symbol] ** power
            total += product
        return total

    def substitute(self, values: Mapping[Symbol, "Polynomial"]) -> "Polynomial":
        """Return the polynomial with symbols replaced; one that has a negative power by one term."""
        if not self.symbols & values.keys():
            return self
        total = Polynomial({}, 1)
        for powers, number in self.terms.items():
            kept = tuple(item for item in powers if item[0] not in values)
            product = Polynomial({kept: number}, self.denominator)
            for symbol, power in powers:
                for _ in range(abs(power) if symbol in values else 0):
                    product = product * values[symbol] if power > 0 else product / values[symbol]
            total = total + product
        return total


Quantity: TypeAlias = Polynomial | Monomial | int

ZERO = Polynomial({}, 1)


def lift(value: Quantity) -> Polynomial:
    """Return a monomial or whole number as a polynomial."""
    if isinstance(value, Polynomial):
        return value
    if isinstance(value, Monomial):
        return Polynomial({value.powers: value.numerator} if value.numerator else {}, value.denominator)
    return Polynomial({(): value} if value else {}, 1)


def of(symbol: Symbol) -> Polynomial:
    """Return the polynomial that is just `symbol`."""
    return Polynomial({((symbol, 1),): 1}, 1)


def joined(one: Powers, two: Powers) -> Powers:
    """Return the powers of a product."""
    if not one or not two:
        return one or two
    powers = dict(one)
    for symbol, power in two:
        powers[symbol] = powers.get(symbol, 0) + power
    return tuple(sorted(item for item in powers.items() if item[1]))


def primitive(polynomial: Polynomial) -> Polynomial:
    """Return the polynomial without the positive monomial and number that all of its terms share; powers are then not negative."""
    if not polynomial.terms:
        return polynomial
    ((powers, number),) = common([polynomial]).terms.items()
    shift = tuple((symbol, -power) for symbol, power in powers)
    return Polynomial({joined(powers, shift): count // number for powers, count in polynomial.terms.items()}, 1)


def common(polynomials: Iterable[Polynomial]) -> Polynomial:
    """Return the positive monomial and number that all terms of some polynomials share.

    Divided by it they have whole coefficients without a common factor and powers that are not negative. One of them has
    a term.
    """
    polynomials = tuple(polynomials)
    keys = [dict(powers) for polynomial in polynomials for powers in polynomial.terms]
    symbols = sorted({symbol for key in keys for symbol in key})
    least = ((symbol, min(key.get(symbol, 0) for key in keys)) for symbol in symbols)
    below = lcm(*(polynomial.denominator for polynomial in polynomials))
    numbers = (n * (below // polynomial.denominator) for polynomial in polynomials for n in polynomial.terms.values())
    return Polynomial({tuple(item for item in least if item[1]): gcd(*numbers)}, below)


def without_factor(polynomial: Polynomial, group: tuple[Symbol, ...]) -> Polynomial | None:
    """Return the quotient by `m - 1`, where m is the product of the symbols of `group`; None if it leaves a rest.

    No power of the polynomial may be negative.
    """
    rest = dict(polynomial.terms)
    found: dict[Powers, int] = {}
    inverse = tuple(sorted((symbol, -1) for symbol in group))
    while rest:
        powers = max(rest, key=lambda key: [dict(key).get(symbol, 0) for symbol in group])
        number = rest.pop(powers)
        lower = joined(powers, inverse)
        if any(power < 0 for _, power in lower):
            return None
        found[lower] = number
        rest[lower] = rest.get(lower, 0) + number
        if not rest[lower]:
            del rest[lower]
    return Polynomial(found, polynomial.denominator)


def sign(
    polynomial: Polynomial, least: Mapping[Symbol, int], factors: Mapping[Symbol, tuple[Symbol, ...]]
) -> int | None:
    """Return 1, -1 or 0 where the polynomial has that sign for all sizes, else None as far as this decides.

    least: the smallest value of a symbol, 0 (exclusive) if it is not there. factors: the symbols that a size is a
    multiple of, so that it is at least their product. The sizes are written as what exceeds the least ones
    (`X = 2 + x`) and multiplied out: where all coefficients have one sign, so has the polynomial. A sign holds
    strictly: the coefficient without an excess must not vanish.
    """
    if not polynomial.terms:
        return 0
    if len({number > 0 for number in polynomial.terms.values()}) == 1:
        return 1 if next(iter(polynomial.terms.values())) > 0 else -1
    try:
        moved = _shifted(primitive(polynomial), least, factors)
    except TooManyTermsError:
        return None
    positive = {number > 0 for number in moved.terms.values()}
    if len(positive) > 1:
        return None
    if not any(all(symbol not in least for symbol, _ in powers) for powers in moved.terms):
        return None
    return 1 if positive == {True} else -1


def never_negative(
    polynomial: Polynomial, least: Mapping[Symbol, int], factors: Mapping[Symbol, tuple[Symbol, ...]]
) -> bool:
    """Say whether the polynomial is seen to be at least zero for all sizes (see `sign`)."""
    if all(number > 0 for number in polynomial.terms.values()):
        return True
    try:
        moved = _shifted(primitive(polynomial), least, factors)
    except TooManyTermsError:
        return False
    return all(number > 0 for number in moved.terms.values())


def _shifted(
    polynomial: Polynomial, least: Mapping[Symbol, int], factors: Mapping[Symbol, tuple[Symbol, ...]]
) -> Polynomial:
    multiples = {symbol: _product((*factors[symbol], symbol)) for symbol in polynomial.symbols if factors.get(symbol)}
    polynomial = primitive(polynomial.substitute(multiples))
    excess = {symbol: of(symbol) + least[symbol] for symbol in polynomial.symbols if symbol in least}
    return polynomial.substitute(excess)


def _product(symbols: Iterable[Symbol]) -> Polynomial:
    total = lift(1)
    for symbol in symbols:
        total = total * of(symbol)
    return total


def split(polynomial: Polynomial, outside: Callable[[Symbol], bool]) -> dict[Powers, Polynomial]:
    """Return the polynomial as a sum over the powers of the symbols that are `outside`, each with its coefficient."""
    groups: dict[Powers, dict[Powers, int]] = {}
    for powers, number in polynomial.terms.items():
        key = tuple(item for item in powers if outside(item[0]))
        rest = tuple(item for item in powers if not outside(item[0]))
        groups.setdefault(key, {})[rest] = number
    return {key: Polynomial(terms, polynomial.denominator) for key, terms in groups.items()}


def _reduced(terms: dict[Powers, int], denominator: int) -> Polynomial:
    kept = {powers: number for powers, number in terms.items() if number}
    if denominator != 1:
        common = gcd(denominator, *kept.values())
        if common > 1:
            kept = {powers: number // common for powers, number in kept.items()}
            denominator //= common
    return Polynomial(kept, denominator)
