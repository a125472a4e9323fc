"""Source text and places in it.

Every offset counts code points of the text that the user typed, so that a place stays right
after `·`, `→`, tabs and LaTeX; lines and columns count from one.
"""

from bisect import bisect_right
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of code points in a `SourceText`."""

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """Return the span from the start of this one to the end of `other`."""
        return Span(self.start, other.end)


class Position(NamedTuple):
    """A line and a column, both counted from one, in code points."""

    line: int
    column: int


class SourceText:
    """A named text that can say which line and column an offset is at."""

    __slots__ = ("_starts", "name", "text")

    def __init__(self, text: str, name: str = "<text>") -> None:
        self.text = text
        self.name = name
        self._starts: list[int] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceText) and (self.text, self.name) == (other.text, other.name)

    def __hash__(self) -> int:
        return hash((self.text, self.name))

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            starts, at = [0], self.text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._starts = starts
        return self._starts

    def position(self, offset: int) -> Position:
        """Return the line and column of `offset` (clamped to the text)."""
        offset = max(0, min(offset, len(self.text)))
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return Position(line, offset - starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """Return the text of line `number` (from one), without its line ending."""
        starts = self._line_starts()
        start = starts[number - 1]
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def line_end(self, number: int) -> int:
        """Return the offset at which line `number` (from one) ends, before its line ending."""
        starts = self._line_starts()
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return end - self.text.endswith("\r", starts[number - 1], end)

    def line_start(self, number: int) -> int:
        """Return the offset at which line `number` (from one) starts."""
        return self._line_starts()[number - 1]

    def slice(self, span: Span) -> str:
        """Return the text under `span`."""
        return self.text[span.start : span.end]


def utf16_length(text: str) -> int:
    """Return how many UTF-16 code units `text` takes, which is what editors and SARIF count columns in."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)
