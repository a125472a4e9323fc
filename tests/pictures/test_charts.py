"""Sweeps, and what all charts share. Figures are those of the book or worked out here from the formulas of its chapters."""

from itertools import pairwise
from math import log
from pathlib import Path

import pytest

import shardlang
from shardlang.pictures.chart import Chart
from shardlang.pictures.plotting import chart_scene
from tests.pictures.drawn import Drawn, assert_legible

GATHERS = "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]"
V5P = {"hardware": "tpu-v5p"}
C, W_ICI, W_HBM = 4.59e14, 1.8e11, 2.8e12
"""Of a v5p in bf16, in the book's tables; its W_ici is bidirectional."""
SIZES = {"D": 8192, "F": 32768}
MESH = {"X": 16, "Y": 4}
MLP = (Path(__file__).parents[2] / "docs" / "examples" / "mlp-2d.shard").read_text("utf-8")


def sweep(variable="B", text=GATHERS, **keywords):
    return shardlang.plot(text, "sweep", variable=variable, **{**V5P, "sizes": SIZES, "mesh": MESH, **keywords})


def across(drawn, chart, value):
    """Where a value of the horizontal axis is, by the frame alone."""
    (frame,) = drawn.boxes("frame")
    part = log(value / chart.x.low) / log(chart.x.high / chart.x.low)
    return frame.left + part * (frame.right - frame.left)


def height(points, x):
    """The height of a line of points at x."""
    for (x1, y1), (x2, y2) in pairwise(points):
        if x1 <= x <= x2:
            return y1 + (y2 - y1) * (x - x1) / (x2 - x1)
    raise AssertionError(f"the curve does not pass {x}")


def test_the_crossover_is_at_2550():
    """Compute-bound when B/X > C/W_ici, 2550 on a v5p."""
    picture = sweep("B/X", roofs="math,ici")
    (crossing,) = picture.drawing.crossings
    assert crossing.x == pytest.approx(C / W_ICI)
    assert crossing.x == pytest.approx(2550)
    drawn = Drawn(picture.svg)
    assert drawn.texts("value") == ["2550"]
    (disc,) = drawn.all("crossing")
    x = float(disc.attrib["cx"])
    assert x == pytest.approx(across(drawn, picture.drawing, 2550), abs=0.1)
    (line,) = drawn.all("crossover")
    assert all(float(pair.split(",")[0]) == pytest.approx(x, abs=0.1) for pair in line.attrib["points"].split())
    # two curves that are drawn do meet there
    for name in ("T_math", "T of ici:X"):
        assert height(drawn.points("curve", name), x) == pytest.approx(float(disc.attrib["cy"]), abs=0.5)


def test_two_lines_meet_whatever_the_other_links_do():
    """F/Y = 512 is less than C/W_ici, so that nothing is compute-bound; T_math and the time of X cross all the same."""
    (crossing,) = sweep("B/X", roofs="math,ici", sizes={**SIZES, "F": 2048}).drawing.crossings
    assert crossing.x == pytest.approx(2550)


def test_where_a_maximum_keeps_two_lines_apart_nothing_is_marked():
    """In T_min, T_math against the latency of X has a threshold; the bandwidth of X keeps its time above T_math all along."""
    sizes = {**SIZES, "B": 16384}
    report = shardlang.crossover(GATHERS, "T_min", latency=True, sizes=sizes, mesh=MESH, roofs="math,ici", **V5P)
    assert ("math", "ici:X") not in [found.between for found in report.crossovers]
    assert ("math", "ici:X") in [left.between for left in report.uncrossed]
    names = [
        crossing.name for crossing in sweep("T_min", latency=True, sizes=sizes, roofs="math,ici").drawing.crossings
    ]
    assert not any("ici:X" in name for name in names)


@pytest.mark.parametrize("variable", ["B", "D", "F", "X", "Y", "B/X", "F/Y", "W_ici", "C", "W_hbm"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"comms": "sum"},
        {"model": "exact"},
        {"latency": True},
        {"roofs": "math,ici,hbm,vmem,pcie"},
        {"assume": "B << D, F", "latency": True},
    ],
)
def test_every_crossing_is_where_its_two_curves_meet(variable, options):
    picture = sweep(variable, sizes={"B": 65536, **SIZES}, **options)
    chart = picture.drawing
    assert isinstance(chart, Chart)
    for crossing in chart.crossings:
        names = crossing.name.partition(": ")[2].split(" is longer than ")
        near = {"T_comms": "T_comms, the sum"}
        for name in names:
            curve = next(c for c in chart.curves if c.main and c.name.startswith(near.get(name, name)))
            logs = [(log(x), log(y)) for x, y in curve.points]
            # between two points a curve is as good as straight but at the steps of ceilings
            assert height(logs, log(crossing.x)) == pytest.approx(log(crossing.y), abs=0.03), (crossing, name)
    assert_legible(Drawn(picture.svg))


def test_the_times_are_those_of_the_formulas():
    chart = sweep().drawing
    curves = {curve.name: dict(curve.points) for curve in chart.curves}
    d, f, x, y = 8192, 32768, 16, 4
    for b in list(curves["T_math"])[::17]:
        assert curves["T_math"][b] == pytest.approx(2 * b * d * f / (x * y * C))
        assert curves["T of ici:X: AllGather_X W"][b] == pytest.approx(2 * d * f / (y * W_ICI))
        assert curves["T of ici:Y: AllGather_Y In"][b] == pytest.approx(2 * b * d / (x * W_ICI))
        moved = 2 * b * d / x + 2 * d * f / y + 2 * b * f / (x * y)
        assert curves["T_hbm"][b] == pytest.approx(moved / W_HBM)


def test_the_title_says_what_is_assumed():
    chart = sweep(assume="B << D, F", roofs="math,ici,vmem,pcie").drawing
    assert chart.title == f"Times against B: {GATHERS}, leading terms for B << D, F"
    assert "leading" not in sweep().drawing.title
    assert {"T_math", "T_vmem", "T_pcie"} < {curve.name for curve in chart.curves}


def test_axes_have_labels_and_units():
    drawn = Drawn(sweep().svg)
    assert drawn.texts("axis-x") == ["B: size of dimension B"]
    assert drawn.texts("axis-y") == ["time per device, s"]
    assert all(text.endswith("s") for text in drawn.texts("tick-y"))
    assert Drawn(sweep("W_ici", sizes={"B": 65536, **SIZES}).svg).texts("axis-x") == [
        "W_ici: bidirectional, one axis, byte/s"
    ]
    ratio = "B/X (B: size of dimension B; X: size of mesh axis X)"
    assert Drawn(sweep("B/X").svg).texts("axis-x") == [ratio]
    notes = " ".join(drawn.texts("note"))
    for words in ("per device", "TPU v5p", "D = 8192", "model book", "axis X: ring", "the same steps throughout"):
        assert words in notes


def test_limits_and_what_follows_from_a_size():
    chart = sweep(between=(128, 4096)).drawing
    assert (chart.x.low, chart.x.high) == (128, 4096)
    assert sweep(between="128:4096").drawing == chart
    text = "let F = 4*D\nIn[B, D] · W[D, F] -> H[B, F]"
    (math, _) = sweep("D", text, sizes={"B": 64}, mesh=None, roofs="math,hbm").drawing.curves
    for d, seconds in math.points[::30]:
        assert seconds == pytest.approx(2 * 64 * d * 4 * d / C)


def test_each_collective_has_its_own_curve():
    chart = sweep(text=MLP, sizes=SIZES).drawing
    parts = {curve.name: curve for curve in chart.curves if not curve.main}
    assert set(parts) == {"AllGather_X W_in, AllGather_X W_out", "AllGather_Y In, ReduceScatter_{Y,D} Out"}
    whole = next(curve for curve in chart.curves if curve.name == "T of ici:X")
    half = parts["AllGather_X W_in, AllGather_X W_out"]
    assert [y for _, y in whole.points] == pytest.approx([2 * y for _, y in half.points])


def test_curves_stay_inside_the_frame():
    drawn = Drawn(sweep(between=(1, 1e12)).svg)
    (frame,) = drawn.boxes("frame")
    for curve in drawn.all("curve"):
        for pair in curve.attrib["points"].split():
            x, y = map(float, pair.split(","))
            assert frame.left - 0.1 <= x <= frame.right + 0.1
            assert frame.top - 0.1 <= y <= frame.bottom + 0.1


def test_the_terminal_form_marks_the_crossover():
    text = sweep("B/X", roofs="math,ici").text
    rows = [line for line in text.splitlines() if "┊" in line or "│" in line or "┤" in line]
    (marked,) = [row for row in rows if "1" in row.partition("│")[2] or "1" in row.partition("┤")[2]]
    column = max(marked.partition("│")[2].find("1"), marked.partition("┤")[2].find("1"))
    chart = sweep("B/X", roofs="math,ici").drawing
    part = log(2550 / chart.x.low) / log(chart.x.high / chart.x.low)
    assert column == pytest.approx(part * 83, abs=1)
    for words in (
        "a   T_math",
        "b   T of ici:X: AllGather_X W",
        "1   B/X > 2550: T_math is longer than T of ici:X",
        "time per device, s",
    ):
        assert words in text


def test_the_same_picture_every_time():
    for kind, options in (("sweep", {"variable": "B"}), ("roofline", {}), ("split", {})):
        first, second = (shardlang.plot(MLP, kind, sizes={"B": 65536, **SIZES}, **V5P, **options) for _ in range(2))
        assert first.svg == second.svg
        assert first.text == second.text


@pytest.mark.parametrize(
    ("kind", "text", "keywords", "words"),
    [
        ("sweep", GATHERS, {"variable": "B"}, "`D`, `F`, `X`, `Y` and `C`, `W_hbm`, `W_ici` are open"),
        ("sweep", GATHERS, {"variable": "B/X", **V5P}, "are open"),
        ("sweep", "C = A[I]", {"variable": "I"}, "no statement"),
        ("roofline", GATHERS, V5P, "are open"),
        ("roofline", "A[I_X, J]", V5P, "needs a statement with arithmetic"),
        ("roofline", GATHERS, {"roofs": "math"}, "the roof math and at least one other"),
        ("roofline", GATHERS, {"roofs": "ici,hbm"}, "the roof math and at least one other"),
        ("split", GATHERS, V5P, "the number of devices of X·Y is open"),
        ("split", GATHERS, {"split": "X*Y=64"}, "are open"),
        ("split", GATHERS, {"split": "X*Y=N"}, "the number of devices `N` is open"),
        ("split", GATHERS, {"split": "X*Y=7", **V5P}, "not several ways to split 7 devices"),
        ("split", "A[I_X, J] · B[J, K]", V5P, "two mesh axes"),
    ],
)
def test_what_is_missing_is_a_finding(kind, text, keywords, words):
    picture = shardlang.plot(text, kind, **keywords)
    assert picture.drawing is None
    assert not picture.ok
    errors = [found for found in picture.diagnostics if found.severity == "error"]
    assert errors
    if errors[0].code == "SL510":
        assert words in errors[0].message
    assert "No picture" in picture.svg


@pytest.mark.parametrize(
    ("kind", "keywords", "words"),
    [
        ("bars", {}, "kind: cannot be 'bars'. It is one of"),
        ("swep", {}, "Did you mean sweep?"),
        (None, {}, "kind: cannot be None"),
        ("sweep", {}, "needs the symbol or ratio"),
        ("mesh", {"variable": "B"}, "is for the picture 'sweep', not for 'mesh'"),
        ("sweep", {"variable": 3}, "expected a text"),
        ("sweep", {"variable": "B", "between": "5"}, "expected two numbers"),
        ("sweep", {"variable": "B", "between": (5, 4)}, "the smaller one first"),
        ("sweep", {"variable": "B", "between": (5, 5.1)}, "too close"),
        ("sweep", {"variable": "B", "between": (float("nan"), 5)}, "positive numbers"),
        ("sweep", {"variable": "B", "between": (10**400, 5)}, "expected two numbers"),
        ("sweep", {"variable": "Q"}, "no symbol `Q`"),
        ("split", {"split": "X"}, "expected mesh axes and the devices"),
        ("split", {"split": "X*X=4"}, "expected mesh axes and the devices"),
        ("split", {"split": "X*B=64"}, "`B` is no mesh axis"),
    ],
)
def test_keywords_that_cannot_be_used(kind, keywords, words):
    with pytest.raises(ValueError, match=r".") as problem:
        shardlang.plot(GATHERS, kind, **V5P, **keywords)
    assert words in str(problem.value)


def test_a_refused_statement_says_why_there_is_no_picture():
    picture = shardlang.plot("A[I_X, J_X] · B[J, K] -> C[I, K]", "sweep", variable="Q")
    assert picture.drawing is None
    assert [found.code for found in picture.diagnostics] == ["SL201"]


def test_a_picture_says_what_it_leaves_out():
    picture = sweep(text=f"{GATHERS}\nA[I_X, J_X] · B[J, K] -> C[I, K]")
    assert not picture.ok
    assert "Without the 1 refused statement." in picture.drawing.notes[0]
    assert [curve.name for curve in picture.drawing.curves] == [curve.name for curve in sweep().drawing.curves]


def test_a_scene_has_the_size_that_its_marks_need():
    scene = chart_scene(sweep().drawing)
    assert Drawn(sweep().svg).texts("title") == [scene.title]
    assert 700 < scene.width < 1100
    assert 400 < scene.height < 800
