"""A chart laid out: frame, ticks, curves, numbered places, and beside them the legend, below them the conventions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shardlang.pictures.chart import Axis, Chart, Curve, Point, Spot
from shardlang.pictures.clipping import clipped, straightened
from shardlang.pictures.letters import fitted, text_width, wrapped
from shardlang.pictures.scene import FAINT, INK, MUTED, PAPER, SIZE, Box, Disc, Mark, Path, Place, Scene, Text
from shardlang.pictures.ticks import place, ticks, value_text

COLOURS = ("#0b62a8", "#c2410c", "#0f8a5f", "#8b3fa0", "#a07400", "#c0267a", "#4b5563", "#0e7c86")
"""Dark enough for lines on white, and apart also for eyes that see no red or no green. """
_DASHES: tuple[tuple[float, ...], ...] = ((), (7, 3), (2, 2.5), (9, 3, 2, 3))
_WIDTH, _HEIGHT, _TALLEST = 470.0, 320.0, 480.0
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
    height: float
    x: Axis
    y: Axis

    @property
    def right(self) -> float:
        return self.left + _WIDTH

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def at(self, x: float, y: float) -> Place:
        return self.left + place(self.x, x) * _WIDTH, self.bottom - place(self.y, y) * self.height


_WIDE = Style("#d8d4cc", (), 8.0)
_PLAIN = Style(INK, (), 2.6)


def styles(curves: Sequence[Curve]) -> tuple[Style, ...]:
    """Return a style for each curve: those that belong to a main one have its colour, and are thin.

    A main one that lies on others is dashed, so that they are seen between.
    """
    found: list[Style] = []
    number, within, plain = -1, 0, 0
    lying: Counter[tuple[tuple[float, float], ...]] = Counter()
    for curve in curves:
        if curve.wide or curve.plain:
            found.append(_WIDE if curve.wide else _PLAIN._replace(dash=_DASHES[plain % len(_DASHES)]))
            plain += curve.plain
            continue
        number, within = (number + 1, 0) if curve.main else (max(number, 0), within + 1)
        dash = _DASHES[within % len(_DASHES)] if not curve.main else _DASHES[number // len(COLOURS) % len(_DASHES)]
        if curve.main:
            dash = (8.0, 8.0 * lying[curve.points]) if lying[curve.points] else dash
            lying[curve.points] += 1
        found.append(Style(COLOURS[number % len(COLOURS)], dash, 2.2 if curve.main else 1.2))
    return tuple(found)


def chart_scene(chart: Chart) -> Scene:
    """Return the chart as marks."""
    sides = [text_width(said, _SMALL) for _, said in ticks(chart.y, _MOST_Y)]
    left = _MARGIN + SIZE + 10 + max(sides, default=0) + 8
    width = left + _WIDTH + 20 + _KEY + _legend_room(chart) + _MARGIN
    title = wrapped(chart.title, 14 * 1.13, width - 2 * _MARGIN)
    values, rows = _values(chart, left)
    frame = _Frame(left, _MARGIN + 20 * len(title) + 8 + rows * _ROW, _HEIGHT, chart.x, chart.y)
    _, end = _legend(chart, frame)
    frame = frame._replace(height=min(max(_HEIGHT, end - frame.top - _ROW), _TALLEST))
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
    yield Box(frame.left, frame.top, _WIDTH, frame.height, "none", MUTED, "frame")
    middle = frame.left + _WIDTH / 2
    yield Text(middle, frame.bottom + 38, fitted(frame.x.label, SIZE, _WIDTH), "axis-x", anchor="middle")
    up = frame.top + frame.height / 2
    label = fitted(frame.y.label, SIZE, frame.height)
    yield Text(_MARGIN + SIZE, up, label, "axis-y", anchor="middle", turned=True)


def _curves(chart: Chart, frame: _Frame) -> Iterator[Mark]:
    drawn = zip(chart.curves, styles(chart.curves), strict=True)
    for curve, style in sorted(drawn, key=lambda pair: -pair[1].width):  # thin lines over thick ones
        places = [frame.at(x, y) for x, y in curve.points]
        for piece in clipped(places, frame.left, frame.top, frame.right, frame.bottom):
            yield Path(straightened(piece), style.colour, style.width, "curve", curve.name, style.dash)


def _values(chart: Chart, left: float) -> tuple[list[Text], int]:
    """Return what stands above the frame at each crossing and ridge, with its row as y, and how many rows that takes."""
    found: list[Text] = []
    ends: list[float] = []
    axis, looks = chart.x, styles(chart.curves)
    marked = [(crossing.x, INK) for crossing in chart.crossings]
    marked += [(ridge.x, looks[ridge.curve].colour) for ridge in chart.ridges]
    for at, colour in sorted(marked):
        shown = value_text(axis, at)
        half = text_width(shown, _SMALL, bold=True) / 2
        x = min(max(left + place(axis, at) * _WIDTH, left + half), left + _WIDTH - half)
        row = next((at for at, end in enumerate(ends) if end + 8 <= x - half), len(ends))
        ends[row : row + 1] = [x + half]
        found.append(Text(x, row, shown, "value", _SMALL, "middle", colour, bold=True))
    return found, len(ends)


def _numbered(chart: Chart, frame: _Frame) -> Iterator[Mark]:
    looks = styles(chart.curves)
    for crossing in chart.crossings:
        x, _ = frame.at(crossing.x, crossing.y)
        yield Path(((x, frame.top), (x, frame.bottom)), INK, 1, "crossover", crossing.name, (3, 3))
    for ridge in chart.ridges:
        x, y = frame.at(ridge.x, ridge.y)
        yield Path(((x, frame.top), (x, y)), looks[ridge.curve].colour, 1, "ridge", ridge.name, (3, 3))
    discs = sorted(_discs(chart, looks), key=lambda disc: not disc.full)  # those that say most keep their places
    taken: list[Place] = []
    for disc in discs:
        at = frame.at(disc.x, disc.y)
        taken.append(_free(at, taken, frame))
        if taken[-1] != at:  # below all discs: one of them may cover it
            yield Path((at, taken[-1]), disc.colour, 0.8, "leader")
            yield Disc(*at, 2.5, disc.colour, PAPER, "place", disc.name)
    for disc, (x, y) in reversed(list(zip(discs, taken, strict=True))):
        yield from _disc(disc, x, y, disc.role)


class _Numbered(NamedTuple):
    """A disc with its number. full: filled with its colour, else edged with it."""

    number: int
    x: float
    y: float
    role: str
    name: str
    colour: str = INK
    full: bool = True


def _discs(chart: Chart, looks: Sequence[Style]) -> Iterator[_Numbered]:
    """Yield the discs of a chart: of what stands at several places, one for each."""
    for number, point in enumerate(numbered(chart), 1):
        places: dict[Place, list[Spot]] = {}
        for spot in point.spots:
            places.setdefault((spot.x, spot.y), []).append(spot)
        for (x, y), spots in places.items():
            said = f"{point.name}: {', '.join(spot.name for spot in spots)}"
            yield _Numbered(number, x, y, "point", said, looks[spots[0].curve].colour, spots[0].strong)
        if not places:
            role = "crossing" if number <= len(chart.crossings) else "point"
            yield _Numbered(number, point.x, point.y, role, point.name)


def _disc(disc: _Numbered, x: float, y: float, role: str) -> Iterator[Mark]:
    if disc.full:
        yield Disc(x, y, _RADIUS, disc.colour, PAPER, role, disc.name)
    else:
        yield Disc(x, y, _RADIUS - 0.5, PAPER, disc.colour, role, disc.name, 1.6)
    yield Text(x, y + 3.6, str(disc.number), "number", 10, "middle", PAPER if disc.full else disc.colour, bold=True)


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
    looks = styles(chart.curves)
    for curve, style in zip(chart.curves, looks, strict=True):
        marks.append(Path(((x, y - 4), (x + 22, y - 4)), style.colour, style.width, "key", curve.name, style.dash))
        y = _entry(marks, x + _KEY, y, curve.name, curve.note, "legend")
    y += 8 if chart.curves and numbered(chart) else 0
    for number, point in enumerate(numbered(chart), 1):
        colour = INK if point.curve is None else looks[point.curve].colour
        marks += _disc(_Numbered(number, point.x, point.y, "key", "", colour), x + 11, y - 4, "key")
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
