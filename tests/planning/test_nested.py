"""Collectives inside an expression: carried out where they stand (NOTATION section 2, precedence)."""

import pytest

from tests.planning.helpers import codes_of, plan_of

STEPS = {
    "AllReduce_X(A[I, J_X] · B[J_X, K]) -> C[I, K]": [
        "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}",
        "AllReduce_X C[I, K]{U_X} -> C[I, K]",
    ],
    "gelu(AllReduce_X(A[I]{U_X})) -> C[I]": ["AllReduce_X A[I]{U_X} -> A[I]", "gelu(A[I]) -> C[I]"],
    "C[I, K] = AllGather_X A[I, J_X] · B[J, K] + b[K]": [
        "AllGather_X A[I, J_X] -> A[I, J]",
        "A[I, J] ·_LOCAL B[J, K] -> Tmp[I, K]",
        "Tmp[I, K] + b[K] -> C[I, K]",
    ],
    "AllGather_X(ReduceScatter_{X,I} A[I, J]{U_X}) -> A[I, J]": [
        "ReduceScatter_{X,I} A[I, J]{U_X} -> A[I_X, J]",
        "AllGather_X A[I_X, J] -> A[I, J]",
    ],
}


@pytest.mark.parametrize(("text", "expected"), STEPS.items())
@pytest.mark.parametrize("prefix", ["", "explicit\n"])
def test_steps(prefix: str, text: str, expected: list[str]) -> None:
    made = plan_of(prefix + text)
    assert [finding.message for finding in made.diagnostics] == []
    assert [step.text for step in made.statements[0].steps] == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("AllReduce_Y(A[I, J_X] · B[J_X, K]) -> C[I, K]", "SL304"),
        ("AllReduce_X(gelu(A[I, J_X] · B[J_X, K])) -> C[I, K]", "SL309"),
        ("gelu(AllGather_Y A[I_X]) -> C[I_X]", "SL303"),
        ("AllReduce_X(A[I, J_X] · B[J_X, K]) -> C[I_X, K]", "SL306"),
    ],
)
def test_what_is_wrong_inside_is_found(text: str, code: str) -> None:
    made = plan_of(text)
    assert [finding.code for finding in made.diagnostics] == [code]
    assert all(not finding.fixes for finding in made.diagnostics)


def test_the_gathered_layout_of_an_input_is_not_asked_for_again() -> None:
    assert codes_of("AllGather_X A[I_X] + b[I] -> C[I]") == []
