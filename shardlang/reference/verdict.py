"""The verdict on a plan: every statement run on several small meshes, its bytes counted beside the cost model.

A plan is right if it gives the dense result on every mesh and if each collective moves the bytes that the cost
model says, to the byte. What could not be run is said to be so, and is not called right.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from shardlang.limits import ENDLESS, Clock, OutOfTimeError
from shardlang.pricing.steps import Sizes, bytes_received, local_elements, operand_bytes
from shardlang.reference.execute import Failure, Ran
from shardlang.reference.grid import Device, Grid
from shardlang.reference.program import run_plan
from shardlang.reference.small import Small, cases_for
from shardlang.rules.plan import COLLECTIVES, Plan, StatementPlan, Step
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.program import BareArray, Declared

_MOST_WORK = 400_000
"""Steps times devices that are run, in all cases together: some ten seconds."""
_NO_CASE = "no mesh that is small enough keeps its permutes possible and its arrays small"
_TOO_LONG = "the plan is too long to be run whole"
_REFUSED = "the statement was refused"
_LATE = "there was no time to run it"
_ALONE = "an array alone has no steps"


class Moved(NamedTuple):
    """The bytes of one collective on the mesh number `case`: of every device, and of one device as the cost model has it."""

    case: int
    sent: dict[Device, Fraction]
    received: dict[Device, Fraction]
    said: Fraction


class StepVerdict(NamedTuple):
    """A step; ok is None where it was not reached. moved: of a collective, for each mesh on which it ran."""

    step: Step
    ok: bool | None
    moved: tuple[Moved, ...] = ()


class Broken(NamedTuple):
    """The first failure of a statement, and the number of the mesh on which it happened."""

    case: int
    failure: Failure


class StatementVerdict(NamedTuple):
    """A statement; ok is None where it was not run, and `reason` says why. others: how many other plans were run too."""

    planned: StatementPlan
    ok: bool | None
    steps: tuple[StepVerdict, ...]
    broken: Broken | None = None
    reason: str | None = None
    others: int = 0


class Verdict(NamedTuple):
    """The meshes and sizes of the runs, and the verdict on each statement of the plan. late: there was no time for more runs."""

    cases: tuple[Small, ...]
    statements: tuple[StatementVerdict, ...]
    late: bool = False

    @property
    def ok(self) -> bool:
        """Whether every statement that has a plan was run and gave its dense result."""
        return all(statement.ok or statement.reason in (_REFUSED, _ALONE) for statement in self.statements)


class _Results(NamedTuple):
    """What the runs gave for one statement: by mesh the steps that ran, and the first failure."""

    ran: list[tuple[Ran, ...]]
    broken: list[Broken]


def verify_plan(
    plan: Plan, *, reduce_dtype: str | None = None, alternatives: bool = True, clock: Clock = ENDLESS
) -> Verdict:
    """Run every statement of a plan that was not refused, on the meshes that `small.cases_for` chooses.

    `reduce_dtype` is the element type in which pending sums travel, as for the cost model. `alternatives`: the
    other plans of each statement are run too. clock: out of time, the meshes that were run until then count. Refused statements, and what is too large, are not run.
    """
    cases = cases_for(plan)
    cases, length = _bounded(plan, cases)
    results = [_Results([], []) for _ in range(length)]
    late = False
    for number, case in enumerate(cases):
        part = plan._replace(statements=plan.statements[:length])
        try:
            run = run_plan(part, case.mesh, case.sizes, seed=number, alternatives=alternatives, clock=clock)
        except OutOfTimeError:
            cases, late = cases[:number], True
            break
        for own, steps in zip(results, run.steps, strict=False):
            own.ran.append(steps)
        for failure in run.failures:
            for own in results if failure.statement is None else [results[failure.statement]]:
                own.broken.append(Broken(number, failure))
    judge = _Judge(plan, cases, reduce_dtype, alternatives)
    done = [judge.statement(*pair) for pair in zip(plan.statements, results if cases else (), strict=False)]
    reason = _TOO_LONG if cases else _LATE if late else _NO_CASE
    return Verdict(cases, (*done, *(_not_run(planned, reason) for planned in plan.statements[len(done) :])), late)


def _bounded(plan: Plan, cases: tuple[Small, ...]) -> tuple[tuple[Small, ...], int]:
    """Return as many cases, at least one, and as many statements as the bound of work allows."""
    steps = [
        1 + len(planned.steps) + sum(len(other.steps) for other in planned.alternatives) for planned in plan.statements
    ]
    kept: list[Small] = []
    work = 0
    for case in cases:
        work += sum(steps) * len(Grid(case.mesh).devices)
        if kept and work > _MOST_WORK:
            break
        kept.append(case)
    if not kept:
        return (), 0
    length, left = 0, _MOST_WORK // len(Grid(kept[0].mesh).devices)
    while length < len(steps) and steps[length] <= left:
        left, length = left - steps[length], length + 1
    return tuple(kept), length


def _not_run(planned: StatementPlan, reason: str) -> StatementVerdict:
    if isinstance(planned.statement.body, BareArray | Declared):
        reason = _ALONE
    elif planned.output is None or not planned.statement.ok:
        reason = _REFUSED
    return StatementVerdict(planned, None, tuple(StepVerdict(step, None) for step in planned.steps), None, reason)


class _Judge:
    """Puts the runs of a statement together."""

    def __init__(self, plan: Plan, cases: tuple[Small, ...], reduce_dtype: str | None, alternatives: bool) -> None:
        program = plan.program
        self._cases, self._alternatives = cases, alternatives
        self._sizes = [
            Sizes(
                dims=_exact(case.sizes),
                axes=_exact(case.mesh),
                dtype=program.dtype,
                reduce_dtype=reduce_dtype,
                width=_width,
                declared=program.declared_types,
            )
            for case in cases
        ]

    def statement(self, planned: StatementPlan, results: _Results) -> StatementVerdict:
        """Return the verdict on one statement; the first failure counts, a wrong byte count after a wrong result."""
        if (
            planned.output is None
            or not planned.statement.ok
            or isinstance(planned.statement.body, BareArray | Declared)
        ):
            return _not_run(planned, _REFUSED)
        moved = [
            tuple(self._moved(ran[at], case) for case, ran in enumerate(results.ran) if at < len(ran))
            if step.kind in COLLECTIVES
            else ()
            for at, step in enumerate(planned.steps)
        ]
        broken = results.broken[0] if results.broken else self._miscounted(planned, moved)
        flags = _flags(planned, results, broken)
        steps = tuple(StepVerdict(*one) for one in zip(planned.steps, flags, moved, strict=True))
        others = len(planned.alternatives) if self._alternatives else 0
        return StatementVerdict(planned, broken is None, steps, broken, others=others)

    def _moved(self, ran: Ran, case: int) -> Moved:
        sizes, step = self._sizes[case], ran.step
        array = step.result.type if step.operands[0].constant is not None else step.operands[0].type
        width = operand_bytes(step, sizes) / local_elements(array, sizes)
        sent, received = (
            {device: width * counts.get(device, 0) for device in Grid(self._cases[case].mesh).devices}
            for counts in (ran.traffic.sent, ran.traffic.received)
        )
        return Moved(case, sent, received, Fraction(bytes_received(step, sizes)))

    def _miscounted(self, planned: StatementPlan, moved: list[tuple[Moved, ...]]) -> Broken | None:
        for number, step in enumerate(planned.steps):
            for own in moved[number]:
                counted = received_by(step, own)
                if counted != own.said and (counted or step.kind != "CollectivePermute"):
                    message = f"a device receives {float(counted):g} bytes, the cost model says {float(own.said):g}"
                    return Broken(own.case, Failure(message, step, number))
        return None


def received_by(step: Step, moved: Moved) -> Fraction:
    """Return the bytes that the busiest device received; of an AllReduce the mean, see `Ran.received`."""
    counts = moved.received.values()
    return Fraction(sum(counts), len(counts)) if step.kind == "AllReduce" else max(counts)


def _flags(planned: StatementPlan, results: _Results, broken: Broken | None) -> list[bool | None]:
    """Return for each step of a statement whether it was right; None for those after the one that broke."""
    count = len(planned.steps)
    if broken is None or broken.failure.alternative is not None:
        return [True] * count
    at = broken.failure.step_number
    if at is not None:
        return [True] * at + [False] + [None] * (count - at - 1)
    ran = len(results.ran[broken.case]) if broken.case < len(results.ran) else 0
    return [True] * ran + [None] * (count - ran)


def _width(dtype: str) -> Fraction:
    size = dtype_bytes(dtype)
    return Fraction(size.numerator, size.denominator)


def _exact(sizes: Mapping[str, int]) -> dict[str, Fraction]:
    return {name: Fraction(size) for name, size in sizes.items()}
