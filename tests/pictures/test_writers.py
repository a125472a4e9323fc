"""What the writers share with nothing else: letters, ticks, edges, XML, files."""

import sys
from itertools import pairwise
from math import cos, hypot, sin
from xml.etree import ElementTree

import matplotlib
import pytest

import shardlang
from shardlang.pictures.chart import Axis
from shardlang.pictures.clipping import clipped, straightened
from shardlang.pictures.letters import fitted, text_width, wrapped
from shardlang.pictures.picture import FormError, form_of
from shardlang.pictures.raster import MissingLibraryError, raster_bytes
from shardlang.pictures.scene import Disc, Scene, Text
from shardlang.pictures.svg import svg_text
from shardlang.pictures.ticks import place, tick_text, ticks, value_text


def test_letters():
    assert text_width("", 12) == 0
    assert text_width("iiii", 12) < text_width("MMMM", 12)
    assert text_width("MM", 24) == pytest.approx(2 * text_width("MM", 12))
    assert fitted("a long text", 12, 1000) == "a long text"
    assert fitted("a long text", 12, 40).endswith("…")
    assert text_width(fitted("a long text", 12, 40), 12) <= 40
    assert fitted("text", 12, 1) == ""
    lines = wrapped("one two three four five", 12, 60)
    assert " ".join(lines) == "one two three four five"
    assert all(text_width(line, 12) <= 60 for line in lines)


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (1, 100, 8, [1, 2, 5, 10, 20, 50, 100]),
        (1, 1e4, 9, [1, 3, 10, 30, 100, 300, 1e3, 3e3, 1e4]),
        (1, 1e8, 9, [10.0**power for power in range(9)]),
        (1, 1e12, 7, [1, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12]),
    ],
)
def test_ticks_are_round_numbers(low, high, most, expected):
    assert [at for at, _ in ticks(Axis("", low, high), most)] == pytest.approx(expected)


def test_there_are_never_too_many_ticks():
    for power in range(1, 60):
        found = ticks(Axis("", 1e-30, 1e-30 * 10.0**power), 8)
        assert 1 <= len(found) <= 8


def test_what_ticks_say():
    assert [tick_text(Axis("", 1, 2), at) for at in (1, 2000, 0.5, 1e6, 3e7, 1e-5)] == [
        "1",
        "2000",
        "0.5",
        "10^6",
        "3·10^7",
        "10^-5",
    ]
    assert tick_text(Axis("", 1, 2, "s"), 1e-5) == "10 µs"
    assert value_text(Axis("", 1, 2, "bytes/s"), 1.8e11) == "180 GB/s"
    assert value_text(Axis("", 1, 2), 2550.0) == "2550"
    assert place(Axis("", 1, 100), 10) == pytest.approx(0.5)


def test_clipping_keeps_what_is_inside():
    assert clipped([(-5, 5), (15, 5)], 0, 0, 10, 10) == [((0, 5), (10, 5))]
    assert clipped([(1, 1), (2, 2), (3, 1)], 0, 0, 10, 10) == [((1, 1), (2, 2), (3, 1))]
    assert clipped([(0, 20), (10, 20)], 0, 0, 10, 10) == []
    assert clipped([(-10, -10), (-5, 20)], 0, 0, 10, 10) == []
    out_and_in = clipped([(2, 5), (4, 15), (6, 5)], 0, 0, 10, 10)
    assert out_and_in == [((2, 5), (3, 10)), ((5, 10), (6, 5))]


def test_straight_parts_need_no_places_between():
    assert straightened([(0, 0), (1, 1), (2, 2), (3, 3), (4, 0), (5, -3)]) == ((0, 0), (3, 3), (5, -3))
    assert straightened([(0, 0)]) == ((0, 0),)
    circle = [(100 * cos(at / 50), 100 * sin(at / 50)) for at in range(80)]
    few = straightened(circle)
    assert len(few) < 45
    for (x1, y1), (x2, y2) in pairwise(few):  # no chord is farther from the circle than is seen
        assert 100 - hypot((x1 + x2) / 2, (y1 + y2) / 2) < 0.06


def test_xml_holds_whatever_a_text_has():
    nasty = '<b> & "q" \x00 \x1b[31m \ud800 ]]> \u202e'
    scene = Scene(100, 50, nasty, nasty, (Text(1, 1, nasty, "note"),))
    root = ElementTree.fromstring(svg_text(scene).encode("utf-8"))
    (note,) = [element for element in root.iter() if element.attrib.get("class") == "note"]
    assert note.text.startswith('<b> & "q" <U+0000>')


def test_forms_by_the_ending():
    assert [form_of(name) for name in ("a.svg", "B.PNG", "c.txt", "d/e.f.pdf")] == ["svg", "png", "text", "pdf"]
    for name in ("a", "a.bmp", "svg"):
        with pytest.raises(FormError):
            form_of(name)


def test_saving(tmp_path):
    picture = shardlang.plot("A[I_X, J]", mesh="X=2")
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text("utf-8") == picture.svg == picture._repr_html_()
    picture.save(str(tmp_path / "a.txt"))
    assert (tmp_path / "a.txt").read_text("utf-8") == picture.text
    assert str(picture) == picture.text.rstrip("\n")
    with pytest.raises(FormError):
        picture.to_bytes("gif")


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(MissingLibraryError, match=r"^PNG and PDF need matplotlib: pip install matplotlib$"):
        shardlang.plot("A[I_X, J]", mesh="X=2").to_bytes("png")


_MADE = [("png", b"\x89PNG\r\n"), ("pdf", b"%PDF-")]


@pytest.mark.parametrize(("form", "start"), _MADE)
def test_png_and_pdf(form, start):
    options = {"sizes": {"D": 8192, "F": 32768}, "mesh": {"X": 16, "Y": 4}, "hardware": "tpu-v5p"}
    product = "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]"
    sweep = shardlang.plot(product, "sweep", variable="B", **options)
    roofline = shardlang.plot(product, "roofline", **{**options, "sizes": {**options["sizes"], "B": 65536}})
    for picture in (shardlang.plot("A[I_X, J]{U_Y}", mesh="X=2,Y=2"), sweep, roofline):
        made = raster_bytes(picture.scene, form)
        assert made.startswith(start)
        assert made == raster_bytes(picture.scene, form)


@pytest.mark.parametrize(("form", "start"), _MADE)
def test_png_and_pdf_whatever_matplotlib_is_configured_to(form, start):
    """A style of the user's, and letters that its font does not have."""
    scene = Scene(
        100, 50, "", "", (Text(1, 20, "a $x_1$ 漢", "note"), Disc(50, 20, 8, "none", "#123456", "point", "", 2.0))
    )
    made = raster_bytes(scene, form)
    assert made.startswith(start)
    with matplotlib.rc_context({"savefig.bbox": "tight", "savefig.facecolor": "red", "font.size": 30}):
        assert raster_bytes(scene, form) == made
        assert matplotlib.rcParams["savefig.bbox"] == "tight"
    if form == "png":  # width and height are the first of its header
        assert (int.from_bytes(made[16:20]), int.from_bytes(made[20:24])) == (200, 100)
