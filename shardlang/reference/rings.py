"""The schedules of collectives on a ring of devices, message by message, with every message counted.

A ring is a list of devices, each of which sends to the next one and the last to the first; nothing moves but
in these messages. Counted are elements, by device, sent and received. Source: COST_MODEL section 7, whose
exact forms these schedules reach.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from shardlang.reference.grid import Device
from shardlang.reference.layout import Block

Combine: TypeAlias = Callable[[Block, Block], Block]


class Traffic(NamedTuple):
    """The elements that each device sent to others and received from them; a device that is missing: none."""

    sent: dict[Device, int]
    received: dict[Device, int]

    def add(self, sender: Device, receiver: Device, block: Block) -> None:
        """Add one message. What a device keeps for itself is none."""
        if sender != receiver:
            self.sent[sender] = self.sent.get(sender, 0) + block.size
            self.received[receiver] = self.received.get(receiver, 0) + block.size


def no_traffic() -> Traffic:
    """Return the traffic before the first message."""
    return Traffic({}, {})


def gather(ring: Sequence[Device], blocks: Mapping[Device, Block], traffic: Traffic) -> dict[Device, list[Block]]:
    """Return for each device the blocks of all, in the order of the ring.

    In each of n-1 rounds a device passes on what it got in the round before.
    """
    n = len(ring)
    held: list[dict[int, Block]] = [{at: blocks[device]} for at, device in enumerate(ring)]
    for turn in range(n - 1):
        for at in range(n):
            origin, to = (at - turn) % n, (at + 1) % n
            held[to][origin] = held[at][origin]
            traffic.add(ring[at], ring[to], held[at][origin])
    return {device: [held[at][origin] for origin in range(n)] for at, device in enumerate(ring)}


def scatter(
    ring: Sequence[Device], parts: Mapping[Device, Sequence[Block]], combine: Combine, traffic: Traffic
) -> dict[Device, Block]:
    """Return for each device its own part, combined over all; `parts[device][k]` is what it adds to the k-th one's.

    In each of n-1 rounds a device sends on the running total of one part, to which the next one adds its own.
    """
    n = len(ring)
    total = [list(parts[device]) for device in ring]
    for turn in range(n - 1):
        for at in range(n):
            part, to = (at - 1 - turn) % n, (at + 1) % n
            traffic.add(ring[at], ring[to], total[at][part])
            total[to][part] = combine(total[at][part], total[to][part])
    return {device: total[at][at] for at, device in enumerate(ring)}


def all_reduce(
    ring: Sequence[Device], blocks: Mapping[Device, Block], combine: Combine, traffic: Traffic
) -> dict[Device, Block]:
    """Return for each device the combination of all blocks: cut into n pieces, scattered, and gathered again.

    The pieces differ by at most one element.
    """
    shape = blocks[ring[0]].shape
    pieces = {device: np.array_split(blocks[device].reshape(-1), len(ring)) for device in ring}
    joined = gather(ring, scatter(ring, pieces, combine, traffic), traffic)
    return {device: np.concatenate(found).reshape(shape) for device, found in joined.items()}
