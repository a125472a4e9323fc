"""How a report shows itself: as one line at a prompt, as its text where it is printed.

IPython asks `_repr_pretty_` first, which each report has: who runs a cell wants to read the text.
"""

from collections.abc import Iterable

from shardlang.diagnostics import Diagnostic
from shardlang.source import SourceText

_MOST_NAMED = 3


def printed(texts: Iterable[tuple[SourceText, tuple[Diagnostic, ...]]], *parts: str) -> str:
    """Return the findings drawn into each text, then the parts of a report that there are, an empty line between."""
    from shardlang.reports.findings import text_findings  # a report that nobody prints pays nothing for it

    drawn = (text_findings(source, findings, fold=True) for source, findings in texts)
    return "\n\n".join(part.rstrip("\n") for part in (*drawn, *parts) if part)


def in_short(report: object, source: SourceText, findings: tuple[Diagnostic, ...], *facts: str) -> str:
    """Return a report as one line: of which text, whether it is well, what was found, and the facts."""
    from shardlang.reports.cells import safe
    from shardlang.reports.summary import count_text

    name = "" if source.name.startswith("<") else f" of {source.name}"
    wrong = list(dict.fromkeys(finding.code for finding in findings if finding.severity == "error"))
    named = [*wrong[:_MOST_NAMED], "…"] if len(wrong) > _MOST_NAMED else wrong
    codes = f" ({', '.join(named)})" if wrong else ""
    found = count_text(findings) + codes
    verdict = "failed" if wrong else "ok"
    said = "; ".join(part for part in (verdict, found, *facts) if part)
    return safe(f"<{type(report).__name__}{name}: {said}>").replace("\n", " ")


def count(number: int, what: str) -> str:
    """Return a number of things in words, as `1 statement`, `2 statements`."""
    return f"{number} {what}{'' if number == 1 else 's'}"
