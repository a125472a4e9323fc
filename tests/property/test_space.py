"""Every step that the planner may take between two layouts is run, and its price is counted."""

from math import prod
from random import Random

import pytest

from shardlang.planning.sizes import Sizes
from shardlang.planning.space import Move, layouts_of
from shardlang.pricing.collectives import bytes_received
from shardlang.reference.execute import run_steps
from shardlang.rules.plan import COLLECTIVES, Step, Value
from shardlang.semantics.sharding import ArrayType, Sharding

MESHES = [{"X": 2, "Y": 3}, {"X": 2, "Y": 2, "Z": 2}, {"X": 4, "Y": 2, "Z": 2}]
LENGTHS = {"I": 16 * 3, "J": 24}


def as_step(dims: tuple[str, ...], source: Sharding, move: Move) -> Step:
    values = [Value("A", ArrayType(dims, sharding)) for sharding in (source, move.result)]
    return Step(move.kind, move.kind, (values[0],), values[1], move.axes, changed_by(dims, move))


def changed_by(dims: tuple[str, ...], move: Move) -> tuple[str, ...]:
    return tuple(dims[int(place)] for place in move.dims)


def divides(layout: Sharding, mesh: dict[str, int]) -> bool:
    return all(Sizes(mesh, LENGTHS).divides(dim, axes) for dim, axes in zip(LENGTHS, layout.axes, strict=True))


@pytest.mark.parametrize("mesh", MESHES, ids=str)
@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_every_move_preserves_the_array_and_costs_what_it_says(mesh, kind):
    random = Random(f"{mesh} {kind}")
    dims = tuple(LENGTHS)
    space = layouts_of(dims, tuple(mesh), Sizes(mesh, LENGTHS), (kind,))
    layouts = [layout for layout in space.states() if divides(layout, mesh)]
    kinds = set()
    for _ in range(150):
        layout = random.choice(layouts)
        moves = [move for move in space.steps(layout) if divides(move.result, mesh)]
        wanted = random.choice(sorted({move.kind for move in moves}))
        move = random.choice([move for move in moves if move.kind == wanted])
        kinds.add(wanted)
        ran, failure = run_steps([as_step(dims, layout, move)], mesh, LENGTHS, seed=random.randrange(9))
        assert failure is None, f"{layout} {move}: {failure}"
        group = Sizes(mesh, LENGTHS).shards(move.axes)
        held = prod(LENGTHS.values()) / Sizes(mesh, LENGTHS).shards(sum(layout.axes, ()))
        priced = bytes_received(move.kind, held, group) if move.kind in COLLECTIVES else 0
        assert float(ran[0].received) == pytest.approx(priced), f"{layout} {move}"
        changed = {dim for dim, a, b in zip(dims, layout.axes, move.result.axes, strict=True) if a != b}
        assert set(changed_by(dims, move)) == changed, f"{layout} {move}"
    assert kinds >= {"AllGather", "AllReduce", "ReduceScatter", "AllToAll", "Slice"}
