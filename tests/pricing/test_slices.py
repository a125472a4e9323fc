"""Mesh axes on the physical axes of a slice: COST_MODEL section 6, and every assignment tried one by one."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlang.diagnostics import Diagnostic
from shardlang.pricing.hardware import find_hardware
from shardlang.pricing.machine import collective_timer, machine_for
from shardlang.pricing.networks import symbols_of
from shardlang.pricing.slices import place_axes, shape_text, wraps
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.semantics.topology import parse_topology
from shardlang.source import Span

HERE = Span(0, 0)


def mesh(sizes, **asked):
    return Mesh(tuple(MeshAxis(n, s, parse_topology(asked[n]) if n in asked else None) for n, s in sizes.items()), True)


def on(chip, shape, sizes, **asked):
    machine, findings = machine_for(mesh(sizes, **asked), find_hardware(chip), shape=shape)
    return {n.name: n.words for n in machine.networks}, machine, findings


@pytest.mark.parametrize(
    ("chip", "shape", "expected"),
    [
        ("tpu-v5p", (16, 20, 28), (True, True, True)),
        ("tpu-v4p", (4, 4, 4), (True, True, True)),
        ("tpu-v5p", (4, 4, 2), (False, False, False)),
        ("tpu-v5p", (4, 4), (False, False)),  # 4x4x1 is no cube
        ("tpu-v5e", (16, 16), (True, True)),
        ("tpu-v5e", (16, 8), (True, False)),
        ("tpu-v6e", (4, 4), (False, False)),
        ("tpu-v5e", (32, 8), (False, False)),
    ],
)
def test_which_physical_axes_wrap_around(chip, shape, expected):
    assert wraps(find_hardware(chip), shape) == expected


@pytest.mark.parametrize(
    ("chip", "shape", "sizes", "expected"),
    [
        ("tpu-v5p", (16, 20, 28), {"X": 16, "Y": 560}, {"X": "ring", "Y": "ring over 2 physical axes"}),
        ("tpu-v5p", (16, 20, 28), {"X": 560, "Y": 16}, {"X": "ring over 2 physical axes", "Y": "ring"}),
        ("tpu-v5p", (16, 20, 28), {"X": 8960}, {"X": "ring over 3 physical axes"}),
        ("tpu-v5p", (4, 4, 4), {"X": 4, "Y": 4, "Z": 4}, {"X": "ring", "Y": "ring", "Z": "ring"}),
        ("tpu-v5p", (4, 4, 2), {"X": 16, "Y": 2}, {"X": "line over 2 physical axes", "Y": "line"}),
        ("tpu-v5e", (16, 8), {"X": 8, "Y": 16}, {"X": "line", "Y": "ring"}),
        ("tpu-v5e", (16, 8), {"X": 128}, {"X": "line over 2 physical axes"}),
        ("tpu-v5e", (16, 1), {"X": 16, "Y": 1}, {"X": "ring", "Y": "ring"}),
        # open sizes are what is left
        ("tpu-v5p", (16, 20, 28), {"X": None, "Y": 20}, {"X": "ring over 2 physical axes", "Y": "ring"}),
        ("tpu-v5p", (16, 20, 28), {"X": None, "Y": None, "Z": None}, {"X": "ring", "Y": "ring", "Z": "ring"}),
    ],
)
def test_mesh_axes_take_whole_physical_axes(chip, shape, sizes, expected):
    words, machine, findings = on(chip, shape, sizes)
    assert words == expected
    assert findings == ()
    assert all(shape_text(shape) in sentence for sentence in machine.assumptions)


def test_what_the_mesh_says_comes_before_the_rule_and_has_the_axes_of_the_slice():
    words, _, findings = on("tpu-v5p", (16, 20, 28), {"X": 16, "Y": 560}, X="line", Y="ring:2")
    assert (words, findings) == ({"X": "line", "Y": "ring over 2 physical axes"}, ())
    words, _, _ = on("tpu-v5p", (4, 4, 4), {"P": 2, "X": 64}, P="dcn")
    assert words == {"P": "dcn", "X": "ring over 3 physical axes"}  # axes between slices are none of the slice


def test_the_slice_says_how_many_physical_axes_an_open_number_is():
    words, machine, findings = on("tpu-v5p", (16, 20, 28), {"X": 16, "Y": 560}, X="ring:M_X", Y="ring:M_Y")
    assert (words, findings) == ({"X": "ring", "Y": "ring over 2 physical axes"}, ())
    assert symbols_of(machine.networks) == ("W_ici",)  # nothing is open that could keep plans from being timed


def test_the_order_of_the_mesh_decides_where_several_ways_fit_and_is_said():
    placed = place_axes(mesh({"X": 16, "Y": 64}), (16, 4, 16), HERE)
    assert (placed.physical, placed.several) == ({"X": (16,), "Y": (4, 16)}, False)  # either axis of 16 is the same
    placed = place_axes(mesh({"X": 16, "Y": 16}), (16, 4, 4), HERE)
    assert (placed.physical, placed.several) == ({"X": (16,), "Y": (4, 4)}, True)
    _, machine, _ = on("tpu-v5p", (16, 4, 4), {"X": 16, "Y": 16})
    assert machine.assumptions[0] == "X: ring (16 of slice 16x4x4, in the order of the mesh, which wraps around)"


def test_open_sizes_that_the_slice_decides():
    assert place_axes(mesh({"X": 16, "Y": None}), (16, 20, 28), HERE).sizes == {"Y": 560}
    assert place_axes(mesh({"X": None, "Y": None}), (16, 8), HERE).sizes == {"X": 16, "Y": 8}
    assert place_axes(mesh({"X": 8, "Y": 16, "Z": None}), (16, 8), HERE).sizes == {"Z": 1}


@pytest.mark.parametrize(
    ("shape", "sizes", "code", "words"),
    [
        ((16, 16), {"X": 8}, "SL507", "the mesh has 8 devices and the slice 16x16 has 256 chips"),
        ((16, 16), {"X": 512}, "SL507", "512 devices"),
        ((16, 16), {"X": 7, "Y": None}, "SL507", "7 devices"),
        ((16, 16), {"X": 8, "Y": 32}, "SL912", "`X=8` on the slice 16x16 takes part of a physical axis"),
        ((16, 16), {"X": 8, "Y": None}, "SL912", "`X=8`"),
        ((16, 4, 4), {"X": 16, "Y": 64}, "SL507", ""),
        ((16, 2, 8), {"X": 16, "Y": 8, "Z": 2}, None, ""),
        ((4, 6, 2), {"X": 12, "Y": 4}, None, ""),
        ((4, 6, 4), {"X": 24, "Y": 24}, "SL507", ""),
    ],
)
def test_a_mesh_that_a_slice_does_not_give(shape, sizes, code, words):
    found = place_axes(mesh(sizes), shape, HERE)
    if code is None:
        assert not isinstance(found, Diagnostic)
    else:
        assert found.code == code
        assert words in found.message
        assert found.hint


def test_axes_that_fit_alone_and_not_together():
    found = place_axes(mesh({"X": 12, "Y": 12}), (12, 3, 4), HERE)
    assert found.physical == {"X": (12,), "Y": (3, 4)}
    found = place_axes(mesh({"X": 6, "Y": 6, "Z": 5}), (2, 15, 6), HERE)
    assert (found.code, "`Z=5`" in found.message) == ("SL912", True)
    found = place_axes(mesh({"X": 6, "Y": 4}), (2, 3, 4), HERE)
    assert found.physical == {"X": (2, 3), "Y": (4,)}
    found = place_axes(mesh({"X": 16, "Y": 4}, X="ring:3"), (16, 4), HERE)
    assert (found.code, "as many as are asked for" in found.message) == ("SL912", True)


def test_a_slice_that_is_larger_than_a_pod():
    assert [f.code for f in on("tpu-v5e", (32, 16), {"X": 32, "Y": 16})[2]] == ["SL502"]
    assert on("tpu-v5p", (28, 16, 20), {"X": 28, "Y": 320})[2] == ()
    assert on("tpu-v2", (64, 64), {"X": 64, "Y": 64})[2] == ()  # no pod is stated


def test_an_axis_that_fills_its_slice_and_goes_on_between_slices():
    words, machine, findings = on("tpu-v5e", (16, 16), {"X": 512}, X="ring+dcn")
    assert (words, findings) == ({"X": "ring 256 over 2 physical axes and dcn 2"}, ())
    seconds = collective_timer(machine, {"X": 512})
    # Over DCN each slice brings in the half that it lacks, over the 256 chips' shares; in it two rings carry V.
    v = 1e9
    expected = max(v * 255 / 256 / (2 * 9e10), v / 2 / (256 * 3.125e9))
    assert seconds("AllGather", v / 512, ("X",)) == pytest.approx(expected)
    words, _, _ = on("tpu-v5e", (16, 16), {"X": 32, "Y": 16}, X="ring+dcn")
    assert words == {"X": "ring 16 and dcn 2", "Y": "ring"}


def test_without_a_shape_the_number_of_chips_splits_an_axis():
    axes = mesh({"X": 512, "Y": 2}, X="ring+dcn")
    machine, findings = machine_for(axes, find_hardware("tpu-v5e"), chips=256)
    assert ({n.name: n.words for n in machine.networks}["X"], findings) == ("ring 128 and dcn 4", ())


@settings(deadline=None)
@given(
    shape=st.lists(st.sampled_from([1, 2, 3, 4, 6, 8]), min_size=1, max_size=3),
    groups=st.lists(st.integers(0, 2), min_size=3, max_size=3),
)
def test_a_mesh_of_whole_axes_is_always_placed_and_only_on_whole_axes(shape, groups):
    sizes = {f"A{g}": math.prod(s for s, mine in zip(shape, groups, strict=False) if mine == g) for g in range(3)}
    found = place_axes(mesh(sizes), tuple(shape), HERE)
    assert {name: math.prod(taken) for name, taken in found.physical.items()} == sizes
    used = sorted(itertools.chain(*found.physical.values()))
    assert used == sorted(size for size in shape if size > 1)


def test_meshes_of_many_axes_and_of_more_devices_than_there_are_digits():
    many = {f"A{number}": 1 for number in range(3000)} | {"X": 16, "Y": None}
    found = place_axes(mesh(many), (16, 8), HERE)
    assert (found.physical["X"], found.physical["Y"], found.sizes) == ((16,), (8,), {"Y": 8})
    found = place_axes(mesh({f"A{number}": 10**59 for number in range(200)}), (16, 8), HERE)
    assert (found.code, "more than 1e+18 devices" in found.message) == ("SL507", True)
    found = place_axes(mesh({f"A{number}": 2 for number in range(7)}), (16, 8), HERE)
    assert found.code == "SL912"
