"""Bytes for many sizes at once: at the corners of the sizes that there may be.

The bytes that a collective brings are linear in the size of each dimension. So what is no more at every corner
(each dimension small, or large) is no more for any sizes between. In an open mesh axis they are not linear, and with
more than `MOST` corners only some are looked at: there the corners stand for the rest.
"""

from itertools import product
from math import prod
from typing import NamedTuple

from shardlang.planning.sizes import Sizes
from shardlang.planning.space import Move
from shardlang.pricing.collectives import bytes_received
from shardlang.rules.plan import REDUCING
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.sharding import Sharding, is_anonymous

DIM = (2.0**12, 2.0**32)
AXIS = (2.0, 16.0)
MOST = 64
"""The small and the large size of a dimension, and of a mesh axis whose size is open; the most corners."""


class Width(NamedTuple):
    """Bytes of an element of an array, and of one that travels in a reduction."""

    own: float
    reduced: float


class Corners:
    """The corners of the sizes of some dimensions and mesh axes. A mesh axis of known size, and a literal size, have only one."""

    def __init__(self, sizes: Sizes, dims: tuple[str, ...], axes: tuple[str, ...]) -> None:
        self._sizes = sizes
        lengths: list[tuple[float, ...]] = [(float(sizes.dim(dim)),) if is_anonymous(dim) else DIM for dim in dims]
        counts: list[tuple[float, ...]] = [
            AXIS if sizes.open_axis(axis) else (float(sizes.axis(axis)),) for axis in axes
        ]
        ends = [*lengths, *counts]
        self._corners = _all(ends) if prod(map(len, ends)) <= MOST else _one_at_a_time(ends)
        self._at = {("dim", dim): at for at, dim in enumerate(dims)}
        self._at |= {("axis", axis): at for at, axis in enumerate(axes, len(dims))}
        self.nothing = (0.0,) * len(self._corners)

    def widths(self, element_bytes: float, reduce_dtype: str | None) -> Width:
        """Return the bytes of an element; `reduce_dtype` is the type in which pending sums travel, None for its own."""
        reduced = dtype_bytes(reduce_dtype).value if reduce_dtype is not None else None
        return Width(element_bytes, element_bytes if reduced is None else reduced)

    def array(self, dims: tuple[str, ...], width: Width) -> "ArrayCorners":
        """Return the corners as seen by an array with these dimensions."""
        return ArrayCorners(self, dims, width)

    def lengths(self, dims: tuple[str, ...]) -> list[float]:
        """Return the elements of an array at each corner."""
        return [prod(corner[self._at["dim", dim]] for dim in dims) for corner in self._corners]

    def counts(self, axes: tuple[str, ...]) -> list[float]:
        """Return the devices along `axes` at each corner."""
        return [prod(corner[self._at["axis", axis]] for axis in axes) for corner in self._corners]


class ArrayCorners:
    """The bytes of the collectives of one array at each corner."""

    def __init__(self, corners: Corners, dims: tuple[str, ...], width: Width) -> None:
        self._corners, self._width = corners, width
        self._lengths = corners.lengths(dims)
        self._known: dict[tuple[str, tuple[str, ...], tuple[str, ...]], tuple[float, ...]] = {}

    def received(self, move: Move, before: Sharding) -> tuple[float, ...]:
        """Return the bytes that a device receives in a collective on the array in the layout `before`."""
        cut = tuple(sorted(axis for axes in before.axes for axis in axes))
        key = (move.kind, tuple(sorted(move.axes)), cut)
        if key not in self._known:
            width = self._width.reduced if move.kind in REDUCING else self._width.own
            parts = zip(self._lengths, self._corners.counts(cut), self._corners.counts(move.axes), strict=True)
            self._known[key] = tuple(bytes_received(move.kind, width * own / shards, n) for own, shards, n in parts)
        return self._known[key]


def _all(ends: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    return list(product(*ends))


def _one_at_a_time(ends: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Return corners for many sizes: all small, all large, and one unlike all others."""
    low, high = [side[0] for side in ends], [side[-1] for side in ends]
    found = [tuple(low), tuple(high)]
    for at in range(len(ends)):
        found.append((*low[:at], high[at], *low[at + 1 :]))
        found.append((*high[:at], low[at], *high[at + 1 :]))
    return list(dict.fromkeys(found))
