"""The collectives and the free steps, each as what its devices do with what they hold.

Source: NOTATION section 4. A collective takes the axes at their word, major first, and never looks at the
global array: gathering a major axis therefore leaves the blocks in strided order, and is found out by
`shardlang.reference.layout.denote`. Each returns the new blocks and what every device sent and received:
around the ring of its group for AllGather, ReduceScatter and AllReduce, straight to its place for the rest.
"""

import numpy as np

from shardlang.reference import rings
from shardlang.reference.grid import Device, Grid
from shardlang.reference.layout import COMBINE, Block, Blocks, block_place, window
from shardlang.reference.rings import Traffic, no_traffic
from shardlang.semantics.sharding import Sharding

Lists = tuple[tuple[str, ...], ...]
"""For each dimension of an array, mesh axes that leave it or come to it, major first."""


class StepError(Exception):
    """A step that cannot be carried out at all on the blocks that are there."""


def all_gather(grid: Grid, blocks: Blocks, axes: tuple[str, ...], lost: Lists) -> tuple[Blocks, Traffic]:
    """AllGather: every device gets the blocks of its group, and puts them side by side along the lost dimensions."""
    new, traffic = _start()
    for ring in grid.groups(axes):
        for device, found in rings.gather(ring, blocks, traffic).items():
            new[device] = _joined(grid, dict(zip(ring, found, strict=True)), lost)
    return new, traffic


def all_to_all(grid: Grid, blocks: Blocks, axes: tuple[str, ...], lost: Lists, gained: Lists) -> tuple[Blocks, Traffic]:
    """AllToAll: every device sends each member of its group that member's part, and joins what comes.

    The parts are cut along the gained dimensions and stand side by side along the lost.
    """
    new, traffic = _start()
    for group in grid.groups(axes):
        for to in group:
            parts = {sender: _part(grid, blocks[sender], to, gained) for sender in group}
            new[to] = _joined(grid, parts, lost)
            for sender, part in parts.items():
                traffic.add(sender, to, part)
    return new, traffic


def reduce_scatter(
    grid: Grid, blocks: Blocks, axes: tuple[str, ...], gained: Lists, kind: str
) -> tuple[Blocks, Traffic]:
    """ReduceScatter: every device ends with its own part of what the group holds, combined."""
    new, traffic = _start()
    for ring in grid.groups(axes):
        parts = {sender: [_part(grid, blocks[sender], to, gained) for to in ring] for sender in ring}
        new |= rings.scatter(ring, parts, COMBINE[kind], traffic)
    return new, traffic


def all_reduce(grid: Grid, blocks: Blocks, axes: tuple[str, ...], kind: str) -> tuple[Blocks, Traffic]:
    """AllReduce: every device ends with the combination of all, by a ReduceScatter and an AllGather of 1/n each."""
    new, traffic = _start()
    for ring in grid.groups(axes):
        new |= rings.all_reduce(ring, blocks, COMBINE[kind], traffic)
    return new, traffic


def permute(grid: Grid, blocks: Blocks, old: Sharding, new: Sharding) -> tuple[Blocks, Traffic]:
    """CollectivePermute: every device passes its block on to one other, so that the new layout comes out.

    The blocks that are the same in both layouts stay; replicas and addends are paired so that axes which keep
    their role keep it. Raises StepError if the layouts do not have the same blocks.
    """
    before, after = _seats(grid, old, new), _seats(grid, new, old)
    holders = {seat: device for device, seat in before.items()}
    if set(holders) != set(after.values()):
        raise StepError("a CollectivePermute needs the same number of blocks, addends and copies before and after")
    moved, traffic = _start()
    for device, seat in after.items():
        sender = device if before[device][:2] == seat[:2] else holders[seat]
        moved[device] = blocks[sender].copy()
        traffic.add(sender, device, moved[device])
    return moved, traffic


def _start() -> tuple[Blocks, Traffic]:
    return {}, no_traffic()


def _seats(grid: Grid, own: Sharding, other: Sharding) -> dict[Device, tuple[tuple[int, ...], int, int]]:
    """Return for each device its block, which addend of it, and which copy of that."""
    free = tuple(axis for axis in grid.sizes if axis not in own.used())
    free_there = tuple(axis for axis in grid.sizes if axis not in other.used())
    addend = _kept_first(own.pending, other.pending)
    copy = _kept_first(free, free_there)
    return {
        device: (block_place(grid, device, own), grid.rank(device, addend), grid.rank(device, copy))
        for device in grid.devices
    }


def _kept_first(own: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return (*(axis for axis in own if axis in other), *(axis for axis in own if axis not in other))


def cut(grid: Grid, blocks: Blocks, gained: Lists) -> Blocks:
    """Slice: every device keeps its own part."""
    return {device: _part(grid, block, device, gained).copy() for device, block in blocks.items()}


def mask(grid: Grid, blocks: Blocks, axes: tuple[str, ...]) -> Blocks:
    """Mask: kept on coordinate 0 of the axes, zero elsewhere."""
    return {
        device: block.copy() if grid.rank(device, axes) == 0 else np.zeros_like(block)
        for device, block in blocks.items()
    }


def pad(grid: Grid, blocks: Blocks, lost: Lists) -> Blocks:
    """Pad: the own block in its place along the lost dimensions, zero elsewhere."""
    return {device: _joined(grid, {device: block}, lost) for device, block in blocks.items()}


def _part(grid: Grid, block: Block, owner: Device, gained: Lists) -> Block:
    """Return the part of `block` that goes to `owner` when the dimensions are cut along `gained`."""
    shape = []
    for size, axes in zip(block.shape, gained, strict=True):
        parts = grid.count(axes)
        if size % parts:
            raise StepError(f"a local dimension of size {size} cannot be cut into {parts} parts")
        shape.append(size // parts)
    return block[window(tuple(grid.rank(owner, axes) for axes in gained), tuple(shape))]


def _joined(grid: Grid, parts: dict[Device, Block], lost: Lists) -> Block:
    """Return the parts side by side along `lost`, zero where none is."""
    shape = next(iter(parts.values())).shape
    whole = np.zeros(tuple(size * grid.count(axes) for size, axes in zip(shape, lost, strict=True)))
    for sender, part in parts.items():
        whole[window(tuple(grid.rank(sender, axes) for axes in lost), shape)] = part
    return whole
