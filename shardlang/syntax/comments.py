"""Comments that ignore findings: where they are, what they name, and what is wrong with how they are written."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shardlang.source import SourceText, Span
from shardlang.syntax import ast

if TYPE_CHECKING:
    from shardlang.syntax.documents import Region

_WORDS = re.compile(
    r"shardlang:[ \t]*ignore(?P<file>-file)?(?![\w-])"
    r"(?:[ \t]*\[(?P<codes>[^\[\]\r\n]*)(?P<end>\])?|(?P<bare>[ \t:=(]*SL[0-9]+))?"
)
_FIRST_CODES = re.compile(r"[ ,]*SL[0-9]*(?:[ ,]+SL[0-9]+)*")
_HASH = re.compile(r"#")
_PERCENT = re.compile(r"(?<!\\)%")
# What starts a comment in the prose of a document of each kind; statements have `#`.
_SIGNS = {
    "latex": _PERCENT,
    "markdown": re.compile(r"<!--(?!.*-->)"),
    "html": re.compile(r"<!--(?!.*-->)"),
    "rst": re.compile(r"^[ \t]*\.\.(?=[ \t])"),
}
_REACH = 200  # characters from the sign to the words


def read_ignores(source: SourceText, document: str | None, regions: "Sequence[Region]") -> tuple[ast.Ignore, ...]:
    """Return the comments of a text that ignore findings. regions: where a document has what is no prose."""
    if "shardlang:" not in source.text:
        return ()
    starts = [region.start for region in regions]
    found = []
    for match in _WORDS.finditer(source.text):
        at = bisect_right(starts, match.start()) - 1
        region = regions[at] if at >= 0 and match.start() < regions[at].end else None
        sign = _sign(source, match.start(), document, region)
        if sign is not None:
            found.append(_ignore(source, match, sign))
    return tuple(found)


def _sign(source: SourceText, at: int, document: str | None, region: "Region | None") -> int | None:
    """Return where the comment starts that has the words at `at`, None where they are in none."""
    start = max(source.line_start(source.position(at).line), at - _REACH)
    if region is not None and region.kind != "other":
        before = source.text[max(start, region.start) : at]
        signs = (_HASH, _PERCENT) if document == "latex" and region.kind == "math" else (_HASH,)
    else:
        before, signs = source.text[start:at], (_SIGNS.get(document or "", _HASH),)
    places = [sign.start() for pattern in signs if (sign := pattern.search(before))]
    return at - len(before) + min(places) if places else None


def _ignore(source: SourceText, match: re.Match[str], sign: int) -> ast.Ignore:
    line = source.position(sign).line
    text, start = source.line(line), source.line_start(line)
    before, after = text[: sign - start], text[match.end() - start :]
    html = source.text.startswith("<!--", sign)
    alone = not before.strip(" \t>") and (not html or not after.partition("-->")[2].strip())
    codes = tuple(dict.fromkeys((match["codes"] or "").replace(",", " ").split()))
    read = ast.Ignore(line, codes, Span(*match.span()), alone, match["file"] is not None)
    if match["bare"] is not None:
        return read._replace(wrong="the codes of a comment stand in brackets")
    if match["codes"] is not None and match["end"] is None:
        first = _FIRST_CODES.match(match["codes"])
        end = match.start("codes") + (first.end() if first else 0)
        codes = tuple(first[0].replace(",", " ").split()) if first else ()
        return read._replace(
            codes=codes, span=Span(match.start(), end), wrong="the bracket of this comment is not closed"
        )
    if match["codes"] is not None and not codes:
        return read._replace(wrong="the brackets of this comment name no code")
    return read
