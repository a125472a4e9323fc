import pytest
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, Text, Token, Whitespace

from shardlang.syntax.tables import TERMINALS
from shardlang.tools.colouring.pygments import TOKENS, ShardLexer
from shardlang.tools.editor.colours import KIND_OF_TERMINAL, KINDS
from tests.tools.colouring.examples import examples, pieces

_EXAMPLES = examples()
# What Pygments may call a token that the lexer calls so.
_FAMILIES = {
    "comment": (Comment,),
    "number": (Number, Name.Variable, Name.Entity),  # a digit may be part of a name that LaTeX puts together
    "string": (Token.Literal.String, Name),
    "operator": (Operator, Name.Entity),  # the `-` of `tpu-v5p`
    "punctuation": (Punctuation, Name.Variable, Name.Entity),
    "markup": (Token.Literal.String.Escape, Name.Variable),
    "name": (Name, Keyword),
}


def test_every_terminal_has_a_kind_and_every_kind_a_token() -> None:
    assert set(KIND_OF_TERMINAL) == {name for name, _ in TERMINALS}
    assert set(TOKENS) == set(KINDS)


@pytest.mark.parametrize("text", _EXAMPLES, ids=range(len(_EXAMPLES)))
def test_tokens_agree_with_the_lexer(text: str) -> None:
    tokens = list(ShardLexer().get_tokens_unprocessed(text))
    assert "".join(piece for _, _, piece in tokens) == text
    kinds = [kind for _, kind, piece in tokens for _ in piece]
    bounds = {at for at, _, _ in tokens}
    for piece in pieces(text):
        assert piece.start in bounds
        family = _FAMILIES[KIND_OF_TERMINAL[piece.terminal]]
        for at in range(piece.start, piece.end):
            inner = text[at] in "_\\" and kinds[at] in Punctuation  # between a name and its subscript
            assert inner or any(kinds[at] in kind for kind in family), (text[piece.start : piece.end], kinds[at])


def test_names_are_told_apart_by_meaning() -> None:
    text = "mesh X=4\nX: bf16[X_X, d_model]  # c\nAllGather_X(X[X_X, J]) -> X[X, J]\ngelu(half["
    found = [
        (piece, kind) for _, kind, piece in ShardLexer().get_tokens_unprocessed(text) if kind in Name or kind in Keyword
    ]
    assert found == [
        ("mesh", Keyword.Declaration),
        ("X", Name.Constant),
        ("X", Name.Variable),
        ("bf16", Keyword.Type),
        ("X", Name.Attribute),
        ("X", Name.Constant),
        ("d_model", Name.Attribute),
        ("AllGather", Name.Function),
        ("X", Name.Constant),
        ("X", Name.Variable),
        ("X", Name.Attribute),
        ("X", Name.Constant),
        ("J", Name.Attribute),
        ("X", Name.Variable),
        ("X", Name.Attribute),
        ("J", Name.Attribute),
        ("gelu", Name.Builtin),
        ("half", Name.Variable),
    ]


@pytest.mark.parametrize("text", ["", "\ufeffA[I", "\x00\u202e", "[" * 5000, "\\text{" * 300, "$$$", "A\r\n\r[I_X]"])
def test_any_text_is_lexed_whole(text: str) -> None:
    assert "".join(piece for _, _, piece in ShardLexer().get_tokens_unprocessed(text)) == text


def test_pygments_finds_it_and_writes_html() -> None:
    assert isinstance(get_lexer_by_name("shard"), ShardLexer)
    assert isinstance(get_lexer_for_filename("plan.shard"), ShardLexer)
    assert '<span class="kd">mesh</span>' in highlight("mesh X=4", ShardLexer(), HtmlFormatter())


def test_blanks_are_blanks() -> None:
    found = [kind for _, kind, piece in ShardLexer().get_tokens_unprocessed("A[I]  \n") if not piece.strip()]
    assert found == [Whitespace, Text]
