"""`verify`: a text planned, run on simulated meshes, and set beside what the cost model says."""

from shardlang.api.arguments import Request
from shardlang.api.running import is_fine, run_plan
from shardlang.api.stages import late_findings
from shardlang.cost.estimate import estimate
from shardlang.diagnostics import Diagnostic
from shardlang.reference.verdict import verify_plan
from shardlang.reports.objects import finding_reports
from shardlang.reports.verification import VerifyReport
from shardlang.reports.verified import verified_cases, verified_statements
from shardlang.source import Span


def verify_text(text: str | bytes, request: Request) -> VerifyReport:
    """Return what came of running a text."""
    others = request.alternatives
    run = run_plan(text, request, others)
    planned, source, findings = run.planned, run.planned.front.source, run.tried()
    verdict = verify_plan(planned.plan, reduce_dtype=request.reduce_dtype, alternatives=others, clock=request.clock)
    priced = estimate(
        planned.plan, planned.machine, model="exact", reduce_dtype=request.reduce_dtype, clock=request.clock
    )
    if verdict.late or late_findings(planned.plan, [one.plan for one in priced.statements], request.clock):
        message = request.clock.message("not all runs were made")
        findings = run.tried((Diagnostic("SL607", message, Span(0, 0)),))
    formulas = [[step.bytes_received for step in statement.steps] for statement in priced.statements]
    return VerifyReport(
        ok=is_fine(findings) and verdict.ok,
        diagnostics=finding_reports(source, findings),
        cases=verified_cases(verdict),
        statements=verified_statements(source, verdict, formulas),
        source=source,
        findings=findings,
        kinds={name: info.kind for name, info in priced.symbols.items()},
    )
