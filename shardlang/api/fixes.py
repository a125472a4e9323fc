"""Only fixes that work are shown: they are applied, the stages run again, and the findings must be gone."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shardlang.diagnostics import CODES, Diagnostic, Edit, Fix
from shardlang.limits import ENDLESS, LONGEST_FIXED_TEXT, MOST_READ_AGAIN, Clock
from shardlang.reports.corrections import apply_fix, corrected_line
from shardlang.source import SourceText

MOST_FIXES = 18  # of one finding

Rerun = Callable[[str], Sequence[Diagnostic]]


class _Candidate(NamedTuple):
    """A fix of the finding with number `at`."""

    at: int
    fix: Fix


def keep_working_fixes(
    source: SourceText,
    findings: tuple[Diagnostic, ...],
    before: Sequence[Diagnostic],
    rerun: Rerun,
    clock: Clock = ENDLESS,
) -> tuple[Diagnostic, ...]:
    """Return the findings with those fixes only that make their finding go away and raise no new error.

    before: all findings of the text. The hint of a finding with such a fix is the lines as they read with the first
    one made, ready to paste. Fixes of different findings are tried together, and apart where together they do not work. Of a
    text that is too long, or when the work or the time of the call is used up, no fix is kept, and the hint is what it was.
    """
    working: list[list[Fix]] = [[] for _ in findings]
    work = len(source.text) if len(source.text) <= LONGEST_FIXED_TEXT else MOST_READ_AGAIN
    for rank in range(MOST_FIXES):
        batch = [_Candidate(at, f.fixes[rank]) for at, f in enumerate(findings) if rank < len(f.fixes)]
        waiting = [batch] if batch else []
        while waiting and work < MOST_READ_AGAIN and not clock.over():
            group = waiting.pop()
            changed = _apply(source.text, group)
            if changed is not None:
                work += len(changed)
                after = judged([candidate.fix for candidate in group], rerun(changed))
                if _mends([findings[candidate.at] for candidate in group], before, after):
                    for candidate in group:
                        working[candidate.at].append(candidate.fix)
                    continue
            if len(group) > 1:
                half = len(group) // 2
                waiting += [group[half:], group[:half]]
    return tuple(_with_fixes(source, f, tuple(fixes)) for f, fixes in zip(findings, working, strict=True))


def _apply(text: str, group: list[_Candidate]) -> str | None:
    """Return the text with all fixes of the group made, None where they overlap or change nothing."""
    edits: tuple[Edit, ...] = tuple(edit for candidate in group for edit in candidate.fix.edits)
    changed = apply_fix(text, Fix("", edits))
    return None if changed == text else changed


def judged(fixes: list[Fix], after: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return those findings of a text with fixes made that speak against them.

    After a refused statement its result is unknown, and uses of it say nothing; mended, they show what is wrong with
    them. That is not held against one safe fix. A text that can no longer be read is.
    """
    if len(fixes) > 1 or not fixes[0].safe:
        return tuple(after)
    edits = fixes[0].edits
    end = max(edit.span.end for edit in edits) + sum(len(e.text) - (e.span.end - e.span.start) for e in edits)
    return tuple(
        finding
        for finding in after
        if finding.span.start < end or finding.severity != "error" or finding.code.startswith("SL1")
    )


def _mends(mended: list[Diagnostic], before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> bool:
    """Say whether these findings are gone and no kind of error has become more frequent."""
    had, left = Counter(f.code for f in before), Counter(f.code for f in after)
    gone = Counter(f.code for f in mended)
    if any(left[code] > had[code] - count for code, count in gone.items()):
        return False
    return all(count <= had[code] for code, count in left.items() if CODES[code].severity == "error")


def _with_fixes(source: SourceText, finding: Diagnostic, fixes: tuple[Fix, ...]) -> Diagnostic:
    if not fixes:
        return finding._replace(fixes=())
    return finding._replace(fixes=fixes, hint=corrected_line(source, fixes[0]) or fixes[0].title)
