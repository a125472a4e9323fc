"""From text to the tokens of one statement after another."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from shardlang.limits import DEEPEST_BRACKETS, MOST_TOKENS
from shardlang.source import Span
from shardlang.syntax.macros import SYMBOLS
from shardlang.syntax.tables import TERMINALS
from shardlang.syntax.tokens import (
    BLANK_LETTERS,
    CLOSING,
    DECLARATION_WORDS,
    MARKUP,
    OPENING,
    OPERATORS,
    RAISED_LETTERS,
    Chunk,
    Token,
    blanks_in,
    composed,
    has_pile,
)

_LONGEST_FORMULA = 2_000
_LONGEST_SUBSCRIPT = 40  # in tokens, of an operator that ends a line
_MOST_INVISIBLE = 2_000
DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""What reorders the line it is in as shown: a comment must not have it either."""

# A text of these characters alone, as most plan files are, needs a tenth of the pattern, and of the time to compile it.
_PLAIN_TEXT = re.compile(r"[A-Za-z0-9_ \t\r\n\[\](){},.:;=+\-*/@?#>·→]*+").fullmatch
_PLAIN = {
    "NEWLINE": r"\r\n?|\n",
    "COMMENT": r"#[^\n\r]*",
    "WORD": (
        r"(?:[Aa]ll-(?:[Gg]ather|[Rr]educe|[Tt]o-[Aa]ll)|[Rr]educe-[Ss]catter|[Cc]ollective-[Pp]ermute|[A-Za-z])"
        r"[A-Za-z0-9_]*(?<!_)"
    ),
    "HOLE": r"_(?:\?|\{\?\})",
    "SUBWORD": r"_[A-Za-z0-9][A-Za-z0-9_]*(?<!_)",
    "LSUB": r"_\{",
    "UNDERSCORE": "_",
    "NUMBER": r"[0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?",
    "COMMA": ",",
    "LSQB": r"\[",
    "RSQB": r"\]",
    "LPAR": r"\(",
    "RPAR": r"\)",
    "LBRACE": r"\{",
    "RBRACE": r"\}",
    "ARROW": "-{1,3}>|={1,3}>|→",
    "GT": ">",
    "DOT": "·",
    "POWER": r"\*\*",
    "STAR": r"\*",
    "AT": "@",
    "PLUS": r"\+",
    "MINUS": "-",
    "DSLASH": "//",
    "SLASH": "/",
    "EQ": ":?=",
    "COLON": ":",
    "SEMI": ";",
    "ELLIPSIS": r"\.{3}",
    "PERIOD": r"\.",
    "QMARK": r"\?",
}
_BLANKS = r"[ \t\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]*+"

_BREAKS = frozenset({"NEWLINE", "SEMI", "ROW", "DOLLAR"})
_DROPPED = frozenset({"COMMENT", "SPACING", "AMPERSAND", "INVISIBLE"})
_NAMES = frozenset({"WORD", "SUBWORD"})
_SPECIAL = {""} | _BREAKS | _DROPPED | MARKUP | CLOSING | set(OPENING)
_TRANSLATED = {""} | _BREAKS | _DROPPED | {"MACRO", "TAG", "MATHOPEN", "MATHCLOSE"}
_BREAKING_TAG = r"(?i:</?(?:p|br|div|li|ul|ol|pre|td|tr)\b)"
_BREAKING_MACROS = frozenset({"begin", "end", "newline"})
_NAME_OPENS = r"[^\W\d_][\w'’′]*(?:_\{[^{}\n]{0,80}\})?[ \t]*(\[|=(?!>))"
_SIZE_FOLLOWS = r"[^\W\d_][\w'’′]*[ \t]*=[ \t]*[\w*/+() -]{1,80}[,\]]"
_HAS_ARRAY = r"[^\n\r;#\[]*(?:\[|(?<=\w)\()"
_DECLARATION_HEAD = 12  # tokens that tell a declaration: `mesh = jax.sharding.Mesh(`
_DECLARATION = "(?:" + "|".join(sorted(DECLARATION_WORDS)) + r")\b[ \t]*(?![ \t\[=:\])},])"


class Scanner(NamedTuple):
    """The pattern of all tokens, one group each, and the kind of token of each group."""

    pattern: re.Pattern[str]
    kinds: tuple[str, ...]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def make_scanner(plain: bool) -> Scanner:
    """Return the scanner of any text, or the one of a text of plain characters, which takes it apart in the same way."""
    terminals = [(name, _PLAIN[name]) for name, _ in TERMINALS if name in _PLAIN] if plain else TERMINALS
    groups = "|".join(f"({pattern})" for _, pattern in terminals)
    blanks = r"[ \t]*+" if plain else _BLANKS
    return Scanner(re.compile(rf"{blanks}(?:{groups}|\Z)"), ("", *(name for name, _ in terminals)))


def scan(text: str, start: int, end: int) -> Iterator[tuple[str, str, int, int]]:
    """Yield every token between `start` and `end`, with breaks, comments and markup."""
    pattern, kinds = make_scanner(False)
    for match in pattern.finditer(text, start, end):
        index = match.lastindex or 0
        if index:
            first, last = match.span(index)
            yield kinds[index], match[index], first, last


class Lexer:
    """Cuts a text into statements; `invisible` collects the places of characters that do not show, of comments those that change the direction."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._scanner = make_scanner(_PLAIN_TEXT(text) is not None)
        self.invisible: list[Span] = []
        self._dollars = False  # between `$`
        self._formulas = 0  # `\\[` that are still open
        self._start_chunk()

    def _start_chunk(self) -> None:
        self._tokens: list[Token] = []
        self._stack: list[Token] = []
        self._closed: tuple[Token, Token] | None = None
        self._marked = False
        self._lines = 0  # line ends since the last token
        self._soft = False  # a `$` since the last token
        self._math = False  # its first token stands between `$`
        self._limit: str | None = None
        self._raised = False

    def chunks(self, start: int, end: int) -> Iterator[Chunk]:
        """Yield the statements between two offsets, in order."""
        text, special, translated = self.text, _SPECIAL, _TRANSLATED
        pattern, kinds = self._scanner
        self._start_chunk()
        for match in pattern.finditer(text, start, end):
            index = match.lastindex or 0
            kind = kinds[index]
            if kind in translated:
                kind = self._translate(kind, match[index], match.span(index))
                if kind == "":
                    continue
                if kind in _BREAKS:
                    if self._tokens and self._breaks(kind):
                        yield self._finish()
                    continue
            first, last = match.span(index)
            word = match[index]
            if kind in _NAMES and not word.isascii() and (blank := blanks_in(word)):
                for at in blank:
                    self._note_invisible(first + at)
                word = "".join(char for char in word if char not in BLANK_LETTERS)
                if not word.strip("_"):
                    continue
            if (self._lines or self._soft) and self._tokens and self._starts_statement(kind, match.start(index)):
                yield self._finish()
            self._lines, self._soft = 0, False
            token = (kind, word, first, last)
            if kind in special:
                self._bracket(token)
            elif kind == "SUBWORD":
                token = (kind, composed(token[1]), first, last)
                if token[1][0] == "\\" or (self._tokens and self._tokens[-1][0] == "ARROW"):
                    self._marked = True
            elif kind == "WORD" and not token[1].isascii():
                if has_pile(token[1]):
                    self._limit = self._limit or "marks"
                token = (kind, composed(token[1]).replace("’", "'").replace("′", "'"), first, last)
                self._raised = self._raised or _compiled(f"[{RAISED_LETTERS}]").search(token[1]) is not None
            tokens = self._tokens
            if not tokens:
                self._math = self._dollars
            if len(tokens) < MOST_TOKENS:
                tokens.append(token)
            else:
                self._limit = self._limit or "tokens"
        if self._tokens:
            yield self._finish()

    def _translate(self, kind: str, text: str, place: tuple[int, int]) -> str:
        """Return the kind under which a special token counts; empty for one that is dropped."""
        if not kind:
            return ""  # blanks at the end
        if kind == "MACRO":
            name = text.strip("\\*")
            if name in _BREAKING_MACROS:
                self._marked = True
            return SYMBOLS.get(name, kind)
        if kind == "TAG":
            return "ROW" if _compiled(_BREAKING_TAG).match(text) else kind
        if kind == "DOLLAR":
            self._dollars = not self._dollars
        elif kind in ("MATHOPEN", "MATHCLOSE"):
            return self._bracket_or_formula(text, place[0])
        if kind in _DROPPED:
            if kind == "INVISIBLE" and place[0] > 0:
                self._note_invisible(place[0])
            elif kind == "COMMENT" and not text.isascii():
                for control in _compiled(f"[{DIRECTIONS}]").finditer(text):
                    self._note_invisible(place[0] + control.start())
            return ""
        if kind == "NEWLINE" and not text.isascii():
            self._note_invisible(place[0])
        return kind

    def _note_invisible(self, at: int) -> None:
        if len(self.invisible) < _MOST_INVISIBLE:
            self.invisible.append(Span(at, at + 1))

    def _bracket_or_formula(self, sign: str, at: int) -> str:
        r"""Say whether `\[` is an escaped bracket, as after a name, or opens a formula that has brackets itself."""
        if sign in ("\\]", "\\)"):
            if self._formulas and not self._stack:
                self._formulas -= 1
                return "DOLLAR"
            return "RSQB" if sign == "\\]" else "RPAR"
        before = self.text[at - 1 : at]
        end = self.text.find("\\]" if sign == "\\[" else "\\)", at, at + _LONGEST_FORMULA)
        inside = self.text[at + 2 : end].replace("\\[", "") if end > 0 else ""
        if "[" in inside and not (before.isalnum() or before in ("_", "'", "}", ">", "*")):
            self._formulas += 1
            return "DOLLAR"
        return "LSQB" if sign == "\\[" else "LPAR"

    def _breaks(self, kind: str) -> bool:
        """Take note of a break after the tokens so far; say whether they end here for certain."""
        if kind == "NEWLINE":
            self._lines += 1
            return False
        if kind == "DOLLAR":
            self._soft = True
            return False
        return not (kind == "SEMI" and self._stack)

    def _starts_statement(self, kind: str, at: int) -> bool:
        """Say whether the token at `at`, the first after a line end or a `$`, starts a statement."""
        last = self._tokens[-1][0]
        if self._stack and not self._soft:
            return self._lines > 1 or self._looks_new(last, at)
        if kind in OPERATORS:
            return kind == "MINUS" and (self._lines > 1 or self._ends_declaration(at))
        if self._ends_in_operator():
            return False
        return not (last == "COMMA" and self._tokens[0][1] in DECLARATION_WORDS)

    def _ends_in_operator(self) -> bool:
        """Say whether an operator is last, with its subscript (`·_LOCAL`, `·_{N,H}`) if it has one."""
        at = len(self._tokens) - 1
        if self._tokens[at][0] == "SUBWORD":
            at -= 1
        elif self._tokens[at][0] == OPENING["LSUB"]:
            at = self._subscript_start(at) - 1
        return at >= 0 and self._tokens[at][0] in OPERATORS

    def _subscript_start(self, at: int) -> int:
        """Return where the subscript starts that the brace at `at` closes, 0 where it closes something else."""
        depth = 0
        for start in range(at, max(at - _LONGEST_SUBSCRIPT, -1), -1):
            kind = self._tokens[start][0]
            depth += (kind == OPENING["LSUB"]) - (kind in ("LSUB", "LBRACE"))
            if depth == 0:
                return start if kind == "LSUB" else 0
        return 0

    def _ends_declaration(self, at: int) -> bool:
        """Say whether the tokens so far declare something that the line at `at` cannot continue, as it has an array."""
        if len(self._tokens) > 1 and _compiled(_HAS_ARRAY).match(self.text, at) is None:
            return False  # arithmetic on sizes goes on
        from shardlang.syntax.words import is_declaration  # a line that starts with `-` is rare

        return is_declaration(self._tokens[:_DECLARATION_HEAD])

    def _looks_new(self, last: str, at: int) -> bool:
        """Say whether a line inside an open bracket clearly starts a statement."""
        if _compiled(_DECLARATION).match(self.text, at):
            return True
        match = _compiled(_NAME_OPENS).match(self.text, at)
        if match is None:
            return False
        goes_on = last in OPERATORS or last == "COMMA" or last in OPENING
        if match[1] == "=":
            return not (goes_on and (self._stack[-1][0] == "LPAR" or _compiled(_SIZE_FOLLOWS).match(self.text, at)))
        return self._stack[-1][0] != "LPAR" or not goes_on

    def _bracket(self, token: Token) -> None:
        kind = token[0]
        if kind in OPENING:
            if kind == "LSUB" and self._tokens and self._tokens[-1][0] == "ARROW":
                self._marked = True
            self._stack.append(token)
            if len(self._stack) > DEEPEST_BRACKETS:
                self._limit = "nesting"
                self._stack.pop(0)
        elif kind in CLOSING:
            if self._stack:
                opening = self._stack.pop()
                if OPENING[opening[0]] != kind and self._closed is None:
                    self._closed = (opening, token)
        elif kind in MARKUP:
            self._marked = True

    def _finish(self) -> Chunk:
        opened, closed = self._closed if self._closed else (self._stack[-1] if self._stack else None, None)
        chunk = Chunk(self._tokens, opened, closed, self._math, self._marked, self._limit, self._raised)
        self._start_chunk()
        return chunk
