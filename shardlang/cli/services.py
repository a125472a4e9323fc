"""Reports in the forms that other programs read: code hosts, CI systems, dashboards."""

import os
from collections.abc import Sequence

from shardlang import __version__
from shardlang.api.placing import Surroundings, placed
from shardlang.reports.findings import folded
from shardlang.reports.objects import CheckReport
from shardlang.source import SourceText
from shardlang.syntax import document_kind

SERVICES = ("sarif", "github", "junit")


def service_text(reports: Sequence[CheckReport], form: str, verbose: bool = False) -> str:
    """Return all reports as one text in a form of `SERVICES`.

    verbose: infos that repeat one another are not counted in one, where each finding is an entry of its own.
    """
    if form != "junit":
        reports = [_from_root(report if verbose else _with_folded(report)) for report in reports]
    if form == "github":
        from shardlang.reports.github import github_text

        return github_text(reports)
    if form == "junit":
        from shardlang.reports.junit import junit_text

        return junit_text(reports)
    from shardlang.reports.sarif import sarif_text

    return sarif_text([_with_placed_fixes(report) for report in reports], __version__)


def _with_folded(report: CheckReport) -> CheckReport:
    return report._replace(findings=folded(report.source, report.findings))


def _from_root(report: CheckReport) -> CheckReport:
    """Return a report whose file is named from the root of the repository, where GitHub looks, in a workflow of it."""
    root, name = os.environ.get("GITHUB_WORKSPACE"), report.source.name
    if not root or name.startswith("<"):
        return report
    path = os.path.abspath(name)
    for base in (os.path.abspath(root), os.path.realpath(root)):
        if path.startswith(os.path.join(base, "")):
            return report._replace(source=SourceText(report.source.text, os.path.relpath(path, base)))
    return report


def _with_placed_fixes(report: CheckReport) -> CheckReport:
    """Return a report with those fixes that can be written where they stand, as they are written there."""
    around = Surroundings(report.source.text, document_kind(report.source.name))
    findings = []
    for finding in report.findings:
        there = (placed(around, fix) for fix in finding.fixes)
        findings.append(finding._replace(fixes=tuple(fix for fix in there if fix is not None)))
    return report._replace(findings=tuple(findings))
