"""Putting steps together: values, texts and reasons."""

from shardlang.planning.reasons import ADDENDS, Purpose, reason, spoken
from shardlang.planning.space import Move
from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.plan import Step, Value
from shardlang.rules.signature import Signature
from shardlang.rules.text import local_text, move_text, value_text
from shardlang.semantics.program import Constant, Op
from shardlang.semantics.sharding import ArrayType, Sharding
from shardlang.syntax.operations import REDUCTIONS


def constant_value(constant: Constant) -> Value:
    """Return a number as an operand: a scalar that every device holds."""
    return Value(None, ArrayType((), Sharding(())), constant.text)


def moved(value: Value, move: Move, purpose: Purpose) -> Step:
    """Return the step that takes `value` to the layout of `move`, whose dimensions are numbers of places."""
    array = value.type
    move = Move(move.kind, move.axes, tuple([array.dims[int(place)] for place in move.dims]), move.result)
    result = Value(value.name, ArrayType(array.dims, move.result, array.dtype), value.constant)
    text = move_text(move.kind, move.axes, move.dims, value, result)
    why = reason(move, value, purpose)
    return Step(move.kind, move.kind, (value,), result, move.axes, move.dims, (), text, why)


def local_step(op: Op, signature: Signature, operands: tuple[Value, ...], name: str | None, dtype: str) -> Step:
    """Return the local operation on operands that satisfy its rule. Raises ValueError if they do not."""
    sharding = local_result(signature, tuple(value.type.sharding for value in operands))
    if isinstance(sharding, LocalProblem):
        raise ValueError(f"operands of {op.name} do not match: {sharding}")
    result = Value(name, ArrayType(op.dims, sharding, dtype))
    text = local_text(op.name, operands, op.contracted, result)
    return Step(local_kind(op), op.name, operands, result, (), (), op.contracted, text, _local_reason(result))


def local_kind(op: Op) -> str:
    """Return the step kind of a local operation: a product of arrays, a reduction, or elementwise."""
    if op.name == "contract":
        return "Einsum"
    if op.name in REDUCTIONS:
        return "Reduce"
    return "Elementwise"


def _local_reason(result: Value) -> str:
    pending = result.type.sharding.pending
    if not pending:
        return "every device has the blocks it needs"
    made = ADDENDS[result.type.sharding.kind]
    return f"every device has the blocks it needs and makes {made} over {spoken(pending)}"


def delivered(value: Value, steps: tuple[Step, ...], result: Value) -> tuple[Step, ...]:
    """Return the steps that lead to `value` so that they give it the name and the order of dimensions of `result`."""
    if value.type.dims != result.type.dims or (value.name != result.name and not steps):
        return (*steps, _transposed(value, result))
    if value.name == result.name:
        return steps
    last = steps[-1]
    text = last.text.rsplit(" -> ", 1)[0] + " -> " + value_text(result)
    return (*steps[:-1], last._replace(result=result, text=text))


def _transposed(value: Value, result: Value) -> Step:
    """Return the step that gives a value its name and the order of its dimensions; every device keeps its block."""
    text = f"{value_text(value)} -> {value_text(result)}"
    turned = value.type.dims != result.type.dims
    why = "free: the dimensions change order in place" if turned else "free: the same blocks under another name"
    return Step("Reshape", "transpose", (value,), result, (), (), (), text, why)
