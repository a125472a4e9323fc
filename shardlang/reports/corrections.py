"""A text with a fix made, and what a fix is called."""

from shardlang.diagnostics import Fix, Price
from shardlang.reports.units import quantity
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
