"""A call on one text: read, planned, priced, each with the findings that are shown and their fixes tried.

`run_text` gives one value, a `Run`, for every way in: reports of the command line and of Python are made from it, and
editors keep it for a version of a text.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from shardlang.api.arguments import Request
from shardlang.api.keeping import Keep
from shardlang.api.parts import plans_apart
from shardlang.api.places import size_places
from shardlang.api.stages import Front, Planned, late_findings, plan_text, read_source, read_text, shown
from shardlang.api.values import OptionError
from shardlang.diagnostics import Diagnostic
from shardlang.limits import Clock
from shardlang.reports.objects import CheckReport, finding_reports
from shardlang.source import Span

if TYPE_CHECKING:
    from shardlang.cost.estimate import Estimate
    from shardlang.cost.names import Names
    from shardlang.reports.costs import CostReport
    from shardlang.reports.fixed import FixedReport

_MOST_LISTED = 8


class Run(NamedTuple):
    """One text as a request has it: its plan, and the findings that are shown, with fixes that nobody has tried yet."""

    request: Request
    planned: Planned
    findings: tuple[Diagnostic, ...]

    def tried(self, more: tuple[Diagnostic, ...] = ()) -> tuple[Diagnostic, ...]:
        """Return the findings, and `more`, that are shown, with those fixes only that leave the text better."""
        planned, request = self.planned, self.request
        found = shown(planned.front, (*planned.findings, *more), request) if more else self.findings
        return _with_fixes(
            planned.front,
            found,
            planned.findings,
            lambda changed: plan_text(changed, request, before=planned, ways=False).findings,
            request.clock,
        )


def run_text(text: str | bytes, request: Request, alternatives: bool = False, before: Run | None = None) -> Run:
    """Read, check and plan a text. alternatives: whether other correct plans are looked for.

    before: of a text that this one was changed from. The same is found with it, without searching again what stayed.
    """
    planned = plan_text(text, request, alternatives, before.planned if before is not None else None)
    return run_of(planned, request)


def run_plan(text: str | bytes, request: Request, alternatives: bool = False) -> Run:
    """Read, check and plan a text that is one plan.

    Raises OptionError for a document of several texts: they may be about different meshes, and no sum is about all.
    """
    run = run_text(text, request, alternatives)
    if len(run.planned.texts) > 1:
        raise OptionError(several_texts(run.planned.front))
    return run


def run_of(planned: Planned, request: Request) -> Run:
    """Return the run of a text that is planned."""
    return Run(request, planned, shown(planned.front, planned.findings, request))


def check_text(text: str | bytes, request: Request) -> CheckReport:
    """Return the steps of a text with all findings."""
    return check_report(run_text(text, request, request.alternatives))


def check_report(run: Run) -> CheckReport:
    """Return the steps of a run with all findings."""
    from shardlang.reports.checked import checked_arrays, checked_statements

    planned, request = run.planned, run.request
    source, findings = planned.front.source, run.tried()
    reduced, uneven = request.reduce_dtype, request.options.uneven
    plans = plans_apart([text.plan for text in planned.texts])
    statements = tuple(one for plan in plans for one in checked_statements(source, plan, reduced, uneven))
    arrays = tuple(one for plan in plans for one in checked_arrays(source, plan))
    return CheckReport(is_fine(findings), finding_reports(source, findings), statements, source, findings, arrays)


def price_text(text: str | bytes, request: Request, alternatives: bool = False) -> "CostReport":
    """Return the price of a text with all findings."""
    return price_report(run_plan(text, request, alternatives))


def price_report(run: Run, names: "Names | None" = None) -> "CostReport":
    """Return the price of a plan with all findings. names: those of several plans that are compared."""
    from shardlang.api.priced import missing_findings, price_plan, size_findings

    run = run._replace(planned=run.planned.for_prices())
    priced = price_plan(run.planned, run.request, names)
    asked = priced.within(run.request.clock)
    return cost_report(run, priced, (*missing_findings(run.planned, priced), *size_findings(run.planned, asked)))


def cost_report(run: Run, priced: "Estimate", more: tuple[Diagnostic, ...]) -> "CostReport":
    """Return the price with the findings of the text and `more`, those of the price."""
    from shardlang.reports.costs import CostReport, Notes

    front = run.planned.front
    late = late_findings(run.planned.plan, [statement.plan for statement in priced.statements], run.request.clock)
    findings = run.tried((*more, *late))
    notes = Notes(size_places(front.module), Keep(front.source, front.module, run.request.selection))
    return CostReport(is_fine(findings), finding_reports(front.source, findings), priced, front.source, findings, notes)


def late_report(report: "CostReport", clock: Clock, what: str) -> "CostReport":
    """Return the report with SL607, unless it has that. what: what was not done."""
    if any(finding.code == "SL607" for finding in report.findings):
        return report
    return report.noting((Diagnostic("SL607", clock.message(what), Span(0, 0)),))


def mend_text(text: str | bytes, request: Request, unsafe: bool) -> "FixedReport":
    """Return a text with the best fix of every finding made and run, and the report of what is left."""
    from shardlang.api.executed import are_right
    from shardlang.api.mending import mend
    from shardlang.reports.fixed import fixed_report

    source, unreadable = read_source(text, request.name, request.document)
    mended = mend(
        source,
        lambda changed: run_text(changed, request).tried(),
        lambda changed: are_right([one.plan for one in plan_text(changed, request, ways=False).texts], request.clock),
        unsafe,
        request.document,
        request.clock,
    )
    left = check_text(text if unreadable else mended.text, request)
    return fixed_report(source, mended.text, mended.made, mended.wrong, left)


def several_texts(front: Front) -> str:
    """Return what is said of a document where one plan is needed."""
    starts = (part.first_statement().start for part in front.parts)
    lines = [front.source.position(start).line for start in starts]
    listed = ", ".join(map(str, lines[:_MOST_LISTED])) + (", …" if len(lines) > _MOST_LISTED else "")
    return (
        f"document: {front.source.name} has {len(lines)} texts of their own, with statements from the lines {listed} on; "
        "only parse, check, also with --fix, and fmt take several: put the plan in a file of its own."
    )


def with_read_fixes(front: Front, findings: tuple[Diagnostic, ...], request: Request) -> tuple[Diagnostic, ...]:
    """Return findings with those fixes only that leave the text better, when it is read again."""
    return _with_fixes(
        front, findings, front.findings, lambda changed: read_text(changed, request).findings, request.clock
    )


def _with_fixes(
    front: Front,
    findings: tuple[Diagnostic, ...],
    before: tuple[Diagnostic, ...],
    rerun: Callable[[str], tuple[Diagnostic, ...]],
    clock: Clock,
) -> tuple[Diagnostic, ...]:
    if not any(finding.fixes for finding in findings):
        return findings
    from shardlang.api.fixes import keep_working_fixes

    statements = sorted(statement.span for statement in front.module.statements)
    return keep_working_fixes(front.source, findings, before, rerun, clock, statements)


def is_fine(findings: tuple[Diagnostic, ...]) -> bool:
    """Say whether no finding is an error."""
    return all(finding.severity != "error" for finding in findings)
