"""Run a whole plan on a simulated mesh: every statement must give what its formula says, where it says.

This judges the plan from outside: the dense value comes from the resolved expression, not from the steps,
and the only layouts that exist are those which the statements state and the steps make.
"""

from collections.abc import Mapping
from typing import NamedTuple

from shardlang.limits import ENDLESS, Clock
from shardlang.reference.collectives import StepError
from shardlang.reference.evaluate import EvaluationError, Named, evaluate, in_order
from shardlang.reference.execute import Failure, Ran, replay
from shardlang.reference.grid import Grid
from shardlang.reference.layout import Block, LayoutError, same
from shardlang.reference.memory import Memory, layout_of
from shardlang.rules.plan import Plan, StatementPlan, Step, Value
from shardlang.semantics.program import (
    BareArray,
    Body,
    Collective,
    Computation,
    Declared,
    Ref,
    Reshard,
    operands_of,
    refs_of,
    result_of,
)
from shardlang.semantics.sharding import array_text


class Run(NamedTuple):
    """What came of running a plan: for each statement the steps that ran, and the first failure of each that failed."""

    steps: tuple[tuple[Ran, ...], ...]
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        """Whether every statement gave its dense result in its layout."""
        return not self.failures


def run_plan(
    plan: Plan,
    mesh: Mapping[str, int],
    sizes: Mapping[str, int],
    *,
    arrays: Mapping[str, Block] | None = None,
    seed: int = 0,
    alternatives: bool = False,
    clock: Clock = ENDLESS,
) -> Run:
    """Run every statement of a plan on a mesh with these axis sizes and dimensions of these sizes.

    `arrays` gives global values of inputs by name (small numbers at random where it does not);
    `alternatives` also runs every alternative from the same state. A refused statement is passed over and its
    result taken for an input from then on. Raises OutOfTimeError when the time of `clock` is used up.
    """
    try:
        memory = Memory(Grid(mesh), sizes, arrays, seed)
    except ValueError as problem:
        return Run((), (Failure(str(problem)),))
    last = _last_uses(plan)
    ran: list[tuple[Ran, ...]] = []
    failures: list[Failure] = []
    for number, planned in enumerate(plan.statements):
        clock.check()
        steps, failure = _run_statement(planned, memory, number, alternatives=alternatives)
        ran.append(steps)
        if failure is not None:
            failures.append(failure)
            _give_up(planned, memory)
        memory.forget_after(number, last)
    return Run(tuple(ran), tuple(failures))


def _last_uses(plan: Plan) -> dict[str, int]:
    """Return the number of the last statement that has something to do with each name, in any of its plans."""
    last: dict[str, int] = {}
    for number, planned in enumerate(plan.statements):
        body = planned.statement.body
        for ref in refs_of(body):
            last[(None if body is None else _name(ref, body)) or ""] = number
        for steps in (planned.steps, *(other.steps for other in planned.alternatives)):
            for step in steps:
                last.update((layout_of(value).name, number) for value in (*step.operands, step.result))
    return last


def _run_statement(
    planned: StatementPlan, memory: Memory, number: int, *, alternatives: bool
) -> tuple[tuple[Ran, ...], Failure | None]:
    body = planned.statement.body
    if isinstance(body, BareArray | Declared):
        return (), None
    if body is None or planned.output is None or not planned.statement.ok:
        _give_up(planned, memory)
        return (), None
    try:
        for ref in operands_of(body):
            memory.admit(Value(_name(ref, body), ref.type))
        wanted = _dense(body, memory)
    except (LayoutError, StepError, EvaluationError, KeyError, ValueError) as problem:
        return (), Failure(f"the statement has no dense value: {problem}", statement=number)
    before = memory.copy()
    ran, failure = _run_to_output(planned.steps, planned, wanted, memory, number)
    for other in planned.alternatives if alternatives else ():
        if failure is None:
            _, failure = _run_to_output(other.steps, planned, wanted, before.copy(), number)
            failure = None if failure is None else failure._replace(alternative=other.name)
    return ran, failure


def _run_to_output(
    steps: tuple[Step, ...], planned: StatementPlan, wanted: Named, memory: Memory, number: int
) -> tuple[tuple[Ran, ...], Failure | None]:
    """Run steps, then see that they leave the output in its stated layout with the value of the formula."""
    ran, failure = replay(steps, memory, number)
    if failure is None:
        message = _output_problem(planned, wanted, memory)
        failure = None if message is None else Failure(message, statement=number)
    return ran, failure


def _output_problem(planned: StatementPlan, wanted: Named, memory: Memory) -> str | None:
    output, body = planned.output, planned.statement.body
    assert output is not None
    stated = result_of(body)
    if stated is not None and (stated.type.dims, stated.type.sharding) != (output.type.dims, output.type.sharding):
        return f"the output {array_text(output.name, output.type)} is not the stated {array_text(stated.name, stated.type)}"
    key = layout_of(output)
    if key not in memory.blocks and not (isinstance(body, Reshard | Collective) and _take_over(body, output, memory)):
        return f"the steps never make the output {array_text(output.name, output.type)}"
    made = memory.dense[key.name, key.dims]
    exact = made.exact and wanted.exact
    if sorted(wanted.dims) != sorted(key.dims) or not same(made.data, in_order(wanted, key.dims), exact=exact):
        return f"the steps compute another array than the statement says for {array_text(output.name, output.type)}"
    return None


def _take_over(body: Reshard | Collective, output: Value, memory: Memory) -> bool:
    """Make a result that differs from a layout at hand only by its name or the order of its dimensions."""
    want = {dim: output.type.axes_of(dim) for dim in output.type.dims}
    names = {layout_of(output).name, body.operand.name if isinstance(body.operand, Ref) else None}
    for key, blocks in memory.blocks.items():
        have = dict(zip(key.dims, key.sharding.axes, strict=True))
        pending_alike = key.sharding[1:] == output.type.sharding[1:]
        if key.name in names and have == want and pending_alike:
            whole = memory.dense[key.name, key.dims]
            turned = {device: in_order(Named(key.dims, block), output.type.dims) for device, block in blocks.items()}
            dense = whole._replace(dims=output.type.dims, data=in_order(whole, output.type.dims))
            memory.write(output, turned, dense, rebind=key.name != layout_of(output).name)
            return True
    return False


def _dense(body: Body, memory: Memory) -> Named:
    """Return the global value that a statement stands for."""

    def value(ref: Ref) -> Named:
        return memory.value(_name(ref, body) or "", ref.type.dims)

    match body:
        case Computation():
            return evaluate(body.expr, value, memory.sizes)
        case Collective():
            return evaluate(body.operand, value, memory.sizes)
        case Reshard():
            return value(body.operand)
        case _:
            raise StepError("a statement without a value")


def _name(ref: Ref, body: Body) -> str | None:
    """Return the name of an operand; one without a name under a collective or reshard has that of the result."""
    if ref.name is None and isinstance(body, Collective | Reshard) and body.result is not None:
        return body.result.name
    return ref.name


def _give_up(planned: StatementPlan, memory: Memory) -> None:
    """Forget the result of a statement that was refused or failed, so that later statements still run."""
    result = result_of(planned.statement.body)
    if result is not None:
        memory.forget(result.name or "")
