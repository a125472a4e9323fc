"""Other plans and when they win. The conditions compare bytes received, worked out by hand (without (n-1)/n)."""

import pytest

from shardlang.planning import Settings
from shardlang.planning.alternatives import MOST, Price, name_of
from shardlang.planning.context import Context
from shardlang.planning.settings import sizes_of
from shardlang.planning.tree import Tables
from shardlang.reference import run_steps
from shardlang.rules.plan import Step, Value
from shardlang.semantics import Options, resolve
from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.planning.helpers import plan_of
from tests.rules.arrays import array

LISTED = Settings(alternatives=True)


def price(mesh=None, **sizes):
    module, _ = parse(SourceText("A[I_X, J] · B[J, K_X] -> C[I, K]"))
    program, _ = resolve(module, Options(mesh=mesh, sizes=sizes))
    return Price(Context(program, Tables(sizes_of(program)), Settings(), str, {}, {}, []))


def collective(kind, operand):
    value = Value("A", array(operand))
    return Step(kind, kind, (value,), value, ("X",))


def product(a, b):
    values = (Value("A", array(a)), Value("B", array(b)))
    return Step("Einsum", "contract", values, Value("C", array("[I,K]")), contracted=("J",))


GATHER_A, GATHER_B = collective("AllGather", "[I_X,J]"), collective("AllGather", "[J,K_X]")
REDUCE_C, SCATTER_C = collective("AllReduce", "[I,K]{U_X}"), collective("ReduceScatter", "[I,K]{U_X}")
EXCHANGE_A, PERMUTE_A = collective("AllToAll", "[I_X,J]"), collective("CollectivePermute", "[I_X,J]")

CONDITIONS = [
    ((GATHER_A,), (GATHER_B,), "I < K"),  # I·J against J·K
    ((GATHER_B,), (GATHER_A,), "K < I"),
    ((GATHER_A,), (SCATTER_C,), "J < K"),
    ((GATHER_A,), (REDUCE_C,), "J < 2*K"),  # an AllReduce is a ReduceScatter and an AllGather
    ((REDUCE_C,), (GATHER_A,), "2*K < J"),
    ((EXCHANGE_A,), (GATHER_B,), "I < X*K"),  # I·J/X against J·K
    ((PERMUTE_A,), (SCATTER_C,), "J < X*K"),
    ((GATHER_A, REDUCE_C), (GATHER_B, REDUCE_C), "I < K"),  # what both have does not count
    ((GATHER_A, GATHER_B), (REDUCE_C,), None),  # a sum
    ((GATHER_A,), (GATHER_B, REDUCE_C), None),
    ((), (GATHER_A,), "always"),
    ((GATHER_A,), (), "never"),
    ((GATHER_A, GATHER_B), (GATHER_A,), "never"),
    ((GATHER_A,), (GATHER_A,), None),
]


@pytest.mark.parametrize(("steps", "chosen", "condition"), CONDITIONS)
def test_when_open_sizes_win(steps, chosen, condition):
    assert price().wins_when(steps, chosen) == condition


@pytest.mark.parametrize(("i", "k", "condition"), [(4, 8, "always"), (8, 4, "never")])
def test_when_known_sizes_win(i, k, condition):
    assert price({"X": 4}, I=i, K=k).wins_when((GATHER_A,), (GATHER_B,)) == condition


def test_a_known_size_stands_as_a_number():
    assert price(K=16).wins_when((GATHER_A,), (GATHER_B,)) == "I < 16"
    assert price({"X": 4}).wins_when((EXCHANGE_A,), (GATHER_B,)) == "I < 4*K"


def test_arithmetic_that_differs_is_not_compared_here():
    whole, shared = product("[I,J]", "[J,K]"), product("[I,J_X]", "[J_X,K]")
    assert price().wins_when((GATHER_A, whole), (GATHER_B, shared)) is None
    assert price().wins_when((GATHER_A, whole), (GATHER_B, whole)) == "I < K"


def test_what_is_never_worse():
    compare = price().never_worse
    assert compare((), (GATHER_A,))
    assert not compare((GATHER_A,), ())
    assert compare((GATHER_A,), (GATHER_A,))
    assert compare((EXCHANGE_A,), (GATHER_A,))
    assert not compare((GATHER_A,), (EXCHANGE_A,))
    assert compare((SCATTER_C,), (REDUCE_C,))
    assert not compare((REDUCE_C,), (SCATTER_C,))
    assert not compare((GATHER_A,), (GATHER_B,))
    assert not compare((GATHER_A, GATHER_A), (GATHER_A, GATHER_B))
    whole, shared = product("[I,J]", "[J,K]"), product("[I,J_X]", "[J_X,K]")
    assert compare((shared,), (whole,))
    assert not compare((whole,), (shared,))
    assert not compare((GATHER_A, shared), (whole,))


def test_what_may_win():
    assert price().may_win((GATHER_B,), (GATHER_A,))
    assert not price().may_win((GATHER_A, GATHER_B), (GATHER_A,))


def test_names():
    step = GATHER_A._replace(text="AllGather_X A[I_X, J] -> A[I, J]")
    free = step._replace(kind="Slice", text="Slice_{X,I} B[I] -> B[I_X]")
    mask = step._replace(kind="Mask", text="Mask_X b[I] -> b[I]{U_X}")
    assert name_of((step, free, mask)) == "AllGather_X A[I_X, J], then Slice_{X,I} B[I]"
    assert name_of((mask,)) == "no communication"


TEXTS = {
    "A[I_X, J] · B[J, K_X] -> C[I, K]": ("AllGather_X A[I_X, J], then AllGather_X C[I, K_X]", "I < K"),
    "A[I, J_X] · B[J, K] -> C[I, K_X]": ("Slice_{X,J} B[J, K], then ReduceScatter_{X,K} C[I, K]{U_X}", "K < J"),
    "A[I, J_X] · B[J, K] -> C[I, K]": ("Slice_{X,J} B[J, K], then AllReduce_X C[I, K]{U_X}", None),
    "Z[N, D]{U_X} + b[D] -> O[N, D]": ("", None),
}


@pytest.mark.parametrize(("text", "other"), TEXTS.items())
def test_alternatives_are_correct_and_other(text, other):
    (entry,) = plan_of(text, settings=LISTED).statements
    found = {alternative.name: alternative.wins_when for alternative in entry.alternatives}
    assert len(found) == len(entry.alternatives) <= MOST
    if other[0]:
        assert found[other[0]] == other[1]
    mesh, sizes = {"X": 2}, dict.fromkeys("IJKND", 4)
    for alternative in entry.alternatives:
        assert [step.text for step in alternative.steps] != [step.text for step in entry.steps]
        assert alternative.steps[-1].result == entry.steps[-1].result
        assert run_steps(alternative.steps, mesh, sizes)[1] is None


def test_nothing_beats_a_plan_without_communication():
    (entry,) = plan_of("A[I_X, J] · B[J, K] -> C[I_X, K]", settings=LISTED).statements
    assert entry.alternatives == ()


def test_none_are_listed_unasked():
    (entry,) = plan_of("A[I, J_X] · B[J, K] -> C[I, K_X]").statements
    assert entry.alternatives == ()


IDLE = "A[I, J] · B[J, K] -> C[I, K]"


@pytest.mark.parametrize(("seconds", "listed"), [(1e-9, True), (1e9, False)])
def test_a_cheaper_plan_over_idle_axes_is_listed(seconds, listed):
    """An axis that shares the arithmetic pays where moving the result takes less time than is saved."""
    hardware = Settings(lambda kind, size, axes: seconds, lambda dtype: 1e6, alternatives=True)
    (entry,) = plan_of(IDLE, {"X": 4}, hardware, I=64, J=64, K=64).statements
    assert [step.kind for step in entry.steps] == ["Einsum"]
    idle = [alternative for alternative in entry.alternatives if alternative.name.startswith("over idle axes: ")]
    assert [alternative.wins_when for alternative in idle] == ["always"] * listed
    for alternative in idle:
        assert run_steps(alternative.steps, {"X": 4}, dict.fromkeys("IJK", 64))[1] is None
