"""The sentence that says why a step is needed: which array, which axes, which dimensions, and what for."""

import pytest

from shardlang.rules.plan import COLLECTIVES
from tests.planning.helpers import plan_of

REASONS = {
    "A[I, J]{U_X} -> A[I, J]": "each device holds an addend of A; the sum over X is asked for",
    "A[I, J]{min_X} -> A[I, J]": "each device holds a candidate for the minimum of A; the minimum over X is asked for",
    "A[I, J]{max_X} -> A[I, J_X]": (
        "each device holds a candidate for the maximum of A; of the maximum over X it keeps its block of J"
    ),
    "A[I_X, J_Y] -> A[I, J]": "`A[I, J]` is to have I and J whole over XY",
    "A[I_X, J] -> A[I, J_X]": "`A[I, J_X]` is to have X on J instead of I",
    "A[I_{XY}] -> A[I_{YX}]": "the blocks lie in another order in `A[I_{YX}]`",
    "A[I] -> A[I_X]": "free: every device keeps its own block of I",
    "A[I] -> A[I]{U_X}": "free: A is kept on coordinate 0 of X and zero elsewhere, so that the sum counts it once",
    "A[I_X] -> A[I]{U_X}": "free: every device puts its block of I in its place among zeros",
    "A[I] -> A[I]{max_X}": "free: the extremum of equal values is the value",
    "A[I]{U_X} + 1 -> C[I]{U_X}": "free: 1 is kept on coordinate 0 of X and zero elsewhere, so that the sum counts it once",
    "A[I, J_{XY}] · B[J_{YX}, K] -> C[I, K]{U_{XY}}": "the blocks of B must lie in the order of A",
    "gelu(A[I]{U_X}) -> C[I]": "A is pending over X, and the operation does not pass that on",
    "A[I, J_X] · B[J, K] -> C[I_X, K]": "X is needed on I of A, not on J",
    "A[I_X, J] · B[J, K] -> C[I_X, K]": "every device has the blocks it needs",
    "A[I, J_X] · B[J_X, K] -> C[I, K]{U_X}": "every device has the blocks it needs and makes an addend over X",
    "max_J A[I, J_X] -> C[I]{max_X}": "every device has the blocks it needs and makes a candidate for the maximum over X",
}

GATHERS = {
    "A[I_X, J] · B[J_X, K] -> C[I_X, K]": (
        "J is summed over; it is J_X in B and whole in A, so every device needs all of it"
    ),
    "A[I, J_X] · B[J_Y, K] -> C[I, K]": (
        "J is summed over; it is J_X in A and J_Y in B, so every device needs all of it"
    ),
    "A[I, J_{XY}] · B[J_X, K] -> C[I, K]{U_X}": (
        "J is summed over; it is J_{XY} in A and J_X in B, so every device needs all of it"
    ),
    "A[I_X, J] · B[J, K_X] -> C[I_X, K]": "X shards K of B and I of A; C can use it once",
    "A[I_{XY}, J] · B[J, K_{XY}] -> C[I_{XY}, K]": "XY shards K of B and I of A; C can use it once",
    "A[I_X, J] ⊙ B[I_Y, J] -> C[I_Y, J]": "A is needed with I whole over X",
    "A[I, J_X] · A[J, K] -> C[I, K]": "A is needed with J whole over X",
    "[I, J_X] · B[J, K] -> C[I, K]": (
        "J is summed over; it is J_X in the array and whole in B, so every device needs all of it"
    ),
    "[I_X] -> [I]": "`[I]` is to have I whole over X",
    "A[I_X, J]{U_Y} · B[J, K] -> C[I, K_X]{U_Y}": "C is to have X on K instead of I",
    "A[J_X, I] · B[J, K] -> C[I_X, K]": "X is needed on I of A, not on J",
    "A[I, J] · B[K, J_X] -> C[I, K_X]": "X is needed on K of B, not on J",
    "A[I, J_X, K] -> A[I_X, J, K]": "`A[I_X, J, K]` is to have X on I instead of J",
}


@pytest.mark.parametrize(("text", "why"), GATHERS.items())
def test_why_communication_is_needed(text, why):
    (entry,) = plan_of(text).statements
    reasons = [step.why for step in entry.steps if step.kind in COLLECTIVES]
    assert reasons[0] == why


def test_the_other_operand_of_the_same_name():
    """The blocks of one operand must lie in the order of the other, also where both have one name."""
    (entry,) = plan_of("A[I, J_{XY}] · A[J_{YX}, K] -> C[I, K]{U_{XY}}").statements
    assert entry.steps[0].why == "the blocks of A must lie in the order of the other operand"


@pytest.mark.parametrize(("text", "why"), REASONS.items())
def test_why_the_first_step_is_needed(text, why):
    (entry,) = plan_of(text).statements
    assert entry.steps[0].why == why
