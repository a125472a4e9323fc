"""Inference for one statement: from a resolved expression and, perhaps, an output to steps.

Source: NOTATION section 5. With every size of the statement known the best plan of the search space
(`tree`), else the rule for symbolic sizes (`choose`), from the leaves up.
"""

from collections.abc import Callable
from typing import NamedTuple

from shardlang.planning import tree
from shardlang.planning.build import Purpose, constant_value, local_step, moved, signature_for
from shardlang.planning.choose import Open, choose
from shardlang.planning.search import ZERO, Objective, explore, path
from shardlang.planning.settings import FEMTOSECONDS, Settings, objective_for
from shardlang.planning.space import Move, Sizes, Space
from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.plan import Step, Value
from shardlang.rules.signature import Signature, signature_of
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.program import Constant, Expr, Op, Program, Ref
from shardlang.semantics.sharding import ArrayType, Sharding


class Context(NamedTuple):
    """What planning one statement needs to know. `fresh` gives the name of the next intermediate."""

    program: Program
    sizes: Sizes
    settings: Settings
    fresh: Callable[[], str]

    def dtype(self, name: str | None, written: str | None) -> str:
        """Return the element type of an array: as written, as declared, else the plan's."""
        return written or self.program.declared_types.get(name or "", self.program.dtype)

    def width(self, dtype: str | None) -> float:
        """Return the bytes of one element."""
        return dtype_bytes(dtype or self.program.dtype).value or 0.0

    def value(self, leaf: Ref | Constant) -> Value:
        """Return a leaf of an expression as a value."""
        if isinstance(leaf, Constant):
            return constant_value(leaf)
        return Value(leaf.name, leaf.type._replace(dtype=self.dtype(leaf.name, leaf.type.dtype)))


class Goal(NamedTuple):
    """What the statement is to make: its name, element type, and layout (None: to be inferred)."""

    name: str | None
    dtype: str
    sharding: Sharding | None


class Inferred(NamedTuple):
    """Steps in order and the value that they make. `bounded`: the search stopped at its bound."""

    steps: tuple[Step, ...]
    value: Value
    bounded: bool = False


class Unplanned(NamedTuple):
    """No plan: what is open, in which operation, on which operands."""

    question: Open
    op: Op
    operands: tuple[Value, ...]


def infer(context: Context, op: Op, goal: Goal, free_only: bool = False) -> Inferred | Unplanned | None:
    """Return the steps of a computation; what is open if the operands do not decide; None if there is no plan.

    `free_only` forbids communication (`_LOCAL`, `explicit`).
    """
    if goal.sharding is None:
        natural = _symbolic(context, op, goal, free_only)
        if isinstance(natural, Unplanned) and natural.op is not op:
            natural = _fewest_collectives(context, op, goal, free_only) or natural
        if natural is None or isinstance(natural, Unplanned):
            return natural
        goal = goal._replace(sharding=natural.value.type.sharding)
        if not is_known(context, op) or free_only or not _communicates(natural.steps):
            return natural
    elif free_only:
        return _searched(context, op, goal, free_only)
    elif not is_known(context, op):
        return infer_symbolic(context, op, goal)
    return _searched(context, op, goal, free_only)


def infer_symbolic(context: Context, op: Op, goal: Goal) -> Inferred | Unplanned | None:
    """Return the steps by the rule for symbolic sizes: a plan without communication if there is one, else the cases."""
    planned = _symbolic(context, op, goal, False)
    if isinstance(planned, Inferred) and not _communicates(planned.steps):
        return planned
    if goal.sharding is not None:
        free = _searched(context, op, goal, True)
        if isinstance(free, Inferred):
            return free
    if isinstance(planned, Inferred):
        return planned
    return _searched(context, op, goal, False) if goal.sharding is not None else planned


def _communicates(steps: tuple[Step, ...]) -> bool:
    from_rules = ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "CollectivePermute")
    return any(step.kind in from_rules for step in steps)


def is_known(context: Context, expr: Expr) -> bool:
    """Say whether every size of an expression is given."""
    return not any(context.sizes.open_dim(dim) for dim in used_dims(expr)) and not any(
        context.sizes.open_axis(axis) for axis in used_axes(expr)
    )


def used_dims(expr: Expr) -> tuple[str, ...]:
    """Return every dimension of an expression."""
    if isinstance(expr, Op):
        return tuple(dict.fromkeys(dim for arg in expr.args for dim in used_dims(arg)))
    return expr.type.dims if isinstance(expr, Ref) else ()


def used_axes(expr: Expr) -> tuple[str, ...]:
    """Return every mesh axis that an operand of an expression uses."""
    if isinstance(expr, Op):
        return tuple(dict.fromkeys(axis for arg in expr.args for axis in used_axes(arg)))
    return expr.type.sharding.used() if isinstance(expr, Ref) else ()


def active_axes(context: Context, expr: Expr, wanted: Sharding | None) -> tuple[str, ...]:
    """Return the axes that a plan may use, in the order of the mesh: all with idle axes asked for, else those in use."""
    used = dict.fromkeys((*used_axes(expr), *(wanted.used() if wanted else ())))
    order = [axis.name for axis in context.program.mesh.axes]
    everything = order if context.settings.idle_axes else [axis for axis in order if axis in used]
    return (*everything, *(axis for axis in used if axis not in order))


# --- the rule for symbolic sizes ---------------------------------------------------------------------------


def _symbolic(context: Context, op: Op, goal: Goal, free_only: bool) -> Inferred | Unplanned | None:
    steps: list[Step] = []
    operands: list[Value] = []
    for arg in op.args:
        if not isinstance(arg, Op):
            operands.append(context.value(arg))
            continue
        inner = Goal(context.fresh(), context.program.dtype, None)
        made = _symbolic(context, arg, inner, free_only)
        if made is None or isinstance(made, Unplanned):
            return made if goal.sharding is None and made is not None else None
        steps += made.steps
        operands.append(made.value)
    signature = signature_for(op, tuple(operands))
    layouts = choose(signature, tuple(value.type.sharding for value in operands), goal.sharding, free_only)
    if isinstance(layouts, Open):
        return Unplanned(layouts, op, tuple(operands))
    ready: list[Value] = []
    for value, layout in zip(operands, layouts, strict=True):
        moves = route(context, value.type, layout, _others(layouts, goal.sharding), free_only)
        if moves is None:
            return None
        value, more = follow(value, moves, Purpose(signature, goal.name or "the result"))
        steps += more
        ready.append(value)
    if isinstance(local_result(signature, layouts), LocalProblem):
        return None
    step = local_step(op, tuple(ready), goal.name, goal.dtype)
    steps.append(step)
    if goal.sharding is None or goal.sharding == step.result.type.sharding:
        return Inferred(tuple(steps), step.result)
    moves = route(context, step.result.type, goal.sharding, (), free_only)
    if moves is None:
        return None
    value, more = follow(step.result, moves, Purpose(None, goal.name or "the result"))
    return Inferred((*steps, *more), value)


def _others(layouts: tuple[Sharding, ...], wanted: Sharding | None) -> tuple[str, ...]:
    axes = tuple(axis for layout in layouts for axis in layout.used())
    return axes + (wanted.used() if wanted else ())


def route(
    context: Context, array: ArrayType, target: Sharding, more: tuple[str, ...] = (), free_only: bool = False
) -> list[Move] | None:
    """Return the cheapest steps from the layout of `array` to `target`, None if there are none.

    Only axes that one of the two uses take part, unless idle axes are asked for. With a size open, an axis that
    stays on its dimension is not gathered on the way (NOTATION section 5: the permute comes first), and nothing is
    masked that is not to be pending.
    """
    source = array.sharding
    if source == target:
        return []
    used = dict.fromkeys((*source.used(), *target.used()))
    order = [axis.name for axis in context.program.mesh.axes]
    active = tuple(order) if context.settings.idle_axes else tuple(used)
    known = not any(context.sizes.open_dim(dim) for dim in array.dims) and not any(map(context.sizes.open_axis, active))
    kinds = [side.kind for side in (source, target) if side.pending]
    width = context.width(array.dtype)
    if known or free_only:
        space = Space(array.dims, active, context.sizes, width, kinds)
    else:
        anchored = tuple(frozenset(a) & frozenset(b) for a, b in zip(source.axes, target.axes, strict=True))
        space = Space(array.dims, active, context.sizes, width, kinds, target.pending, anchored)
    objective = objective_for(context.settings, context.sizes, known, free_only)
    reached = explore(space, {source: (ZERO, None)}, objective, target)
    return path(reached, target)[1] if target in reached else None


def follow(value: Value, moves: list[Move], purpose: Purpose) -> tuple[Value, list[Step]]:
    """Return the value after `moves`, and the steps."""
    steps = []
    for move in moves:
        step = moved(value, move, purpose)
        steps.append(step)
        value = step.result
    return value, steps


# --- the search for known sizes ----------------------------------------------------------------------------


def _searched(context: Context, op: Op, goal: Goal, free_only: bool) -> Inferred | None:
    assert goal.sharding is not None
    active = active_axes(context, op, goal.sharding)
    objective = objective_for(context.settings, context.sizes, is_known(context, op), free_only)
    try:
        node = expression_node(context, op, goal.dtype)
        assert isinstance(node, tree.Branch)
        maskable = None if objective.price_first or free_only else goal.sharding.pending
        solved = tree.solve(node, active, context.sizes, objective, goal.sharding, maskable)
    except tree.TooLarge:
        planned = _symbolic(context, op, goal, free_only)
        return planned._replace(bounded=True) if isinstance(planned, Inferred) else None
    if goal.sharding not in solved.reached:
        return None
    plan = tree.chosen(node, solved, goal.sharding)
    steps: list[Step] = []
    value = emit(context, op, plan, goal, None, steps)
    return Inferred(tuple(steps), value)


def expression_node(context: Context, expr: Expr, dtype: str) -> tree.Leaf | tree.Branch:
    """Return an expression as the search sees it; `dtype` is the element type of its result."""
    if not isinstance(expr, Op):
        value = context.value(expr)
        return tree.Leaf(value.type.dims, value.type.sharding, context.width(value.type.dtype))
    children = tuple(expression_node(context, arg, context.program.dtype) for arg in expr.args)
    signature = _signature(expr)
    return tree.Branch(signature, children, context.width(dtype), _flops_price(context, expr))


def _fewest_collectives(context: Context, op: Op, goal: Goal, free_only: bool) -> Inferred | None:
    """Return the plan with the fewest collectives of an expression in which an intermediate has no natural layout."""
    objective = objective_for(context.settings, context.sizes, False, free_only)
    node = expression_node(context, op, goal.dtype)
    try:
        solved = tree.solve(node, active_axes(context, op, None), context.sizes, objective, None, ())
    except tree.TooLarge:
        return None
    formed = [(reached.cost, sharding) for sharding, reached in solved.reached.items() if reached.before is None]
    return _searched(context, op, goal._replace(sharding=min(formed)[1]), free_only) if formed else None


def _signature(op: Op) -> Signature:
    constants = tuple(arg.text if isinstance(arg, Constant) else None for arg in op.args)
    return signature_of(op.name, tuple(map(_dims, op.args)), op.dims, op.contracted, constants)


def _dims(expr: Expr) -> tuple[str, ...]:
    if isinstance(expr, Op):
        return expr.dims
    return expr.type.dims if isinstance(expr, Ref) else ()


def _flops_price(context: Context, op: Op) -> float:
    """Return femtoseconds a FLOP at the rate of the widest operand, 0 where no hardware decides."""
    if context.settings.math_rate is None:
        return 0.0
    types = [context.value(arg).type.dtype if isinstance(arg, Ref) else None for arg in op.args if not isinstance(arg, Constant)]
    names = [name or context.program.dtype for name in types] or [context.program.dtype]
    widest = max(names, key=context.width)
    rate = context.settings.math_rate(widest)
    return FEMTOSECONDS / rate if rate else 0.0


def emit(
    context: Context, expr: Expr, plan: tree.Chosen, goal: Goal, purpose: Purpose | None, steps: list[Step]
) -> Value:
    """Append the steps of a chosen plan, operands before operations, and return the value that they make."""
    if not isinstance(expr, Op):
        value = context.value(expr)
    else:
        signature = _signature(expr)
        inner = Purpose(signature, goal.name or "the result")
        values = []
        for arg, child in zip(expr.args, plan.children, strict=True):
            name = context.fresh() if isinstance(arg, Op) else None
            values.append(emit(context, arg, child, Goal(name, context.program.dtype, None), inner, steps))
        step = local_step(expr, tuple(values), goal.name, goal.dtype)
        steps.append(step)
        value = step.result
    value, more = follow(value, list(plan.moves), purpose or Purpose(None, goal.name or "the result"))
    steps += more
    return value
