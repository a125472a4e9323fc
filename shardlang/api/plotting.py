"""`plot`: the keywords of a picture read, and the picture drawn."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from shardlang.api.arguments import Request
from shardlang.api.running import is_fine, late_report, price_text, run_plan
from shardlang.api.stages import Planned
from shardlang.api.values import OptionError, quoted, read_choice
from shardlang.diagnostics import Diagnostic
from shardlang.limits import OutOfTimeError
from shardlang.pictures import KINDS
from shardlang.pictures.picture import Drawing, Picture
from shardlang.pictures.problem import PictureError
from shardlang.reports.objects import finding_reports
from shardlang.source import Span

if TYPE_CHECKING:
    from shardlang.reports.costs import CostReport

_RANGE = re.compile(r"\s*([^:\s]+)\s*:\s*([^:\s]+)\s*\Z")
_SMALLEST, _LARGEST = 1e-30, 1e30
_OWN = {"sweep": ("variable", "between"), "mesh": ("array",), "split": ("split",), "roofline": ()}
NAMES = {"variable": "variable (--for)", "between": "between (--range)", "array": "array", "split": "split"}
"""The keywords of pictures, and what messages call them."""


class Subject(NamedTuple):
    """What a picture is asked to show, read: see `shardlang.plot`."""

    kind: str
    variable: str | None
    between: tuple[float, float] | None
    array: str | None
    split: str | None

    @property
    def axes(self) -> tuple[str, ...]:
        """The mesh axes that are split, as far as that is said."""
        from shardlang.api.splitting import names_of_split

        return () if self.split is None else names_of_split(self.split)[0]


def read_subject(kind: Any, given: Mapping[str, Any]) -> Subject:
    """Return the subject. Raises OptionError for a kind that there is not, or a keyword that it does not take."""
    kind = read_choice("kind", kind, KINDS)
    for name, shown in NAMES.items():
        value = given.get(name)
        if value is not None and name not in _OWN[kind]:
            owner = next(other for other, own in _OWN.items() if name in own)
            raise OptionError(f"{shown} is for the picture {owner!r}, not for {kind!r}.")
        if value is not None and name != "between" and not (isinstance(value, str) and value.strip()):
            raise OptionError(f"{shown}: expected a text, not {quoted(value)}.")
    if kind == "sweep" and given.get("variable") is None:
        raise OptionError("variable (--for): a sweep needs the symbol or ratio to go along, such as 'B' or 'B/X'.")
    return Subject(kind, given.get("variable"), _between(given.get("between")), given.get("array"), given.get("split"))


def _between(value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    if isinstance(value, str):
        found = _RANGE.match(value)
        value = found.groups() if found else None
    if not isinstance(value, Sequence) or len(value) != 2:
        raise OptionError("between (--range): expected two numbers such as '128:1e6'.")
    try:
        low, high = (float(number) for number in value)
    except (TypeError, ValueError, OverflowError):
        raise OptionError("between (--range): expected two numbers such as '128:1e6'.") from None
    if not (math.isfinite(low) and math.isfinite(high) and _SMALLEST <= low <= high <= _LARGEST):
        raise OptionError(
            f"between (--range): they are positive numbers, the smaller one first, not {low:g} and {high:g}."
        )
    if high < 1.1 * low:
        raise OptionError(f"between (--range): {low:g} and {high:g} are too close for a logarithmic axis.")
    return low, high


def draw_text(text: str | bytes, subject: Subject, request: Request) -> Picture:
    """Return the picture of a text; without a drawing where there is nothing to draw, or numbers are missing."""
    if subject.kind == "mesh":
        run = run_plan(text, request)
        source = run.planned.front.source
        drawing, findings = _drawn(lambda: _draw_layouts(run.planned, subject), run.tried())
    else:
        from shardlang.reports.costs import UnknownSymbolError

        report = price_text(text, request)
        source = report.source
        timed = report._replace(estimate=report.estimate.within(request.clock))
        try:
            drawing, findings = _drawn(lambda: _draw_costs(timed, subject), report.findings)
        except OutOfTimeError:
            drawing, findings = None, late_report(report, request.clock, "there is no picture").findings
        except UnknownSymbolError:
            if report.ok and not report.refused:
                raise
            drawing, findings = None, report.findings
    return Picture(is_fine(findings), finding_reports(source, findings), subject.kind, drawing, source, findings)


def _draw_layouts(planned: Planned, subject: Subject) -> Drawing:
    """Return the mesh picture. Raises PictureError."""
    from shardlang.pictures.mesh import mesh_picture

    return mesh_picture(planned.plan, subject.array)


def _draw_costs(report: "CostReport", subject: Subject) -> Drawing:
    """Return a picture of prices. Raises PictureError, RatioError, OptionError, OutOfTimeError."""
    report.estimate.clock.check()
    if subject.kind == "sweep":
        from shardlang.pictures.sweep import sweep_chart

        assert subject.variable is not None
        return sweep_chart(report, subject.variable, subject.between)
    if subject.kind == "roofline":
        from shardlang.pictures.roofline import roofline_chart

        return roofline_chart(report)
    from shardlang.pictures.split import split_picture

    return split_picture(report, subject.split)


def _drawn(
    draw: Callable[[], Drawing], findings: tuple[Diagnostic, ...]
) -> tuple[Drawing | None, tuple[Diagnostic, ...]]:
    """Return the drawing, or None; and the findings, with one that says why there is none unless an error does."""
    try:
        return draw(), findings
    except PictureError as problem:
        if any(finding.severity == "error" for finding in findings):
            return None, findings
        return None, (*findings, Diagnostic("SL510", problem.message, Span(0, 0), hint=problem.hint))
