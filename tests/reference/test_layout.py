"""The denotation, checked against layouts written out by hand from NOTATION section 1."""

import numpy as np
import pytest

from shardlang.planning import plan
from shardlang.reference.grid import Grid
from shardlang.reference.layout import LayoutError, denote, distribute, same
from shardlang.reference.program import run_plan
from shardlang.semantics import Options, resolve
from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.reference.build import value

MESH = Grid({"X": 2, "Y": 2})
SIZES = {"I": 8, "J": 4}


def test_grid_counts_the_first_axis_major():
    assert MESH.rank((1, 0), ("X", "Y")) == 2
    assert MESH.rank((1, 0), ("Y", "X")) == 1


def test_groups_differ_only_along_their_axes_and_stand_in_the_order_asked_for():
    assert MESH.groups(("Y",)) == (((0, 0), (0, 1)), ((1, 0), (1, 1)))
    assert MESH.groups(("Y", "X")) == (((0, 0), (1, 0), (0, 1), (1, 1)),)


def test_a_mesh_axis_has_at_least_one_device():
    with pytest.raises(ValueError, match="mesh axis X has the size 0"):
        Grid({"X": 0})


def test_a_mesh_that_is_too_large_is_refused_before_it_is_built():
    with pytest.raises(ValueError, match="a mesh of 1048576 devices is too large to simulate"):
        Grid({"X": 1024, "Y": 1024})


def test_blocks_are_consecutive_and_the_first_axis_is_major():
    whole = np.arange(8.0)
    xy = distribute(MESH, value("A[I_{XY}]").type, whole, np.random.default_rng(0))
    yx = distribute(MESH, value("A[I_{YX}]").type, whole, np.random.default_rng(0))
    assert {device: list(block) for device, block in xy.items()} == {
        (0, 0): [0, 1],
        (0, 1): [2, 3],
        (1, 0): [4, 5],
        (1, 1): [6, 7],
    }
    assert {device: list(block) for device, block in yx.items()} == {
        (0, 0): [0, 1],
        (0, 1): [4, 5],
        (1, 0): [2, 3],
        (1, 1): [6, 7],
    }


@pytest.mark.parametrize(
    "text", ["A[I, J]", "A[I_X, J_Y]", "A[I_{YX}, J]", "A[I, J_X]{U_Y}", "A[I, J]{max_{XY}}", "A[I_Y, J]{min_X}"]
)
def test_distributing_and_reading_back_is_the_identity(text):
    whole = np.random.default_rng(1).integers(-5, 6, (8, 4)).astype(float)
    blocks = distribute(MESH, value(text).type, whole, np.random.default_rng(2))
    assert np.array_equal(denote(MESH, value(text).type, blocks, SIZES), whole)


@pytest.mark.parametrize("text", ["A[I]{U_X}", "A[I]{max_X}", "A[I]{min_X}"])
def test_no_device_of_a_pending_array_holds_the_whole(text):
    whole = np.arange(8.0)
    blocks = distribute(MESH, value(text).type, whole, np.random.default_rng(3))
    assert all(not np.array_equal(block, whole) for block in blocks.values())


def test_copies_that_differ_are_refused_with_the_devices():
    blocks = distribute(MESH, value("A[I_X]").type, np.arange(8.0), np.random.default_rng(0))
    blocks[1, 1] = blocks[1, 1] + 1
    with pytest.raises(LayoutError, match=r"\(X=1, Y=0\) and \(X=1, Y=1\) should hold copies") as caught:
        denote(MESH, value("A[I_X]").type, blocks, SIZES)
    assert caught.value.devices == ((1, 0), (1, 1))


def test_a_block_of_the_wrong_shape_is_refused():
    blocks = distribute(MESH, value("A[I_X]").type, np.arange(8.0), np.random.default_rng(0))
    with pytest.raises(LayoutError, match=r"has the shape \(4,\), the layout says \(8,\)"):
        denote(MESH, value("A[I]").type, blocks, SIZES)


def test_a_dimension_that_does_not_divide_is_refused():
    with pytest.raises(LayoutError, match="dimension I of size 7 does not divide into 2 blocks"):
        distribute(MESH, value("A[I_X]").type, np.arange(7.0), np.random.default_rng(0))


def test_large_numbers_may_be_rounded():
    """A float has 53 bits: sums of large products in another order differ in the last ones, which is no wrong block."""
    text = (
        "mesh X=2, Y=4\nlet I = 8, J = 16, K = 24, L = 32\n"
        "A[I, J_Y] ·_J B[J_Y, K] ·_K C[K_Y, L]{U_X} ·_L D[L_Y] -> R[I_{XY}]\nR[I_{XY}] ·_I R[I_{XY}] -> S[]"
    )
    module, _ = parse(SourceText(text))
    program, _ = resolve(module, Options())
    mesh, sizes = {"X": 2, "Y": 4}, {"I": 8, "J": 16, "K": 24, "L": 32}
    assert all(run_plan(plan(program), mesh, sizes, seed=seed).ok for seed in range(6))
    large = np.array([2.0**40, 2.0**41])
    assert same(large + 2.0**-10, large)
    assert not same(large + 2.0**6, large)
    assert not same(np.array([1.25]), np.array([1.0]))
