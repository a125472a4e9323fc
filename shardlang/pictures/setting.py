"""Layouts laid out: for each array the mesh with its blocks, and beside it the array with its devices."""

from collections.abc import Iterator
from colorsys import hls_to_rgb
from math import ceil, prod
from typing import NamedTuple

from shardlang.pictures.letters import text_width, wrapped
from shardlang.pictures.mesh import MeshPicture, Shown
from shardlang.pictures.scene import INK, MUTED, Box, Mark, Scene, Text
from shardlang.pictures.tables import Cell, Grid, Panel

_MARGIN, _SMALL, _LINE = 14.0, 10.5, 14.0
_PAD, _BETWEEN, _APART = 6.0, 18.0, 44.0
_LEAST = (46.0, 30.0)
_WIDEST = 560.0
"""Of the panels of a table beside each other; a wider one leaves indices out, and what does not fit goes below."""
_GAP = "#f2f2f2"
_HATCHED = "hatched: not the value itself, which takes all the addends or candidates"


class _Set(NamedTuple):
    """Marks that were set, and the corner to which they reach."""

    marks: tuple[Mark, ...]
    right: float
    bottom: float


class _Sizes(NamedTuple):
    """Of a cell, and of the labels of rows. indices: whether the cells say those of their blocks."""

    width: float
    height: float
    label: float
    indices: bool


def mesh_scene(picture: MeshPicture) -> Scene:
    """Return the picture as marks."""
    marks: list[Mark] = [Text(_MARGIN, _MARGIN + 14, picture.title, "title", 14, bold=True)]
    right, y = _MARGIN + text_width(picture.title, 14, bold=True), _MARGIN + 32
    for shown in picture.arrays:
        one = _array(shown, y)
        marks += one.marks
        right, y = max(right, one.right), one.bottom + 22
    width = max(right, 460.0) + _MARGIN
    hatched = any(shown.layout.addends > 1 for shown in picture.arrays)
    for note in (*picture.notes, *((_HATCHED,) if hatched else ())):
        for line in wrapped(note, 11, width - 2 * _MARGIN):
            marks.append(Text(_MARGIN, y, line, "note", 11, colour=MUTED))
            y += 15
    described = " ".join(f"{shown.layout.text}: {'; '.join(shown.layout.words())}." for shown in picture.arrays)
    return Scene(width, y - 15 + _MARGIN, picture.title, described, tuple(marks))


def colour(block: int, count: int) -> str:
    """Return the colour of a block of `count`: hues around the circle, pale enough for dark letters."""
    light = 0.84 if count <= 8 or block % 2 == 0 else 0.74
    red, green, blue = hls_to_rgb((block / count + 0.58) % 1.0, light, 0.62)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _array(shown: Shown, y: float) -> _Set:
    marks: list[Mark] = [Text(_MARGIN, y + 12, shown.layout.text, "array", 13, bold=True)]
    words = shown.layout.words()
    y += 18
    blocks = prod(cut.parts for cut in shown.layout.cuts)
    left = _grid(shown.devices, _MARGIN, y, blocks)
    beside = _grid(shown.blocks, left.right + _APART, y, blocks)
    marks += (*left.marks, *beside.marks)
    bottom = max(left.bottom, beside.bottom) + 16
    for line in wrapped("; ".join(words), 11, max(beside.right - _MARGIN, 440.0)):
        marks.append(Text(_MARGIN, bottom, line, "words", 11, colour=MUTED))
        bottom += 15
    return _Set(tuple(marks), max(beside.right, _MARGIN + text_width(shown.layout.text, 13, bold=True)), bottom)


def _rows(grid: Grid) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    return (row for panel in grid.panels for row in panel.rows)


def _grid(grid: Grid, x: float, y: float, blocks: int) -> _Set:
    """Set the panels of a grid side by side, in as many lines as that takes."""
    marks: list[Mark] = [Text(x, y + 14, grid.title, "grid-title", 11, colour=MUTED)]
    right, bottom = x + ceil(text_width(grid.title, 11)), y + 20
    sizes = _sizes(grid)
    left, top = x, y + 20
    for panel in grid.panels:
        width = _panel_width(panel, sizes)
        if left > x and left + width > x + _WIDEST:
            left, top = x, bottom + 10
        one = _panel(panel, left, top, sizes, grid.role, blocks)
        marks += one.marks
        left, right, bottom = one.right + _BETWEEN, max(right, one.right), max(bottom, one.bottom)
    return _Set(tuple(marks), right, bottom)


def _sizes(grid: Grid) -> _Sizes:
    """Return the sizes of cells that hold all texts of a grid; one too wide is set without the indices."""
    cells = [cell for _, row in _rows(grid) for cell in row]
    columns = max(len(panel.columns) for panel in grid.panels)
    heads = max((text_width(said, 11) for panel in grid.panels for said in panel.columns), default=0.0)
    label = max((text_width(said, 11) for said, _ in _rows(grid)), default=0.0)
    indices = True
    width = max(heads, _widest(cells, indices)) + 2 * _PAD
    if columns * width > _WIDEST:
        indices = False
        width = max(heads, _widest(cells, indices)) + 2 * _PAD
    count = max((len(_lines(cell, indices)) for cell in cells), default=1)
    height = max(count * _LINE + 2 * _PAD, _LEAST[1])
    return _Sizes(ceil(max(width, _LEAST[0])), height, ceil(label) + 8.0 if label else 0.0, indices)


def _widest(cells: list[Cell], indices: bool) -> float:
    return max((text_width(line, size) for cell in cells for line, size in _lines(cell, indices)), default=0.0)


def _lines(cell: Cell, indices: bool) -> list[tuple[str, float]]:
    """Return the lines of a cell with the size of their letters."""
    kept = [(line, 12.0 if at == 0 else _SMALL) for at, line in enumerate(cell.lines) if indices or at != 1]
    return [(line, size) for line, size in kept if line]


def _panel_width(panel: Panel, sizes: _Sizes) -> float:
    return sizes.label + max(len(panel.columns), 1) * sizes.width


def _panel(panel: Panel, x: float, y: float, sizes: _Sizes, role: str, blocks: int) -> _Set:
    marks: list[Mark] = []
    if panel.heading:
        marks.append(Text(x + sizes.label, y + 14, panel.heading, "panel", 11, bold=True))
        y += 18
    for at, said in enumerate(panel.columns):
        if said:
            marks.append(Text(x + sizes.label + (at + 0.5) * sizes.width, y + 13, said, "label", 11, "middle", MUTED))
    y += 18 if any(panel.columns) else 2
    for said, row in panel.rows:
        if said:
            marks.append(Text(x + sizes.label - 8, y + sizes.height / 2 + 4, said, "label", 11, "end", MUTED))
        for at, cell in enumerate(row):
            marks += _cell(cell, x + sizes.label + at * sizes.width, y, sizes, role, blocks)
        y += sizes.height
    return _Set(tuple(marks), x + _panel_width(panel, sizes), y)


def _cell(cell: Cell, x: float, y: float, sizes: _Sizes, role: str, blocks: int) -> Iterator[Mark]:
    if cell.block is None:
        yield Box(x, y, sizes.width, sizes.height, _GAP, "#ffffff", "gap")
        yield Text(x + sizes.width / 2, y + sizes.height / 2 + 4, "…", "gap-text", 12, "middle", MUTED)
        return
    yield Box(x, y, sizes.width, sizes.height, colour(cell.block, blocks), INK, role, cell.name, cell.hatched)
    lines = _lines(cell, sizes.indices)
    top = y + (sizes.height - len(lines) * _LINE) / 2
    for row, (line, size) in enumerate(lines):
        yield Text(x + sizes.width / 2, top + row * _LINE + 11, line, f"{role}-text", size, "middle")
