"""What commands print, without click."""

import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shardlang.cli.inputs import WrongUsageError
from shardlang.reports.colour import Paint, painter, wants_colour
from shardlang.reports.objects import CheckReport

if TYPE_CHECKING:
    from shardlang.pictures.picture import Picture
    from shardlang.reports.costs import CostReport
    from shardlang.reports.fixed import FixedReport
    from shardlang.reports.memory import MemoryReport
    from shardlang.reports.parsed import ParseReport
    from shardlang.reports.sent import SendReport
    from shardlang.reports.verification import VerifyReport

_NARROWEST = 40  # columns; below that a formula beside its number has no room


def paint_for(color: str) -> Paint:
    """Return the painter for standard output."""
    return painter(wants_colour(color, sys.stdout.isatty(), dict(os.environ)))


def terminal_width() -> int:
    """Return the columns that COLUMNS says, else those of the terminal, 100 where output goes elsewhere."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and 0 < len(asked) < 6 and int(asked):
        return max(_NARROWEST, int(asked))
    if not sys.stdout.isatty():
        return 100
    try:
        return max(_NARROWEST, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):
        return 100


def write(text: str, aside: bool = False) -> None:
    """Print `text` and a line end, nothing for no text; `aside`: to standard error."""
    if text:
        stream = sys.stderr if aside else sys.stdout
        stream.write(text.rstrip("\n") + "\n")
        stream.flush()


def shown_text(text: str) -> str:
    """Return how a text of the user's is printed: as it is, but a terminal is not reordered or commanded by its comments."""
    if not sys.stdout.isatty():
        return text
    from shardlang.reports.cells import safe  # what goes on to a file or a program pays nothing for it

    parts = re.split("(\r\n|\t)", text)
    return "".join(part if part in ("\r\n", "\t") else safe(part) for part in parts)


def write_json(data: dict[str, Any], path: str | None = None) -> None:
    """Print `data` as JSON, or write it to a file."""
    import json

    # A lone surrogate cannot be written as UTF-8; as an escape it can.
    write_to(path, json.dumps(data, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace").decode())


def write_to(path: str | None, text: str) -> None:
    """Write `text` and a line end to a file, or print it where there is none. Raises WrongUsageError."""
    if path is None:
        write(text)
        return
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text.rstrip("\n") + "\n" if text else "")
    except (OSError, ValueError) as problem:
        raise WrongUsageError(f"Cannot write {path}: {getattr(problem, 'strerror', None) or problem}.") from None


def show_findings(
    report: "CheckReport | ParseReport | CostReport | MemoryReport | SendReport | VerifyReport | Picture",
    form: str,
    color: str,
    verbose: bool = False,
) -> None:
    """Print the findings before a report; to standard error where the report is not for a reader's eyes.

    verbose: draw the infos that repeat one another too.
    """
    if not report.findings:
        return
    from shardlang.reports.findings import text_findings  # a clean text pays nothing for drawing findings

    aside = form != "text"
    paint = painter(wants_colour(color, (sys.stderr if aside else sys.stdout).isatty(), dict(os.environ)))
    shown = text_findings(report.source, report.findings, paint=paint, width=terminal_width(), fold=not verbose)
    write(shown + "\n", aside)
    write("\n", aside)


def together(reports: "Sequence[CheckReport] | Sequence[ParseReport] | Sequence[FixedReport]") -> dict[str, Any]:
    """Return one JSON object of all texts, in which each entry of a list says which text it belongs to."""
    merged: dict[str, Any] = {"schema": 1, "ok": all(r.ok for r in reports), "diagnostics": [], "statements": []}
    for report in reports:
        data = report.to_dict()
        for key in (name for name, value in data.items() if isinstance(value, list)):
            merged.setdefault(key, [])
            merged[key] += [{**entry, "file": report.source.name} for entry in data[key]]
    return merged
