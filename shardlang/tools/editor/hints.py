"""What inference adds to a statement, shown at the end of its line."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from shardlang.api.parts import plans_apart
from shardlang.reports.checked import checked_statements
from shardlang.reports.units import quantity
from shardlang.rules.plan import COLLECTIVES, Plan, StatementPlan, Step
from shardlang.rules.text import subscript_text, value_text
from shardlang.semantics.program import Collective, result_of, stands_alone
from shardlang.tools.editor.analysis import Analysis

_MOST_COLLECTIVES = 4


class Hint(NamedTuple):
    """Words at an offset. kind: `output` (the inferred result) or `collectives`."""

    offset: int
    text: str
    kind: str


def hints(
    analysis: Analysis, start: int, end: int, kinds: tuple[str, ...] = ("output", "collectives")
) -> tuple[Hint, ...]:
    """Return the hints of the statements between two offsets."""
    plans = plans_apart([text.plan for text in analysis.planned.texts])
    return tuple(hint for plan in plans for hint in _hints(analysis, plan, start, end, kinds))


def _hints(analysis: Analysis, plan: Plan, start: int, end: int, kinds: tuple[str, ...]) -> Iterator[Hint]:
    inside = [
        planned
        for planned in plan.statements
        if planned.output is not None
        and start <= planned.statement.span.end
        and planned.statement.span.start <= end
        and not stands_alone(planned.statement)
    ]
    request, priced = analysis.request, plan._replace(statements=tuple(inside))
    reports = checked_statements(analysis.source, priced, request.reduce_dtype, request.options.uneven)
    for planned, report in zip(inside, reports, strict=True):
        span = planned.statement.span
        written = result_of(planned.statement.body) is not None
        if not written and "output" in kinds:
            yield Hint(span.end, f"-> {report.output}", "output")
        received = (step.bytes_received for step in report.steps)
        moved = _inferred(planned, received)
        if "collectives" in kinds and moved:
            shown = [_short(step) + (f" ({quantity(count, 'bytes')})" if count else "") for step, count in moved]
            shown = shown[:_MOST_COLLECTIVES]
            more = f", {len(moved) - _MOST_COLLECTIVES} more" if len(moved) > _MOST_COLLECTIVES else ""
            yield Hint(span.end, ", ".join(shown) + more, "collectives")


def _inferred(planned: StatementPlan, received: Iterable[float | None]) -> list[tuple[Step, float | None]]:
    """Return the collectives that the text does not spell out, with the bytes that a device receives."""
    steps = zip(planned.steps, received, strict=True)
    moved = [(step, count) for step, count in steps if step.kind in COLLECTIVES]
    alone = isinstance(planned.statement.body, Collective) and len(moved) == 1
    return [] if alone else moved


def _short(step: Step) -> str:
    array = step.operands[0]
    return step.kind + subscript_text(step.kind, step.axes, step.dims, array) + f" {array.name or value_text(array)}"
