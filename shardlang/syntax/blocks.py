"""Where the plans are in a text of any kind: one function for the parser, editors and the pytest plugin."""

from typing import NamedTuple

from shardlang.limits import ENDLESS, Clock
from shardlang.source import Span
from shardlang.syntax.documents import Region, regions, without_marks


class DocumentText(NamedTuple):
    """A document as it is read.

    regions: its parts, as offsets in `text`, which has blanks for marks of the document and the values of docstrings.
    places: for each offset of `text`, and its end, the offset in the document; None where they are the same.
    unread: the offset in the document from which on it cannot be taken apart; None if all of it can.
    shared: the first of its texts is part of each of the others.
    """

    text: str
    places: list[int] | None
    regions: tuple[Region, ...]
    unread: int | None = None
    shared: bool = False

    def place(self, offset: int) -> int:
        """Return where an offset of `text` stands in the document."""
        return offset if self.places is None else self.places[offset]

    def in_document(self) -> tuple[Region, ...]:
        """Return the regions as they stand in the document."""
        return tuple(part._replace(start=self.place(part.start), end=self.place(part.end)) for part in self.regions)


def read_document(text: str, kind: str | None, clock: Clock = ENDLESS) -> DocumentText:
    """Take a text of `kind` apart; one that is nothing but statements (None) is one block. Raises OutOfTimeError."""
    if kind is None:
        return DocumentText(text, None, (Region("block", 0, len(text)),))
    if kind == "python":
        from shardlang.syntax.docstrings import read_python

        found = read_python(text, clock)
        return DocumentText(found.text, found.places, found.blocks, found.unread, found.shared)
    parts = tuple(regions(text, kind))
    return DocumentText(without_marks(text, kind, parts), None, parts)


def regions_of(text: str, kind: str | None) -> tuple[Region, ...]:
    """Return the parts of a text of any kind, in order, as they stand in it."""
    return read_document(text, kind).in_document()


def blocks(text: str, kind: str | None) -> tuple[Span, ...]:
    """Return the parts of a text of `kind` that are marked as plans, as they stand in it."""
    return tuple(Span(part.start, part.end) for part in regions_of(text, kind) if part.kind == "block")
