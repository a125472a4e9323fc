"""From one layout of an array to another: the cheapest steps, found once for every text."""

from shardlang.planning.budget import TooLargeError
from shardlang.planning.build import moved
from shardlang.planning.canonical import Names
from shardlang.planning.context import Context
from shardlang.planning.plain import plain_route
from shardlang.planning.reasons import Purpose
from shardlang.planning.search import steps_between
from shardlang.planning.settings import objective_for
from shardlang.planning.space import Allowed, Move
from shardlang.planning.tree import Leaf, Search, best
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
    active = context.active((*array.sharding.used(), *target.used()))
    names = Names(array.dims, active, context.sizes, (array.sharding, target))
    known = not symbolic and context.known(array.dims, active)
    ends = names.sharding(array.sharding), names.sharding(target)
    by_time = known and context.settings.collective_time is not None
    key = (ends, context.width(array.dtype), known, free_only, names.key(by_time))
    try:
        moves = context.searches.once(
            key, lambda: _find_route(context, names, ends, array, known, free_only), context.tables.budget
        )
    except TooLargeError:
        context.bounded.append("a reshard")
        return None if free_only else plain_route(array, target)
    return None if moves is None else [names.real_move(move) for move in moves]


def _find_route(
    context: Context, names: Names, ends: tuple[Sharding, Sharding], array: ArrayType, known: bool, free_only: bool
) -> tuple[Move, ...] | None:
    """Return the steps between two layouts under the names of the search. Raises TooLargeError at the bound."""
    source, target = ends
    kinds = tuple(dict.fromkeys(side.kind for side in ends if side.pending)) or ("sum",)
    objective = objective_for(names.settings(context.settings), names.sizes, known)
    dims, width = names.dims(array.dims), context.width(array.dtype)
    allowed = Allowed(free_only) if known or free_only else Allowed(False, target.pending, target)
    search = Search(names.active, names.tables(context.tables.budget), objective, kinds, allowed)
    layouts = search.tables.layouts(dims, names.active, kinds)
    if search.keeps_tables(layouts):
        context.tables.budget.spend(len(layouts.known))
        return steps_between(layouts, layouts.number(source), layouts.number(target), width, objective, allowed)
    found = best(Leaf(dims, source, width), search, target)
    return found.plan.moves if found is not None else None


def follow(value: Value, moves: list[Move], purpose: Purpose) -> tuple[Value, list[Step]]:
    """Return the value after `moves`, and the steps."""
    steps = []
    for move in moves:
        step = moved(value, move, purpose)
        steps.append(step)
        value = step.result
    return value, steps
