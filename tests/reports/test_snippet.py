"""Carets stand under what a terminal shows. Expected text is counted by hand, column by column."""

import pytest

from shardlang.diagnostics import Diagnostic, Edit, Fix, Label
from shardlang.reports.cells import cells, safe, width
from shardlang.reports.colour import ansi, wants_colour
from shardlang.reports.snippet import render_finding
from shardlang.source import SourceText, Span


def place(text, part, number=0):
    """Return the span of the number-th occurrence of `part`, counted from zero."""
    start = -1
    for _ in range(number + 1):
        start = text.index(part, start + 1)
    return Span(start, start + len(part))


def render(text, finding, **options):
    return render_finding(SourceText(text, "plan.shard"), finding, **options)


def test_one_line():
    text = "A[I_X, J_X]"
    finding = Diagnostic("SL201", "mesh axis X shards two dimensions of A", place(text, "X", 1), hint="A[I_X, J]")
    assert render(text, finding) == "\n".join(
        [
            "error[SL201]: mesh axis X shards two dimensions of A",
            " --> plan.shard:1:10",
            "  |",
            "1 | A[I_X, J_X]",
            "  |          ^",
            "  |",
            "  = help: A[I_X, J]",
        ]
    )


def test_labels_on_the_same_line_and_on_others():
    text = "mesh X=4\n\nA[I_X, J_X] -> B[I_X]"
    labels = (
        Label(place(text, "X", 1), "first here"),
        Label(place(text, "X", 0), "declared here"),
        Label(place(text, "X", 3), "and here"),
    )
    assert render(text, Diagnostic("SL201", "twice", place(text, "X", 2), labels)).splitlines() == [
        "error[SL201]: twice",
        " --> plan.shard:3:10",
        "  |",
        "1 | mesh X=4",
        "  |      - declared here",
        "2 |",
        "3 | A[I_X, J_X] -> B[I_X]",
        "  |     -    ^         - and here",
        "  |     |",
        "  |     first here",
    ]


def test_distant_lines_are_elided():
    text = "mesh X=4\n" + "\n" * 20 + "A[I_X, J_X]"
    shown = render(text, Diagnostic("SL201", "twice", place(text, "X", 2), (Label(place(text, "X"), "declared"),)))
    assert " 1 | mesh X=4" in shown
    assert "\n...\n" in shown
    assert "22 | A[I_X, J_X]" in shown


@pytest.mark.parametrize(
    ("text", "part", "line", "carets"),
    [
        ("A[I] · B[I] → C[Q]", "Q", "A[I] · B[I] → C[Q]", " " * 16 + "^"),
        ("日本[I] · B[Q]", "Q", "日本[I] · B[Q]", " " * 12 + "^"),
        ("日本[I]", "日本", "日本[I]", "^^^^"),
        ("\tA[Q]", "Q", "    A[Q]", " " * 6 + "^"),
        ("ab\tA[Q]", "Q", "ab  A[Q]", " " * 6 + "^"),
        ("e\u0301[Q]", "Q", "e\u0301[Q]", "  ^"),
        ("🧠[Q]", "Q", "🧠[Q]", "   ^"),
        ("A\u202e[Q]", "Q", "A<U+202E>[Q]", " " * 10 + "^"),
        ("A\x00[Q]", "\x00", "A<U+0000>[Q]", " ^^^^^^^^"),
        ("A\ud800[Q]", "Q", "A<U+D800>[Q]", " " * 10 + "^"),
        ("A\u3164[Q]", "Q", "A<U+3164>[Q]", " " * 10 + "^"),  # a letter that is a blank
        ("A\ue000[Q]", "Q", "A<U+E000>[Q]", " " * 10 + "^"),  # everybody's own sign
        ("A" + 4 * "\u0301" + "[Q]", "Q", "A" + 4 * "\u0301" + "[Q]", "  ^"),
        ("A" + 6 * "\u0301" + "[Q]", "Q", "A" + 4 * "\u0301" + 2 * "<U+0301>" + "[Q]", " " * 18 + "^"),
        ("\u2066A\u2069[Q]", "Q", "<U+2066>A<U+2069>[Q]", " " * 18 + "^"),
    ],
)
def test_carets_under_unusual_characters(text, part, line, carets):
    rows = render(text, Diagnostic("SL103", "here", place(text, part))).splitlines()
    assert rows[3:5] == [f"1 | {line}", f"  | {carets}"]


def test_crlf_is_not_shown():
    text = "A[I]\r\nB[Q]\r\n"
    rows = render(text, Diagnostic("SL103", "here", place(text, "Q"))).splitlines()
    assert rows[1:5] == [" --> plan.shard:2:3", "  |", "2 | B[Q]", "  |   ^"]


def test_end_of_text_and_empty_text():
    assert render("A[I", Diagnostic("SL102", "open", Span(3, 3))).splitlines()[-1] == "  |    ^"
    assert render("", Diagnostic("SL103", "no text", Span(0, 0))).splitlines() == [
        "error[SL103]: no text",
        " --> plan.shard:1:1",
    ]


def test_several_lines_mark_the_first_and_the_last():
    text = "A[I,\n  J,\n  K]"
    rows = render(text, Diagnostic("SL102", "open", Span(1, len(text)))).splitlines()
    assert rows[3:] == ["1 | A[I,", "  |  ^^^", "2 |   J,", "3 |   K]", "  |   ^^"]


def test_a_long_line_shows_what_is_around_the_place():
    text = "A[I]" + " · B[I]" * 1_000_000 + " · C[Q]" + " · B[I]" * 1_000_000
    finding = Diagnostic("SL203", "no Q", place(text, "Q"), (Label(Span(0, 1), "far away"),))
    rows = render(text, finding, width=80).splitlines()
    shown, marks = rows[3], rows[4]
    assert max(len(row) for row in rows) <= 80
    assert shown[marks.index("^")] == "Q"
    assert shown.startswith("1 | ...")
    assert shown.endswith("...")
    assert "  = note: far away (line 1, column 1)" in rows


def test_fixes_are_shown_as_the_corrected_line():
    text = "mesh X=4\nA[I_X, J_X]  # note"
    edit = Edit(Span(place(text, "_X", 1).start, place(text, "_X", 1).end), "")
    finding = Diagnostic("SL201", "twice", place(text, "X", 2), fixes=(Fix("keep X on I", (edit,)),))
    assert render(text, finding).splitlines()[-2:] == ["  = help: keep X on I:", "          A[I_X, J]  # note"]


def test_messages_cannot_move_the_cursor():
    shown = render("A", Diagnostic("SL103", "bad \x1b[2J name", Span(0, 1), hint="\u202eA"))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "<U+001B>" in shown
    assert "<U+202E>" in shown


def test_colour_changes_no_visible_character():
    import re

    text = "mesh X=4\nA[I_X, J_X]"
    finding = Diagnostic(
        "SL201", "twice", place(text, "X", 2), (Label(place(text, "X", 1), "first"),), hint="A[I_X, J]"
    )
    painted = render(text, finding, paint=ansi)
    assert "\x1b[1;31m" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted).split() == render(text, finding).split()


@pytest.mark.parametrize(
    ("choice", "terminal", "environment", "wanted"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
    ],
)
def test_when_there_is_colour(choice, terminal, environment, wanted):
    assert wants_colour(choice, terminal, environment) is wanted


def test_cells():
    assert [cell.width for cell in cells("a\t日é\u0301")] == [1, 3, 2, 1, 0]
    assert width("A[日]") == 5
    assert safe("a\u200bb\nc\td") == "a<U+200B>b\nc d"
    piled = "a" + 1000 * "\u0338"
    assert width(piled) == len(safe(piled)) - 4 == 1 + 996 * len("<U+0338>")


def test_a_finding_about_an_option_draws_no_line():
    shown = render("A[I]", Diagnostic("SL225", "no effect", Span(0, 0), hint="did you mean `I`?"))
    assert shown.splitlines()[0] == "info[SL225]: no effect"
    assert "A[I]" not in shown
    assert shown.splitlines()[-1] == "  = help: did you mean `I`?"


def test_a_fix_that_removes_a_statement_has_no_colon():
    text = "A[I]\nAllReduce_X A[I] -> A[I]"
    fix = Fix("leave the step out", (Edit(Span(5, len(text)), ""),))
    shown = render(text, Diagnostic("SL304", "nothing to reduce", Span(5, 8), fixes=(fix,)))
    assert shown.splitlines()[-1] == "  = help: leave the step out"
