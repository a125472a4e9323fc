"""What a collective moves and how long it takes: every formula of the cost model, written once.

The functions are generic: they use `+ - * /` only, so that numbers, NumPy arrays, SymPy expressions and
(where nothing is added) monomials may go in; whatever else a formula needs comes in as `Maths`.

`operand_bytes` is what one device holds of the operand, `n` the product of the sizes of the mesh axes that
take part. Bandwidths are bytes/s: of a torus axis the bidirectional one (both links of the ring, twice the
one-way figure of a link), of a node one device's egress, one way.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

Quantity: TypeAlias = Any  # float, NumPy array, SymPy expression or Monomial

NODE = "node"


class Maths(NamedTuple):
    """The functions beyond arithmetic that some formulas need: of numbers here, of SymPy in `shardlang.cost`."""

    maximum: Callable[..., Quantity]
    ceiling: Callable[[Quantity], Quantity]
    log2: Callable[[Quantity], Quantity]


NUMBERS = Maths(max, math.ceil, math.log2)


class Link(NamedTuple):
    """The network along one mesh axis.

    size: devices along the axis. kind: `ring`, `line` or `node` (one level of a switch). bandwidth: see the
    module. physical: how many physical torus axes the mesh axis spans. odd: 1 where the size is known to be
    odd, else 0 (an open size takes the form of even sizes, which is never less).
    """

    size: Quantity
    kind: str
    bandwidth: Quantity
    physical: int = 1
    odd: Quantity = 0


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
    """Return what the whole axis carries: M physical axes add up, a line has the one-way half of a ring."""
    rate = link.bandwidth if link.physical == 1 else link.physical * link.bandwidth
    return rate / 2 if link.kind == "line" else rate


def time(
    kind: str,
    v: Quantity,
    links: Sequence[Link],
    model: str = "book",
    latency: Quantity | None = None,
    maths: Maths = NUMBERS,
) -> Quantity:
    """Return the seconds of one collective over the axes of `links`.

    v: its volume in bytes. model: `book` leaves out the factor (n-1)/n (on a line and in a node it does
    not, as the book has no other form there), `exact` keeps it. latency: seconds per hop, or None to leave latency out.
    Where a node and a torus take part, their levels overlap and the slower one counts.
    Source: COST_MODEL section 7, section 8 for a node.
    """
    if not links or kind not in _FORMULAS:
        return 0
    if any(link.kind != links[0].kind and NODE in (link.kind, links[0].kind) for link in links):
        node = [link for link in links if link.kind == NODE]
        torus = [link for link in links if link.kind != NODE]
        return maths.maximum(*(time(kind, v, part, model, latency, maths) for part in (node, torus)))
    seconds = _FORMULAS[kind](v, links, model == "exact", maths)
    if latency is None:
        return seconds
    wait = latency * hops(kind, links, maths)
    return seconds + wait if kind == "CollectivePermute" else maths.maximum(wait, seconds)


def time_exact(kind: str, operand_bytes: Quantity, links: Sequence[Link]) -> Quantity:
    """Return the seconds in the exact form without latency, from the bytes that one device holds: what planning compares."""
    return time(kind, volume(kind, operand_bytes, product(links)), links, "exact") if links else 0


def hops(kind: str, links: Sequence[Link], maths: Maths = NUMBERS) -> Quantity:
    """Return how many links the farthest block crosses: half a ring, a whole line, log2 of a node; twice for an AllReduce."""
    if links[0].kind == NODE:
        count = maths.log2(product(links))
    else:
        count = sum(maths.ceiling(link.size / 2) if link.kind == "ring" else link.size - 1 for link in links)
    return 2 * count if kind == "AllReduce" else count


def _gather(v: Quantity, links: Sequence[Link], exact: bool, maths: Maths) -> Quantity:
    """AllGather and ReduceScatter: V/W over all the axes' bandwidth; exact, and in a node always, V(n-1)/(n W)."""
    if links[0].kind == NODE:
        rate, exact = links[0].bandwidth, True
    else:
        rate = bandwidth(links[0])
        for link in links[1:]:
            rate = rate + bandwidth(link)
        exact = exact or any(link.kind == "line" for link in links)
    if not exact:
        return v / rate
    n = product(links)
    return v * (n - 1) / (n * rate)


def _reduce(v: Quantity, links: Sequence[Link], exact: bool, maths: Maths) -> Quantity:
    """AllReduce: a ReduceScatter and an AllGather of the same volume."""
    return 2 * _gather(v, links, exact, maths)


def _exchange(v: Quantity, links: Sequence[Link], exact: bool, maths: Maths) -> Quantity:
    """AllToAll: a quarter of V crosses the middle of an axis; over a node each device sends all but its own block."""
    if links[0].kind == NODE:
        n = product(links)
        return v * (n - 1) / (n * n * links[0].bandwidth)
    if len(links) == 1:
        (link,) = links
        odd = link.odd / (link.size * link.size) if exact and link.kind == "ring" else 0
        return v * (1 - odd) / (4 * bandwidth(link))
    across = [link.size * (2 if link.kind == "line" else 1) / link.physical for link in links]
    return v * maths.maximum(*across) / (4 * product(links) * links[0].bandwidth)


def _permute(shard: Quantity, links: Sequence[Link], exact: bool, maths: Maths) -> Quantity:
    """CollectivePermute: the bound for any exchange, half the shards across the middle of each axis in turn."""
    if links[0].kind == NODE:
        return shard / links[0].bandwidth
    return sum(shard * link.size / (2 * bandwidth(link)) for link in links)


_FORMULAS: dict[str, Callable[[Quantity, Sequence[Link], bool, Maths], Quantity]] = {
    "AllGather": _gather,
    "ReduceScatter": _gather,
    "AllReduce": _reduce,
    "AllToAll": _exchange,
    "CollectivePermute": _permute,
}
