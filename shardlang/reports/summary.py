"""The last lines of `check`: what was looked at, and the steps where they are asked for."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from shardlang.diagnostics import Diagnostic
from shardlang.reports.cells import pad, safe, safe_name, width
from shardlang.reports.colour import Paint, plain
from shardlang.reports.units import quantity
from shardlang.rules.plan import COLLECTIVES
from shardlang.source import SourceText


class CheckedStep(Protocol):
    """What is shown of a step."""

    @property
    def kind(self) -> str:
        """Its kind."""

    @property
    def text(self) -> str:
        """The step as canonical text."""

    @property
    def bytes_received(self) -> float | None:
        """What one device receives."""


class CheckedStatement(Protocol):
    """What is shown of a statement."""

    @property
    def line(self) -> int:
        """Its line."""

    @property
    def output(self) -> str | None:
        """What it makes, None where it was refused."""

    @property
    def steps(self) -> Sequence[CheckedStep]:
        """Its steps."""


class Checked(Protocol):
    """What is shown of `shardlang.reports.objects.CheckReport`."""

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""

    @property
    def source(self) -> SourceText:
        """The text."""

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What is wrong with it."""

    @property
    def statements(self) -> Sequence[CheckedStatement]:
        """The operations."""

    def in_order(self) -> Sequence[CheckedStatement]:
        """Return operations and arrays that stand alone."""


def check_summary(report: Checked, paint: Paint = plain) -> str:
    """Return one line: the verdict, the findings, and the collectives of the text."""
    counts = count_text(report.findings)
    everything = report.in_order()
    checked = len(everything)
    refused = sum(statement.output is None for statement in everything)
    statements = f"{checked} statement{'s' if checked != 1 else ''}" + (f", {refused} refused" if refused else "")
    verdict = paint("ok", "help") if report.ok else paint("failed", "error")
    kinds = Counter(step.kind for statement in report.statements for step in statement.steps)
    used = ", ".join(f"{kinds[kind]} {kind}" for kind in COLLECTIVES if kinds[kind])
    if not used and checked and not refused:  # what a refused statement takes is not known
        used = "no communication"
    parts = [part for part in (counts, statements if checked or not counts else "", used) if part]
    return f"{safe_name(report.source.name)}: {verdict}: " + "; ".join(parts)


def step_listing(report: Checked, paint: Paint = plain) -> str:
    """Return the steps of every statement, one a line, with the bytes received where sizes are known."""
    out: list[str] = []
    for statement in report.in_order():
        out.append(paint(f"line {statement.line}: {safe(statement.output or 'refused')}", "strong"))
        column = max((width(safe(step.text)) for step in statement.steps), default=0)
        out += [_step_line(step, column) for step in statement.steps]
    return "\n".join(out)


def _step_line(step: CheckedStep, column: int) -> str:
    text = safe(step.text)
    if not step.bytes_received:
        return f"  {text}"
    return f"  {pad(text, column)}  receives {quantity(step.bytes_received, 'bytes')}"


def count_text(findings: Iterable[Diagnostic]) -> str:
    """Return the counts of errors, warnings and notes as `2 errors, 1 warning`; empty where there is none."""
    counts = {"error": 0, "warning": 0, "info": 0}
    for finding in findings:
        counts[finding.severity] += 1
    named = (("error", counts["error"]), ("warning", counts["warning"]), ("note", counts["info"]))
    return ", ".join(f"{count} {name}{'s' if count != 1 else ''}" for name, count in named if count)
