"""Workflow commands of GitHub Actions."""

from shardlang.diagnostics import Diagnostic
from shardlang.reports.github import github_findings
from shardlang.source import SourceText, Span


def test_github_commands():
    source = SourceText("A[I_Z]\nB[\nJ]", "a,b:c.shard")
    findings = [
        Diagnostic("SL203", "no axis Z: 100%\nof them", Span(4, 5), hint="A[I_X]"),
        Diagnostic("SL313", "sliced", Span(7, 12)),
        Diagnostic("SL106", "skipped", Span(0, 1)),
    ]
    assert github_findings(source, findings).splitlines() == [
        "::error file=a%2Cb%3Ac.shard,line=1,col=5,endColumn=6,title=shardlang SL203::a,b:c.shard:1:5: SL203 no axis Z: 100%25%0Aof them%0Ahelp: A[I_X]",
        "::warning file=a%2Cb%3Ac.shard,line=2,endLine=3,title=shardlang SL313::a,b:c.shard:2:1: SL313 sliced",
        "::notice file=a%2Cb%3Ac.shard,line=1,col=1,endColumn=2,title=shardlang SL106::a,b:c.shard:1:1: SL106 skipped",
    ]


def test_a_text_cannot_start_a_command_of_its_own():
    source = SourceText("A[I]", "a\r::stop-commands::x.shard")
    (line,) = github_findings(source, [Diagnostic("SL203", "a\r\n::set-output::b", Span(0, 1))]).split("\n")
    assert "\r" not in line
    assert line.startswith("::error file=a%0D%3A%3Astop-commands%3A%3Ax.shard,")


def test_a_name_cannot_move_the_cursor_or_the_letters_of_a_log():
    source = SourceText("A[I]", "a\x1b[2J\u202eb\u2028\ud800 é漢.shard")
    line = github_findings(source, [Diagnostic("SL203", "b", Span(0, 1))])
    assert line.startswith("::error file=a%1B[2J%E2%80%AEb%E2%80%A8%ED%A0%80 é漢.shard,line=1,")
    assert not {"\x1b", "\u202e", "\u2028", "\ud800"} & set(line)
