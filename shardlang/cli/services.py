"""Reports in the forms that other programs read: code hosts, CI systems, dashboards."""

from collections.abc import Sequence

from shardlang import __version__
from shardlang.api.placing import placed
from shardlang.reports.objects import CheckReport
from shardlang.syntax import document_kind

SERVICES = ("sarif", "github", "junit")


def service_text(reports: Sequence[CheckReport], form: str) -> str:
    """Return all reports as one text in a form of `SERVICES`."""
    if form == "github":
        from shardlang.reports.github import github_text

        return github_text(reports)
    if form == "junit":
        from shardlang.reports.junit import junit_text

        return junit_text(reports)
    from shardlang.reports.sarif import sarif_text

    return sarif_text([_with_placed_fixes(report) for report in reports], __version__)


def _with_placed_fixes(report: CheckReport) -> CheckReport:
    """Return a report with those fixes that can be written where they stand, as they are written there."""
    text, plain = report.source.text, document_kind(report.source.name) is None
    findings = []
    for finding in report.findings:
        there = (placed(text, fix, plain) for fix in finding.fixes)
        findings.append(finding._replace(fixes=tuple(fix for fix in there if fix is not None)))
    return report._replace(findings=tuple(findings))
