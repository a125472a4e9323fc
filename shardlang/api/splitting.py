"""`optimum`: its keywords read, and the report."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shardlang.api.arguments import OptionError
from shardlang.api.comparing import read_quantity, with_contradictions

if TYPE_CHECKING:
    from shardlang.reports.costs import CostReport
    from shardlang.reports.optima import OptimumReport

_TIMES = ("t_comms", "t_lower", "t_upper")


def read_time(of: Any, bound: Any) -> str:
    """Return the time that is made least. Raises OptionError for what is none."""
    found = read_quantity(of, bound, default="t_comms")
    if found not in _TIMES:
        raise OptionError(f"of cannot be {found!r} here. It is one of {', '.join(_TIMES)}.")
    return found


def split_axes(split: str) -> tuple[str, ...]:
    """Return the names that a split asks for: `X` and `Y` of `X*Y = N`."""
    return tuple(re.findall(r"[^\W\d][\w'′]*", split.partition("=")[0]))


def read_texts(given: Mapping[str, Any]) -> None:
    """Raise OptionError for a keyword that is no text; None passes where it may stand."""
    for name, value in given.items():
        if value is None and name == "crossover":
            continue
        if not isinstance(value, str) or not value.strip():
            raise OptionError(f"{name}: expected a text, not {value!r}.")


def split_report(
    report: "CostReport", other: "CostReport | None", split: str, variable: str, of: str, crossover: str | None
) -> "OptimumReport":
    """Return the best split of a priced plan; where statements were refused, only why.

    Raises RatioError for what is no split, axis, or ratio of the plan's symbols, OptionError for devices that are called
    as a figure of the hardware is.
    """
    from shardlang.cost.names import NameClashError
    from shardlang.cost.splitting import best_split
    from shardlang.reports.optima import OptimumReport

    if other is not None:
        report = with_contradictions(report, other)
    ok = report.ok and (other is None or other.ok)
    solvable = ok and not report.refused and not (other is not None and other.refused) and bool(report.statements)
    if not solvable:
        return OptimumReport(ok, report.diagnostics, None, report, other)
    estimate = None if other is None else other.estimate
    try:
        best = best_split(report.estimate, split, variable, of, crossover=crossover, other=estimate)
    except NameClashError as problem:
        raise OptionError(f"split: {problem}.") from None
    return OptimumReport(ok, report.diagnostics, best.optimum, report._replace(estimate=best.estimate), other)
