"""Characters that do not show: each is told, and none makes two names of what looks like one."""

import pytest

import shardlang
import shardlang.api


def form(text):
    return shardlang.api.format_report(text).text


def told(text):
    return [(found.code, found.span.column - 1, found.message) for found in shardlang.check(text).diagnostics]


FILLERS = "\u3164\u115f\u1160\uffa0"
CASES = [
    *((char, text) for char in FILLERS for text in ("A{}[I]", "A[I{}]", "{}A[I]", "A[I_{}X]", "A[I] {} + B[I]")),
    *(("\u034f", text) for text in ("A{}[I]", "A[I{}]")),
]


@pytest.mark.parametrize(("char", "text"), CASES)
def test_letters_that_do_not_show(char, text):
    given = text.format(char)
    message = f"the invisible character U+{ord(char):04X} is left out"
    assert ("SL107", text.index("{"), message) in told(given)
    assert form(given) == form(text.format(""))


@pytest.mark.parametrize("char", ["\ufe0f", "\u20e3", "\u17b4", "\u2800"])
def test_a_stray_character_is_named_where_it_does_not_show(char):
    assert f"the character U+{ord(char):04X} is not part" in shardlang.check(f"A[I] {char}").diagnostics[0].message


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029"])
def test_ends_of_lines_that_editors_do_not_show(char):
    (found, wrong) = told(f"B[I]; {char}A[I_X, J_X]")
    assert found[0::2] == (
        "SL107",
        f"the invisible character U+{ord(char):04X} ends the line, which editors do not show",
    )
    assert wrong[0] == "SL201"


@pytest.mark.parametrize("char", ["\x0b", "\x0c"])
def test_blanks_of_old_printers_end_nothing(char):
    assert form(f"A[I]  # one{char}two\n") == f"A[I]  # one{char}two\n"
    assert form(f"A[I]{char}+ B[I]") == "A[I] + B[I]\n"
