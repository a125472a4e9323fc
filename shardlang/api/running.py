"""The stages of a call on one text: read, planned, priced, each with the findings that are shown and their fixes tried."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from shardlang.api.arguments import Request
from shardlang.api.stages import Front, Planned, late_findings, plan_text, read_text, shown, size_places
from shardlang.diagnostics import Diagnostic
from shardlang.limits import Clock
from shardlang.reports.objects import CheckReport, finding_reports
from shardlang.source import Span

if TYPE_CHECKING:
    from shardlang.cost import Estimate
    from shardlang.cost.names import Names
    from shardlang.reports.costs import CostReport


def check_text(text: str | bytes, request: Request) -> CheckReport:
    """Return the steps of a text with all findings."""
    from shardlang.reports.checked import checked_arrays, checked_statements

    planned = plan_text(text, request, request.alternatives)
    source, findings = planned.front.source, plan_findings(planned, request)
    statements = checked_statements(source, planned.plan, request.reduce_dtype, request.options.uneven)
    arrays = checked_arrays(source, planned.plan)
    return CheckReport(is_fine(findings), finding_reports(source, findings), statements, source, findings, arrays)


def price_text(text: str | bytes, request: Request, alternatives: bool = False) -> "CostReport":
    """Return the price of a text with all findings."""
    return price_report(plan_text(text, request, alternatives), request)


def price_report(planned: Planned, request: Request, names: "Names | None" = None) -> "CostReport":
    """Return the price of a plan with all findings. names: those of several plans that are compared."""
    from shardlang.api.priced import missing_findings, price_plan, size_findings

    planned = planned.for_prices()
    priced = price_plan(planned, request, names)
    more = (*missing_findings(planned, priced), *size_findings(planned, priced.within(request.clock)))
    return cost_report(planned, priced, more, request)


def cost_report(
    planned: Planned,
    priced: "Estimate",
    more: tuple[Diagnostic, ...],
    request: Request,
) -> "CostReport":
    """Return the price with the findings of the text and `more`, those of the price."""
    from shardlang.reports.costs import CostReport, Notes

    front = planned.front
    late = late_findings(planned.plan, [statement.plan for statement in priced.statements], request.clock)
    findings = plan_findings(planned, request, (*more, *late))
    notes = Notes(size_places(front.module), lambda found: shown(front, found, request))
    return CostReport(is_fine(findings), finding_reports(front.source, findings), priced, front.source, findings, notes)


def late_report(report: "CostReport", clock: Clock, what: str) -> "CostReport":
    """Return the report with SL607, unless it has that. what: what was not done."""
    if any(finding.code == "SL607" for finding in report.findings):
        return report
    return report.noting((Diagnostic("SL607", clock.message(what), Span(0, 0)),))


def plan_findings(planned: Planned, request: Request, more: tuple[Diagnostic, ...] = ()) -> tuple[Diagnostic, ...]:
    """Return the findings of a plan, and `more`, that are shown, with those fixes only that leave the text better."""
    return _with_fixes(
        planned.front,
        shown(planned.front, (*planned.findings, *more), request),
        planned.findings,
        lambda changed: plan_text(changed, request, before=planned).findings,
        request.clock,
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
