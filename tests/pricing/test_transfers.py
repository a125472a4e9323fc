"""Point to point: COST_MODEL sections 7 and 12.7, and the way found by search over the links one by one."""

import itertools
from collections import deque

import pytest

from shardlang.pricing.hardware import find_hardware
from shardlang.pricing.links import make_links
from shardlang.pricing.machine import machine_for
from shardlang.pricing.transfers import NoRouteError, find_route, first_byte, through
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.semantics.topology import parse_topology

FIGURES = {"W_ici": 9e10, "T_min": 1e-6, "T_dcn": 1e-4, "T_pcie": 1e-5, "W_dcn": 3e9, "W_pcie": 1.6e10, "M_slice": 16}
FIGURES |= {"W_egress": 4.5e11, "W_node": 4e11, "W_leaf": 1.28e13, "D_node": 8, "D_leaf": 32}


def legs(sizes, source, target, chip=None, shape=None, **asked):
    axes = tuple(MeshAxis(n, s, parse_topology(asked[n]) if n in asked else None) for n, s in sizes.items())
    machine, findings = machine_for(Mesh(axes, True), find_hardware(chip) if chip else None, shape=shape)
    assert findings == ()
    links = make_links(machine.networks, {n: s or 1000 for n, s in sizes.items()}, FIGURES.__getitem__)
    places = (dict(zip(sizes, place, strict=True)) for place in (source, target))
    return find_route(machine.networks, links, *places, FIGURES.__getitem__)


def distances(sizes, kinds):
    """Hops from the first chip of a torus to each other one, by breadth-first search over its links."""
    start = (0,) * len(sizes)
    found, waiting = {start: 0}, deque([start])
    while waiting:
        here = waiting.popleft()
        for axis, (size, kind) in enumerate(zip(sizes, kinds, strict=True)):
            for step in (1,) if kind == "ring:one-way" else (1, -1):
                there = here[axis] + step
                if kind == "line" and not 0 <= there < size:
                    continue
                to = (*here[:axis], there % size, *here[axis + 1 :])
                if to not in found:
                    found[to] = found[here] + 1
                    waiting.append(to)
    return found


@pytest.mark.parametrize("kinds", [*itertools.product(["ring", "line", "ring:one-way"], repeat=2)])
@pytest.mark.parametrize("sizes", [(4, 4), (5, 2), (3, 1)])
def test_hops_are_those_of_a_shortest_way_and_ports_the_axes_that_differ(sizes, kinds):
    named = dict(zip("XY", sizes, strict=True))
    for place, hops in distances(sizes, kinds).items():
        route = legs(named, (0, 0), place, **dict(zip("XY", kinds, strict=True)))
        assert sum(leg.hops for leg in route) == hops
        assert sum(leg.ports for leg in route) == sum(number > 0 for number in place)


def test_six_hops_over_two_ports():
    # Record tp-q5: bf16[8,128,8192] from (0,0) to (3,3) on a 4x4 slice of v5e.
    (leg,) = legs({"X": 4, "Y": 4}, (0, 0), (3, 3), "tpu-v5e")
    assert (leg.kind, leg.hops, leg.ports) == ("ici", 6, 2)
    assert first_byte([leg], FIGURES.__getitem__) == pytest.approx(6e-6)
    assert through(2 * 8 * 128 * 8192, [leg]) == pytest.approx(0.0001864135111111111)
    (leg,) = legs({"X": 16, "Y": 16}, (0, 0), (15, 15), "tpu-v5e")  # rings: one step back along each
    assert (leg.hops, leg.ports) == (2, 2)


def test_a_mesh_axis_over_several_physical_axes_goes_along_each_of_them():
    # Place 27 of 28 in the row of 20 rows: rings of 20 and 28, the last one innermost.
    (leg,) = legs({"X": 560, "Y": 16}, (0, 0), (19 * 28 + 14, 0), "tpu-v5p", (16, 20, 28))
    assert (leg.hops, leg.ports) == (1 + 14, 2)
    with pytest.raises(NoRouteError, match="X spans 2 physical axes"):
        legs({"X": 560}, (0,), (1,), X="ring:2")


@pytest.mark.parametrize(
    ("target", "kind", "rate"),
    [
        (1, "node", 4.5e11),
        (8, "scale-out", 4e11 / 8),
        (9, "scale-out", 4e11 / 8),
        (300, "spine", 1.28e13 / 256),
    ],
)
def test_over_switches_it_is_one_hop_of_the_outermost_level_with_a_share_of_its_link(target, kind, rate):
    (leg,) = legs({"X": 1024}, (0,), (target,), "h100")
    assert (leg.kind, leg.hops, leg.ports, leg.rate) == (kind, 1, 1, pytest.approx(rate))
    with pytest.raises(NoRouteError, match="how much of it is inside is not known"):
        legs({"X": None}, (0,), (1,), X="node+scale-out")


def test_the_narrowest_part_of_the_way_counts_once_and_all_hops_do():
    route = legs({"P": 2, "X": 16}, (0, 0), (1, 3), P="dcn")
    assert [(leg.kind, leg.hops, leg.hop) for leg in route] == [("ici", 3, "T_min"), ("dcn", 1, "T_dcn")]
    assert first_byte(route, FIGURES.__getitem__) == pytest.approx(3e-6 + 1e-4)
    assert through(3e9, route) == pytest.approx(1.0)  # one chip's share of DCN, not that of its slice
    assert legs({"P": 2}, (0,), (1,), P="dcn")[0].rate == 3e9
    assert legs({"P": 2}, (0,), (1,), P="pcie")[0].hop == "T_pcie"


def test_nothing_is_sent_to_oneself():
    assert legs({"X": 4}, (2,), (2,)) == ()
    assert (first_byte((), FIGURES.__getitem__), through(1e9, ())) == (0, 0)


def test_the_search_over_links_finds_a_wrong_way_round():
    straight = {place: sum(place) for place in itertools.product(range(5), range(2))}
    assert distances((5, 2), ("line", "line")) == straight
    assert distances((5, 2), ("ring", "ring")) != straight  # what a route that never wraps would say
    assert distances((5, 2), ("ring:one-way", "ring")) == straight
