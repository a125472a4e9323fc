"""The way that always exists: replayed step by step, it ends at the target, whatever the two layouts are."""

from hypothesis import given, settings
from hypothesis import strategies as st

from shardlang.planning.plain import plain_route
from shardlang.planning.space import Move
from shardlang.rules.collectives import Request, Typed, apply_step
from shardlang.semantics.sharding import ArrayType, Sharding
from tests.rules.arrays import array, layout

AXES = ("W", "X", "Y", "Z")
DIMS = ("I", "J", "K")


@st.composite
def layouts(draw, dims):
    """A layout of an array with so many dimensions: every axis on one of them, pending, or in no use."""
    places = [[] for _ in range(dims)]
    pending = []
    for axis in draw(st.permutations(AXES)):
        place = draw(st.integers(-2, dims - 1))
        if place >= 0:
            places[place].append(axis)
        elif place == -1:
            pending.append(axis)
    kind = draw(st.sampled_from(("sum", "max", "min"))) if pending else "sum"
    return Sharding(tuple(map(tuple, places)), tuple(sorted(pending)), kind)


@st.composite
def pairs(draw):
    dims = draw(st.integers(0, 3))
    return DIMS[:dims], draw(layouts(dims)), draw(layouts(dims))


def replay(dims, source, moves):
    here = source
    for move in moves:
        changed = tuple(dims[int(place)] for place in move.dims)
        target = changed[0] if move.kind == "Slice" else None
        request = Request(move.axes, target, ArrayType(dims, move.result))
        typed = apply_step(move.kind, ArrayType(dims, here), request)
        assert isinstance(typed, Typed), (move, typed)
        assert typed == Typed(move.axes, changed, move.result)
        here = typed.result
    return here


@settings(max_examples=250, deadline=None, derandomize=True, database=None)
@given(pairs())
def test_it_reaches_the_target(pair):
    dims, source, target = pair
    moves = plain_route(ArrayType(dims, source), target)
    assert replay(dims, source, moves) == target
    kinds = [move.kind for move in moves if move.kind in ("AllReduce", "AllGather")]
    assert kinds == sorted(set(kinds), reverse=True)  # at most one of each, the AllReduce first
    assert {move.kind for move in moves} <= {"AllReduce", "AllGather", "Slice", "Mask", "Relabel"}


def moves_of(source, target):
    return [(move.kind, "".join(move.axes)) for move in plain_route(array(source), layout(target))]


def test_what_stays_is_not_moved():
    assert plain_route(array("[I_XY,J]{U_Z}"), layout("[I_XY,J]{U_Z}")) == []
    assert moves_of("[I_XY]", "[I_X]") == [("AllGather", "Y")]
    assert moves_of("[I_X]{U_YZ}", "[I_X]{U_Z}") == [("AllReduce", "Y")]
    assert moves_of("[I_X,J_Y]", "[I_X,J]") == [("AllGather", "Y")]


def test_steps_by_hand():
    assert moves_of("[I_XY]", "[I_YX]") == [("AllGather", "XY"), ("Slice", "Y"), ("Slice", "X")]
    assert moves_of("[I_X,J]{U_Y}", "[I,J_X]") == [("AllReduce", "Y"), ("AllGather", "X"), ("Slice", "X")]
    assert moves_of("[I]{U_X}", "[I]{max_X}") == [("AllReduce", "X"), ("Relabel", "X")]
    assert moves_of("[I_X]", "[I]{U_X}") == [("AllGather", "X"), ("Mask", "X")]
    assert moves_of("[I]{max_XY}", "[I]{max_YZ}") == [("AllReduce", "X"), ("Relabel", "Z")]


def test_what_remains_pending_keeps_its_kind():
    first = plain_route(array("[I]{max_XY}"), layout("[I]{max_Y}"))
    assert first == [Move("AllReduce", ("X",), (), layout("[I]{max_Y}"))]
