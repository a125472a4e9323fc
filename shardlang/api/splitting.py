"""`optimum`: its keywords read, and the report."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shardlang.api.comparing import read_quantity, with_contradictions
from shardlang.api.running import late_report
from shardlang.api.values import OptionError, quoted
from shardlang.diagnostics import Diagnostic
from shardlang.limits import Clock, OutOfTimeError
from shardlang.pricing.roofs import SPLIT_TIMES
from shardlang.reports.units import quantity

if TYPE_CHECKING:
    from shardlang.cost.splitting import Optimum
    from shardlang.reports.costs import CostReport
    from shardlang.reports.optima import OptimumReport


def read_time(of: Any, bound: Any) -> str:
    """Return the time that is made least. Raises OptionError for what is none."""
    found = read_quantity(of, bound, default="t_comms")
    if found not in SPLIT_TIMES:
        raise OptionError(f"of: cannot be {found!r} here. It is one of {', '.join(SPLIT_TIMES)}.")
    return found


def read_texts(given: Mapping[str, Any]) -> None:
    """Raise OptionError for a keyword that is no text; None passes where it may stand."""
    for name, value in given.items():
        if value is None and name == "crossover":
            continue
        if not isinstance(value, str) or not value.strip():
            raise OptionError(f"{name}: expected a text, not {quoted(value)}.")


def names_of_split(split: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the mesh axes that a split such as `X*Y = N` has, as far as it can be read, and the name of the devices."""
    left, _, right = split.partition("=")
    return tuple(re.findall(r"[^\W\d]\w*['′]*", left)), tuple(right.split())


def split_report(
    report: "CostReport",
    other: "CostReport | None",
    split: str,
    variable: str,
    of: str,
    crossover: str | None,
    clock: Clock,
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
        mine = report.estimate.within(clock)
        best = best_split(mine, split, variable, of, crossover=crossover, other=estimate)
    except OutOfTimeError:
        report = late_report(report, clock, "the best split is not solved for")
        return OptimumReport(False, report.diagnostics, None, report, other)
    except NameClashError as problem:
        raise OptionError(f"split: {problem}.") from None
    report = report.noting(_other_links(best.optimum, report))._replace(estimate=best.estimate)
    return OptimumReport(report.ok and ok, report.diagnostics, best.optimum, report, other)


def _other_links(found: "Optimum", report: "CostReport") -> "tuple[Diagnostic, ...]":
    """Return SL508 where the formula is for other links than the best whole split has, or one next to the optimum."""
    from shardlang.cost.wiring import axis_words, topology_words
    from shardlang.reports.tables import quantity_words

    if not found.existing.beside:
        return ()
    at = found.existing.beside[0]
    machine = report.estimate.pricer.machine
    names = {symbol.name: name for name, symbol in report.estimate.pricer.names.axes().items()}
    taken = axis_words({axis: machine.network(names[axis]).words for axis in at.wiring})
    which = ", the best whole split," if at == found.whole[0] else ", next to the optimum,"
    sizes = ", ".join(f"{axis.name} = {size}" for axis, size in at.sizes.items())
    time = quantity_words(found.of)
    worth = ""
    if at.value is not None and at.formula is not None:
        worth = f", and {time} is {quantity(at.value, 's')}, not {quantity(at.formula, 's')}"
    message = f"the formula is for other links: it takes that {taken}; at {sizes}{which} {axis_words(at.wiring)}{worth}"
    known = {names[axis.name]: size for axis, size in at.sizes.items()}
    hint = topology_words(report.estimate, known)
    told = f"for the formula on these links: `--topology {hint}`" if hint else None
    return (Diagnostic("SL508", message, report.place(names[axis] for axis in at.wiring), hint=told),)
