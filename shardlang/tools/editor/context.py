"""Where a cursor is: between brackets, in a subscript, at the start of a statement; also in a text that is half typed."""

from typing import NamedTuple

from shardlang.source import Span
from shardlang.syntax.documents import Region
from shardlang.syntax.lexer import scan
from shardlang.syntax.operations import find_operation
from shardlang.syntax.tokens import DECLARATION_WORDS, OPENING, OPERATORS, Token

_LONGEST_BACK = 4_000  # characters of the statement before the cursor that are looked at
_ENDS = frozenset({"NEWLINE", "SEMI", "ROW"})
_SKIPPED = frozenset({"SPACING", "AMPERSAND", "INVISIBLE", "QUOTE", "TAG"})


class Context(NamedTuple):
    """What may stand at the cursor.

    kind: `statement` (its start), `operand` (an array or an operation), `dimension`, `axis`, `subscript` (of an operation
    or a product), `hardware`, `dtype`, `mesh`, `size`, or `none`. prefix: the part of the word before the cursor, with
    its place. name: the array whose brackets the cursor is in, or the operation of the subscript.
    """

    kind: str
    prefix: str
    span: Span
    name: str = ""


def context_at(text: str, offset: int, regions: tuple[Region, ...]) -> Context:
    """Return what may stand at `offset`; kind `none` in prose and comments. regions: the parts of the document."""
    start = _statement_area(text, offset, regions)
    nothing = Context("none", "", Span(offset, offset))
    if start is None:
        return nothing
    tokens = _current(text, start, offset)
    if tokens is None:
        return nothing
    head, prefix = _split_word(tokens, offset)
    return _Reader(text, head).context(prefix, Span(offset - len(prefix), offset))


def _statement_area(text: str, offset: int, regions: tuple[Region, ...]) -> int | None:
    """Return where to start to read: the last blank line before the cursor, inside its region; None in prose."""
    inside = (region for region in regions if region.start <= offset <= region.end)
    region = next((region for region in inside if region.kind != "other"), None)
    if region is None:
        return None
    begin = max(region.start, min(offset, region.end) - _LONGEST_BACK)
    blank = text.rfind("\n\n", begin, offset)
    return blank + 2 if blank >= 0 else begin


def _current(text: str, start: int, offset: int) -> list[Token] | None:
    """Return the tokens from the start of the statement to the cursor; None in a comment."""
    tokens: list[Token] = []
    depth = 0
    for token in scan(text, start, offset):
        kind = token[0]
        if kind == "COMMENT":
            if token[3] >= offset:
                return None
        elif kind in _ENDS:
            goes_on = depth > 0 or (tokens and tokens[-1][0] in (*OPERATORS, "COMMA"))
            if kind != "NEWLINE" or not goes_on or _starts_anew(text, token[3]):
                tokens, depth = [], 0
        elif kind == "DOLLAR":
            tokens, depth = [], 0
        elif kind not in _SKIPPED:
            depth += (kind in OPENING) - (kind in OPENING.values())
            tokens.append(token)
    return tokens


def _starts_anew(text: str, at: int) -> bool:
    """Say whether the line at `at` starts with a declaration word, so that an open bracket before it is forgotten."""
    first = text[at : at + 12].split(None, 1)[:1]
    return bool(first) and first[0] in DECLARATION_WORDS


def _split_word(tokens: list[Token], offset: int) -> tuple[list[Token], str]:
    """Return the tokens before the word at the cursor, and what of that word stands before the cursor."""
    if tokens and tokens[-1][3] == offset and tokens[-1][0] in ("WORD", "SUBWORD", "NUMBER"):
        return tokens[:-1], tokens[-1][1]
    return tokens, ""


class _Reader:
    def __init__(self, text: str, head: list[Token]) -> None:
        self._text = text
        self._head = head
        self._kinds = [token[0] for token in head]
        self._open: list[int] = []
        for index, token in enumerate(head):
            if token[0] in OPENING:
                self._open.append(index)
            elif token[0] in OPENING.values() and self._open:
                self._open.pop()

    def context(self, prefix: str, span: Span) -> Context:
        """Return the context after the tokens, `prefix` being the word at the cursor."""
        inner = self._head[self._open[-1]] if self._open else None
        declared = self._declaration(prefix, span)
        if declared is not None:
            return declared
        if inner is not None and inner[0] == "LSQB":
            return self._in_brackets(prefix, span)
        if inner is not None and inner[0] == "LSUB":
            return self._in_subscript(prefix, span)
        if inner is not None and inner[0] == "LPAR" and len(self._open) > 1:
            opening = self._open[-1]
            if self._kinds[opening - 1] == "AT":
                return Context("axis", prefix, span)
            if self._kinds[self._open[-2]] == "LSQB":
                return Context("dimension", prefix, span)
        if inner is not None and inner[0] == "LBRACE":
            tail = prefix.rpartition("_")[2] if "_" in prefix else prefix
            if "_" in prefix or self._kinds[-1] in ("UNDERSCORE", "PERIOD", "COLON", "WORD"):
                return Context("axis", tail, Span(span.end - len(tail), span.end))
            return Context("pending", prefix, span)
        if self._kinds[-1:] == ["UNDERSCORE"]:
            return self._after_underscore("", Span(span.end, span.end), self._head[:-1])
        if prefix.startswith(("_", "\\_")):
            tail = prefix.lstrip("\\_")
            return self._after_underscore(tail, Span(span.end - len(tail), span.end), self._head)
        head, mark, tail = prefix.rpartition("_")
        if mark and find_operation(head) is not None:
            return Context("subscript", tail, Span(span.end - len(tail), span.end), head)
        if self._kinds[-1:] == ["COLON"] and len(self._kinds) == 2:
            return Context("dtype", prefix, span)
        return Context("operand" if self._head else "statement", prefix, span)

    def _declaration(self, prefix: str, span: Span) -> Context | None:
        if not self._head or self._kinds[0] != "WORD" or self._kinds[1:2] in (["LSQB"], ["EQ"], ["COLON"]):
            return None
        word = self._head[0][1]
        if word == "hardware":
            start = self._head[1][2] if len(self._head) > 1 else span.start
            return Context("hardware", self._text[start : span.end], Span(start, span.end))
        if word == "dtype":
            return Context("dtype", prefix, span)
        if word == "let":
            return Context("size" if self._kinds[-1] != "COMMA" and len(self._head) > 1 else "dimension", prefix, span)
        if word == "mesh":
            return Context("mesh" if len(self._head) > 1 else "none", prefix, span)
        return None

    def _in_brackets(self, prefix: str, span: Span) -> Context:
        opening = self._open[-1]
        name = self._head[opening - 1][1] if opening and self._kinds[opening - 1] == "WORD" else ""
        _, mark, tail = prefix.rpartition("_")
        if mark or self._kinds[-1] in ("AT", "UNDERSCORE"):
            return Context("axis", tail, Span(span.end - len(tail), span.end), name)
        if self._kinds[-1] == "EQ":
            return Context("size", prefix, span, name)
        return Context("dimension", prefix, span, name)

    def _in_subscript(self, prefix: str, span: Span) -> Context:
        opening = self._open[-1]
        before = self._head[opening - 1] if opening else ("", "", 0, 0)
        if len(self._open) > 1 and self._kinds[self._open[-2]] in ("LSQB", "LBRACE"):
            return Context("axis", prefix, span)
        if before[0] == "WORD" and find_operation(before[1]) is not None:
            return Context("subscript", prefix, span, before[1])
        if before[0] in OPERATORS:
            return Context("subscript", prefix, span)
        return Context("axis", prefix, span)

    def _after_underscore(self, tail: str, span: Span, head: list[Token]) -> Context:
        before = head[-1] if head else ("", "", 0, 0)
        if before[0] in OPERATORS:
            return Context("subscript", tail, span)
        if before[0] == "WORD":
            return Context("subscript", tail, span, before[1])
        return Context("none", tail, span)
