"""Fixes run on a simulated mesh: a text with a fix made must give the dense result of every statement."""

from collections.abc import Callable

from shardlang.api.stages import Planned
from shardlang.diagnostics import Diagnostic, Fix
from shardlang.reference import verify_plan
from shardlang.reference.program import run_plan
from shardlang.reference.small import small_case
from shardlang.reports.corrections import apply_fix
from shardlang.rules.plan import Plan
from shardlang.source import SourceText

MOST = 40
MOST_STATEMENTS = 60
"""The most fixes of a text that are run, and the most statements of a text that is run for a fix."""


def with_executed_fixes(
    source: SourceText, findings: tuple[Diagnostic, ...], plan: Callable[[str], Planned]
) -> tuple[Diagnostic, ...]:
    """Return the findings, the fixes of errors run on one small mesh: those that are right are marked, wrong ones left out.

    What is too large or too long to run stays as it is, not marked. `plan` gives the plan of a changed text.
    """
    left = MOST
    done: list[Diagnostic] = []
    for finding in findings:
        fixes = []
        for fix in finding.fixes:
            executed = _run(source.text, fix, plan) if left > 0 and finding.severity == "error" else None
            left -= 1
            if executed is not False:
                fixes.append(fix._replace(executed=executed))
        done.append(finding._replace(fixes=tuple(fixes)))
    return tuple(done)


def _run(text: str, fix: Fix, plan: Callable[[str], Planned]) -> bool | None:
    changed = apply_fix(text, fix)
    if changed is None:
        return None
    made = plan(changed).plan
    if len(made.statements) > MOST_STATEMENTS:
        return None
    case = small_case(made)
    return None if case is None else run_plan(made, case.mesh, case.sizes).ok


def is_right(plan: Plan) -> bool | None:
    """Run a plan on several small meshes; return whether it is right, None where a statement could not be run."""
    verdict = verify_plan(plan, alternatives=False)
    if any(statement.ok is False for statement in verdict.statements):
        return False
    return True if verdict.ok else None
