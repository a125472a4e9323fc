"""Putting steps together: values, texts and reasons."""

from typing import NamedTuple

from shardlang.planning.space import Move
from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.plan import Step, Value
from shardlang.rules.signature import REDUCTIONS, Signature, signature_of
from shardlang.rules.text import local_text, move_text
from shardlang.semantics.program import Constant, Op
from shardlang.semantics.sharding import ArrayType, Sharding, axes_text, dim_text

PRODUCTS = ("contract", "hadamard")


class Purpose(NamedTuple):
    """Why an array is moved: as operand of an operation (`signature` set), or to become the result asked for."""

    signature: Signature | None
    wanted: str


def signature_for(op: Op, operands: tuple[Value, ...]) -> Signature:
    """Return the signature of a resolved operation on these operands."""
    dims = tuple(value.type.dims for value in operands)
    return signature_of(op.name, dims, op.dims, op.contracted, tuple(value.constant for value in operands))


def constant_value(constant: Constant) -> Value:
    """Return a number as an operand: a scalar that every device holds."""
    return Value(None, ArrayType((), Sharding(())), constant.text)


def moved(value: Value, move: Move, purpose: Purpose) -> Step:
    """Return the step that takes `value` to the layout of `move`."""
    result = value._replace(type=value.type._replace(sharding=move.result))
    text = move_text(move.kind, move.axes, move.dims, value, result)
    why = reason(move, value, purpose)
    return Step(move.kind, move.kind, (value,), result, move.axes, move.dims, (), text, why)


def local_step(op: Op, operands: tuple[Value, ...], name: str | None, dtype: str | None) -> Step:
    """Return the local operation on operands that satisfy its rule. Raises ValueError if they do not."""
    signature = signature_for(op, operands)
    sharding = local_result(signature, tuple(value.type.sharding for value in operands))
    if isinstance(sharding, LocalProblem):
        raise ValueError(f"operands of {op.name} do not match: {sharding}")
    result = Value(name, ArrayType(op.dims, sharding, dtype))
    text = local_text(op.name, operands, op.contracted, result)
    return Step(local_kind(op), op.name, operands, result, (), (), op.contracted, text, _local_reason(op, result))


def local_kind(op: Op) -> str:
    """Return the step kind of a local operation: a product of arrays, a reduction, or elementwise."""
    if op.name == "contract":
        return "Einsum"
    if op.name in REDUCTIONS:
        return "Reduce"
    return "Elementwise"


def _local_reason(op: Op, result: Value) -> str:
    pending = result.type.sharding.pending
    if not pending:
        return "every device has the blocks it needs"
    what = {"sum": "an addend", "max": "a candidate for the maximum", "min": "a candidate for the minimum"}
    return f"every device has the blocks it needs and makes {what[result.type.sharding.kind]} over {spoken(pending)}"


def spoken(axes: tuple[str, ...]) -> str:
    """Return axes as they are read in a sentence: `X`, `XY`."""
    text = axes_text(axes)
    return text[1:-1] if text.startswith("{") else text


def reason(move: Move, value: Value, purpose: Purpose) -> str:
    """Return in one sentence why the step is needed."""
    array = value.name or "the array"
    if value.constant is not None:
        array = value.constant
    axes = spoken(move.axes)
    dims = [dim_text(dim) for dim in move.dims]
    if purpose.signature is not None:
        return _operand_reason(move, array, axes, dims, purpose.signature)
    if move.kind == "AllReduce":
        return f"each device holds an addend of {array}; the sum over {axes} is asked for whole"
    if move.kind == "ReduceScatter":
        return f"each device holds an addend of {array}; of the sum over {axes} it keeps its block of {dims[0]}"
    if move.kind == "AllGather":
        return f"{purpose.wanted} has {' and '.join(dims)} whole over {axes}"
    if move.kind == "AllToAll":
        return f"{purpose.wanted} has {axes} on {dims[-1]} instead of {dims[0]}"
    if move.kind == "CollectivePermute":
        return f"the blocks lie in another order in {purpose.wanted}"
    return _free_reason(move, array, axes, dims)


def _operand_reason(move: Move, array: str, axes: str, dims: list[str], signature: Signature) -> str:
    if move.kind == "AllGather":
        summed = [dim for dim in move.dims if dim in signature.contracted]
        if summed:
            return f"{dim_text(summed[0])} is summed over and the other operand is not sharded alike: every device needs all of it"
        return f"{axes} cannot stay on {' and '.join(dims)} of {array} here: the result uses it elsewhere or wants it whole"
    if move.kind in ("AllReduce", "ReduceScatter"):
        return f"{array} is pending over {axes}, and the operation does not commute with that sum"
    if move.kind == "AllToAll":
        return f"{axes} is needed on {dims[-1]} of {array}, not on {dims[0]}"
    if move.kind == "CollectivePermute":
        return f"the blocks of {array} must lie in the order of the other operand"
    return _free_reason(move, array, axes, dims)


def _free_reason(move: Move, array: str, axes: str, dims: list[str]) -> str:
    if move.kind == "Slice":
        return f"free: every device keeps its own block of {dims[0]}"
    if move.kind == "Mask":
        return f"free: {array} is kept on coordinate 0 of {axes} and zero elsewhere, so that the sum counts it once"
    if move.kind == "Pad":
        return f"free: every device puts its block of {dims[0]} in its place among zeros"
    return "free: the extremum of equal values is the value"
