"""From one layout of an array to another: the cheapest steps, found once for every text."""

from shardlang.planning.build import moved
from shardlang.planning.context import Context
from shardlang.planning.plain import plain_route
from shardlang.planning.reasons import Purpose
from shardlang.planning.search import ZERO, explore, path
from shardlang.planning.settings import objective_for
from shardlang.planning.space import Move, TooLargeError
from shardlang.rules.plan import Step, Value
from shardlang.semantics.sharding import ArrayType, Sharding


def route(
    context: Context, array: ArrayType, target: Sharding, free_only: bool = False, symbolic: bool = False
) -> list[Move] | None:
    """Return the cheapest steps from the layout of `array` to `target`, None if there are none.

    Only axes that one of the two uses take part, unless idle axes are asked for. With a size open, or `symbolic`, an
    axis that the target has on a dimension is not gathered on the way (NOTATION section 5: it is moved, and a permute
    comes first), and nothing is masked that is not to be pending.
    """
    if array.sharding == target:
        return []
    key = (array, target, free_only, symbolic)
    if key not in context.routes:
        context.routes[key] = _find_route(context, array, target, free_only, symbolic)
    return context.routes[key]


def _find_route(
    context: Context, array: ArrayType, target: Sharding, free_only: bool, symbolic: bool
) -> list[Move] | None:
    source = array.sharding
    active = context.active((*source.used(), *target.used()))
    known = not symbolic and context.known(array.dims, active)
    kinds = tuple(dict.fromkeys(side.kind for side in (source, target) if side.pending)) or ("sum",)
    objective = objective_for(context.settings, context.sizes, known, free_only)
    try:
        if known or free_only:
            space = context.tables.space(array.dims, active, kinds)
        else:
            space = context.tables.space(array.dims, active, kinds, target.pending, target)
        origin = {source: (ZERO, None)}
        reached = explore(space, context.width(array.dtype), origin, objective, context.tables.budget, target)
    except TooLargeError:
        context.bounded.append("a reshard")
        return None if free_only else plain_route(array, target)
    return path(reached, target)[1] if target in reached else None


def follow(value: Value, moves: list[Move], purpose: Purpose) -> tuple[Value, list[Step]]:
    """Return the value after `moves`, and the steps."""
    steps = []
    for move in moves:
        step = moved(value, move, purpose)
        steps.append(step)
        value = step.result
    return value, steps
