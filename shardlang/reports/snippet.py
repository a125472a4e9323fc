"""A finding drawn into the lines that it is about."""

from typing import NamedTuple

from shardlang.diagnostics import Diagnostic, Fix
from shardlang.reports.cells import Cell, clip, safe, safe_name
from shardlang.reports.colour import Paint, plain
from shardlang.reports.corrections import corrected, full_title
from shardlang.source import SourceText, Span

DEFAULT_WIDTH = 100
_MOST_LABELS = 8
_MOST_FIXES, _MOST_PRICED = 6, 3  # the latter where numbers say which is the cheapest
_NOWHERE = Span(0, 0)


class _Mark(NamedTuple):
    """A place on one line, in columns from zero; `primary` is the place of the finding itself."""

    line: int
    start: int
    end: int
    primary: bool
    message: str


def render_finding(source: SourceText, finding: Diagnostic, *, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
    """Return the finding as text: headline, place, the lines with what is marked on them, labels, help.

    `width` is the number of columns that a line of the source may take in all. Columns in the place
    `file:line:column` count characters from one; the carets stand under what a terminal shows.
    """
    place = source.position(finding.span.start)
    nowhere = finding.span == _NOWHERE and not finding.labels  # it is about an option
    marks = _marks(source, finding)
    numbers = sorted({mark.line for mark in marks})
    gutter = len(str(numbers[-1]))
    severity = finding.severity
    out = [
        paint(f"{severity}[{finding.code}]", severity) + paint(f": {safe(finding.message)}", "strong"),
        " " * gutter + paint("-->", "gutter") + f" {safe_name(source.name)}:{place.line}:{place.column}",
    ]
    notes: list[str] = []
    if source.text and not nowhere:
        out.append(_gutter("", gutter, paint))
        out += _lines(source, marks, numbers, gutter, severity, paint, max(30, width - gutter - 3), notes)
    helps = _helps(source, finding)
    if (helps or notes) and not nowhere:
        out.append(_gutter("", gutter, paint))
    out += [f"{' ' * gutter} {paint('=', 'gutter')} note: {note}" for note in notes]
    out += [_help(text, gutter, paint) for text in helps]
    return "\n".join(line.rstrip() for line in out)


def _marks(source: SourceText, finding: Diagnostic) -> list[_Mark]:
    marks = _split(source, finding.span, True, "")
    for label in finding.labels[:_MOST_LABELS]:
        if label.span == finding.span:
            marks[0] = marks[0]._replace(message=label.message)
        else:
            marks += _split(source, label.span, False, label.message)
    return marks


def _split(source: SourceText, span: Span, primary: bool, message: str) -> list[_Mark]:
    """Return a mark for the first and the last line that `span` touches."""
    first = source.position(span.start)
    last = source.position(max(span.start, span.end))
    if last.line == first.line:
        end = max(last.column, first.column + 1)
        return [_Mark(first.line, first.column - 1, end - 1, primary, message)]
    length = len(source.line(first.line))
    marks = [_Mark(first.line, first.column - 1, max(length, first.column), primary, message)]
    text = source.line(last.line)[: last.column - 1]
    if text.strip():
        marks.append(_Mark(last.line, len(text) - len(text.lstrip()), last.column - 1, primary, ""))
    return marks


def _lines(
    source: SourceText,
    marks: list[_Mark],
    numbers: list[int],
    gutter: int,
    severity: str,
    paint: Paint,
    room: int,
    notes: list[str],
) -> list[str]:
    out: list[str] = []
    for index, number in enumerate(numbers):
        if index and number == numbers[index - 1] + 2:
            out += _source_line(source.line(number - 1), number - 1, [], gutter, severity, paint, room, notes)
        elif index and number > numbers[index - 1] + 2:
            out.append(paint("..." if gutter < 3 else "." * gutter, "gutter"))
        on_line = [mark for mark in marks if mark.line == number]
        out += _source_line(source.line(number), number, on_line, gutter, severity, paint, room, notes)
    return out


def _source_line(
    text: str, number: int, marks: list[_Mark], gutter: int, severity: str, paint: Paint, room: int, notes: list[str]
) -> list[str]:
    focus = next((mark for mark in marks if mark.primary), marks[0] if marks else _Mark(number, 0, 0, False, ""))
    start, shown, cut_before, cut_after = clip(text, Span(focus.start, focus.end), room - 6)
    lead = "..." if cut_before else ""
    body = lead + "".join(cell.shown for cell in shown) + ("..." if cut_after else "")
    out = [_gutter(str(number), gutter, paint) + " " + body]
    placed: list[tuple[int, int, _Mark]] = []
    for mark in marks:
        columns = _columns(mark, start, shown, len(lead))
        if columns is not None:
            placed.append((*columns, mark))
        elif mark.message:
            notes.append(f"{safe(mark.message)} (line {number}, column {mark.start + 1})")
    return out + [f"{_gutter('', gutter, paint)} {row}" for row in _underline(placed, severity, paint)]


def _columns(mark: _Mark, start: int, shown: list[Cell], lead: int) -> tuple[int, int] | None:
    """Return the columns that `mark` takes under the shown part of the line, None if it is outside."""
    first, last = mark.start - start, mark.end - start
    if (last <= 0 and first < 0) or first > len(shown):
        return None
    begin = lead + sum(cell.width for cell in shown[: max(first, 0)])
    length = sum(cell.width for cell in shown[max(first, 0) : max(last, 0)])
    return begin, begin + max(1, length)


def _underline(placed: list[tuple[int, int, _Mark]], severity: str, paint: Paint) -> list[str]:
    """Return the row of carets and dashes, then a row for each label that has no room in it."""
    if not placed:
        return []
    end = max(stop for _, stop, _ in placed)
    row = [(" ", "strong")] * end
    for begin, stop, mark in sorted(placed, key=lambda item: item[2].primary):
        row[begin:stop] = [("^", severity) if mark.primary else ("-", "label")] * (stop - begin)
    labelled = sorted((item for item in placed if item[2].message), key=lambda item: item[0])
    inline = ""
    if labelled and labelled[-1][1] == end and all(begin < labelled[-1][0] for begin, _, _ in labelled[:-1]):
        last = labelled.pop()[2]
        inline = " " + paint(safe(last.message), severity if last.primary else "label")
    rows = [_paint_runs(row, paint) + inline]
    if labelled:
        rows.append(_connectors([begin for begin, _, _ in labelled], paint))
    while labelled:
        begin, _, mark = labelled.pop()
        stems = _connectors([other for other, _, _ in labelled if other < begin], paint, begin)
        rows.append(stems + paint(safe(mark.message), severity if mark.primary else "label"))
    return rows


def _connectors(columns: list[int], paint: Paint, upto: int | None = None) -> str:
    length = upto if upto is not None else max(columns) + 1
    return _paint_runs([("|", "label") if at in columns else (" ", "strong") for at in range(length)], paint)


def _paint_runs(row: list[tuple[str, str]], paint: Paint) -> str:
    out, at = [], 0
    while at < len(row):
        stop = at
        while stop < len(row) and row[stop] == row[at]:
            stop += 1
        text = row[at][0] * (stop - at)
        out.append(text if row[at][0] == " " else paint(text, row[at][1]))
        at = stop
    return "".join(out)


def _gutter(number: str, gutter: int, paint: Paint) -> str:
    return paint(f"{number:>{gutter}} |", "gutter")


def _helps(source: SourceText, finding: Diagnostic) -> list[str]:
    """Return what helps: each fix with the lines as they read with it made, else the hint."""
    if finding.fixes:
        priced = all(fix.price is not None and fix.price.bytes_received is not None for fix in finding.fixes)
        shown = finding.fixes[: _MOST_PRICED if priced else _MOST_FIXES]
        helps = [_fix_text(fix, corrected(source, fix).text) for fix in shown]
        left = len(finding.fixes) - len(helps)
        more = f"{left} more ways are" if left > 1 else "1 more way is"
        return [*helps, f"{more} in --format json"] if left else helps
    return [finding.hint] if finding.hint else []


def _fix_text(fix: Fix, corrected: str) -> str:
    """Return what a fix does and the lines as they then read; what the title quotes of them is not said twice."""
    if not corrected:
        return full_title(fix)
    words, _, quoted = fix.title.partition(": ")
    return f"{full_title(fix, words if quoted and quoted in corrected else None)}:\n{corrected}"


def _help(text: str, gutter: int, paint: Paint) -> str:
    first, *rest = safe(text).split("\n")
    lead = f"{' ' * gutter} {paint('=', 'gutter')} {paint('help', 'help')}: "
    return "\n".join([lead + first, *(" " * (gutter + 9) + line for line in rest)])
