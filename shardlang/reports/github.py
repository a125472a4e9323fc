"""Findings as workflow commands, which GitHub Actions shows at their places in the files of a change."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from shardlang.diagnostics import Diagnostic
from shardlang.reports.cells import safe
from shardlang.reports.objects import CheckReport, finding_report
from shardlang.source import SourceText

_LEVEL = {"error": "error", "warning": "warning", "info": "notice"}


def github_text(reports: Sequence[CheckReport]) -> str:
    """Return one workflow command a finding, of all reports."""
    return "\n".join(line for report in reports if (line := github_findings(report.source, report.findings)))


def github_findings(source: SourceText, findings: Iterable[Diagnostic]) -> str:
    """Return one workflow command a finding.

    Source: GitHub Docs, "Workflow commands for GitHub Actions", setting an error message.
    """
    return "\n".join(_command(source, finding) for finding in findings)


def _command(source: SourceText, finding: Diagnostic) -> str:
    found = finding_report(source, finding)
    place = found.span
    properties = [("file", source.name), ("line", str(place.line))]
    if place.end_line == place.line:  # columns are for places on one line
        properties += [("col", str(place.column)), ("endColumn", str(place.end_column))]
    else:
        properties.append(("endLine", str(place.end_line)))
    properties.append(("title", f"shardlang {found.code}"))
    listed = ",".join(f"{name}={_escape(value, ':,')}" for name, value in properties)
    # The log of a run shows the message alone, and there are more findings in it than annotations.
    message = f"{source.name}:{place.line}:{place.column}: {found.code} {found.message}"
    message += f"\nhelp: {found.hint}" if found.hint else ""
    return f"::{_LEVEL[found.severity]} {listed}::{_escape(safe(message))}"


def _escape(text: str, more: str = "") -> str:
    """Return `text` as workflow commands want it: `%`, line ends and `more` as percent codes.

    So is what a log must not get as it is, such as ESC and U+202E in the name of a file.
    """
    special = "%\r\n" + more
    return "".join(
        f"%{ord(char):02X}"
        if char in special
        else quote(char.encode("utf-8", "surrogatepass"))
        if safe(char).startswith("<U+")
        else char
        for char in text
    )
