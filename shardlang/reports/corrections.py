"""A text with a fix made, and what a fix is called."""

from typing import NamedTuple

from shardlang.diagnostics import Fix, Price
from shardlang.limits import LONGEST_SHOWN_FIX, LONGEST_SHOWN_LINES
from shardlang.reports.units import quantity
from shardlang.source import SourceText, Span


def apply_fix(text: str, fix: Fix) -> str | None:
    """Return `text` with the edits of `fix` made, None if they overlap or lie outside it."""
    out, at = [], 0
    for edit in sorted(fix.edits):
        if not at <= edit.span.start <= edit.span.end <= len(text):
            return None
        out += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*out, text[at:]])


class Corrected(NamedTuple):
    """A part of a text as it reads with a fix made. whole: nothing of the statements was cut off, so it can be pasted."""

    text: str
    whole: bool


def corrected(source: SourceText, fix: Fix) -> Corrected:
    """Return what `fix` touches, as it then reads: the lines while they are short, else the statements.

    Of statements that are very long it is the part around the change, with `…` where it is cut.
    """
    edits = sorted(fix.edits)
    touched = Span(edits[0].span.start, edits[-1].span.end)
    shown = _lines(source, touched)
    if shown.end - shown.start > LONGEST_SHOWN_LINES and fix.around is not None:
        shown = fix.around
    kept = shown
    if shown.end - shown.start + sum(len(edit.text) for edit in edits) > LONGEST_SHOWN_FIX:
        room = LONGEST_SHOWN_FIX // 4
        kept = Span(max(shown.start, touched.start - room), min(shown.end, touched.end + room))
    moved = tuple(edit._replace(span=Span(edit.span.start - kept.start, edit.span.end - kept.start)) for edit in edits)
    text = (apply_fix(source.slice(kept), Fix(fix.title, moved)) or "").strip()
    whole = kept == shown and len(text) <= LONGEST_SHOWN_FIX
    if whole:
        return Corrected(text, True)
    before, after = "…" * (kept.start > shown.start), "…" * (kept.end < shown.end or len(text) > LONGEST_SHOWN_FIX)
    return Corrected(before + text[:LONGEST_SHOWN_FIX] + after, False)


def _lines(source: SourceText, span: Span) -> Span:
    first, last = source.position(span.start).line, source.position(max(span.start, span.end - 1)).line
    return Span(source.line_start(first), source.line_start(last) + len(source.line(last)))


def price_words(price: Price) -> str:
    """Return what a statement takes, in words: `AllGather_X B; 2·J·K·(X-1)/X bytes received`."""
    if not price.collectives:
        return "no communication"
    received = f"{price.formula} bytes"
    if price.bytes_received is not None:
        received = quantity(price.bytes_received, "bytes")
    time = f" in {quantity(price.seconds, 's')}" if price.seconds is not None else ""
    return f"{', '.join(price.collectives)}; {received} received{time}"


def full_title(fix: Fix, title: str | None = None) -> str:
    """Return what a fix does (`title` instead of its own), what the statement then takes, and whether that was run."""
    notes = [price_words(fix.price)] if fix.price is not None else []
    if fix.executed:
        notes.append("executed on a simulated mesh: right")
    return (title or fix.title) + (f" ({'; '.join(notes)})" if notes else "")
