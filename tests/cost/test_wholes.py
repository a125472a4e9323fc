"""Whole splits, each on the links that its sizes have: the same numbers as the price of the written-out plan on that mesh."""

import importlib
import math

import pytest

import shardlang
from shardlang.cost.wiring import Wirings

WRITTEN = """
AllGather_Y In[B_X,D_Y] -> In[B_X,D]
AllGather_X W_in[D_X,F_Y] -> W_in[D,F_Y]
In[B_X,D] · W_in[D,F_Y] -> H[B_X,F_Y]
AllGather_X W_out[F_Y,D_X] -> W_out[F_Y,D]
H[B_X,F_Y] · W_out[F_Y,D] -> Out[B_X,D]{U_Y}
ReduceScatter_{Y,D} Out[B_X,D]{U_Y} -> Out[B_X,D_Y]
"""
SIZES = {"B": 2**18, "D": 8192, "F": 28672}


def best(devices, text=WRITTEN, axes="X*Y", **keywords):
    report = shardlang.optimum(text, f"{axes} = {devices}", "X", **{"sizes": SIZES, "roofs": "math,ici", **keywords})
    assert report.ok, report.diagnostics
    return report


def sizes_of(one):
    return {axis.name: size for axis, size in one.sizes.items()}


def price(mesh, of="t_comms", text=WRITTEN, **keywords):
    report = shardlang.cost(text, mesh=mesh, **{"sizes": SIZES, "roofs": "math,ici", **keywords})
    assert report.ok, report.diagnostics
    return report.value(getattr(report, of))


def is_slice(mesh, shape):
    """Whether the sizes are products of disjoint sets of the physical axes; by trying all maps of them to axes."""
    axes = list(mesh)
    for code in range(len(axes) ** len(shape)):
        made = dict.fromkeys(axes, 1)
        for at, length in enumerate(shape):
            made[axes[code // len(axes) ** at % len(axes)]] *= length
        if made == mesh:
            return True
    return False


@pytest.mark.parametrize("of", ["t_comms", "t_upper"])
@pytest.mark.parametrize(
    ("devices", "keywords"),
    [
        (64, {"hardware": "h100"}),
        (512, {"hardware": "h100"}),
        (48, {"hardware": "h100", "comms": "sum", "uneven": True}),
        (64, {"hardware": "h100", "model": "exact", "latency": True, "sizes": {**SIZES, "T_min": 1e-6}}),
        (64, {"hardware": "b200", "assume": "1 << B"}),
        (64, {"hardware": "tpu-v5e"}),
        (256, {"hardware": "tpu-v5e"}),
        (60, {"hardware": "tpu-v5p", "uneven": True}),
        (256, {"hardware": "tpu-v5e", "slice": "16x16"}),
        (32, {"hardware": "tpu-v5e", "slice": "4x8", "latency": True}),
        (4096, {"hardware": "tpu-v5p", "slice": "16x16x16"}),
        (256, {"hardware": "tpu-v5p", "slice": "4x8x8", "model": "exact"}),
        (64, {"hardware": "tpu-v5p", "topology": {"X": "ring:2", "Y": "line"}}),
    ],
    ids=str,
)
def test_every_whole_split_costs_what_its_mesh_costs(devices, keywords, of):
    found = best(devices, of=of, **keywords).optimum
    meshes = [{"X": x, "Y": devices // x} for x in range(1, devices + 1) if devices % x == 0]
    if "slice" in keywords:
        shape = tuple(map(int, keywords["slice"].split("x")))
        meshes, out = [m for m in meshes if is_slice(m, shape)], [m for m in meshes if not is_slice(m, shape)]
        assert [{a.name: n for a, n in sizes.items()} for sizes in found.existing.left_out] == out
    prices = {tuple(mesh.values()): price(mesh, of, **keywords) for mesh in meshes}
    assert {tuple(sizes_of(one).values()): one.value for one in found.whole} == pytest.approx(prices, rel=1e-12)
    assert [one.value for one in found.whole] == pytest.approx(sorted(prices.values()), rel=1e-12)
    assert len(found.whole) == len(prices) > 1
    if found.existing.slower_than == "best":
        least = min(prices.values())
        assert [one.slower for one in found.whole] == pytest.approx([one.value / least - 1 for one in found.whole])


def test_the_best_split_of_gpus_is_not_that_of_one_node():
    """X=32, Y=2 is 1.31 ms inside a node; four devices of each of 8 nodes gather over the network beyond it."""
    report = best(64, hardware="h100")
    (finding,) = report.diagnostics
    assert (finding.code, finding.severity) == ("SL508", "warning")
    assert "X is in one node" in finding.message
    assert "X = 32, Y = 2, the best whole split, X is node 4 and scale-out 8" in finding.message
    assert "2.055 ms, not 1.31 ms" in finding.message
    assert "--topology X=node+scale-out,Y=node" in finding.hint
    found = report.optimum
    assert found.seconds == pytest.approx(1.247e-3, rel=1e-3)  # the formula stays, for the links that it takes
    assert found.whole[0].formula == pytest.approx(1.31072e-3, rel=1e-3)
    # two gathers of D·F over 8 nodes of 400 GB/s, each Y-th of them in a device, all devices of a node at once
    assert found.whole[0].value == pytest.approx(2 * (7 / 8) * 2 * 8192 * 28672 / 4e11)
    assert found.existing.slower_than == "best"


def test_where_the_links_are_those_of_the_formula_nothing_is_said():
    report = best(64, hardware="tpu-v5p", topology={"X": "ring", "Y": "ring"})
    assert report.diagnostics == ()
    assert report.optimum.existing.slower_than == "optimum"
    assert best(8, hardware="h100").diagnostics == ()
    assert best(64).diagnostics == ()


def test_the_finding_stands_at_the_axis_and_can_be_ignored():
    report = best(64, "mesh X, Y\n" + WRITTEN, hardware="h100")
    assert [(f.code, f.span.line, f.span.column) for f in report.diagnostics] == [("SL508", 1, 6)]
    assert best(64, hardware="h100", ignore="SL508").diagnostics == ()
    assert best(64, "mesh X, Y  # shardlang: ignore[SL508]\n" + WRITTEN, hardware="h100").diagnostics == ()


def test_the_slice_leaves_the_axes_of_the_split_open():
    """A v5p of 16x16x16 has four splits over two axes; two physical axes halve the time of one."""
    report = best(4096, hardware="tpu-v5p", slice="16x16x16")
    assert {finding.code for finding in report.diagnostics} == {"SL508"}
    found = report.optimum
    assert next(sizes_of(one) for one in found.whole) == {"X": 256, "Y": 16}
    assert {one.sizes[found.variable] for one in found.whole} == {1, 16, 256, 4096}
    assert found.place.formula is not None
    gathers = 2 * 2 * 8192 * 28672 / (16 * 2 * 1.8e11)  # of the weights over X, which has two rings
    moves = 2 * 2 * 2**18 * 8192 / (256 * 1.8e11)  # of the activations over Y
    assert found.whole[0].value == pytest.approx(max(gathers, moves))


def test_three_axes_on_a_slice_take_whole_physical_axes():
    text = "AllGather_X W[D_X,F_{YZ}] -> W[D,F_{YZ}]\nAllGather_{YZ} In[B_X,D_{YZ}] -> In[B_X,D]"
    keywords = {"hardware": "tpu-v5p", "slice": "4x8x16"}
    report = best(512, text, "X*Y*Z", mesh="X,Y,Z", **keywords)
    found = report.optimum
    assert {one.sizes[found.variable] for one in found.whole} == {1, 4, 8, 16, 32, 64, 128, 512}
    for one in found.whole:
        assert is_slice(sizes_of(one), (4, 8, 16))
        assert one.value == pytest.approx(price(sizes_of(one), text=text, **keywords), rel=1e-12)


def test_of_several_axes_beside_it_the_best_is_taken():
    """On a v5e X=1 leaves 256 for Y and Z: 16 each are two rings, any other split has lines."""
    text = "AllGather_Y W[D_Y,F_Z] -> W[D,F_Z]\nAllGather_Z V[B_Z,F_X] -> V[B,F_X]"
    found = best(256, text, "X*Y*Z", mesh="X,Y,Z", hardware="tpu-v5e").optimum
    for one in found.whole:
        rest = 256 // one.sizes[found.variable]
        pairs = [(y, rest // y) for y in range(1, rest + 1) if rest % y == 0]
        prices = [price({"X": 256 // rest, "Y": y, "Z": z}, text=text, hardware="tpu-v5e") for y, z in pairs]
        assert one.value == pytest.approx(min(prices), rel=1e-12)


def test_work_is_bounded_and_says_so(monkeypatch):
    wiring = importlib.import_module("shardlang.cost.wiring")
    monkeypatch.setattr(wiring, "_MOST_STEPS", 0)
    monkeypatch.setattr(wiring, "_LEAST", 5)
    found = best(2**12, hardware="h100").optimum
    assert len(found.whole) == 5
    assert found.existing.passed == 13 - 5
    middle = math.log(found.place.value)
    near = sorted(range(13), key=lambda power: abs(power * math.log(2) - middle))[:5]
    assert {int(math.log2(one.sizes[found.variable])) for one in found.whole} == set(near)


def test_sizes_with_the_same_links_are_priced_once():
    estimate = shardlang.cost(WRITTEN, hardware="tpu-v5e", sizes=SIZES).estimate
    x, y = (estimate.pricer.names.axes()[axis] for axis in "XY")
    wirings = Wirings(estimate, {})
    prices = []
    for size in (2, 4, 8):
        machine = wirings.machine({x: size, y: 4})
        prices.append(wirings.at({x: size, y: 4}, machine).estimate)
    assert prices[0] is prices[1] is prices[2]
    machine = wirings.machine({x: 16, y: 4})
    assert wirings.at({x: 16, y: 4}, machine).estimate is not prices[0]
