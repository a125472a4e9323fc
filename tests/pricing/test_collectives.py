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


# -- one-way rings, axes of one device, sparse exchanges, hops of other networks ------------------------


def one_way(size):
    return Link(size, "ring", W, one_way=True)


def crossing_one_way(size, kind):
    """Blocks of V/size² that cross the link from device 0 to device 1 of a ring of links in one direction, counted one by one."""
    pairs = [(a, b) for a in range(size) for b in range(size) if a != b]
    paths = {pair: (pair[1] - pair[0]) % size for pair in pairs}
    crossed = sum(any((a + hop) % size == 0 for hop in range(paths[a, b])) for a, b in pairs)
    return crossed if kind == "AllToAll" else (size - 1) * size  # a gather sends each shard of size blocks round once


@pytest.mark.parametrize("size", [2, 3, 4, 8])
@pytest.mark.parametrize("kind", ["AllToAll", "AllGather"])
def test_a_one_way_ring_carries_what_crosses_one_of_its_links(kind, size):
    expected = crossing_one_way(size, kind) * V / size**2 / (W / 2)
    assert time(kind, V, [one_way(size)], "exact") == pytest.approx(expected)


def test_the_count_of_a_one_way_ring_refuses_the_two_way_form():
    for kind in ("AllToAll", "AllGather"):
        counted = crossing_one_way(8, kind) * V / 64 / (W / 2)
        assert time(kind, V, [ring(8)], "exact") != pytest.approx(counted)


def test_ratios_of_an_exchange_to_a_gather_on_one_way_and_two_way_rings():
    # The book's record sh-cost-a2a-ratio.
    for model in ("book", "exact"):
        gather = time("AllGather", V, [one_way(16)], model)
        assert time("AllToAll", V, [one_way(16)], model) / gather == pytest.approx(1 / 2)
    assert time("AllToAll", V, [ring(16)]) / time("AllGather", V, [ring(16)]) == 1 / 4
    assert hops("AllGather", [one_way(8)]) == 7
    assert time("AllGather", V, [one_way(16)]) == V / (W / 2)


def test_a_permute_over_a_one_way_ring_is_at_most_a_shift_by_all_but_one():
    assert time("CollectivePermute", S, [one_way(8)]) == pytest.approx(S * 7 / (W / 2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("link", [ring, line, node])
@pytest.mark.parametrize("latency", [None, 1e-6])
def test_an_axis_of_one_device_costs_nothing(kind, link, latency):
    single = link(1)._replace(alone=True)
    assert time(kind, V, [single], "book", latency) == 0
    assert time(kind, V, [single, link(8)], "book", latency) == time(kind, V, [link(8)], "book", latency)


def test_physical_axes_of_known_shape_are_priced_as_mesh_axes_of_their_sizes():
    both = ring(560, 2)._replace(shape=(20, 28))
    for kind in KINDS:
        for model in ("book", "exact"):
            for latency in (None, 1e-6):
                split = time(kind, V, [ring(20), ring(28)], model, latency)
                assert time(kind, V, [both], model, latency) == pytest.approx(split)
    assert hops("AllGather", [both]) == 10 + 14


@pytest.mark.parametrize("k", [1, 3, 8, 20])
def test_a_sparse_exchange_moves_the_part_of_the_dense_one_that_has_something(k):
    # COST_MODEL section 8; record gp-a2a-ragged, `random_choice`: (N-1)/N * min(k/N, 1) * V/(W_egress*N)
    n, w = 8, 4.5e11
    assert time("AllToAll", V, [node(n)], top_k=k) == pytest.approx((n - 1) / n * min(k / n, 1) * V / (w * n))
    assert time("AllToAll", V, [ring(n)], top_k=k) == pytest.approx(V / (4 * W) * min(k / n, 1))
    assert time("AllGather", V, [node(n)], top_k=k) == time("AllGather", V, [node(n)])


@pytest.mark.parametrize(("k", "z"), [(1, 64), (4, 64), (8, 64), (16, 64), (2, 16)])
def test_a_level_of_nodes_counts_how_many_nodes_a_row_goes_to(k, z):
    # Record gp-ep-comms: min(8k/Z, 1), with 8 devices in a node; in it the row goes to k of Z devices.
    split = Link(z, "split", 0.0, parts=(Link(8, "node", 1e30), Link(z // 8, "scale-out", 5e10)))
    sparse, dense = (time("AllToAll", V, [split], "exact", top_k=top) for top in (k, None))
    assert sparse / dense == pytest.approx(min(8 * k / z, 1))
    split = split._replace(parts=(Link(8, "node", 1e3), Link(z // 8, "scale-out", 1e30)))
    sparse, dense = (time("AllToAll", V, [split], "exact", top_k=top) for top in (k, None))
    assert sparse / dense == pytest.approx(min(k / z, 1))


def test_a_hop_over_another_network_takes_its_own_time():
    slices = Link(4, "dcn", 1e30, hop=1e-4)
    assert time("AllGather", 1.0, [ring(8), slices], "book", 1e-6) == pytest.approx(4 * 1e-6 + 2 * 1e-4)
    assert time("AllReduce", 1.0, [slices], "book", 1e-6) == pytest.approx(2 * 2 * 1e-4)
    assert hops("AllGather", [ring(8), slices]) == 4 + 2
