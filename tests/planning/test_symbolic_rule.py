"""The rule for symbolic sizes, case by case. Expected steps are those that NOTATION section 5 states."""

import pytest

from tests.planning.helpers import codes_of, plan_of, steps_of

CONTRACTION = {
    # contracted, sharded in one operand only
    "A[I, J_X] · B[J, K] -> C[I, K]": ["AllGather_X A[I, J_X] -> A[I, J]"],
    "A[I, J] · B[J_X, K] -> C[I, K]": ["AllGather_X B[J_X, K] -> B[J, K]"],
    "A[I, J_{XY}] · B[J_X, K] -> C[I, K]{U_X}": ["AllGather_Y A[I, J_{XY}] -> A[I, J_X]"],
    "A[I, J_X] · B[J, K] -> C[I_X, K]": ["AllToAll_{X,I} A[I, J_X] -> A[I_X, J]"],
    "A[I, J_X] · B[J, K] -> C[I, K_X]": ["AllGather_X A[I, J_X] -> A[I, J]", "Slice_{X,K} B[J, K] -> B[J, K_X]"],
    "A[I, J_X] · B[J, K] -> C[I, K]{U_X}": ["Slice_{X,J} B[J, K] -> B[J_X, K]"],
    # contracted, sharded alike in both
    "A[I, J_X] · B[J_X, K] -> C[I, K]": ["AllReduce_X C[I, K]{U_X} -> C[I, K]"],
    "A[I, J_X] · B[J_X, K] -> C[I_X, K]": ["ReduceScatter_{X,I} C[I, K]{U_X} -> C[I_X, K]"],
    "A[I, J_X] · B[J_X, K] -> C[I, K_X]": ["ReduceScatter_{X,K} C[I, K]{U_X} -> C[I, K_X]"],
    "A[I, J_X] · B[J_X, K] -> C[I, K]{U_X}": [],
    "A[I, J_{XY}] · B[J_{YX}, K] -> C[I, K]{U_{XY}}": ["CollectivePermute_{YX} B[J_{YX}, K] -> B[J_{XY}, K]"],
    "A[I, J_X] · B[J_Y, K] -> C[I, K]": [
        "AllGather_X A[I, J_X] -> A[I, J]",
        "AllGather_Y B[J_Y, K] -> B[J, K]",
    ],
    # one axis on two kept dimensions
    "A[I_X, J] · B[J, K_X] -> C[I_X, K]": ["AllGather_X B[J, K_X] -> B[J, K]"],
    "A[I_X, J] · B[J, K_X] -> C[I, K_X]": ["AllGather_X A[I_X, J] -> A[I, J]"],
    "A[I_{XY}, J] · B[J, K_X] -> C[I, K_X]": ["AllGather_{XY} A[I_{XY}, J] -> A[I, J]"],
    "A[I_{YX}, J] · B[J, K_X] -> C[I_Y, K_X]": ["AllGather_X A[I_{YX}, J] -> A[I_Y, J]"],
    # pending operands
    "A[I, J]{U_X} · B[J, K] -> C[I, K]": ["AllReduce_X C[I, K]{U_X} -> C[I, K]"],
    "A[I, J]{U_X} · B[J_X, K] -> C[I, K]{U_X}": ["ReduceScatter_{X,J} A[I, J]{U_X} -> A[I, J_X]"],
    "A[I, J]{U_X} · B[J, K_X] -> C[I, K_X]": ["AllReduce_X A[I, J]{U_X} -> A[I, J]"],
    "A[I, J]{U_X} · B[J, K]{U_X} -> C[I, K]{U_X}": ["AllReduce_X A[I, J]{U_X} -> A[I, J]"],
    # a kept dimension that the output wants otherwise
    "A[I_X, J] · B[J, K] -> C[I, K]": ["AllGather_X C[I_X, K] -> C[I, K]"],
    "A[I_X, J] · B[J, K] -> C[I_Y, K]": ["AllGather_X C[I_X, K] -> C[I, K]", "Slice_{Y,I} C[I, K] -> C[I_Y, K]"],
    "A[I_X, J] · B[J, K] -> C[I, K_X]": ["AllToAll_{X,K} C[I_X, K] -> C[I, K_X]"],
    "A[I_{XY}, J] · B[J, K] -> C[I_Y, K]": [
        "CollectivePermute_{XY} C[I_{XY}, K] -> C[I_{YX}, K]",
        "AllGather_X C[I_{YX}, K] -> C[I_Y, K]",
    ],
    "A[I_{XY}, J] · B[J, K] -> C[I_{YX}, K]": ["CollectivePermute_{XY} C[I_{XY}, K] -> C[I_{YX}, K]"],
    # batch dimensions
    "A[B_X, I, J] · W[B, J, K] -> C[B_X, I, K]": ["Slice_{X,B} W[B, J, K] -> W[B_X, J, K]"],
    "A[B_X, I, J] · W[B_Y, J, K] -> C[B_Y, I, K]": [
        "AllGather_X A[B_X, I, J] -> A[B, I, J]",
        "Slice_{Y,B} A[B, I, J] -> A[B_Y, I, J]",
    ],
    # idle axes that the output asks for
    "A[I, J] · B[J, K] -> C[I_X, K]": ["Slice_{X,I} A[I, J] -> A[I_X, J]"],
}

ELEMENTWISE = {
    "Z[N, D]{U_X} + b[D] -> O[N, D]": ["AllReduce_X Z[N, D]{U_X} -> Z[N, D]"],
    "Z[N, D]{U_X} + b[D] -> O[N, D]{U_X}": ["Mask_X b[D] -> b[D]{U_X}"],
    "Z[N, D]{U_X} + b[D_X] -> O[N, D]{U_X}": ["Pad_X b[D_X] -> b[D]{U_X}"],
    "Z[N, D]{U_X} + Y[N, D]{U_X} -> O[N, D]": ["AllReduce_X O[N, D]{U_X} -> O[N, D]"],
    "gelu(Z[N, D]{U_X}) -> O[N, D]": ["AllReduce_X Z[N, D]{U_X} -> Z[N, D]"],
    "gelu(Z[N, D]{U_X}) -> O[N, D_X]": ["ReduceScatter_{X,D} Z[N, D]{U_X} -> Z[N, D_X]"],
    "A[I_X, J] ⊙ B[I, J] -> C[I_X, J]": ["Slice_{X,I} B[I, J] -> B[I_X, J]"],
    "A[I_X, J] + B[I_Y, J] -> C[I_Y, J]": [
        "AllGather_X A[I_X, J] -> A[I, J]",
        "Slice_{Y,I} A[I, J] -> A[I_Y, J]",
    ],
    "2 * Z[N]{U_X} -> O[N]{U_X}": [],
    "Z[N]{U_X} + 1 -> O[N]{U_X}": ["Mask_X 1 -> 1{U_X}"],
    "-Z[N]{max_X} -> O[N]{min_X}": [],
}

REDUCTION = {
    "sum_J A[I, J_X] -> s[I]": ["AllReduce_X s[I]{U_X} -> s[I]"],
    "sum_J A[I, J_X] -> s[I]{U_X}": [],
    "max_J A[I, J_X] -> s[I]{max_X}": [],
    "max_J A[I, J_X] -> s[I]": ["AllReduce_X s[I]{max_X} -> s[I]"],
    "sum_J A[I, J_X] -> s[I_X]": ["ReduceScatter_{X,I} s[I]{U_X} -> s[I_X]"],
    "mean_J A[I_X, J] -> s[I_X]": [],
}

RESHARD = {
    "A[I_{XY}, J] -> A[I_Y, J]": [
        "CollectivePermute_{XY} A[I_{XY}, J] -> A[I_{YX}, J]",
        "AllGather_X A[I_{YX}, J] -> A[I_Y, J]",
    ],
    "A[I_{XY}, J] -> A[I_X, J]": ["AllGather_Y A[I_{XY}, J] -> A[I_X, J]"],
    "[A, B_X] -> [A_X, B]": ["AllToAll_{X,A} [A, B_X] -> [A_X, B]"],
    "A[I]{U_X} -> A[I_X]": ["ReduceScatter_{X,I} A[I]{U_X} -> A[I_X]"],
    "A[I_Y]{U_X} -> A[I_X]": [
        "AllGather_Y A[I_Y]{U_X} -> A[I]{U_X}",
        "ReduceScatter_{X,I} A[I]{U_X} -> A[I_X]",
    ],
    "A[I] -> A[I_X]": ["Slice_X A[I] -> A[I_X]"],
    "A[I] -> A[I]{U_X}": ["Mask_X A[I] -> A[I]{U_X}"],
    "A[I_X] -> A[I]{U_X}": ["Pad_X A[I_X] -> A[I]{U_X}"],
    "A[I_X, J] -> T[J, I_X]": [],
}


@pytest.mark.parametrize(
    ("text", "expected"), [*CONTRACTION.items(), *ELEMENTWISE.items(), *REDUCTION.items(), *RESHARD.items()]
)
def test_steps(text: str, expected: list[str]) -> None:
    assert steps_of(text) == expected


NATURAL = {
    "A[I_X, J] · B[J, K_Y]": "C[I_X, K_Y]",
    "A[I, J_X] · B[J_X, K]": "C[I, K]{U_X}",
    "A[I, J_X] · B[J, K]": "C[I, K]",
    "A[I, J_{XY}] · B[J_X, K]": "C[I, K]{U_X}",
    "A[I_X] ⊙ B[I_{XY}]": "C[I_{XY}]",
    "Z[N]{U_X} + b[N]": "C[N]{U_X}",
    "Z[N]{U_X} + b[N_X]": "C[N]{U_X}",
    "sum_J A[I, J_X]": "C[I]{U_X}",
}


@pytest.mark.parametrize(("text", "output"), NATURAL.items())
def test_natural_output(text: str, output: str) -> None:
    from shardlang.semantics.sharding import array_text

    (entry,) = plan_of(text).statements
    assert entry.output is not None
    assert array_text("C", entry.output.type) == output


@pytest.mark.parametrize(
    "text",
    [
        "A[I_X, J] · B[J, K_X]",
        "A[B_X, I] ⊙ W[B_Y, I]",
        "A[B_{XY}, I] ⊙ W[B_{YX}, I]",
        "A[I, J]{U_X} · B[J_X, K]",
        "A[I, J]{U_X} · B[J, K]{U_X}",
        "gelu(A[I]{U_X})",
    ],
)
def test_no_natural_output_lists_choices(text: str) -> None:
    made = plan_of(text)
    (finding,) = made.diagnostics
    assert finding.code == "SL309"
    assert finding.fixes
    for fix in finding.fixes:
        assert codes_of(fix.edits[0].text) == []
