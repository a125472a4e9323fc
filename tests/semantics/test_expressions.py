"""Elementwise operations, functions and reductions."""

import pytest

from shardlang.semantics.program import Constant, Op
from tests.semantics.helpers import resolved


def shape(expr):
    """An expression as nested tuples: names of operations, arrays and constants."""
    if isinstance(expr, Op):
        return (expr.name, *(shape(arg) for arg in expr.args))
    return expr.text if isinstance(expr, Constant) else expr.name


@pytest.mark.parametrize(
    ("text", "tree", "dims"),
    [
        ("A[I, J] + b[J] -> C[I, J]", ("add", "A", "b"), ("I", "J")),
        ("b[J] + A[I, J]", ("add", "b", "A"), ("J", "I")),
        ("A[I] - B[I] / 2", ("subtract", "A", ("divide", "B", "2")), ("I",)),
        ("-A[I]", ("negate", "A"), ("I",)),
        ("maximum(A[I], B[I])", ("maximum", "A", "B"), ("I",)),
        ("A[I] + 1", ("add", "A", "1"), ("I",)),
        (
            "Z2[N_X, D] = gelu(Z[N_X, D] + b[D]) * 2",
            ("hadamard", ("gelu", ("add", "Z", "b")), "2"),
            ("N", "D"),
        ),
        (
            "Z[B, F] = gelu(X[B, D] · W[D, F] + b[F])",
            ("gelu", ("add", ("contract", "X", "W"), "b")),
            ("B", "F"),
        ),
        ("C[J, I] = A[I, J] + B[I, J]", ("add", "A", "B"), ("J", "I")),
    ],
)
def test_expressions_nest(text, tree, dims):
    found = resolved(text)
    assert found.codes == []
    assert (shape(found.op), found.op.dims) == (tree, dims)


@pytest.mark.parametrize(
    ("text", "name", "reduced", "dims"),
    [
        ("s[I]{U_X} = sum_J A[I, J_X]", "sum", ("J",), ("I",)),
        ("sum A[I, J] -> s[I]", "sum", ("J",), ("I",)),
        ("s[] = sum A[I, J]", "sum", ("I", "J"), ()),
        ("g[H] = sum_{B,S} G[B, S, H]", "sum", ("B", "S"), ("H",)),
        ("mean_J A[I, J]", "mean", ("J",), ("I",)),
        ("max_J A[I, J]", "max", ("J",), ("I",)),
        ("s[I] = sum_J (A[I, J] ⊙ B[I, J])", "sum", ("J",), ("I",)),
        ("s[K] = sum_I (A[I, J] · B[J, K])", "sum", ("I",), ("K",)),
    ],
)
def test_reductions_name_their_dimensions(text, name, reduced, dims):
    found = resolved(text)
    assert found.codes == []
    assert (found.op.name, found.op.contracted, found.op.dims) == (name, reduced, dims)
    assert found.last.body.kind == "reduction"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("s[I] = sum_L A[I, J]", "SL223"),
        ("s[I, J] = sum_J A[I, J]", "SL216"),
        ("sum A[I, J]", "SL220"),
        ("max(A[I], B[I]) -> C[I]", "SL220"),
        ("maximum(A[I]) -> B[I]", "SL220"),
        ("foo(A[I]) -> B[I]", "SL219"),
        ("P[B, S] = softmax_S(Q[B, S])", "SL903"),
        ("P[B, S] = norm_S(Q[B, S])", "SL903"),
        ("H[B, D] = take_V(E[V, D], tok[B])", "SL902"),
        ("gelu(A[I, J]) -> C[I]", "SL224"),
        ("gelu(b[D]) -> C[N, D]", "SL213"),
    ],
)
def test_what_is_wrong_has_one_error(text, code):
    found = resolved(text)
    assert [finding.code for finding in found.findings if finding.severity == "error"] == [code]
    assert not found.last.ok


def test_hints_for_reductions():
    assert resolved("g[H] = sum_{BS} G[B, S, H]").finding("SL223").hint == (
        "write `sum_{B,S}` to reduce several dimensions"
    )
    assert resolved("max(A[I], B[I]) -> C[I]").finding("SL220").hint == (
        "for the larger of two arrays write `maximum(A, B)`"
    )


def test_a_sum_that_loses_another_dimension_warns():
    found = resolved("s[I] = sum_J A[I, J, K]")
    assert found.codes == ["SL215"]
    assert found.op.contracted == ("J", "K")


def test_a_misspelt_function_gets_a_suggestion():
    assert resolved("gleu(A[I]) -> B[I]").finding("SL219").hint == "did you mean `gelu`?"
