"""Findings for a terminal, for GitHub Actions, and in numbers."""

from collections.abc import Iterable

from shardlang.diagnostics import Diagnostic
from shardlang.reports.colour import Paint, plain
from shardlang.reports.objects import finding_report
from shardlang.reports.snippet import DEFAULT_WIDTH, render_finding
from shardlang.source import SourceText

_GITHUB_LEVEL = {"error": "error", "warning": "warning", "info": "notice"}


def text_findings(
    source: SourceText, findings: Iterable[Diagnostic], *, paint: Paint = plain, width: int = DEFAULT_WIDTH
) -> str:
    """Return all findings drawn into the source, a blank line between two."""
    return "\n\n".join(render_finding(source, finding, paint=paint, width=width) for finding in findings)


def github_findings(source: SourceText, findings: Iterable[Diagnostic]) -> str:
    """Return one workflow command a finding, which GitHub Actions shows at its place in the file."""
    return "\n".join(_github_line(source, finding) for finding in findings)


def _github_line(source: SourceText, finding: Diagnostic) -> str:
    found = finding_report(source, finding)
    place = found.span
    properties = [("file", source.name), ("line", str(place.line)), ("col", str(place.column))]
    if place.end_line == place.line:
        properties.append(("endColumn", str(place.end_column)))
    else:
        properties.append(("endLine", str(place.end_line)))
    properties.append(("title", f"shardlang {found.code}"))
    listed = ",".join(f"{name}={_escape(value, ':,')}" for name, value in properties)
    message = found.message + (f"\nhelp: {found.hint}" if found.hint else "")
    return f"::{_GITHUB_LEVEL[found.severity]} {listed}::{_escape(message)}"


def _escape(text: str, more: str = "") -> str:
    """Return `text` as workflow commands want it: `%`, line ends and `more` as percent codes."""
    return "".join(f"%{ord(char):02X}" if char in "%\r\n" + more else char for char in text)
