"""A way between two layouts that always exists, for when the search is too large: reduce, gather, slice."""

from shardlang.planning.space import Move
from shardlang.semantics.sharding import ArrayType, Sharding


def plain_route(array: ArrayType, target: Sharding) -> list[Move]:
    """Return steps from the layout of `array` to `target`: one AllReduce and one AllGather at most, then free steps.

    Axes that stay where they are stay; every other one is first taken off and then, if need be, put on.
    """
    moves: list[Move] = []
    here = array.sharding
    kept = tuple(axis for axis in here.pending if axis in target.pending and here.kind == target.kind)
    reduced = tuple(axis for axis in here.pending if axis not in kept)
    if reduced:
        here = Sharding(here.axes, kept, here.kind if kept else "sum")
        moves.append(Move("AllReduce", reduced, (), here))
    common = tuple(_common(old, new) for old, new in zip(here.axes, target.axes, strict=True))
    gone = tuple(axis for old, left in zip(here.axes, common, strict=True) for axis in old[len(left) :])
    if gone:
        dims = tuple(str(at) for at, (old, left) in enumerate(zip(here.axes, common, strict=True)) if old != left)
        here = here._replace(axes=common)
        moves.append(Move("AllGather", gone, dims, here))
    for index, wanted in enumerate(target.axes):
        for axis in wanted[len(common[index]) :]:
            axes = tuple((*a, axis) if i == index else a for i, a in enumerate(here.axes))
            here = here._replace(axes=axes)
            moves.append(Move("Slice", (axis,), (str(index),), here))
    for axis in target.pending:
        if axis not in here.pending:
            here = Sharding(here.axes, tuple(sorted((*here.pending, axis))), target.kind)
            moves.append(Move("Mask" if target.kind == "sum" else "Relabel", (axis,), (), here))
    return moves


def _common(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    length = 0
    for a, b in zip(old, new, strict=False):
        if a != b:
            break
        length += 1
    return old[:length]
