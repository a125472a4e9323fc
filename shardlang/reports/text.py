"""Blocks as text for a terminal: aligned columns, wrapped sentences."""

from collections.abc import Callable, Iterable
from textwrap import wrap
from typing import NamedTuple

from shardlang.reports.cells import pad, safe, width
from shardlang.reports.colour import Paint, plain
from shardlang.reports.document import Block, Code, Fact, Heading, Items, Line, Math, Piece, StepBlock, Strong, Table
from shardlang.reports.formulas import FormulaPrinter

_LABEL = 7
_VALUE = 14
_GAP = "   "
_SIGNS = "+-<>·"


class TextWriter:
    """Prints blocks as text. `room` is the number of columns; formulas are never broken."""

    def __init__(self, printer: FormulaPrinter, paint: Paint = plain, room: int = 100) -> None:
        self._printer = printer
        self._paint = paint
        self._room = room

    def write(self, blocks: Iterable[Block]) -> str:
        """Return the text of all blocks."""
        out: list[str] = []
        for block in blocks:
            match block:
                case Heading():
                    out += self._heading(block, first=not out)
                case StepBlock():
                    out += self._step(block)
                case Table():
                    out += self._table(block)
                case Items():
                    out += [row for line in block.lines for row in self._item(line)]
        return "\n".join(line.rstrip() for line in out)

    def _heading(self, heading: Heading, first: bool) -> list[str]:
        text = self.line(heading.line)
        blank = [] if first else [""] if heading.level > 1 else ["", ""]
        lines = [text] if _is_formula(heading.line) else _wrapped(text, self._room)
        return [*blank, *(self._paint(line, "strong") for line in lines)]

    def _step(self, step: StepBlock) -> list[str]:
        out = [f"  {self._paint(f'{step.number:>2}', 'gutter')}  {self._paint(safe(step.code.text), 'strong')}"]
        room = self._room - 6 - _LABEL - _VALUE
        formulas = (width(self.line(fact.line)) for fact in step.facts if fact.value)
        column = max((columns for columns in formulas if columns <= room), default=0)
        for fact in step.facts:
            out += self._fact(fact, column)
        return out

    def _fact(self, fact: Fact, column: int) -> list[str]:
        lead = " " * 6 + self._paint(f"{fact.label:<{_LABEL}}", "dim")
        text, room = self.line(fact.line), max(20, self._room - 6 - _LABEL)
        fitted = fold if _is_formula(fact.line) else _wrapped
        lines = fitted(text, room - _VALUE if fact.value else room)
        if fact.value:
            lines[-1] = f"{pad(lines[-1], column)}{_GAP}= {fact.value}"
        return [lead + lines[0], *(" " * (6 + _LABEL) + line for line in lines[1:])]

    def _table(self, table: Table) -> list[str]:
        rows = [[_Text(self.line(cell), fold if _is_formula(cell) else _wrapped) for cell in row] for row in table.rows]
        columns = range(max((len(row) for row in rows), default=0))
        widths = [max(width(row[at].text) for row in rows if at < len(row)) for at in columns]
        start = 7 if table.inner else 2
        over = sum(widths) + len(_GAP) * (len(widths) - 1) + start - self._room
        if over > 0:
            # A long formula must not push the other rows apart: it takes lines of its own.
            at = widths.index(max(widths))
            room = max(20, widths[at] - over)
            parts = (row[at].lines(room) if _follows(row, at) else [row[at].text] for row in rows if at < len(row))
            widths[at] = max((width(part) for cell in parts for part in cell if width(part) <= room), default=room)
        return [line for row in rows for line in self._row(row, widths, start)]

    def _row(self, row: "list[_Text]", widths: list[int], start: int) -> list[str]:
        lines, column = [" " * start], start
        for at, cell in enumerate(row):
            if not widths[at]:
                continue
            first, *rest = cell.lines(widths[at] if _follows(row, at) else max(widths[at], self._room - column))
            gap = _GAP if at and cell.text and width(lines[-1]) >= column else ""
            lines[-1] = pad(lines[-1], column) + gap + first
            lines += [" " * column + part for part in rest]
            column += widths[at] + len(_GAP)
        return lines

    def _item(self, line: Line) -> list[str]:
        first, *rest = _wrapped(self.line(line), self._room - 4)
        return [f"  {first}", *(f"    {row}" for row in rest)]

    def line(self, line: Line) -> str:
        """Return the text of a line."""
        return "".join(self._piece(piece) for piece in line)

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, Math):
            return _join([part if isinstance(part, str) else self._printer.formula(part) for part in piece.parts])
        if isinstance(piece, Code | Strong):
            return safe(piece.text)
        return safe(piece)


def _join(parts: list[str]) -> str:
    """Return parts with a blank between them, none inside brackets and before a comma."""
    text = ""
    for part in parts:
        text += part if not text or text.endswith("(") or part in (",", ")") else f" {part}"
    return text


class _Text(NamedTuple):
    """The text of a cell, and how it is broken into lines."""

    text: str
    fitted: Callable[[str, int], list[str]]

    def lines(self, room: int) -> list[str]:
        """Return the text in lines of at most `room` columns."""
        return self.fitted(self.text, room)


def _follows(row: list[_Text], at: int) -> bool:
    """Say whether a row has something after a column."""
    return any(cell.text for cell in row[at + 1 :])


def _is_formula(line: Line) -> bool:
    return any(isinstance(piece, Math | Code) for piece in line)


def _wrapped(text: str, room: int) -> list[str]:
    """Return a sentence in lines of at most `room` columns, broken between words."""
    return wrap(text, max(room, 20), break_long_words=False, break_on_hyphens=False) or [""]


def fold(text: str, room: int) -> list[str]:
    """Return a formula or a statement in lines of at most `room` columns, broken before a sign.

    Only what is still too long is broken inside its brackets: after a comma, else before a plus or minus.
    """
    if width(text) <= room:
        return [text]
    start = 2 if text.startswith("= ") else 0
    lines = [""]
    for part in _breaks(text, _SIGNS, 0):
        if width(lines[-1]) + width(part.rstrip()) <= room:
            lines[-1] += part
            continue
        if lines[-1].strip():
            lines.append(" " * start)
        if start + width(part.rstrip()) <= room:
            lines[-1] += part
        else:
            _fold_inside(part, lines, room)
    return [line.rstrip() for line in lines]


def _fold_inside(text: str, lines: list[str], room: int) -> None:
    """Add an addend that is longer than a line, broken inside its brackets."""
    lead = width(lines[-1]) + text.find("(") + 1
    for argument in _breaks(text, ",", 1):
        whole = width(lines[-1]) + width(argument) <= room or width(argument) + lead <= room
        for part in [argument] if whole else _breaks(argument, _SIGNS, 1):
            if lines[-1].strip() and width(lines[-1]) + width(part.rstrip()) > room:
                lines.append(" " * lead)
            lines[-1] += part


def _breaks(text: str, signs: str, depth: int) -> list[str]:
    """Return `text` cut after every comma, or before every sign, that is in at most `depth` brackets."""
    parts, level, start = [], 0, 0
    for at, char in enumerate(text):
        level += (char in "([{") - (char in ")]}")
        if char != " " or level > depth:
            continue
        if text[at - 1] in signs if signs == "," else text[at + 1 : at + 2] in tuple(signs):
            parts.append(text[start : at + 1])
            start = at + 1
    return [*parts, text[start:]]
