"""The words of findings and reasons about steps that are written out, whole, and the titles of their fixes."""

import pytest

from tests.planning.helpers import plan_of

MESSAGES = {
    "CollectivePermute A[I_X]": "a CollectivePermute needs its result, which says how the blocks are to lie",
    "AllReduce_Y A[I]{U_X}": "`A[I]{U_X}` is not unreduced over `Y`, only over `X`: there is nothing to reduce",
    "AllReduce_X A[I]": "`A[I]` is not unreduced over `X`: there is nothing to reduce",
    "AllReduce_X A[I_X] -> B[I]": "`A[I_X]` is not unreduced over `X`; `X` shards it: there is nothing to reduce",
    "AllGather_X A[I]": "`X` does not shard `A[I]`: there is nothing to gather",
    "explicit\nA[I]{U_X} ⊙ B[I]{U_X} -> C[I]{U_X}": (
        "both operands are pending over `X`: the product of two sums is not the sum of the products "
        "(`explicit` allows no communication)"
    ),
    "explicit\nmaximum(A[I]{U_X}, B[I]{U_X}) -> C[I]{U_X}": (
        "both operands are pending over `X`, and `maximum` does not pass that on (`explicit` allows no communication)"
    ),
}


@pytest.mark.parametrize(("text", "message"), MESSAGES.items())
def test_messages(text, message):
    (finding,) = plan_of(text).diagnostics
    assert finding.message == message


TITLES = {
    "AllReduce_X A[I]": ["leave the step out"],
    "AllReduce_X A[I_X] -> B[I]": ["write the communication out"],
    "CollectivePermute_X A[I_{XY}] -> A[I_{YX}]": ["write the communication out"],
    "explicit\nA[I_X] -> A[I]": ["write the communication out"],
}


@pytest.mark.parametrize(("text", "titles"), TITLES.items())
def test_titles(text, titles):
    (finding,) = plan_of(text).diagnostics
    assert [fix.title for fix in finding.fixes] == titles


@pytest.mark.parametrize("result", ["C[I, K] = A[I, J_X] · B[J_X, K]", "A[I, J_X] · B[J_X, K] -> C[I, K]"])
def test_what_a_local_operation_gives_is_stated_in_the_form_that_was_written(result):
    (finding,) = plan_of("explicit\n" + result).diagnostics
    assert finding.fixes[-1].edits[0].text == result.replace("C[I, K]", "C[I, K]{U_X}")


REASONS = {
    "AllReduce_X A[I]{U_X} -> A[I]": "written out: sums over X",
    "AllGather_{XY} A[I_X, J_Y]": "written out: gathers the blocks along X and Y",
    "CollectivePermute A[I_X] -> A[I_X]": "written out: moves blocks between devices",
    "Mask_X A[I]": "written out: keeps the array on coordinate 0 of X",
}


@pytest.mark.parametrize(("text", "why"), REASONS.items())
def test_a_step_that_is_written_out(text, why):
    (step,) = plan_of(text).statements[0].steps
    assert step.why == why
    assert step.op == step.kind == text.split("_")[0].split()[0]


def test_an_intermediate_has_one_name_whatever_was_tried():
    """The symbolic rule and the search make it, and the plan shows one of them."""
    text = "A[I_X, J] · B[J, K] · C[K, L] -> D[I, L]"
    for sizes in ({}, {"I": 64, "J": 64, "K": 64, "L": 64}, {"I": 4, "J": 1024, "K": 1024, "L": 1024}):
        (entry,) = plan_of(text, {"X": 4}, **sizes).statements
        names = {step.result.name for step in entry.steps}
        assert names == {"Tmp", "D"} | (names & {"A", "B", "C"})
