"""Shortest paths between layouts of one array.

A cost is a tuple that is added place by place and compared from the left. With sizes known it is (price,
collectives, FLOPs, free steps), else (collectives, price, FLOPs, free steps): NOTATION section 5. Prices are
whole numbers (bits, or femtoseconds), so that equal plans compare equal.
"""

from heapq import heappop, heappush
from typing import NamedTuple

from shardlang.planning.space import Move, Price, Space
from shardlang.semantics.sharding import Sharding

Cost = tuple[int, int, int, int]
ZERO: Cost = (0, 0, 0, 0)
STATE_BOUND = 20_000


def add(a: Cost, b: Cost) -> Cost:
    """Return the sum of two costs, place by place."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


class Objective(NamedTuple):
    """How steps are priced: `price(kind, operand_bytes, axes)`, and whether the price or the number of collectives
    is compared first. `free_only` forbids communication."""

    price: Price
    price_first: bool
    free_only: bool = False

    def cost(self, move: Move, operand_bytes: float) -> Cost:
        """Return the cost of one step on an operand of `operand_bytes` a device."""
        if move.kind in ("Slice", "Mask", "Pad", "Relabel"):
            return (0, 0, 0, 1)
        price = self.price(move.kind, operand_bytes, move.axes)
        return (price, 1, 0, 0) if self.price_first else (1, price, 0, 0)

    def flops(self, flops: int, price: int) -> Cost:
        """Return the cost of a local operation of so many FLOPs, and of `price` where time is the objective."""
        return (price, 0, flops, 0) if self.price_first else (0, price, flops, 0)


class Reached(NamedTuple):
    """How a layout was reached: the layout before and the step, or None at a source; `origin` is what the source held."""

    cost: Cost
    before: Sharding | None
    move: Move | None
    origin: object = None


def explore(
    space: Space,
    sources: dict[Sharding, tuple[Cost, object]],
    objective: Objective,
    target: Sharding | None = None,
) -> dict[Sharding, Reached]:
    """Return the cheapest way to every layout, or to those no dearer than `target` (Dijkstra)."""
    done: dict[Sharding, Reached] = {}
    best: dict[Sharding, Cost] = {}
    queue: list[tuple[Cost, int, Sharding, Reached]] = []
    serial = 0
    for sharding, (cost, origin) in sources.items():
        best[sharding] = cost
        heappush(queue, (cost, serial, sharding, Reached(cost, None, None, origin)))
        serial += 1
    while queue:
        cost, _, sharding, reached = heappop(queue)
        if sharding in done:
            continue
        done[sharding] = reached
        if sharding == target or len(done) > STATE_BOUND:
            break
        local = space.local_bytes(sharding)
        for move in space.moves(sharding, objective.free_only):
            if move.result in done:
                continue
            total = add(cost, objective.cost(move, local))
            if move.result not in best or total < best[move.result]:
                best[move.result] = total
                heappush(queue, (total, serial, move.result, Reached(total, sharding, move)))
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
