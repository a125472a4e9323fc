"""Shortest paths between layouts of one array.

A cost is a tuple that is added place by place and compared from the left. With sizes known it is (price,
collectives, FLOPs, free steps), else (collectives, price, FLOPs, free steps): NOTATION section 5. Prices are
whole numbers (bits, or femtoseconds), so that equal plans compare equal.
"""

from collections.abc import Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from shardlang.planning.space import Budget, Move, Price, Space
from shardlang.rules.plan import FREE_STEPS, REDUCING
from shardlang.semantics.sharding import Sharding

Cost = tuple[int, int, int, int]
ZERO: Cost = (0, 0, 0, 0)


def add(a: Cost, b: Cost) -> Cost:
    """Return the sum of two costs, place by place."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


class Objective(NamedTuple):
    """How steps are priced, and whether the price or the number of collectives is compared first.

    price: from (kind, operand bytes on a device, axes). free_only: no communication. reduce_bytes: the bytes of an
    element in which pending sums travel (None: the array's own).
    """

    price: Price
    price_first: bool
    free_only: bool = False
    reduce_bytes: float | None = None

    def collective(self, kind: str, elements: float, element_bytes: float, axes: tuple[str, ...]) -> Cost:
        """Return the cost of one collective on an operand of so many elements a device."""
        if self.reduce_bytes is not None and kind in REDUCING:
            element_bytes = self.reduce_bytes
        price = self.price(kind, elements * element_bytes, axes)
        return (price, 1, 0, 0) if self.price_first else (1, price, 0, 0)

    def local(self, flops: int, price: int) -> Cost:
        """Return the cost of a local operation of so many FLOPs, and of `price` where time is the objective."""
        return (price, 0, flops, 0) if self.price_first else (0, price, flops, 0)


FREE_STEP: Cost = (0, 0, 0, 1)


class Reached(NamedTuple):
    """How a layout was reached: the layout before and the step, or None at a source; `origin` is what the source held."""

    cost: Cost
    before: Sharding | None
    move: Move | None
    origin: object = None


def explore(
    space: Space,
    element_bytes: float,
    sources: Mapping[Sharding, tuple[Cost, object]],
    objective: Objective,
    budget: Budget,
    target: Sharding | None = None,
    limit: Cost | None = None,
) -> dict[Sharding, Reached]:
    """Return the cheapest way to every layout, or to those no dearer than `target` or `limit` (Dijkstra).

    Raises TooLargeError when the budget is spent.
    """
    done: dict[Sharding, Reached] = {}
    best: dict[Sharding, tuple[int, int, int, int, bool]] = {}
    queue: list[tuple[tuple[int, int, int, int, bool], int, Sharding, Reached]] = []
    prices: dict[tuple[str, tuple[str, ...], float], Cost] = {}
    serial = 0
    for sharding, (cost, origin) in sources.items():
        if limit is None or cost <= limit:
            best[sharding] = (*cost, False)
            heappush(queue, (best[sharding], serial, sharding, Reached(cost, None, None, origin)))
            serial += 1
    while queue:
        _, _, sharding, reached = heappop(queue)
        if sharding in done:
            continue
        cost = reached.cost
        done[sharding] = reached
        if sharding == target:
            break
        elements = space.local_elements(sharding)
        moves = space.moves(sharding, objective.free_only)
        budget.spend(len(moves))
        for move in moves:
            result = move.result
            if result in done:
                continue
            if move.kind in FREE_STEPS:
                step = FREE_STEP
            else:
                key = (move.kind, move.axes, elements)
                step = prices.get(key) or prices.setdefault(
                    key, objective.collective(move.kind, elements, element_bytes, move.axes)
                )
            total = (cost[0] + step[0], cost[1] + step[1], cost[2] + step[2], cost[3] + step[3])
            # Where two ways cost the same, the permute comes first: a way that ends in one gives place to another.
            rank = (*total, move.kind == "CollectivePermute")
            if (result not in best or rank < best[result]) and (limit is None or total <= limit):
                best[result] = rank
                heappush(queue, (rank, serial, result, Reached(total, sharding, move)))
                serial += 1
    return done


def path(reached: dict[Sharding, Reached], target: Sharding) -> tuple[Sharding, list[Move]]:
    """Return the source that leads to `target` and the steps from it, in order."""
    moves: list[Move] = []
    sharding = target
    while True:
        here = reached[sharding]
        if here.before is None or here.move is None:
            return sharding, moves[::-1]
        moves.append(here.move)
        sharding = here.before
