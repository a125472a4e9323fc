"""The verdict on one random case: plan it, run the plan on a simulated mesh, count what devices receive."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from shardlang.planning import Settings, plan
from shardlang.pricing.steps import Sizes, bytes_received
from shardlang.reference.execute import run_steps
from shardlang.reference.program import run_plan
from shardlang.rules.plan import COLLECTIVES, Plan, Step, Value
from shardlang.semantics import Options, resolve
from shardlang.semantics.program import Collective, Program
from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.property.cases import Case, smaller


class Verdict(NamedTuple):
    """What is wrong with a case (None: nothing), the codes of its findings, and the kinds of its steps."""

    problem: str | None
    codes: Counter[str]
    kinds: Counter[str]


def program_of(text: str) -> tuple[Program, list[str]]:
    """Return the resolved text and the codes and messages of its errors so far."""
    module, found = parse(SourceText(text))
    program, more = resolve(module, Options())
    return program, [f"{one.code} {one.message}" for one in (*found, *more) if one.severity == "error"]


def judge(case: Case, seed: int = 0, *, idle_axes: bool = False) -> Verdict:
    """Plan and run a case. A problem is: text refused before planning, a wrong result, or wrongly counted bytes."""
    program, errors = program_of(case.text)
    if errors:
        return Verdict(f"the text was refused: {errors[0]}", Counter(), Counter())
    planned = plan(program, Settings(idle_axes=idle_axes))
    codes = Counter(finding.code for finding in planned.diagnostics)
    steps = [step for statement in planned.statements for step in statement.steps]
    kinds = Counter(step.kind for step in steps)
    problem = _refused(case, planned) or _run(case, planned, seed)
    return Verdict(problem, codes, kinds)


def _refused(case: Case, planned: Plan) -> str | None:
    """Return the finding that refuses a statement whose output is stated: there is always a correct sequence.

    Where the text allows no communication it may be refused; if it is not, it has none.
    """
    if len(planned.statements) != len(case.lines):
        return f"{len(case.lines)} statements have {len(planned.statements)} plans"
    for line, statement in zip(case.lines, planned.statements, strict=True):
        if line.local or case.explicit:
            moves = [step.text for step in statement.steps if step.kind in COLLECTIVES]
            if moves:
                return f"communication where none is allowed: {line}: {moves[0]}"
        elif statement.output is None and line.result is not None:
            found = [f"{one.code} {one.message}" for one in planned.diagnostics if one.severity == "error"]
            # an earlier statement may not have made the layout
            if not [one for one in found if one.startswith(("SL401", "SL402"))]:
                return f"refused with an output stated: {line}: {found[:1]}"
    return None


def _run(case: Case, planned: Plan, seed: int) -> str | None:
    mesh, lengths = dict(case.mesh), dict(case.sizes)
    for data in (seed, seed + 1):
        run = run_plan(planned, mesh, lengths, seed=data, alternatives=True)
        if not run.ok:
            return str(run.failures[0])
    sizes = Sizes(lengths, mesh)
    for ran in (each for statement in run.steps for each in statement):
        problem = _miscounted(ran.step, float(ran.received), sizes) or _misdescribed(ran.step)
        if problem:
            return f"{ran.step.text}: {problem}"
    return None


def judge_collective(case: Case) -> str | None:
    """Return a problem with a case of one explicit collective: allowed and wrong when run, or refused and right as written."""
    program, errors = program_of(case.text)
    if errors:
        return None
    planned = plan(program, Settings())
    mesh, sizes = dict(case.mesh), dict(case.sizes)
    if planned.statements[0].output is not None:
        runs = (run_plan(planned, mesh, sizes, seed=seed) for seed in range(2))
        return next((str(run.failures[0]) for run in runs if not run.ok), None)
    body = planned.statements[0].statement.body
    assert isinstance(body, Collective)
    assert body.result is not None
    before, after = body.operand.type, body.result.type
    extremum_again = body.op in ("AllReduce", "ReduceScatter") and before.sharding.kind != "sum"
    relabelled = after.sharding.pending and after.sharding.kind != "sum" and after.sharding != before.sharding
    if body.op == "Relabel" or extremum_again or relabelled:
        return None  # refused because it does nothing or what it gives is to be relabelled, which is harmless
    axes = body.axes or tuple(dict.fromkeys((*before.sharding.used(), *after.sharding.used())))
    step = Step(body.op, body.op, (Value("A", before),), Value("A", after), axes)
    if any(run_steps([step], mesh, sizes, seed=seed)[1] for seed in range(6)):
        return None
    return f"right, but refused: {[one.message for one in planned.diagnostics]}"


def _miscounted(step: Step, elements: float, sizes: Sizes) -> str | None:
    dtype = step.operands[0].type.dtype if step.operands else None
    counted = elements * sizes.width(dtype or sizes.dtype)
    said = float(bytes_received(step, sizes))
    return None if abs(said - counted) < 1e-6 * max(1.0, counted) else f"{said} bytes said, {counted} counted"


def _misdescribed(step: Step) -> str | None:
    """Return what is wrong with the fields of a move: `dims` are those whose sharding changes."""
    if step.kind not in (*COLLECTIVES, "Slice", "Mask", "Pad", "Relabel"):
        return None
    before, after = step.operands[0].type, step.result.type
    changed = {dim for dim in before.dims if before.axes_of(dim) != after.axes_of(dim)}
    return None if set(step.dims) == changed else f"dims {step.dims}, but {sorted(changed)} change"


def minimal(case: Case, fails: Callable[[Case], bool], tries: int = 400) -> Case:
    """Return a case as simple as can be that still fails."""
    progress = True
    while progress and tries > 0:
        progress = False
        for simpler in smaller(case):
            tries -= 1
            if simpler != case and fails(simpler):
                case, progress = simpler, True
                break
    return case
