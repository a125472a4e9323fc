"""The bytes that devices really receive, against the exact form of the cost model: every collective on every mesh up to 4x4x4.

Each case is one step over an ordered choice of mesh axes, which lie on one dimension in that order or are split over
two; the axes that take no part are replicated, or shard the array in front of them, or a dimension of their own.
Sizes are the least that divide. The executor moves messages one by one and knows no formula.
"""

import itertools
import math
import re
from fractions import Fraction

import pytest

from shardlang.pricing import collectives as pricing
from shardlang.reference import collectives, execute
from shardlang.reference.execute import run_steps
from tests.reference.build import step

AXES = "XYZ"
SHAPES = [shape for count in (1, 2, 3) for shape in itertools.product((1, 2, 3, 4), repeat=count)]
EVERYDAY = [shape for shape in SHAPES if math.prod(shape) <= 12 or shape in [(4, 4), (2, 3, 4), (4, 4, 2)]]
REST = [shape for shape in SHAPES if shape not in EVERYDAY]
KINDS = ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "CollectivePermute")
WIDTH = 2


def on(dim, axes):
    return f"{dim}_{{{axes}}}" if axes else dim


def pending(axes):
    return f"{{U_{{{axes}}}}}" if axes else ""


def array(i="", j="", k="", addends=""):
    return f"A[{on('I', i)}, {on('J', j)}, {on('K', k)}]{pending(addends)}"


def choices(names):
    """Every non-empty ordered choice of axes, with those that are left."""
    for count in range(1, len(names) + 1):
        for chosen in itertools.permutations(names, count):
            yield "".join(chosen), "".join(axis for axis in names if axis not in chosen)


def beside(rest):
    """What the axes do that take no part: the axes in front on I, those on K."""
    return [("", ""), (rest, ""), ("", rest)] if rest else [("", "")]


def gathers(axes, rest):
    for (front, other), cut in itertools.product(beside(rest), range(1, len(axes) + 1)):
        yield axes, array(front + axes[:cut], axes[cut:], other), array(front, "", other)


def scatters(axes, rest):
    for (front, other), cut in itertools.product(beside(rest), range(1, len(axes) + 1)):
        yield axes, array(front, "", other, axes), array(front + axes[:cut], axes[cut:], other)
    if rest:  # other addends are left
        yield axes, array(addends=axes + rest), array(axes, addends=rest)


def reductions(axes, rest):
    for front, other in beside(rest):
        yield axes, array(front, "", other, axes), array(front, "", other)
    if rest:
        yield axes, array(addends=axes + rest), array(addends=rest)


def exchanges(axes, rest):
    for front, other in beside(rest):
        for order in sorted({axes, axes[::-1]}):
            yield order, array(front + axes, "", other), array(front, order, other)


def permutes(axes, rest):
    for order in itertools.permutations(axes):
        if "".join(order) != axes:
            yield from (
                (axes, array(front + axes, "", other), array(front + "".join(order), "", other))
                for front, other in beside(rest)
            )
    for axis, other in itertools.product(axes if len(axes) == 1 else "", rest):
        yield axis + other, array(axis), array(other)
        yield axis + other, array(addends=axis), array(addends=other)


STEPS = dict(zip(KINDS, (gathers, scatters, reductions, exchanges, permutes), strict=True))


def cases(kind, names):
    return [case for axes, rest in choices(names) for case in STEPS[kind](axes, rest)]


def count(mesh, axes):
    return math.prod(mesh[axis] for axis in axes)


def sizes_for(kind, axes, operand, result, mesh):
    """The least sizes that divide; of an AllReduce blocks that divide into a piece for each device."""
    sizes = {}
    for dim in "IJK":
        found = (re.search(rf"{dim}_\{{(\w+)\}}", text) for text in (operand, result))
        sizes[dim] = math.lcm(*(count(mesh, match[1]) for match in found if match))
    sizes["K"] *= count(mesh, axes) if kind == "AllReduce" else 1
    return sizes


def local_elements(operand, sizes, mesh):
    """The elements of one device's block, counted here."""
    total = Fraction(math.prod(sizes.values()))
    return total / math.prod(count(mesh, axes) for axes in re.findall(r"[IJK]_\{(\w+)\}", operand))


def moves(operand, result, mesh):
    """Whether a permute moves any block: a device (x, y) has another number along the old axes than along the new ones."""

    def numbers(text):
        axes = "".join(re.findall(r"\{(\w+)\}", text.replace("{U_", "")))
        strides, found = 1, {}
        for axis in reversed(axes):
            found[axis], strides = strides, strides * mesh[axis]
        return {axis: stride for axis, stride in found.items() if mesh[axis] > 1}

    return numbers(operand) != numbers(result)


def wrong(kind, shape):
    """The steps of a kind on a mesh for which the busiest device receives something else than the model says, and all steps that ran."""
    mesh = dict(zip(AXES, shape, strict=False))
    problems, ran_at_all = [], 0
    for axes, operand, result in cases(kind, AXES[: len(shape)]):
        if kind == "CollectivePermute" and count(mesh, re.sub(r"[^XYZ]", "", operand)) != count(
            mesh, re.sub(r"[^XYZ]", "", result)
        ):
            continue  # I_X -> I_Y of unequal sizes is no permute
        sizes = sizes_for(kind, axes, operand, result, mesh)
        ran, failure = run_steps([step(kind, axes, operand, result)], mesh, sizes)
        what = f"{kind}_{axes} {operand} -> {result} on {mesh} with {sizes}"
        if failure is not None:
            problems.append(f"{what}: {failure}")
            continue
        ran_at_all += 1
        received = max(ran[0].traffic.received.values(), default=0) * WIDTH
        held = local_elements(operand, sizes, mesh) * WIDTH
        formula = pricing.bytes_received(kind, held, count(mesh, axes))
        if kind == "CollectivePermute" and not moves(operand, result, mesh):
            formula = 0  # the figure is a bound where all blocks stay
        if received != formula:
            problems.append(f"{what}: received {received}, the model says {formula}")
    return problems, ran_at_all


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", EVERYDAY, ids=str)
def test_bytes_are_those_of_the_model(kind, shape):
    problems, ran = wrong(kind, shape)
    assert problems == []
    assert ran or (kind == "CollectivePermute" and len(shape) == 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", REST, ids=str)
def test_bytes_are_those_of_the_model_on_every_other_mesh(kind, shape):
    assert wrong(kind, shape)[0] == []


def test_all_meshes_are_there():
    assert len(SHAPES) == len(set(SHAPES)) == 4 + 16 + 64 == len(EVERYDAY) + len(REST)
    orders = {(axes, operand) for axes, operand, _ in cases("AllGather", "XYZ")}
    assert ("XY", "A[I_{XY}, J, K]") in orders
    assert ("YX", "A[I_{YX}, J, K]") in orders
    assert ("ZX", "A[I_{Z}, J_{X}, K_{Y}]") in orders
    assert ("YXZ", "A[I_{YX}, J_{Z}, K]") in orders


def test_a_message_too_many_is_found(monkeypatch):
    right = collectives.all_gather

    def chatty(grid, blocks, axes, lost):
        moved, traffic = right(grid, blocks, axes, lost)
        first, *others = grid.devices
        for other in others:
            traffic.add(other, first, blocks[other][:1])
        return moved, traffic

    monkeypatch.setattr(execute.collectives, "all_gather", chatty)
    assert all("received" in problem for problem in wrong("AllGather", (2, 3))[0])
    assert len(wrong("AllGather", (2, 3))[0]) == len(cases("AllGather", "XY"))


def test_a_model_that_forgets_what_stays_is_found(monkeypatch):
    right = pricing.bytes_received
    monkeypatch.setattr(pricing, "bytes_received", lambda kind, held, n: right(kind, held, n + (kind == "AllToAll")))
    assert wrong("AllToAll", (2, 2))[0]
    assert not wrong("AllReduce", (2, 2))[0]


def test_an_exchange_that_leaves_a_part_behind_is_found(monkeypatch):
    """The blocks are then wrong too, and both would be seen: here the count alone is looked at."""
    right = collectives.all_to_all

    def quiet(grid, blocks, axes, lost, gained):
        moved, traffic = right(grid, blocks, axes, lost, gained)
        for device in traffic.received:
            traffic.received[device] -= 1
        return moved, traffic

    monkeypatch.setattr(execute.collectives, "all_to_all", quiet)
    assert wrong("AllToAll", (4,))[0]
