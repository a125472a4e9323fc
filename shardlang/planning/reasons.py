"""Why a step is needed, in one sentence and in the user's own names."""

from typing import NamedTuple

from shardlang.planning.space import Move
from shardlang.rules.plan import REDUCING, Value
from shardlang.rules.signature import Signature
from shardlang.semantics.sharding import axes_text, dim_text

ADDENDS = {"sum": "an addend", "max": "a candidate for the maximum", "min": "a candidate for the minimum"}
_WHOLE = {"sum": "the sum", "max": "the maximum", "min": "the minimum"}


class Purpose(NamedTuple):
    """What an array is moved for.

    wanted: how the result is called. signature: the operation that it is an operand of; None where it is to become the
    result itself. partners: the operands of that operation as they are given.
    """

    wanted: str
    signature: Signature | None = None
    partners: tuple[Value, ...] = ()


def reason(move: Move, value: Value, purpose: Purpose) -> str:
    """Return why `value` is moved."""
    free = _free_reason(move, value)
    if free is not None:
        return free
    if purpose.signature is not None:
        return _operand_reason(move, value, purpose, purpose.signature)
    axes, dims = spoken(move.axes), _listed(move.dims)
    if move.kind == "AllReduce":
        kind = value.type.sharding.kind
        return f"each device holds {ADDENDS[kind]} of {called(value)}; {_WHOLE[kind]} over {axes} is asked for"
    if move.kind == "ReduceScatter":
        kind = value.type.sharding.kind
        return f"each device holds {ADDENDS[kind]} of {called(value)}; of {_WHOLE[kind]} over {axes} it keeps its block of {dims}"
    if move.kind == "AllGather":
        return f"{purpose.wanted} is to have {dims} whole over {axes}"
    if move.kind == "AllToAll":
        return f"{purpose.wanted} is to have {axes} on {dim_text(move.dims[-1])} instead of {dim_text(move.dims[0])}"
    return f"the blocks lie in another order in {purpose.wanted}"


def _operand_reason(move: Move, value: Value, purpose: Purpose, signature: Signature) -> str:
    axes, array = spoken(move.axes), called(value)
    if move.kind == "AllGather":
        return _gather_reason(move, value, purpose, signature)
    if move.kind in REDUCING:
        return f"{array} is pending over {axes}, and the operation does not pass that on"
    if move.kind == "AllToAll":
        return f"{axes} is needed on {dim_text(move.dims[-1])} of {array}, not on {dim_text(move.dims[0])}"
    others = [called(other) for other in purpose.partners if other.name != value.name]
    return f"the blocks of {array} must lie in the order of {others[0] if others else 'the other operand'}"


def _gather_reason(move: Move, value: Value, purpose: Purpose, signature: Signature) -> str:
    """Return why an operand is gathered: for a sum that the others are not sharded for, a clash, or the result."""
    array = called(value)
    for dim in move.dims:
        others = [other for other in purpose.partners if other.name != value.name and dim in other.type.dims]
        if others and dim in signature.contracted:
            here, there = _entry(value, dim), _entry(others[0], dim)
            return f"{dim_text(dim)} is summed over; it is {here} in {array} and {there} in {called(others[0])}, so every device needs all of it"
    for other in purpose.partners:
        for dim, axes in zip(other.type.dims, other.type.sharding.axes, strict=True):
            shared = tuple(axis for axis in move.axes if axis in axes)
            if other.name != value.name and shared and dim not in move.dims:
                mine = _listed(move.dims)
                return f"{spoken(shared)} shards {mine} of {array} and {dim_text(dim)} of {called(other)}; {purpose.wanted} can use it once"
    return f"{array} is needed with {_listed(move.dims)} whole over {spoken(move.axes)}"


def _entry(value: Value, dim: str) -> str:
    axes = value.type.axes_of(dim)
    return f"{dim_text(dim)}_{axes_text(axes)}" if axes else "whole"


def _free_reason(move: Move, value: Value) -> str | None:
    """Return why a free step may be taken, None for a collective."""
    axes = spoken(move.axes)
    if move.kind == "Slice":
        return f"free: every device keeps its own block of {_listed(move.dims)}"
    if move.kind == "Mask":
        return f"free: {called(value)} is kept on coordinate 0 of {axes} and zero elsewhere, so that the sum counts it once"
    if move.kind == "Pad":
        return f"free: every device puts its block of {_listed(move.dims)} in its place among zeros"
    if move.kind == "Relabel":
        return "free: the extremum of equal values is the value"
    return None


def called(value: Value) -> str:
    """Return how a sentence calls a value."""
    return value.constant or value.name or "the array"


def spoken(axes: tuple[str, ...]) -> str:
    """Return axes as they are read in a sentence: `X`, `XY`."""
    text = axes_text(axes)
    return text[1:-1] if text.startswith("{") else text


def _listed(dims: tuple[str, ...]) -> str:
    return " and ".join(map(dim_text, dims))
