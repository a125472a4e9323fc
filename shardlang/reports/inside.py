"""Which statement each finding is in, and what tells a finding from others wherever its statement moves to."""

from bisect import bisect_right
from collections import Counter

from shardlang.reports.objects import CheckReport


def statements_of(report: CheckReport) -> list[int | None]:
    """Return for each finding of a report which of `report.in_order()` it is in, None for one that is in no statement."""
    statements = report.in_order()
    starts = [statement.span.start for statement in statements]
    found: list[int | None] = []
    for finding in report.findings:
        at = bisect_right(starts, finding.span.start) - 1
        within = at >= 0 and finding.span.start < statements[at].span.end
        found.append(at if within else None)
    return found


def fingerprints(report: CheckReport) -> list[str]:
    """Return a fingerprint of each finding of a report: the same as long as its code and its statement are the same.

    It depends on no line number, no blanks and no file name. Findings that are alike in this are numbered in the order of the
    text; where there is no statement the line counts.
    """
    from hashlib import sha256

    source, statements, alike, found = report.source, report.in_order(), Counter[str](), []
    for finding, at in zip(report.findings, statements_of(report), strict=True):
        line = source.line(source.position(finding.span.start).line)
        text = line if at is None else source.slice(statements[at].span)
        said = f"{finding.code} {''.join(text.split())}"
        alike[said] += 1
        digest = sha256(f"{said} {alike[said]}".encode("utf-8", "backslashreplace"))
        found.append(digest.hexdigest()[:32])
    return found
