"""The scanner: a text of plain characters is taken apart as any other text is."""

from hypothesis import example, given
from hypothesis import strategies as st

from shardlang.syntax.lexer import _PLAIN_TEXT, make_scanner

_CHARACTERS = [chr(code) for code in range(0x2300) if _PLAIN_TEXT(chr(code))]
_WORDS = [
    "All-Gather",
    "all-to-all",
    "reduce-Scatter",
    "A[I_{XY}, J_X]{U_Z}",
    "D_?",
    "I_{?}",
    "->",
    "==>",
    "1_000.5e-3",
    "...",
    ":=",
    "\r\n",
]


def _tokens(text: str, plain: bool) -> list[tuple[str, str, int]]:
    pattern, kinds = make_scanner(plain)
    found = [(match, match.lastindex or 0) for match in pattern.finditer(text)]
    return [(kinds[index], match[index], match.start(index)) for match, index in found if index]


@given(st.lists(st.sampled_from(_CHARACTERS + _WORDS)).map("".join))
@example("A[I_X, J] · B[J, K_] → C[I, K]  # comment -> [")
def test_plain_texts_have_the_same_tokens(text: str) -> None:
    assert _PLAIN_TEXT(text)
    assert _tokens(text, plain=True) == _tokens(text, plain=False)


def test_every_plain_character_is_part_of_a_token() -> None:
    for character in _CHARACTERS:
        assert character in " \t" or _tokens(character, plain=True)


def test_markup_is_not_plain() -> None:
    for character in "\\&<$\"'’′−∗×\u00a0\u200b\x00é":
        assert not _PLAIN_TEXT(character)
