"""Only fixes that work are shown: each is applied, the stages run again, and the finding must be gone."""

from collections.abc import Callable

from shardlang.diagnostics import Diagnostic, Fix
from shardlang.reports.corrections import apply_fix, corrected_line
from shardlang.source import SourceText

MOST_FINDINGS = 50
LONGEST_TEXT = 200_000
# Checking a text again costs its length: this many characters in all are read again, then fixes go unshown.
_MOST_WORK = 2_000_000

Rerun = Callable[[str], tuple[Diagnostic, ...]]


def keep_working_fixes(source: SourceText, findings: tuple[Diagnostic, ...], rerun: Rerun) -> tuple[Diagnostic, ...]:
    """Return the findings with those fixes only that make their finding go away and raise no new error.

    The hint of a finding with such a fix is the whole corrected line, ready to paste. Bounded: of a long
    text, or beyond the first findings, no fix is kept, and the hint is what it was.
    """
    work = len(source.text)
    kept: list[Diagnostic] = []
    for index, finding in enumerate(findings):
        working: list[Fix] = []
        for fix in finding.fixes:
            if index >= MOST_FINDINGS or len(source.text) > LONGEST_TEXT or work > _MOST_WORK:
                break
            changed = apply_fix(source.text, fix)
            if changed is None or changed == source.text:
                continue
            work += len(changed)
            if _mends(finding, findings, rerun(changed)):
                working.append(fix)
        kept.append(_with_fixes(source, finding, tuple(working)))
    return tuple(kept)


def _mends(finding: Diagnostic, before: tuple[Diagnostic, ...], after: tuple[Diagnostic, ...]) -> bool:
    """Say whether the finding is gone and no kind of error has become more frequent."""
    counts = _counts(before)
    left = _counts(after)
    if left.get(finding.code, 0) >= counts[finding.code]:
        return False
    return all(count <= counts.get(code, 0) for code, count in left.items() if _is_error(code, after))


def _counts(findings: tuple[Diagnostic, ...]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for finding in findings:
        counts[finding.code] = counts.get(finding.code, 0) + 1
    return counts


def _is_error(code: str, findings: tuple[Diagnostic, ...]) -> bool:
    return any(finding.code == code and finding.severity == "error" for finding in findings)


def _with_fixes(source: SourceText, finding: Diagnostic, fixes: tuple[Fix, ...]) -> Diagnostic:
    if not fixes:
        return finding._replace(fixes=())
    lines = list(dict.fromkeys(corrected_line(source, fix) for fix in fixes))
    return finding._replace(fixes=fixes, hint="\n".join(lines))
