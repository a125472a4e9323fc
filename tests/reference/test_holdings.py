"""The picture of a failure: which devices are wrong, and the block that each holds, worked out by hand."""

from shardlang.reference.execute import run_steps
from tests.reference.build import local, step


def held(steps, mesh, sizes):
    _, failure = run_steps(steps, mesh, sizes)
    assert failure is not None
    return [(dict(one.device), one.ok, one.should, one.holds) for one in failure.held]


def test_a_gather_of_the_major_axis_leaves_strided_blocks():
    # A[I_{XY}]: device (x, y) has block 2x + y of 3 rows. Gathered over X, y has the blocks y and 2 + y.
    found = held([step("AllGather", "X", "A[I_{XY}]", "A[I_Y]")], {"X": 2, "Y": 2}, {"I": 12})
    assert found == [
        ({"X": x, "Y": y}, False, ["[0:6]", "[6:12]"][y], ["[0:3 6:9]", "[3:6 9:12]"][y])
        for x in (0, 1)
        for y in (0, 1)
    ]


def test_a_device_that_is_right_by_chance_is_said_to_be():
    # Cut as I_{XY} although the text says I_{YX}: the blocks 0 and 3 are the same in both.
    found = held([step("Slice", "X", "A[I_Y]", "A[I_{XY}]")], {"X": 2, "Y": 2}, {"I": 8})
    assert [one[1:] for one in found] == [
        (True, "[0:2]", "[0:2]"),
        (False, "[2:4]", "[4:6]"),
        (False, "[4:6]", "[2:4]"),
        (True, "[6:8]", "[6:8]"),
    ]


def test_a_sum_that_is_not_finished_is_no_block():
    product = local("contract", ("A[I, J_X]", "B[J_X, K]"), "C[I, K]", "J")
    found = held([product], {"X": 2}, {"I": 4, "J": 8, "K": 6})
    assert [one[1:] for one in found] == [(False, "[:, :]", None)] * 2


def test_addends_count_together():
    product = local("contract", ("A[I, J]", "B[J, K]"), "C[I, K]{U_X}", "J")  # each device has the whole sum
    found = held([product], {"X": 2}, {"I": 4, "J": 8, "K": 6})
    assert [one[1:] for one in found] == [(False, "an addend of [:, :]", "[:, :]")] * 2


def test_a_step_that_makes_no_blocks_has_no_picture():
    assert held([step("AllGather", "X", "A[I]", "A[I]")], {"X": 2}, {"I": 4}) == []
    assert held([step("Slice", "X", "A[I]", "A[I_X]")], {"X": 2}, {"I": 5}) == []
