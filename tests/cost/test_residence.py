"""What arrays take, what is there from the start, and the peak: counted by hand."""

import pytest
import sympy

import shardlang
from shardlang.cost.estimate import estimate
from shardlang.cost.residence import residence
from shardlang.pricing.machine import Machine
from tests.cost.plans import plan

B, D, F, H, K, L, S, X, Y, Z = sympy.symbols("B D F H K L S X Y Z", positive=True)


def rows(report):
    return [(report.line(a), a.value.name, a.role, a.resident) for a in report.arrays]


def test_an_array_on_a_device_in_one_copy_and_on_all_devices():
    report = shardlang.memory("W: f32[D_X, F]", mesh="X=4,Y=2")
    (array,) = report.arrays
    assert array.shape == (D / X, F)
    assert array.pieces == X
    amount = array.amount
    assert (amount.elements, amount.local_elements) == (D * F, D * F / X)
    assert (amount.bytes, amount.whole, amount.everywhere) == (4 * D * F / X, 4 * D * F, 4 * D * F * Y)
    assert report.residence.devices == X * Y


def test_literal_sizes_count_and_a_scalar_is_one_element():
    report = shardlang.memory("KV[2, L, B_Z, S, K, H]\nz: f32[]")
    assert [array.amount.elements for array in report.arrays] == [2 * L * B * S * K * H, 1]
    assert report.resident.bytes == 4 * L * B * S * K * H / Z + 4
    assert report.resident.everywhere == 4 * L * B * S * K * H + 4 * Z


def test_a_pending_array_is_whole_on_every_device():
    (array,) = shardlang.memory("C[B, F_X]{U_Y}").arrays
    assert (array.amount.bytes, array.amount.whole, array.amount.everywhere) == (
        2 * B * F / X,
        2 * B * F,
        2 * B * F * Y,
    )
    assert array.pieces == X


@pytest.mark.parametrize(("dtype", "bits"), [("int4", 4), ("int8", 8), ("bf16", 16), ("f32", 32)])
def test_bytes_of_an_element(dtype, bits):
    assert shardlang.memory(f"w: {dtype}[D]").resident.bytes == sympy.Rational(bits, 8) * D
    assert shardlang.memory("w[D]", dtype=dtype).resident.bytes == sympy.Rational(bits, 8) * D


def test_what_is_declared_stands_alone_is_used_or_made():
    text = (
        "W: bf16[D_X, F]\nm: f32[D_X, F]\nA[B_X, D]\nIn[B_X, D] · W[D_X, F] -> H[B_X, F]\ngelu(H[B_X, F]) -> G[B_X, F]"
    )
    assert rows(shardlang.memory(text)) == [
        (1, "W", "declared", True),
        (2, "m", "declared", True),
        (3, "A", "alone", True),
        (4, "In", "input", True),
        (4, "H", "result", False),
        (5, "G", "result", False),
    ]


def test_the_declared_type_of_a_result_is_not_there_from_the_start():
    report = shardlang.memory("C: f32[B, F]\nA[B, D] · W[D, F] -> C[B, F]")
    assert rows(report) == [(1, "C", "declared", False), (2, "A", "input", True), (2, "W", "input", True)]
    assert report.arrays[0].amount.bytes == 4 * B * F
    assert report.resident.bytes == 2 * B * D + 2 * D * F
    assert report.peak == 2 * B * D + 2 * D * F + 4 * B * F


def test_an_array_in_two_layouts_is_two_and_in_one_layout_one():
    text = "W: bf16[D_X, F]\nAllGather_X W[D_X, F] -> W[D, F]\nW[D_X, F]\nW[D, F]"
    assert rows(shardlang.memory(text)) == [(1, "W", "declared", True), (2, "W", "result", False)]
    assert len(shardlang.memory("[B, D]\n[B, D]").arrays) == 2


def test_bare_arrays_alone_are_all_there_at_once():
    report = shardlang.memory("A[B, D]\nW[D, F]\nC[B, F]")
    assert report.peak == report.resident.bytes == 2 * B * D + 2 * D * F + 2 * B * F
    assert report.peak_place is None
    assert [value.name for value, _ in report.residence.alive] == ["A", "W", "C"]


def test_what_no_statement_uses_stays_throughout():
    step = "A[B, D] · W[D, F] -> C[B, F]"
    state = "m: f32[D, F]\nKV[2, B, S]\n"
    alone, together = shardlang.memory(step), shardlang.memory(state + step)
    assert together.peak - alone.peak == 4 * D * F + 4 * B * S
    assert {value.name for value, _ in together.residence.alive} == {"m", "KV", "A", "W", "C"}


def test_a_declared_array_that_is_used_counts_once():
    step = "A[B, D] · W[D, F] -> C[B, F]"
    assert shardlang.memory("W: bf16[D, F]\n" + step).peak == shardlang.memory(step).peak


def test_the_peak_its_place_and_what_is_there():
    text = "m: f32[D, F]\nA[B, D] · V[D, K] -> T[B, K]\nT[B, K] · W[K, F] -> O[B, F]"
    report = shardlang.memory(text, sizes={"B": 64, "D": 8, "K": 8, "F": 4096})
    assert report.peak_place == (3, 1)
    assert report.peak_step == "T[B, K] ·_LOCAL W[K, F] -> O[B, F]"
    there = 4 * 8 * 4096 + 2 * (64 * 8 + 8 * 4096 + 64 * 4096)
    assert report.value(report.peak) == there
    assert sum(report.value(held) for _, held in report.residence.alive) == there
    assert {value.name for value, _ in report.residence.alive} == {"m", "T", "W", "O"}


def test_open_sizes_that_decide_the_place_leave_it_open():
    text = "A[B, D] · V[D, K] -> T[B, K]\nT[B, K] · W[K, F] -> O[B, F]"
    report = shardlang.memory(text)
    assert report.peak_place is None
    assert report.residence.alive is None
    assert report.several_peaks
    one = shardlang.memory("A[B, D] · V[D, K] -> T[B, K]")
    assert one.peak_place == (1, 1)
    assert one.peak == 2 * B * D + 2 * D * K + 2 * B * K


def test_a_gathered_copy_inside_a_statement_is_in_the_peak_and_not_in_the_list():
    report = shardlang.memory("In[B_X, D] · W[D_X, F] -> H[B_X, F]", mesh="X=4", sizes={"B": 64, "D": 8, "F": 8})
    assert [value.type.sharding.axes for value, _ in report.residence.alive if value.name == "W"] == [((), ())]
    assert [(a.value.name, a.amount.bytes) for a in report.arrays if a.value.name == "W"] == [("W", 2 * D * F / X)]


def test_padded_blocks_count_and_one_copy_does_not():
    (array,) = shardlang.memory("W[D_X]", mesh="X=4", sizes={"D": 10}, uneven=True).arrays
    report = shardlang.memory("W[D_X]", mesh="X=4", sizes={"D": 10}, uneven=True)
    assert report.value(array.shape[0]) == 3
    assert [report.value(expr) for expr in array.amount] == [10, 3, 6, 20, 24]


def test_the_same_from_steps_written_by_hand():
    made = plan("AllGather X: W[D_X, F] -> W[D, F]; Einsum D: A[B_X, D] W[D, F] -> C[B_X, F]", "KV[2, B_X]", mesh="X=4")
    found = residence(made, estimate(made, Machine()))
    assert found.resident.bytes == 2 * D * F / X + 2 * B * D / X + 4 * B / X
    assert (
        found.most.bytes.subs({B: 64, D: 64, F: 8, X: 4})
        == 2 * 64 * 8 + 2 * 64 * 64 // 4 + 2 * 64 * 8 // 4 + 4 * 64 // 4
    )


@pytest.mark.parametrize("text", ["", "A[I_X, J_X]", "C[I, K] = A[I, J_X] · B[J_X, L]", "mesh X=4", "?"])
def test_a_text_without_arrays_has_none(text):
    report = shardlang.memory(text)
    assert (report.arrays, report.resident.bytes, report.peak) == ((), 0, 0)
    assert not report.limits


@pytest.mark.parametrize(
    ("text", "resident", "most"),
    [
        ("[P] + [P] -> q[P]", 2 * 16, 3 * 16),
        ("[P] + [P] -> [P]", 2 * 16, 3 * 16),
        ("[P] + [P] + [P] -> q[P]", 3 * 16, 4 * 16),  # the third waits while the first two are added
        ("[P_X] -> [P]", 8, 8 + 16),
        ("[P_X] + [P] -> q[P]", 8 + 16, 8 + 16 + 8),  # the whole one is cut first: 8 bytes more
        ("A[P] + A[P] -> q[P]", 16, 2 * 16),  # with a name it is one array
    ],
)
def test_arrays_without_a_name_are_each_another_one(text, resident, most):
    """Of 8 numbers in bf16, 16 bytes whole and 8 in halves: operands are resident, and there with the result."""
    report = shardlang.memory(text, mesh={"X": 2}, sizes={"P": 8})
    assert report.ok, report.diagnostics
    assert report.value(report.resident.bytes) == resident
    assert report.value(report.peak) == most
