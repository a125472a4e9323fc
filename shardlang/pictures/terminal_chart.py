"""A chart in a terminal: a letter a curve, a number a place, and what they stand for below."""

from collections.abc import Iterator
from itertools import pairwise
from textwrap import wrap

from shardlang.pictures.chart import Axis, Chart, Curve
from shardlang.pictures.plotting import numbered
from shardlang.pictures.ticks import place, ticks
from shardlang.reports.cells import pad, width

_ROWS = 19
_WIDEST, _NARROWEST = 84, 24
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_BAND = "░"
_LONGEST = 48


def chart_text(chart: Chart, columns: int) -> str:
    """Return the chart as text that is at most `columns` wide, but for words that are longer."""
    sides = dict(_rows(chart.y))
    label = max((width(said) for said in sides.values()), default=0)
    room = max(_NARROWEST, min(columns - label - 4, _WIDEST))
    field = [[" "] * room for _ in range(_ROWS)]
    names = letters(chart.curves)
    _draw(chart, names, field)
    out = [chart.title, "", chart.y.label]
    for row in range(_ROWS):
        said = sides.get(row, "")
        out.append(" " * (label - width(said)) + said + (" ┤" if said else " │") + "".join(field[row]))
    out += [" " * (label + 1) + line for line in _bottom(chart.x, room)]
    out.append(" " * (label + 2) + chart.x.label)
    out += ["", *_legend(chart, names)]
    out += ["", *notes_text(chart.notes, columns)] if chart.notes else []
    return "\n".join(line.rstrip() for line in out) + "\n"


def notes_text(notes: tuple[str, ...], columns: int) -> Iterator[str]:
    """Yield the notes as lines that are at most `columns` wide, but for words that are longer."""
    for note in notes:
        yield from wrap(note, columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def letters(curves: tuple[Curve, ...]) -> list[str]:
    """Return the letter of each curve; from the 27th on all have the same sign."""
    lines = iter(_LETTERS)
    return [_BAND if curve.wide else next(lines, "*") for curve in curves]


def _draw(chart: Chart, names: list[str], field: list[list[str]]) -> None:
    room = len(field[0])
    for crossing in chart.crossings:
        column = _column(chart.x, crossing.x, room)
        for line in field:
            line[column] = "┊"
    for ridge in chart.ridges:
        column = _column(chart.x, ridge.x, room)
        for row in range(min(_row(chart.y, ridge.y), _ROWS)):
            field[row][column] = "┊"
    order = sorted(zip(chart.curves, names, strict=True), key=lambda pair: (not pair[0].wide, pair[0].main))
    for curve, name in order:
        for column, row in _places(chart, curve, room):
            field[row][column] = name
    for number, point in enumerate(numbered(chart), 1):
        for place_of in point.spots or (point,):
            column, row = _column(chart.x, place_of.x, room), _row(chart.y, place_of.y)
            for at, digit in enumerate(str(number)):
                if column + at < room and 0 <= row < _ROWS:
                    field[row][column + at] = digit


def _places(chart: Chart, curve: Curve, room: int) -> Iterator[tuple[int, int]]:
    """Yield a place in every column that a curve passes, between its points too."""
    for (x1, y1), (x2, y2) in pairwise(curve.points):
        first, last = place(chart.x, x1) * (room - 1), place(chart.x, x2) * (room - 1)
        start, end = place(chart.y, y1), place(chart.y, y2)
        for column in range(max(0, round(first)), min(room - 1, round(last)) + 1):
            part = 0.0 if last == first else min(1.0, max(0.0, (column - first) / (last - first)))
            row = round((1 - (start + part * (end - start))) * (_ROWS - 1))
            if 0 <= row < _ROWS:
                yield column, row


def _column(axis: Axis, value: float, room: int) -> int:
    return min(max(round(place(axis, value) * (room - 1)), 0), room - 1)


def _row(axis: Axis, value: float) -> int:
    return round((1 - place(axis, value)) * (_ROWS - 1))


def _rows(axis: Axis) -> Iterator[tuple[int, str]]:
    for at, said in ticks(axis, _ROWS // 2):
        yield _row(axis, at), said


def _bottom(axis: Axis, room: int) -> Iterator[str]:
    """Yield the line of the axis and what its ticks say."""
    line, said = ["─"] * room, [" "] * (room + 8)
    free = 0
    for at, text in ticks(axis, 9):
        column = _column(axis, at, room)
        start = max(0, column - len(text) // 2)
        if start < free or start + len(text) > len(said):
            continue
        line[column] = "┬"
        said[start : start + len(text)] = text
        free = start + len(text) + 1
    yield "└" + "".join(line)
    yield " " + "".join(said)


def _legend(chart: Chart, names: list[str]) -> Iterator[str]:
    entries = [(name, curve.name, curve.note) for name, curve in zip(names, chart.curves, strict=True)]
    entries += [(str(number), point.name, point.note) for number, point in enumerate(numbered(chart), 1)]
    first = min(max((width(name) for _, name, _ in entries), default=0), _LONGEST)
    for sign, name, note in entries:
        yield f"  {pad(sign, 2)}  {pad(name, first)}   {note}".rstrip()
