"""Tokens, and the front matter that all parts of the parser share."""

from typing import NamedTuple, TypeAlias
from unicodedata import combining, normalize

from shardlang.limits import MOST_MARKS
from shardlang.source import Span

# Kind (a terminal of the grammar), text, and the half-open range in the text that was typed. A plain tuple:
# there are twenty in a statement, and a named one costs twice as much to make.
Token: TypeAlias = tuple[str, str, int, int]

OPERATORS = frozenset({"DOT", "STAR", "AT", "ODOT", "SLASH", "PLUS", "MINUS", "ARROW", "EQ"})
PRODUCTS = frozenset({"DOT", "STAR", "AT", "ODOT"})
OPENING = {"LSQB": "RSQB", "LPAR": "RPAR", "LBRACE": "RBRACE", "LSUB": "RBRACE"}
CLOSING = frozenset({"RSQB", "RPAR", "RBRACE"})
# Kinds that the front end for LaTeX, HTML and Markdown has to use up before the statement can be parsed.
MARKUP = frozenset(
    {"MACRO", "TAG", "ENTITY", "UNDERSCORE", "CARET", "POWER", "QUOTE", "STRING", "MATHOPEN", "MATHCLOSE"}
)
DECLARATION_WORDS = frozenset({"mesh", "hardware", "dtype", "let", "explicit", "rules"})
# Modifier letters of Unicode that are shown raised or lowered: `ₓ`, `ᵧ`, `ⱼ`, `ˣ`. They count as letters of a word.
# Letters, marks and signs that nothing is to be seen of: fillers, joiners, the blank of Braille.
BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
RAISED_LETTERS = "\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u2071\u207f\u2090-\u209c\u2c7c\u2c7d"


class Chunk(NamedTuple):
    """The tokens of one statement, before the front ends have looked at them.

    opened: a bracket that is never closed; closed: what closes it wrongly, if anything; math: it stands
    between `$`; marked: it has tokens of LaTeX, HTML or Markdown; limit: which bound it exceeds;
    raised: a word has letters of Unicode that look like a subscript.
    """

    tokens: list[Token]
    opened: Token | None
    closed: Token | None
    math: bool
    marked: bool
    limit: str | None
    raised: bool = False


def blanks_in(text: str) -> list[int]:
    """Return where a name has letters and marks that nothing is to be seen of."""
    return [at for at, char in enumerate(text) if char in BLANK_LETTERS]


def token_span(token: Token) -> Span:
    """Return the place of a token."""
    return Span(token[2], token[3])


def chunk_span(tokens: list[Token]) -> Span:
    """Return the place from the first to the last of `tokens`."""
    return Span(tokens[0][2], tokens[-1][3])


def composed(text: str) -> str:
    """Return a word as it is compared with others (NFC); a pile of marks, which would take long to sort, as it is."""
    return text if text.isascii() or has_pile(text) else normalize("NFC", text)


def has_pile(text: str) -> bool:
    """Say whether more marks stand on one letter than a name may have."""
    marks = 0
    for char in text if len(text) > MOST_MARKS else "":
        marks = marks + 1 if combining(char) else 0
        if marks > MOST_MARKS:
            return True
    return False
