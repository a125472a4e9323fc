"""reStructuredText: directives with the lines that belong to them, formulas and literals."""

import re
from collections.abc import Iterator

_DIRECTIVE = re.compile(
    r"^(?P<indent>[ \t]*)\.\.[ \t]+(?P<name>code-block|code|sourcecode|math)::[ \t]*(?P<argument>[^\n]*)$", re.M
)
_INLINE = re.compile(r":math:`(?P<formula>[^`\n]*+(?:\n[^`\n]++)*+)`|``(?P<literal>[^`\n]{1,2000})``")
_NEW = re.compile(r"^[ \t]*:new:", re.M)
_OPTION = re.compile(r"[ \t]*:[\w-]+:[^\n]*(?:\n|\Z)")
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")


def plan_blocks(text: str, start: int, end: int) -> Iterator[tuple[str, int, int, bool]]:
    """Yield the regions of `.. code-block:: shard` between two offsets, as `rst_regions` does."""
    for match in _DIRECTIVE.finditer(text, start, end):
        first, last = _content(text, match, end)
        if _kind(match) == "block" and first < last:
            yield "block", first, last, _is_new(text, match, first)


def rst_regions(text: str) -> Iterator[tuple[str, int, int, bool]]:
    """Yield the regions of a document in order: kind, start, end, and whether a text starts (see `documents.Region`)."""
    at = 0
    for match in _DIRECTIVE.finditer(text):
        if match.start() < at:
            continue  # it is inside another one
        yield from _inline(text, at, match.start())
        first, at = _content(text, match, len(text))
        if match["name"] == "math" and match["argument"]:
            yield "math", *match.span("argument"), False
        if first < at:
            kind = _kind(match)
            yield kind, first, at, kind == "block" and _is_new(text, match, first)
    yield from _inline(text, at, len(text))


def _kind(match: re.Match[str]) -> str:
    if match["name"] == "math":
        return "math"
    return "block" if match["argument"].strip() in ("shard", "shardlang") else "other"


def _is_new(text: str, match: re.Match[str], first: int) -> bool:
    """Say whether a directive has the option `:new:`; `first` is where what it holds starts, after the options."""
    return _NEW.search(text, match.end(), first) is not None


def _inline(text: str, start: int, end: int) -> Iterator[tuple[str, int, int, bool]]:
    for match in _INLINE.finditer(text, start, end):
        name = "literal" if match["formula"] is None else "formula"
        if match[name]:
            yield "code" if name == "literal" else "math", *match.span(name), False


def _content(text: str, match: re.Match[str], end: int) -> tuple[int, int]:
    """Return where the lines below a directive are that are indented more, without its options."""
    at = min(match.end() + 1, end)
    while option := _OPTION.match(text, at, end):
        at = option.end()
    first = at
    while at < end:
        line = _LINE.match(text, at, end)
        assert line is not None
        indent = line[0][: len(line[0]) - len(line[0].lstrip(" \t"))]
        if line[0].strip() and not (len(indent) > len(match["indent"]) and indent.startswith(match["indent"])):
            break
        at = line.end()
    return first, at
