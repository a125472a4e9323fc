"""Fixes run on a simulated mesh: a text with a fix made must give the dense result of every statement."""

from collections.abc import Callable, Sequence

from shardlang.api.stages import Planned
from shardlang.diagnostics import Diagnostic, Fix
from shardlang.limits import ENDLESS, Clock, OutOfTimeError
from shardlang.reference.program import run_plan
from shardlang.reference.small import small_case
from shardlang.reference.verdict import verify_plan
from shardlang.reports.corrections import apply_fix
from shardlang.rules.plan import Plan
from shardlang.source import SourceText

MOST_STATEMENTS = 60
"""The most statements that are run for the fixes of a text; each is run with the whole text."""


def with_executed_fixes(
    source: SourceText, findings: tuple[Diagnostic, ...], plan: Callable[[str], Planned], clock: Clock = ENDLESS
) -> tuple[Diagnostic, ...]:
    """Return the findings, the fixes of errors run on one small mesh: those that are right are marked, wrong ones left out.

    What is too large or too long to run, or has no time left, stays as it is, not marked. `plan` gives the plan of a changed text.
    """
    left = MOST_STATEMENTS
    done: list[Diagnostic] = []
    for finding in findings:
        fixes = []
        for fix in finding.fixes:
            executed = None
            if left > 0 and finding.severity == "error" and not clock.over():
                executed, count = _run(source.text, fix, plan, clock)
                left -= count
            if executed is not False:
                fixes.append(fix._replace(executed=executed))
        done.append(finding._replace(fixes=tuple(fixes)))
    return tuple(done)


def _run(text: str, fix: Fix, plan: Callable[[str], Planned], clock: Clock) -> tuple[bool | None, int]:
    """Return whether the text with a fix is right when run, None where that is not known, and its number of statements."""
    changed = apply_fix(text, fix)
    if changed is None:
        return None, 0
    made = plan(changed).plan
    count = len(made.statements)
    case = small_case(made) if _all_planned(made) and count <= MOST_STATEMENTS else None
    try:
        return (None if case is None else run_plan(made, case.mesh, case.sizes, clock=clock).ok), count
    except OutOfTimeError:
        return None, count


def is_right(plan: Plan, clock: Clock = ENDLESS) -> bool | None:
    """Run a plan on several small meshes; return whether it is right, None where a statement could not be run."""
    verdict = verify_plan(plan, alternatives=False, clock=clock)
    if any(statement.ok is False for statement in verdict.statements):
        return False
    return True if verdict.ok and _all_planned(plan) else None


def are_right(plans: Sequence[Plan], clock: Clock = ENDLESS) -> bool | None:
    """Run the plans of the texts of a document, as `is_right` does; those that only declare something prove nothing."""
    verdicts = [is_right(plan, clock) for plan in plans if plan.statements or len(plans) == 1]
    if False in verdicts:
        return False
    return True if verdicts and all(verdicts) else None


def _all_planned(plan: Plan) -> bool:
    """Say whether there are statements, and none is refused: what is not run proves nothing."""
    return bool(plan.statements) and all(planned.output is not None for planned in plan.statements)
