"""A chart laid out: frame, ticks, curves, numbered places, and beside them the legend, below them the conventions."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shardlang.pictures.chart import Axis, Chart, Crossing, Curve, Point
from shardlang.pictures.clipping import clipped, straightened
from shardlang.pictures.letters import fitted, text_width, wrapped
from shardlang.pictures.scene import FAINT, INK, MUTED, PAPER, SIZE, Box, Disc, Mark, Path, Place, Scene, Text
from shardlang.pictures.ticks import place, ticks, value_text

COLOURS = ("#0b62a8", "#c2410c", "#0f8a5f", "#8b3fa0", "#a07400", "#c0267a", "#4b5563", "#0e7c86")
"""Dark enough for lines on white, and apart also for eyes that see no red or no green. """
_DASHES: tuple[tuple[float, ...], ...] = ((), (7, 3), (2, 2.5), (9, 3, 2, 3))
_WIDTH, _HEIGHT = 470.0, 320.0
_MARGIN, _SMALL, _ROW = 14.0, 11.0, 16.0
_RADIUS = 8.0
_KEY, _LEGEND = 30.0, 315.0
"""Room for the line or number of a legend entry, and for its words."""
_MOST_X, _MOST_Y = 8, 9


class Style(NamedTuple):
    """How a curve is drawn."""

    colour: str
    dash: tuple[float, ...]
    width: float


class _Frame(NamedTuple):
    left: float
    top: float
    x: Axis
    y: Axis

    @property
    def right(self) -> float:
        return self.left + _WIDTH

    @property
    def bottom(self) -> float:
        return self.top + _HEIGHT

    def at(self, x: float, y: float) -> Place:
        return self.left + place(self.x, x) * _WIDTH, self.bottom - place(self.y, y) * _HEIGHT


_WIDE = Style("#d8d4cc", (), 8.0)


def styles(curves: Sequence[Curve]) -> tuple[Style, ...]:
    """Return a style for each curve: those that belong to a main one have its colour, and are thin."""
    found: list[Style] = []
    number, within = -1, 0
    for curve in curves:
        if curve.wide:
            found.append(_WIDE)
            continue
        number, within = (number + 1, 0) if curve.main else (max(number, 0), within + 1)
        dash = _DASHES[within % len(_DASHES)] if not curve.main else _DASHES[number // len(COLOURS) % len(_DASHES)]
        found.append(Style(COLOURS[number % len(COLOURS)], dash, 2.2 if curve.main else 1.2))
    return tuple(found)


def chart_scene(chart: Chart) -> Scene:
    """Return the chart as marks."""
    sides = [text_width(said, _SMALL) for _, said in ticks(chart.y, _MOST_Y)]
    left = _MARGIN + SIZE + 10 + max(sides, default=0) + 8
    width = left + _WIDTH + 20 + _KEY + _legend_room(chart) + _MARGIN
    title = wrapped(chart.title, 14 * 1.13, width - 2 * _MARGIN)
    values, rows = _values(chart.crossings, left, chart.x)
    frame = _Frame(left, _MARGIN + 20 * len(title) + 8 + rows * _ROW, chart.x, chart.y)
    marks: list[Mark] = [
        Text(_MARGIN, _MARGIN + 14 + 20 * at, line, "title", 14, bold=True) for at, line in enumerate(title)
    ]
    marks += _grid(frame)
    marks += _curves(chart, frame)
    marks += [text._replace(y=frame.top - 6 - (text.y * _ROW)) for text in values]
    marks += _numbered(chart, frame)
    legend, bottom = _legend(chart, frame)
    marks += legend
    y = max(frame.bottom + 48, bottom) + 18
    for note in chart.notes:
        for line in wrapped(note, _SMALL, width - 2 * _MARGIN):
            marks.append(Text(_MARGIN, y, line, "note", _SMALL, colour=MUTED))
            y += 15
    return Scene(width, y - 15 + _MARGIN, chart.title, _description(chart), tuple(marks))


def numbered(chart: Chart) -> tuple[Point, ...]:
    """Return the places that have numbers, from 1: the crossings, then the points."""
    return (*(Point(*found) for found in chart.crossings), *chart.points)


def _description(chart: Chart) -> str:
    parts = [f"{chart.y.label} against {chart.x.label}."]
    parts += [f"Curves: {'; '.join(curve.name for curve in chart.curves)}."] if chart.curves else []
    parts += [f"{point.name}{': ' if point.note else ''}{point.note}." for point in numbered(chart)]
    return " ".join(parts)


def _grid(frame: _Frame) -> Iterator[Mark]:
    free = 0.0
    for at, said in ticks(frame.x, _MOST_X):
        x, _ = frame.at(at, frame.y.low)
        half = text_width(said, _SMALL) / 2
        yield Path(((x, frame.top), (x, frame.bottom)), FAINT, 0.7, "grid")
        if x - half >= free:  # divisors may be close together
            yield Text(x, frame.bottom + 16, said, "tick-x", _SMALL, "middle", MUTED)
            free = x + half + 8
    for at, said in ticks(frame.y, _MOST_Y):
        _, y = frame.at(frame.x.low, at)
        yield Path(((frame.left, y), (frame.right, y)), FAINT, 0.7, "grid")
        yield Text(frame.left - 7, y + 4, said, "tick-y", _SMALL, "end", MUTED)
    yield Box(frame.left, frame.top, _WIDTH, _HEIGHT, "none", MUTED, "frame")
    middle = frame.left + _WIDTH / 2
    yield Text(middle, frame.bottom + 38, fitted(frame.x.label, SIZE, _WIDTH), "axis-x", anchor="middle")
    up = frame.top + _HEIGHT / 2
    label = fitted(frame.y.label, SIZE, _HEIGHT)
    yield Text(_MARGIN + SIZE, up, label, "axis-y", anchor="middle", turned=True)


def _curves(chart: Chart, frame: _Frame) -> Iterator[Mark]:
    drawn = zip(chart.curves, styles(chart.curves), strict=True)
    for curve, style in sorted(drawn, key=lambda pair: -pair[1].width):  # thin lines over thick ones
        places = [frame.at(x, y) for x, y in curve.points]
        for piece in clipped(places, frame.left, frame.top, frame.right, frame.bottom):
            yield Path(straightened(piece), style.colour, style.width, "curve", curve.name, style.dash)


def _values(crossings: Sequence[Crossing], left: float, axis: Axis) -> tuple[list[Text], int]:
    """Return what stands above the frame at each crossing, with its row as y, and how many rows that takes."""
    found: list[Text] = []
    ends: list[float] = []
    for crossing in sorted(crossings):
        shown = value_text(axis, crossing.x)
        half = text_width(shown, _SMALL, bold=True) / 2
        x = min(max(left + place(axis, crossing.x) * _WIDTH, left + half), left + _WIDTH - half)
        row = next((at for at, end in enumerate(ends) if end + 8 <= x - half), len(ends))
        ends[row : row + 1] = [x + half]
        found.append(Text(x, row, shown, "value", _SMALL, "middle", bold=True))
    return found, len(ends)


def _numbered(chart: Chart, frame: _Frame) -> Iterator[Mark]:
    for crossing in chart.crossings:
        x, _ = frame.at(crossing.x, crossing.y)
        yield Path(((x, frame.top), (x, frame.bottom)), INK, 1, "crossover", crossing.name, (3, 3))
    spots: list[Place] = []
    for point in numbered(chart):
        at = frame.at(point.x, point.y)
        spots.append(_free(at, spots, frame))
        if spots[-1] != at:  # below all discs: one of them may cover it
            yield Path((at, spots[-1]), INK, 0.8, "leader")
            yield Disc(*at, 2.5, INK, PAPER, "place", point.name)
    for number, (point, (x, y)) in enumerate(zip(numbered(chart), spots, strict=True), 1):
        role = "crossing" if number <= len(chart.crossings) else "point"
        yield Disc(x, y, _RADIUS, INK, PAPER, role, point.name)
        yield Text(x, y + 3.6, str(number), "number", 10, "middle", PAPER, bold=True)


def _free(wanted: Place, taken: Sequence[Place], frame: _Frame) -> Place:
    """Return the place nearest to `wanted`, below or above, right or left of it, at which a disc covers no other one."""
    step = 2 * _RADIUS + 1
    for count in range(len(taken) + 1):
        for right, down in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            x, y = wanted[0] + right * count * step, wanted[1] + down * count * step
            inside = frame.left <= x <= frame.right and frame.top <= y <= frame.bottom
            if inside and all(abs(x - a) >= step - 0.01 or abs(y - b) >= step - 0.01 for a, b in taken):
                return x, y
    return wanted


def _legend_room(chart: Chart) -> float:
    names = [*(curve.name for curve in chart.curves), *(point.name for point in numbered(chart))]
    notes = [*(curve.note for curve in chart.curves), *(point.note for point in numbered(chart))]
    widths = [text_width(name, SIZE) for name in names] + [text_width(note, _SMALL) for note in notes]
    return min(_LEGEND, max(widths, default=0))


def _legend(chart: Chart, frame: _Frame) -> tuple[list[Mark], float]:
    """Return the legend, on the right of the frame, and where it ends."""
    x, y = frame.right + 20, frame.top + 12
    marks: list[Mark] = []
    for curve, style in zip(chart.curves, styles(chart.curves), strict=True):
        marks.append(Path(((x, y - 4), (x + 22, y - 4)), style.colour, style.width, "key", curve.name, style.dash))
        y = _entry(marks, x + _KEY, y, curve.name, curve.note, "legend")
    y += 8 if chart.curves and numbered(chart) else 0
    for number, point in enumerate(numbered(chart), 1):
        marks.append(Disc(x + 11, y - 4, _RADIUS, INK, PAPER, "key"))
        marks.append(Text(x + 11, y - 0.4, str(number), "number", 10, "middle", PAPER, bold=True))
        y = _entry(marks, x + _KEY, y, point.name, point.note, "legend")
    return marks, y


def _entry(marks: list[Mark], x: float, y: float, name: str, note: str, role: str) -> float:
    """Add the words of one entry and return where the next one starts."""
    for line in wrapped(name, SIZE, _LEGEND):
        marks.append(Text(x, y, line, role))
        y += _ROW
    for line in wrapped(note, _SMALL, _LEGEND) if note else ():
        marks.append(Text(x, y - 1, line, "legend-note", _SMALL, colour=MUTED))
        y += 14
    return y + 5
