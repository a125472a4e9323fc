"""Exact polynomials: ring laws and signs against values, division against multiplication."""

from fractions import Fraction
from random import Random

import pytest

from shardlang.semantics.inequality import Bounds, cancelled, implies, less, occurring, text
from shardlang.semantics.polynomial import (
    Polynomial,
    TooManyTermsError,
    common,
    lift,
    never_negative,
    of,
    primitive,
    sign,
    split,
    without_factor,
)
from shardlang.semantics.size import Monomial, axis_symbol, dim_symbol
from shardlang.semantics.size import Symbol as Name

B, D, F = (of(dim_symbol(name)) for name in "BDF")
X, Y = (of(axis_symbol(name)) for name in "XY")
C, W = of(Name("hardware", "C_bf16")), of(Name("hardware", "W_ici"))
LEAST = {dim_symbol(name): 1 for name in "BDF"} | {axis_symbol(name): 2 for name in "XY"}
BOUNDS = Bounds(LEAST, {})


def name(symbol):
    return "C" if symbol.name == "C_bf16" else symbol.name


def value(polynomial, sizes):
    return Fraction(*polynomial.value(sizes))


def random_sizes(draw):
    return {symbol: least * draw.choice((1, 2, 3, 50)) for symbol, least in LEAST.items()}


def random_polynomial(draw, negative=True):
    total = lift(0)
    for _ in range(draw.randint(1, 4)):
        term = lift(draw.randint(1, 5) * (draw.choice((1, -1)) if negative else 1))
        for factor in (B, D, X, Y, X - 1, X * Y - 1):
            if draw.random() < 0.3:
                term = term * factor
        total = total + term / draw.choice((lift(1), X, 2 * X * Y, lift(3)))
    return total


def test_arithmetic_is_that_of_fractions():
    draw = Random(4)
    for _ in range(200):
        one, two, sizes = random_polynomial(draw), random_polynomial(draw), random_sizes(draw)
        a, b = value(one, sizes), value(two, sizes)
        assert value(one + two, sizes) == a + b
        assert value(one - two, sizes) == a - b
        assert value(one * two, sizes) == a * b
        assert value(2 - one, sizes) == 2 - a
        assert value(one / (6 * X), sizes) == a / (6 * sizes[axis_symbol("X")])
        assert value(one.substitute({axis_symbol("X"): lift(4)}), sizes) == value(one, sizes | {axis_symbol("X"): 4})
        assert value(one * Monomial(3, 4), sizes) == Fraction(3, 4) * a
        parts = split(one, lambda symbol: symbol.kind == "dim")
        assert sum(value(part * Polynomial({key: 1}), sizes) for key, part in parts.items()) == a
        assert all(power >= 0 for powers in primitive(one).terms for _, power in powers)


def test_signs_and_conditions_are_right_for_all_sizes():
    draw = Random(8)
    decided = 0
    for _ in range(400):
        one, two = random_polynomial(draw, False), random_polynomial(draw, False)
        found = sign(two - one, LEAST, {})
        condition = less(one, two, BOUNDS)
        decided += found is not None
        for _ in range(10):
            sizes = random_sizes(draw)
            difference = value(two - one, sizes)
            if found is not None:
                assert (difference > 0) - (difference < 0) == found
            if never_negative(two - one, LEAST, {}):
                assert difference >= 0
            holds = condition if isinstance(condition, bool) else condition.holds(sizes)
            assert holds == (difference > 0)
    assert 50 < decided < 350


def test_a_dimension_that_is_a_multiple_of_axes():
    """B >= X only where B is a multiple of X."""
    assert sign(2 * B - X, LEAST, {}) is None
    assert sign(2 * B - X, LEAST, {dim_symbol("B"): (axis_symbol("X"),)}) == 1
    assert never_negative(B - X, LEAST, {dim_symbol("B"): (axis_symbol("X"),)})
    assert sign(B - X, LEAST, {dim_symbol("B"): (axis_symbol("X"),)}) is None  # equal at B = X


def test_division_by_one_less_than_a_product():
    draw = Random(2)
    for _ in range(60):
        one = primitive(random_polynomial(draw))
        for group in ((axis_symbol("X"),), (axis_symbol("X"), axis_symbol("Y"))):
            factor = (X if len(group) == 1 else X * Y) - 1
            assert without_factor(one * factor, group) == one
            assert without_factor(one * factor + 1, group) is None


def test_too_many_terms():
    long = sum((of(dim_symbol(f"D{n}")) for n in range(60)), lift(0))
    with pytest.raises(TooManyTermsError):
        long * long


@pytest.mark.parametrize(
    ("small", "large", "expected"),
    [
        # gather A, 2BD(X-1)/X, against an AllReduce of BF, twice that of BF: the factor 2B(X-1)/X is cancelled
        (4 * B * F * (X - 1) / X, 2 * B * D * (X - 1) / X, "2*F < D"),
        (2 * B * D * (X * Y - 1) / (X * Y), 2 * D * F * (X - 1) / X, "B*(X*Y - 1) < F*Y*(X - 1)"),
        (B * D, B * D * X, "always"),
        (B * D * X, B * D, "never"),
        (B * D, B * D, "never"),
        (B * D + B * F, B * D * X - B * D, "2*D + F < D*X"),
        (B * X, B * Y, "X < Y"),
        # NOTATION section 5, the example: D > 2·C/W_ici, from 4BF/W against 2BDF/C
        (4 * B * F / W, 2 * B * D * F / C, "D > 2*C/W_ici"),
        (2 * B * D * F / C, 4 * B * F / W, "D < 2*C/W_ici"),
        (D * F / W + B / C, B * D / C, "B*D > B + D*F*C/W_ici"),
    ],
)
def test_conditions_are_short(small, large, expected):
    assert text(less(small, large, BOUNDS), name) == expected


def test_figures_of_the_hardware_decide():
    bounds = Bounds(LEAST, {}, {Name("hardware", "C_bf16"): lift(4), Name("hardware", "W_ici"): lift(2)})
    assert less(B / C, B / W, bounds) is True
    assert less(B / C, B / W, BOUNDS) is not True


def test_what_implies_what():
    one, other = less(2 * F, D, BOUNDS), less(F, D, BOUNDS)
    assert implies(one, other)
    assert not implies(other, one)


def test_nothing_is_left_in_common():
    assert cancelled(2 * B * (X - 1) * (X * Y - 1) / Y) == lift(1)


def test_what_terms_share_is_taken_out():
    """4·B·X/3 and 2·B/Y: both are whole numbers times 2·B/(3·Y) and powers that are not negative."""
    shared = common([4 * B * X / 3, 2 * B / Y])
    assert shared == 2 * B / (3 * Y)
    assert [4 * B * X / 3 / shared, 2 * B / Y / shared] == [2 * X * Y, lift(3)]


def test_a_maximum_stands_for_the_largest_of_its_arguments():
    """max(max(X, Y) + 1, 2·D) < B; inner maxima come first."""
    inner, outer, other = (Name("max", name) for name in ("inner", "outer", "other"))
    maxima = {inner: (X, Y), other: (lift(7),), outer: (of(inner) + 1, 2 * D)}
    assert list(occurring(maxima, [outer])) == [inner, outer]
    condition = less(of(outer), B, Bounds(LEAST, {}, maxima=maxima))
    assert list(condition.maxima) == [inner, outer]
    draw = Random(5)
    for _ in range(60):
        b, d, x, y = (draw.randrange(2, 9) for _ in range(4))
        sizes = {dim_symbol("B"): b, dim_symbol("D"): d, axis_symbol("X"): x, axis_symbol("Y"): y}
        assert condition.holds(sizes) == (max(max(x, y) + 1, 2 * d) < b)


def test_a_value_in_floats():
    assert (3 * B * X / Y - lift(1) / 2).number(dict.fromkeys(LEAST, 4.0)) == 11.5
