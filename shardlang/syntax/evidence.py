"""Whether brackets in a document are meant as the notation, or are ordinary code and mathematics."""

import re

from shardlang.syntax.operations import find_operation
from shardlang.syntax.tokens import Token

NONE, SOME, CLEAR = range(3)

# A word between brackets that is a dimension and mesh axes: `I_X`, `batch_XY`, `D_data`; not `MAX_SIZE` or `d_model`.
_SHARDED = re.compile(r"[A-Za-z][a-z0-9']*(?:_[a-z0-9]+)*_[A-Z][A-Z0-9]{0,3}|[A-Z][0-9']*_[A-Za-z]\w*").fullmatch
_ONE_LETTER = re.compile(r"[^\W\d_][0-9\u2080-\u2089']*").fullmatch
_PENDING = re.compile(r"(?:U|sum|max|min)(?:_.*)?").fullmatch
# Types of programming languages that are written with capital letters between brackets.
_CONTAINERS = """
    Annotated Any Array Awaitable Box Callable ClassVar Class Collection Counter Deque Dict Final FrozenSet Func Future
    Generator Generic HashMap Iterable Iterator List Literal Map Mapping Option Optional Protocol Result Seq Sequence
    Set Slice Task Tuple Type Union Vec
"""
_GENERICS = frozenset(_CONTAINERS.split())
_NEUTRAL = frozenset(
    {"COMMA", "EQ", "LPAR", "RPAR", "LBRACE", "RBRACE", "ELLIPSIS", "NUMBER", "MACRO", "UNDERSCORE", "HOLE", "LT", "GT"}
)


def evidence_of(tokens: list[Token]) -> int:
    """Return how much speaks for a statement: `NONE`, `SOME` (it is one if it parses) or `CLEAR` (also if it does not).

    Clear are a sharding subscript between brackets, a pending sum after them, and dimensions of one capital letter
    with an arrow or a dot. Some are dimensions in capitals alone, and small letters with a dot, or with a product
    and an arrow.
    """
    seen = _Seen(tokens)
    if seen.sharded:
        return SOME if seen.foreign else CLEAR
    if seen.foreign or seen.programming or not seen.words:
        return NONE
    if not seen.small:
        return CLEAR if seen.letters == seen.words and (seen.arrow or seen.dot) else SOME
    return SOME if seen.dot or (seen.arrow and seen.product) else NONE


class _Seen:
    """What the tokens of a text have that tells the notation from code."""

    def __init__(self, tokens: list[Token]) -> None:
        self.sharded = self.arrow = self.dot = self.product = self.foreign = self.programming = False
        self.words = self.small = self.letters = 0
        self._squares = self._braces = 0
        before: Token = ("", "", 0, 0)
        for token in tokens:
            if token[0] == "LSQB":
                self._squares += 1
                self.programming = self.programming or before[1] in _GENERICS
            elif token[0] == "RSQB":
                self._squares -= 1
            elif self._squares > 0:
                self._between_brackets(token, before)
            else:
                self._outside(token, before)
            before = token

    def _between_brackets(self, token: Token, before: Token) -> None:
        kind, text = token[0], token[1]
        if kind == "LSUB":
            self._braces += 1
            self.sharded = True
        elif kind == "RBRACE":
            self._braces -= 1
        elif kind == "WORD":
            if self._braces <= 0:
                self.words += 1
                self.small += text[0].islower()
                self.letters += _ONE_LETTER(text) is not None
                self.sharded = self.sharded or _SHARDED(text) is not None
        elif kind in ("SUBWORD", "AT"):
            glued = before[3] == token[2] and before[0] in ("WORD", "NUMBER", "RPAR")
            self.sharded = self.sharded or glued
        elif kind == "TAG":
            self.sharded = self.sharded or text[:4].lower() == "<sub"
        elif kind not in _NEUTRAL:
            self.foreign = True

    def _outside(self, token: Token, before: Token) -> None:
        kind = token[0]
        if kind == "ARROW":
            self.arrow = True
        elif kind in ("DOT", "ODOT"):
            self.dot = self.product = True
        elif kind in ("STAR", "AT"):
            self.product = True
        elif kind == "LPAR":
            self.programming = self.programming or (before[0] == "WORD" and find_operation(before[1]) is None)
        elif kind == "WORD" and before[0] in ("LBRACE", "LT") and _PENDING(token[1]):
            self.sharded = True
        elif kind == "WORD" and before[0] == "PERIOD" and before[3] == token[2]:
            self.programming = True
