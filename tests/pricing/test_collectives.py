"""Every line of COST_MODEL section 7 (and the one level of section 8) as a test, and the generic formulas on three kinds of number."""

import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlang.pricing.collectives import (
    Link,
    Maths,
    bytes_received,
    hops,
    time,
    time_exact,
    volume,
)

V, S, W = 6.4e7, 1e6, 9e10
KINDS = ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "CollectivePermute")


def ring(size, physical=1):
    return Link(size, "ring", W, physical, size % 2)


def line(size):
    return Link(size, "line", W, 1, size % 2)


def node(size):
    return Link(size, "node", 4.5e11)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("AllGather", 3 * S),
        ("ReduceScatter", S * 3 / 4),
        ("AllReduce", 2 * S * 3 / 4),
        ("AllToAll", S * 3 / 4),
        ("CollectivePermute", S),
        ("Slice", 0),
        ("Mask", 0),
        ("Pad", 0),
        ("Relabel", 0),
    ],
)
def test_bytes_that_one_device_receives_from_its_operand(kind, expected):
    assert bytes_received(kind, S, 4) == expected


def test_volume_is_the_array_not_divided_by_the_axes_that_take_part():
    assert volume("AllGather", S, 4) == volume("AllToAll", S, 4) == 4 * S
    assert volume("ReduceScatter", S, 4) == volume("AllReduce", S, 4) == S
    assert volume("Slice", S, 4) == 0


TABLE = [
    # kind, links, model, seconds
    ("AllGather", [ring(8)], "book", V / W),
    ("AllGather", [ring(8)], "exact", V * 7 / (8 * W)),
    ("AllGather", [line(8)], "exact", 2 * V * 7 / (8 * W)),
    ("AllGather", [line(8)], "book", 2 * V * 7 / (8 * W)),  # the book has no other form on a line
    ("ReduceScatter", [ring(8)], "book", V / W),
    ("ReduceScatter", [ring(8)], "exact", V * 7 / (8 * W)),
    ("ReduceScatter", [line(8)], "exact", V * 7 / (8 * W / 2)),
    ("AllReduce", [ring(8)], "book", 2 * V / W),
    ("AllReduce", [ring(8)], "exact", 2 * V * 7 / (8 * W)),
    ("AllReduce", [line(8)], "exact", 4 * V * 7 / (8 * W)),
    ("AllToAll", [ring(8)], "book", V / (4 * W)),
    ("AllToAll", [ring(8)], "exact", V / (4 * W)),
    ("AllToAll", [ring(5)], "exact", V * (1 - 1 / 25) / (4 * W)),
    ("AllToAll", [ring(5)], "book", V / (4 * W)),
    ("AllToAll", [line(8)], "exact", V / (4 * W / 2)),
    ("CollectivePermute", [ring(8)], "exact", S * 8 / (2 * W)),
    ("CollectivePermute", [line(8)], "exact", S * 8 / (2 * W / 2)),
    ("CollectivePermute", [ring(8), ring(4)], "exact", S * 8 / (2 * W) + S * 4 / (2 * W)),
    ("CollectivePermute", [node(8)], "exact", S / 4.5e11),
    # several axes
    ("AllGather", [ring(8), ring(4)], "book", V / (2 * W)),
    ("AllGather", [ring(8), ring(4)], "exact", V * 31 / (32 * 2 * W)),
    ("AllReduce", [ring(8), ring(4)], "book", 2 * V / (2 * W)),
    ("AllToAll", [ring(8), ring(4)], "book", V * 8 / (4 * 32 * W)),
    ("AllGather", [ring(16, 2)], "book", V / (2 * W)),
    ("AllGather", [ring(16, 2), ring(4)], "book", V / (3 * W)),
    # one level of NVLink
    ("AllGather", [node(8)], "exact", V * 7 / (8 * 4.5e11)),
    ("AllGather", [node(8)], "book", V * 7 / (8 * 4.5e11)),  # nor in a node
    ("ReduceScatter", [node(8)], "exact", V * 7 / (8 * 4.5e11)),
    ("AllReduce", [node(8)], "exact", 2 * V * 7 / (8 * 4.5e11)),
    ("AllToAll", [node(8)], "exact", V * 7 / (64 * 4.5e11)),
    ("AllToAll", [node(4), node(2)], "exact", V * 7 / (64 * 4.5e11)),
    ("Slice", [ring(8)], "exact", 0),
]


@pytest.mark.parametrize(("kind", "links", "model", "seconds"), TABLE)
def test_times(kind, links, model, seconds):
    size = S if kind == "CollectivePermute" else V
    assert time(kind, size, links, model) == pytest.approx(seconds, rel=1e-12)


def test_an_exchange_costs_a_quarter_of_a_gather_and_an_eighth_of_a_reduction():
    exchange = time("AllToAll", V, [ring(16)])
    assert exchange == time("AllGather", V, [ring(16)]) / 4 == time("AllReduce", V, [ring(16)]) / 8


def test_two_devices_on_a_line_take_as_long_as_the_whole_array_over_both_directions():
    # The book's two chips: each sends half of V at the one-way rate, twice.
    assert time("AllReduce", V, [line(2)]) == pytest.approx(2 * V / W)


def test_hops_are_half_a_ring_and_a_whole_line_and_add_up_over_axes():
    assert hops("AllGather", [ring(8)]) == 4
    assert hops("AllGather", [ring(5)]) == 3
    assert hops("AllGather", [line(8)]) == 7
    assert hops("AllGather", [ring(8), line(4)]) == 7
    assert hops("AllReduce", [ring(8)]) == 8
    assert hops("AllGather", [node(8)]) == 3


def test_latency_is_a_floor_under_collectives_and_an_addend_of_a_permute():
    assert time("AllGather", 1.0, [ring(8)], "book", 1e-6) == 4e-6
    assert time("AllGather", V, [ring(8)], "book", 1e-6) == V / W
    assert time("CollectivePermute", S, [ring(8)], "book", 1e-6) == pytest.approx(4e-6 + S * 8 / (2 * W))


def test_a_gather_is_latency_bound_below_45_kb_a_shard_on_a_link_of_45_gb_per_second():
    for size in (4, 8, 16):
        assert time("AllGather", 0.99 * 45e3 * size, [ring(size)], "book", 1e-6) == size / 2 * 1e-6
        assert time("AllGather", 1.01 * 45e3 * size, [ring(size)], "book", 1e-6) > size / 2 * 1e-6


def test_a_node_and_a_torus_in_one_collective_overlap():
    assert time("AllGather", V, [node(8), ring(4)]) == max(V / 4.5e11, V / W)


def test_time_exact_starts_from_what_a_device_holds():
    assert time_exact("AllGather", S, [ring(8)]) == time("AllGather", 8 * S, [ring(8)], "exact")
    assert time_exact("AllReduce", S, [ring(8)]) == time("AllReduce", S, [ring(8)], "exact")
    assert time_exact("Slice", S, [ring(8)]) == 0


SYMBOLIC = Maths(sympy.Max, sympy.ceiling, lambda n: sympy.log(n) / sympy.log(2))
ARRAYS = Maths(lambda *args: np.maximum.reduce(np.broadcast_arrays(*args)), np.ceil, np.log2)

sizes = st.integers(2, 64)
shapes = st.lists(st.tuples(sizes, st.sampled_from(["ring", "line"]), st.integers(1, 2)), min_size=1, max_size=3)
nodes = st.lists(st.tuples(sizes, st.just("node"), st.just(1)), min_size=1, max_size=2)


@settings(deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    axes=shapes | nodes,
    v=st.integers(1, 10**12),
    model=st.sampled_from(["book", "exact"]),
    latency=st.sampled_from([None, 1e-6]),
)
def test_numbers_arrays_and_symbols_agree(kind, axes, v, model, latency):
    plain = [Link(size, topology, W, m, size % 2) for size, topology, m in axes]
    expected = time(kind, v, plain, model, latency)

    stacked = [link._replace(size=np.full(3, float(link.size)), odd=np.full(3, link.odd)) for link in plain]
    vector = time(kind, np.full(3, float(v)), stacked, model, latency, ARRAYS)
    assert np.allclose(vector, expected, rtol=1e-12)

    volume_, bandwidth, wait = sympy.symbols("V W T", positive=True)
    symbols = [sympy.Symbol(f"n{i}", positive=True) for i in range(len(plain))]
    open_links = [link._replace(size=n, bandwidth=bandwidth) for link, n in zip(plain, symbols, strict=True)]
    formula = time(kind, volume_, open_links, model, wait if latency else None, SYMBOLIC)
    values = {volume_: v, bandwidth: W, wait: latency or 0} | {n: a[0] for n, a in zip(symbols, axes, strict=True)}
    assert math.isclose(float(formula.subs(values)), expected, rel_tol=1e-9)


@settings(deadline=None)
@given(kind=st.sampled_from(KINDS), held=st.integers(1, 10**9), n=sizes)
def test_bytes_and_volume_agree_on_numbers_arrays_and_symbols(kind, held, n):
    b, size = sympy.symbols("b n", positive=True)
    for function in (bytes_received, volume):
        expected = function(kind, held, n)
        assert np.allclose(function(kind, np.full(2, float(held)), n), expected)
        assert math.isclose(float(function(kind, b, size).subs({b: held, size: n})), expected)


@settings(deadline=None)
@given(held=st.integers(1, 10**9), n=sizes)
def test_a_reduction_is_a_scatter_and_a_gather_of_what_it_leaves(held, n):
    scattered = bytes_received("ReduceScatter", held, n)
    gathered = bytes_received("AllGather", held / n, n)
    assert math.isclose(bytes_received("AllReduce", held, n), scattered + gathered)


@settings(deadline=None)
@given(kind=st.sampled_from(KINDS[:3]), v=st.integers(1, 10**12), axes=shapes)
def test_the_exact_form_is_never_slower_than_the_book_form(kind, v, axes):
    links = [Link(size, topology, W, m, size % 2) for size, topology, m in axes]
    assert time(kind, v, links, "exact") <= time(kind, v, links, "book") * (1 + 1e-12)
