r"""The front end for LaTeX, HTML and Markdown: uses up markup tokens, and joins the pieces of a word.

Every token that comes out has its place in the text that was typed: `W_\text{in}` is one word `W_in` whose
place is all of it.
"""

import re
from html import unescape

from shardlang.syntax.lexer import scan
from shardlang.syntax.macros import ARROWS, BLANK, FONTS, FOREIGN, GREEK, HIDDEN, SECOND
from shardlang.syntax.operations import find_operation
from shardlang.syntax.tokens import Token, composed

_TAG_NAME = re.compile(r"</?([a-zA-Z]+)")
_POWER_STARTS = frozenset({"mesh", "let", "Mesh", "rules"})
_SWITCHES = BLANK | HIDDEN
_PRIMES = frozenset({"'", "’", "′", "*"})
_PRIME_MACROS = frozenset({"\\prime", "\\ast", "\\star"})


def plain_tokens(tokens: list[Token]) -> list[Token]:
    """Return `tokens` without markup: only terminals that the grammar's rules use, or `OTHER`."""
    return _Joiner(tokens).run()


class _Joiner:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._out: list[Token] = []
        self._braces: list[bool] = []  # for each open brace whether it is only markup
        self._squares = 0
        self._sizes = False  # after the `=` of `[B=2**7]`
        self._kind = ""  # of the word that is being joined
        self._text = ""
        self._start = 0
        self._end = -1
        self._glue = -1  # where the next token must start to belong to that word
        self._declares = tokens[0][1] in _POWER_STARTS

    def run(self) -> list[Token]:
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            getattr(self, f"_take_{token[0].lower()}", self._other)(token)
        self._flush()
        return self._out

    # -- words ---------------------------------------------------------------------------------------

    def _piece(self, text: str, token: Token) -> None:
        self._text += text
        self._end = self._glue = token[3]

    def _begin(self, kind: str, text: str, token: Token) -> None:
        self._flush()
        self._kind, self._text, self._start = kind, text, token[2]
        self._end = self._glue = token[3]

    def _joins(self, token: Token) -> bool:
        return bool(self._kind) and token[2] == self._glue

    def _flush(self) -> None:
        if self._kind:
            kind, text = self._kind, self._text
            if kind == "SUBWORD" and text == "_":
                kind = "OTHER"
            self._out.append((kind, composed(text), self._start, self._end))
            self._kind = self._text = ""

    def _take_word(self, token: Token) -> None:
        if self._joins(token) or self._text == "_":
            self._piece(token[1], token)
        else:
            self._begin("WORD", token[1], token)

    def _take_number(self, token: Token) -> None:
        if self._joins(token) and token[1].isdigit():
            self._piece(token[1], token)
        else:
            self._other(token)

    def _take_subword(self, token: Token) -> None:
        text = token[1].removeprefix("\\").replace("’", "'").replace("′", "'")
        if self._joins(token) and not (self._kind == "WORD" and find_operation(self._text)):
            self._piece(text, token)
        else:
            self._begin("SUBWORD", text, token)

    _take_underscore = _take_subword

    def _take_string(self, token: Token) -> None:
        if self._declares:
            self._other(token)
        else:
            self._take_word(("WORD", token[1][1:-1], token[2] + 1, token[3] - 1))

    def _prime(self, token: Token, count: int = 1) -> None:
        if self._joins(token):
            self._piece("'" * count, token)
            return
        self._flush()
        if len(self._out) > 1 and self._out[-1][0] == "RBRACE" and self._out[-1][3] == token[2]:
            kind, text, start, end = self._out[-2]  # `W_{in}'`: the prime belongs to the name
            if kind == "WORD":
                self._out[-2] = (kind, text + "'" * count, start, end)
                self._out[-1] = (*self._out[-1][:3], token[3])

    def _take_quote(self, token: Token) -> None:
        if token[1] in _PRIMES:
            self._prime(token)

    # -- LaTeX ---------------------------------------------------------------------------------------

    def _take_macro(self, token: Token) -> None:
        name = token[1].strip("\\*")
        braced = self._peek() == "LBRACE"
        if name == "prime":
            self._prime(token)
        elif name in GREEK:
            self._take_word(("WORD", name, token[2], token[3]))
        elif name in ARROWS:
            self._skip_argument()
            self._take_arrow(("ARROW", token[1], token[2], token[3]))
        elif name in HIDDEN:
            self._skip_argument()
            if name == "color" and self._peek() == "LBRACE":
                self._open_markup(token)
        elif name in SECOND:
            self._skip_argument()
            self._open_markup(token)
        elif name in BLANK:
            pass
        elif name not in FOREIGN and (braced or name in FONTS):
            self._open_markup(token)
        else:
            self._other(("OTHER", token[1], token[2], token[3]))

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _open_markup(self, token: Token) -> None:
        """Take the brace that opens an argument as markup, so that words go on through it."""
        joins = self._joins(token)
        end = token[3]
        if self._peek() == "LBRACE":
            end = self._tokens[self._at][3]
            self._at += 1
            self._braces.append(True)
        if joins or (self._kind and self._text == "_"):
            self._glue = end

    def _skip_argument(self) -> None:
        depth = 0
        while self._at < len(self._tokens) and (depth or self._peek() == "LBRACE"):
            kind = self._peek()
            self._at += 1
            depth += (kind in ("LBRACE", "LSUB")) - (kind == "RBRACE")
            if depth == 0:
                return

    def _take_lbrace(self, token: Token) -> None:
        inner = self._tokens[self._at] if self._at < len(self._tokens) else None
        if token[1] == "{" and inner and inner[0] == "MACRO" and inner[1].strip("\\*") in _SWITCHES:
            self._braces.append(True)
            return
        self._braces.append(False)
        self._other(token)

    def _take_lsub(self, token: Token) -> None:
        self._braces.append(False)
        self._other(token)

    def _take_rbrace(self, token: Token) -> None:
        if self._braces and self._braces.pop():
            if self._joins(token):
                self._glue = self._end = token[3]
            return
        self._other(token)

    def _take_lsqb(self, token: Token) -> None:
        self._squares += 1
        self._sizes = False
        self._other(token)

    def _take_rsqb(self, token: Token) -> None:
        self._squares -= 1
        self._sizes = False
        self._other(token)

    def _take_comma(self, token: Token) -> None:
        self._sizes = False
        self._other(token)

    def _take_eq(self, token: Token) -> None:
        self._sizes = self._squares > 0
        self._other(token)

    def _take_caret(self, token: Token) -> None:
        """Take a superscript: primes belong to the word, anything else is not part of the notation."""
        braced = self._peek() == "LBRACE"
        at, primes = self._at + braced, 0
        while at < len(self._tokens) and (self._tokens[at][1] in _PRIMES or self._tokens[at][1] in _PRIME_MACROS):
            primes += 1
            at += 1
            if not braced:
                break
        if not primes or (braced and (at >= len(self._tokens) or self._tokens[at][0] != "RBRACE")):
            self._other(token)
            return
        last = self._tokens[at] if braced else self._tokens[at - 1]
        self._at = at + braced
        self._prime((token[0], token[1], token[2], last[2]), primes)
        self._glue = last[3] if self._kind else -1
        self._end = last[3]

    def _take_arrow(self, token: Token) -> None:
        r"""Take an arrow, and drop the word under it, which only explains: `\rightarrow_\text{reshape}`."""
        self._other(token)
        if self._peek() == "SUBWORD":
            self._at += 1
        elif self._peek() in ("LSUB", "UNDERSCORE"):
            if self._peek() == "UNDERSCORE":
                self._at += 1
                if self._peek() == "MACRO":
                    self._at += 1
                self._skip_argument()
            else:
                depth = 0
                while self._at < len(self._tokens):
                    depth += (self._peek() in ("LBRACE", "LSUB")) - (self._peek() == "RBRACE")
                    self._at += 1
                    if depth == 0:
                        return

    # -- HTML and Markdown ---------------------------------------------------------------------------

    def _take_tag(self, token: Token) -> None:
        match = _TAG_NAME.match(token[1])
        name = match[1].lower() if match else ""
        if name == "sub":
            closing = token[1].startswith("</")
            self._other(("RBRACE" if closing else "LSUB", token[1], token[2], token[3]))
        elif self._joins(token):
            self._glue = token[3]

    def _take_power(self, token: Token) -> None:
        if self._declares or self._sizes:
            self._other(token)
        elif self._joins(token):
            self._glue = token[3]

    def _take_entity(self, token: Token) -> None:
        character = unescape(token[1])
        if len(character) != 1:
            self._other(("OTHER", token[1], token[2], token[3]))
            return
        kind = next(scan(character, 0, 1), ("", "", 0, 0))[0]
        if kind in ("", "AMPERSAND", "INVISIBLE", "NEWLINE", "COMMENT"):
            return
        getattr(self, f"_take_{kind.lower()}", self._other)((kind, character, token[2], token[3]))

    def _other(self, token: Token) -> None:
        self._flush()
        self._out.append(token)
