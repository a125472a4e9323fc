"""Changes that an editor offers: the verified fixes of findings, all safe ones at once, ignoring a finding, the canonical form."""

from collections.abc import Iterator
from typing import NamedTuple

from shardlang.api.ignores import written_comment
from shardlang.api.placing import Surroundings, placed
from shardlang.api.rewriting import canonical_edits, changed_lines
from shardlang.api.running import mend_text
from shardlang.api.selection import begins_code
from shardlang.diagnostics import Diagnostic, Edit, Fix
from shardlang.reports.corrections import apply_fix, full_title
from shardlang.source import Span
from shardlang.syntax import ast
from shardlang.tools.editor.analysis import Analysis


class Action(NamedTuple):
    """A change with the finding that it mends. best: the first safe fix of it."""

    title: str
    edits: tuple[Edit, ...]
    finding: Diagnostic
    best: bool = False


def fixes(analysis: Analysis, span: Span) -> Iterator[Action]:
    """Yield the fixes of the findings at a place; each was made and checked, and the text is better for it."""
    if not any(finding.fixes and touches(finding.span, span) for finding in analysis.findings):
        return
    around = Surroundings(analysis.source.text, analysis.document)
    for finding in analysis.verified:
        if not touches(finding.span, span):
            continue
        best = True
        for one in finding.fixes:
            there = placed(around, one)
            if there is not None:
                yield Action(full_title(one), there.edits, finding, best and one.safe)
                best = best and not one.safe


def touches(one: Span, other: Span) -> bool:
    """Say whether two places share a character or an end."""
    return one.start <= other.end and other.start <= one.end


def ignores(analysis: Analysis, span: Span) -> Iterator[Action]:
    """Yield a comment that silences each finding at a place, where comments may stand."""
    areas = [area for area in analysis.regions if area.kind == "block"]
    for finding in analysis.findings:
        at = finding.span.start
        if touches(finding.span, span) and any(area.start <= at <= area.end for area in areas):
            yield Action(f"Ignore {finding.code} on this line", (_ignored(analysis, at, finding.code),), finding)


def _ignored(analysis: Analysis, at: int, code: str) -> Edit:
    text = analysis.source.text
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    end -= text[end - 1 : end] == "\r"
    start = text.rfind("\n", 0, at) + 1
    present = _comment_between(analysis.planned.front.module, start, end)
    if present is not None and (present.codes or present.wrong is not None):  # else it ignores all that it can
        kept = filter(begins_code, present.codes)
        return Edit(present.span, written_comment(present, tuple(dict.fromkeys((*kept, code)))))
    return Edit(Span(end, end), f"  # shardlang: ignore[{code}]")


def _comment_between(module: ast.Module, start: int, end: int) -> ast.Ignore | None:
    """Return the first comment of a line that ignores findings of that line."""
    found = (comment for comment in module.ignores if start <= comment.span.start < end and not comment.file)
    return next(found, None)


def fix_all(analysis: Analysis) -> tuple[Edit, ...]:
    """Return the edits of `shardlang check --fix`: the best safe fix of every error and warning, run before it counts."""
    report = mend_text(analysis.source.text, analysis.request._replace(alternatives=False), unsafe=False)
    return changed_lines(analysis.source.text, report.text)


def formatting(analysis: Analysis, span: Span | None = None) -> tuple[Edit, ...]:
    """Return the edits that bring the statements to canonical form; comments stay. None where a text cannot be read whole.

    span: only lines in it, and none if the text would be formatted otherwise with those alone. Of a document the fenced
    `shard` blocks that start at the margin are formatted, each as it stands.
    """
    text = analysis.source.text
    edits = _formatting(analysis, text)
    if span is None:
        return edits
    chosen = tuple(edit for edit in edits if touches(_without_end(edit.span), _without_end(span)))
    changed = _with(text, chosen)
    return chosen if _with(changed, _formatting(analysis, changed)) == _with(text, edits) else ()


def _without_end(span: Span) -> Span:
    """Return the place of whole lines without the start of the next one, where they end."""
    return Span(span.start, max(span.start, span.end - 1))


def _with(text: str, edits: tuple[Edit, ...]) -> str:
    changed = apply_fix(text, Fix("", edits))
    assert changed is not None, "lines that differ do not overlap"
    return changed


def _formatting(analysis: Analysis, text: str) -> tuple[Edit, ...]:
    return canonical_edits(text, analysis.request._replace(document=analysis.document), analysis.planned.front)
