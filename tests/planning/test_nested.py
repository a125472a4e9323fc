"""Collectives inside an expression: carried out where they stand (NOTATION section 2, precedence)."""

import pytest

from shardlang.reference.execute import run_steps
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
    "C[I] = gelu(AllGather_X [I_X])": ["AllGather_X [I_X] -> [I]", "gelu([I]) -> C[I]"],
    # a constant is masked like an array (NOTATION section 4)
    "Mask_X 1 + A[I]{U_X} -> B[I]{U_X}": ["Mask_X 1 -> 1{U_X}", "1{U_X} + A[I]{U_X} -> B[I]{U_X}"],
    "AllReduce_X(Mask_X 1) + A[I] -> B[I]": ["Mask_X 1 -> 1{U_X}", "AllReduce_X 1{U_X} -> 1", "1 + A[I] -> B[I]"],
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
    assert run_steps(made.statements[0].steps, {"X": 2}, {"I": 4, "J": 6, "K": 8})[1] is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("AllReduce_Y(A[I, J_X] · B[J_X, K]) -> C[I, K]", "SL304"),
        ("AllReduce_X(gelu(A[I, J_X] · B[J_X, K])) -> C[I, K]", "SL309"),
        ("gelu(AllGather_Y A[I_X]) -> C[I_X]", "SL303"),
        ("AllReduce_X(A[I, J_X] · B[J_X, K]) -> C[I_X, K]", "SL306"),
        ("AllReduce_X(AllGather_Y A[I]{U_X}) -> A[I]", "SL303"),
    ],
)
def test_what_is_wrong_inside_is_found(text: str, code: str) -> None:
    made = plan_of(text)
    assert [finding.code for finding in made.diagnostics] == [code]
    assert all(not finding.fixes for finding in made.diagnostics)


def test_the_gathered_layout_of_an_input_is_not_asked_for_again() -> None:
    assert codes_of("AllGather_X A[I_X] + b[I] -> C[I]") == []


def test_a_part_without_a_natural_layout_wants_a_statement_of_its_own() -> None:
    (finding,) = plan_of("AllReduce_Y(gelu(A[I]{U_X})) -> C[I]").diagnostics
    assert finding.code == "SL309"
    assert finding.hint == "give this part a statement of its own, with the layout that is meant"
    assert finding.fixes == ()


def test_no_communication_inside_an_operand_where_it_is_explicit() -> None:
    """The product would gather A; `explicit` slices B, which is free, and leaves the sum to the AllReduce."""
    made = plan_of("explicit\nAllReduce_X(A[I, J_X] · B[J, K]) -> C[I, K]")
    assert [step.kind for step in made.statements[0].steps] == ["Slice", "Einsum", "AllReduce"]
    made = plan_of("explicit\ngelu(AllReduce_X(A[I, J_X] · B[J, K])) -> C[I, K]")
    assert [step.kind for step in made.statements[0].steps] == ["Slice", "Einsum", "AllReduce", "Elementwise"]
    made = plan_of("explicit\nAllGather_Y(AllReduce_X(A[I_Y, J_X] · B[J, K])) -> C[I, K]")
    assert [step.kind for step in made.statements[0].steps] == ["Slice", "Einsum", "AllReduce", "AllGather"]
    (finding,) = plan_of("AllReduce_X(A[I, J_X] · B[J, K]) -> C[I, K]").diagnostics
    assert finding.code == "SL304"  # gathered, nothing is pending


def test_what_an_operand_of_a_collective_makes_is_bound_to_the_result() -> None:
    text = "AllReduce_X(A[I, J_X] · B[J_X, K]) -> C[I, K]\n"
    assert codes_of(text + "gelu(C[I, K]) -> D[I, K]") == []
    (finding,) = plan_of(text + "gelu(C[I_X, K]) -> D[I_X, K]").diagnostics
    assert finding.code == "SL401"
    assert finding.labels[0].span == (0, len(text) - 1)


def test_what_is_computed_for_a_collective_has_the_type_of_the_plan() -> None:
    made = plan_of("dtype f32\nAllReduce_X(A[I, J_X] · B[J_X, K]) -> C[I, K]")
    assert [step.result.type.dtype for step in made.statements[0].steps] == ["f32", "f32"]
    (entry,) = made.statements
    assert entry.output == entry.steps[-1].result
    assert entry.statement.body is not None
