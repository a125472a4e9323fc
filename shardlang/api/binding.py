"""`roofline`: which roof binds, of a priced text."""

from typing import TYPE_CHECKING

from shardlang.api.running import late_report
from shardlang.diagnostics import Diagnostic
from shardlang.limits import Clock, OutOfTimeError

if TYPE_CHECKING:
    from shardlang.cost.roofline import Roofline
    from shardlang.reports.costs import CostReport
    from shardlang.reports.roofline import RooflineReport


def roofline_report(report: "CostReport", variable: str | None, clock: Clock) -> "RooflineReport":
    """Return the rooflines of a priced text, as far as there is time; see `shardlang.roofline`."""
    from shardlang.cost.ratio import UnknownSymbolError
    from shardlang.cost.roofline import rooflines
    from shardlang.reports.roofline import RooflineReport

    estimate = report.estimate.within(clock)
    try:
        statements, total = rooflines(estimate, variable if report.statements else None)
    except UnknownSymbolError:
        if report.ok and not report.refused:
            raise
        statements, total = rooflines(estimate)
    try:
        if any(one.late for one in (*statements, total)):
            raise OutOfTimeError
        if variable is not None and total.ranges:
            total, report = _with_other_roofs(total, variable, report, clock)
    except OutOfTimeError:
        report = late_report(report, clock, "not all rooflines are there")
    return RooflineReport(report.ok, report.diagnostics, statements, total, variable, report)


def _with_other_roofs(
    total: "Roofline", variable: str, report: "CostReport", clock: Clock
) -> "tuple[Roofline, CostReport]":
    """Return the roofline of a plan and its report, with SL508 where another roof binds next to the end of a range.

    Raises OutOfTimeError.
    """
    from shardlang.cost.checked import other_roofs

    axes = report.estimate.pricer.names.axes().items()
    names = [name for name, symbol in axes if symbol.name == variable.strip()]
    found = other_roofs(report.estimate.within(clock), variable, total.ranges)
    if not found:
        return total, report
    notes = tuple(
        Diagnostic(
            "SL508",
            f"the ranges are for other links: at {variable} = {other.size} `{other.said}` would bind; "
            f"{other.wiring} there, and `{other.binds}` binds",
            report.place(names),
            hint=f"compare the sizes that there are: `shardlang roofline --mesh {names[0]}={other.size}`",
        )
        for other in found
    )
    return total._replace(ranges=tuple(one._replace(exact=False) for one in total.ranges)), report.noting(notes)
