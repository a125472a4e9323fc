"""Statements in the docstrings of a Python file: fenced `shard` blocks and `code-block:: shard`.

The file is taken apart into tokens and never run. What a docstring holds is its value, with escapes; every place is
that in the file.
"""

import re
from collections.abc import Iterator
from io import StringIO
from itertools import accumulate
from tokenize import COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL, STRING, TokenError, TokenInfo, generate_tokens
from typing import NamedTuple
from unicodedata import lookup

from shardlang.limits import ENDLESS, Clock
from shardlang.source import Span
from shardlang.syntax.directives import plan_blocks
from shardlang.syntax.documents import Region, fences

_MENTIONED = re.compile(r"(?:`{3}|~{3}|::)[ \t]*(?:\{(?:code|code-block|sourcecode)\}[ \t]+)?[{.]*shard")
_TRIPLE = re.compile(r"(?P<prefix>[rRuU]?)(?P<quotes>\"{3}|'{3})")
_ESCAPE = re.compile(
    r"\\(?:(?P<line>\r?\n)|(?P<plain>[\\'\"abfnrtv])|(?P<octal>[0-7]{1,3})|x(?P<x>[0-9a-fA-F]{2})"
    r"|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|N\{(?P<name>[^{}\n]{1,100})\})"
)
_PLAIN = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LARGEST_CHARACTER = 0x10FFFF


class PythonText(NamedTuple):
    """The values of docstrings in the text of their file.

    text: the file, with the escapes of its docstrings replaced by what they stand for. places: for each offset of
    `text`, and its end, the offset in the file; None where they are the same. blocks: the plans, as regions of `text`;
    the first one of each docstring but the first starts a text of its own. unread: the offset in the file from which on it is not
    Python; None if all of it is. shared: the docstring of the module is one text, the first, and all others see it.
    """

    text: str
    places: list[int] | None
    blocks: tuple[Region, ...]
    unread: int | None
    shared: bool = False


def read_python(text: str, clock: Clock = ENDLESS) -> PythonText:
    """Find the plans in the docstrings of a Python file. Raises OutOfTimeError, and nothing else on any text."""
    if _MENTIONED.search(text) is None:
        return PythonText(text, None, (), None)
    docstrings: list[Span] = []
    unread: int | None = None
    tokens = _Tokens(text)
    try:
        docstrings += tokens.docstrings(clock)
    except (TokenError, SyntaxError, ValueError):
        docstrings, unread = tokens.found, tokens.end
    decoded, places, values = _decoded(text, docstrings)
    blocks = [block for start, end in values for block in _blocks(decoded, start, end)]
    blocks[:1] = [block._replace(new=False) for block in blocks[:1]]  # the first text starts with the file
    of_module = [
        block for block in blocks if (block.start if places is None else places[block.start]) < tokens.of_module
    ]
    shared = bool(of_module) and not any(block.new for block in of_module)
    return PythonText(decoded, places, tuple(blocks), unread, shared)


class _Tokens:
    """Goes through the tokens of a file. found: the docstrings so far; end: where the last token ends.

    of_module: where the docstring of the module ends, zero where there is none.
    """

    def __init__(self, text: str) -> None:
        self._lines = StringIO(text, newline="").readlines()
        self._starts = [0, *accumulate(map(len, self._lines))]
        self.found: list[Span] = []
        self.end = self.of_module = 0

    def docstrings(self, clock: Clock) -> list[Span]:
        """Return the strings that are statements of their own: docstrings of modules, classes, functions, attributes."""
        begins = True  # a statement starts here
        first = True  # it is the first one
        alone: list[Span] | None = None  # the strings of the statement so far, None where it is more than strings
        for token in generate_tokens(iter([*self._lines, ""]).__next__):
            clock.check()
            self.end = max(self.end, self._offset(token.end))
            if token.type in (COMMENT, NL, INDENT, DEDENT):
                continue
            if token.type in (NEWLINE, ENDMARKER):
                self.found += alone or ()
                if first and alone:
                    self.of_module = alone[-1].end
                begins, first, alone = True, False, None
            elif token.type == STRING and (begins or alone is not None):
                alone = [] if alone is None else alone
                alone.append(self._span(token))
                begins = False
            else:
                begins, alone = False, None
        return self.found

    def _span(self, token: TokenInfo) -> Span:
        return Span(self._offset(token.start), self._offset(token.end))

    def _offset(self, place: tuple[int, int]) -> int:
        row, column = place
        return min(self._starts[min(row - 1, len(self._starts) - 1)] + column, self._starts[-1])


def _decoded(text: str, strings: list[Span]) -> tuple[str, list[int] | None, list[Span]]:
    """Return the text with the escapes of strings decoded, the places, and the contents of strings of three quotes."""
    out: list[str] = []
    places: list[int] = []
    contents: list[Span] = []
    at = length = 0  # how much of the text is done, and how long what came of it is
    for start, end in strings:
        match = _TRIPLE.match(text, start, end)
        if match is None:
            continue
        line = text.rfind("\n", 0, start) + 1
        indent = text[line:start]
        if indent.strip(" \t"):
            out.append(text[at : match.end()])
            indent = ""
        else:  # the first line of the value is one as the others, with the indent of the quotes, not after them
            out += [text[at:line], " " * (match.end() - start - 1), "\n", indent]
        places += range(at, match.end())
        length += match.end() - at
        first, at = length - len(indent), match.end()
        stop = end - len(match["quotes"])
        for escape in _ESCAPE.finditer(text, at, stop) if match["prefix"] not in ("r", "R") else ():
            value = _value(escape)
            if value is None:
                continue
            out += [text[at : escape.start()], value]
            places += range(at, escape.start())
            places += [escape.start()] * len(value)
            length += escape.start() - at + len(value)
            at = escape.end()
        out.append(text[at:stop])
        places += range(at, stop)
        length += stop - at
        at = stop
        contents.append(Span(first, length))
    if length == at:
        return "".join([*out, text[at:]]), None, contents
    places += range(at, len(text) + 1)
    return "".join([*out, text[at:]]), places, contents


def _value(escape: re.Match[str]) -> str | None:
    """Return what an escape stands for, None for one that stands for nothing."""
    if escape["line"]:
        return ""
    if escape["plain"]:
        return _PLAIN.get(escape["plain"], escape["plain"])
    if escape["name"]:
        try:
            return lookup(escape["name"])
        except KeyError:
            return None
    digits = escape["x"] or escape["u"] or escape["U"]
    number = int(digits, 16) if digits else int(escape["octal"], 8)
    return chr(number) if number <= _LARGEST_CHARACTER else None


def _blocks(text: str, start: int, end: int) -> Iterator[Region]:
    """Yield the plans in one docstring; the first one starts a text."""
    found = [*fences(text, start, end), *(Region(*place) for place in plan_blocks(text, start, end))]
    last, new = start, True
    for block in sorted(found):
        if block.start >= last:  # one inside the other counts once
            yield block._replace(new=new or block.new)
            last, new = block.end, False
