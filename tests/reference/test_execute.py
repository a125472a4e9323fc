"""Steps written by hand: right ones pass, planted wrong ones are caught at their place.

What is right and wrong here is NOTATION sections 3 and 4, not any output of the compiler; the byte counts are
COST_MODEL section 7 in the exact form.
"""

from fractions import Fraction

import pytest

from shardlang.reference.execute import run_steps
from tests.reference.build import local, step

MESH = {"X": 2, "Y": 2, "Z": 3}
SIZES = {"I": 24, "J": 12, "K": 36}


def outcome(*steps, seed=0):
    return run_steps(steps, MESH, SIZES, seed=seed)


RIGHT = [
    step("AllGather", "X", "A[I_X, J]", "A[I, J]"),
    step("AllGather", "Y", "A[I_{XY}, J]", "A[I_X, J]"),
    step("AllGather", "XY", "A[I_{XY}, J]", "A[I, J]"),
    step("AllGather", "YX", "A[I_{YX}, J]", "A[I, J]"),
    step("AllGather", "XY", "A[I_X, J_Y]", "A[I, J]"),
    step("AllGather", "XZ", "A[I_{YX}, J_Z]", "A[I_Y, J]"),
    step("AllGather", "X", "A[I_X, J]{U_Y}", "A[I, J]{U_Y}"),
    step("ReduceScatter", "X", "A[I, J]{U_X}", "A[I, J_X]"),
    step("ReduceScatter", "X", "A[I, J_Y]{U_X}", "A[I, J_{YX}]"),
    step("ReduceScatter", "YX", "A[I, J]{U_{XY}}", "A[I, J_{YX}]"),
    step("ReduceScatter", "X", "A[I, J]{max_X}", "A[I, J_X]"),
    step("ReduceScatter", "X", "A[I, J]{min_{XY}}", "A[I, J_X]{min_Y}"),
    step("AllReduce", "X", "A[I, J]{U_X}", "A[I, J]"),
    step("AllReduce", "XZ", "A[I_Y, J]{max_{XZ}}", "A[I_Y, J]"),
    step("AllToAll", "X", "A[I_X, J]", "A[I, J_X]"),
    step("AllToAll", "X", "A[I_{YX}, J_Z]", "A[I_Y, J_{ZX}]"),
    step("AllToAll", "XY", "A[I_{XY}, J]", "A[I, J_{XY}]"),
    step("CollectivePermute", "XY", "A[I_{XY}, J]", "A[I_{YX}, J]"),
    step("CollectivePermute", "XY", "A[I_X, J]", "A[I_Y, J]"),
    step("CollectivePermute", "XY", "A[I, J]{U_X}", "A[I, J]{U_Y}"),
    step("CollectivePermute", "XY", "A[I_X, J_Y]", "A[I_Y, J_X]"),
    step("CollectivePermute", "XY", "A[I_X, J]{max_Y}", "A[I_Y, J]{max_X}"),
    step("Slice", "X", "A[I, J]", "A[I_X, J]"),
    step("Slice", "X", "A[I_Y, J]{U_Z}", "A[I_{YX}, J]{U_Z}"),
    step("Mask", "X", "A[I, J]", "A[I, J]{U_X}"),
    step("Mask", "XY", "A[I_Z, J]", "A[I_Z, J]{U_{XY}}"),
    step("Mask", "X", "1", "1[]{U_X}"),
    step("Pad", "X", "A[I_{YX}, J]", "A[I_Y, J]{U_X}"),
    step("Relabel", "X", "A[I, J]", "A[I, J]{max_X}"),
    step("AllGather", "X", "A[I_X, J]", "T[J, I]"),
    step("Reshape", "", "A[I_X, J]", "T[J, I_X]")._replace(op="transpose"),
    local("contract", ("A[I_Y, J_X]", "B[J_X, K_Z]"), "C[I_Y, K_Z]{U_X}", "J"),
    local("contract", ("A[I_Y, J]{U_X}", "B[J, K]"), "C[I_Y, K]{U_X}", "J"),
    local("hadamard", ("A[I_Y, J]{U_X}", "B[I_Y]"), "C[I_Y, J]{U_X}"),
    local("add", ("A[I_Y, J]{U_X}", "B[J]{U_X}"), "C[I_Y, J]{U_X}"),
    local("maximum", ("A[I, J]{max_X}", "B[J]{max_X}"), "C[I, J]{max_X}"),
    local("negate", ("A[I, J]{max_X}",), "C[I, J]{min_X}"),
    local("relu", ("A[I, J]{max_X}",), "C[I, J]{max_X}"),
    local("divide", ("A[I, J]{U_X}", "2"), "C[I, J]{U_X}"),
    local("sum", ("A[I, J_{XY}]",), "s[I]{U_{XY}}", "J"),
    local("mean", ("A[I, J_{XY}]",), "s[I]{U_{XY}}", "J"),
    local("max", ("A[I_Z, J_X]",), "s[I_Z]{max_X}", "J"),
    local("gelu", ("A[I_Z, J_X]",), "C[I_Z, J_X]"),
]

WRONG = [
    # a collective of a major axis leaves the blocks in strided order
    step("AllGather", "X", "A[I_{XY}, J]", "A[I_Y, J]"),
    step("AllGather", "XY", "A[I_{YX}, J]", "A[I, J]"),
    step("AllToAll", "X", "A[I_{XY}, J]", "A[I_Y, J_X]"),
    step("AllToAll", "X", "A[I_X, J_Y]", "A[I, J_{XY}]"),
    step("ReduceScatter", "X", "A[I, J_Y]{U_X}", "A[I, J_{XY}]"),
    step("ReduceScatter", "XY", "A[I, J]{U_{XY}}", "A[I, J_{YX}]"),
    step("Slice", "X", "A[I_Y, J]", "A[I_{XY}, J]"),
    step("Pad", "X", "A[I_{XY}, J]", "A[I_Y, J]{U_X}"),
    # a reduction too many, too few, or none
    step("AllReduce", "X", "A[I, J]", "A[I, J]"),
    step("AllReduce", "X", "A[I, J]{U_{XY}}", "A[I, J]"),
    step("ReduceScatter", "X", "A[I, J]", "A[I, J_X]"),
    step("Relabel", "X", "A[I, J]{U_X}", "A[I, J]"),
    step("Relabel", "X", "A[I, J]", "A[I, J]{U_X}"),
    step("Mask", "X", "A[I, J]", "A[I, J]{max_X}"),
    step("Mask", "X", "A[I, J]", "A[I, J]"),
    step("Reshape", "", "A[I_X, J]", "T[J_X, I]")._replace(op="transpose"),
    # steps that cannot be carried out
    step("AllGather", "X", "A[I, J]", "A[I, J]"),
    step("AllGather", "Y", "A[I_X, J]", "A[I, J]"),
    step("CollectivePermute", "XZ", "A[I_X, J]", "A[I_Z, J]"),
    step("CollectivePermute", "XY", "A[I_{XY}, J]", "A[I_X, J]"),
    step("AllToAll", "X", "A[I_X, J]", "A[I, J]"),
    step("AllGather", "W", "A[I_X, J]", "A[I, J]"),
    step("AllReduce", "X", "A[I, J]{U_X}", "A[I, K]"),
    # local operations that are not local
    local("contract", ("A[I, J_{XY}]", "B[J_{YX}, K]"), "C[I, K]{U_{XY}}", "J"),
    local("contract", ("A[I, J_X]", "B[J_Y, K]"), "C[I, K]{U_X}", "J"),
    local("contract", ("A[I, J_X]", "B[J_X, K]"), "C[I, K]", "J"),
    local("contract", ("A[I, J_X]", "B[J, K]"), "C[I, K]{U_X}", "J"),
    local("contract", ("A[I, J]{U_X}", "B[J, K]{U_X}"), "C[I, K]{U_X}", "J"),
    local("contract", ("A[I_X, J]", "B[J, K_X]"), "C[I_X, K]", "J"),
    local("add", ("A[I, J]{U_X}", "B[J]"), "C[I, J]{U_X}"),
    local("add", ("A[I, J]{max_X}", "B[I, J]{max_X}"), "C[I, J]{max_X}"),
    local("hadamard", ("A[I, J]{max_X}", "B[I, J]"), "C[I, J]{max_X}"),
    local("negate", ("A[I, J]{max_X}",), "C[I, J]{max_X}"),
    local("gelu", ("A[I, J]{U_X}",), "C[I, J]{U_X}"),
    local("divide", ("A[I, J]", "B[I, J]{U_X}"), "C[I, J]{U_X}"),
    local("sum", ("A[I, J_X]",), "s[I]", "J"),
    local("max", ("A[I, J_X]",), "s[I]{U_X}", "J"),
    local("max", ("A[I, J]{U_X}",), "s[I]{U_X}", "J"),
    local("unheard_of", ("A[I, J]",), "C[I, J]"),
]


@pytest.mark.parametrize("one", RIGHT, ids=lambda one: f"{one.text} {one.result.type.sharding}")
def test_right_steps_give_the_dense_result(one):
    for seed in range(4):
        assert outcome(one, seed=seed)[1] is None


@pytest.mark.parametrize("one", WRONG, ids=lambda one: f"{one.text} {one.result.type.sharding}")
def test_planted_wrong_steps_are_caught(one):
    failures = [outcome(one, seed=seed)[1] for seed in range(6)]
    assert any(failure is not None and failure.step == one for failure in failures)


def test_one_size_on_one_device_is_not_stretched():
    failure = run_steps([local("add", ("A[I_X]", "B[I]"), "C[I]")], {"X": 4}, {"I": 4})[1]
    assert failure is not None
    assert failure.message == "the operands hold 1 and 4 elements of dimension I"


def test_the_failure_names_the_first_step_that_breaks_and_its_devices():
    steps = (
        step("AllGather", "Y", "B[J_Y, K]", "B[J, K]"),
        step("AllGather", "X", "A[I_{XY}, J]", "A[I_Y, J]"),
        local("contract", ("A[I_Y, J]", "B[J, K]"), "C[I_Y, K]", "J"),
    )
    ran, failure = outcome(*steps)
    assert len(ran) == 1
    assert failure.step_number == 1
    assert str(failure).startswith("step 1 (AllGather_X A[I_{XY}, J] -> A[I_Y, J]): the blocks do not mean the array")
    assert failure.devices


def test_a_layout_that_nobody_made_is_refused():
    steps = (
        local("contract", ("A[I, J_X]", "B[J_X, K]"), "C[I, K]{U_X}", "J"),
        local("gelu", ("C[I, K]",), "D[I, K]"),
    )
    failure = outcome(*steps)[1]
    assert failure.message == "C[I, K] is a layout that nobody made"


def test_an_earlier_layout_stays_usable_and_a_rebound_name_loses_its_layouts():
    gather = step("AllGather", "X", "W[I_X, J]", "W[I, J]")
    use = local("relu", ("W[I_X, J]",), "Q[I_X, J]")
    rebind = local("negate", ("W[I, J]",), "W[I, J]")
    assert outcome(gather, use)[1] is None
    assert outcome(gather, rebind, use)[1].message == "W[I_X, J] is a layout that nobody made"


@pytest.mark.parametrize(
    ("one", "received"),
    [
        # local block 24·12/2 = 144 of A[I_X, J]; exact forms of COST_MODEL section 7
        (step("AllGather", "X", "A[I_X, J]", "A[I, J]"), 144),
        (step("AllGather", "XY", "A[I_X, J_Y]", "A[I, J]"), 3 * 72),
        (step("ReduceScatter", "X", "A[I, J]{U_X}", "A[I, J_X]"), 144),
        (step("ReduceScatter", "Z", "A[I, J]{U_Z}", "A[I, J_Z]"), 2 * 96),
        (step("AllReduce", "Z", "A[I, J]{U_Z}", "A[I, J]"), 2 * 2 * 96),
        (step("AllReduce", "XZ", "A[I, J_Y]{U_{XZ}}", "A[I, J_Y]"), 2 * 5 * Fraction(144, 6)),
        (step("AllToAll", "X", "A[I_X, J]", "A[I, J_X]"), 72),
        (step("AllToAll", "XY", "A[I_{XY}, J]", "A[I, J_{XY}]"), 3 * 18),
        (step("CollectivePermute", "XY", "A[I_{XY}, J]", "A[I_{YX}, J]"), 72),
        (step("CollectivePermute", "XY", "A[I, J]{U_X}", "A[I, J]{U_Y}"), 288),
        (step("CollectivePermute", "XY", "A[I_X, J]", "A[I_X, J]"), 0),
        (step("Slice", "X", "A[I, J]", "A[I_X, J]"), 0),
        (step("Pad", "X", "A[I_X, J]", "A[I, J]{U_X}"), 0),
    ],
    ids=lambda one: getattr(one, "text", str(one)),
)
def test_elements_received_by_the_busiest_device(one, received):
    ran, failure = outcome(one)
    assert failure is None
    assert ran[0].received == received


LAWS = [
    [
        step("ReduceScatter", "X", "A[I, J]{U_X}", "A[I, J_X]"),
        step("AllGather", "X", "A[I, J_X]", "A[I, J]"),
    ],
    [step("Slice", "X", "A[I, J]", "A[I_X, J]"), step("AllGather", "X", "A[I_X, J]", "A[I, J]")],
    [step("AllToAll", "X", "A[I_X, J]", "A[I, J_X]"), step("AllToAll", "X", "A[I, J_X]", "A[I_X, J]")],
    [step("Mask", "X", "A[I, J]", "A[I, J]{U_X}"), step("AllReduce", "X", "A[I, J]{U_X}", "A[I, J]")],
    [step("Pad", "X", "A[I_X, J]", "A[I, J]{U_X}"), step("ReduceScatter", "X", "A[I, J]{U_X}", "A[I_X, J]")],
    [step("Relabel", "X", "A[I, J]", "A[I, J]{max_X}"), step("AllReduce", "X", "A[I, J]{max_X}", "A[I, J]")],
]


@pytest.mark.parametrize("steps", LAWS, ids=lambda steps: " then ".join(one.kind for one in steps))
def test_round_trips_preserve_the_array(steps):
    assert outcome(*steps)[1] is None


def test_an_all_reduce_costs_a_reduce_scatter_and_an_all_gather():
    both, _ = outcome(*LAWS[0])
    single, _ = outcome(step("AllReduce", "X", "A[I, J]{U_X}", "A[I, J]"))
    assert single[0].received == both[0].received + both[1].received
