"""What a sharded array means: the function from (mesh, local blocks) to one global array, and back.

Source: NOTATION section 1. Everything that the compiler does must preserve `denote`.
"""

from collections.abc import Mapping
from itertools import groupby
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from shardlang.reference.grid import Device, Grid
from shardlang.semantics.sharding import ArrayType, Sharding

Block: TypeAlias = npt.NDArray[np.float64]
Blocks: TypeAlias = dict[Device, Block]

COMBINE = {"sum": np.add, "max": np.maximum, "min": np.minimum}


class Holding(NamedTuple):
    """What one device should hold and what it holds, as text: `[0:4, :]`. `holds` is None where that is unknown."""

    device: tuple[tuple[str, int], ...]
    ok: bool
    should: str
    holds: str | None


_LARGE = 2.0**36  # quarters of a product of eight factors have 16 bits behind the point, of 53


class LayoutError(Exception):
    """Local blocks that do not form an array of the stated layout; `devices` are those concerned, `held` what all hold."""

    def __init__(self, message: str, devices: tuple[Device, ...] = ()) -> None:
        super().__init__(message)
        self.devices = devices
        self.held: tuple[Holding, ...] = ()


def same(left: Block, right: Block, *, exact: bool = True) -> bool:
    """Say whether two arrays agree: bit by bit, or (not exact) up to the rounding of sums in another order.

    Numbers so large that a float has no room for their fractions were rounded too.
    """
    if left.shape != right.shape:
        return False
    scale = float(np.max(np.abs(right), where=np.isfinite(right), initial=1.0))
    if exact and (scale < _LARGE or np.array_equal(left, right, equal_nan=True)):
        return bool(np.array_equal(left, right, equal_nan=True))
    if exact:
        return bool(np.allclose(left, right, rtol=1e-11, atol=1e-11 * scale, equal_nan=True))
    return bool(np.allclose(left, right, rtol=1e-9, atol=1e-9 * scale, equal_nan=True))


def local_shape(grid: Grid, array: ArrayType, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the shape of what one device holds. Raises LayoutError if a dimension does not divide evenly."""
    shape = []
    for dim, axes in zip(array.dims, array.sharding.axes, strict=True):
        parts = grid.count(axes)
        if sizes[dim] % parts:
            raise LayoutError(f"dimension {dim} of size {sizes[dim]} does not divide into {parts} blocks")
        shape.append(sizes[dim] // parts)
    return tuple(shape)


def block_place(grid: Grid, device: Device, sharding: Sharding) -> tuple[int, ...]:
    """Return which block of each dimension `device` holds: `I_{XY}` puts block x·|Y| + y on device (x, y)."""
    return tuple(grid.rank(device, axes) for axes in sharding.axes)


def window(place: tuple[int, ...], shape: tuple[int, ...]) -> tuple[slice, ...]:
    """Return the part of an array that the block at `place` covers, all blocks having this shape."""
    return tuple(slice(at * size, (at + 1) * size) for at, size in zip(place, shape, strict=True))


def distribute(grid: Grid, array: ArrayType, value: Block, rng: np.random.Generator) -> Blocks:
    """Return local blocks whose denotation is `value` (global shape, dimensions in the order of `array`).

    A pending layout gets addends (or losing candidates) at random, so that a device which wrongly takes its
    own part for the whole is found out; in quarters, which keeps sums exact. Raises LayoutError for sizes that do not divide.
    """
    shape = local_shape(grid, array, dict(zip(array.dims, value.shape, strict=True)))
    pending = array.sharding.pending
    parts = _parts(value, grid.count(pending), array.sharding.kind, rng)
    return {
        device: parts[grid.rank(device, pending)][window(block_place(grid, device, array.sharding), shape)].copy()
        for device in grid.devices
    }


def _parts(value: Block, count: int, kind: str, rng: np.random.Generator) -> list[Block]:
    if count == 1:
        return [value]
    if kind == "sum":
        addends: list[Block] = [rng.integers(-36, 37, value.shape) / 4 for _ in range(count - 1)]
        last: Block = value - np.sum(addends, axis=0)
        return [*addends, last]
    worse = -1.0 if kind == "max" else 1.0
    holder = rng.integers(0, count, value.shape)
    return [value + worse * rng.integers(1, 37, value.shape) / 4 * (holder != at) for at in range(count)]


def denote(grid: Grid, array: ArrayType, blocks: Blocks, sizes: Mapping[str, int]) -> Block:
    """Return the global array that local blocks mean.

    Raises LayoutError if a block has the wrong shape, or if devices that should hold copies of one block do
    not hold the same numbers.
    """
    shape = local_shape(grid, array, sizes)
    wrong = tuple(device for device in grid.devices if blocks[device].shape != shape)
    if wrong:
        raise LayoutError(f"a block has the shape {blocks[wrong[0]].shape}, the layout says {shape}", wrong)
    result = np.empty(tuple(sizes[dim] for dim in array.dims))
    for place, addends in _addends(grid, array.sharding, blocks).items():
        total = addends[0]
        for addend in addends[1:]:
            total = COMBINE[array.sharding.kind](total, addend)
        result[window(place, shape)] = total
    return result


def _addends(grid: Grid, sharding: Sharding, blocks: Blocks) -> dict[tuple[int, ...], list[Block]]:
    """Return for each block what the devices along the pending axes hold, after checking that copies are equal."""

    def key(device: Device) -> tuple[tuple[int, ...], int]:
        return block_place(grid, device, sharding), grid.rank(device, sharding.pending)

    found: dict[tuple[int, ...], list[Block]] = {}
    for (place, _), group in groupby(sorted(grid.devices, key=key), key):
        first, *copies = group
        differ = tuple(device for device in copies if not same(blocks[device], blocks[first]))
        if differ:
            names = ", ".join(map(grid.name, differ[:3]))
            raise LayoutError(f"devices {grid.name(first)} and {names} should hold copies and differ", (first, *differ))
        found.setdefault(place, []).append(blocks[first])
    return found
