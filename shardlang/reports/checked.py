"""What `check` reports of each statement of a plan."""

from collections.abc import Callable
from typing import NamedTuple

from shardlang.pricing.steps import Sizes, bytes_received, group_size, size_of
from shardlang.reports.objects import AlternativeReport, StatementReport, StepReport
from shardlang.rules.plan import COLLECTIVES, Plan, StatementPlan, Step
from shardlang.rules.text import value_text
from shardlang.semantics.program import stands_alone
from shardlang.source import SourceText


class _Numbers(NamedTuple):
    """The sizes of a plan that are known; a name that is missing is open."""

    sizes: Sizes

    def received(self, step: Step) -> float | None:
        """Return the bytes that one device receives in a step, None while a size is open."""
        try:
            return float(bytes_received(step, self.sizes))
        except KeyError:
            # Without devices to talk to nothing moves, whatever the sizes.
            return None if step.kind in COLLECTIVES else 0.0


def checked_statements(
    source: SourceText, plan: Plan, reduce_dtype: str | None = None, uneven: bool = False
) -> tuple[StatementReport, ...]:
    """Return each operation of `plan` with its steps and alternatives."""
    numbers = _Numbers(_known_sizes(plan, reduce_dtype, uneven))
    operations = (planned for planned in plan.statements if not stands_alone(planned.statement))
    return tuple(_statement(source, planned, numbers) for planned in operations)


def checked_arrays(source: SourceText, plan: Plan) -> tuple[StatementReport, ...]:
    """Return each array of `plan` that stands alone: it is checked, and no operation."""
    numbers = _Numbers(_known_sizes(plan, None, False))
    alone = (planned for planned in plan.statements if stands_alone(planned.statement))
    return tuple(_statement(source, planned, numbers) for planned in alone)


def _statement(source: SourceText, planned: StatementPlan, numbers: _Numbers) -> StatementReport:
    line = source.position(planned.statement.span.start).line
    if planned.output is None:
        return StatementReport(line, None, (), (), planned.statement.span)
    steps = tuple(_step(step, numbers) for step in planned.steps)
    alternatives = tuple(
        AlternativeReport(
            tuple(_step(step, numbers) for step in other.steps),
            other.wins_when,
            other.best_when,
            other.example,
            "time" if other.timed else "bytes",
        )
        for other in planned.alternatives
    )
    return StatementReport(line, value_text(planned.output), steps, alternatives, planned.statement.span)


def _step(step: Step, numbers: _Numbers) -> StepReport:
    return StepReport(step.kind, step.axes, step.dims, step.text, numbers.received(step))


def _known_sizes(plan: Plan, reduce_dtype: str | None, uneven: bool) -> Sizes:
    program = plan.program
    dims = {name: size.integer for name, size in program.sizes.items() if size.integer is not None}
    axes = {axis.name: axis.size for axis in program.mesh.axes if axis.size is not None}
    sizes = Sizes(dims, axes, program.dtype, reduce_dtype, declared=program.declared_types)
    return sizes._replace(extent=_padded(sizes)) if uneven else sizes


def _padded(sizes: Sizes) -> Callable[[str, tuple[str, ...]], int]:
    """Return the function that gives the length of a padded block: the length over its axes, rounded up."""

    def extent(dim: str, axes: tuple[str, ...]) -> int:
        return int(-(-size_of(dim, sizes) // group_size(axes, sizes)))

    return extent
