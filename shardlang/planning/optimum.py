"""The best plan of an expression by search, and what a plan costs in the unit of the search."""

from math import prod
from typing import NamedTuple

from shardlang.planning import tree
from shardlang.planning.budget import TooLargeError
from shardlang.planning.build import local_step
from shardlang.planning.canonical import Names
from shardlang.planning.context import Context, Goal
from shardlang.planning.reasons import Purpose
from shardlang.planning.routes import follow, route
from shardlang.planning.search import FREE_STEP, ZERO, Cost, Objective, add
from shardlang.planning.settings import FEMTOSECONDS, objective_for
from shardlang.planning.space import Allowed, Charge
from shardlang.rules.plan import COLLECTIVES, FREE_STEPS, Step, Value
from shardlang.rules.signature import signature_of
from shardlang.semantics.program import Constant, Expr, Op, arrays_in
from shardlang.semantics.sharding import ArrayType, Sharding


class Inferred(NamedTuple):
    """Steps in order and the value that they make.

    usual: the steps by the rule for symbolic sizes, where they differ; gain: the part of their price that this plan
    saves.
    """

    steps: tuple[Step, ...]
    value: Value
    usual: tuple[Step, ...] = ()
    gain: float = 0.0


class Scope(NamedTuple):
    """What a plan of an expression is about: its dimensions, the layouts that stand in it, and the axes that it may use.

    known: every size that the plan depends on is given.
    """

    dims: tuple[str, ...]
    layouts: tuple[Sharding, ...]
    active: tuple[str, ...]
    known: bool


def scope_of(context: Context, expr: Expr, wanted: Sharding | None) -> Scope:
    """Return the scope of an expression, with the layout that its result is to have."""
    arrays = [ref.type for ref in arrays_in(expr)]
    dims = tuple(dict.fromkeys([dim for array in arrays for dim in array.dims]))
    layouts = (*[array.sharding for array in arrays], *((wanted,) if wanted is not None else ()))
    active = context.active([axis for layout in layouts for axis in layout.used()])
    return Scope(dims, layouts, active, context.known(dims, active))


def is_known(context: Context, expr: Expr, wanted: Sharding | None) -> bool:
    """Say whether every size that a plan of the expression depends on is given."""
    return scope_of(context, expr, wanted).known


def active_axes(context: Context, expr: Expr, wanted: Sharding | None) -> tuple[str, ...]:
    """Return the axes that a plan of the expression may use."""
    return scope_of(context, expr, wanted).active


def communicates(steps: tuple[Step, ...]) -> bool:
    """Say whether a collective is among the steps."""
    return any(step.kind in COLLECTIVES for step in steps)


def searched(
    context: Context, op: Op, goal: Goal, scope: Scope, free_only: bool = False, below: Cost | None = None
) -> tuple[Inferred, Cost] | None:
    """Return the best plan of the search space, cheaper than `below`, and what it costs; None if there is none."""
    assert goal.sharding is not None
    if free_only and not _may_be_free(op, goal.sharding):
        return None
    names = Names(scope.dims, scope.active, context.sizes, scope.layouts)
    node, target = names.node(expression_node(context, op, goal.dtype)), names.sharding(goal.sharding)
    known = scope.known
    key = (node, target, known, free_only, below, names.key(known and context.settings.collective_time is not None))

    def search() -> tree.Best | None:
        objective = objective_for(names.settings(context.settings), names.sizes, known)
        allowed = Allowed(free_only, None if known or free_only else target.pending)
        tables = names.tables(context.tables.budget)
        return tree.best(
            node, tree.Search(names.active, tables, objective, tree.kinds_of(node, target), allowed, below), target
        )

    try:
        found = context.searches.once(key, search, context.tables.budget)
    except TooLargeError:
        context.bounded.append("the search for the best plan")
        return None
    if found is None or (below is not None and found.cost >= below):
        return None
    steps: list[Step] = []
    value = emit(context, op, names.real_plan(found.plan), goal, None, steps)
    return Inferred(tuple(steps), value), found.cost


def resharded(context: Context, value: Value, goal: Goal) -> Inferred | None:
    """Return the cheapest steps from the layout of a value to that of `goal`, None if there are none."""
    assert goal.sharding is not None
    moves = route(context, value.type, goal.sharding)
    if moves is None:
        return None
    value, steps = follow(value, moves, Purpose(goal.name or "the result"))
    return Inferred(tuple(steps), value)


def _may_be_free(op: Op, wanted: Sharding) -> bool:
    """Say whether a plan without communication can exist: such a plan keeps every axis in use.

    A free step and a local operation carry an axis that shards or is pending to one that shards or is pending.
    """
    kept = wanted.used()
    return all(axis in kept for ref in arrays_in(op) for axis in ref.type.sharding.used())


def expression_node(context: Context, expr: Expr, dtype: str) -> tree.Leaf | tree.Branch:
    """Return an expression as the search sees it; `dtype` is the element type of its result."""
    if not isinstance(expr, Op):
        value = context.value(expr)
        return tree.Leaf(value.type.dims, value.type.sharding, context.width(value.type.dtype))
    children = tuple(expression_node(context, arg, context.program.dtype) for arg in expr.args)
    price = flops_price(context, _dtypes(context, expr))
    return tree.Branch(context.signature(expr, dtype), children, context.width(dtype), price, expr.local)


def cost_of(context: Context, steps: tuple[Step, ...], objective: Objective) -> Cost:
    """Return what a search would count for `steps`."""
    total = ZERO
    for step in steps:
        if step.kind in FREE_STEPS:
            total = add(total, FREE_STEP)
        elif step.kind in COLLECTIVES:
            total = add(total, _collective_cost(context, step, objective))
        else:
            signature = signature_of(
                step.op, tuple(value.type.dims for value in step.operands), step.result.type.dims, step.contracted
            )
            dtypes = [value.type.dtype or context.program.dtype for value in step.operands if value.constant is None]
            branch = tree.Branch(signature, (), 0.0, flops_price(context, dtypes))
            shardings = tuple(value.type.sharding for value in step.operands)
            total = add(total, tree.form_cost(branch, tree.cut_by(shardings), context.sizes, objective))
    return total


def _collective_cost(context: Context, step: Step, objective: Objective) -> Cost:
    array = step.operands[0].type
    cut = tuple(axis for axes in array.sharding.axes for axis in axes)
    sizes = {axis: context.sizes.axis(axis) for axis in (*step.axes, *cut)}
    elements = prod(map(context.sizes.dim, array.dims))
    price = objective.of(Charge(step.kind, step.axes, cut), sizes, elements, context.width(array.dtype))
    return objective.cost(price, 1)


def _dtypes(context: Context, op: Op) -> list[str]:
    return [context.operand_dtype(arg) for arg in op.args if not isinstance(arg, Constant)]


def flops_price(context: Context, dtypes: list[str]) -> float:
    """Return femtoseconds a FLOP at the rate of the widest operand, 0 where no hardware decides."""
    if context.settings.math_rate is None:
        return 0.0
    rate = context.settings.math_rate(max(dtypes or [context.program.dtype], key=context.width))
    return FEMTOSECONDS / rate if rate else 0.0


def emit(
    context: Context, expr: Expr, plan: tree.Chosen, goal: Goal, purpose: Purpose | None, steps: list[Step]
) -> Value:
    """Append the steps of a chosen plan, operands before operations, and return the value that they make."""
    if not isinstance(expr, Op):
        value = context.value(expr)
    else:
        signature = context.signature(expr, goal.dtype)
        given = tuple(_given(context, arg, child) for arg, child in zip(expr.args, plan.children, strict=True))
        inner = Purpose(goal.name or "the result", signature, given)
        values = []
        for arg, child in zip(expr.args, plan.children, strict=True):
            name = context.fresh(arg) if isinstance(arg, Op) else None
            values.append(emit(context, arg, child, Goal(name, context.program.dtype, None), inner, steps))
        step = local_step(expr, signature, tuple(values), goal.name, goal.dtype)
        steps.append(step)
        value = step.result
    value, more = follow(value, list(plan.moves), purpose or Purpose(goal.name or "the result"))
    steps += more
    return value


def _given(context: Context, arg: Expr, plan: tree.Chosen) -> Value:
    """Return an operand as it is before anything is moved for the operation that takes it."""
    if isinstance(arg, Op):
        return Value(context.fresh(arg), ArrayType(arg.dims, plan.formed))
    return context.value(arg)
