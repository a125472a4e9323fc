"""Networks beyond one torus or node: COST_MODEL section 8, and what crosses each link of a tree counted device by device."""

import itertools
import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlang.pricing.collectives import Link, Maths, hops, time
from shardlang.pricing.hardware import find_hardware
from shardlang.pricing.links import make_links
from shardlang.pricing.machine import collective_timer, machine_for
from shardlang.pricing.networks import Part
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.semantics.topology import parse_topology

V, S = 1e9, 1e6
W_EGRESS, W_NODE, W_LEAF = 4.5e11, 4e11, 1.28e13
RATES = {"W_egress": W_EGRESS, "W_node": W_NODE, "W_leaf": W_LEAF, "D_node": 8, "D_leaf": 32}
RATES |= {"W_dcn": 6.25e9, "W_pcie": 1.6e10, "W_ici": 1.8e11, "M_slice": 256}
KINDS = ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "CollectivePermute")


def mesh(sizes, **links):
    return Mesh(tuple(MeshAxis(n, s, parse_topology(links[n]) if n in links else None) for n, s in sizes.items()), True)


def links_on(chip, sizes, **asked):
    machine, findings = machine_for(mesh(sizes, **asked), find_hardware(chip) if chip else None)
    assert findings == ()
    return make_links(machine.networks, sizes, RATES.__getitem__)


def parts_on(chip, sizes, **asked):
    machine, _ = machine_for(mesh(sizes, **asked), find_hardware(chip))
    return {n.name: "+".join(f"{p.kind}:{p.degree}" for p in n.levels) for n in machine.networks}


@pytest.mark.parametrize(
    ("chip", "sizes", "expected"),
    [
        ("h100", {"X": 8}, {"X": "node:8"}),
        ("h100", {"X": 16}, {"X": "node:8+scale-out:2"}),
        ("h100", {"X": 1024}, {"X": "node:8+scale-out:32+spine:4"}),
        ("h100", {"X": 64, "Y": 4}, {"X": "node:2+scale-out:32", "Y": "node:4"}),
        ("h100", {"X": 16, "Y": 16}, {"X": "scale-out:16", "Y": "node:8+scale-out:2"}),
        ("h100", {"X": 64, "Y": 16}, {"X": "scale-out:16+spine:4", "Y": "node:8+scale-out:2"}),
        ("h100", {"X": 6}, {"X": "node:6"}),
        ("h100", {"X": 12}, {"X": "node:6+scale-out:2"}),
        ("h100", {"X": 4, "Y": 3}, {"X": "node:2+scale-out:2", "Y": "node:3"}),
        ("gb200-nvl72", {"X": 576}, {"X": "node:72+scale-out:8"}),
        ("b200", {"X": 4096}, {"X": "node:8+scale-out:512"}),
    ],
)
def test_axes_fill_a_node_then_a_leaf_then_the_spine_from_the_last_one(chip, sizes, expected):
    assert parts_on(chip, sizes) == expected


def test_what_is_asked_for_is_placed_first():
    assert parts_on("h100", {"X": 4, "Y": 8}, X="node") == {"X": "node:4", "Y": "node:2+scale-out:4"}
    assert parts_on("h100", {"X": 4, "Y": 8}, Y="scale-out") == {"X": "node:4", "Y": "scale-out:8"}
    assert parts_on("h100", {"X": 64}, X="node+scale-out") == {"X": "node:8+scale-out:8"}
    machine, _ = machine_for(mesh({"X": 8}, X="node:sharp"), find_hardware("h100"))
    assert machine.network("X").levels == (Part("node", 8, True),)
    assert machine.assumptions == ("X: node with in-network reduction (as given)",)


TABLE = [
    # sizes, topology, collective over, kind, model, seconds: COST_MODEL section 8
    ({"X": 8}, {"X": "node:sharp"}, "X", "AllReduce", "exact", V / W_EGRESS),
    ({"X": 8}, {"X": "node"}, "X", "AllReduce", "book", 2 * V * 7 / (8 * W_EGRESS)),
    ({"X": 4}, {"X": "scale-out"}, "X", "AllGather", "book", V / W_NODE),
    ({"X": 4}, {"X": "scale-out"}, "X", "ReduceScatter", "exact", V * 3 / (4 * W_NODE)),
    ({"X": 4}, {"X": "scale-out"}, "X", "AllReduce", "book", 2 * V / W_NODE),
    ({"X": 4}, {"X": "scale-out:sharp"}, "X", "AllReduce", "exact", V / W_NODE),
    ({"X": 4}, {"X": "scale-out"}, "X", "AllToAll", "book", V * 3 / (16 * W_NODE)),
    ({"X": 4}, {"X": "scale-out"}, "X", "CollectivePermute", "book", V / W_NODE),
    # the tree, V max (D-1)/(D W): split axes, and axes of several levels together
    ({"X": 16}, {}, "X", "AllGather", "book", V * max(7 / (8 * W_EGRESS), 1 / (2 * W_NODE))),
    ({"X": 1024}, {}, "X", "AllGather", "book", V * max(7 / (8 * W_EGRESS), 31 / (32 * W_NODE), 3 / (4 * W_LEAF))),
    ({"P": 128, "Q": 8}, {}, "PQ", "AllGather", "book", V * 31 / (32 * W_NODE)),
    ({"X": 256}, {}, "X", "AllReduce", "exact", 2 * V * 31 / (32 * W_NODE)),
    ({"X": 256}, {"X": "node:sharp+scale-out:sharp"}, "X", "AllReduce", "exact", V / W_NODE),
    ({"X": 16}, {}, "X", "AllToAll", "book", V / (4 * W_NODE)),
    # an array sharded on an inner axis: here V is what a device gets, 1/Y of the whole array
    ({"X": 64, "Y": 4}, {}, "X", "AllGather", "book", 4 * V * 31 / (32 * W_NODE)),
    ({"X": 16, "Y": 16}, {}, "X", "AllGather", "book", 8 * V / W_NODE),
    ({"X": 2, "Y": 4}, {"X": "node:sharp", "Y": "node"}, "X", "AllReduce", "book", V / W_EGRESS),
    # between slices and to the host
    ({"P": 4}, {"P": "dcn"}, "P", "AllReduce", "exact", 2 * V * 3 / (4 * 256 * 6.25e9)),
    ({"P": 4, "X": 16}, {"P": "dcn", "X": "ring"}, "P", "AllReduce", "book", 2 * V / 6.25e9),
    ({"P": 4, "X": 16}, {"P": "dcn", "X": "ring"}, "PX", "AllGather", "book", V / (16 * 6.25e9)),
    ({"P": 4, "X": 16}, {"P": "dcn", "X": "ring"}, "PX", "AllToAll", "book", V * 48 / (64 * 64 * 6.25e9)),
    ({"P": 2}, {"P": "pcie"}, "P", "AllGather", "exact", V / (2 * 1.6e10)),
]


@pytest.mark.parametrize(("sizes", "asked", "over", "kind", "model", "seconds"), TABLE)
def test_times(sizes, asked, over, kind, model, seconds):
    chip = "tpu-v5p" if {"dcn", "pcie"} & set(asked.values()) else "h100"
    links = links_on(chip, sizes, **asked)
    assert time(kind, V, [links[axis] for axis in over], model) == pytest.approx(seconds, rel=1e-12)


def test_a_gather_over_two_slices_of_a_slow_torus_is_bound_by_it():
    links = links_on("tpu-v5p", {"P": 2, "X": 16}, P="dcn", X="ring")
    slow = {**links, "X": links["X"]._replace(bandwidth=1e6)}
    assert time("AllGather", V, [slow["P"], slow["X"]], "book") == V / 1e6
    assert time("AllToAll", V, [slow["P"], slow["X"]], "book") == V / 2 / (4 * 1e6)


def crossing(sizes, over, degree):
    """Shares of V that leave each part of `degree` devices, when each device sends each other one its block."""
    axes = list(sizes)
    places = list(itertools.product(*(range(sizes[axis]) for axis in axes)))
    n = math.prod(sizes[axis] for axis in over)
    sent = {}
    for at, source in enumerate(places):
        for to, target in enumerate(places):
            if any(a != b for a, b, axis in zip(source, target, axes, strict=True) if axis not in over):
                continue
            if at // degree != to // degree:
                sent[at // degree] = sent.get(at // degree, 0) + 1 / n**2
    return max(sent.values(), default=0)


@pytest.mark.parametrize("sizes", [{"X": 16}, {"X": 4, "Y": 4}, {"X": 2, "Y": 16}, {"X": 8, "Y": 2}, {"X": 3, "Y": 8}])
def test_an_exchange_takes_what_the_busiest_link_carries(sizes):
    links = links_on("h100", sizes)
    for over in ("X", "Y", "XY") if "Y" in sizes else ("X",):
        expected = max(crossing(sizes, over, 1) / W_EGRESS, crossing(sizes, over, 8) / W_NODE) * V
        found = time("AllToAll", V, [links[axis] for axis in over], "exact")
        if any(p.kind == "scale-out" for axis in over for p in links[axis].parts or (links[axis],)):
            assert found == pytest.approx(expected)
        else:  # axes in the node use no other link
            assert found == pytest.approx(crossing(sizes, over, 1) / W_EGRESS * V)


@pytest.mark.parametrize("sizes", [{"X": 16}, {"X": 4, "Y": 4}, {"X": 8, "Y": 16}, {"X": 32, "Y": 2}, {"X": 3, "Y": 8}])
def test_a_gather_brings_each_node_what_its_groups_lack(sizes):
    """Each group of devices that gathers brings into a node what no device of it there has, once."""
    links = links_on("h100", sizes)
    places = list(itertools.product(*(range(size) for size in sizes.values())))
    where = list(sizes).index("X")
    lacking = {}
    for node in range(len(places) // 8):
        inside = places[8 * node : 8 * node + 8]
        groups = {place[:where] + place[where + 1 :] for place in inside}
        for group in groups:
            here = sum(place[:where] + place[where + 1 :] == group for place in inside)
            lacking[node] = lacking.get(node, 0) + 1 - here / sizes["X"]
    time_out = max(lacking.values()) * V / W_NODE
    in_node = {part.kind: part.size for part in links["X"].parts or (links["X"],)}.get("node", 1)
    expected = max(time_out, (1 - 1 / in_node) * V / W_EGRESS)
    assert time("AllGather", V, [links["X"]], "exact") == pytest.approx(expected)


def test_hops_of_a_tree_are_the_logarithm_of_its_devices():
    links = links_on("h100", {"X": 256})
    assert hops("AllGather", [links["X"]]) == 8
    assert hops("AllReduce", [links["X"]]) == 16
    sharp = links_on("h100", {"X": 8}, X="node:sharp")
    assert hops("AllReduce", [sharp["X"]]) == 3
    assert hops("AllGather", [Link(8, "ring", 1.0), Link(4, "dcn", 1.0)]) == 4 + 2


def test_axes_of_one_level_share_its_links_and_a_split_axis_uses_those_of_each():
    machine, _ = machine_for(mesh({"X": 16, "Y": 16}), find_hardware("h100"))
    assert machine.shared("X") == (("scale-out", ("X", "Y")),)
    assert machine.shared("Y") == (("node", ("Y",)), ("scale-out", ("X", "Y")))
    assert machine.groups() == (("X", "Y"), ("Y",))


def test_what_planning_compares():
    sizes = {"X": 64, "Y": 4}
    seconds = collective_timer(machine_for(mesh(sizes), find_hardware("h100"))[0], sizes)
    assert seconds("AllReduce", 1e9, ("X",)) == pytest.approx(2 * 4e9 * 31 / (32 * W_NODE))
    assert collective_timer(machine_for(mesh({"X": 16}), find_hardware("a100"))[0], {"X": 16}) is None  # no W_node
    open_size = mesh({"X": 16, "Y": None}, X="scale-out")
    assert collective_timer(machine_for(open_size, find_hardware("h100"))[0], {"X": 16}) is None
    slices = mesh({"P": 2, "X": 16}, P="dcn")
    seconds = collective_timer(machine_for(slices, find_hardware("tpu-v5p"))[0], {"P": 2, "X": 16})
    assert seconds("AllGather", 1e6, ("P",)) == pytest.approx(1e6 / 6.25e9)


def test_the_axes_between_slices_are_none_of_the_slice():
    machine, _ = machine_for(mesh({"P": 2, "X": 16}, P="dcn"), find_hardware("tpu-v5p"))
    assert machine.network("X").kind == "ring"  # P=2 does not keep the slice from being one of 4x4x4 cubes
    four = machine_for(mesh({"P": 2, "X": 4, "Y": 4, "Z": 4}, P="dcn"), find_hardware("tpu-v5p"))[1]
    assert four == ()


SYMBOLIC = Maths(sympy.Max, sympy.ceiling, lambda n: sympy.log(n) / sympy.log(2), sympy.Min)
ARRAYS = Maths(
    lambda *args: np.maximum.reduce(np.broadcast_arrays(*args)),
    np.ceil,
    np.log2,
    lambda *args: np.minimum.reduce(np.broadcast_arrays(*args)),
)
TOPOLOGIES = ["node", "scale-out", "node+scale-out", "scale-out+spine", "node+scale-out+spine", "dcn", "pcie", "ring"]


@settings(deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    wired=st.lists(st.sampled_from(TOPOLOGIES), min_size=1, max_size=3),
    sizes=st.lists(st.integers(2, 64), min_size=3, max_size=3),
    model=st.sampled_from(["book", "exact"]),
    latency=st.sampled_from([None, 1e-6]),
)
def test_numbers_arrays_and_symbols_agree(kind, wired, sizes, model, latency):
    names = "XYZ"[: len(wired)]
    asked = dict(zip(names, wired, strict=True))
    numbers = dict(zip(names, sizes, strict=False))
    machine, _ = machine_for(mesh(dict.fromkeys(names), **asked), None)
    plain = make_links(machine.networks, numbers, RATES.__getitem__)
    expected = time(kind, V, [plain[name] for name in names], model, latency)

    stacked = make_links(machine.networks, {n: np.full(3, float(s)) for n, s in numbers.items()}, RATES.get, ARRAYS)
    vector = time(kind, np.full(3, V), [stacked[name] for name in names], model, latency, ARRAYS)
    assert np.allclose(vector, expected, rtol=1e-12)

    symbols = {name: sympy.Symbol(name, positive=True) for name in (*names, *RATES, "V", "T")}
    open_links = make_links(machine.networks, {n: symbols[n] for n in names}, symbols.__getitem__, SYMBOLIC)
    wait = symbols["T"] if latency else None
    formula = time(kind, symbols["V"], [open_links[name] for name in names], model, wait, SYMBOLIC)
    values = {symbols[name]: value for name, value in (numbers | RATES | {"V": V, "T": latency or 0}).items()}
    assert math.isclose(float(formula.subs(values)), expected, rel_tol=1e-9)
