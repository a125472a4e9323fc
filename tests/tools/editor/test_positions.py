import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardlang.source import Span
from shardlang.tools.editor.positions import ENCODINGS, Lines, Place

TEXT = "aé·😀b\r\n\tc\rd\n"


@pytest.mark.parametrize(
    ("encoding", "column"),
    [("utf-8", 1 + 2 + 2 + 4), ("utf-16", 1 + 1 + 1 + 2), ("utf-32", 4)],
)
def test_columns_count_units_of_the_encoding(encoding: str, column: int) -> None:
    lines = Lines(TEXT, encoding)
    assert lines.place(TEXT.index("b")) == Place(0, column)
    assert lines.offset(0, column) == TEXT.index("b")


def test_the_three_line_ends_and_no_other() -> None:
    lines = Lines("a\r\nb\rc\nd\x0be\x0cf\x85g\u2028h")
    assert lines.count == 4
    assert [lines.place(at) for at in (3, 5, 7)] == [Place(1, 0), Place(2, 0), Place(3, 0)]
    assert lines.line_span(0) == Span(0, 1)


def test_places_outside_are_clamped() -> None:
    lines = Lines(TEXT)
    assert lines.offset(-1, 5) == 0
    assert lines.offset(99, 0) == len(TEXT)
    assert lines.offset(0, 99) == TEXT.index("\r")
    assert lines.place(-5) == Place(0, 0)
    assert lines.place(999) == Place(3, 0)


def test_half_a_character_is_before_it() -> None:
    assert Lines("😀b").offset(0, 1) == 0


@given(st.text(st.sampled_from("ab·é😀\u20ac\r\n\t")), st.sampled_from(ENCODINGS))
def test_there_and_back(text: str, encoding: str) -> None:
    lines = Lines(text, encoding)
    for at in range(len(text) + 1):
        place = lines.place(at)
        start, end = lines.line_span(place.line)
        codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
        unit = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        assert place.column == len(text[start:at].encode(codec)) // unit
        if at <= end:  # not between `\r` and `\n`
            assert lines.offset(*place) == at
