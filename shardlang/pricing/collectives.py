"""What a collective moves and how long it takes: every formula of the cost model, written once.

The functions are generic: they use `+ - * /` only, so that numbers, NumPy arrays, SymPy expressions and
(where nothing is added) monomials may go in; whatever else a formula needs comes in as `Maths`.

`operand_bytes` is what one device holds of the operand, `n` the product of the sizes of the mesh axes that
take part. Bandwidths are bytes/s: of a torus axis the bidirectional one (both links of the ring, twice the
one-way figure of a link), of a level of switches one device's share of what leaves the part below it, one way.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from shardlang.semantics.topology import RANKS, TORUS

Quantity: TypeAlias = Any  # float, NumPy array, SymPy expression or Monomial

NODE = "node"
ICI = "ici"  # the links of a torus
SPLIT = "split"


class Maths(NamedTuple):
    """The functions beyond arithmetic that some formulas need: of numbers here, of SymPy in `shardlang.cost`."""

    maximum: Callable[..., Quantity]
    ceiling: Callable[[Quantity], Quantity]
    log2: Callable[[Quantity], Quantity]
    minimum: Callable[..., Quantity] = min


NUMBERS = Maths(max, math.ceil, math.log2)


class Link(NamedTuple):
    """The network along one mesh axis.

    size: devices along the axis. kind: one of `topology.KINDS`, or `split` over the levels `parts`, from the inside.
    bandwidth: see the module. physical: how many physical torus axes the mesh axis spans. odd: 1 where the size is
    known to be odd, else 0 (an open size takes the form of even sizes, which is never less). reduces: whether the
    switches of the level add up what passes through them. one_way: a ring of links in one direction only. alone: the size
    is known to be 1, so that nothing moves. shape: the sizes of its physical axes, where several are known. hop: seconds of latency of a hop, where that is not the hardware's own (T_min).
    """

    size: Quantity
    kind: str
    bandwidth: Quantity
    physical: Quantity = 1
    odd: Quantity = 0
    reduces: bool = False
    parts: tuple["Link", ...] = ()
    one_way: bool = False
    alone: bool = False
    shape: tuple[Quantity, ...] = ()
    hop: Quantity = None


class Tier(NamedTuple):
    """The links of one level that take part in a collective, all of a torus or all of switches.

    below: devices of the collective in each part that the level joins. total: devices of the whole collective.
    """

    links: tuple[Link, ...]
    below: Quantity
    total: Quantity

    @property
    def on_torus(self) -> bool:
        """Whether the links are axes of a torus."""
        return self.links[0].kind in TORUS


def bytes_received(kind: str, operand_bytes: Quantity, n: Quantity) -> Quantity:
    """Return the bytes that one device receives (the most that any does), in the exact form."""
    if kind == "AllGather":
        return operand_bytes * (n - 1)
    if kind in ("ReduceScatter", "AllToAll"):
        return operand_bytes * (n - 1) / n
    if kind == "AllReduce":
        return 2 * operand_bytes * (n - 1) / n
    if kind == "CollectivePermute":
        return operand_bytes
    return 0


def volume(kind: str, operand_bytes: Quantity, n: Quantity) -> Quantity:
    """Return V: the bytes of the array per device, not divided by the axes that take part (COST_MODEL section 5).

    Of a CollectivePermute, which gathers nothing, V is the local shard.
    """
    if kind in ("AllGather", "AllToAll"):
        return operand_bytes * n
    if kind in ("ReduceScatter", "AllReduce", "CollectivePermute"):
        return operand_bytes
    return 0


def product(links: Sequence[Link]) -> Quantity:
    """Return the number of devices that take part."""
    n = links[0].size
    for link in links[1:]:
        n = n * link.size
    return n


def bandwidth(link: Link) -> Quantity:
    """Return what the whole axis carries: M physical axes add up, a line and a one-way ring have one direction of a ring."""
    rate = link.bandwidth if link.physical == 1 else link.physical * link.bandwidth
    return rate / 2 if link.kind == "line" or link.one_way else rate


def time(
    kind: str,
    v: Quantity,
    links: Sequence[Link],
    model: str = "book",
    latency: Quantity | None = None,
    maths: Maths = NUMBERS,
    top_k: Quantity = None,
) -> Quantity:
    """Return the seconds of one collective over the axes of `links`.

    v: its volume in bytes. top_k: see `level_times`. model: `book` leaves out the factor (n-1)/n on a ring and on one level beyond the node (on a
    line, in a node and over several levels it does not, as the book has no other form there), `exact` keeps it.
    latency: seconds per hop, or None to leave latency out. Where several levels take part they overlap and the
    slowest counts. Source: COST_MODEL section 7, section 8 for switches.
    """
    if (
        latency is top_k is None and len(links) == 1 and not links[0].parts and kind in _ON_TORUS
    ):  # most calls of planning
        link, exact = links[0], model == "exact"
        if link.alone:
            return 0
        if link.kind in TORUS:
            return _ON_TORUS[kind](v, links, exact, maths)
        return _SWITCHED[kind](v, Tier((link,), 1, link.size), exact or link.kind == NODE)
    seconds = list(level_times(kind, v, links, model, latency, maths, top_k).values()) or [0]
    return seconds[0] if len(seconds) == 1 else maths.maximum(*seconds)


def level_times(
    kind: str,
    v: Quantity,
    links: Sequence[Link],
    model: str = "book",
    latency: Quantity | None = None,
    maths: Maths = NUMBERS,
    top_k: Quantity = None,
) -> dict[str, Quantity]:
    """Return the seconds that one collective keeps the links of each level busy: `ici` for a torus, else by kind.

    top_k: of an AllToAll in which each row (a token) has something for so many parts of the level only, as rows of a mixture
    of experts have; `v` is that of the dense array, with a block for every part. None: for all of them.
    """
    links = [link for link in links if not link.alone]
    if not links or kind not in _ON_TORUS:
        return {}
    tiers = tiers_of(links)
    switched = [tier for tier in tiers if not tier.on_torus]
    beyond = len(switched) == 1 and switched[0].links[0].kind != NODE
    factor = model == "exact" or not beyond
    times: dict[str, Quantity] = {}
    for tier in tiers:
        if tier.on_torus:
            carried = _of_slice(kind, v, tier) if switched else v
            times[ICI] = _ON_TORUS[kind](carried, tier.links, model == "exact", maths)
        else:
            times[tier.links[0].kind] = _SWITCHED[kind](v, tier, factor)
        if top_k is not None and kind == "AllToAll":
            level = ICI if tier.on_torus else tier.links[0].kind
            times[level] = times[level] * maths.minimum(top_k * tier.below / tier.total, 1)
    if latency is None:
        return times
    wait = _delay(kind, links, latency, maths)
    if kind == "CollectivePermute":
        return {level: seconds + wait for level, seconds in times.items()}
    return {level: maths.maximum(wait, seconds) for level, seconds in times.items()}


def _of_slice(kind: str, v: Quantity, tier: Tier) -> Quantity:
    """Return what of V a torus carries in a collective that other levels take part in: of an exchange its own devices' part."""
    return v * product(tier.links) / tier.total if kind == "AllToAll" else v


def tiers_of(links: Sequence[Link]) -> list[Tier]:
    """Return the levels that links are on, from the inside."""
    first = links[0].kind
    if first != SPLIT and all(link.kind == first for link in links):
        return [Tier(tuple(links), 1, product(links))]
    flat = [part for link in links for part in (link.parts or (link,))]
    keys = dict.fromkeys(sorted((RANKS[link.kind], link.kind not in TORUS) for link in flat))
    total, below, rank = product(links), 1, 0
    tiers: list[Tier] = []
    inside: Quantity = 1
    for key in keys:
        if key[0] > rank:
            rank, below = key[0], inside
        chosen = tuple(link for link in flat if (RANKS[link.kind], link.kind not in TORUS) == key)
        tiers.append(Tier(chosen, below, total))
        inside = inside * product(chosen)
    return tiers


def time_exact(kind: str, operand_bytes: Quantity, links: Sequence[Link]) -> Quantity:
    """Return the seconds in the exact form without latency, from the bytes that one device holds: what planning compares."""
    return time(kind, volume(kind, operand_bytes, product(links)), links, "exact") if links else 0


def hops(kind: str, links: Sequence[Link], maths: Maths = NUMBERS) -> Quantity:
    """Return how many links the farthest block crosses: half a ring, a whole line or one-way ring, log2 of the devices of a tree.

    Twice that for an AllReduce, unless the switches add up.
    """
    return _delay(kind, [link._replace(hop=None) for link in links], 1, maths)


def _delay(kind: str, links: Sequence[Link], latency: Quantity, maths: Maths) -> Quantity:
    """Return the seconds of all hops to the farthest device. latency: of one over the hardware's own network."""
    own: Quantity = 0
    seconds: Quantity = 0
    switched: list[Link] = []
    for tier in tiers_of(links):
        switched += [] if tier.on_torus else tier.links
        for link in _physical(tier.links) if tier.on_torus else ():
            half = link.kind == "ring" and not link.one_way
            own = own + (maths.ceiling(link.size / 2) if half else link.size - 1)
    at_home = [link for link in switched if link.hop is None]
    if at_home:
        own = own + maths.log2(product(at_home))
    for link in switched:
        if link.hop is not None:
            seconds = seconds + link.hop * maths.log2(link.size)
    seconds = seconds + latency * own
    once = bool(switched) and all(link.reduces for link in switched)
    return 2 * seconds if kind == "AllReduce" and not once else seconds


# -- a torus -----------------------------------------------------------------------------------------


def _physical(links: Sequence[Link]) -> list[Link]:
    """Return links with those of known shape as one for each physical axis, as several mesh axes would be."""
    return [
        axis
        for link in links
        for axis in ([link._replace(size=size, physical=1) for size in link.shape] if link.shape else [link])
    ]


def _gather(v: Quantity, links: Sequence[Link], exact: bool, maths: Maths) -> Quantity:
    """AllGather and ReduceScatter: V/W over all the axes' bandwidth; exact, and on a line always, V(n-1)/(n W)."""
    rate = bandwidth(links[0])
    for link in links[1:]:
        rate = rate + bandwidth(link)
    if not exact and all(link.kind != "line" for link in links):
        return v / rate
    n = product(links)
    return v * (n - 1) / (n * rate)


def _reduce(v: Quantity, links: Sequence[Link], exact: bool, maths: Maths) -> Quantity:
    """AllReduce: a ReduceScatter and an AllGather of the same volume."""
    return 2 * _gather(v, links, exact, maths)


def _exchange(v: Quantity, links: Sequence[Link], exact: bool, maths: Maths) -> Quantity:
    """AllToAll: a quarter of V crosses the middle of an axis; on a one-way ring half of it, less what stays, crosses each link."""
    axes = _physical(links)
    if len(axes) == 1:
        (link,) = axes
        if link.one_way:
            return v / (2 * bandwidth(link)) * ((link.size - 1) / link.size if exact else 1)
        odd = link.odd / (link.size * link.size) if exact and link.kind == "ring" else 0
        return v * (1 - odd) / (4 * bandwidth(link))
    slower = [4 if link.one_way else 2 if link.kind == "line" else 1 for link in axes]
    across = [link.size * times / link.physical for link, times in zip(axes, slower, strict=True)]
    return v * maths.maximum(*across) / (4 * product(links) * links[0].bandwidth)


def _permute(shard: Quantity, links: Sequence[Link], exact: bool, maths: Maths) -> Quantity:
    """CollectivePermute: the bound for any exchange, half the shards across the middle of each axis in turn.

    On a one-way ring it is what a shift by all but one crosses.
    """
    axes = _physical(links)
    across = [link.size - 1 if link.one_way else link.size / 2 for link in axes]
    return sum(shard * blocks / bandwidth(link) for blocks, link in zip(across, axes, strict=True))


# -- switches ----------------------------------------------------------------------------------------


def _switched_gather(v: Quantity, tier: Tier, exact: bool) -> Quantity:
    """AllGather and ReduceScatter: what each part lacks of V comes over its link, shared by its devices: V(d-1)/(d W)."""
    rate = tier.links[0].bandwidth * tier.below
    if not exact:
        return v / rate
    d = product(tier.links)
    return v * (d - 1) / (d * rate)


def _switched_reduce(v: Quantity, tier: Tier, exact: bool) -> Quantity:
    """AllReduce: twice that; where switches add up V goes up once and comes down once at the same time, V/W."""
    if all(link.reduces for link in tier.links):
        return v / (tier.links[0].bandwidth * tier.below)
    return 2 * _switched_gather(v, tier, exact)


def _switched_exchange(v: Quantity, tier: Tier, exact: bool) -> Quantity:
    """AllToAll: each device sends all but the blocks of its own part over its share of the link."""
    n = tier.total
    return v * (n - tier.below) / (n * n * tier.links[0].bandwidth)


def _switched_permute(shard: Quantity, tier: Tier, exact: bool) -> Quantity:
    """CollectivePermute: at most every device sends its shard out of its part."""
    return shard / tier.links[0].bandwidth


_ON_TORUS: dict[str, Callable[[Quantity, Sequence[Link], bool, Maths], Quantity]] = {
    "AllGather": _gather,
    "ReduceScatter": _gather,
    "AllReduce": _reduce,
    "AllToAll": _exchange,
    "CollectivePermute": _permute,
}
_SWITCHED: dict[str, Callable[[Quantity, Tier, bool], Quantity]] = {
    "AllGather": _switched_gather,
    "ReduceScatter": _switched_gather,
    "AllReduce": _switched_reduce,
    "AllToAll": _switched_exchange,
    "CollectivePermute": _switched_permute,
}
