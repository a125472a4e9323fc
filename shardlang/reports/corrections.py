"""A text with a fix made."""

from shardlang.diagnostics import Fix
from shardlang.source import SourceText


def apply_fix(text: str, fix: Fix) -> str | None:
    """Return `text` with the edits of `fix` made, None if they overlap or lie outside it."""
    out, at = [], 0
    for edit in sorted(fix.edits):
        if not at <= edit.span.start <= edit.span.end <= len(text):
            return None
        out += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*out, text[at:]])


def corrected_line(source: SourceText, fix: Fix) -> str:
    """Return the lines that `fix` touches, as they read with the fix made."""
    edits = sorted(fix.edits)
    first = source.position(edits[0].span.start).line
    last = source.position(edits[-1].span.end).line
    start = source.line_start(first)
    stop = source.line_start(last) + len(source.line(last))
    moved = tuple(
        edit._replace(span=edit.span._replace(start=edit.span.start - start, end=edit.span.end - start))
        for edit in edits
    )
    return (apply_fix(source.text[start:stop], Fix(fix.title, moved)) or "").strip()
