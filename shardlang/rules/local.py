"""Typing of one local operation: the sharding of its result, or why it is not local.

Source: NOTATION section 3, axis by axis. Nothing here moves data or chooses: it only says what holds.
"""

from typing import NamedTuple

from shardlang.rules.signature import Signature
from shardlang.semantics.sharding import Sharding


class LocalProblem(NamedTuple):
    """Why operands as they stand do not form a local operation.

    kind: `unmatched` (an operand has `dim` but is not sharded on `axis` there), `order` (same axes, another
    order), `mixed` (one axis on two dimensions), `pending` (a pending state that does not pass), `kinds` (two
    kinds of pending in the result). `operand` is the operand to change, `dim` the dimension concerned.
    """

    kind: str
    axis: str
    operand: int
    dim: str | None = None
    other: str | None = None


def local_result(signature: Signature, shardings: tuple[Sharding, ...]) -> Sharding | LocalProblem:
    """Return the sharding of the result of a local operation, or the first reason why it is not local."""
    lists: dict[str, tuple[str, ...]] = {}
    for dim in signature.dims():
        found = _agreed(signature, shardings, dim)
        if isinstance(found, LocalProblem):
            return found
        lists[dim] = found
    clash = _clash(shardings, lists)
    if clash is not None:
        return clash
    pending: dict[str, str] = {}
    for dim in signature.contracted:
        pending.update(dict.fromkeys(lists[dim], signature.reduces))
    for axis in sorted({axis for sharding in shardings for axis in sharding.pending}):
        holders = tuple(index for index, sharding in enumerate(shardings) if axis in sharding.pending)
        kinds = {shardings[index].kind for index in holders}
        kind = signature.passage(holders, min(kinds)) if len(kinds) == 1 else None
        if kind is None or axis in pending:
            return LocalProblem("pending", axis, holders[-1])
        pending[axis] = kind
    if len(set(pending.values())) > 1:
        return LocalProblem("kinds", min(pending), 0)
    kind = next(iter(pending.values()), "sum")
    return Sharding(tuple(lists[dim] for dim in signature.result), tuple(sorted(pending)), kind)


def _agreed(signature: Signature, shardings: tuple[Sharding, ...], dim: str) -> tuple[str, ...] | LocalProblem:
    """Return the axes on which every operand that has `dim` is sharded there."""
    agreed: tuple[str, ...] | None = None
    for index, (dims, sharding) in enumerate(zip(signature.operands, shardings, strict=True)):
        if dim not in dims:
            continue
        axes = sharding.axes[dims.index(dim)]
        if agreed is None:
            agreed = axes
        elif axes != agreed:
            if sorted(axes) == sorted(agreed):
                return LocalProblem("order", axes[0], index, dim)
            axis = next(axis for axis in (*agreed, *axes) if (axis in agreed) != (axis in axes))
            return LocalProblem("unmatched", axis, index if axis in agreed else _holder(signature, dim), dim)
    return agreed or ()


def _holder(signature: Signature, dim: str) -> int:
    return next(index for index, dims in enumerate(signature.operands) if dim in dims)


def _clash(shardings: tuple[Sharding, ...], lists: dict[str, tuple[str, ...]]) -> LocalProblem | None:
    """Return the problem if one axis shards two dimensions, or shards one operand and is pending in another."""
    place: dict[str, str] = {}
    for dim, axes in lists.items():
        for axis in axes:
            if axis in place:
                return LocalProblem("mixed", axis, _last_holder(shardings, axis), dim, place[axis])
            place[axis] = dim
    for index, sharding in enumerate(shardings):
        for axis in sharding.pending:
            if axis in place:
                return LocalProblem("pending", axis, index, place[axis])
    return None


def _last_holder(shardings: tuple[Sharding, ...], axis: str) -> int:
    return max(index for index, sharding in enumerate(shardings) if any(axis in axes for axes in sharding.axes))
