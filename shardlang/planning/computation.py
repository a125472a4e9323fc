"""Inference for one statement: from a resolved expression and, perhaps, an output to steps.

Source: NOTATION section 5. With every size of the statement known the best plan of the search space
(`optimum`), else the rule for symbolic sizes (`choose`), from the leaves up.
"""

from typing import NamedTuple

from shardlang.planning import tree
from shardlang.planning.budget import TooLargeError
from shardlang.planning.build import local_step
from shardlang.planning.choose import Open, choose
from shardlang.planning.context import Context, Goal
from shardlang.planning.optimum import (
    Inferred,
    Scope,
    active_axes,
    communicates,
    cost_of,
    expression_node,
    scope_of,
    searched,
)
from shardlang.planning.reasons import Purpose
from shardlang.planning.routes import follow, route
from shardlang.planning.settings import objective_for
from shardlang.planning.sizes import Sizes
from shardlang.planning.space import Allowed
from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.plan import LOCAL_STEPS, Step, Value
from shardlang.rules.signature import Signature
from shardlang.semantics.program import Op, Ref
from shardlang.semantics.sharding import Sharding


class Unplanned(NamedTuple):
    """No plan: what is open, in which operation, on which operands."""

    question: Open
    op: Op
    operands: tuple[Value, ...]


def infer(context: Context, op: Op, goal: Goal, free_only: bool = False) -> Inferred | Unplanned | None:
    """Return the steps of a computation; what is open if the operands do not decide; None if there is no plan.

    `free_only` forbids communication (`explicit`). An operation marked `_LOCAL` has none of its own in any case.
    """
    usual = _symbolic(context, op, goal, free_only)
    if goal.sharding is None:
        layout = (
            usual.value.type.sharding if isinstance(usual, Inferred) else _natural_layout(context, op, usual, free_only)
        )
        if not isinstance(layout, Sharding):
            return layout
        goal = goal._replace(sharding=layout)
    scope = scope_of(context, op, goal.sharding)
    if isinstance(usual, Inferred) and (free_only or not communicates(usual.steps)) and not scope.known:
        return usual
    if free_only or not scope.known:
        found = searched(context, op, goal, scope, free_only=True)
        if found is not None:
            return found[0]
        return _by_rule(context, op, goal, scope, usual, free_only)
    return _best(context, op, goal, scope, usual if isinstance(usual, Inferred) else None)


def _by_rule(
    context: Context, op: Op, goal: Goal, scope: Scope, usual: Inferred | Unplanned | None, free_only: bool
) -> Inferred | None:
    """Return the plan of the rule; where an intermediate has no natural layout, the one with the fewest collectives."""
    if isinstance(
        usual, Inferred
    ):  # also without communication, where the search for the best plan stopped at its bound
        return usual
    return None if free_only else _searched(context, op, goal, scope)


def _searched(context: Context, op: Op, goal: Goal, scope: Scope) -> Inferred | None:
    """Return the best plan of the search space, or where that is too large one that is right."""
    found = searched(context, op, goal, scope)
    return found[0] if found is not None else _settled(context, op, goal)


def _best(context: Context, op: Op, goal: Goal, scope: Scope, usual: Inferred | None) -> Inferred | None:
    """Return the best plan for known sizes, with the plan of the symbolic rule as what is to be beaten."""
    assert goal.sharding is not None
    if usual is None:
        return _searched(context, op, goal, scope)
    if not communicates(usual.steps) and all(_splits(step, scope.active) for step in usual.steps):
        return usual  # nothing is moved, and every axis shares the arithmetic: nothing can be cheaper
    limit = cost_of(context, usual.steps, objective_for(context.settings, context.sizes.over(scope.active), True))
    found = searched(context, op, goal, scope, below=limit)
    if found is None:
        return usual
    best, cost = found
    return best._replace(usual=usual.steps, gain=1 - cost[0] / limit[0] if limit[0] else 0.0)


def _splits(step: Step, active: tuple[str, ...]) -> bool:
    """Say whether a local step shares its arithmetic over all the axes that are active; any other step does."""
    if step.kind not in LOCAL_STEPS:
        return True
    used = {axis for value in step.operands for axes in value.type.sharding.axes for axis in axes}
    return used.issuperset(active)


def _settled(context: Context, op: Op, goal: Goal) -> Inferred | None:
    """Return a plan for when the search is too large: an intermediate without a natural layout is taken as if wanted whole."""
    made = _symbolic(context, op, goal, False, settle=True)
    return made if isinstance(made, Inferred) else None


def whole(dims: tuple[str, ...]) -> Sharding:
    """Return the layout of an array that every device holds whole."""
    return Sharding(((),) * len(dims))


def _symbolic(
    context: Context, op: Op, goal: Goal, free_only: bool, settle: bool = False
) -> Inferred | Unplanned | None:
    steps: list[Step] = []
    operands: list[Value] = []
    for arg in op.args:
        if not isinstance(arg, Op):
            operands.append(context.value(arg))
            continue
        inner = Goal(context.fresh(arg), context.program.dtype, None)
        made = _symbolic(context, arg, inner, free_only, settle)
        if made is None or isinstance(made, Unplanned):
            return made if goal.sharding is None else None
        steps += made.steps
        operands.append(made.value)
    free_only = free_only or op.local
    signature = context.signature(op, goal.dtype)
    layouts = choose(signature, tuple(value.type.sharding for value in operands), goal.sharding, free_only)
    if isinstance(layouts, Open) and settle:
        layouts = choose(signature, tuple(value.type.sharding for value in operands), whole(op.dims))
    if isinstance(layouts, Open):
        return Unplanned(layouts, op, tuple(operands))
    ready: list[Value] = []
    for value, layout in zip(operands, layouts, strict=True):
        moves = route(context, value.type, layout, free_only, symbolic=True)
        if moves is None:
            return None
        value, more = follow(value, moves, Purpose(goal.name or "the result", signature, tuple(operands)))
        steps += more
        ready.append(value)
    problem = local_result(signature, layouts)
    if isinstance(problem, LocalProblem):  # two kinds of pending that no rule brings together
        unplanned = Unplanned(Open("kinds", problem.axis), op, tuple(operands))
        return unplanned if goal.sharding is None else None
    step = local_step(op, signature, tuple(ready), goal.name, goal.dtype)
    steps.append(step)
    if goal.sharding is None or goal.sharding == step.result.type.sharding:
        return Inferred(tuple(steps), step.result)
    moves = route(context, step.result.type, goal.sharding, free_only, symbolic=True)
    if moves is None:
        return None
    value, more = follow(step.result, moves, Purpose(goal.name or "the result"))
    return Inferred((*steps, *more), value)


def _natural_layout(context: Context, op: Op, usual: Unplanned | None, free_only: bool) -> Sharding | Unplanned | None:
    """Return the layout of an expression without output in which an intermediate has no natural one.

    A chain of products in which each dimension joins two operands is then read as one product of all of them. Any
    other expression takes the layout that the fewest collectives lead to. Sizes that are known do not change it, but
    for what divides evenly: they change the steps.
    """
    if usual is None or usual.op is op:
        return usual
    leaves = _chain(op)
    if leaves is not None and _paired(leaves):
        signature = _chain_signature(op, leaves)
        layouts = choose(signature, tuple(leaf.type.sharding for leaf in leaves), None, free_only)
        if isinstance(layouts, Open):
            return Unplanned(layouts, op, tuple(map(context.value, leaves)))
        result = local_result(signature, layouts)
        return result if isinstance(result, Sharding) else usual
    active = active_axes(context, op, None)
    tables = tree.Tables(Sizes({}, {}), context.tables.budget)
    objective = objective_for(context.settings, tables.sizes, False)
    node = expression_node(context, op, context.program.dtype)
    try:
        search = tree.Search(active, tables, objective, tree.kinds_of(node, None), Allowed(free_only, ()))
        formed = tree.solve(node, search).formed()
    except TooLargeError:
        return usual
    even = [(cost, sharding) for sharding, cost in formed.items() if _divides(context, op.dims, sharding)]
    return min(even)[1] if even else usual


def _divides(context: Context, dims: tuple[str, ...], sharding: Sharding) -> bool:
    return all(context.sizes.divides(dim, axes) for dim, axes in zip(dims, sharding.axes, strict=True))


def _chain(op: Op) -> list[Ref] | None:
    """Return the operands of a chain of products, None if something else stands in it."""
    leaves: list[Ref] = []
    for arg in op.args:
        if isinstance(arg, Ref):
            leaves.append(arg)
        elif isinstance(arg, Op) and (inner := _chain(arg)) is not None:
            leaves += inner
        else:
            return None
    return leaves if op.name == "contract" else None


def _paired(leaves: list[Ref]) -> bool:
    """Say whether no dimension is in more than two of the operands, as in a product of two."""
    dims = [dim for leaf in leaves for dim in leaf.type.dims]
    return all(dims.count(dim) <= 2 for dim in dims)


def _chain_signature(op: Op, leaves: list[Ref]) -> Signature:
    dims = tuple(leaf.type.dims for leaf in leaves)
    contracted = tuple(dict.fromkeys(dim for operand in dims for dim in operand if dim not in op.dims))
    linear = tuple(((index,), "sum", "sum") for index in range(len(leaves)))
    return Signature("contract", dims, op.dims, contracted, "sum", linear)
