"""The schedules on a ring: what they give, and that every device sends and receives what COST_MODEL section 7 says."""

from functools import reduce

import numpy as np
import pytest

from shardlang.reference import rings


def ring_of(n, elements):
    ring = tuple((at,) for at in range(n))
    rng = np.random.default_rng(n)
    return ring, {device: rng.integers(-9, 9, elements).astype(float) for device in ring}


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_gather_passes_every_block_on(n):
    ring, blocks = ring_of(n, 5)
    traffic = rings.no_traffic()
    found = rings.gather(ring, blocks, traffic)
    for device in ring:
        assert [list(block) for block in found[device]] == [list(blocks[other]) for other in ring]
        assert traffic.sent.get(device, 0) == traffic.received.get(device, 0) == 5 * (n - 1)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_scatter_adds_up_each_part(n):
    ring, blocks = ring_of(n, 3 * n)
    traffic = rings.no_traffic()
    parts = {device: np.split(block, n) for device, block in blocks.items()}
    found = rings.scatter(ring, parts, np.add, traffic)
    total = np.split(reduce(np.add, blocks.values()), n)
    for at, device in enumerate(ring):
        assert list(found[device]) == list(total[at])
        assert traffic.sent.get(device, 0) == traffic.received.get(device, 0) == 3 * (n - 1)


@pytest.mark.parametrize(("n", "elements"), [(1, 4), (2, 6), (3, 12), (4, 6), (5, 1)])
def test_all_reduce_is_both(n, elements):
    ring, blocks = ring_of(n, elements)
    traffic = rings.no_traffic()
    found = rings.all_reduce(ring, blocks, np.maximum, traffic)
    total = reduce(np.maximum, blocks.values())
    assert all(list(found[device]) == list(total) for device in ring)
    assert sum(traffic.received.values()) == sum(traffic.sent.values()) == 2 * elements * (n - 1)
    if elements % n == 0:
        assert set(traffic.received.values()) <= {2 * elements * (n - 1) // n}


def test_blocks_of_the_inputs_stay_as_they_are():
    ring, blocks = ring_of(3, 6)
    before = {device: block.copy() for device, block in blocks.items()}
    rings.all_reduce(ring, blocks, np.add, rings.no_traffic())
    assert all(np.array_equal(blocks[device], before[device]) for device in ring)
