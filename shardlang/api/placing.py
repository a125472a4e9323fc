"""Whether an edit can be made where it stands, and how: between other text only what is sure to keep that text whole."""

import re
from bisect import bisect_right

from shardlang.diagnostics import Edit, Fix
from shardlang.source import Span
from shardlang.syntax.blocks import regions_of

_INDENT = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*")
_AFTER = re.compile(r"[ \t]*(?:[;#].*|//.*)?")
_MARKUP = re.compile(r"[\\$`*&<]")
_NO_LATEX = re.compile(r"[^\x00-\x7f]|(?<![_^])\{")
_OWN_COMMENT = re.compile(r"[ \t>]*(?:#|%|//|<!--|\.\.)?[ \t]*shardlang:[^\n]*\n?")


class Surroundings:
    """A text as fixes find it. document: its kind, None for a text of statements; formulas are looked for once."""

    def __init__(self, text: str, document: str | None) -> None:
        self.text = text
        self.plain = document is None
        self._document = document
        self._formulas: list[Span] | None = None

    def in_formula(self, offset: int) -> bool:
        """Say whether what stands at an offset is mathematics of a document, in any of its lines."""
        if self._formulas is None:
            parts = () if self.plain else regions_of(self.text, self._document)
            self._formulas = [Span(part.start, part.end) for part in parts if part.kind == "math"]
        at = bisect_right(self._formulas, offset, key=lambda span: span.start) - 1
        return at >= 0 and offset < self._formulas[at].end


def placed(around: Surroundings, fix: Fix) -> Fix | None:
    """Return `fix` as it can be written into a text, None where it would break what stands around it.

    A fix of several lines, and one that removes a statement, needs lines of its own: the new ones get the indent, quote
    marks and line ends of the first, and what is removed takes its lines along. No line of a formula is one, as its ends
    and blank lines mean something to TeX. In a document markup is not replaced: the canonical text has none. A comment
    for shardlang may go anywhere.
    """
    text, plain = around.text, around.plain
    edits = []
    for edit in fix.edits:
        start, end = edit.span
        first = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", end)
        before, after = text[first:start], text[end : stop if stop >= 0 else len(text)]
        formula = around.in_formula(start)
        own_lines = (
            not formula and _INDENT.fullmatch(before) is not None and _AFTER.fullmatch(after.rstrip("\r")) is not None
        )
        if not own_lines and _OWN_COMMENT.fullmatch(text, start, end) is None:
            if "\n" in edit.text or (not edit.text and not plain):
                return None
            if not plain and (_MARKUP.search(text[start:end]) or "{U" in edit.text or "->" in edit.text):
                return None
            if formula and _NO_LATEX.search(edit.text):
                return None
        end_of_line = "\r\n" if after.endswith("\r") or text[max(first - 2, 0) : first] == "\r\n" else "\n"
        whole = text[start:end].endswith("\n")  # it takes its lines along by itself
        if own_lines and not edit.text and not after.strip() and not whole:
            edits.append(Edit(Span(first, stop + 1 if stop >= 0 else len(text)), ""))
            continue
        edits.append(Edit(edit.span, edit.text.replace("\n", end_of_line + before) if own_lines else edit.text))
    return fix._replace(edits=tuple(edits))
