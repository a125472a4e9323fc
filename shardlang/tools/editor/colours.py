"""What each piece of a text is, for colours: the tokens of the lexer, with the names of the program laid over them."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from shardlang.semantics.program import Program
from shardlang.semantics.words import split_word
from shardlang.source import SourceText, Span
from shardlang.syntax.documents import Region
from shardlang.syntax.lexer import Lexer, scan
from shardlang.syntax.operations import find_operation
from shardlang.syntax.tokens import Token
from shardlang.syntax.words import name_tokens
from shardlang.tools.editor.names import Name

# What a token of each terminal is by itself. A word is told by its place.
_KINDS = {
    "comment": "COMMENT",
    "number": "NUMBER",
    "string": "STRING",
    "operator": "ARROW DOT ODOT POWER STAR AT PLUS MINUS DSLASH SLASH EQ",
    "punctuation": (
        "COMMA LSQB RSQB LPAR RPAR LBRACE RBRACE LSUB HOLE UNDERSCORE LT GT COLON SEMI ELLIPSIS PERIOD QMARK CARET QUOTE"
    ),
    "markup": "TAG MACRO ROW SPACING ENTITY AMPERSAND MATHOPEN MATHCLOSE DOLLAR",
    "name": "WORD SUBWORD",
    "text": "NEWLINE INVISIBLE OTHER",
}
KIND_OF_TERMINAL = {terminal: kind for kind, terminals in _KINDS.items() for terminal in terminals.split()}
KINDS = (
    *("array", "dimension", "axis", "collective", "operation", "keyword", "dtype", "hardware", "topology", "figure"),
    *_KINDS,
)
_DECLARATIONS = frozenset({"MESH", "PYMESH", "HARDWARE", "DTYPE", "LET", "EXPLICIT", "RULES"})
_LONGEST = 500_000


class Colour(NamedTuple):
    """A piece of the text and what it is, one of `KINDS`."""

    start: int
    end: int
    kind: str


def colours(
    source: SourceText, program: Program, names: tuple[Name, ...], regions: tuple[Region, ...]
) -> Iterator[Colour]:
    """Yield the pieces of a text in order, none over another; prose of a document and blanks are in none.

    regions: the parts of the document; a plan is one block.
    Of a text of more than half a million characters nothing is coloured.
    """
    if len(source.text) > _LONGEST:
        return
    starts = [name.span.start for name in names]
    axes = tuple(axis.name for axis in program.mesh.axes) if program.mesh.declared else None
    lexer = Lexer(source.text)
    for area in _areas(program, regions):
        for piece in _pieces(lexer, area, axes):
            yield from _overlaid(source.text, piece, names, starts)


def _areas(program: Program, regions: tuple[Region, ...]) -> list[Span]:
    """Return what is statements: all of a plan, the blocks of a document and the statements that it has elsewhere."""
    areas = [Span(region.start, region.end) for region in regions if region.kind == "block"]
    blocks = [area.start for area in areas]
    for statement in program.statements:
        at = bisect_right(blocks, statement.span.start) - 1
        if at < 0 or statement.span.start >= areas[at].end:
            areas.append(statement.span)
    return sorted(areas)


def _pieces(lexer: Lexer, area: Span, axes: tuple[str, ...] | None) -> Iterator[Colour]:
    """Yield the tokens of an area; words as far as the lexer and their brackets tell them."""
    special = _special_words(lexer, area)
    squares = 0
    tokens = list(scan(lexer.text, area.start, area.end))
    for index, (kind, word, start, end) in enumerate(tokens):
        squares = max(0, squares + (kind == "LSQB") - (kind == "RSQB"))
        if kind in ("NEWLINE", "SEMI"):
            squares = 0 if kind == "SEMI" else squares
        if kind != "WORD":
            yield Colour(start, end, KIND_OF_TERMINAL[kind])
        elif start in special:
            yield from _cut(start, end, special[start])
        elif squares:
            split = split_word(word, axes)
            stem = start + len(split.stem)
            yield Colour(start, min(stem, end), "dimension")
            if stem < end:
                yield Colour(stem, min(stem + 1, end), "punctuation")
                yield Colour(min(stem + 1, end), end, "axis")
        else:
            following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
            yield Colour(start, end, "array" if following == "LSQB" else "name")


def _cut(start: int, end: int, found: Colour) -> Iterator[Colour]:
    """Yield a word as far as it is special, and the subscript that is glued to an operation."""
    yield found._replace(end=min(found.end, end))
    if found.end < end:
        yield Colour(found.end, found.end + 1, "punctuation")
        if found.end + 1 < end:
            yield Colour(found.end + 1, end, "name")


def _special_words(lexer: Lexer, area: Span) -> dict[int, Colour]:
    """Return the words that their position makes an operation or a declaration, by where they start."""
    found: dict[int, Colour] = {}
    for chunk in lexer.chunks(area.start, area.end):
        tokens: list[Token] = [token for token in chunk.tokens if token[0] != "MACRO"]
        for kind, word, start, end in name_tokens(tokens)[0] if tokens else ():
            if kind in _DECLARATIONS:
                found[start] = Colour(start, end, "keyword")
            elif kind == "TOPOLOGY":
                found[start] = Colour(start, end, "topology")
            elif kind == "OP":
                operation = find_operation(word)
                moves = operation is not None and operation.kind in ("collective", "free")
                found[start] = Colour(start, end, "collective" if moves else "operation")
    return found


def _overlaid(text: str, piece: Colour, names: tuple[Name, ...], starts: list[int]) -> Iterator[Colour]:
    """Yield a piece, cut where names of the program stand in it or over it."""
    at = piece.start
    if piece.kind in ("comment", "text"):
        yield piece
        return
    first = bisect_right(starts, piece.start) - 1
    while first > 0 and names[first - 1].span.end > piece.start:
        first -= 1
    for index in range(max(0, first), len(names)):
        name = names[index]
        if name.span.start >= piece.end:
            break
        start, end = max(at, name.span.start), min(piece.end, name.span.end)
        if start >= end:
            continue
        if at < start:
            yield Colour(at, start, _between(text[at:start], piece.kind))
        yield Colour(start, end, name.kind)
        at = end
    if at < piece.end:
        yield Colour(at, piece.end, _between(text[at : piece.end], piece.kind) if at > piece.start else piece.kind)


def _between(text: str, kind: str) -> str:
    return "punctuation" if text in ("_", "\\_") else kind
