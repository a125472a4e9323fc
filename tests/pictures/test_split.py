"""Mesh splits. Times are worked out here from the formulas of the book's chapters, counts of splits from combinatorics."""

from itertools import product
from math import comb, log, sqrt
from pathlib import Path

import pytest

import shardlang
from shardlang.pictures.heat import HeatMap
from tests.pictures.drawn import Drawn, assert_legible

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
MLP = (EXAMPLES / "mlp-2d.shard").read_text("utf-8")
DECODE = (EXAMPLES / "weight-stationary.shard").read_text("utf-8")
V5P = {"hardware": "tpu-v5p"}
C, W_ICI = 4.59e14, 1.8e11
SIZES = {"D": 8192, "F": 32768}
FOUR = "In[B_{AX}, D_Y] · W[D_{AX}, F_{YZ}] -> H[B_{AX}, F_{YZ}]"


@pytest.mark.parametrize("comms", ["max", "sum"])
def test_the_least_communication_is_the_optimum_of_the_book(comms):
    """X = sqrt(B·M_X·N/(F·M_Y)), for the maximum and for the sum, whatever the sizes are."""
    b, d, f, n = 65536, 8192, 32768, 64
    picture = shardlang.plot(MLP, "split", split=f"X*Y={n}", sizes={"B": b, "D": d, "F": f}, comms=comms, **V5P)
    (least,) = [point for point in picture.drawing.points if "least T_comms" in point.name]
    assert least.x == pytest.approx(sqrt(b * n / f), rel=1e-6)


def test_a_split_shows_the_sizes_that_exist():
    picture = shardlang.plot(MLP, "split", split="X·Y = 60", sizes={"B": 30720, **SIZES}, **V5P)
    chart = picture.drawing
    assert [said for _, said in chart.x.marked] == [
        "2×30",
        "3×20",
        "4×15",
        "5×12",
        "6×10",
        "10×6",
        "12×5",
        "15×4",
        "20×3",
        "30×2",
    ]
    best = chart.points[0]
    # of all splits into whole axes none has a smaller lower bound
    d, f, b = 8192, 32768, 30720
    times = {
        x: max(4 * b * d * f / (60 * C), 4 * d * f * x / (60 * W_ICI), 4 * b * d / (x * W_ICI))
        for x in (2, 3, 4, 5, 6, 10, 12, 15, 20, 30)
    }
    assert times[best.x] == pytest.approx(min(times.values()))
    assert_legible(Drawn(picture.svg))
    assert shardlang.plot(MLP, "split", sizes={"B": 30720, **SIZES}, **V5P).drawing.title.startswith(
        "Times over the splits X·Y = 64"
    )


def decode(split="X*Y*Z=64", **keywords):
    """Decoding with stationary weights: 2BD/X over Y and Z in and out, twice 2BF/(YZ) over X, one after the other."""
    rings = dict.fromkeys("XYZ", "ring")  # at every size, as the formulas have it
    options = {"sizes": {"B": 256, **SIZES}, "comms": "sum", "roofs": "math,ici", "topology": rings, **V5P, **keywords}
    return shardlang.plot(DECODE, "split", split=split, **options)


def seconds(x, rest):
    b, d, f = 256, 8192, 32768
    return 2 * (2 * b * d / x) / (2 * W_ICI) + 2 * (2 * b * f / rest) / W_ICI


def test_two_axes_mark_the_optimum_with_its_formula():
    picture = shardlang.plot(MLP, "split", split="X*Y=N", sizes={"B": 65536, "N": 64, **SIZES}, **V5P)
    best, optimum = picture.drawing.points
    found = shardlang.optimum(MLP, "X*Y=N", "X", sizes={"B": 65536, "N": 64, **SIZES}, **V5P).optimum
    assert optimum.x == pytest.approx(found.place.value) == pytest.approx(sqrt(65536 * 64 / 32768))
    assert optimum.y == pytest.approx(found.seconds)
    assert "X = sqrt(B·N/F), for sizes that need not be whole" in optimum.note
    assert optimum.name == "X = 11.31, Y = 5.657: the least T_comms"
    assert best.name == "X = 8, Y = 8: the best split"
    drawn = Drawn(picture.svg)
    assert [name.partition(":")[2] for name in drawn.names("point")] in (
        [" the best split", " the least T_comms"],
        [" the least T_comms", " the best split"],
    )


def test_an_optimum_outside_of_the_picture_is_said_below_it():
    """With B/F = 1/256 the least is at X = sqrt(64/256) < 1: the end."""
    text = "AllGather_Y In[B_X, D_Y] -> In[B_X, D]\nAllGather_X W[D_X, F_Y] -> W[D, F_Y]\nIn[B_X, D] · W[D, F_Y] -> H[B_X, F_Y]"
    chart = shardlang.plot(text, "split", split="X*Y=64", sizes={**SIZES, "B": 128}, **V5P).drawing
    assert not any("least T_comms" in point.name for point in chart.points)
    (note,) = [note for note in chart.notes if "the least T_comms" in note]
    assert note.startswith("X = 1, Y = 64: the least T_comms")
    assert "at the end of the range" in note


def test_of_equal_splits_one_without_padding_is_the_best():
    sizes = {"B": 3 * 2**14, "D": 8192, "F": 2**15}
    chart = shardlang.plot(MLP, "split", split="X*Y=48", sizes=sizes, roofs="math", **V5P).drawing
    (best,) = chart.points
    # one of the axes has the three: on X it does not divide D, on Y neither D nor F
    assert best.x % 3 == 0
    assert best.note.endswith("; D is padded, as the axes do not divide it")


@pytest.mark.parametrize(("model", "exponents", "count"), [("book", 6, comb(5, 2)), ("exact", 6, comb(8, 2))])
def test_a_map_has_a_tile_for_each_whole_split(model, exponents, count):
    """64 = 2^6 into three axes: C(5, 2) ways with each at least 2, C(8, 2) with ones."""
    picture = decode(f"X*Y*Z={2**exponents}", model=model)
    chart = picture.drawing
    assert isinstance(chart, HeatMap)
    (panel,) = chart.panels
    assert len(panel.tiles) == count
    drawn = Drawn(picture.svg)
    assert len(drawn.all("tile")) == count
    sizes = {(chart.columns[tile.column], chart.rows[tile.row], tile.lines[1]) for tile in panel.tiles}
    assert all(said == f"Z = {64 // (x * y)}" for x, y, said in sizes)
    assert len(sizes) == count
    assert_legible(drawn)


def test_the_times_of_the_map_are_those_of_the_formulas():
    chart = decode().drawing
    times = {}
    for tile in chart.panels[0].tiles:
        x = chart.columns[tile.column]
        assert tile.value == pytest.approx(seconds(x, 64 / x))
        assert tile.lines[2] == "ici"
        times[x, chart.rows[tile.row]] = tile.value
    (best,) = [tile for tile in chart.panels[0].tiles if tile.best]
    assert best.value == pytest.approx(min(times.values()))
    assert chart.limits == pytest.approx((min(times.values()), max(times.values())))


def test_the_map_marks_the_optimum_between_its_columns():
    """X = sqrt(D·N/(2F)): where the times in and out of the two products are the same."""
    picture = decode()
    chart = picture.drawing
    x = sqrt(8192 * 64 / (2 * 32768))
    assert chart.guide.x == pytest.approx(x)
    assert "16.48 µs" in chart.guide.note
    assert seconds(x, 64 / x) == pytest.approx(16.48e-6, rel=1e-3)
    drawn = Drawn(picture.svg)
    (line,) = drawn.all("optimum")
    ticks = {e.text: float(e.attrib["x"]) for e in drawn.all("tick-x")}
    at = [float(pair.split(",")[0]) for pair in line.attrib["points"].split()]
    part = log(x / 2) / log(2)
    assert at == pytest.approx([ticks["2"] + part * (ticks["4"] - ticks["2"])] * 2, abs=0.1)
    (edge,) = drawn.all("best")
    assert drawn.names("best") == [chart.best.name]
    left = min(float(pair.split(",")[0]) for pair in edge.attrib["points"].split())
    assert left < ticks[str(int(chart.best.x))] < left + 200


def test_the_line_of_the_optimum_makes_way_for_words():
    """At F = 24576 it is at X = 3.27, and so on the tiles of X = 4."""
    drawn = Drawn(decode(sizes={"B": 256, "D": 8192, "F": 24576}).svg)
    assert len(drawn.all("optimum")) == 1
    covered = drawn.boxes("ground")
    assert covered
    (x,) = {float(pair.split(",")[0]) for pair in drawn.all("optimum")[0].attrib["points"].split()}
    assert all(box.left < x < box.right for box in covered)
    assert not Drawn(decode().svg).all("ground")  # between two columns there are none


def test_dark_is_slow():
    picture = decode()
    tiles = {e.findtext("{http://www.w3.org/2000/svg}title"): e.attrib["fill"] for e in Drawn(picture.svg).all("tile")}
    chart = picture.drawing
    by_time = sorted(chart.panels[0].tiles, key=lambda tile: tile.value)
    light = [sum(int(tiles[tile.name][at : at + 2], 16) for at in (1, 3, 5)) for tile in by_time]
    assert light == sorted(light, reverse=True)
    assert light[0] > light[-1]


def test_where_no_axis_has_an_optimum_by_itself_that_is_said():
    text = "In[B_X, D_Y] · W[D_X, F_{YZ}] -> H[B_X, F_{YZ}]\nH[B_X, F_{YZ}] · V[F_{YZ}, D_X] -> Out[B_X, D_Y]"
    mesh = {"X": 4, "Y": 4, "Z": 4}
    chart = shardlang.plot(text, "split", split="X*Y*Z=64", sizes={"B": 32768, **SIZES}, mesh=mesh, **V5P).drawing
    assert chart.guide is None
    assert "one by one" in chart.notes[-1]
    assert chart.notes[-2] == "plan: the same steps for every split, those chosen for X = 4, Y = 4, Z = 4"


def test_four_axes_are_panels():
    """256 = 2^8 into four axes of at least 2: C(7, 3) ways; a panel for each size of the last one."""
    picture = shardlang.plot(FOUR, "split", split="A*X*Y*Z=256", sizes={"B": 32768, **SIZES}, roofs="math,ici", **V5P)
    chart = picture.drawing
    assert [panel.heading for panel in chart.panels] == ["Z = 2", "Z = 4", "Z = 8", "Z = 16", "Z = 32"]
    assert sum(len(panel.tiles) for panel in chart.panels) == comb(7, 3)
    for panel, tile in [(one, tile) for one in chart.panels for tile in one.tiles]:
        z, y = int(panel.heading[4:]), int(tile.lines[1][4:])
        assert chart.columns[tile.column] * chart.rows[tile.row] * y * z == 256
    assert sum(tile.best for panel in chart.panels for tile in panel.tiles) == 1
    drawn = Drawn(picture.svg)
    boxes = drawn.boxes("tile")
    assert not any(one.meets(other) for one, other in product(boxes, boxes) if one is not other)
    assert_legible(drawn)


def test_many_columns_leave_out_the_words_of_tiles():
    picture = decode("X*Y*Z=5040")
    drawn = Drawn(picture.svg)
    assert drawn.all("tile-text") == []
    assert len(drawn.all("tile")) > 200
    assert_legible(drawn)


@pytest.mark.parametrize(
    ("text", "split", "words"),
    [
        (DECODE, "X*Y*Z=720720", "more than 1000 ways"),
        (FOUR, "A*X*Y*Z=5040", "more than 1000 ways"),
        (DECODE, "X*Y*Z=6", "not several ways"),
    ],
)
def test_too_many_or_too_few_splits_are_a_finding(text, split, words):
    picture = shardlang.plot(text, "split", split=split, sizes={"B": 256, **SIZES}, **V5P)
    assert picture.drawing is None
    assert any(words in found.message for found in picture.diagnostics if found.code == "SL510")


def test_the_map_in_a_terminal():
    text = decode().text
    rows = [line for line in text.splitlines() if line.strip().startswith("Y = ")]
    assert [row.split("   ")[0].strip() for row in rows] == ["Y = 2", "Y = 4", "Y = 8", "Y = 16"]
    assert "48.06 µs, Z = 2, ici" in rows[0]
    assert "X = 2.828, Y·Z = 22.63: the least T_comms" in text
    assert text.count("1: ") == 1


def test_the_same_map_every_time():
    assert decode().svg == decode().svg
