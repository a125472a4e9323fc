"""Rooflines of all levels. Figures are those of the book's tables, places are worked out here from the formulas of its chapters."""

from math import log
from pathlib import Path

import pytest

import shardlang
from shardlang.pictures.chart import Chart
from tests.pictures.drawn import Drawn, assert_legible

GATHERS = "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]"
MLP = (Path(__file__).parents[2] / "docs" / "examples" / "mlp-2d.shard").read_text("utf-8")
V5P = {"hardware": "tpu-v5p"}
C, W_ICI, W_HBM, W_PCIE = 4.59e14, 1.8e11, 2.8e12, 1.6e10
SIZES = {"D": 8192, "F": 32768}
MESH = {"X": 16, "Y": 4}
ALL = "math,ici,hbm,vmem,pcie"


def roofline(text=MLP, **keywords):
    sizes = {"B": 65536, **SIZES, **keywords.pop("sizes", {})}
    return shardlang.plot(text, "roofline", **{**V5P, "sizes": sizes, **keywords})


def lines(chart: Chart) -> dict[str, tuple[tuple[float, float], ...]]:
    """The lines of the levels by the names of these, such as `ici:X`; the flat ones begin with `arithmetic`."""
    return {curve.name.rpartition(": ")[0]: curve.points for curve in chart.curves}


def spots(chart: Chart) -> dict[str, dict[str, tuple[float, float]]]:
    names = list(lines(chart))
    return {point.name: {names[spot.curve]: (spot.x, spot.y) for spot in point.spots} for point in chart.points}


def binding(chart: Chart) -> dict[str, str | None]:
    names = list(lines(chart))
    found = {}
    for point in chart.points:
        strong = [names[spot.curve] for spot in point.spots if spot.strong]
        assert len(strong) <= 1
        found[point.name] = strong[0] if strong else None
    return found


def test_every_level_is_a_line_under_the_flat_roof():
    found = lines(roofline(roofs=ALL).drawing)
    rates = {"ici:X": W_ICI, "ici:Y": W_ICI, "hbm": W_HBM, "vmem": 22 * W_HBM, "pcie": W_PCIE}
    assert set(found) == {*rates, "arithmetic"}
    for name, rate in rates.items():
        assert all(y == pytest.approx(x * rate) for x, y in found[name]), name
        assert found[name][-1] == pytest.approx((C / rate, C))
    (start, end) = found["arithmetic"]
    assert start == pytest.approx((C / (22 * W_HBM), C))  # nothing reaches it left of the fastest level
    assert end[1] == pytest.approx(C)


def test_only_levels_that_count_are_drawn():
    assert set(lines(roofline(roofs="math,ici").drawing)) == {"ici:X", "ici:Y", "arithmetic"}
    assert set(lines(roofline(roofs="math,pcie").drawing)) == {"pcie", "arithmetic"}
    assert set(lines(roofline("A[I, J] · B[J, K] -> C[I, K]", sizes={"I": 8, "J": 8, "K": 8}).drawing)) == {
        "hbm",
        "arithmetic",
    }


def test_where_each_bandwidth_stops_to_bind_stands_above():
    """C/W: 2550 for ICI, 163.9 for HBM, 28688 for PCIe."""
    picture = roofline(roofs="math,ici,hbm,pcie")
    assert [ridge.x for ridge in picture.drawing.ridges] == pytest.approx([C / W_ICI, C / W_HBM, C / W_PCIE])
    drawn = Drawn(picture.svg)
    assert drawn.texts("value") == ["163.9", "2550", "28688"]
    assert len(drawn.all("ridge")) == 3
    assert_legible(drawn)


def test_a_statement_stands_once_for_each_level():
    """A product has B/X FLOPs a byte of X, F/Y of Y, and BDF/(BD + DF + BF) of HBM, by its blocks."""
    chart = roofline().drawing
    found = spots(chart)
    product = found["H[B_X, F_Y] (line 4), Out[B_X, D_Y] (line 6)"]
    b, d, f = 65536 / 16, 8192, 32768 / 4
    assert product["ici:X"] == pytest.approx((65536 / 16, C))
    assert product["ici:Y"] == pytest.approx((32768 / 4, C))
    assert product["hbm"] == pytest.approx((b * d * f / (b * d + d * f + b * f), C))
    # gelu: one FLOP an element, which is read and written in two bytes each, and nothing is sent
    assert found["Z[B_X, F_Y] (line 5)"] == {"hbm": pytest.approx((1 / 4, W_HBM / 4))}
    assert binding(chart) == {
        "H[B_X, F_Y] (line 4), Out[B_X, D_Y] (line 6)": None,
        "Z[B_X, F_Y] (line 5)": "hbm",
        "the whole plan": None,
    }
    notes = {point.name: point.note for point in chart.points}
    assert "bound by HBM" in notes["Z[B_X, F_Y] (line 5)"]
    assert "bound by arithmetic; FLOP/B: ici:X 4096, ici:Y 8192, hbm 2048" in notes[next(iter(notes))]


def test_what_the_network_binds_is_on_its_line_and_below_the_others():
    i, j, k, x = 4096, 16384, 4096, 16
    text = "A[I, J_X] · B[J_X, K] -> C[I, K]"
    picture = shardlang.plot(text, "roofline", sizes={"I": i, "J": j, "K": k}, mesh={"X": x}, **V5P)
    (point,) = picture.drawing.points
    assert point.y == pytest.approx((2 * i * j * k / x) / (2 * 2 * i * k / W_ICI))  # an AllReduce of C
    assert (point.x, point.y) == pytest.approx((point.x, point.x * W_ICI))
    assert binding(picture.drawing) == {point.name: "ici:X"}
    assert "bound by ici:X" in point.note
    (hbm,) = [spot for spot in point.spots if not spot.strong]
    assert point.y < min(C, hbm.x * W_HBM)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"roofs": ALL},
        {"roofs": ALL, "sizes": {"B": 512}},
        {"sizes": {"B": 1024}, "comms": "sum"},
        {"sizes": {"B": 64}, "latency": True},
        {"model": "exact", "sizes": {"B": 4096}},
        {"assume": "B << D, F", "sizes": {"B": 2048}},
        {"hardware": "h100", "topology": "X=node+scale-out,Y=scale-out", "sizes": {"B": 16384}},
        {"hardware": "h100", "topology": "X=node,Y=dcn", "sizes": {"W_dcn": 6.25e9}},
        {"topology": "X=ring:2,Y=ring"},
    ],
)
def test_one_level_binds_and_all_others_have_time_to_spare(options):
    """The time of a level is FLOPs/(intensity·W): the longest is on its line, and each other right of its own."""
    picture = roofline(**options)
    chart = picture.drawing
    peaks = [curve.points[-1][1] for curve in chart.curves if curve.plain]
    assert chart.points
    for point in chart.points:
        assert {spot.y for spot in point.spots} == {point.y}
        for spot in point.spots:
            x, y = chart.curves[spot.curve].points[-1]
            reach = spot.x * y / x
            if spot.strong:
                assert reach == pytest.approx(point.y)
            else:
                assert reach >= point.y * (1 - 1e-9)
        if not any(spot.strong for spot in point.spots):
            assert "bound by arithmetic" in point.note
            assert point.y <= max(peaks) * (1 + 1e-9)
    assert_legible(Drawn(picture.svg))


@pytest.mark.parametrize(
    "options", [{"roofs": ALL}, {"comms": "sum"}, {"latency": True}, {"topology": "X=ring:2,Y=ring"}]
)
def test_intensities_are_those_of_the_report(options):
    """A second way to them: the report divides formulas, the picture numbers."""
    keywords = {**V5P, "sizes": {"B": 8192, **SIZES}, **options}
    report = shardlang.roofline(MLP, **keywords)
    said = spots(shardlang.plot(MLP, "roofline", **keywords).drawing)["the whole plan"]
    compared = 0
    for one in report.total.levels:
        if one.intensity is not None:
            assert said[one.roof][0] == pytest.approx(report.cost.estimate.value(one.intensity)), one.roof
            compared += 1
    assert compared == len(said) >= 2


def test_levels_of_a_gpu_cluster():
    """H100: 450 GB/s into the node, 400 GB/s from the node into the network, 50 GB/s a device of it."""
    chart = roofline(
        GATHERS, hardware="h100", mesh=MESH, topology="X=node+scale-out,Y=dcn", sizes={"W_dcn": 6.25e9}
    ).drawing
    found = lines(chart)
    for name, rate in (("node:X", 450e9), ("scale-out:X", 400e9), ("dcn:Y", 6.25e9)):
        assert found[name][-1][1] / found[name][-1][0] == pytest.approx(rate)
    (point,) = chart.points
    at = spots(chart)[point.name]
    assert at["dcn:Y"] == pytest.approx((32768 / 4, 6.25e9 * 32768 / 4))  # an AllGather of In over Y: F/Y FLOPs a byte
    assert binding(chart) == {point.name: "dcn:Y"}


def test_rates_of_several_types():
    text = "A: int8[B, D]; W: int8[D, F]\nA[B, D] · W[D, F] -> P[B, F]\nX[B, D] · V[D, F] -> Q[B, F]"
    picture = shardlang.plot(text, "roofline", sizes={"B": 4096, **SIZES}, hardware="tpu-v5e")
    chart, svg = picture.drawing, picture.svg
    flat = {curve.name.rpartition(" ")[2]: curve.points[-1][1] for curve in chart.curves if curve.plain}
    assert flat == pytest.approx({"int8": 3.94e14, "bf16": 1.97e14})
    drawn = Drawn(svg)
    looks = [
        e.attrib.get("stroke-dasharray")
        for e, name in zip(drawn.all("curve"), drawn.names("curve"), strict=True)
        if name.startswith("arithmetic")
    ]
    assert len(set(looks)) == 2
    assert {round(ridge.y) for ridge in chart.ridges} == {round(3.94e14), round(1.97e14)}


def test_a_full_disc_has_the_colour_of_its_line_and_is_on_it():
    picture = roofline(roofs=ALL, sizes={"B": 8192})
    chart, drawn = picture.drawing, Drawn(picture.svg)
    (frame,) = drawn.boxes("frame")
    colours = {
        name.rpartition(": ")[0]: e.attrib["stroke"]
        for e, name in zip(drawn.all("curve"), drawn.names("curve"), strict=True)
    }
    full = [e for e in drawn.all("point") if e.attrib["fill"] != "#ffffff"]
    assert len(full) == 3  # PCIe binds each: two places of statements, and the whole plan
    for disc in full:
        assert disc.attrib["fill"] == colours["pcie"]
    on_line = 0
    for disc in full:
        x, y = float(disc.attrib["cx"]), float(disc.attrib["cy"])
        intensity = chart.x.low * (chart.x.high / chart.x.low) ** ((x - frame.left) / (frame.right - frame.left))
        part = log(intensity * W_PCIE / chart.y.low) / log(chart.y.high / chart.y.low)
        on_line += abs(frame.bottom - part * (frame.bottom - frame.top) - y) < 1
    assert on_line >= 2  # the third one gives way to another, with a leader
    assert len(drawn.all("leader")) >= 1
    hollow = [e for e in drawn.all("point") if e.attrib["fill"] == "#ffffff"]
    assert {e.attrib["stroke"] for e in hollow} <= set(colours.values())


def test_levels_of_one_bandwidth_are_both_seen():
    drawn = Drawn(roofline().svg)
    one, other = (
        e for e, name in zip(drawn.all("curve"), drawn.names("curve"), strict=True) if name.startswith("ici:")
    )
    assert one.attrib["points"] == other.attrib["points"]
    assert ("stroke-dasharray" in one.attrib) != ("stroke-dasharray" in other.attrib)
    assert one.attrib["stroke"] != other.attrib["stroke"]


def test_axes_and_legend_say_units_and_conventions():
    drawn = Drawn(roofline(roofs=ALL).svg)
    assert drawn.texts("axis-x") == ["arithmetic intensity: FLOPs per byte of each level, one device"]
    assert drawn.texts("axis-y") == ["FLOPs/s of one device"]
    assert all(text.endswith("FLOP/s") for text in drawn.texts("tick-y"))
    legend = " ".join([*drawn.texts("legend"), *drawn.texts("legend-note")])
    for words in (
        "ici:X: W_ici = 180 GB/s",
        "bidirectional, one axis",
        "one way, one chip over PCIe",
        "C = 459 TFLOP/s",
    ):
        assert words in legend
    notes = " ".join(drawn.texts("note"))
    for words in (
        "at the FLOPs per byte of that level",
        "T_pcie and the time of each group of links",
        "22 times W_hbm",
    ):
        assert words in notes


def test_discs_do_not_cover_one_another():
    same = "\n".join(f"A{i}[B, D] · W{i}[D, F{i}] -> H{i}[B, F{i}]" for i in range(12))
    sizes = {"B": 4096, "D": 8192, **{f"F{i}": 8192 + 64 * i for i in range(12)}}
    drawn = Drawn(shardlang.plot(same, "roofline", sizes=sizes, **V5P).svg)
    discs = [(float(e.attrib["cx"]), float(e.attrib["cy"])) for e in drawn.all("point")]
    assert len(discs) == 13
    for at, (x, y) in enumerate(discs):
        assert all(abs(x - a) > 16 or abs(y - b) > 16 for a, b in discs[:at])
    assert_legible(drawn)


def test_of_many_statements_those_that_take_longest_are_drawn():
    many = "\n".join(f"A{i}[B, D] · W{i}[D, F{i}] -> H{i}[B, F{i}]" for i in range(70))
    sizes = {"B": 4096, "D": 8192, **{f"F{i}": 128 * (i + 1) for i in range(70)}}
    chart = shardlang.plot(many, "roofline", sizes=sizes, **V5P).drawing
    names = [point.name for point in chart.points]
    assert "the whole plan" in names
    assert any("H69" in name for name in names)
    assert not any("H0[" in name for name in names)
    assert chart.notes[0] == "11 further statements, which take less time, are not drawn"


def test_the_terminal_form_has_the_levels_and_the_intensities():
    text = roofline(roofs=ALL).text
    for words in (
        "a   ici:X: W_ici = 180 GB/s",
        "pcie: W_pcie = 16 GB/s",
        "bound by PCIe; FLOP/B: ici:X 4096, ici:Y 8192",
    ):
        assert words in text
