"""Shortest paths between layouts of one array.

The cost of a plan has four parts: its price, the number of collectives, FLOPs, and the number of free steps. With
sizes known they are compared in this order, else collectives come before the price: NOTATION section 5. Prices are
whole numbers, so that equal plans compare equal. A search adds and compares all four as one number.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import ceil
from operator import add as add_numbers
from typing import NamedTuple

from shardlang.planning.space import ANY_STEP, Allowed, Charge, Layouts, Move
from shardlang.pricing.collectives import bytes_received
from shardlang.rules.plan import REDUCING

# The parts of a cost, those that are compared first in front.
Cost = tuple[int, int, int, int]
ZERO: Cost = (0, 0, 0, 0)
FREE_STEP: Cost = (0, 0, 0, 1)
# More than any plan costs: the products of sizes are bounded (SL606).
NEVER = 1 << 6000

Price = Callable[[str, float, tuple[str, ...]], int]
_COUNT = 16  # bits for a number of steps
_BITS = 8
_UNROUNDED = 1 - 2.0**-40


def add(a: Cost, b: Cost) -> Cost:
    """Return the sum of two costs, place by place."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


def whole(amount: float) -> int:
    """Return a price as a whole number: rounded up, so that a collective costs no more than two that take as long together.

    What the arithmetic of floats may have added is not rounded up.
    """
    return ceil(amount * _UNROUNDED)


class Packing(NamedTuple):
    """Where the parts of a cost stand in one number: the bit at which each begins, free steps at 0."""

    price: int
    collectives: int
    flops: int = _COUNT

    def pack(self, price: int, collectives: int, flops: int = 0, free: int = 0) -> int:
        """Return a cost as one number."""
        return (price << self.price) + (collectives << self.collectives) + (flops << self.flops) + free

    def packed(self, cost: Cost) -> int:
        """Return a cost as one number."""
        first, second, flops, free = cost
        return (
            self.pack(first, second, flops, free)
            if self.price > self.collectives
            else self.pack(second, first, *cost[2:])
        )

    def unpack(self, number: int) -> Cost:
        """Return the parts of a cost."""
        low, high = sorted((self.price, self.collectives))
        first, rest = number >> high, number & ((1 << high) - 1)
        second, rest = rest >> low, rest & ((1 << low) - 1)
        return (first, second, rest >> self.flops, rest & ((1 << self.flops) - 1))


def packing(price_first: bool, most_price: int = 0, most_flops: int = 0) -> Packing:
    """Return a packing for costs up to these; FLOPs and what is compared before them have room to spare."""
    after = _COUNT + _room(most_flops)
    return Packing(after + _COUNT, after) if price_first else Packing(after, after + _room(most_price))


def _room(most: int) -> int:
    return -(-(most.bit_length() + _COUNT) // 64) * 64  # few different ones, so that packings are shared


class Objective(NamedTuple):
    """How steps are priced, and whether the price or the number of collectives is compared first.

    price: of (kind, operand bytes on a device, axes); None where the bytes received count, in bits divided by `parts`,
    a multiple of every product of a shard count and a group size, so that no price is rounded. reduce_bytes: the bytes
    of an element in which pending sums travel (None: the array's own).
    """

    price: Price | None
    price_first: bool
    parts: int = 1
    reduce_bytes: float | None = None

    def of(self, charge: Charge, sizes: Mapping[str, int], elements: int, element_bytes: float) -> int:
        """Return the price of a collective on an array of so many elements, all devices together."""
        if self.reduce_bytes is not None and charge.kind in REDUCING:
            element_bytes = self.reduce_bytes
        shards = charge.shards(sizes)
        if self.price is not None:
            return self.price(charge.kind, elements / shards * element_bytes, charge.axes)
        devices = charge.devices(sizes)
        received: int = round(bytes_received(charge.kind, devices, devices))
        return elements * int(element_bytes * _BITS) * (self.parts // (shards * devices)) * received

    def cost(self, price: int, collectives: int, flops: int = 0) -> Cost:
        """Return a cost of these parts."""
        return (price, collectives, flops, 0) if self.price_first else (collectives, price, flops, 0)


class Ways:
    """The cheapest way to every layout of an array, or from every layout to one: what it costs, and its steps.

    costs: by the number of the layout. before: the layout before and the step from it (or the layout after and the
    step to it); a layout that is not there is where ways begin (or end).
    """

    def __init__(
        self, layouts: Layouts, costs: list[int], before: dict[int, tuple[int, Move]], backwards: bool
    ) -> None:
        self.layouts = layouts
        self.before = before
        self.backwards = backwards
        self._costs = costs

    def costs(self) -> list[int]:
        """Return what the ways cost, by the number of the layout; `NEVER` where there is none."""
        return self._costs

    def cost(self, number: int) -> int:
        """Return what the way costs, `NEVER` if there is none."""
        return self._costs[number]

    def way(self, number: int) -> tuple[int, list[Move]]:
        """Return the layout at the other end of a way, and its steps in order."""
        moves: list[Move] = []
        while (step := self.before.get(number)) is not None:
            number, move = step
            moves.append(move)
        return number, moves if self.backwards else moves[::-1]


class Weights:
    """The costs of the collectives between the layouts of an array, by the numbers of their charges."""

    def __init__(self, layouts: Layouts, price: Callable[[Charge], int], packed: Packing) -> None:
        self.packed = packed
        self.known = {-1: packed.pack(0, 0, 0, 1)}
        self._charges = layouts.charges
        self._price = price

    def find(self, charge: int) -> int:
        """Return the cost of a collective, and remember it in `known`."""
        found = self.known[charge] = self.packed.pack(self._price(self._charges[charge]), 1)
        return found


def explore(
    layouts: Layouts,
    weights: Weights,
    sources: dict[int, int],
    spend: Callable[[int], None] | None = None,
    allowed: Allowed = ANY_STEP,
    target: int | None = None,
    limit: int | None = None,
    backwards: bool = False,
) -> Ways:
    """Return the cheapest way to every layout, or to those no dearer than `target` or `limit` (Dijkstra).

    sources: what is paid already by the number of the layout. spend: takes note of so many steps, and raises when no
    more may be looked at. backwards: ways to the sources instead.
    """
    best: dict[int, int] = {}
    before: dict[int, tuple[int, Move]] = {}
    done: dict[int, int] = {}
    known = weights.known
    verdicts: dict[int, bool] = {}
    queue: list[tuple[int, int, int]] = []
    if backwards:
        layouts.lay_out(spend)
    edges_of = layouts.into if backwards else layouts.out_of
    everything = allowed == ANY_STEP
    # Where two ways cost the same, the permute comes first: a way that ends in one gives place to another.
    for serial, (number, cost) in enumerate(sources.items()):
        if limit is None or cost <= limit:
            best[number] = 2 * cost
            queue.append((2 * cost, serial, number))
    heapify(queue)
    serial = len(sources)
    while queue:
        rank, _, here = heappop(queue)
        if here in done:
            continue
        cost = done[here] = rank >> 1
        if here == target:
            break
        edges = edges_of(here)
        if spend is not None:
            spend(len(edges))
        for there, sort, charge, move in edges:
            if there in done:
                continue
            if not everything:
                verdict = verdicts.get(sort)
                if verdict is None:
                    verdict = verdicts[sort] = allowed.allows(layouts.sorts[sort])
                if not verdict:
                    continue
            weight = known.get(charge)
            if weight is None:
                weight = weights.find(charge)
            total = cost + weight
            rank = 2 * total + ((move.kind == "CollectivePermute") is not backwards)
            if (there not in best or rank < best[there]) and (limit is None or total <= limit):
                best[there] = rank
                before[there] = (here, move)
                heappush(queue, (rank, serial, there))
                serial += 1
    costs = [NEVER] * len(layouts.known)
    for number, cost in done.items():
        costs[number] = cost
    return Ways(layouts, costs, before, backwards)


class Table(Ways):
    """Ways from or to one layout of an array of one element, which those of any array of these layouts are a multiple of."""

    def __init__(self, ways: Ways, packed: Packing, price_first: bool) -> None:
        super().__init__(ways.layouts, [], ways.before, ways.backwards)
        parts = [packed.unpack(cost) if cost < NEVER else None for cost in ways.costs()]
        self.prices = [part[1 - price_first] if part else NEVER for part in parts]
        self.counts = [(part[price_first], part[3]) if part else (0, 0) for part in parts]
        self._rest: dict[int, list[int]] = {}

    def rest(self, packed: Packing) -> list[int]:
        """Return the packed collectives and free steps."""
        found = self._rest.get(packed.collectives)
        if found is None:
            found = self._rest[packed.collectives] = [(many << packed.collectives) + free for many, free in self.counts]
        return found


class Scaled(Ways):
    """The ways of a table for an array of so many elements, perhaps under other names of the axes.

    leading: the axes that take the places of the active ones in the table.
    """

    def __init__(self, table: Table, elements: int, packed: Packing, leading: tuple[str, ...]) -> None:
        super().__init__(table.layouts, [], table.before, table.backwards)
        self._table, self._rest, self._factor = table, table.rest(packed), elements << packed.price
        self._image = table.layouts.image(leading)
        self._names = dict(zip(table.layouts.active, leading, strict=True))

    def costs(self) -> list[int]:
        """Return what the ways cost, by the number of the layout; `NEVER` or more where there is none."""
        costs = list(map(add_numbers, map(self._factor.__mul__, self._table.prices), self._rest))
        return list(map(costs.__getitem__, self._image))

    def cost(self, number: int) -> int:
        """Return what the way costs, `NEVER` or more if there is none."""
        place = self._image[number]
        return self._table.prices[place] * self._factor + self._rest[place]

    def way(self, number: int) -> tuple[int, list[Move]]:
        """Return the layout at the other end of a way, and its steps in order."""
        end, moves = self._table.way(self._image[number])
        return self._image.index(end), [move.renamed(self._names) for move in moves]


def ways(
    layouts: Layouts,
    end: int,
    element_bytes: float,
    elements: int,
    objective: Objective,
    packed: Packing,
    allowed: Allowed = ANY_STEP,
    target: int | None = None,
    backwards: bool = False,
) -> Scaled:
    """Return the ways from or to the layout numbered `end` (see `explore`), where bytes received are the price.

    Ways that differ only in the names of equally long axes share a table.
    """
    leading = layouts.leading(end)
    image = layouts.image(leading)
    if leading != layouts.active:
        allowed = allowed.renamed(dict(zip(leading, layouts.active, strict=True)))
    kept = table(
        layouts, image[end], element_bytes, objective, allowed, None if target is None else image[target], backwards
    )
    return Scaled(kept, elements, packed, leading)


@lru_cache(maxsize=2048)
def steps_between(
    layouts: Layouts, source: int, target: int, element_bytes: float, objective: Objective, allowed: Allowed
) -> tuple[Move, ...] | None:
    """Return the cheapest steps from one layout to another where bytes received are the price, None if there are none.

    They are the same for every array of these layouts.
    """
    packed = _unit_weights(layouts, element_bytes, objective).packed
    until = None if allowed == ANY_STEP else target
    found = ways(layouts, source, element_bytes, 1, objective, packed, allowed, until)
    return tuple(found.way(target)[1]) if found.cost(target) < NEVER else None


@lru_cache(maxsize=256)  # some are large, and a server keeps them
def table(
    layouts: Layouts,
    end: int,
    element_bytes: float,
    objective: Objective,
    allowed: Allowed = ANY_STEP,
    target: int | None = None,
    backwards: bool = False,
) -> Table:
    """Return the ways from or to the layout numbered `end` (see `explore`), where bytes received are the price."""
    weights = _unit_weights(layouts, element_bytes, objective)
    ways = explore(layouts, weights, {end: 0}, None, allowed, target, backwards=backwards)
    return Table(ways, weights.packed, objective.price_first)


@lru_cache(maxsize=128)
def _unit_weights(layouts: Layouts, element_bytes: float, objective: Objective) -> Weights:
    """Return what collectives cost an array of one element."""
    most = objective.parts * int(2 * _BITS * max(element_bytes, objective.reduce_bytes or 0) + 1)
    return Weights(
        layouts,
        lambda charge: objective.of(charge, layouts.sizes, 1, element_bytes),
        packing(objective.price_first, most),
    )
