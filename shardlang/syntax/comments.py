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
    r"(?P<words>(?i:shardlang:[ \t]*ignore(?P<file>-file)?))(?![\w-])"
    r"(?:[ \t]*\[(?P<codes>[^\[\]\r\n]*)(?P<end>\])?|(?P<bare>[ \t:=(]*SL[0-9]+))?"
)
_IS_BLANK = re.compile(r"[ \t>]*")
_IS_EMPTY = re.compile(r"\s*")
_FIRST_CODES = re.compile(r"[ ,]*SL[0-9]*(?:[ ,]+SL[0-9]+)*")
# What starts a comment in the prose of a document of each kind; statements have `#`, and formulas of LaTeX `%` too.
_SIGNS = {"latex": ("%",), "markdown": ("<!--",), "html": ("<!--",), "rst": ("..",)}
_HASH = ("#",)
OTHER_LETTERS = "the words of a comment that ignores are in small letters"
_REACH = 200  # characters: blanks from the sign to the words


def read_ignores(source: SourceText, document: str | None, regions: "Sequence[Region]") -> tuple[ast.Ignore, ...]:
    """Return the comments of a text that ignore findings. regions: where a document has what is no prose."""
    if "shardlang:" not in source.text.lower():
        return ()
    starts = [region.start for region in regions]
    found = []
    for match in _WORDS.finditer(source.text):
        at = bisect_right(starts, match.start()) - 1
        region = regions[at] if at >= 0 and match.start() < regions[at].end else None
        comment = _comment(source, match.start(), document, region)
        if comment is not None:
            found.append(_ignore(source, match, *comment))
    return tuple(found)


def _comment(source: SourceText, at: int, document: str | None, region: "Region | None") -> tuple[int, bool] | None:
    """Return where the sign is right before the words at `at`, and whether a comment is all that its line has.

    The sign may stand in a comment that says something else before. None where there is none.
    """
    text, line = source.text, source.line_start(source.position(at).line)
    first = line
    signs: tuple[str, ...] = _SIGNS.get(document or "", _HASH)
    if region is not None and region.kind != "other":
        first = max(line, region.start)
        signs = ("#", "%") if document == "latex" and region.kind == "math" else _HASH
    before = text[max(first, at - _REACH) : at].rstrip(" \t")
    sign = next((sign for sign in signs if before.endswith(sign)), None)
    if sign is None or before.endswith("\\%"):
        return None
    place = max(first, at - _REACH) + len(before) - len(sign)
    blank = _IS_BLANK.match(text, line, place)
    start = blank.end() if blank is not None else line
    if sign == ".." and start != place:
        return None
    return place, start == place or (start >= first and sign in "#%" and text[start] in signs)


def _ignore(source: SourceText, match: re.Match[str], sign: int, alone: bool) -> ast.Ignore:
    line = source.position(sign).line
    if source.text.startswith("<!--", sign):
        end = source.line_end(line)
        closing = source.text.find("-->", match.end(), end)
        rest = _IS_EMPTY.match(source.text, closing + 3, end) if closing >= 0 else None
        alone = alone and (rest is None or rest.end() == end)
    codes = tuple(dict.fromkeys((match["codes"] or "").replace(",", " ").split()))
    read = ast.Ignore(line, codes, Span(*match.span()), alone, match["file"] is not None)
    if not match["words"].islower():
        upper = tuple(code.upper() for code in codes)
        return read._replace(codes=upper, wrong=OTHER_LETTERS)
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
