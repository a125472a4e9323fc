"""Findings for a terminal."""

from collections.abc import Iterable

from shardlang.diagnostics import CODES, Diagnostic
from shardlang.reports.colour import Paint, plain
from shardlang.reports.snippet import DEFAULT_WIDTH, render_finding
from shardlang.source import SourceText

_SKIPPED = "SL106"
_MOST_DRAWN = 5  # infos of one code; with more of them, one is drawn and the others are counted
_MOST_LINES = 10


def text_findings(
    source: SourceText,
    findings: Iterable[Diagnostic],
    *,
    paint: Paint = plain,
    width: int = DEFAULT_WIDTH,
    fold: bool = False,
) -> str:
    """Return all findings drawn into the source, a blank line between two.

    fold: infos that repeat one another are counted in a closing line instead, with the lines where they are.
    """
    drawn, counted = _fold(source, tuple(findings)) if fold else (tuple(findings), ())
    parts = [render_finding(source, finding, paint=paint, width=width) for finding in drawn]
    if counted:
        parts.append("\n".join(_counted_line(finding, paint) for finding in counted))
    return "\n\n".join(parts)


def folded(source: SourceText, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return findings with one, at the first place, for infos that repeat one another, as `text_findings` folds them."""
    drawn, counted = _fold(source, tuple(findings))
    return tuple(sorted((*drawn, *counted), key=lambda finding: finding.span.start)) if counted else drawn


def _fold(
    source: SourceText, findings: tuple[Diagnostic, ...]
) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Return the findings to draw, and for each code whose infos are counted one: of all skipped formulas, of other infos but the first."""
    infos: dict[str, list[Diagnostic]] = {}
    for finding in findings:
        if finding.severity == "info":
            infos.setdefault(finding.code, []).append(finding)
    counted: list[Diagnostic] = []
    hidden: set[Diagnostic] = set()
    for code, found in infos.items():
        if code == _SKIPPED and len(found) > 1:
            alike = found
        elif len(found) > _MOST_DRAWN:
            alike = found[1:]
        else:
            continue
        hidden.update(alike)
        counted.append(Diagnostic(code, _count(source, code, alike), alike[0].span))
    return tuple(finding for finding in findings if finding not in hidden), tuple(counted)


def _count(source: SourceText, code: str, found: list[Diagnostic]) -> str:
    lines = list(dict.fromkeys(source.position(finding.span.start).line for finding in found))
    listed = ", ".join(map(str, lines[:_MOST_LINES])) + (", …" if len(lines) > _MOST_LINES else "")
    skipped = "formulas that are no statements were skipped"
    what = skipped if code == _SKIPPED else f"more of the same: {CODES[code].title}"
    return f"{len(found)} {what} (line{'s' if len(lines) > 1 else ''} {listed}; --verbose draws them)"


def _counted_line(finding: Diagnostic, paint: Paint) -> str:
    return paint(f"info[{finding.code}]", "info") + paint(f": {finding.message}", "strong")
