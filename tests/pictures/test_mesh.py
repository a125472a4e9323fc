"""The mesh with which device holds which block. What is right comes from NOTATION section 1 and from the executor's layouts."""

from itertools import product

import pytest

import shardlang
from shardlang.pictures.layouts import layout_of
from shardlang.pictures.mesh import MeshPicture
from shardlang.pictures.tables import shown
from shardlang.reference.grid import Grid
from shardlang.reference.layout import block_place
from shardlang.semantics.sharding import ArrayType, Sharding
from tests.pictures.drawn import Drawn, assert_legible

PLACES = [
    Sharding((("X",), ("Y",))),
    Sharding((("X", "Y"), ())),
    Sharding((("Y", "X"), ("Z",))),
    Sharding(((), ("Z", "X")), ("Y",)),
    Sharding(((), ())),
    Sharding((("Z",), ()), ("X", "Y")),
]


@pytest.mark.parametrize("mesh", [{"X": 2, "Y": 2, "Z": 2}, {"X": 4, "Y": 2, "Z": 3}, {"X": 3, "Y": 1, "Z": 2}])
@pytest.mark.parametrize("sharding", PLACES)
def test_blocks_are_where_the_executor_puts_them(sharding, mesh):
    array = ArrayType(("I", "J"), sharding)
    layout = layout_of("A", array, mesh, {})
    grid = Grid(mesh)
    assert [holder.device for holder in layout.holders] == list(grid.devices)
    for holder in layout.holders:
        assert holder.block == block_place(grid, holder.device, sharding)
        assert holder.addend == grid.rank(holder.device, sharding.pending)


def test_the_major_axis_comes_first():
    """`I_{XY}` puts block x·|Y| + y on device (x, y), `I_{YX}` block y·|X| + x."""
    for axes, block in ((("X", "Y"), lambda x, y: x * 3 + y), (("Y", "X"), lambda x, y: y * 2 + x)):
        layout = layout_of(None, ArrayType(("I",), Sharding((axes,))), {"X": 2, "Y": 3}, {"I": 12})
        for holder in layout.holders:
            assert holder.block == (block(*holder.device),)
            assert layout.extent(holder.block) == f"[{2 * holder.block[0]}:{2 * holder.block[0] + 2}]"


@pytest.mark.parametrize(
    ("text", "mesh", "devices", "blocks"),
    [
        ("A[I_X, J]", "X=8", 8, 8),
        ("A[I_X, J_Y]", "X=4,Y=2", 8, 8),
        ("A[I_X, J_Y]{U_Z}", "X=2,Y=2,Z=2", 8, 4),
        ("A[I, J]", "X=3,Y=2", 6, 1),
        ("A[I_{XY}, J]", "X=2,Y=3,Z=2", 12, 6),
        ("KV[2, B_Z, S, K_Y, H_X]", "X=2,Y=2,Z=3", 12, 12),
        ("s[]{max_X}", "X=4", 4, 1),
    ],
)
def test_every_device_and_every_block_is_there(text, mesh, devices, blocks):
    drawn = Drawn(shardlang.plot(text, mesh=mesh).svg)
    assert len(drawn.all("device")) == devices
    assert len(drawn.all("block")) == blocks
    sizes = {axis: int(size) for axis, size in (part.split("=") for part in mesh.split(","))}
    names = [
        ", ".join(f"{axis}={at}" for axis, at in zip(sizes, place, strict=True))
        for place in product(*map(range, sizes.values()))
    ]
    assert sorted(name.partition(" holds ")[0] for name in drawn.names("device")) == sorted(
        f"device {name}" for name in names
    )
    assert_legible(drawn)


def test_the_colour_says_the_block():
    drawn = Drawn(shardlang.plot("A[I_X, J_Y]", mesh="X=2,Y=2,Z=2").svg)
    held = {}
    for element, name in zip(drawn.all("device"), drawn.names("device"), strict=True):
        held.setdefault(name.partition(" holds ")[2], set()).add(element.attrib["fill"])
    assert sorted(held) == ["I0 J0", "I0 J1", "I1 J0", "I1 J1"]
    assert all(len(colours) == 1 for colours in held.values())
    assert len(set.union(*held.values())) == 4
    array = {e.attrib["fill"] for e in drawn.all("block")}
    assert array == set.union(*held.values())


def test_cells_do_not_overlap_and_hold_their_texts():
    drawn = Drawn(shardlang.plot("A[I_X, J_Y]{U_Z}", mesh="X=2,Y=2,Z=2", sizes="I=4096,J=8192").svg)
    cells = [*drawn.boxes("device"), *drawn.boxes("block")]
    for at, cell in enumerate(cells):
        assert not any(cell.meets(other) for other in cells[:at])
    for text, box in drawn.text_boxes():
        if text.startswith("[") or "addend" in text.split()[:1]:
            assert any(
                c.left <= box.left and box.right <= c.right and c.top <= box.top and box.bottom <= c.bottom
                for c in cells
            )


def test_the_array_says_who_holds_each_block():
    """By the coordinates that the holders share; over the other axes there are copies."""
    drawn = Drawn(shardlang.plot("A[I_{YX}, J]", mesh="X=2,Y=2,Z=2").svg)
    assert drawn.texts("block-text") == ["X=0 Y=0", "X=1 Y=0", "X=0 Y=1", "X=1 Y=1"]
    assert drawn.names("block")[1] == "block I1 is on X=1 Y=0"
    assert Drawn(shardlang.plot("A[I, J]", mesh="X=2").svg).texts("block-text") == ["every device"]
    assert Drawn(shardlang.plot("A[I_Y]", mesh="X=3,Y=2").svg).texts("block-text") == ["Y=0", "Y=1"]


def test_indices_stand_where_sizes_are_known():
    drawn = Drawn(shardlang.plot("A[I_X, J]", mesh="X=4", sizes="I=512,J=64").svg)
    assert [text for text in drawn.texts("device-text") if text.startswith("[")] == [
        "[0:128, :]",
        "[128:256, :]",
        "[256:384, :]",
        "[384:512, :]",
    ]
    assert not any("[" in text for text in Drawn(shardlang.plot("A[I_X, J]", mesh="X=4").svg).texts("device-text"))


def test_addends_are_hatched_and_named():
    drawn = Drawn(shardlang.plot("A[I, J]{U_X}", mesh="X=2").svg)
    assert drawn.names("device") == ["device X=0 holds all addend 0 of 2", "device X=1 holds all addend 1 of 2"]
    assert len(drawn.all("hatch")) == 3
    assert "candidate 1 of 2" in shardlang.plot("A[I, J]{max_X}", mesh="X=2").text
    assert not Drawn(shardlang.plot("A[I_X, J]", mesh="X=2").svg).all("hatch")


def test_a_statement_shows_its_arrays_before_and_after():
    picture = shardlang.plot("AllGather_X A[I_X, J] -> A[I, J]", mesh="X=2")
    assert Drawn(picture.svg).texts("array") == ["A[I_X, J]", "A[I, J]"]
    inferred = shardlang.plot("A[I_X, J] · B[J, K]", mesh="X=2")
    assert [shown.layout.text for shown in inferred.drawing.arrays] == ["A[I_X, J]", "B[J, K]", "C[I_X, K]"]
    one = shardlang.plot("A[I_X, J] · B[J, K]", mesh="X=2", array="B")
    assert [shown.layout.text for shown in one.drawing.arrays] == ["B[J, K]"]


def test_open_sizes_of_axes_are_said_to_be_assumed():
    picture = shardlang.plot("A[I_X, J_Y]", mesh={"X": 3, "Y": None})
    assert isinstance(picture.drawing, MeshPicture)
    assert len(Drawn(picture.svg).all("device")) == 6
    assert "no size is given of Y: drawn with 2" in picture.text


def test_long_axes_have_a_gap():
    assert shown(4, 5) == (0, 1, 2, 3)
    assert shown(100, 5) == (0, 1, 2, None, 99)
    drawn = Drawn(shardlang.plot("A[I_{XY}, J]", mesh="X=16,Y=40").svg)
    assert len(drawn.all("device")) == 16 * 15
    assert "device X=15, Y=39 holds I639" in drawn.names("device")
    assert_legible(drawn)


def test_uneven_blocks_end_with_the_dimension():
    picture = shardlang.plot("A[I_X]", mesh="X=3", sizes="I=7", uneven=True)
    assert [text for text in Drawn(picture.svg).texts("device-text") if "[" in text] == ["[0:3]", "[3:6]", "[6:7]"]


def test_the_terminal_form_has_every_device_in_its_place():
    lines = shardlang.plot("A[I_X, J_Y]", mesh="X=2,Y=3").text.splitlines()
    head = next(at for at, line in enumerate(lines) if line.split() == ["Y=0", "Y=1", "Y=2"])
    rows = [line.replace("│", " ").split() for line in lines[head + 2 : head + 5 : 2]]
    assert rows == [["X=0", "I0", "J0", "I0", "J1", "I0", "J2"], ["X=1", "I1", "J0", "I1", "J1", "I1", "J2"]]


@pytest.mark.parametrize(
    ("text", "keywords", "words"),
    [
        ("A[I, J]", {}, "there is no mesh"),
        ("", {"mesh": "X=2"}, "there is no array"),
        ("A[I_X]", {"array": "B", "mesh": "X=2"}, "no array called `B`"),
        ("A[I_X]", {"mesh": "X=100000"}, "too large to draw"),
    ],
)
def test_what_cannot_be_drawn_is_a_finding(text, keywords, words):
    picture = shardlang.plot(text, **keywords)
    assert (picture.ok, picture.drawing, picture.text) == (False, None, "")
    (found,) = picture.diagnostics
    assert found.code == "SL510"
    assert words in found.message
    assert any(words in text for text in Drawn(picture.svg).texts("problem"))


def test_a_refused_array_is_not_drawn():
    picture = shardlang.plot("A[I_X, J_X]\nB[I_X, J]", mesh="X=2")
    assert not picture.ok
    assert [shown.layout.text for shown in picture.drawing.arrays] == ["B[I_X, J]"]
    alone = shardlang.plot("A[I_X, J_X]", mesh="X=2")
    assert [found.code for found in alone.diagnostics] == ["SL201"]
    assert alone.drawing is None
