"""`crossover(…, against=…)`: the keywords of a comparison read, and the report of two plans."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from shardlang.api.arguments import COST_NAMES, DEFAULTS, read_request
from shardlang.api.running import late_report, price_report, run_plan
from shardlang.api.values import OptionError, read_choice
from shardlang.diagnostics import Diagnostic
from shardlang.limits import Clock, OutOfTimeError
from shardlang.pricing.roofs import QUANTITIES

if TYPE_CHECKING:
    from sympy import Symbol

    from shardlang.cost.checked import Checked
    from shardlang.reports.costs import CostReport, CrossoverReport

_BOUNDS = ("lower", "upper")
_MOST_SIZES = 6
_UNSOLVED = "the crossovers are not solved for"


class Against(NamedTuple):
    """The text of another plan, what findings call it, its kind as in `document`; what its project says, if not the same."""

    text: str | bytes
    name: str = "<against>"
    document: str | None = None
    settings: Mapping[str, Any] | None = None

    def keywords(self, keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keywords of a call for this text."""
        kept = keywords if self.settings is None else {n: v for n, v in keywords.items() if n != DEFAULTS}
        return {**kept, **(self.settings or {}), "name": self.name, "document": self.document}


def read_against(value: Any) -> Against:
    """Return the other plan. Raises OptionError for what is no text."""
    if isinstance(value, Against):
        return value
    if not isinstance(value, str | bytes):
        raise OptionError(f"against: expected the text of another plan, not {type(value).__name__}.")
    return Against(value)


def read_quantity(of: Any, bound: Any, default: str | None = None) -> str:
    """Return what two plans are compared by. Raises OptionError for what is none of `QUANTITIES`, or said twice."""
    for name, value, known in (("of", of, QUANTITIES), ("bound", bound, _BOUNDS)):
        if value is not None:
            read_choice(name, value, known)
    if of is not None and bound is not None and of != f"t_{bound}":
        raise OptionError(f"of and bound contradict each other: {of} is not the {bound} bound of the time.")
    if of is None and bound is None and default is not None:
        return default
    return str(of or f"t_{bound or 'lower'}")


def refuse_without_plan(of: Any, bound: Any) -> None:
    """Raise OptionError for keywords that say what two plans are compared by, where there is one."""
    for name, value in (("of", of), ("bound", bound)):
        if value is not None:
            raise OptionError(f"{name}: it says what two plans are compared by; give the other one (against).")


def price_both(
    text: str | bytes,
    other: Against,
    keywords: Mapping[str, Any],
    used: tuple[str, ...] = (),
    opened: tuple[str, ...] = (),
) -> "tuple[CostReport, CostReport, Clock]":
    """Return the prices of two plans under one set of names, and the clock of the call. used: sizes that the call has a use for besides; opened: see `Request`."""
    from shardlang.api.unused import names_in
    from shardlang.cost.estimate import names_of

    theirs = other.keywords(keywords)
    here = read_request(keywords, COST_NAMES)
    there = read_request(theirs, COST_NAMES)._replace(clock=here.clock, opened=opened)
    here = here._replace(names=(*used, *names_in(here.options.sizes, other.text)), opened=opened)
    there = there._replace(names=(*used, *names_in(there.options.sizes, text)))
    first, second = run_plan(text, here), run_plan(other.text, there)
    names = names_of(*((run.planned.plan, run.planned.machine) for run in (first, second)))
    return price_report(first, names), price_report(second, names), here.clock


def compare_roofs(report: "CostReport", variable: str, clock: Clock) -> "CrossoverReport":
    """Return where one roof of a plan becomes larger than another; what a refused statement took with it is not asked for."""
    from shardlang.cost.checked import Checked, checked
    from shardlang.reports.costs import CrossoverReport, UnknownSymbolError

    estimate = report.estimate.within(clock)
    try:
        found = estimate.crossover(variable) if report.statements else ()
        left = estimate.uncrossed(variable, found) if report.statements else ()
        known = checked(estimate, variable, found) if report.statements else Checked(())
        found, report = known.crossovers, report.noting(_other_links(report, variable, known))
    except OutOfTimeError:
        found, left, report = (), (), late_report(report, clock, _UNSOLVED)
    except UnknownSymbolError:
        if report.ok and not report.refused:
            raise
        found, left = (), ()
    return CrossoverReport(report.ok, report.diagnostics, found, report, left, variable=variable)


def _other_links(report: "CostReport", variable: str, known: "Checked") -> tuple[Diagnostic, ...]:
    """Return SL508 for each crossover that does not hold at sizes next to it, or at others, as their links are others."""
    from shardlang.cost.comparison import MINE, OTHER
    from shardlang.reports.units import plain_number

    axes = report.estimate.pricer.names.axes().items()
    name = next((name for name, symbol in axes if symbol.name == variable.strip()), variable)
    found = []
    for other in known.others:
        one = other.crossover
        shown = ", ".join(map(str, other.sizes[:_MOST_SIZES])) + (", …" if len(other.sizes) > _MOST_SIZES else "")
        answer = f"{variable} {one.relation} {plain_number(one.value or 0)}"
        if one.until_value is not None:
            answer = f"{plain_number(one.value or 0)} < {variable} < {plain_number(one.until_value)}"
        what = " against ".join(f"`{name}`" for name in one.between)
        what = "the two plans" if one.between == (OTHER, MINE) else what
        if other.solved:
            message = (
                f"the crossover of {what} is {answer} where {one.assumes[-1]}; "
                f"it comes out otherwise at {variable} = {shown} (at {other.sizes[0]} {other.wiring})"
            )
        else:
            message = (
                f"the crossover of {what} is for other links: {answer}, "
                f"but it comes out otherwise at {variable} = {shown} (at {other.sizes[0]} {other.wiring})"
            )
        hint = f"compare the sizes that there are: `shardlang cost --mesh {name}={other.sizes[0]}`"
        found.append(Diagnostic("SL508", message, report.place((name,)), hint=hint))
    return tuple(found)


def compare_plans(report: "CostReport", other: "CostReport", variable: str, of: str, clock: Clock) -> "CrossoverReport":
    """Return where the first plan becomes cheaper than the other; where statements were refused, only why."""
    from shardlang.cost.checked import checked_plans
    from shardlang.cost.comparison import cheaper_when, together
    from shardlang.reports.costs import CrossoverReport, UnknownSymbolError

    report = with_contradictions(report, other)
    both = report._replace(estimate=together(report.estimate, other.estimate))
    comparable = report.ok and other.ok and not report.refused and not other.refused
    mine, theirs = report.estimate.within(clock), other.estimate.within(clock)
    try:
        found, left = cheaper_when(mine, theirs, of, variable) if comparable else ((), ())
        if found:
            known = checked_plans(mine, theirs, of, variable, found)
            found, both = known.crossovers, both.noting(_other_links(both, variable, known))
    except OutOfTimeError:
        found, left, both = (), (), late_report(both, clock, _UNSOLVED)
    except UnknownSymbolError:
        if comparable:
            raise
        found, left = (), ()
    return CrossoverReport(both.ok and other.ok, both.diagnostics, found, both, left, other, of, variable)


def _written(report: "CostReport", symbol: "Symbol") -> str:
    """Return what the text calls a symbol: an axis that shares its letter with a dimension is printed otherwise."""
    axes = report.estimate.pricer.names.axes().items()
    return next((name for name, axis in axes if axis == symbol), symbol.name)


def with_contradictions(report: "CostReport", other: "CostReport") -> "CostReport":
    """Return the first report with an error for each size that the other text gives another number."""
    from shardlang.cost.comparison import contradictions
    from shardlang.reports.objects import finding_reports

    wrong = tuple(
        Diagnostic(
            "SL221",
            f"`{symbol.name}` is {mine:g} here and {theirs:g} in {other.source.name}: "
            "a name has one size in two plans that are compared",
            report.place((_written(report, symbol),)),
            hint=f"use the same size, or another name than `{symbol.name}`",
        )
        for symbol, mine, theirs in contradictions(report.estimate, other.estimate)
    )
    if not wrong:
        return report
    findings = (*report.findings, *wrong)
    return report._replace(ok=False, findings=findings, diagnostics=finding_reports(report.source, findings))
