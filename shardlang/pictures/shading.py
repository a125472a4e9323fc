"""A heat map laid out: panels of tiles, beside them the scale of colours and what is marked, below them the conventions."""

from collections.abc import Iterator
from math import log
from typing import NamedTuple

from shardlang.pictures.heat import HeatMap, Panel, Tile
from shardlang.pictures.letters import fitted, text_width, wrapped
from shardlang.pictures.scene import INK, MUTED, PAPER, SIZE, Box, Disc, Mark, Path, Scene, Text
from shardlang.reports.units import quantity

_MARGIN, _SMALL, _ROW = 14.0, 11.0, 16.0
_LETTERS, _LINE, _PAD = 10.5, 13.0, 9.0
_LEAST = (22.0, 18.0)
_WIDEST, _MOST_LINED = 860.0, 12
_LEFT = _MARGIN + 22
_KEY, _LEGEND = 30.0, 315.0
_RADIUS, _STEPS = 8.0, 24
_FAST, _SLOW = (240, 246, 252), (22, 84, 138)


class _Sizes(NamedTuple):
    """Of a tile, and how many lines it has."""

    width: float
    height: float
    lines: int
    labels: float


def heat_scene(picture: HeatMap) -> Scene:
    """Return the heat map as marks."""
    sizes = _sizes(picture)
    placed, right, bottom = _flow(picture, sizes)
    width = _LEFT + right + 26 + _KEY + _LEGEND + _MARGIN
    title = wrapped(picture.title, 14 * 1.13, width - 2 * _MARGIN)
    marks: list[Mark] = [
        Text(_MARGIN, _MARGIN + 14 + 20 * at, line, "title", 14, bold=True) for at, line in enumerate(title)
    ]
    top = _MARGIN + 20 * len(title) + 18
    for panel, x, y in placed:
        marks += _panel(picture, panel, sizes, _LEFT + x, top + y)
    middle = _LEFT + sizes.labels + (right - sizes.labels) / 2
    across = fitted(picture.across, SIZE, right + _LEFT)
    start = max(middle - text_width(across, SIZE) / 2, _MARGIN)
    marks.append(Text(start, top + bottom + 18, across, "axis-x"))
    down = fitted(picture.down, SIZE, bottom)
    marks.append(Text(_MARGIN + SIZE, top + bottom / 2, down, "axis-y", anchor="middle", turned=True))
    legend, end = _legend(picture, _LEFT + right + 26, top, sizes.lines > 0)
    marks += legend
    y = max(top + bottom + 44, end + 12)
    for note in picture.notes:
        for line in wrapped(note, _SMALL, width - 2 * _MARGIN):
            marks.append(Text(_MARGIN, y, line, "note", _SMALL, colour=MUTED))
            y += 15
    said = " ".join(f"{point.name}: {point.note}." for point in picture.marked)
    described = f"{picture.measure}. {picture.across}, {picture.down}. {said}"
    return Scene(width, y - 15 + _MARGIN, picture.title, described, tuple(marks))


def _flow(picture: HeatMap, sizes: _Sizes) -> tuple[list[tuple[Panel, float, float]], float, float]:
    """Return the panels with their upper left corners, side by side in as many lines as that takes, and how far they reach."""
    placed: list[tuple[Panel, float, float]] = []
    x = y = right = bottom = 0.0
    for panel in picture.panels:
        width, height = _extent(panel, sizes)
        if x and x + width > _WIDEST:
            x, y = 0.0, bottom + 24
        placed.append((panel, x, y))
        x, right, bottom = x + width + 24, max(right, x + width), max(bottom, y + height)
    return placed, right, bottom


def _extent(panel: Panel, sizes: _Sizes) -> tuple[float, float]:
    columns, rows = _counts(panel)
    head = 18.0 if panel.heading else 0.0
    width = max(sizes.labels + columns * sizes.width, sizes.labels + text_width(panel.heading, _SMALL, bold=True))
    return width, head + 16 + rows * sizes.height + _RADIUS


def _counts(panel: Panel) -> tuple[int, int]:
    """Return how many columns and rows a panel needs, of those of the map."""
    return max(tile.column for tile in panel.tiles) + 1, max(tile.row for tile in panel.tiles) + 1


def _sizes(picture: HeatMap) -> _Sizes:
    """Return the sizes of tiles that hold their lines; with many columns fewer lines, or none."""
    tiles = [tile for panel in picture.panels for tile in panel.tiles]
    labels = max(text_width(str(size), _SMALL) for size in picture.rows) + 10
    head = max(text_width(str(size), _SMALL) for size in picture.columns) + 8
    most = max(len(tile.lines) for tile in tiles)
    lines = most if len(picture.columns) <= _MOST_LINED else 0
    widths = (text_width(line, _LETTERS, bold=True) for tile in tiles for line in tile.lines[:lines])
    width = max(_LEAST[0], head, max(widths, default=0.0) + 2 * _PAD)
    return _Sizes(width, max(_LEAST[1], lines * _LINE + 2 * _PAD), lines, labels)


def _panel(picture: HeatMap, panel: Panel, sizes: _Sizes, x: float, y: float) -> Iterator[Mark]:
    if panel.heading:
        yield Text(x + sizes.labels, y, panel.heading, "panel", _SMALL, bold=True)
        y += 18
    left = x + sizes.labels
    columns, rows = _counts(panel)
    for column, size in enumerate(picture.columns[:columns]):
        yield Text(left + (column + 0.5) * sizes.width, y + 10, str(size), "tick-x", _SMALL, "middle", MUTED)
    top = y + 16
    for row, size in enumerate(picture.rows[:rows]):
        yield Text(left - 7, top + (row + 0.5) * sizes.height + 4, str(size), "tick-y", _SMALL, "end", MUTED)
    yield from (_box(picture, tile, sizes, left, top) for tile in panel.tiles)
    if picture.guide is not None and (guided := picture.column_of(picture.guide.x)) <= columns - 0.5:
        at = left + (guided + 0.5) * sizes.width
        bottom = top + rows * sizes.height
        yield Path(((at, top), (at, bottom)), _COLOUR, 1.6, "optimum", picture.guide.name, (5, 4))
        yield from _disc(2, at, bottom, "point", picture.guide.name, _COLOUR)
    for tile in panel.tiles:
        yield from _words(picture, tile, sizes, left, top)
    best = next((tile for tile in panel.tiles if tile.best), None)
    if best is not None:
        corner = left + best.column * sizes.width, top + best.row * sizes.height
        yield from _edge(*corner, sizes, picture.best.name)
        yield from _disc(1, *corner, "point", picture.best.name, INK)


_COLOUR = "#c2410c"


def _box(picture: HeatMap, tile: Tile, sizes: _Sizes, left: float, top: float) -> Box:
    x, y = left + tile.column * sizes.width, top + tile.row * sizes.height
    fill = shade(_part(picture, tile.value))
    return Box(x, y, sizes.width, sizes.height, fill, PAPER, "tile", tile.name)


def _words(picture: HeatMap, tile: Tile, sizes: _Sizes, left: float, top: float) -> Iterator[Mark]:
    middle = left + (tile.column + 0.5) * sizes.width
    guide = None if picture.guide is None else left + (picture.column_of(picture.guide.x) + 0.5) * sizes.width
    part = _part(picture, tile.value)
    for number, line in enumerate(tile.lines[: sizes.lines]):
        y = top + tile.row * sizes.height + _PAD + number * _LINE + 10
        wide = text_width(line, _LETTERS, bold=number == 0) + 4
        if guide is not None and abs(guide - middle) < wide / 2:  # the line makes way for words
            yield Box(middle - wide / 2, y - 10, wide, _LINE, shade(part), shade(part), "ground")
        ink = INK if part < 0.55 else PAPER
        yield Text(middle, y, line, "tile-text", _LETTERS, "middle", ink, bold=number == 0)


def _part(picture: HeatMap, value: float) -> float:
    """Return where a value is between the least and the greatest, by its logarithm."""
    low, high = picture.limits
    return 0.0 if high <= low else log(value / low) / log(high / low)


def shade(part: float) -> str:
    """Return the colour of a place between the fastest, 0, and the slowest, 1: dark is slow."""
    mixed = (round(fast + part * (slow - fast)) for fast, slow in zip(_FAST, _SLOW, strict=True))
    return "#" + "".join(f"{one:02x}" for one in mixed)


def _edge(x: float, y: float, sizes: _Sizes, name: str) -> Iterator[Mark]:
    right, bottom = x + sizes.width, y + sizes.height
    yield Path(((x, y), (right, y), (right, bottom), (x, bottom), (x, y)), INK, 2.4, "best", name)


def _disc(number: int, x: float, y: float, role: str, name: str, colour: str) -> Iterator[Mark]:
    yield Disc(x, y, _RADIUS, colour, PAPER, role, name)
    yield Text(x, y + 3.6, str(number), "number", 10, "middle", PAPER, bold=True)


def _legend(picture: HeatMap, x: float, y: float, said: bool) -> tuple[list[Mark], float]:
    """Return the legend, on the right of the panels, and where it ends."""
    marks: list[Mark] = []
    y += 12
    for words in (picture.measure, *((picture.inside,) if said else ())):
        for line in wrapped(words, SIZE, _KEY + _LEGEND):
            marks.append(Text(x, y, line, "legend"))
            y += _ROW
    step = 168 / _STEPS
    marks += [
        Box(x + at * step, y - 6, step, 12, shade(at / (_STEPS - 1)), shade(at / (_STEPS - 1)), "scale")
        for at in range(_STEPS)
    ]
    for at, value in zip((x, x + 168), picture.limits, strict=True):
        anchor = "start" if at == x else "end"
        marks.append(Text(at, y + 21, quantity(value, "s"), "legend-note", _SMALL, anchor, MUTED))
    y += 46
    for number, (point, colour) in enumerate(zip(picture.marked, (INK, _COLOUR), strict=False), 1):
        marks += _disc(number, x + 11, y - 4, "key", "", colour)
        for line in wrapped(point.name, SIZE, _LEGEND):
            marks.append(Text(x + _KEY, y, line, "legend"))
            y += _ROW
        for line in wrapped(point.note, _SMALL, _LEGEND) if point.note else ():
            marks.append(Text(x + _KEY, y - 1, line, "legend-note", _SMALL, colour=MUTED))
            y += 14
        y += 5
    return marks, y
