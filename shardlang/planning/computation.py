"""Inference for one statement: from a resolved expression and, perhaps, an output to steps.

Source: NOTATION section 5. With every size of the statement known the best plan of the search space
(`tree`), else the rule for symbolic sizes (`choose`), from the leaves up.
"""

from typing import NamedTuple

from shardlang.planning import tree
from shardlang.planning.build import local_step, signature_for
from shardlang.planning.choose import Open, choose
from shardlang.planning.context import Context, Goal
from shardlang.planning.reasons import Purpose
from shardlang.planning.routes import follow, route
from shardlang.planning.search import FREE_STEP, ZERO, Cost, Objective, add
from shardlang.planning.settings import FEMTOSECONDS, objective_for
from shardlang.planning.space import TooLargeError
from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.plan import COLLECTIVES, FREE_STEPS, LOCAL_STEPS, Step, Value
from shardlang.rules.signature import Signature, signature_of
from shardlang.semantics.program import Constant, Expr, Op, Ref, arrays_in, dims_of
from shardlang.semantics.sharding import ArrayType, Sharding


class Inferred(NamedTuple):
    """Steps in order and the value that they make.

    usual: the steps by the rule for symbolic sizes, where they differ;
    gain: the part of their price that this plan saves.
    """

    steps: tuple[Step, ...]
    value: Value
    usual: tuple[Step, ...] = ()
    gain: float = 0.0


class Unplanned(NamedTuple):
    """No plan: what is open, in which operation, on which operands."""

    question: Open
    op: Op
    operands: tuple[Value, ...]


def infer(context: Context, op: Op, goal: Goal, free_only: bool = False) -> Inferred | Unplanned | None:
    """Return the steps of a computation; what is open if the operands do not decide; None if there is no plan.

    `free_only` forbids communication (`_LOCAL`, `explicit`).
    """
    usual = _symbolic(context, op, goal, free_only)
    if goal.sharding is None:
        layout = (
            usual.value.type.sharding if isinstance(usual, Inferred) else _natural_layout(context, op, usual, free_only)
        )
        if not isinstance(layout, Sharding):
            return layout
        goal = goal._replace(sharding=layout)
    if isinstance(usual, Inferred) and (free_only or not _communicates(usual.steps)) and not is_known(context, op):
        return usual
    if free_only or not is_known(context, op):
        return _searched(context, op, goal, True) or (None if free_only else _by_rule(context, op, goal, usual))
    return _best(context, op, goal, usual if isinstance(usual, Inferred) else None)


def _by_rule(context: Context, op: Op, goal: Goal, usual: Inferred | Unplanned | None) -> Inferred | None:
    """Return the plan of the rule; where an intermediate has no natural layout, the one with the fewest collectives."""
    if isinstance(usual, Inferred):
        return usual
    return _searched(context, op, goal, False) or _settled(context, op, goal)


def _best(context: Context, op: Op, goal: Goal, usual: Inferred | None) -> Inferred | None:
    """Return the best plan for known sizes, with the plan of the symbolic rule as what is to be beaten."""
    assert goal.sharding is not None
    if usual is None:
        return _searched(context, op, goal, False) or _settled(context, op, goal)
    active = active_axes(context, op, goal.sharding)
    if not _communicates(usual.steps) and all(_splits(step, active) for step in usual.steps):
        return usual  # nothing is moved, and every axis shares the arithmetic: nothing can be cheaper
    objective = objective_for(context.settings, context.sizes, True)
    limit = cost_of(context, usual.steps, objective)
    best = _searched(context, op, goal, False, limit)
    cost = cost_of(context, best.steps, objective) if best is not None else limit
    if best is None or cost >= limit:
        return usual
    return best._replace(usual=usual.steps, gain=1 - cost[0] / limit[0] if limit[0] else 0.0)


def _splits(step: Step, active: tuple[str, ...]) -> bool:
    """Say whether a local step shares its arithmetic over all the axes that are active; any other step does."""
    if step.kind not in LOCAL_STEPS:
        return True
    used = {axis for value in step.operands for axes in value.type.sharding.axes for axis in axes}
    return used.issuperset(active)


def cost_of(context: Context, steps: tuple[Step, ...], objective: Objective) -> Cost:
    """Return what a search would count for `steps`."""
    total = ZERO
    for step in steps:
        if step.kind in FREE_STEPS:
            total = add(total, FREE_STEP)
        elif step.kind in COLLECTIVES:
            value = step.operands[0]
            elements = context.tables.space(value.type.dims, (), ("sum",)).local_elements(value.type.sharding)
            total = add(total, objective.collective(step.kind, elements, context.width(value.type.dtype), step.axes))
        else:
            signature = signature_of(
                step.op, tuple(value.type.dims for value in step.operands), step.result.type.dims, step.contracted
            )
            dtypes = [value.type.dtype for value in step.operands if value.constant is None]
            branch = tree.Branch(signature, (), 0.0, flops_price(context, dtypes))
            shardings = tuple(value.type.sharding for value in step.operands)
            total = add(total, tree.form_cost(branch, shardings, context.sizes, objective))
    return total


def _communicates(steps: tuple[Step, ...]) -> bool:
    return any(step.kind in COLLECTIVES for step in steps)


def is_known(context: Context, expr: Expr) -> bool:
    """Say whether every size of an expression is given."""
    return not any(context.sizes.open_dim(dim) for dim in used_dims(expr)) and not any(
        context.sizes.open_axis(axis) for axis in used_axes(expr)
    )


def used_dims(expr: Expr) -> tuple[str, ...]:
    """Return every dimension of an expression."""
    return tuple(dict.fromkeys(dim for ref in arrays_in(expr) for dim in ref.type.dims))


def used_axes(expr: Expr) -> tuple[str, ...]:
    """Return every mesh axis that an operand of an expression uses."""
    return tuple(dict.fromkeys(axis for ref in arrays_in(expr) for axis in ref.type.sharding.used()))


def active_axes(context: Context, expr: Expr, wanted: Sharding | None) -> tuple[str, ...]:
    """Return the axes that a plan may use, in the order of the mesh: all with idle axes asked for, else those in use."""
    used = dict.fromkeys((*used_axes(expr), *(wanted.used() if wanted else ())))
    order = [axis.name for axis in context.program.mesh.axes]
    everything = order if context.settings.idle_axes else [axis for axis in order if axis in used]
    return (*everything, *(axis for axis in used if axis not in order))


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
            return made if goal.sharding is None and made is not None else None
        steps += made.steps
        operands.append(made.value)
    signature = signature_for(op, tuple(operands))
    layouts = choose(signature, tuple(value.type.sharding for value in operands), goal.sharding, free_only)
    if isinstance(layouts, Open) and settle:
        layouts = choose(signature, tuple(value.type.sharding for value in operands), whole(op.dims))
    if isinstance(layouts, Open):
        return Unplanned(layouts, op, tuple(operands))
    ready: list[Value] = []
    for value, layout in zip(operands, layouts, strict=True):
        moves = route(context, value.type, layout, free_only)
        if moves is None:
            return None
        value, more = follow(value, moves, Purpose(goal.name or "the result", signature, tuple(operands)))
        steps += more
        ready.append(value)
    problem = local_result(signature, layouts)
    if isinstance(problem, LocalProblem):  # two kinds of pending that no rule brings together
        unplanned = Unplanned(Open("kinds", problem.axis), op, tuple(operands))
        return unplanned if goal.sharding is None else None
    step = local_step(op, tuple(ready), goal.name, goal.dtype)
    steps.append(step)
    if goal.sharding is None or goal.sharding == step.result.type.sharding:
        return Inferred(tuple(steps), step.result)
    moves = route(context, step.result.type, goal.sharding, free_only)
    if moves is None:
        return None
    value, more = follow(step.result, moves, Purpose(goal.name or "the result"))
    return Inferred((*steps, *more), value)


def _searched(context: Context, op: Op, goal: Goal, free_only: bool, limit: Cost | None = None) -> Inferred | None:
    """Return the best plan of the search space, no dearer than `limit`; None if there is none."""
    assert goal.sharding is not None
    objective = objective_for(context.settings, context.sizes, is_known(context, op), free_only)
    node = expression_node(context, op, goal.dtype)
    active = active_axes(context, op, goal.sharding)
    key = (node, active, goal.sharding, free_only)
    if key not in context.solved:
        maskable = None if objective.price_first or free_only else goal.sharding.pending
        search = tree.Search(active, context.tables, objective, maskable, limit)
        try:
            solved = tree.solve(node, search, goal.sharding)
        except TooLargeError:
            context.bounded.append("the search for the best plan")
            return None
        found = goal.sharding in solved.reached
        context.solved[key] = tree.chosen(node, solved, goal.sharding) if found else None
    plan = context.solved[key]
    if plan is None:
        return None
    steps: list[Step] = []
    value = emit(context, op, plan, goal, None, steps)
    return Inferred(tuple(steps), value)


def expression_node(context: Context, expr: Expr, dtype: str) -> tree.Leaf | tree.Branch:
    """Return an expression as the search sees it; `dtype` is the element type of its result."""
    if not isinstance(expr, Op):
        value = context.value(expr)
        return tree.Leaf(value.type.dims, value.type.sharding, context.width(value.type.dtype))
    children = tuple(expression_node(context, arg, context.program.dtype) for arg in expr.args)
    price = flops_price(context, _dtypes(context, expr))
    return tree.Branch(_signature(expr), children, context.width(dtype), price)


def _natural_layout(context: Context, op: Op, usual: Unplanned | None, free_only: bool) -> Sharding | Unplanned | None:
    """Return the layout of an expression without output in which an intermediate has no natural one.

    A chain of products is then read as one product of all its operands. Any other expression takes the layout
    that the fewest collectives lead to.
    """
    if usual is None or usual.op is op:
        return usual
    leaves = _chain(op)
    if leaves is not None:
        signature = _chain_signature(op, leaves)
        layouts = choose(signature, tuple(leaf.type.sharding for leaf in leaves), None, free_only)
        if isinstance(layouts, Open):
            return Unplanned(layouts, op, tuple(map(context.value, leaves)))
        result = local_result(signature, layouts)
        return result if isinstance(result, Sharding) else usual
    objective = objective_for(context.settings, context.sizes, False, free_only)
    node = expression_node(context, op, context.program.dtype)
    try:
        solved = tree.solve(node, tree.Search(active_axes(context, op, None), context.tables, objective, ()))
    except TooLargeError:
        return usual
    formed = [(reached.cost, sharding) for sharding, reached in solved.reached.items() if reached.before is None]
    return min(formed)[1] if formed else usual


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


def _chain_signature(op: Op, leaves: list[Ref]) -> Signature:
    dims = tuple(leaf.type.dims for leaf in leaves)
    contracted = tuple(dict.fromkeys(dim for operand in dims for dim in operand if dim not in op.dims))
    linear = tuple(((index,), "sum", "sum") for index in range(len(leaves)))
    return Signature("contract", dims, op.dims, contracted, "sum", linear)


def _signature(op: Op) -> Signature:
    constants = tuple(arg.text if isinstance(arg, Constant) else None for arg in op.args)
    return signature_of(op.name, tuple(map(dims_of, op.args)), op.dims, op.contracted, constants)


def _dtypes(context: Context, op: Op) -> list[str | None]:
    arrays = [arg for arg in op.args if not isinstance(arg, Constant)]
    return [context.value(arg).type.dtype if isinstance(arg, Ref) else None for arg in arrays]


def flops_price(context: Context, dtypes: list[str | None]) -> float:
    """Return femtoseconds a FLOP at the rate of the widest operand, 0 where no hardware decides."""
    if context.settings.math_rate is None:
        return 0.0
    names = [dtype or context.program.dtype for dtype in dtypes] or [context.program.dtype]
    rate = context.settings.math_rate(max(names, key=context.width))
    return FEMTOSECONDS / rate if rate else 0.0


def emit(
    context: Context, expr: Expr, plan: tree.Chosen, goal: Goal, purpose: Purpose | None, steps: list[Step]
) -> Value:
    """Append the steps of a chosen plan, operands before operations, and return the value that they make."""
    if not isinstance(expr, Op):
        value = context.value(expr)
    else:
        given = tuple(_given(context, arg, child) for arg, child in zip(expr.args, plan.children, strict=True))
        inner = Purpose(goal.name or "the result", _signature(expr), given)
        values = []
        for arg, child in zip(expr.args, plan.children, strict=True):
            name = context.fresh(arg) if isinstance(arg, Op) else None
            values.append(emit(context, arg, child, Goal(name, context.program.dtype, None), inner, steps))
        step = local_step(expr, tuple(values), goal.name, goal.dtype)
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
