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
    drawn, folded = _fold(tuple(findings)) if fold else (tuple(findings), {})
    parts = [render_finding(source, finding, paint=paint, width=width) for finding in drawn]
    if folded:
        parts.append("\n".join(_folded_line(source, code, found, paint) for code, found in folded.items()))
    return "\n\n".join(parts)


def _fold(findings: tuple[Diagnostic, ...]) -> tuple[tuple[Diagnostic, ...], dict[str, list[Diagnostic]]]:
    """Return the findings to draw, and by code the infos to count: all skipped formulas, of other codes all but the first."""
    infos: dict[str, list[Diagnostic]] = {}
    for finding in findings:
        if finding.severity == "info":
            infos.setdefault(finding.code, []).append(finding)
    folded: dict[str, list[Diagnostic]] = {}
    for code, found in infos.items():
        if code == _SKIPPED and len(found) > 1:
            folded[code] = found
        elif len(found) > _MOST_DRAWN:
            folded[code] = found[1:]
    counted = {finding for found in folded.values() for finding in found}
    return tuple(finding for finding in findings if finding not in counted), folded


def _folded_line(source: SourceText, code: str, found: list[Diagnostic], paint: Paint) -> str:
    lines = list(dict.fromkeys(source.position(finding.span.start).line for finding in found))
    listed = ", ".join(map(str, lines[:_MOST_LINES])) + (", …" if len(lines) > _MOST_LINES else "")
    skipped = "formulas that are no statements were skipped"
    what = skipped if code == _SKIPPED else f"more of the same: {CODES[code].title}"
    where = f"line{'s' if len(lines) > 1 else ''} {listed}"
    return paint(f"info[{code}]", "info") + paint(f": {len(found)} {what} ({where}; --verbose draws them)", "strong")
