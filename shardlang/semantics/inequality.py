"""When one price is less than another: exact, with what both share cancelled, and positive terms on each side."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from math import gcd
from typing import NamedTuple, TypeAlias

from shardlang.semantics.polynomial import Polynomial, Powers, joined, primitive, sign, split, without_factor
from shardlang.semantics.size import Symbol

_MOST_AXES = 5  # products of more axes are not looked for


# What symbols of the kind `max` stand for: the largest of some polynomials, in which earlier ones may stand.
Maxima: TypeAlias = Mapping[Symbol, tuple[Polynomial, ...]]


class Bounds(NamedTuple):
    """What is known of sizes: the least of each, the axes that a dimension is a multiple of, rates as numbers, and maxima."""

    least: Mapping[Symbol, int]
    factors: Mapping[Symbol, tuple[Symbol, ...]]
    figures: Mapping[Symbol, Polynomial] = {}
    maxima: Mapping[Symbol, tuple[Polynomial, ...]] = {}


class Product(NamedTuple):
    """A positive term: `number · powers · Π sums`, the sums such as `X - 1`."""

    number: int
    powers: Powers
    sums: tuple[Polynomial, ...]


class Inequality(NamedTuple):
    """`sum of smaller < sum of larger`; `difference` is their difference, multiplied out, with common factors cancelled.

    maxima: what the maxima in it stand for.
    """

    difference: Polynomial
    smaller: tuple[Product, ...]
    larger: tuple[Product, ...]
    maxima: Mapping[Symbol, tuple[Polynomial, ...]] = {}

    def holds(self, values: Mapping[Symbol, int]) -> bool:
        """Say whether it is true of these sizes, exactly. Raises KeyError for an open symbol."""
        return self.difference.substitute(largest(self.maxima, values)).value(values)[0] > 0


Condition: TypeAlias = Inequality | bool


def less(small: Polynomial, large: Polynomial, bounds: Bounds, decided: bool | None = None) -> Condition:
    """Return the condition under which `small < large`; True or False where it does not depend on the sizes.

    decided: False where it is known to depend on them, which saves looking.
    """
    difference = cancelled(large - small)
    if decided is not False:
        known = sign(difference.substitute(bounds.figures), bounds.least, bounds.factors)
        if known is not None:
            return known > 0
    smaller: list[Product] = []
    larger: list[Product] = []
    for powers, coefficient in split(difference, lambda symbol: symbol.kind != "axis").items():
        here = sign(coefficient, bounds.least, {})
        parts = [coefficient] if here is not None else [Polynomial({key: n}) for key, n in coefficient.terms.items()]
        for part in parts:
            positive = here > 0 if here is not None else next(iter(part.terms.values())) > 0
            (larger if positive else smaller).append(_product(powers, part if positive else -part))
    if not smaller or not larger:
        return bool(larger)
    sides = tuple(sorted(smaller, key=_order)), tuple(sorted(larger, key=_order))
    return Inequality(difference, *sides, occurring(bounds.maxima, difference.symbols))


def occurring(maxima: Maxima, symbols: Iterable[Symbol]) -> Maxima:
    """Return those maxima that are among some symbols, or stand in one that is."""
    seen = set(symbols)
    for symbol in reversed(list(maxima)):
        if symbol in seen:
            seen.update(inner for argument in maxima[symbol] for inner in argument.symbols)
    return {symbol: arguments for symbol, arguments in maxima.items() if symbol in seen}


def largest(maxima: Maxima, values: Mapping[Symbol, int]) -> dict[Symbol, Polynomial]:
    """Return for each maximum the argument that is the largest at these sizes. Raises KeyError for an open symbol."""
    found: dict[Symbol, Polynomial] = {}
    for symbol, arguments in maxima.items():
        best = None
        for argument in arguments:
            argument = argument.substitute(found)
            if best is None or (argument - best).value(values)[0] > 0:
                best = argument
        assert best is not None
        found[symbol] = best
    return found


def cancelled(difference: Polynomial) -> Polynomial:
    """Return a difference without the positive factors that its terms share: monomials, and `n - 1` of axes."""
    difference = primitive(difference)
    for group in _groups(difference):
        while difference.terms and (quotient := without_factor(difference, group)) is not None:
            difference = quotient
    return difference


def implies(one: Inequality, other: Inequality) -> bool:
    """Say whether `one` is seen to imply `other`: the other difference is a multiple of this one and positive terms."""
    for powers, number in one.difference.terms.items():
        if number < 0:
            continue
        for others, count in other.difference.terms.items():
            shift = joined(others, tuple((symbol, -power) for symbol, power in powers))
            if count > 0 and all(power >= 0 for _, power in shift):
                rest = other.difference * number - one.difference * Polynomial({shift: count})
                if all(left > 0 for left in rest.terms.values()):
                    return True
    return False


def shown(condition: Inequality) -> tuple[tuple[Product, ...], str, tuple[Product, ...]]:
    """Return the sides as they are written, with `<` or `>` between them.

    With two rates of the hardware they are divided by one, so that their ratio is left: `D > 2*C/W_ici`.
    """
    rates = _rates(condition)
    smaller, larger = (
        tuple(product._replace(powers=_divided(product.powers, rates)) for product in side)
        for side in (condition.smaller, condition.larger)
    )
    hard, easy = (any(symbol.kind == "hardware" for p in side for symbol, _ in p.powers) for side in (smaller, larger))
    return (larger, ">", smaller) if hard and not easy else (smaller, "<", larger)


def text(condition: Condition, name: Callable[[Symbol], str]) -> str:
    """Return `2*K < J`, `always` or `never`."""
    if isinstance(condition, bool):
        return "always" if condition else "never"
    left, relation, right = shown(condition)
    return f"{_total(left, name)} {relation} {_total(right, name)}"


def _groups(polynomial: Polynomial) -> Iterator[tuple[Symbol, ...]]:
    axes = sorted(symbol for symbol in polynomial.symbols if symbol.kind == "axis")[:_MOST_AXES]
    for count in range(1, len(axes) + 1):
        yield from combinations(axes, count)


def _product(powers: Powers, coefficient: Polynomial) -> Product:
    """Return `coefficient · powers` as a product; the coefficient is positive, of axes only."""
    number = gcd(*coefficient.terms.values())
    rest = primitive(coefficient)
    top, least = next(iter(coefficient.terms)), next(iter(rest.terms))
    powers = joined(powers, joined(top, tuple((symbol, -power) for symbol, power in least)))
    sums: list[Polynomial] = []
    for group in _groups(rest):
        while len(rest.terms) > 1 and (quotient := without_factor(rest, group)) is not None:
            sums.append(Polynomial({tuple((symbol, 1) for symbol in group): 1, (): -1}))
            rest = quotient
    if len(rest.terms) > 1:
        sums.append(rest)
    else:
        ((more, count),) = rest.terms.items()
        powers, number = joined(powers, more), number * count
    return Product(number, powers, tuple(sums))


_KINDS = {"dim": 0, "max": 1, "axis": 2, "hardware": 3}


def _order(product: Product) -> tuple[object, ...]:
    return tuple((_KINDS[symbol.kind], symbol.name, -power) for symbol, power in _sorted(product.powers))


def _sorted(powers: Powers) -> list[tuple[Symbol, int]]:
    return sorted(powers, key=lambda item: (_KINDS[item[0].kind], item[0].name))


def _rates(condition: Inequality) -> tuple[Symbol, Symbol] | None:
    """Return the rates a, b if every term has one of the two, so that it is shorter with `a/b`."""
    found = sorted(symbol for symbol in condition.difference.symbols if symbol.kind == "hardware")
    if len(found) != 2:
        return None
    for powers in condition.difference.terms:
        if [power for symbol, power in powers if symbol.kind == "hardware"] != [1]:
            return None
    return found[0], found[1]


def _divided(powers: Powers, rates: tuple[Symbol, Symbol] | None) -> Powers:
    return powers if rates is None else joined(powers, ((rates[1], -1),))


def _total(side: tuple[Product, ...], name: Callable[[Symbol], str]) -> str:
    return " + ".join(_text(product, name) for product in side)


def _text(product: Product, name: Callable[[Symbol], str]) -> str:
    powers = _sorted(product.powers)
    parts = [str(product.number)] if product.number != 1 else []
    parts += [_power(name(symbol), power) for symbol, power in powers if power > 0]
    parts += [f"({sum_text(polynomial, name)})" for polynomial in product.sums]
    below = [_power(name(symbol), -power) for symbol, power in powers if power < 0]
    return "/".join(["*".join(parts) or "1", *below])


def sum_text(polynomial: Polynomial, name: Callable[[Symbol], str]) -> str:
    """Return a polynomial without a denominator as text, positive terms first, then by name."""
    terms = sorted(polynomial.terms.items(), key=lambda item: (item[1] < 0, -len(item[0]), item[0]))
    texts = [_text(Product(abs(number), powers, ()), name) for powers, number in terms]
    signs = ["" if number > 0 else "-" for _, number in terms[:1]] + [
        " + " if number > 0 else " - " for _, number in terms[1:]
    ]
    return "".join(f"{sign}{text}" for sign, text in zip(signs, texts, strict=True))


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}**{power}"
