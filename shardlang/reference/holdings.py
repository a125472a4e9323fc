"""What every device holds, in words: for the picture that a failure is shown with.

A block is named by the indices of the whole array that it should have, as NumPy writes them: `[0:4, :]`. What a
device holds instead is looked for among the blocks of the whole array, contiguous and strided; numbers that
are none of them, such as a sum that was not finished, stay unnamed.
"""

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import islice, product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from shardlang.reference.evaluate import Named
from shardlang.reference.grid import Device, Grid
from shardlang.reference.layout import COMBINE, Block, Blocks, Holding, block_place, same, window
from shardlang.semantics.sharding import ArrayType

Indices: TypeAlias = npt.NDArray[np.int64]
_MOST_TRIED = 3000
_MOST_DEVICES = 64


def holdings(grid: Grid, array: ArrayType, blocks: Blocks, whole: Named) -> tuple[Holding, ...]:
    """Return what every device holds of `whole`, laid out as `array`; nothing for a mesh too large to draw or blocks that do not divide."""
    counts = [grid.count(axes) for axes in array.sharding.axes]
    if len(grid.devices) > _MOST_DEVICES or any(size % n for size, n in zip(whole.data.shape, counts, strict=True)):
        return ()
    shape = tuple(size // n for size, n in zip(whole.data.shape, counts, strict=True))
    groups = {device: group for group in grid.groups(array.sharding.pending) for device in group}
    found = []
    for device in grid.devices:
        part = window(block_place(grid, device, array.sharding), shape)
        ok = _means(blocks, groups[device], array, whole.data[part], whole.exact)
        own = tuple(np.arange(one.start, one.stop) for one in part)
        held = own if ok else _found(blocks[device], whole.data)
        lead = "an addend of " if array.sharding.pending and array.sharding.kind == "sum" else ""
        at = tuple(zip(grid.sizes, device, strict=True))
        holds = None if held is None else ("" if not ok else lead) + _text(held, whole.data.shape)
        found.append(Holding(at, ok, lead + _text(own, whole.data.shape), holds))
    return tuple(found)


def _means(
    blocks: Mapping[Device, Block], group: tuple[Device, ...], array: ArrayType, wanted: Block, exact: bool
) -> bool:
    """Say whether the devices of a group together hold `wanted`."""
    own = [blocks[device] for device in group]
    if any(block.shape != wanted.shape for block in own):
        return False
    return same(reduce(COMBINE[array.sharding.kind], own), wanted, exact=exact)


def _found(block: Block, whole: Block) -> tuple[Indices, ...] | None:
    """Return the indices of `whole` at which `block` stands, None if it stands nowhere or too much had to be tried."""
    if block.ndim != whole.ndim:
        return None
    choices = [_windows(whole, block, dim) for dim in range(whole.ndim)]
    for indices in islice(product(*choices), _MOST_TRIED):
        if np.array_equal(whole[np.ix_(*indices)], block, equal_nan=True):
            return indices
    return None


def _windows(whole: Block, block: Block, dim: int) -> list[Indices]:
    """Return the sets of indices along one dimension where every slice of the block has only numbers of the whole's."""
    size, length = whole.shape[dim], block.shape[dim]
    there, here = np.moveaxis(whole, dim, 0), np.moveaxis(block, dim, 0)
    fits = np.array([[bool(np.isin(one, other).all()) for other in there] for one in here], dtype=bool)
    rows = np.arange(length)
    return [indices for indices in _candidates(size, length) if fits.size == 0 or fits[rows, indices].all()]


def _candidates(size: int, length: int) -> Iterator[Indices]:
    """Yield consecutive indices, then runs of equal length at equal distances."""
    for start in range(size - length + 1):
        yield np.arange(start, start + length)
    for run in range(1, length):
        if length % run == 0:
            for distance in range(2 * run, size, run):
                last = (length // run - 1) * distance + run
                for start in range(0, size - last + 1, run):
                    runs = start + distance * np.arange(length // run)
                    yield (runs[:, None] + np.arange(run)[None, :]).reshape(-1)


def _text(indices: tuple[Indices, ...], shape: tuple[int, ...]) -> str:
    return "[" + ", ".join(_ranges(own, size) for own, size in zip(indices, shape, strict=True)) + "]"


def _ranges(indices: Indices, size: int) -> str:
    """Return `0:4`, `0:2 4:6` or, for a whole dimension, `:`."""
    if len(indices) == size and np.array_equal(indices, np.arange(size)):
        return ":"
    cuts = np.flatnonzero(np.diff(indices) != 1) + 1
    return " ".join(f"{run[0]}:{run[-1] + 1}" for run in np.split(indices, cuts) if len(run))
