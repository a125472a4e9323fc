"""With sizes known a plan has the least bytes of every sequence that is right, found by brute force.

Nothing of the planner or the rules is used to find the optimum: a step exists between two layouts if it gives
the dense result when it is run (one collective or free step of NOTATION section 4), a local form if the
operation does. Two equal axes, pending sums; bytes from the formulas that `test_space` counts.
"""

from collections.abc import Iterator
from functools import cache
from heapq import heappop, heappush
from itertools import permutations, product
from math import prod
from random import Random

import pytest

from shardlang.planning import Settings, plan
from shardlang.pricing.collectives import bytes_received
from shardlang.reference.execute import run_steps
from shardlang.rules.plan import Step, Value
from shardlang.semantics.sharding import ArrayType, Sharding
from tests.property.cases import Array, Case, Line
from tests.property.judge import program_of

MESH = {"X": 2, "Y": 2}
PROBE = {"I": 4, "J": 4, "K": 4}
MOVES = ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "CollectivePermute", "Slice", "Mask", "Pad")
FREE = ("Slice", "Mask", "Pad")
GROUPS = (("X",), ("Y",), ("X", "Y"), ("Y", "X"))


def shards(axes: tuple[str, ...]) -> int:
    return prod(MESH[axis] for axis in axes)


@cache
def layouts(dims: tuple[str, ...]) -> tuple[Sharding, ...]:
    """Every layout over the two axes, with pending sums."""
    found = []
    for order in permutations(MESH):
        for places in product(range(len(dims) + 2), repeat=2):
            lists = [
                tuple(axis for axis, place in zip(order, places, strict=True) if place == at) for at in range(len(dims))
            ]
            pending = tuple(sorted(axis for axis, at in zip(order, places, strict=True) if at == len(dims)))
            found.append(Sharding(tuple(lists), pending))
    return tuple(dict.fromkeys(found))


def right(steps: list[Step]) -> bool:
    return all(run_steps(steps, MESH, PROBE, seed=seed)[1] is None for seed in (0, 1))


@cache
def moves(dims: tuple[str, ...]) -> dict[Sharding, tuple[tuple[str, tuple[str, ...], Sharding], ...]]:
    """For each layout the steps that lead to another and are right when run."""
    found: dict[Sharding, list[tuple[str, tuple[str, ...], Sharding]]] = {layout: [] for layout in layouts(dims)}
    for before, after in permutations(layouts(dims), 2):
        changed = sum(a != b for a, b in zip(before.axes, after.axes, strict=True))
        for kind, axes in product(MOVES, GROUPS):
            if (kind == "AllToAll" and changed > 2) or (kind in ("ReduceScatter", "Slice") and changed > 1):
                continue  # one exchange over several dimensions is outside the search space
            if kind == "CollectivePermute" and axes != ("X", "Y"):
                continue
            values = [_value("A", dims, layout) for layout in (before, after)]
            if right([Step(kind, kind, (values[0],), values[1], axes)]):
                found[before].append((kind, axes, after))
    return {layout: tuple(steps) for layout, steps in found.items()}


@cache
def forms(op: str, operands: tuple[tuple[str, ...], ...], contracted: tuple[str, ...], dims: tuple[str, ...]):
    """Every local form: the layouts of the operands and of the result that are right when run."""
    candidates = (
        (own, result, Step("Einsum", op, _values(operands, own), _value("C", dims, result), contracted=contracted))
        for own in product(*map(layouts, operands))
        for result in layouts(dims)
    )
    return [(own, result) for own, result, step in candidates if right([step])]


def _value(name: str, dims: tuple[str, ...], layout: Sharding) -> Value:
    return Value(name, ArrayType(dims, layout))


def _values(operands: tuple[tuple[str, ...], ...], own: tuple[Sharding, ...]) -> tuple[Value, ...]:
    return tuple(_value("AB"[at], dims, layout) for at, (dims, layout) in enumerate(zip(operands, own, strict=True)))


def distances(dims: tuple[str, ...], sizes: dict[str, int], start: dict[Sharding, float]) -> dict[Sharding, float]:
    """The least bytes to every layout (Dijkstra)."""
    done: dict[Sharding, float] = {}
    queue = [(cost, at, layout) for at, (layout, cost) in enumerate(start.items())]
    queue.sort()
    serial = len(queue)
    while queue:
        cost, _, layout = heappop(queue)
        if layout in done:
            continue
        done[layout] = cost
        held = 2.0
        for dim, axes in zip(dims, layout.axes, strict=True):
            held *= sizes[dim] / shards(axes)
        for kind, axes, after in moves(dims)[layout]:
            price = 0 if kind in FREE else bytes_received(kind, held, shards(axes))
            serial += 1
            heappush(queue, (cost + price, serial, after))
    return done


def array(name: str, dims: tuple[str, ...], layout: Sharding) -> Array:
    return Array(name, tuple(zip(dims, layout.axes, strict=True)), layout.pending)


def planned_bytes(case: Case) -> float:
    program, errors = program_of(case.text)
    assert not errors
    made = plan(program, Settings())
    assert made.statements[0].output is not None, made.diagnostics
    total = 0.0
    for step in made.statements[0].steps:
        held = 2.0
        array = step.operands[0].type
        for dim, axes in zip(array.dims, array.sharding.axes, strict=True):
            held *= dict(case.sizes)[dim] / shards(axes)
        total += bytes_received(step.kind, held, shards(step.axes))
    return total


OPERATIONS = [
    ("contract", " · ", (("I", "J"), ("J", "K")), ("J",), ("I", "K")),
    ("contract", " · ", (("I", "J"), ("J",)), ("J",), ("I",)),
    ("hadamard", " ⊙ ", (("I", "J"), ("J",)), (), ("I", "J")),
    ("add", " + ", (("I", "J"), ("I", "J")), (), ("I", "J")),
    ("add", " + ", (("I", "J"), ("J",)), (), ("I", "J")),
    ("divide", " / ", (("I",), ("I",)), (), ("I",)),
]


def drawn(random: Random, shapes: list[tuple[str, ...]]) -> Iterator[tuple[dict[str, int], list[Sharding]]]:
    """Yield random sizes and layouts that use both axes somewhere (an idle axis is left alone)."""
    while True:
        sizes = {dim: random.choice((4, 8, 16, 64, 256)) for dim in PROBE}
        chosen = [random.choice(layouts(shape)) for shape in shapes]
        if {axis for layout in chosen for axis in layout.used()} == set(MESH):
            yield sizes, chosen


@pytest.mark.parametrize(("op", "sign", "operands", "contracted", "dims"), OPERATIONS, ids=lambda each: str(each))
def test_no_right_sequence_has_fewer_bytes(op, sign, operands, contracted, dims):
    random = Random(f"{op} {operands}")
    for count, (sizes, (*given, wanted)) in enumerate(drawn(random, [*operands, dims])):
        ways = [distances(own, sizes, {layout: 0.0}) for own, layout in zip(operands, given, strict=True)]
        made: dict[Sharding, float] = {}
        for own, result in forms(op, operands, contracted, dims):
            cost = sum(way[layout] for way, layout in zip(ways, own, strict=True))
            made[result] = min(cost, made.get(result, cost))
        best = distances(dims, sizes, made)[wanted]
        line = Line(
            tuple(array("AB"[at], own, layout) for at, (own, layout) in enumerate(zip(operands, given, strict=True))),
            array("C", dims, wanted),
            between=(sign,),
        )
        used = {dim for own in operands for dim in own}
        case = Case(tuple(MESH.items()), tuple((dim, size) for dim, size in sizes.items() if dim in used), (line,))
        assert planned_bytes(case) == pytest.approx(best), case.text
        if count == 40:
            break


def test_no_right_sequence_of_steps_reshards_with_fewer_bytes():
    dims = ("I", "J")
    for count, (sizes, (before, after)) in enumerate(drawn(Random(5), [dims, dims])):
        best = distances(dims, sizes, {before: 0.0})[after]
        line = Line((array("A", dims, before),), array("A", dims, after))
        case = Case(tuple(MESH.items()), tuple((dim, sizes[dim]) for dim in dims), (line,))
        assert planned_bytes(case) == pytest.approx(best), case.text
        if count == 150:
            break
