"""Findings as JUnit XML, which CI systems show as tests: a suite a file, a case a statement."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from shardlang.diagnostics import Diagnostic
from shardlang.reports.cells import safe
from shardlang.reports.findings import text_findings
from shardlang.reports.inside import statements_of
from shardlang.reports.objects import CheckReport

_LONGEST_NAME = 200


class _Case(NamedTuple):
    """One test: a statement with what was found in it, or a finding that is in no statement."""

    line: int
    name: str
    findings: tuple[Diagnostic, ...]


def junit_text(reports: Sequence[CheckReport]) -> str:
    """Return all reports as one XML document.

    A statement with an error is a failed case, which shows the findings drawn into the text; warnings and notes are
    the output of a case that passed. What is in no statement is a case of its own, and a file without statements has
    one that stands for it.
    """
    suites = [_Suite(report) for report in reports]
    tests, failures = sum(len(suite.cases) for suite in suites), sum(suite.failures for suite in suites)
    head = f'<testsuites name="shardlang" tests="{tests}" failures="{failures}" errors="0">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *(s.text() for s in suites), "</testsuites>"])


class _Suite:
    """The cases of one file."""

    def __init__(self, report: CheckReport) -> None:
        self._report = report
        self.cases = tuple(_with_own_names(_cases(report)))
        self.failures = sum(map(_failed, self.cases))

    def text(self) -> str:
        name = _attribute(self._report.source.name)
        counts = f'tests="{len(self.cases)}" failures="{self.failures}" errors="0" skipped="0"'
        return "\n".join([f"<testsuite name={name} {counts}>", *map(self._case, self.cases), "</testsuite>"])

    def _case(self, case: _Case) -> str:
        file = _attribute(self._report.source.name)
        head = f'<testcase classname={file} name={_attribute(case.name)} file={file} line="{case.line}" time="0"'
        if not case.findings:
            return f"{head}/>"
        drawn = escape(_allowed(text_findings(self._report.source, case.findings)))
        if not _failed(case):
            return f"{head}>\n<system-out>{drawn}</system-out>\n</testcase>"
        first = next(finding for finding in case.findings if finding.severity == "error")
        message = _attribute(_short(f"{first.code}: {first.message}"))
        return f'{head}>\n<failure type="{first.code}" message={message}>{drawn}</failure>\n</testcase>'


def _cases(report: CheckReport) -> Iterator[_Case]:
    """Yield the statements in order, then what is found in none of them."""
    source, statements = report.source, report.in_order()
    inside: list[list[Diagnostic]] = [[] for _ in statements]
    outside: list[Diagnostic] = []
    for finding, at in zip(report.findings, statements_of(report), strict=True):
        (outside if at is None else inside[at]).append(finding)
    for statement, findings in zip(statements, inside, strict=True):
        yield _Case(statement.line, " ".join(source.slice(statement.span).split()), tuple(findings))
    for finding in outside:
        line = source.position(finding.span.start).line
        yield _Case(line, f"{finding.code}: {' '.join(source.line(line).split())}".rstrip(": "), (finding,))
    if not statements and not outside:
        yield _Case(1, "no statements", ())


def _with_own_names(cases: Iterable[_Case]) -> Iterator[_Case]:
    """Yield cases with names that stay when lines move, as dashboards know a test by its name; of those alike later ones are numbered."""
    had: Counter[str] = Counter()
    for case in cases:
        name = _short(case.name)
        had[name] += 1
        yield case._replace(name=f"{name} ({had[name]})" if had[name] > 1 else name)


def _failed(case: _Case) -> bool:
    return any(finding.severity == "error" for finding in case.findings)


def _attribute(text: str) -> str:
    return quoteattr(_allowed(text))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME] + "…"


def _allowed(text: str) -> str:
    """Return `text` without what XML cannot hold (XML 1.0, 2.2): unsafe characters and the two that are none."""
    return safe(text).translate({0xFFFE: "\ufffd", 0xFFFF: "\ufffd"})
