"""A transfer from one device to another: the links that it crosses, and how long it takes.

Hops and bandwidth add up, unlike those of collectives: the first byte arrives after the hops, the last one when all have
gone through the narrowest part of the way. Source: COST_MODEL sections 7 and 12.7.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from shardlang.pricing.collectives import ICI, NUMBERS, Link, Maths, Quantity
from shardlang.pricing.networks import BANDWIDTHS, HOPS, AxisNetwork, Part
from shardlang.semantics.topology import RANKS, TORUS, TREE


class Leg(NamedTuple):
    """The part of the way over one network.

    kind: `ici` for a torus, else as in `topology.KINDS`. axes: the mesh axes. hops: links one after another. hop: the symbol of
    the seconds of one. ports: links that the sender uses at once. rate: bytes/s over all of them.
    """

    kind: str
    axes: tuple[str, ...]
    hops: int
    hop: str
    ports: int
    rate: Quantity


class NoRouteError(ValueError):
    """The way between two devices cannot be told; the message says what is missing."""


def find_route(
    networks: Sequence[AxisNetwork],
    links: Mapping[str, Link],
    source: Mapping[str, int],
    target: Mapping[str, int],
    figure: Callable[[str], Quantity],
) -> tuple[Leg, ...]:
    """Return the legs of the way between two devices, from the inside; none where they are the same.

    source, target: coordinates by mesh axis. figure: gives a symbol of the hardware in the arithmetic of the caller. On a
    torus the way is a shortest one, and the sender uses the link of each axis on which the two differ at once; over
    switches it is one hop of the outermost level that parts the two, with the sender's share of the link.
    Raises NoRouteError where sizes that decide it are open.
    """
    crossed: list[tuple[str, Part, int, int]] = []
    for network in networks:
        crossed += _crossed(network, source[network.name], target[network.name])
    torus = [(name, part, a, b) for name, part, a, b in crossed if part.kind in TORUS]
    legs = [_over_torus(torus, figure)] if torus else []
    for kinds in (TREE, ("dcn",), ("pcie",)):
        found = [(name, part.kind) for name, part, _, _ in crossed if part.kind in kinds]
        if not found:
            continue
        outermost = max((kind for _, kind in found), key=RANKS.__getitem__)
        axes = tuple(name for name, kind in found if kind == outermost)
        rate = _share(links[axes[0]], outermost) if outermost in TREE else figure(BANDWIDTHS[outermost])
        legs.append(Leg(outermost, axes, 1, HOPS.get(outermost, "T_min"), 1, rate))
    return tuple(legs)


def first_byte(legs: Sequence[Leg], figure: Callable[[str], Quantity]) -> Quantity:
    """Return the seconds until the first byte arrives: the hops."""
    return sum(leg.hops * figure(leg.hop) for leg in legs)


def through(sent: Quantity, legs: Sequence[Leg], maths: Maths = NUMBERS) -> Quantity:
    """Return the seconds that all bytes take through the narrowest leg."""
    seconds = [sent / leg.rate for leg in legs]
    return 0 if not seconds else seconds[0] if len(seconds) == 1 else maths.maximum(*seconds)


def _crossed(network: AxisNetwork, source: int, target: int) -> list[tuple[str, Part, int, int]]:
    """Return the parts of an axis on which two devices differ, with their coordinates in them."""
    if source == target:
        return []
    if len(network.levels) == 1 and not network.shape:
        return _along(network.name, network.levels[0], source, target)
    found = []
    for part in network.levels:
        if part.degree is None:
            raise NoRouteError(f"{network.name} runs over {network.words}, and how much of it is inside is not known")
        a, b = source % part.degree, target % part.degree
        source, target = source // part.degree, target // part.degree
        found += _along(network.name, part, a, b)
    return found


def _along(name: str, part: Part, source: int, target: int) -> list[tuple[str, Part, int, int]]:
    """Return one entry for each physical axis on which two places of a part differ; the last axis is the innermost."""
    if source == target:
        return []
    if not part.shape:
        if part.physical != 1:
            raise NoRouteError(f"{name} spans {part.physical:g} physical axes, whose sizes are not known")
        return [(name, part, source, target)]
    found = []
    for size in reversed(part.shape):
        if source % size != target % size:
            found.append((name, part._replace(degree=size, physical=1, shape=()), source % size, target % size))
        source, target = source // size, target // size
    return found


def _over_torus(crossed: Sequence[tuple[str, Part, int, int]], figure: Callable[[str], Quantity]) -> Leg:
    hops = sum(_distance(part, a, b) for _, part, a, b in crossed)
    axes = tuple(dict.fromkeys(name for name, _, _, _ in crossed))
    return Leg(ICI, axes, hops, "T_min", len(crossed), len(crossed) * figure("W_ici") / 2)


def _distance(part: Part, source: int, target: int) -> int:
    """Return the links between two places: the shorter way round a ring of known size, straight on else."""
    if part.kind == "line" or part.degree is None:
        return abs(source - target)
    onwards = (target - source) % part.degree
    return onwards if part.one_way else min(onwards, part.degree - onwards)


def _share(link: Link, kind: str) -> Quantity:
    """Return one device's share of the links of a level."""
    return next(part.bandwidth for part in (link.parts or (link,)) if part.kind == kind)
