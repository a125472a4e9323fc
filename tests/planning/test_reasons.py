"""The sentence that says why a step is needed: which array, which axes, which dimensions, and what for."""

import pytest

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


@pytest.mark.parametrize(("text", "why"), REASONS.items())
def test_why_the_first_step_is_needed(text, why):
    (entry,) = plan_of(text).statements
    assert entry.steps[0].why == why
