"""FLOPs, bytes and times of single steps: COST_MODEL sections 4, 5 and 9, by hand."""

import pytest

from shardlang.pricing import steps as pricing
from shardlang.pricing.collectives import Link
from shardlang.pricing.steps import Rates, Sizes
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.size import Monomial, axis_symbol, dim_symbol, of
from tests.cost.plans import array, step

SIZES = Sizes({"B": 64, "D": 128, "F": 256, "I": 12}, {"X": 4, "Y": 2})


def test_a_contraction_is_two_flops_for_each_combination_of_local_indices():
    assert pricing.flops(step("Einsum D: A[B,D] W[D,F] -> C[B,F]"), SIZES) == 2 * 64 * 128 * 256
    assert pricing.flops(step("Einsum D: A[B_X,D] W[D,F_Y] -> C[B_X,F_Y]"), SIZES) == 2 * 64 * 128 * 256 / 8
    assert pricing.flops(step("Einsum D: A[B,D_X] W[D_X,F] -> C[B,F]{U_X}"), SIZES) == 2 * 64 * 128 * 256 / 4


def test_an_idle_axis_repeats_the_work_and_a_pending_one_does_too():
    assert pricing.flops(step("Einsum D: A[B,D]{U_X} W[D,F] -> C[B,F]{U_X}"), SIZES) == 2 * 64 * 128 * 256


def test_without_contraction_the_factor_two_drops():
    assert pricing.flops(step("Einsum: a[B] b[F] -> C[B,F]"), SIZES) == 64 * 256


def test_elementwise_and_reductions_take_one_flop_an_element():
    assert pricing.flops(step("Elementwise: A[B_X,D] b[D] -> C[B_X,D]"), SIZES) == 16 * 128
    assert pricing.flops(step("Reduce D: A[B_X,D] -> s[B_X]"), SIZES) == 16 * 128
    for kind in ("Reshape", "Take", "Slice", "Mask", "AllGather X"):
        assert pricing.flops(step(f"{kind}: A[B_X,D] -> A[B,D]"), SIZES) == 0


def test_hbm_reads_the_operands_and_writes_the_result():
    moved = pricing.hbm_bytes(step("Einsum D: A[B,D] int8:W[D,F] -> C[B,F]"), SIZES)
    assert moved == 2 * 64 * 128 + 128 * 256 + 2 * 64 * 256
    for kind in ("AllGather X", "Slice X", "Mask X", "Pad X", "Relabel X", "Reshape"):
        assert pricing.hbm_bytes(step(f"{kind}: A[B_X,D] -> A[B,D]"), SIZES) == 0


def test_constants_cost_nothing():
    plain = step("Elementwise: A[B,D] -> C[B,D]")
    two = array("[]")._replace(constant="2")
    scaled = plain._replace(operands=(*plain.operands, two))
    assert pricing.hbm_bytes(scaled, SIZES) == pricing.hbm_bytes(plain, SIZES) == 2 * 2 * 64 * 128
    assert pricing.rate_dtype(scaled, SIZES) == "bf16"


def test_bytes_of_a_collective():
    gather = step("AllGather X: A[B_X,D_Y] -> A[B,D_Y]")
    assert pricing.volume(gather, SIZES) == 2 * 64 * 128 / 2
    assert pricing.bytes_received(gather, SIZES) == 3 * 2 * 64 * 128 / 8
    both = step("AllGather XY: A[B_X,D_Y] -> A[B,D]")
    assert pricing.bytes_received(both, SIZES) == 7 * 2 * 64 * 128 / 8


def test_reductions_travel_in_the_result_type_unless_told_otherwise():
    scatter = step("ReduceScatter X: C[B,F]{U_X} -> C[B_X,F]")
    assert pricing.volume(scatter, SIZES) == 2 * 64 * 256
    assert pricing.volume(scatter, SIZES._replace(reduce_dtype="f32")) == 4 * 64 * 256
    gather = step("AllGather X: A[B_X,D] -> A[B,D]")
    assert pricing.volume(gather, SIZES._replace(reduce_dtype="f32")) == 2 * 64 * 128


def test_element_types_own_declared_then_the_plans():
    assert pricing.value_bytes(array("int4:A[B]"), SIZES) == 32
    assert pricing.value_bytes(array("A[B]"), SIZES._replace(declared={"A": "f32"})) == 256
    assert pricing.value_bytes(array("A[B]"), SIZES._replace(dtype="int8")) == 64


def test_arithmetic_runs_at_the_rate_of_the_wider_operand():
    assert pricing.rate_dtype(step("Einsum D: A[B,D] int8:W[D,F] -> C[B,F]"), SIZES) == "bf16"
    assert pricing.rate_dtype(step("Einsum D: int8:A[B,D] int8:W[D,F] -> C[B,F]"), SIZES) == "int8"
    assert pricing.rate_dtype(step("Einsum D: A[B,D] f32:W[D,F] -> C[B,F]"), SIZES) == "f32"


def test_seconds_on_each_resource():
    links = {"X": Link(4, "ring", 1e9), "Y": Link(2, "line", 1e9)}
    rates = Rates({"bf16": 1e12, "fp8": 2e12}, 1e10, links)
    product = pricing.cost(step("Einsum D: A[B,D] W[D,F] -> C[B,F]"), SIZES, rates)
    assert product == (2 * 64 * 128 * 256 / 1e12, 0, 2 * (64 * 128 + 128 * 256 + 64 * 256) / 1e10)
    gather = pricing.cost(step("AllGather X: A[B_X,D] -> A[B,D]"), SIZES, rates, "exact")
    assert gather == (0, pytest.approx(2 * 64 * 128 * 3 / 4 / 1e9), 0)
    eight_bit = pricing.cost(step("Einsum D: f8e4m3fn:A[B,D] f8e5m2:W[D,F] -> C[B,F]"), SIZES, rates)
    assert eight_bit.math == 2 * 64 * 128 * 256 / 2e12


def test_literal_sizes_need_no_entry():
    assert pricing.local_elements(array("KV[2, B, 100_X]").type, SIZES) == 2 * 64 * 25


def test_padded_shards():
    sizes = SIZES._replace(extent=lambda dim, axes: -(-{"B": 63, "D": 128}[dim] // (4 if axes else 1)))
    assert pricing.local_elements(array("A[B_X,D]").type, sizes) == 16 * 128


def test_monomials_go_through():
    sizes = Sizes({name: of(dim_symbol(name)) for name in "BDF"}, {"X": of(axis_symbol("X"))}, width=dtype_bytes)
    volume = pricing.volume(step("AllGather X: A[B_X,D] -> A[B,D]"), sizes)
    assert volume == Monomial(2, 1, ((dim_symbol("B"), 1), (dim_symbol("D"), 1)))
    flops = pricing.flops(step("Einsum D: A[B_X,D] W[D,F] -> C[B_X,F]"), sizes)
    assert flops.substitute(
        {dim_symbol(n): Monomial(8, 1) for n in "BDF"} | {axis_symbol("X"): Monomial(4, 1)}
    ) == Monomial(256, 1)
