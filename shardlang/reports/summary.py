"""The last lines of `check`: what was looked at, and the steps where they are asked for."""

from collections import Counter

from shardlang.reports.cells import pad, safe, width
from shardlang.reports.colour import Paint, plain
from shardlang.reports.findings import count_text
from shardlang.reports.objects import CheckReport, ParseReport, StepReport
from shardlang.reports.units import quantity

_COLLECTIVES = ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "CollectivePermute")


def check_summary(report: CheckReport, paint: Paint = plain) -> str:
    """Return one line: the verdict, the findings, and the collectives of the text."""
    counts = count_text(report.findings)
    checked = len(report.statements)
    statements = f"{checked} statement{'s' if checked != 1 else ''}"
    verdict = paint("ok", "help") if report.ok else paint("failed", "error")
    kinds = Counter(step.kind for statement in report.statements for step in statement.steps)
    used = ", ".join(f"{kinds[kind]} {kind}" for kind in _COLLECTIVES if kinds[kind]) or "no communication"
    parts = [statements] + ([used] if checked else []) + ([counts] if counts else [])
    return f"{safe(report.source.name)}: {verdict}: " + "; ".join(parts)


def step_listing(report: CheckReport, paint: Paint = plain) -> str:
    """Return the steps of every statement, one a line, with the bytes received where sizes are known."""
    out: list[str] = []
    for statement in report.statements:
        out.append(paint(f"line {statement.line}: {safe(statement.output or 'refused')}", "strong"))
        column = max((width(safe(step.text)) for step in statement.steps), default=0)
        out += [_step_line(step, column) for step in statement.steps]
    return "\n".join(out)


def _step_line(step: StepReport, column: int) -> str:
    text = safe(step.text)
    if not step.bytes_received:
        return f"  {text}"
    return f"  {pad(text, column)}  receives {quantity(step.bytes_received, 'bytes')}"


def parse_listing(report: ParseReport, paint: Paint = plain) -> str:
    """Return every statement with its line and kind, aligned."""
    rows = [(str(s.line), s.kind, safe(s.canonical)) for s in report.statements]
    number = max((len(line) for line, _, _ in rows), default=0)
    kind = max((len(name) for _, name, _ in rows), default=0)
    return "\n".join(f"{paint(f'{line:>{number}}', 'gutter')}  {name:<{kind}}  {text}" for line, name, text in rows)
