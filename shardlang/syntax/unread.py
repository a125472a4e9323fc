"""Lines of a document that look like statements but stand where none is read: prose, lists, blocks without a language."""

import re
from collections.abc import Callable, Iterator

from shardlang.diagnostics import Diagnostic
from shardlang.source import SourceText, Span

_SIGNS = ("->", "→", "=", "⇒", "⟶", "\\to", "\\rightarrow", "&rarr;", "-&gt;")
_LIST_MARK = re.compile(r"[ \t>]*(?:(?:[-*+•]|\(?[0-9]{1,3}[.)])[ \t]+)*")
_LONGEST_LINE = 1_000
_MOST_TRIED = 1_000
_MOST_SHOWN = 10


def unread_lines(source: SourceText, covered: list[Span], reads: Callable[[int, int], bool]) -> Diagnostic | None:
    """Return one note on the lines that `reads` says are statements, None if there are none.

    covered: in order, the parts of the document that are read, or are known to be something else.
    """
    found: list[Span] = []
    for tried, (start, end) in enumerate(_candidates(source.text, covered)):
        if tried >= _MOST_TRIED:
            break
        if reads(start, end):
            found.append(Span(start, end))
    if not found:
        return None
    lines = [str(source.position(span.start).line) for span in found]
    listed = ", ".join(lines[:_MOST_SHOWN]) + (", …" if len(lines) > _MOST_SHOWN else "")
    if len(lines) == 1:
        message = f"line {listed} looks like a statement and was not read"
    else:
        message = f"{len(lines)} lines look like statements and were not read (lines {listed})"
    hint = "put it in `$…$` or in a ```shard block" if len(lines) == 1 else "put them in `$…$` or in a ```shard block"
    return Diagnostic("SL108", message, found[0], hint=hint)


def _candidates(text: str, covered: list[Span]) -> Iterator[tuple[int, int]]:
    """Yield the lines with a bracket and an arrow or `=` that nothing covers, without what marks them as items of a list."""
    at = part = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        while part < len(covered) and covered[part].end <= at:
            part += 1
        free = part == len(covered) or covered[part].start >= end
        if free and end - at <= _LONGEST_LINE:
            line = text[at:end]
            if "[" in line and any(sign in line for sign in _SIGNS):
                mark = _LIST_MARK.match(line)
                start = at + (mark.end() if mark else 0)
                stop = at + len(line.rstrip())
                if start < stop:
                    yield start, stop
        at = end + 1
