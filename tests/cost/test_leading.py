"""Leading terms: COST_MODEL section 9, and limits taken by number."""

import random
from itertools import pairwise, product

import pytest
import sympy
from sympy import Integer, Max, ceiling, symbols

from shardlang.cost.cone import spans
from shardlang.cost.leading import Assumption, Leading
from shardlang.cost.maximum import maximum

B, D, F, X, Y, W, C = symbols("B D F X Y W C", positive=True)
SIZES, AXES = frozenset({B, D, F, X, Y}), frozenset({X, Y})
ONE: dict = {}


def small(*pairs, equal=()):
    """`small((B, D), (B, F))`: B << D and B << F; a side may be a product."""
    sides = [Assumption(*(dict(side.as_powers_dict()) if side != 1 else ONE for side in pair)) for pair in pairs]
    return Leading([], sides, SIZES, AXES, equal)


@pytest.mark.parametrize(
    ("assumed", "whole", "leading"),
    [
        ([(B, D), (B, F)], (2 * B * D + 2 * D * F + 2 * B * F) / W, 2 * D * F / W),
        ([(B, D)], B * D + D * F + B * F, B * D + D * F),  # D·F against B·D stays open
        ([(B * Y, F)], 2 * B * D + 2 * D * F / Y, 2 * D * F / Y),
        ([(B, F)], 2 * B * D + 2 * D * F / Y, 2 * B * D + 2 * D * F / Y),  # Y may be as large as F/B
        ([(1, X)], 4 * D * F * (X - 1) / (X * W), 4 * D * F / W),
        ([(1, X)], D * F * (X * Y - 1) / (X * Y), D * F),
        ([(1, X)], (Y - 1) / Y, (Y - 1) / Y),
        ([(1, X)], ceiling(X / 2), X / 2),
        ([(B, D), (B, F)], Max(2 * B * D + B, 2 * D * F), 2 * D * F),
        ([(B, D)], Max(B / W, D / C), Max(B / W, D / C)),  # the rates are as they are
        ([(B, D), (W, C)], B / C + D / W, D / W),
        ([(B, D), (D, F)], B + F, F),
        ([(B**2, D)], B + D, D),  # B is at most its square
        ([(B, D**2)], B + D, B + D),
        ([(B, D)], 1 + D, D),  # 1 is at most B
        ([(B, D)], D * (B + D) ** 2, D**3),
        ([(B, D)], B + Max(D, 3 * F), Max(D, 3 * F)),
        ([(B, F)], B + Max(D, 3 * F), Max(D, 3 * F)),
        ([(B, D)], Max(B, F) + D, Max(B, F) + D),
        ([(B, D)], B + 1000 * D + B * 10**9, 1000 * D),  # constants do not count
    ],
)
def test_leading_terms(assumed, whole, leading):
    assert sympy.simplify(small(*assumed).terms(whole) - leading) == 0


def test_sizes_in_terms_of_others_count():
    four = small((B, D), equal=[{D: Integer(1), F: Integer(-1)}])  # F = 4*D
    assert four.terms(B * D + D * F + B * F) == D * F
    assert small((B, D)).terms(B * F + D * D) == B * F + D * D
    assert four.terms(B * F + D * D) == D * D


@pytest.mark.parametrize(
    "assumed",
    [[(B, D), (D, B)], [(B, D), (D, F), (F, B)], [(X, 1)], [(B, B)], [(B * D, B)], [(B, D), (D**2, B**2)]],
)
def test_contradictions(assumed):
    assert small(*assumed).contradictory


@pytest.mark.parametrize("assumed", [[], [(B, D)], [(1, X)], [(B, D), (D, F)], [(B, D), (D, B * F)], [(B * Y, F)]])
def test_no_contradictions(assumed):
    assert not small(*assumed).contradictory


def test_what_is_left_out_vanishes_in_the_limit():
    """Sizes 2^(t·e) with random exponents e that meet the assumptions: the quotient of both forms goes to 1."""
    draw = random.Random(7)
    names = (B, D, F, X, Y)
    tried = 0
    while tried < 60:
        pairs = [
            (draw.choice(names) ** draw.randint(1, 2), draw.choice(names) * draw.choice((1, *names))) for _ in range(2)
        ]
        found = small(*pairs)
        exponents = {name: draw.randint(0, 6) for name in names}
        degree = {
            pair: sum(exponents[b] * p for b, p in pair.as_powers_dict().items()) for side in pairs for pair in side
        }
        if found.contradictory or any(degree[a] >= degree[b] for a, b in pairs):
            continue
        tried += 1
        terms = [draw.randint(1, 9) * draw.choice(names) ** draw.randint(-1, 2) * draw.choice(names) for _ in range(5)]
        whole = sympy.Add(*terms) * (X - 1 + Y) / W
        short = found.terms(whole)
        at = {name: Integer(2) ** (40 * exponent) if exponent else Integer(2) for name, exponent in exponents.items()}
        assert abs(float((short / whole).subs(at).subs(W, 1)) - 1) < 1e-6, (pairs, whole, short)


def test_a_planted_bug_is_seen():
    """Leaving out a term that is not negligible fails the limit."""
    at = {B: 2**40, D: 2**40}
    assert abs(float((D / (B + D)).subs(at)) - 1) > 1e-6


def test_cones_against_all_small_combinations():
    """In two dimensions a vector is in a cone if and only if two of its rays have it as a combination: by hand, all of them."""
    rays = [(a, b) for a, b in product((-1, 0, 1, 2), repeat=2) if (a, b) != (0, 0)]
    for strict in rays:
        for weak in rays:
            if strict[0] * weak[1] == strict[1] * weak[0]:
                continue  # on one line: the zero vector may be a combination
            determinant = strict[0] * weak[1] - strict[1] * weak[0]
            for wanted in product((-2, -1, 0, 1, 3), repeat=2):
                first = sympy.Rational(wanted[0] * weak[1] - wanted[1] * weak[0], determinant)
                second = sympy.Rational(strict[0] * wanted[1] - strict[1] * wanted[0], determinant)
                assert spans([strict], [weak], wanted) is bool(first > 0 and second >= 0)


def test_many_terms_and_assumptions_end_soon():
    names = symbols("a0:24", positive=True)
    found = Leading(
        [],
        [Assumption({a: Integer(1)}, {b: Integer(1)}) for a, b in pairwise(names)],
        frozenset(names),
        frozenset(),
    )
    assert found.terms(sympy.Add(*names)) == names[-1]
    assert maximum(*(found.terms(name) for name in names[:3])) is not None
