r"""Lines and columns as editors count them, from offsets that count code points, and back.

Editors end a line at `\r\n`, `\n` or `\r`, count from zero, and count columns in UTF-16 code units unless they agreed
with the server on bytes of UTF-8 or on code points.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple

from shardlang.source import Span

_LINE_END = re.compile(r"\r\n?|\n")


class Place(NamedTuple):
    """A line and a column, both from zero, the column in units of the encoding."""

    line: int
    column: int


def _utf16(char: str) -> int:
    return 2 if char > "\uffff" else 1


def _utf8(char: str) -> int:
    return 1 if char < "\x80" else 2 if char < "\u0800" else 3 if char < "\U00010000" else 4


def _utf32(_char: str) -> int:
    return 1


_UNITS: dict[str, Callable[[str], int]] = {"utf-8": _utf8, "utf-16": _utf16, "utf-32": _utf32}
ENCODINGS = tuple(_UNITS)


class Lines:
    """The lines of one text. encoding: `utf-16`, `utf-8` or `utf-32`."""

    __slots__ = ("_starts", "_stops", "_tables", "_text", "_units")

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self._text = text
        self._units = _UNITS[encoding]
        ends = [match.span() for match in _LINE_END.finditer(text)]
        self._starts = [0, *(end for _, end in ends)]
        self._stops = [*(start for start, _ in ends), len(text)]
        self._tables: dict[int, list[int] | None] = {}

    @property
    def count(self) -> int:
        """The number of lines; a text that ends in a line end has an empty one after it."""
        return len(self._starts)

    def line_at(self, offset: int) -> int:
        """Return the line, from zero, that an offset is on."""
        return bisect_right(self._starts, max(0, offset)) - 1

    def line_span(self, line: int) -> Span:
        """Return the place of a line, from zero, without its line end."""
        return Span(self._starts[line], self._stops[line])

    def place(self, offset: int) -> Place:
        """Return the place of an offset, which is clamped to the text."""
        offset = max(0, min(offset, len(self._text)))
        line = self.line_at(offset)
        within = offset - self._starts[line]
        table = self._table(line)
        return Place(line, within if table is None else table[within])

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place; one beyond its line, or beyond the text, is clamped."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self._text)
        start, stop = self._starts[line], self._stops[line]
        table = self._table(line)
        within = column if table is None else bisect_right(table, column) - 1
        return start + max(0, min(within, stop - start))

    def _table(self, line: int) -> list[int] | None:
        """Return the column of every character of a line and of its end; None where they are just counted.

        It is kept: a text may be one long line, with a thousand places asked for.
        """
        if line not in self._tables:
            end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
            shown = self._text[self._starts[line] : end]
            plain = shown.isascii() or self._units is _utf32
            self._tables[line] = None if plain else [0, *accumulate(map(self._units, shown))]
        return self._tables[line]
