"""Checking an explicit collective or free step: it must be applicable, and give what is stated."""

from shardlang.diagnostics import Diagnostic, Edit, Fix
from shardlang.planning.build import delivered
from shardlang.planning.completions import moves_between
from shardlang.planning.context import Context
from shardlang.planning.priced import price_of
from shardlang.planning.refusals import hint_of, said_more, written_out
from shardlang.planning.sizes import Sizes, same_count
from shardlang.rules.collectives import Request, StepProblem, Typed, apply_step
from shardlang.rules.plan import REDUCING, Step, Value
from shardlang.rules.text import move_text, value_text
from shardlang.semantics.program import Collective, Ref, Statement
from shardlang.semantics.sharding import ArrayType, Sharding, array_text, axes_text, dim_text

_GIVES = {
    "AllGather": "gathers the blocks along {axes}",
    "ReduceScatter": "sums over {axes} and scatters the sum",
    "AllReduce": "sums over {axes}",
    "AllToAll": "moves {axes} to another dimension",
    "CollectivePermute": "moves blocks between devices",
    "Slice": "keeps each device's own block",
    "Mask": "keeps the array on coordinate 0 of {axes}",
    "Pad": "puts each block in its place among zeros",
    "Relabel": "reads equal values as an extremum over {axes}",
}


def check_collective(
    context: Context, statement: Statement, body: Collective, operand: Value
) -> tuple[Step | None, Diagnostic | None]:
    """Return the step of an explicit collective, and what is wrong or worth knowing about it."""
    sizes = context.sizes
    stated = body.result.type if body.result is not None else None
    typed = apply_step(body.op, operand.type, Request(body.axes, body.dim, stated))
    if isinstance(typed, StepProblem):
        return None, _refuse(context, statement, body, operand, typed)
    if body.op == "CollectivePermute" and not _same_shape(operand.type, typed.result, sizes):
        return None, _refuse(context, statement, body, operand, StepProblem("shape"))
    uneven = _uneven(operand.type, typed.result, sizes)
    if stated is not None and (stated.dims != operand.type.dims or stated.sharding != typed.result):
        return None, _wrong_result(context, statement, body, operand, typed)
    if uneven is not None:
        return None, Diagnostic("SL205", uneven, statement.span)
    step = _step(body, operand, typed)
    if body.op == "CollectivePermute" and typed.result == operand.type.sharding:
        message = f"`{value_text(operand)}` already lies this way: the CollectivePermute moves nothing"
        return step, Diagnostic("SL310", message, statement.span)
    return step, None


def _uneven(array: ArrayType, result: Sharding, sizes: Sizes) -> str | None:
    for dim, axes in zip(array.dims, result.axes, strict=True):
        if not sizes.divides(dim, axes):
            return f"`{dim_text(dim)}` = {sizes.dim(dim)} does not divide evenly over `{axes_text(axes)}` = {sizes.shards(axes)}"
    return None


def _same_shape(operand: ArrayType, result: Sharding, sizes: Sizes) -> bool:
    pairs = zip((*operand.sharding.axes, operand.sharding.pending), (*result.axes, result.pending), strict=True)
    kinds = not operand.sharding.pending or operand.sharding.kind == result.kind
    return kinds and all(_may_be_equal(sizes, before, after) for before, after in pairs)


def _may_be_equal(sizes: Sizes, before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    """Say whether two lists of axes can cut into equally many blocks; an axis of open size may have any above one."""
    left, open_left = same_count(sizes, tuple(axis for axis in before if axis not in after))
    right, open_right = same_count(sizes, tuple(axis for axis in after if axis not in before))
    if not open_left and not open_right:
        return left == right
    return (left > 1 or bool(open_left)) and (right > 1 or bool(open_right))


def _step(body: Collective, operand: Value, typed: Typed) -> Step:
    name = body.result.name if body.result is not None else operand.name
    dtype = (body.result.type.dtype if body.result is not None else None) or operand.type.dtype
    result = Value(name, ArrayType(operand.type.dims, typed.result, dtype), operand.constant)
    text = move_text(body.op, typed.axes, typed.dims, operand, result)
    why = _GIVES[body.op].format(axes=" and ".join(typed.axes) or "its axes")
    return Step(body.op, body.op, (operand,), result, typed.axes, typed.dims, (), text, f"written out: {why}")


def _wrong_result(context: Context, statement: Statement, body: Collective, operand: Value, typed: Typed) -> Diagnostic:
    assert body.result is not None
    step = _step(body, operand, typed)
    right = step.result
    said = array_text(body.result.name, body.result.type)
    message = f"`{body.op}` {_GIVES[body.op].format(axes=' and '.join(f'`{a}`' for a in typed.axes))}: "
    message += f"it gives `{value_text(right)}`, not `{said}`"
    dropped = _dropped(operand.type, typed, body.result.type)
    if dropped:
        message += f" (`{dropped}` would disappear without a gather)"
    stated = Fix("state what it gives", (Edit(statement.span, step.text),), price_of(context, (step,)), safe=False)
    found, more = _completions(context, statement, body, operand)
    fixes = (*found, stated)
    return Diagnostic("SL306", said_more(message, more), body.result.span, (), hint_of(fixes), fixes)


def _dropped(operand: ArrayType, typed: Typed, stated: ArrayType) -> str:
    kept = set(stated.sharding.used())
    return ",".join(axis for axis in typed.result.used() if axis not in kept and axis in operand.sharding.used())


def _refuse(
    context: Context, statement: Statement, body: Collective, operand: Value, problem: StepProblem
) -> Diagnostic:
    code, message = _message(body, operand, problem)
    span = body.subscript_span or statement.span
    if isinstance(body.operand, Ref) and problem.kind in ("pending", "used", "major"):
        span = body.operand.span
    found, more = _completions(context, statement, body, operand)
    if problem.kind == "not-pending" and _may_be_pending(context, statement, operand, problem.axis):
        found = tuple(fix._replace(safe=False) for fix in found)  # the mark that it is pending may be what is missing
    fixes = (*found, *_other_axes(context, statement, body, operand, problem))
    hint = hint_of(fixes) or _advice(body, operand, problem)
    return Diagnostic(code, said_more(message, more), span, (), hint, fixes)


def _may_be_pending(context: Context, statement: Statement, operand: Value, axis: str | None) -> bool:
    """Say whether an operand may be a sum that is due over an axis: no statement before gives it, and the axis does not shard it."""
    made = context.names.made.get(operand.name or "", statement.span.start) < statement.span.start
    return not made and axis not in operand.type.sharding.used()


def _completions(
    context: Context, statement: Statement, body: Collective, operand: Value
) -> tuple[tuple[Fix, ...], bool]:
    """Return every minimal way from the operand to what the collective is to give; whether there may be more.

    Where the operand already lies as is asked for, the way is to leave the step out.
    """
    fixes: dict[str, Fix] = {}
    bounded = False
    for target in _meant(body, operand):
        here = operand.type.sharding == target.type.sharding
        if here and target.name == operand.name:
            return (Fix("leave the step out", (Edit(statement.span, ""),)),), False
        found, more = moves_between(context, operand, target.type.sharding)
        bounded = bounded or more
        for one in found:
            fix = written_out(context, statement, delivered(one.value, one.steps, target))
            fixes.setdefault(fix.edits[0].text, fix)
    return tuple(fixes.values()), bounded


def _meant(body: Collective, operand: Value) -> list[Value]:
    """Return what a collective is to give: the stated result, else the operand with the axes where it would put them.

    That is nowhere (AllGather, AllReduce), on the dimension of the subscript, or on any of them where none is written
    (ReduceScatter, AllToAll, Slice), or pending (Mask, Pad). A permute, and a step without axes, do not say.
    """
    array = operand.type
    if body.result is not None:
        stated = body.result.type
        if set(stated.dims) != set(array.dims):
            return []
        layout = stated.sharding._replace(axes=tuple(stated.axes_of(dim) for dim in array.dims))
        return [Value(body.result.name, array._replace(sharding=layout, dtype=stated.dtype or array.dtype))]
    if body.axes is None or body.op in ("CollectivePermute", "Relabel") or (body.dim and body.dim not in array.dims):
        return []
    lists = tuple(tuple(axis for axis in own if axis not in body.axes) for own in array.sharding.axes)
    pending = tuple(axis for axis in array.sharding.pending if axis not in body.axes)
    kind = array.sharding.kind if pending else "sum"
    if body.op in ("AllGather", "AllReduce"):
        return [operand._replace(type=array._replace(sharding=Sharding(lists, pending, kind)))]
    if body.op in ("Mask", "Pad"):
        layout = Sharding(lists, tuple(sorted((*pending, *body.axes))), kind)
        return [operand._replace(type=array._replace(sharding=layout))] if kind == "sum" else []
    places = [array.dims.index(body.dim)] if body.dim is not None else range(len(array.dims))
    layouts = (
        Sharding(tuple((*own, *body.axes) if at == place else own for at, own in enumerate(lists)), pending, kind)
        for place in places
    )
    return [operand._replace(type=array._replace(sharding=layout)) for layout in layouts]


def _message(body: Collective, operand: Value, problem: StepProblem) -> tuple[str, str]:
    array, op, axis = value_text(operand), body.op, problem.axis
    dim = dim_text(problem.dim) if problem.dim is not None else ""
    if problem.kind == "pending":
        return "SL302", f"`{array}` is unreduced over `{axis}`, not sharded over it: {op} cannot resolve a pending sum"
    if problem.kind == "elsewhere":
        return "SL303", f"`{axis}` does not shard `{dim}` of `{array}`"
    if problem.kind == "other-axes":
        moved = " and ".join(f"`{name}`" for name in body.axes or ())
        return "SL306", f"the blocks of `{array}` change places over `{dim}`, and the subscript says {moved}"
    if problem.kind == "not-sharded":
        verb = {"AllGather": "gather", "AllToAll": "move"}.get(op, "take off")
        return "SL303", f"`{axis}` does not shard `{array}`: there is nothing to {verb}"
    if problem.kind == "not-pending":
        sharded = any(axis in axes for axes in operand.type.sharding.axes)
        more = f"; `{axis}` shards it" if sharded else ""
        pending = operand.type.sharding.pending
        over = f", only over `{axes_text(pending)}`" if pending else ""
        return "SL304", f"`{array}` is not unreduced over `{axis}`{over}{more}: there is nothing to reduce"
    if problem.kind == "major":
        there = axes_text(operand.type.axes_of(problem.dim or ""))
        message = f"`{axis}` is not the minor-most axis of `{dim}_{there}`: {op} would leave the blocks of `{dim}` in strided order"
        return "SL305", message
    if problem.kind == "used":
        return "SL307", _used_message(body, operand, problem)
    if problem.kind == "shape":
        said = array_text(body.result.name, body.result.type) if body.result else ""
        return "SL307", f"a CollectivePermute keeps the local shape, and `{array}` and `{said}` differ in it"
    if problem.kind == "no-such-dim":
        return "SL223", f"`{array}` has no dimension `{dim}`"
    if problem.kind == "scattered":
        return "SL220", f"the axes of one AllToAll must shard one dimension of `{array}`"
    if problem.kind == "same-dim":
        return "SL220", f"`{axis}` already shards `{dim}`: an AllToAll moves it to another dimension"
    if problem.kind == "no-dim":
        return "SL220", f"{op} does not say which dimension of `{array}` is to be sharded over `{axis}`"
    if problem.kind == "no-result":
        return "SL220", "a CollectivePermute needs its result, which says how the blocks are to lie"
    return "SL220", f"{op} has no axes here: nothing in `{array}` and its result says which"


def _used_message(body: Collective, operand: Value, problem: StepProblem) -> str:
    array, axis = value_text(operand), problem.axis
    if axis in operand.type.sharding.pending:
        if body.op == "Slice":
            return (
                f"`{array}` is unreduced over `{axis}`: slicing it over `{axis}` before the sum "
                "would add up different blocks"
            )
        return f"`{array}` is already unreduced over `{axis}`"
    if problem.dim is not None:
        return f"`{axis}` already shards `{dim_text(problem.dim)}` of `{array}`: {body.op} needs it replicated over `{axis}`"
    if body.op == "Relabel":
        return f"a value that every device holds is its own maximum and minimum, not its own sum over `{axis}`: Mask is meant"
    return f"{body.op} does not apply to `{array}`: its pending state is of another kind"


def _advice(body: Collective, operand: Value, problem: StepProblem) -> str | None:
    if problem.kind == "not-sharded" and body.op == "AllGather":
        axes = [axis for axes in operand.type.sharding.axes for axis in axes]
        listed = ", ".join(f"`{axis}`" for axis in axes)
        return f"it is sharded over {listed}" if axes else f"leave the step out: `{value_text(operand)}` is whole"
    if problem.kind == "not-pending" and not operand.type.sharding.pending:
        return f"leave the step out: `{value_text(operand)}` is complete"
    if problem.kind == "no-dim":
        name = body.op
        choices = [f"{name}_{{{problem.axis},{dim_text(dim)}}}" for dim in operand.type.dims]
        return f"choose one of: {', '.join(choices)}" if choices else "a scalar can only be reduced whole: AllReduce"
    return None


def _other_axes(
    context: Context, statement: Statement, body: Collective, operand: Value, problem: StepProblem
) -> tuple[Fix, ...]:
    """Return the reduction over the axes that are pending, where another axis is written and another result follows."""
    pending = operand.type.sharding.pending
    if problem.kind != "not-pending" or not pending or body.op not in REDUCING or body.result is None:
        return ()
    typed = apply_step(body.op, operand.type, Request(pending, body.dim, None))
    if isinstance(typed, StepProblem) or typed.result == body.result.type.sharding:
        return ()
    step = _step(body, operand, typed)
    return (Fix("perhaps meant", (Edit(statement.span, step.text),), price_of(context, (step,)), safe=False),)
