"""Only fixes that work are shown: they are applied, the stages run again, and the findings must be gone."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shardlang.diagnostics import CODES, Diagnostic, Edit, Fix
from shardlang.limits import ENDLESS, LONGEST_FIXED_TEXT, MOST_READ_AGAIN, Clock
from shardlang.reports.corrections import apply_fix, corrected
from shardlang.source import SourceText, Span

MOST_FIXES = 18  # of one finding
_BETWEEN = "; \t\r"  # statements on a line

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
    statements: Sequence[Span] = (),
) -> tuple[Diagnostic, ...]:
    """Return the findings with those fixes only that make their finding go away and raise no new error.

    before: all findings of the text. statements: where they stand, in order. The hint of a finding with such a fix is what
    the first one touches, as it then reads, ready to paste. Fixes of different findings are tried together, and apart where together they do not work. Of a
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
    placed = ([fix._replace(around=_around(source.text, fix, statements)) for fix in fixes] for fixes in working)
    return tuple(_with_fixes(source, f, tuple(fixes)) for f, fixes in zip(findings, placed, strict=True))


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
    first = corrected(source, fixes[0])
    return finding._replace(fixes=fixes, hint=(first.text if first.whole else "") or fixes[0].title)


def _around(text: str, fix: Fix, statements: Sequence[Span]) -> Span:
    """Return the place of the edits of a fix and of the statements that they touch; these are in order.

    Where they touch none that could be read, it is what stands between those before and after.
    """
    start, end = min(edit.span.start for edit in fix.edits), max(edit.span.end for edit in fix.edits)
    first = bisect_left(statements, start, key=lambda span: span.end)
    last = bisect_right(statements, end, key=lambda span: span.start) - 1
    if first <= last:
        return Span(min(start, statements[first].start), max(end, statements[last].end))
    before = max(text.rfind("\n", 0, start) + 1, statements[first - 1].end if first else 0)
    line = text.find("\n", end)
    after = min(line if line >= 0 else len(text), statements[first].start if first < len(statements) else len(text))
    while before < start and text[before] in _BETWEEN:
        before += 1
    while after > end and text[after - 1] in _BETWEEN:
        after -= 1
    return Span(before, after)
