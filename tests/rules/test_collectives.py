"""What each step gives and what it needs. Expected values: the table of NOTATION section 4, row by row."""

import pytest

from shardlang.rules.collectives import Request, StepProblem, Typed, apply_step, moved_axes
from tests.rules.arrays import array


def apply(kind, operand, axes=None, dim=None, stated=None):
    request = Request(None if axes is None else tuple(axes), dim, None if stated is None else array(stated))
    return apply_step(kind, array(operand), request)


# step, operand, axes, dimension, stated result; the axes and dimensions of the step, its result
GIVES = [
    # AllGather removes axes from dimensions
    ("AllGather", "[I_X]", "X", None, None, "X", "I", "[I]"),
    ("AllGather", "[I_X,J]", "X", None, None, "X", "I", "[I,J]"),
    ("AllGather", "[I,J_X]", "X", None, None, "X", "J", "[I,J]"),
    ("AllGather", "[I_XY]", "Y", None, None, "Y", "I", "[I_X]"),
    ("AllGather", "[I_XY]", "XY", None, None, "XY", "I", "[I]"),
    ("AllGather", "[I_XYZ]", "YZ", None, None, "YZ", "I", "[I_X]"),
    ("AllGather", "[I_X,J_Y]", "XY", None, None, "XY", "IJ", "[I,J]"),
    ("AllGather", "[I_X,J_Y]", "YX", None, None, "XY", "IJ", "[I,J]"),
    ("AllGather", "[I_XY]", "YX", None, None, "XY", "I", "[I]"),
    ("AllGather", "[I_X,J_Y]", "Y", None, None, "Y", "J", "[I_X,J]"),
    ("AllGather", "[I_XY,J_Z]", "YZ", None, None, "YZ", "IJ", "[I_X,J]"),
    ("AllGather", "[I_X]{U_Y}", "X", None, None, "X", "I", "[I]{U_Y}"),
    ("AllGather", "[I_X]{max_Y}", "X", None, None, "X", "I", "[I]{max_Y}"),
    ("AllGather", "[I_X,J_Y]", None, None, "[I,J_Y]", "X", "I", "[I,J_Y]"),
    ("AllGather", "[I_X,J_Y]", None, None, "[I,J]", "XY", "IJ", "[I,J]"),
    ("AllGather", "[I_XY]", None, None, "[I_X]", "Y", "I", "[I_X]"),
    ("AllGather", "[I_X,J_Y]", None, None, None, "XY", "IJ", "[I,J]"),
    ("AllGather", "[I_X,J]", "X", "I", None, "X", "I", "[I,J]"),
    # ReduceScatter: the axes become minor-most, major first
    ("ReduceScatter", "[I,J]{U_X}", "X", "J", None, "X", "J", "[I,J_X]"),
    ("ReduceScatter", "[I,J]{U_X}", "X", "I", None, "X", "I", "[I_X,J]"),
    ("ReduceScatter", "[I,J]{max_X}", "X", "J", None, "X", "J", "[I,J_X]"),
    ("ReduceScatter", "[I,J]{min_X}", "X", "J", None, "X", "J", "[I,J_X]"),
    ("ReduceScatter", "[I,J_Y]{U_X}", "X", "J", None, "X", "J", "[I,J_YX]"),
    ("ReduceScatter", "[I,J]{U_XY}", "XY", "J", None, "XY", "J", "[I,J_XY]"),
    ("ReduceScatter", "[I,J]{U_XY}", "YX", "J", None, "YX", "J", "[I,J_YX]"),
    ("ReduceScatter", "[I,J]{U_XY}", "X", "J", None, "X", "J", "[I,J_X]{U_Y}"),
    ("ReduceScatter", "[I,J]{max_XY}", "X", "J", None, "X", "J", "[I,J_X]{max_Y}"),
    ("ReduceScatter", "[I,J]{U_X}", "X", None, "[I,J_X]", "X", "J", "[I,J_X]"),
    ("ReduceScatter", "[I,J]{U_X}", None, None, "[I_X,J]", "X", "I", "[I_X,J]"),
    ("ReduceScatter", "[I,J]{U_XY}", None, None, "[I,J_YX]", "YX", "J", "[I,J_YX]"),
    ("ReduceScatter", "[I,J]{U_XY}", None, None, "[I_Y,J]{U_X}", "Y", "I", "[I_Y,J]{U_X}"),
    ("ReduceScatter", "[I,J]{U_X}", "X", None, "[I_X,J_Y]", "X", "I", "[I_X,J]"),  # Y is no business of this step
    ("ReduceScatter", "[I]{U_X}", "X", None, None, "X", "I", "[I_X]"),
    ("ReduceScatter", "[I]{U_X}", None, None, None, "X", "I", "[I_X]"),
    # AllReduce
    ("AllReduce", "[I]{U_X}", "X", None, None, "X", "", "[I]"),
    ("AllReduce", "[I]{max_X}", "X", None, None, "X", "", "[I]"),
    ("AllReduce", "[I]{min_X}", "X", None, None, "X", "", "[I]"),
    ("AllReduce", "[I_Z]{U_XY}", "X", None, None, "X", "", "[I_Z]{U_Y}"),
    ("AllReduce", "[I]{max_XY}", "Y", None, None, "Y", "", "[I]{max_X}"),
    ("AllReduce", "[I]{U_XY}", "XY", None, None, "XY", "", "[I]"),
    ("AllReduce", "[I]{U_XY}", None, None, None, "XY", "", "[I]"),
    ("AllReduce", "[I]{U_XY}", None, None, "[I]{U_X}", "Y", "", "[I]{U_X}"),
    ("AllReduce", "[]{U_X}", "X", None, None, "X", "", "[]"),
    # AllToAll: lost before gained
    ("AllToAll", "[I_X,J]", "X", "J", None, "X", "IJ", "[I,J_X]"),
    ("AllToAll", "[I,J_X]", "X", "I", None, "X", "JI", "[I_X,J]"),
    ("AllToAll", "[I_X,J_Y]", "X", "J", None, "X", "IJ", "[I,J_YX]"),
    ("AllToAll", "[I_XY,J]", "Y", "J", None, "Y", "IJ", "[I_X,J_Y]"),
    ("AllToAll", "[I_XY,J]", "XY", "J", None, "XY", "IJ", "[I,J_XY]"),
    ("AllToAll", "[I_X,J]{U_Y}", "X", "J", None, "X", "IJ", "[I,J_X]{U_Y}"),
    ("AllToAll", "[I_X,J]", "X", None, "[I,J_X]", "X", "IJ", "[I,J_X]"),
    ("AllToAll", "[I_X,J]", None, None, "[I,J_X]", "X", "IJ", "[I,J_X]"),
    ("AllToAll", "[I_XY,J,K]", None, None, "[I,J,K_XY]", "XY", "IK", "[I,J,K_XY]"),
    ("AllToAll", "[I_XY,J]", None, None, "[I,J_Y]", "Y", "IJ", "[I_X,J_Y]"),
    ("AllToAll", "[I_X,J,K]", "X", None, "[I,J_X,K_Y]", "X", "IJ", "[I,J_X,K]"),
    ("AllToAll", "[I_X,J]", "X", None, None, "X", "IJ", "[I,J_X]"),
    ("AllToAll", "[I_X,J,K]", "X", "K", None, "X", "IK", "[I,J,K_X]"),
    ("AllToAll", "[I_X,J]", None, "J", None, "X", "IJ", "[I,J_X]"),
    # CollectivePermute: the stated result
    ("CollectivePermute", "[I_XY]", None, None, "[I_YX]", "XY", "I", "[I_YX]"),
    ("CollectivePermute", "[I_X]", None, None, "[I_Y]", "XY", "I", "[I_Y]"),
    ("CollectivePermute", "[I]{U_X}", None, None, "[I]{U_Y}", "XY", "", "[I]{U_Y}"),
    ("CollectivePermute", "[I_X,J_Y]", None, None, "[I_Y,J_X]", "XY", "IJ", "[I_Y,J_X]"),
    ("CollectivePermute", "[I_XY,J_Z]", None, None, "[I_YX,J_Z]", "XY", "I", "[I_YX,J_Z]"),
    ("CollectivePermute", "[I_X]{U_Y}", None, None, "[I_Y]{U_X}", "XY", "I", "[I_Y]{U_X}"),
    ("CollectivePermute", "[I_X]", None, None, "[I_X]", "", "", "[I_X]"),
    ("CollectivePermute", "[I_X]", "X", None, "[I_X]", "", "", "[I_X]"),  # moves nothing: a warning, not an error
    ("CollectivePermute", "[I_XY]", "YX", None, "[I_YX]", "XY", "I", "[I_YX]"),
    ("CollectivePermute", "[I_X,J_Y]", None, None, "[J_X,I_Y]", "XY", "IJ", "[I_Y,J_X]"),
    # Slice: the axis becomes minor-most
    ("Slice", "[I]", "X", None, None, "X", "I", "[I_X]"),
    ("Slice", "[I,J]", "X", "J", None, "X", "J", "[I,J_X]"),
    ("Slice", "[I_Y,J]", "X", "I", None, "X", "I", "[I_YX,J]"),
    ("Slice", "[I,J]", "XY", "J", None, "XY", "J", "[I,J_XY]"),
    ("Slice", "[I,J]", "X", None, "[I,J_X]", "X", "J", "[I,J_X]"),
    ("Slice", "[I,J]", None, None, "[I_X,J]", "X", "I", "[I_X,J]"),
    ("Slice", "[I,J]", "X", None, "[I_X,J_Y]", "X", "I", "[I_X,J]"),
    ("Slice", "[I_Y,J]", None, None, "[I_YX,J]", "X", "I", "[I_YX,J]"),
    ("Slice", "[I]{U_Y}", "X", None, None, "X", "I", "[I_X]{U_Y}"),
    ("Slice", "[I]{max_Y}", "X", None, None, "X", "I", "[I_X]{max_Y}"),
    # Mask
    ("Mask", "[I]", "X", None, None, "X", "", "[I]{U_X}"),
    ("Mask", "[]", "X", None, None, "X", "", "[]{U_X}"),
    ("Mask", "[I_Y]", "X", None, None, "X", "", "[I_Y]{U_X}"),
    ("Mask", "[I]{U_Y}", "X", None, None, "X", "", "[I]{U_XY}"),
    ("Mask", "[I]", None, None, "[I]{U_X}", "X", "", "[I]{U_X}"),
    ("Mask", "[I]{U_X}", None, None, "[I]{U_XY}", "Y", "", "[I]{U_XY}"),
    # Pad
    ("Pad", "[I_X]", "X", None, None, "X", "I", "[I]{U_X}"),
    ("Pad", "[I_XY]", "Y", None, None, "Y", "I", "[I_X]{U_Y}"),
    ("Pad", "[I_XY]", "YX", None, None, "XY", "I", "[I]{U_XY}"),
    ("Pad", "[I_Y]{U_X}", "Y", None, None, "Y", "I", "[I]{U_XY}"),
    ("Pad", "[I_X]", None, None, "[I]{U_X}", "X", "I", "[I]{U_X}"),
    ("Pad", "[I_X]{U_Y}", None, None, "[I]{U_XY}", "X", "I", "[I]{U_XY}"),
    # Relabel
    ("Relabel", "[I]", "X", None, "[I]{max_X}", "X", "", "[I]{max_X}"),
    ("Relabel", "[I]", "X", None, "[I]{min_X}", "X", "", "[I]{min_X}"),
    ("Relabel", "[I]", None, None, "[I]{min_X}", "X", "", "[I]{min_X}"),
    ("Relabel", "[I]", "X", None, None, "X", "", "[I]{max_X}"),  # either would be right
    ("Relabel", "[I]{min_Y}", "X", None, None, "X", "", "[I]{min_XY}"),
    ("Relabel", "[I_Y]", "X", None, "[I_Y]{max_X}", "X", "", "[I_Y]{max_X}"),
]


@pytest.mark.parametrize(("kind", "operand", "axes", "dim", "stated", "over", "dims", "result"), GIVES)
def test_gives(kind, operand, axes, dim, stated, over, dims, result):
    assert apply(kind, operand, axes, dim, stated) == Typed(tuple(over), tuple(dims), array(result).sharding)


REFUSES = [
    # pending: neither a gather nor an exchange resolves a sum
    ("AllGather", "[I]{U_X}", "X", None, None, ("pending", "X")),
    ("AllGather", "[I_Y]{max_X}", "X", None, None, ("pending", "X")),
    ("AllToAll", "[I,J]{U_X}", "X", "J", None, ("pending", "X")),
    ("Pad", "[I]{U_X}", "X", None, None, ("pending", "X")),
    # not-sharded
    ("AllGather", "[I]", "X", None, None, ("not-sharded", "X")),
    ("AllGather", "[I_X]", "XY", None, None, ("not-sharded", "Y")),
    ("AllToAll", "[I_X,J]", "Y", "J", None, ("not-sharded", "Y")),
    ("Pad", "[I]", "X", None, None, ("not-sharded", "X")),
    # not-pending
    ("AllReduce", "[I]", "X", None, None, ("not-pending", "X")),
    ("AllReduce", "[I_X]", "X", None, None, ("not-pending", "X")),
    ("AllReduce", "[I]{U_X}", "XY", None, None, ("not-pending", "Y")),
    ("ReduceScatter", "[I]{U_Y}", "X", "I", None, ("not-pending", "X")),
    # major: what is taken off must be minor-most
    ("AllGather", "[I_XY]", "X", None, None, ("major", "X", "I")),
    ("AllGather", "[I_XYZ]", "XZ", None, None, ("major", "X", "I")),
    ("AllGather", "[I_Z,J_XY]", "ZX", None, None, ("major", "X", "J")),
    ("AllGather", "[I_XY]", None, None, "[I_Y]", ("major", "X", "I")),
    ("AllToAll", "[I_XY,J]", "X", "J", None, ("major", "X", "I")),
    ("Pad", "[I_XY]", "X", None, None, ("major", "X", "I")),
    # used: a free step needs the operand replicated on the axis
    ("Slice", "[I_X,J]", "X", "J", None, ("used", "X", "I")),
    ("Slice", "[I]{U_X}", "X", None, None, ("used", "X", None)),
    ("Mask", "[I_X]", "X", None, None, ("used", "X", "I")),
    ("Mask", "[I]{U_X}", "X", None, None, ("used", "X", None)),
    ("Mask", "[I]{max_Y}", "X", None, None, ("used", "X", None)),
    ("Pad", "[I_X]{max_Y}", "X", None, None, ("used", "X", None)),
    ("Pad", "[I_X]{max_Y}", None, None, "[I]{max_Y}", ("used", "")),
    ("Relabel", "[I_X]", "X", None, "[I]{max_X}", ("used", "X", "I")),
    ("Relabel", "[I]", "X", None, "[I]{U_X}", ("used", "X", None)),  # never {U_X}
    ("Relabel", "[I]{U_Y}", "X", None, None, ("used", "X", None)),
    # no-dim: several could be meant
    ("ReduceScatter", "[I,J]{U_X}", "X", None, None, ("no-dim", "X")),
    ("ReduceScatter", "[I,J]{U_XY}", None, None, "[I_X,J_Y]", ("no-dim", "X")),
    ("AllToAll", "[I_X,J,K]", "X", None, None, ("no-dim", "X")),
    ("AllToAll", "[I_XY,J]", None, None, "[I_X,J]", ("no-dim", "Y")),
    ("AllToAll", "[I_XY,J,K]", None, None, "[I,J_X,K_Y]", ("no-dim", "X")),
    ("Slice", "[I,J]", "X", None, None, ("no-dim", "X")),
    # same-dim, scattered
    ("AllToAll", "[I_X,J]", "X", "I", None, ("same-dim", "X", "I")),
    ("AllToAll", "[I_X,J_Y,K]", "XY", "K", None, ("scattered", "X")),
    # no-axes: nothing says which
    ("AllGather", "[I]", None, None, None, ("no-axes",)),
    ("AllGather", "[I_X]", None, None, "[I_X]", ("no-axes",)),
    ("AllReduce", "[I]", None, None, None, ("no-axes",)),
    ("AllReduce", "[I]{U_X}", None, None, "[I]{U_X}", ("no-axes",)),
    ("ReduceScatter", "[I]", None, "I", None, ("no-axes",)),
    ("AllToAll", "[I,J]", None, "J", None, ("no-axes",)),
    ("Slice", "[I]", None, None, None, ("no-axes",)),
    ("Slice", "[I_X]", None, None, "[I_X]", ("no-axes",)),
    ("Mask", "[I]", None, None, None, ("no-axes",)),
    ("Pad", "[I_X]", None, None, None, ("no-axes",)),
    ("Relabel", "[I]", None, None, None, ("no-axes",)),
    # a permute needs its result, with the same dimensions
    ("CollectivePermute", "[I_X]", None, None, None, ("no-result",)),
    ("CollectivePermute", "[I_X]", None, None, "[J_X]", ("shape",)),
    ("CollectivePermute", "[I_X]", None, None, "[I_X,J]", ("shape",)),
    # elsewhere: the axis is not on the dimension in the subscript
    ("AllGather", "[I_X,J]", "X", "J", None, ("elsewhere", "X", "J")),
    ("AllGather", "[I_X,J_Y]", "XY", "I", None, ("elsewhere", "X", "I")),
    ("Pad", "[I_X,J]", "X", "J", None, ("elsewhere", "X", "J")),
    # other-axes: a permute over other axes than its subscript says
    ("CollectivePermute", "[I_XY,J]", "X", None, "[I_YX,J]", ("other-axes", "X", "X,Y")),
    ("CollectivePermute", "[I_XY,J]", "ZX", None, "[I_YX,J]", ("other-axes", "Z", "X,Y")),
    # a dimension that is not there
    ("AllToAll", "[I_X,J]", "X", "K", None, ("no-such-dim", "", "K")),
    ("Slice", "[I]", "X", "K", None, ("no-such-dim", "", "K")),
]


@pytest.mark.parametrize(("kind", "operand", "axes", "dim", "stated", "problem"), REFUSES)
def test_refuses(kind, operand, axes, dim, stated, problem):
    assert apply(kind, operand, axes, dim, stated) == StepProblem(*problem)


def test_every_kind_of_problem_has_a_row():
    documented = {"pending", "not-sharded", "not-pending", "major", "used", "no-dim", "same-dim", "scattered"}
    documented |= {"no-axes", "no-result", "shape", "no-such-dim", "elsewhere", "other-axes"}
    assert {problem[0] for *_, problem in REFUSES} == documented


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ("[I_XY]", "[I_YX]", "XY"),
        ("[I_X]", "[I_Y]", "XY"),
        ("[I_X,J_Y]", "[I_Y,J_X]", "XY"),
        # blocks move only among devices that are alike on the axes that lead, or end, both lists
        ("[I_XYZ]", "[I_XZY]", "YZ"),
        ("[I_WXYZ]", "[I_WXZY]", "YZ"),
        ("[I_XYZ]", "[I_YXZ]", "XY"),
        ("[I_WXYZ]", "[I_XWYZ]", "WX"),
        ("[I_WXYZ]", "[I_WYXZ]", "XY"),
        ("[I_VWXYZ]", "[I_VWYXZ]", "XY"),
        ("[I_XYZ]", "[I_ZYX]", "XYZ"),
        ("[I_XZ]", "[I_YZ]", "XY"),
        ("[I_ZX]", "[I_ZY]", "XY"),
        ("[I_X,J_YZ]", "[I_X,J_ZY]", "YZ"),
        ("[I_X]", "[I_X]", ""),
        ("[I]{U_X}", "[I]{U_Y}", "XY"),
        ("[I]{U_XY}", "[I]{U_XZ}", "YZ"),
        ("[I_X]{U_Y}", "[I_Y]{U_X}", "XY"),
    ],
)
def test_the_axes_over_which_blocks_change_places(before, after, moved):
    assert moved_axes(array(before).sharding, array(after).sharding) == tuple(moved)


@pytest.mark.parametrize("kind", ["AllGather", "AllReduce", "AllToAll", "ReduceScatter", "Slice", "Mask", "Pad"])
def test_the_operand_of_another_order_of_dimensions_in_the_result(kind):
    """Which axes are meant does not depend on the order in which the stated result lists its dimensions."""
    texts = {
        "AllGather": ("[I_X,J]", "[J,I]"),
        "AllReduce": ("[I,J]{U_X}", "[J,I]"),
        "AllToAll": ("[I_X,J]", "[J_X,I]"),
        "ReduceScatter": ("[I,J]{U_X}", "[J_X,I]"),
        "Slice": ("[I,J]", "[J_X,I]"),
        "Mask": ("[I,J]", "[J,I]{U_X}"),
        "Pad": ("[I_X,J]", "[J,I]{U_X}"),
    }
    operand, stated = texts[kind]
    typed = apply(kind, operand, stated=stated)
    assert isinstance(typed, Typed)
    assert typed.axes == ("X",)
    assert set(array(stated).sharding.axes) == set(typed.result.axes)
