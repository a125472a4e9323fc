"""Splitting words against the mesh: NOTATION section 2, the bullet on sharding subscripts."""

import pytest

from shardlang.semantics.words import LONGEST_SUBSCRIPT, lost_subscript, one_typo, split_axes, split_word

XY = ("X", "Y")
NAMES = ("data", "model")


@pytest.mark.parametrize(
    ("text", "axes", "expected"),
    [
        # With no mesh: one axis a capital letter; a word in small letters is one axis.
        ("X", None, ("X",)),
        ("XY", None, ("X", "Y")),
        ("X1Y2", None, ("X1", "Y2")),
        ("X'Y", None, ("X'", "Y")),
        ("data", None, ("data",)),
        ("tensor_parallel", None, ("tensor_parallel",)),
        # With a mesh: the longest name first, going back where that leads nowhere.
        ("XY", XY, ("X", "Y")),
        ("YX", XY, ("Y", "X")),
        ("XY", ("X", "Y", "XY"), ("XY",)),
        ("XYX", ("X", "XY"), ("XY", "X")),
        ("XYZ", ("XY", "X", "YZ"), ("X", "YZ")),
        ("datamodel", NAMES, ("data", "model")),
    ],
)
def test_subscripts_are_split_into_axes(text, axes, expected):
    assert split_axes(text, axes) == (expected, ())


@pytest.mark.parametrize(
    ("text", "axes", "names", "unknown"),
    [
        ("W", XY, ("W",), ("W",)),
        ("XW", XY, ("X", "W"), ("W",)),
        ("dat", NAMES, ("dat",), ("dat",)),
        ("1", None, ("1",), ("1",)),
    ],
)
def test_axes_that_the_mesh_does_not_have_are_named(text, axes, names, unknown):
    assert split_axes(text, axes) == (names, unknown)


@pytest.mark.parametrize(
    ("text", "axes", "stem", "names"),
    [
        # With no mesh: only where the tail is capitals or the stem is one capital.
        ("I_X", None, "I", ("X",)),
        ("I_XY", None, "I", ("X", "Y")),
        ("I_data", None, "I", ("data",)),
        ("head_XY", None, "head", ("X", "Y")),
        ("d_model_X", None, "d_model", ("X",)),
        ("d_model", None, "d_model", ()),
        ("head_dim", None, "head_dim", ()),
        ("D_1", None, "D_1", ()),
        ("I", None, "I", ()),
        # With a mesh: at the last `_` whose tail resolves wholly into axes.
        ("I_XY", XY, "I", ("X", "Y")),
        ("d_model", XY, "d_model", ()),
        ("d_model", NAMES, "d", ("model",)),
        ("head_dim_data", NAMES, "head_dim", ("data",)),
        ("I_data_1", ("data_1", "data"), "I", ("data_1",)),
        ("d_model_X", ("model_X", "X"), "d_model", ("X",)),
    ],
)
def test_plain_words_are_split_by_meaning(text, axes, stem, names):
    split = split_word(text, axes)
    assert (split.stem, split.axes, split.unknown) == (stem, names, ())


@pytest.mark.parametrize(
    ("text", "stem", "unknown"),
    [("I_W", "I", ("W",)), ("head_W", "head", ("W",)), ("I_dat", "I", ("dat",)), ("I_XW", "I", ("W",))],
)
def test_a_one_letter_stem_or_a_tail_of_capitals_is_an_unknown_axis(text, stem, unknown):
    split = split_word(text, XY)
    assert (split.stem, split.unknown) == (stem, unknown)


@pytest.mark.parametrize(
    ("text", "axes", "near"),
    [
        ("hidden_modl", NAMES, "model"),
        ("hidden_mdoel", NAMES, "model"),
        ("head_x", XY, "X"),
        ("head_dim", XY, None),
        ("d_k", XY, None),
    ],
)
def test_a_plain_dimension_one_typo_from_an_axis_is_noted(text, axes, near):
    assert split_word(text, axes).near == near


@pytest.mark.parametrize(
    ("text", "axes", "expected"),
    [
        ("DX", XY, "D_X"),
        ("DXY", XY, "D_{XY}"),
        ("Ddata", NAMES, "D_data"),
        ("D", XY, None),
        ("DW", XY, None),
        ("max", XY, None),
    ],
)
def test_a_word_that_lost_its_subscript(text, axes, expected):
    assert lost_subscript(text, axes) == expected


def test_one_typo_is_one_letter_changed_dropped_added_or_swapped():
    assert all(one_typo("model", other) for other in ("modal", "modl", "modeel", "omdel", "mode"))
    assert not any(one_typo("model", other) for other in ("model", "data", "mo", "ledom", "mdeol"))


def test_a_long_word_is_split_in_bounded_time():
    text = "XY" * (LONGEST_SUBSCRIPT // 2)
    assert len(split_axes(text, ("X", "Y", "XYX"))[0]) > LONGEST_SUBSCRIPT // 3
    endless = "X" * 100_000  # no mesh has so many axes: one name, which the mesh does not have
    assert split_axes(endless, ("X",)) == ((endless,), (endless,))
