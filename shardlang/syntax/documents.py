"""Where the statements are in a document: formulas, blocks and code spans; the rest is prose."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Region(NamedTuple):
    """A part of a document. kind: `block` (fenced, all of it is plan), `math`, `code`, `other` (holds no statement).

    new: a text of its own starts here.
    """

    kind: str
    start: int
    end: int
    new: bool = False


_ENVIRONMENTS = (
    "align|aligned|alignat|equation|gather|gathered|multline|eqnarray|displaymath|math|split|flalign|dmath|array|cases"
)
_LEAD = r"^[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t][ \t>]*+)*+"  # of quotations, and of items of a list
_FENCE = (
    rf"(?P<fence>{_LEAD}"
    r"(?P<ticks>`{3,}+|~{3,}+)[ \t]*+\{?(?P<info>[^\s`},]*+)"
    r"(?:\}[ \t]++(?P<argument>[^\s`]++))?(?P<rest>[^\n`]*+)$)"
)
_FENCES = re.compile(_FENCE, re.M)
_COMMON = (
    r"(?P<display>\$\$)"
    r"|(?P<dollar>(?<!\\)\$)"
    r"|(?P<square>(?<![\w\\\])}])\\\[)"
    r"|(?P<round>(?<![\w\\\])}])\\\()"
    rf"|(?P<environment>\\begin\{{(?P<name>(?:{_ENVIRONMENTS})\*?)\}})"
)
_MARKDOWN = re.compile(rf"{_FENCE}|(?P<code>(?<!`)(?P<quotes>`{{1,2}})(?!`))|{_COMMON}", re.M)
_LATEX = re.compile(
    r"(?P<comment>(?<!\\)%[^\n]*)"
    r"|(?P<verbatim>\\begin\{(?P<verbatim_name>verbatim|lstlisting|minted|shard)\*?\}(?P<options>[^\n]*))"
    r"|(?P<verb>\\(?:verb|lstinline)\*?(?P<delimiter>[|!+/]))"
    rf"|{_COMMON}",
    re.M,
)
_HTML = re.compile(
    r"(?P<hidden><(?P<hidden_name>!--|script\b|style\b))"
    rf"|(?P<element><(?P<element_name>code|pre|tt|kbd|samp)\b[^<>\n]{{0,500}}>)|{_COMMON}",
    re.M | re.I,
)
_PATTERNS = {"latex": _LATEX, "html": _HTML}
_DIRECTIVES = frozenset({"code-block", "code", "sourcecode"})
_LANGUAGES = ("shard", "shardlang")
_OPTION = re.compile(r"[ \t>]*:[\w-]+:[^\n]*(?:\n|\Z)")
_NEW = re.compile(r"[\s},]*\.?new(?![^\s},])")
_NEW_OPTION = re.compile(r"^[ \t>]*:new:", re.M)
_UNTAGGED = frozenset({"", "text", "txt", "plain", "plaintext", "none"})
_INLINE = re.compile(r"(?:[^$\\\n]|\\[\s\S]|\n(?![ \t]*\n))*\$")
_ARRAY = re.compile(r"[^\W\d]\}?\\?\[|(?:->|→|\\to\b|\\rightarrow)\s*\\?\[")
_QUOTES = re.compile(r"^[ \t]*>[ \t>]*", re.M)
_BEFORE_FENCE = re.compile(_LEAD, re.M)
_LATEX_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_CONTINUES = re.compile(
    r"[ \t\n]*(?:[·⋅•×*@⊙+/=→⇒]|->|=>|-|\\cdot|\\times|\\odot|\\to(?![A-Za-z])|\\rightarrow|\\Rightarrow|\\longrightarrow)"
)


def regions(text: str, kind: str) -> Iterator[Region]:
    """Yield the regions of a document of `kind` (`markdown`, `latex`, `html`, `rst` or `text`), in order.

    A formula that starts with an operator, with nothing but blanks since the one before, continues that one.
    """
    pending: Region | None = None
    for region in _rst(text) if kind == "rst" else _regions(text, _PATTERNS.get(kind, _MARKDOWN)):
        if pending is not None and _continues(text, pending, region):
            pending = pending._replace(end=region.end)
            continue
        if pending is not None:
            yield pending
        pending = region
    if pending is not None:
        yield pending


def without_marks(text: str, kind: str, found: Iterable[Region]) -> str:
    """Return the text of a document with blanks for what is in its regions and no part of them, at the same offsets.

    That is the `>` before each line of a fenced block in a quotation, and the comments in a LaTeX formula.
    """
    out: list[str] = []
    at = 0
    for region in found:
        marks = _LATEX_COMMENT if kind == "latex" else _QUOTES
        lead = _BEFORE_FENCE.match(text, text.rfind("\n", 0, region.start) + 1)
        quoted = region.kind == "block" and lead is not None and ">" in lead[0]
        if quoted if kind != "latex" else region.kind == "math":
            out += [text[at : region.start], marks.sub(_blanks, text[region.start : region.end])]
            at = region.end
    return "".join([*out, text[at:]]) if out else text


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def fences(text: str, start: int, end: int) -> Iterator[Region]:
    """Yield the fenced blocks between two offsets that are marked `shard`."""
    at = start
    while match := _FENCES.search(text, at, end):
        found, at = _fenced(text, match, end)
        if found is not None and found.kind == "block" and found.start < found.end:
            yield found


def _rst(text: str) -> Iterator[Region]:
    from shardlang.syntax.directives import rst_regions  # few documents are of this kind

    return (Region(*found) for found in rst_regions(text))


def _continues(text: str, before: Region, after: Region) -> bool:
    if before.kind != "math" or after.kind != "math":
        return False
    between = text[before.end : after.start]
    if len(between) > 200 or between.strip("$ \t\n") or between.count("\n") > 1:
        return False
    return _CONTINUES.match(text, after.start) is not None


def _regions(text: str, pattern: re.Pattern[str]) -> Iterator[Region]:
    at = 0
    missing: set[str] = set()  # what is known not to come any more: keeps an unclosed `$$` from costing a scan each
    while match := pattern.search(text, at):
        found, at = _region(text, match, missing)
        if found is not None and found.start < found.end:
            yield found


def _region(text: str, match: re.Match[str], missing: set[str]) -> tuple[Region | None, int]:
    """Return the region that starts at `match`, if any, and where to look on."""
    groups = match.groupdict()
    start = match.end()
    if groups.get("fence"):
        return _fenced(text, match)
    if groups.get("verbatim"):
        end = _find(text, f"\\end{{{groups['verbatim_name']}", start, missing)
        if end < 0:
            return None, start
        plan = groups["verbatim_name"] == "shard" or "shard" in (groups["options"] or "")
        return Region("block" if plan else "other", start, end), end
    if groups.get("verb"):
        end = text.find(groups["delimiter"] or "|", start, start + 2_000)
        return (None, start) if end < 0 else (Region("code", start, end), end + 1)
    if groups.get("comment"):
        return Region("other", match.start(), start), start
    if groups.get("hidden"):
        name = groups["hidden_name"]
        end = _find(text, "-->" if name == "!--" else f"</{name}", start, missing)
        return (None, start) if end < 0 else (Region("other", start, end), end)
    if groups.get("element"):
        end = _find(text, f"</{groups['element_name']}", start, missing)
        return (None, start) if end < 0 else (Region("code", start, end), end)
    if groups.get("code"):
        quotes = groups["quotes"] or "`"
        end = text.find(quotes, start, start + 2_000)
        if end < 0 or re.search(r"\n[ \t]*\n", text[start:end]):
            return None, start
        return Region("code", start, end), end + len(quotes)
    if groups.get("dollar"):
        return _inline(text, start)
    for name, closing in (("display", "$$"), ("square", "\\]"), ("round", "\\)")):
        if groups.get(name):
            end = _find(text, closing, start, missing)
            return (None, start) if end < 0 else (Region("math", start, end), end + 2)
    closing = f"\\end{{{groups['name']}}}"
    end = _find(text, closing, start, missing)
    return (None, start) if end < 0 else (Region("math", start, end), end + len(closing))


def _find(text: str, closing: str, start: int, missing: set[str]) -> int:
    if closing in missing:
        return -1
    end = text.find(closing, start)
    if end < 0:
        missing.add(closing)
    return end


def _inline(text: str, start: int) -> tuple[Region | None, int]:
    closing = _INLINE.match(text, start, start + 2_000)
    if closing is None:
        return None, start
    end = closing.end() - 1
    inner = text[start:end]
    if text[end + 1 : end + 2].isdigit():
        return None, start  # `$5 and A[1], $6`
    if not _ARRAY.search(inner) and (not inner.strip() or inner[0].isspace() or inner[-1].isspace()):
        return None, start  # two prices, not a formula
    return Region("math", start, end), end + 1


def _fenced(text: str, match: re.Match[str], limit: int | None = None) -> tuple[Region | None, int]:
    """Return a fenced block that is marked `shard`, or as another language; not closed, it goes to the end, or to `limit`."""
    ticks = match["ticks"]
    closing = re.compile(rf"^[ \t>]*{re.escape(ticks[0])}{{{len(ticks)},}}[ \t\r]*$", re.M)
    last = len(text) if limit is None else limit
    end = closing.search(text, match.end(), last)
    stop = end.start() if end else last
    language, after = match["info"].lower().strip("."), end.end() if end else last
    start, new = match.end(), _NEW.match(match["rest"])
    if language in _DIRECTIVES and match["argument"]:
        language, start = match["argument"].lower(), _after_options(text, start + 1, stop)
        new = new or _NEW_OPTION.search(text, match.end(), start)
    if language in _UNTAGGED:
        return None, after
    if language not in _LANGUAGES:
        return Region("other", start, stop), after
    return Region("block", start, stop, new is not None), after


def _after_options(text: str, start: int, end: int) -> int:
    while option := _OPTION.match(text, start, end):
        start = option.end()
    return min(start, end)
