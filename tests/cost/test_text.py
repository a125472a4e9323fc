"""Formulas as text: SymPy reads them back, and they look as people write them."""

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlang.cost.text import formula
from tests.symbolic import read_formula

NAMES = ["B", "D", "F", "X", "C", "W_ici"]
SYMBOLS = {name: sympy.Symbol(name, positive=True) for name in NAMES}
B, D, F, X, C, W = SYMBOLS.values()


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (2 * B * D / (X * W), "2*B*D/(W_ici*X)"),
        (1 / B + 1 / D, "1/B + 1/D"),
        (B / 2, "B/2"),
        (sympy.Rational(3, 4) * B, "3*B/4"),
        (X / B + D / F + 1, "D/F + X/B + 1"),
        (W * D * F - C * D - C * F, "D*F*W_ici - C*D - C*F"),
        ((B + D) / W, "(B + D)/W_ici"),
        (B**2 / D**3, "B**2/D**3"),
        (sympy.sqrt(B), "sqrt(B)"),
        (sympy.sqrt(B / D), "sqrt(B)/sqrt(D)"),
        (sympy.Max(B, D / X, evaluate=False), "Max(B, D/X)"),
        (sympy.ceiling(B / X) * 2, "2*ceiling(B/X)"),
        (-B, "-B"),
        (-B - D, "-B - D"),
        (1 / (B * (X - 1)), "1/(B*(X - 1))"),
        (sympy.Integer(0), "0"),
        (1 / B**2, "1/B**2"),
    ],
)
def test_examples(expr, text):
    assert formula(expr) == text
    assert sympy.simplify(read_formula(text, NAMES) - expr) == 0


leaves = st.sampled_from(list(SYMBOLS.values())) | st.integers(1, 9).map(sympy.Integer)
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] - p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        st.tuples(inner, leaves).map(lambda p: p[0] / p[1]),
        inner.map(sympy.ceiling),
        st.tuples(inner, inner).map(lambda p: sympy.Max(*p, evaluate=False)),
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(expressions)
def test_sympy_reads_back_what_is_printed(expr):
    values = dict(zip(SYMBOLS.values(), (7, 11, 13, 3, 17, 5), strict=True))
    again = read_formula(formula(expr), NAMES).subs(values).doit()
    assert again == expr.subs(values).doit()
