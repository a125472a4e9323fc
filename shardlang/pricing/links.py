"""The links of mesh axes: size, bandwidth and hop of each, in the arithmetic of the caller.

What leaves a part of a tree of switches is shared by the devices in it. Source: COST_MODEL sections 6, 8 and 9.
"""

from collections.abc import Callable, Mapping, Sequence

from shardlang.pricing.collectives import NODE, NUMBERS, SPLIT, Link, Maths, Quantity
from shardlang.pricing.networks import BANDWIDTHS, CAPACITY, HOPS, AxisNetwork, Part, alone, level_of, runs_inside
from shardlang.semantics.topology import RANKS, TORUS


def make_link(network: AxisNetwork, size: Quantity, rate: Quantity, physical: Quantity = None) -> Link:
    """Return the `Link` of a mesh axis of a torus or a node, with size and bandwidth in the arithmetic of the caller.

    physical: the torus axes that it spans, in that arithmetic too; None for the number that the network has.
    """
    odd = network.size % 2 if network.size is not None else 0
    shape = tuple(length * (size / size) for length in network.shape)  # in the arithmetic of the caller
    return Link(
        size,
        network.kind,
        rate,
        network.physical if physical is None else physical,
        odd,
        network.reduces,
        one_way=network.one_way,
        alone=network.size == 1,
        shape=shape,
    )


def make_links(
    networks: Sequence[AxisNetwork],
    sizes: Mapping[str, Quantity],
    figure: Callable[[str], Quantity],
    maths: Maths = NUMBERS,
    latency: bool = False,
) -> dict[str, Link]:
    """Return the `Link` of each mesh axis.

    sizes: of all mesh axes. figure: gives a symbol of the hardware (`W_node`, `D_node`) in the arithmetic of the caller.
    latency: whether hops are counted, and links have the seconds of those that are not T_min.
    """
    degrees = _degrees(networks, sizes, figure)
    shares: dict[str, Quantity] = {}

    def make(network: AxisNetwork, size: Quantity) -> Link:
        kind = network.kind
        if kind not in shares:
            shares[kind] = figure("W_ici") if kind in TORUS else _share(kind, networks, degrees, figure, maths)
        link = make_link(network, size, shares[kind], figure(network.spans) if network.spans else None)
        return link._replace(hop=figure(HOPS[kind])) if latency and kind in HOPS else link

    links = {}
    for network in networks:
        size = sizes[network.name]
        if network.kind != SPLIT:
            links[network.name] = make(network, size)
            continue
        own = zip(network.parts, degrees[network.name], strict=True)
        one = size / size  # in the arithmetic of the caller
        parts = tuple(make(alone(network.name, part), degree * one) for part, degree in own)
        links[network.name] = Link(size, SPLIT, parts[0].bandwidth, parts=parts)
    return links


def _degrees(
    networks: Sequence[AxisNetwork], sizes: Mapping[str, Quantity], figure: Callable[[str], Quantity]
) -> dict[str, tuple[Quantity, ...]]:
    """Return how many parts of each level an axis runs along, level by level."""
    used: dict[str, Quantity] = {}
    found: dict[str, tuple[Quantity, ...]] = {}
    inner_first = list(reversed(networks))
    inner_first.sort(key=lambda network: bool(network.parts))  # a split axis takes what the others leave
    for network in inner_first:
        left, degrees = sizes[network.name], []
        for part in network.parts or (Part(network.kind),):
            degree: Quantity = part.degree if network.parts else None
            if degree is None:
                fills = network.parts and part is not network.parts[-1]
                degree = figure(CAPACITY[part.kind]) / used.get(level_of(part.kind), 1) if fills else left
            level = level_of(part.kind)
            used[level] = used[level] * degree if level in used else degree
            left = left / degree
            degrees.append(degree)
        found[network.name] = tuple(degrees)
    return found


def _share(
    kind: str,
    networks: Sequence[AxisNetwork],
    degrees: Mapping[str, tuple[Quantity, ...]],
    figure: Callable[[str], Quantity],
    maths: Maths,
) -> Quantity:
    """Return one device's share of what leaves the part below a level: of a node W_node over the devices in it."""
    rate = figure(BANDWIDTHS[kind])
    if kind in (NODE, "pcie"):
        return rate
    if kind == "dcn":
        return rate if runs_inside(networks, RANKS[kind]) else figure("M_slice") * rate
    in_node: Quantity = 1
    beyond: Quantity = 1
    for network in networks:
        for part, degree in zip(network.levels, degrees[network.name], strict=True):
            if RANKS[part.kind] == 0:
                in_node = in_node * degree
            elif RANKS[part.kind] < RANKS[kind]:
                beyond = beyond * degree
    if any(network.loose for network in networks):
        in_node = maths.minimum(in_node, figure("D_node"))
    return rate / (in_node * beyond)
