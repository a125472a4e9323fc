"""Typing of an explicit collective or free step: what it gives, or why it cannot be applied.

Source: NOTATION section 4. An explicit step is taken at its word: nothing is inserted here.
"""

from typing import NamedTuple

from shardlang.semantics.sharding import ArrayType, Sharding


class Typed(NamedTuple):
    """A step that can be applied: its axes, major first, and the layout that it gives.

    dims: the dimensions whose sharding changes, lost before gained.
    """

    axes: tuple[str, ...]
    dims: tuple[str, ...]
    result: Sharding


class StepProblem(NamedTuple):
    """Why a step cannot be applied.

    kind: `pending` (a gather or exchange of a pending axis), `not-sharded`, `not-pending`, `major` (not minor-most),
    `used` (a free step needs the operand replicated on the axis), `no-dim` (the target dimension is not said),
    `same-dim` (an exchange within one dimension), `scattered` (an exchange from several dimensions), `no-axes`,
    `no-result`, `shape` (a permute between different local shapes), `no-such-dim`, `elsewhere` (the axis is not on the
    dimension in the subscript), `other-axes` (a permute over other axes than its subscript says).
    """

    kind: str
    axis: str = ""
    dim: str | None = None


class Request(NamedTuple):
    """What is written: the axes (None: to be taken from the two sides), the dimension, the stated result (None: none)."""

    axes: tuple[str, ...] | None
    dim: str | None
    stated: ArrayType | None


def apply_step(kind: str, operand: ArrayType, request: Request) -> Typed | StepProblem:
    """Return what the step gives on `operand`, or why it cannot be applied."""
    if request.dim is not None and request.dim not in operand.dims:
        return StepProblem("no-such-dim", dim=request.dim)
    typed = _RULES[kind](operand, request)
    if isinstance(typed, StepProblem):
        return typed
    if kind in ("AllGather", "Pad") and request.dim is not None and typed.dims != (request.dim,):
        return StepProblem("elsewhere", typed.axes[0], request.dim)
    if kind == "CollectivePermute" and request.axes is not None and typed.axes and set(request.axes) != set(typed.axes):
        return StepProblem("other-axes", request.axes[0], ",".join(typed.axes))
    return typed


def _gained(operand: ArrayType, stated: ArrayType | None) -> dict[str, tuple[str, ...]]:
    """Return for each dimension the axes that the stated result has there and the operand does not."""
    if stated is None:
        return {}
    gained = {}
    for dim, axes in zip(stated.dims, stated.sharding.axes, strict=True):
        if dim in operand.dims:
            new = tuple(axis for axis in axes if axis not in operand.axes_of(dim))
            if new:
                gained[dim] = new
    return gained


def _lost(operand: ArrayType, stated: ArrayType | None) -> tuple[str, ...]:
    """Return the axes of the operand's dimensions that the stated result has nowhere on the same dimension."""
    lost: list[str] = []
    for dim, axes in zip(operand.dims, operand.sharding.axes, strict=True):
        kept = stated.axes_of(dim) if stated is not None and dim in stated.dims else ()
        lost += [axis for axis in axes if axis not in kept]
    return tuple(lost)


def _with(operand: ArrayType, changes: dict[str, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    pairs = zip(operand.dims, operand.sharding.axes, strict=True)
    return tuple(changes.get(dim, axes) for dim, axes in pairs)


def _holding(operand: ArrayType, axis: str) -> str | None:
    pairs = zip(operand.dims, operand.sharding.axes, strict=True)
    return next((dim for dim, axes in pairs if axis in axes), None)


def _take_off(operand: ArrayType, axes: tuple[str, ...]) -> dict[str, tuple[str, ...]] | StepProblem:
    """Return the dimensions that lose `axes`, with what is left on them: the axes must be minor-most there."""
    if not axes:
        return StepProblem("no-axes")
    changes: dict[str, tuple[str, ...]] = {}
    for axis in axes:
        if axis in operand.sharding.pending:
            return StepProblem("pending", axis)
        dim = _holding(operand, axis)
        if dim is None:
            return StepProblem("not-sharded", axis)
        changes[dim] = tuple(a for a in operand.axes_of(dim) if a not in axes)
    for dim, left in changes.items():
        there = operand.axes_of(dim)
        if there[: len(left)] != left:
            return StepProblem("major", next(axis for axis in there if axis in axes), dim)
    return changes


def _in_order(operand: ArrayType, dims: tuple[str, ...], axes: tuple[str, ...]) -> tuple[str, ...]:
    """Return `axes` in the order in which they shard `dims`, whatever order a subscript has."""
    return tuple(axis for dim in dims for axis in operand.axes_of(dim) if axis in axes)


def _all_gather(operand: ArrayType, request: Request) -> Typed | StepProblem:
    axes = request.axes if request.axes is not None else _lost(operand, request.stated)
    changes = _take_off(operand, axes)
    if isinstance(changes, StepProblem):
        return changes
    dims = tuple(dim for dim in operand.dims if dim in changes)
    return Typed(_in_order(operand, dims, axes), dims, operand.sharding._replace(axes=_with(operand, changes)))


def _reduced(operand: ArrayType, axes: tuple[str, ...]) -> Sharding | StepProblem:
    """Return the operand's layout without `axes` pending."""
    if not axes:
        return StepProblem("no-axes")
    for axis in axes:
        if axis not in operand.sharding.pending:
            return StepProblem("not-pending", axis)
    left = tuple(axis for axis in operand.sharding.pending if axis not in axes)
    return Sharding(operand.sharding.axes, left, operand.sharding.kind if left else "sum")


def _all_reduce(operand: ArrayType, request: Request) -> Typed | StepProblem:
    axes = request.axes
    if axes is None:
        kept = request.stated.sharding.pending if request.stated is not None else ()
        axes = tuple(axis for axis in operand.sharding.pending if axis not in kept)
    result = _reduced(operand, axes)
    return result if isinstance(result, StepProblem) else Typed(axes, (), result)


def _target(operand: ArrayType, request: Request, axes: tuple[str, ...] | None) -> str | None:
    """Return the dimension that gains axes: the one in the subscript, else the one that the stated result shows."""
    if request.dim is not None:
        return request.dim
    gained = _gained(operand, request.stated)
    found = [dim for dim, new in gained.items() if axes is None or set(new) & set(axes)]
    if len(found) == 1:
        return found[0]
    if request.stated is None and len(operand.dims) == 1:
        return operand.dims[0]
    return None


def _reduce_scatter(operand: ArrayType, request: Request) -> Typed | StepProblem:
    dim = _target(operand, request, request.axes)
    axes = request.axes
    if axes is None:
        gained = _gained(operand, request.stated)
        axes = gained.get(dim, ()) if dim is not None and gained else operand.sharding.pending
    result = _reduced(operand, axes)
    if isinstance(result, StepProblem):
        return result
    if dim is None:
        return StepProblem("no-dim", axes[0])
    return Typed(axes, (dim,), result._replace(axes=_with(operand, {dim: operand.axes_of(dim) + axes})))


def _all_to_all(operand: ArrayType, request: Request) -> Typed | StepProblem:
    axes = request.axes
    target = _target(operand, request, axes)
    if axes is None:
        gained = _gained(operand, request.stated)
        axes = gained.get(target, ()) if target is not None and gained else _lost(operand, request.stated)
    changes = _take_off(operand, axes)
    if isinstance(changes, StepProblem):
        return changes
    if len(changes) > 1:
        return StepProblem("scattered", axes[0])
    (source,) = changes
    if target is None and request.stated is None and len(operand.dims) == 2:
        target = next(dim for dim in operand.dims if dim != source)
    if target is None:
        return StepProblem("no-dim", axes[0])
    if target == source:
        return StepProblem("same-dim", axes[0], target)
    changes[target] = operand.axes_of(target) + axes
    return Typed(axes, (source, target), operand.sharding._replace(axes=_with(operand, changes)))


def _permute(operand: ArrayType, request: Request) -> Typed | StepProblem:
    if request.stated is None:
        return StepProblem("no-result")
    if set(request.stated.dims) != set(operand.dims):
        return StepProblem("shape")
    result = request.stated.sharding._replace(axes=tuple(request.stated.axes_of(dim) for dim in operand.dims))
    dims = tuple(d for d, old, new in zip(operand.dims, operand.sharding.axes, result.axes, strict=True) if old != new)
    return Typed(moved_axes(operand.sharding, result), dims, result)


def moved_axes(old: Sharding, new: Sharding) -> tuple[str, ...]:
    """Return the mesh axes over which blocks change places between two layouts of the same local shape.

    Axes that lead or end both lists of a dimension stay: blocks move only among devices alike on them.
    """
    before: list[str] = []
    after: list[str] = []
    for one, other in zip(old.axes, new.axes, strict=True):
        start = 0
        while start < min(len(one), len(other)) and one[start] == other[start]:
            start += 1
        end = 0
        while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
            end += 1
        before += one[start : len(one) - end]
        after += other[start : len(other) - end]
    if old.pending != new.pending:
        before += (axis for axis in old.pending if axis not in new.pending)
        after += (axis for axis in new.pending if axis not in old.pending)
    return tuple(dict.fromkeys(before + after))


def _idle(operand: ArrayType, axes: tuple[str, ...]) -> StepProblem | None:
    """Return the problem if the operand is not replicated on every one of `axes`."""
    if not axes:
        return StepProblem("no-axes")
    used = next((axis for axis in axes if axis in operand.sharding.used()), None)
    return StepProblem("used", used, _holding(operand, used)) if used is not None else None


def _slice(operand: ArrayType, request: Request) -> Typed | StepProblem:
    dim = _target(operand, request, request.axes)
    axes = request.axes
    if axes is None:
        axes = _gained(operand, request.stated).get(dim or "", ())
    problem = _idle(operand, axes)
    if problem is not None:
        return problem
    if dim is None:
        return StepProblem("no-dim", axes[0])
    cut = _with(operand, {dim: operand.axes_of(dim) + axes})
    return Typed(axes, (dim,), operand.sharding._replace(axes=cut))


def _new_pending(operand: ArrayType, request: Request) -> tuple[str, ...]:
    if request.axes is not None:
        return request.axes
    stated = request.stated.sharding.pending if request.stated is not None else ()
    return tuple(axis for axis in stated if axis not in operand.sharding.pending)


def _mask(operand: ArrayType, request: Request) -> Typed | StepProblem:
    axes = _new_pending(operand, request)
    problem = _idle(operand, axes)
    if problem is None and operand.sharding.pending and operand.sharding.kind != "sum":
        problem = StepProblem("used", axes[0])
    if problem is not None:
        return problem
    pending = tuple(sorted((*operand.sharding.pending, *axes)))
    return Typed(axes, (), Sharding(operand.sharding.axes, pending))


def _relabel(operand: ArrayType, request: Request) -> Typed | StepProblem:
    axes = _new_pending(operand, request)
    problem = _idle(operand, axes)
    if problem is not None:
        return problem
    if operand.sharding.pending:
        kind = operand.sharding.kind
    else:
        kind = request.stated.sharding.kind if request.stated is not None else "max"
    if kind == "sum":
        return StepProblem("used", axes[0])
    pending = tuple(sorted((*operand.sharding.pending, *axes)))
    return Typed(axes, (), Sharding(operand.sharding.axes, pending, kind))


def _pad(operand: ArrayType, request: Request) -> Typed | StepProblem:
    axes = _new_pending(operand, request)
    if operand.sharding.pending and operand.sharding.kind != "sum":
        return StepProblem("used", axes[0] if axes else "")
    changes = _take_off(operand, axes)
    if isinstance(changes, StepProblem):
        return changes
    pending = tuple(sorted((*operand.sharding.pending, *axes)))
    dims = tuple(dim for dim in operand.dims if dim in changes)
    return Typed(_in_order(operand, dims, axes), dims, Sharding(_with(operand, changes), pending))


_RULES = {
    "AllGather": _all_gather,
    "AllReduce": _all_reduce,
    "ReduceScatter": _reduce_scatter,
    "AllToAll": _all_to_all,
    "CollectivePermute": _permute,
    "Slice": _slice,
    "Mask": _mask,
    "Pad": _pad,
    "Relabel": _relabel,
}
