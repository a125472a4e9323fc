"""What a report repeats of a text: of a line with many statements the touched ones only, so that it stays linear."""

import json

import pytest

import shardlang
from shardlang.limits import LONGEST_SHOWN_FIX, LONGEST_SHOWN_LINES

MANY = "".join(f"A{n}[I_X, J_X]; " for n in range(300))


def test_of_a_line_with_many_statements_the_touched_one_is_shown():
    for found in shardlang.check(MANY).diagnostics:
        assert found.code == "SL201"
        number = MANY[: found.span.column].count(";")
        assert {fix.text for fix in found.fixes} == {f"A{number}[I_X, J]", f"A{number}[I, J_X]"}
        assert found.hint == found.fixes[0].text
        assert shardlang.check(found.hint).ok


def test_short_lines_are_shown_whole():
    line = "A[I_X, J_X]; B[I]  # a note"
    found = shardlang.check(line).diagnostics[0]
    assert found.hint == "A[I_X, J]; B[I]  # a note"
    (longer,) = shardlang.check(line + "." * LONGEST_SHOWN_LINES).diagnostics
    assert longer.hint == "A[I_X, J]"


@pytest.mark.parametrize(
    ("text", "kind", "hint"),
    [
        ("Prose. " * 60 + "$A[I_X, J_X]$ and $B[K]$" + " more." * 60, "markdown", "A[I_X, J]"),
        ("B[K]; " * 60 + "A[I]  # shardlang: ignore[SL201]", None, "A[I]"),
        ("B[K]; " * 60 + "A[I_X,\n  J_X]; C[K]", None, "A[I_X, J]"),
    ],
)
def test_in_every_kind_of_long_line(text, kind, hint):
    (found,) = shardlang.check(text, document=kind).diagnostics
    assert found.hint == hint


def test_of_a_long_statement_the_part_around_the_change_is_shown():
    """Then there is nothing to paste, and the hint says what to do."""
    names = [f"{'Weight' * 5}{number}[I, J]" for number in range(60)]
    for at in (0, 30, 60):
        text = " + ".join([*names[:at], "A[I_X, J_X]", *names[at:]])
        found = shardlang.check(text).diagnostics[0]
        (shown, *_) = found.fixes
        assert "A[I_X, J]" in shown.text
        assert (shown.text[0] == "…", shown.text[-1] == "…") == (at > 0, at < 60)
        assert len(shown.text) <= LONGEST_SHOWN_FIX + 2
        assert found.hint == shown.title


@pytest.mark.parametrize(
    "unit",
    [
        "A#[I_X, J_X]; ",
        "A#[I_X, J; ",
        "$A#[I_X, J_X]$ ",
        "A[I]  # shardlang: ignore[SL201] ",
        "B#[I] = A#[I] + A#[I_X]; ",
        "A#[I, J_X] · B#[J, K_X] -> C#[I_X, K_X]; ",
    ],
)
@pytest.mark.parametrize("kind", [None, "markdown"])
def test_an_answer_is_linear_in_the_text(unit, kind):
    def answer(length):
        text = "".join(unit.replace("#", str(number)) for number in range(length // len(unit)))
        report = shardlang.check(text, document=kind, alternatives=False)
        return len(json.dumps(report.to_dict())), len(json.dumps(shardlang.parse(text, document=kind).to_dict()))

    for short, long in zip(answer(3_000), answer(9_000), strict=True):
        assert long < 3.6 * short + 10_000
