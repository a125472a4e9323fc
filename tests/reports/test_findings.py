"""Findings for GitHub Actions, and counts."""

import pytest

from shardlang.diagnostics import Diagnostic
from shardlang.reports.findings import github_findings
from shardlang.reports.summary import count_text
from shardlang.reports.units import plain_number, quantity
from shardlang.source import SourceText, Span


def test_github_commands():
    source = SourceText("A[I_Z]\nB[\nJ]", "a,b:c.shard")
    findings = [
        Diagnostic("SL203", "no axis Z: 100%\nof them", Span(4, 5), hint="A[I_X]"),
        Diagnostic("SL313", "sliced", Span(7, 12)),
        Diagnostic("SL106", "skipped", Span(0, 1)),
    ]
    assert github_findings(source, findings).splitlines() == [
        "::error file=a%2Cb%3Ac.shard,line=1,col=5,endColumn=6,title=shardlang SL203::no axis Z: 100%25%0Aof them%0Ahelp: A[I_X]",
        "::warning file=a%2Cb%3Ac.shard,line=2,col=1,endLine=3,title=shardlang SL313::sliced",
        "::notice file=a%2Cb%3Ac.shard,line=1,col=1,endColumn=2,title=shardlang SL106::skipped",
    ]


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
