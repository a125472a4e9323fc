"""Run what `check` printed on a simulated mesh, against the dense result.

The plan is made anew by the stages that `check` runs, and must have the very steps that the report shows.
"""

from typing import Any

from shardlang.planning import Settings, plan
from shardlang.reference.program import run_plan
from shardlang.reference.small import small_case
from shardlang.rules.plan import Plan
from shardlang.semantics import Options, resolve
from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.oracles.product import Json


def plan_of(text: str, options: dict[str, Any]) -> Plan:
    """Return the plan that `check` makes of a text, without hardware."""
    module, _ = parse(SourceText(text))
    given = Options(
        options.get("mesh"), options.get("sizes"), dtype=options.get("dtype"), explicit=options.get("explicit", False)
    )
    program, _ = resolve(module, given)
    return plan(program, Settings(idle_axes=options.get("idle_axes", False)))


def run_report(text: str, options: dict[str, Any], report: Json, *, small: bool = True) -> list[str]:
    """Return what is wrong with the steps of a report when they run; `small` chooses small sizes for them.

    Without `small` the bytes that the busiest device receives are counted too, and held against the report's.
    """
    planned = plan_of(text, options)
    shown = [step["text"] for statement in report["statements"] for step in statement["steps"]]
    if shown != [step.text for statement in planned.statements for step in statement.steps]:
        return [f"the report has other steps than the plan: {shown}"]
    case = small_case(planned) if small else None
    mesh, sizes = (case.mesh, case.sizes) if case is not None else (options["mesh"], options["sizes"])
    run = run_plan(planned, mesh, sizes)
    if not run.ok:
        return [f"wrong when executed: {failure}" for failure in run.failures]
    if small:
        return []
    said = [step["bytes_received"] for statement in report["statements"] for step in statement["steps"]]
    width = {"f32": 4, "bf16": 2}[options["dtype"]]
    counted = [width * float(ran.received) for statement in run.steps for ran in statement]
    return [] if said == counted else [f"{counted} bytes counted, {said} said"]


def bytes_received(report: Json) -> float:
    """Return the bytes that one device receives in all steps of a report."""
    return sum(step["bytes_received"] for statement in report["statements"] for step in statement["steps"])
