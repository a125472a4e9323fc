"""Whatever is typed ends in findings, in bounded time, and never in an exception."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlang.diagnostics import CODES
from shardlang.limits import LONGEST_TEXT, MOST_FINDINGS, MOST_MARKS
from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.syntax.printing import statement_text
from tests.syntax.test_spellings import ROWS

KINDS = (None, "markdown", "latex", "html", "text", "python")
PIECES = [
    *"[](){}<>_^,;:·*@+-/=$&#%\\'\"`~!?|. \n\t", "\r\n", "\x00", "\ud800", "\u202e", "\u200b", "é", "e\u0301", "注", "٣",
    "A", "I_X", "AllGather_X", "gelu", "sum_J", "mesh", "let", "Mesh(", "->", "\\text{", "\\\\", "\\{", "\\[", "\\]", "\\(",
    "\\begin{align}", "\\end{align}", "\\frac", "<sub>", "</sub>", "&nbsp;", "&#0;", "**", "$$", "```shard\n", "{U_X}", "...", "9**9**9",
]  # fmt: skip


def check(text: str) -> None:
    for kind in KINDS:
        source = SourceText(text)
        module, findings = parse(source, kind)
        for finding in findings:
            assert finding.code in CODES
            assert 0 <= finding.span.start <= finding.span.end <= len(text)
            assert finding.message.isprintable()
        for statement in module.statements:
            assert 0 <= statement.span.start < statement.span.end <= len(text)
            assert statement_text(statement)


def test_every_prefix_of_every_example() -> None:
    for row in ROWS:
        text = row.values[0]
        for end in range(len(text)):
            source = SourceText(text[:end])
            module, _ = parse(source)
            for statement in module.statements:
                statement_text(statement)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_pieces_of_the_notation_in_any_order(text: str) -> None:
    check(text)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=80))
def test_any_text(text: str) -> None:
    check(text)


def test_random_bytes() -> None:
    random.seed(1)
    for _ in range(40):
        check(random.randbytes(300).decode("latin-1"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[" * 10_000, "SL602"),
        ("A[" * 10_000 + "]" * 10_000, "SL602"),
        ("(" * 10_000 + "A[I]" + ")" * 10_000, "SL602"),
        ("gelu(" * 10_000, "SL602"),
        ("\\text{" * 10_000, "SL602"),
        ("-" * 10_000 + "A[I]", "SL602"),
        ("AllGather_X " * 10_000 + "A[I]", "SL602"),
        (" · ".join(["A[I]"] * 10_000), "SL601"),
        (" + ".join(["A[I]"] * 1_000), "SL602"),
        ("let B = " + "**".join(["9"] * 5_000), "SL602"),
        ("let B = " + "9" * 5_000, "SL601"),
        ("A[" + ", ".join(["I"] * 50_000) + "]", "SL601"),
        ("x" * (LONGEST_TEXT + 1), "SL601"),
        (" " * 5_000_000, "SL601"),
        ("A[e" + "\u0316\u0301" * 400_000 + "]", "SL601"),  # to sort so many marks takes days
    ],
)
def test_bound_is_a_finding(text: str, code: str) -> None:
    start = time.thread_time()
    assert [finding.code for finding in parse(SourceText(text))[1]][:1] == [code]
    assert time.thread_time() - start < 5


@pytest.mark.parametrize(
    "unit",
    ["A", " ", "[", "A[I]", "$", "$A[I]", "`", "```\n", "\\[", "\\begin{align}", "_{", "\\text{", "<sub>", "\n", "*", "\\", "A\n", "x\n[", "'", "&", "#", "-", "=", "9", "_", "e\u0301", "e\u0316\u0301", "\u0316\u0301", "<b ", "&a", "A'", "**", "<pre>", "<!--", "<code>A[I]", "`A[I_X", "A[Iₓ", "- A[I_X] -> A[I]\n", "(a ", "psum(A[I], "],
)  # fmt: skip
def test_time_grows_with_the_text_and_not_faster(unit: str) -> None:
    def seconds(count: int, kind: str | None) -> float:
        text = unit * count
        start = time.thread_time()
        parse(SourceText(text), kind)
        return time.thread_time() - start

    for kind in KINDS:
        short, long = seconds(2_000, kind), seconds(20_000, kind)
        assert long < 40 * short + 0.5, (unit, kind)


def test_findings_are_bounded() -> None:
    findings = parse(SourceText("A[\n\n" * 3 * MOST_FINDINGS))[1]
    assert len(findings) == MOST_FINDINGS + 1
    assert findings[-1].code == "SL605"


def test_notes_never_hide_a_statement_or_an_error() -> None:
    module, findings = parse(SourceText("$x$ and " * 3 * MOST_FINDINGS + "$A[I]$ $B[J$"), "markdown")
    assert [statement_text(statement) for statement in module.statements] == ["A[I]"]
    assert [finding.code for finding in findings if finding.code != "SL106"] == ["SL102", "SL605"]
    assert len(findings) == MOST_FINDINGS + 1


def test_power_tower_is_only_text() -> None:
    module, findings = parse(SourceText("let B = 9**9**9"))
    assert findings == ()
    assert statement_text(module.statements[0]) == "let B = 9**9**9"


def test_marks_within_the_limit_are_sorted_and_a_statement_over_it_hides_no_other() -> None:
    pile = "\u0316\u0301" * (MOST_MARKS // 2)
    assert parse(SourceText(f"A[e{pile}]"))[1] == ()
    module, findings = parse(SourceText(f"A[e{pile}\u0301]\nB[I]"))
    assert [finding.message for finding in findings] == [
        "a name has more than 30 marks on one letter; that is the limit"
    ]
    assert len(module.statements) == 1


def test_two_ways_to_write_a_letter_are_one_name_in_every_place() -> None:
    written = parse(SourceText("A[I, e\u0301] ·_e\u0301 B[\u00e9] -> C[I]"))[0].statements[0]
    composed = parse(SourceText("A[I, \u00e9] ·_\u00e9 B[\u00e9] -> C[I]"))[0].statements[0]
    assert statement_text(written) == statement_text(composed)
