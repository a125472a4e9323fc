"""Canonical text: what it looks like, and that printing is idempotent."""

import pytest

from tests.semantics.helpers import resolved


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("A[I_X,J]", "A[I_X, J]"),
        ("A[I_XY]", "A[I_{XY}]"),
        ("A[I@(X,Y)]", "A[I_{XY}]"),
        ("A[I]{U_YX}", "A[I]{U_{XY}}"),
        ("A[I]{max_X}", "A[I]{max_X}"),
        ("A[I_{data,model}]", "A[I_{data,model}]"),
        ("bfloat16[B=128, D=4*2]", "bf16[B=128, D=4*2]"),
        ("x: float32[B, D_X]", "x: f32[B, D_X]"),
        ("float32[8@X,16@(Z,Y)]{U:W}", "f32[8@X, 16@(Z,Y)]{U_W}"),
        ("A[I_X, ...]", "A[I_X, ...]"),
        ("C[]", "C[]"),
        ("[A, B_X] -> [A_X, B]", "[A, B_X] -> [A_X, B]"),
        ("A[I,J] * B[J,K] => C[I,K]", "A[I, J] · B[J, K] -> C[I, K]"),
        ("C[I,K] = A[I,J] ·_{J} B[J,K]", "C[I, K] = A[I, J] ·_J B[J, K]"),
        ("A[I,J] ·_{LOCAL,J} B[J,K]", "A[I, J] ·_{LOCAL,J} B[J, K]"),
        ("A[I,J] ·_LOCAL B[J,K]", "A[I, J] ·_LOCAL B[J, K]"),
        ("Z[I] = A[I] + B[I] * C[I] / 2 - D[I]", "Z[I] = A[I] + B[I] · C[I] / 2 - D[I]"),
        ("Z[I] = -(A[I] + B[I]) * 2", "Z[I] = -(A[I] + B[I]) · 2"),
        ("Z[I] = A[I] - (B[I] - C[I])", "Z[I] = A[I] - (B[I] - C[I])"),
        ("Z[I] = (A[I] - B[I]) - C[I]", "Z[I] = A[I] - B[I] - C[I]"),
        ("Z[I] = A[I] / (B[I] * C[I])", "Z[I] = A[I] / (B[I] · C[I])"),
        ("D[I,L] = A[I,J] · (B[J,K] · C[K,L])", "D[I, L] = A[I, J] · (B[J, K] · C[K, L])"),
        ("s[I] = sum_J(A[I,J])", "s[I] = sum_J A[I, J]"),
        ("s[I] = sum_J(A[I,J] + b[J])", "s[I] = sum_J(A[I, J] + b[J])"),
        ("g[H] = sum_{B,S} G[B,S,H]", "g[H] = sum_{B,S} G[B, S, H]"),
        ("maximum(A[I], B[I]) -> C[I]", "maximum(A[I], B[I]) -> C[I]"),
        ("AllGather_X(A[I_X, J]) -> A[I, J]", "AllGather_X A[I_X, J] -> A[I, J]"),
        ("psum_scatter_{X,J}(A[I, J]{U_X}) -> A[I, J_X]", "ReduceScatter_{X,J} A[I, J]{U_X} -> A[I, J_X]"),
        ("AllToAll_{Z->B}(Q[B, N_{YZ}, H])", "AllToAll_{Z,B} Q[B, N_{YZ}, H]"),
        ("ReduceScatter_{XY,K} C[K]{U_{XY}}", "ReduceScatter_{XY,K} C[K]{U_{XY}}"),
        ("ReduceScatter_{data,model,K} C[K]{U_{data,model}}", "ReduceScatter_{data,model,K} C[K]{U_{data,model}}"),
        ("Mask_X 1 -> 1{U_X}", "Mask_X 1 -> 1{U_X}"),
        ("mesh {X: 4, Y: 2}", "mesh X=4, Y=2"),
        ("mesh X=16 ring, Y line", "mesh X=16 ring, Y line"),
        ("let B=4096, F = 4 * D", "let B = 4096, F = 4*D"),
        ("let F = 4*(D + 1)**2 - 1", "let F = 4*(D + 1)**2 - 1"),
        ("hardware tpu-v5p", "hardware tpu-v5p"),
        ("dtype bfloat16", "dtype bf16"),
        ("explicit", "explicit"),
        ("rules batch -> X", "rules batch -> X"),
        ("W_in : int8[D_X, F]", "W_in: int8[D_X, F]"),
    ],
)
def test_canonical_text_is_its_own_canonical_text(text, canonical):
    assert resolved(text).canonical() == [canonical]
    assert resolved(canonical).canonical() == [canonical]


@pytest.mark.parametrize(
    ("mesh", "text", "canonical"),
    [
        ("mesh data=4, model=2", "A[d_model]", "A[d_model]"),
        ("mesh X=2, XY=2", "A[I_{XYX}]", "A[I_{XY,X}]"),
        ("mesh X=2, Y=2, XY=2", "A[I_{X,Y}]", "A[I_{X,Y}]"),
    ],
)
def test_text_is_read_back_against_the_same_mesh(mesh, text, canonical):
    assert resolved(f"{mesh}\n{text}").canonical()[1] == canonical
    again = resolved(f"{mesh}\n{canonical}")
    assert again.canonical()[1] == canonical
    assert again.last.body.array.type == resolved(f"{mesh}\n{text}").last.body.array.type


def test_refused_statements_print_too():
    assert resolved("A[I_X,J_X]").canonical() == ["A[I_X, J_X]"]
    assert resolved("A[GHIJ] · B[IJKL] -> C[GHKL]").canonical() == ["A[GHIJ] · B[IJKL] -> C[GHKL]"]
