"""Findings for a terminal, and counts."""

import pytest

import shardlang
from shardlang.diagnostics import Diagnostic
from shardlang.reports.findings import text_findings
from shardlang.reports.summary import check_summary, count_text
from shardlang.reports.units import plain_number, quantity
from shardlang.source import SourceText, Span


def test_counts():
    one = Diagnostic("SL203", "", Span(0, 0))
    assert count_text([]) == ""
    assert count_text([one, one, one._replace(code="SL106")]) == "2 errors, 1 note"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (3.728e-4, "s", "372.8 µs"),
        (1.0, "s", "1 s"),
        (2e-12, "s", "2 ps"),
        (33554432.0, "bytes", "33.55 MB"),
        (999.99e3, "bytes", "1 MB"),
        (4.59e14, "FLOPs/s", "459 TFLOP/s"),
        (12.0, "bytes", "12 B"),
        (0.0, "s", "0 s"),
        (2550.0, "", "2550"),
        (4 / 3, "", "1.333"),
        (65536.4, "", "65536"),
        (4.59e14, "", "4.59e+14"),
    ],
)
def test_quantities(value, unit, text):
    assert quantity(value, unit) == text


def test_plain_numbers_of_any_size():
    assert plain_number(1e300) == "1e+300"
    assert plain_number(float("inf")) == "inf"


def _infos(code, count):
    source = SourceText("A[I]\n" * count, "a.md")
    return source, [Diagnostic(code, f"note {at}", Span(5 * at, 5 * at + 1)) for at in range(count)]


def test_skipped_formulas_are_counted_in_one_line():
    source, found = _infos("SL106", 12)
    error = Diagnostic("SL203", "no axis Z", Span(0, 1))
    shown = text_findings(source, [error, *found], fold=True)
    assert shown.startswith("error[SL203]: no axis Z")
    assert shown.splitlines()[-1] == (
        "info[SL106]: 12 formulas that are no statements were skipped "
        "(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …; --verbose draws them)"
    )
    assert shown.count("SL106") == 1
    assert text_findings(source, found).count("SL106") == 12
    assert "note 0" in text_findings(source, found[:1], fold=True)


def test_of_many_alike_infos_one_is_drawn():
    source, found = _infos("SL222", 6)
    shown = text_findings(source, found, fold=True)
    assert "note 0" in shown
    assert "note 1" not in shown
    assert "info[SL222]: 5 more of the same" in shown
    assert "(lines 2, 3, 4, 5, 6; --verbose draws them)" in shown
    assert text_findings(source, found[:5], fold=True) == text_findings(source, found[:5])


def test_warnings_are_never_counted():
    source, found = _infos("SL215", 30)
    assert text_findings(source, found, fold=True) == text_findings(source, found)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A[I_X, J]", "t: ok: 1 statement; no communication"),
        ("", "t: ok: 0 statements"),
        ("A[I_X, J_X]", "t: failed: 1 error; 1 statement, 1 refused"),
        ("A[I_X, J_X]\nB[I]", "t: failed: 1 error; 2 statements, 1 refused"),
        ("A[I", "t: failed: 1 error"),
    ],
)
def test_the_summary_says_nothing_that_is_not_known(text, line):
    assert check_summary(shardlang.check(text, name="t")) == line
