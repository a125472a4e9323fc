"""Whether an edit can be made where it stands, and how: between other text only what is sure to keep that text whole."""

import re

from shardlang.diagnostics import Edit, Fix
from shardlang.source import Span

_INDENT = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*")
_AFTER = re.compile(r"[ \t]*(?:[;#].*|//.*)?")
_MARKUP = re.compile(r"[\\$`*&<]")
_OWN_COMMENT = re.compile(r"[ \t>]*(?:#|%|//|<!--|\.\.)?[ \t]*shardlang:[^\n]*\n?")


def placed(text: str, fix: Fix, plain: bool) -> Fix | None:
    """Return `fix` as it can be written into `text`, None where it would break what stands around it.

    A fix of several lines, and one that removes a statement, needs lines of its own: the new ones get the indent, quote
    marks and line ends of the first, and what is removed takes its lines along. In a document (not `plain`) markup is not replaced: the canonical text has none. A
    comment for shardlang may go anywhere.
    """
    edits = []
    for edit in fix.edits:
        start, end = edit.span
        first = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", end)
        before, after = text[first:start], text[end : stop if stop >= 0 else len(text)]
        own_lines = _INDENT.fullmatch(before) is not None and _AFTER.fullmatch(after.rstrip("\r")) is not None
        if not own_lines and _OWN_COMMENT.fullmatch(text, start, end) is None:
            if "\n" in edit.text or (not edit.text and not plain):
                return None
            if not plain and (_MARKUP.search(text[start:end]) or "{U" in edit.text or "->" in edit.text):
                return None
        end_of_line = "\r\n" if after.endswith("\r") or text[max(first - 2, 0) : first] == "\r\n" else "\n"
        if own_lines and not edit.text and not after.strip():  # nothing is left on its lines
            edits.append(Edit(Span(first, stop + 1 if stop >= 0 else len(text)), ""))
            continue
        edits.append(Edit(edit.span, edit.text.replace("\n", end_of_line + before) if own_lines else edit.text))
    return fix._replace(edits=tuple(edits))
