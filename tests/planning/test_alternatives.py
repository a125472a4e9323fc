"""Other plans and when they win. The conditions are of the exact bytes received, worked out by hand."""

import pytest

from shardlang.planning import Settings
from shardlang.planning.alternatives import MOST, name_of
from shardlang.pricing import find_hardware, machine_for
from shardlang.pricing.machine import math_rate
from shardlang.reference.execute import run_steps
from shardlang.rules.plan import Step, Value
from shardlang.semantics.program import Mesh, MeshAxis
from tests.planning.helpers import codes_of, plan_of
from tests.rules.arrays import array

LISTED = Settings(alternatives=True)


def listed(text, mesh=None, settings=LISTED, **sizes):
    (entry,) = plan_of(text, mesh, settings, **sizes).statements
    return {other.name: other for other in entry.alternatives}


# In bf16, X devices, r = (X-1)/X: a gather or an exchange of an array of V bytes (on each device, before or after)
# brings r·V, an AllReduce 2·r·V; an exchange of what X shards brings r·V/X.
CONDITIONS = [
    # gather A, IJ, against gather B, JK; both gather C after: IK
    ("A[I_X, J] · B[J, K_X] -> C[I, K]", "AllGather_X A[I_X, J], then AllGather_X C[I, K_X]", "I < K"),
    # gather A and B and compute all of C: IJ + JK against JK + IK
    ("A[I_X, J] · B[J, K_X] -> C[I, K]", "AllGather_X A[I_X, J], then AllGather_X B[J, K_X]", "J < K"),
    # IJ against an AllReduce, 2IK
    ("A[I, J_X] · B[J, K] -> C[I, K]", "Slice_{X,J} B[J, K], then AllReduce_X C[I, K]{U_X}", "2*K < J"),
    # IJ against an exchange, IJ/X, and a gather, IK
    ("A[I, J_X] · B[J, K] -> C[I, K]", "AllToAll_{X,I} A[I, J_X], then AllGather_X C[I_X, K]", "K*X < J*(X - 1)"),
    # IJ against a ReduceScatter, IK
    ("A[I, J_X] · B[J, K] -> C[I, K_X]", "Slice_{X,J} B[J, K], then ReduceScatter_{X,K} C[I, K]{U_X}", "K < J"),
    # a reshard: IJ·r against IJ/(X·Y) of a permute and IJ·r/Y of a gather after a slice
    (
        "A[I_X, J] -> A[I_Y, J]",
        "Slice_{Y,I} A[I_X, J], then CollectivePermute_{XY} A[I_{XY}, J], then AllGather_X A[I_{YX}, J]",
        "X + Y < X*Y",
    ),
    # the axis X prints as n_X where a dimension is called X
    ("A[X, J_X] · B[J, K] -> C[X, K]", "AllToAll_{X,X} A[X, J_X], then AllGather_X C[X_X, K]", "K*n_X < J*(n_X - 1)"),
    # int8 weights are half of what bf16 is: JK against 2·2IK
    (
        "B: int8[J, K_X]\nA[I_X, J] · B[J, K_X] -> C[I, K]",
        "AllGather_X A[I_X, J], then AllGather_X C[I, K_X]",
        "2*I < K",
    ),
]


@pytest.mark.parametrize(("text", "name", "condition"), CONDITIONS)
def test_when_open_sizes_win(text, name, condition):
    plan = plan_of(text, settings=LISTED).statements[-1]
    assert {other.name: other.wins_when for other in plan.alternatives}[name] == condition


def test_a_known_size_stands_as_a_number():
    gathered = "AllGather_X A[I_X, J], then AllGather_X C[I, K_X]"
    assert listed("A[I_X, J] · B[J, K_X] -> C[I, K]", K=16)[gathered].wins_when == "I < 16"
    exchanged = "AllToAll_{X,I} A[I, J_X], then AllGather_X C[I_X, K]"
    assert listed("A[I, J_X] · B[J, K] -> C[I, K]", {"X": 4})[exchanged].wins_when == "4*K < 3*J"


def test_a_size_in_terms_of_another_one_is_put_in():
    text = "let K = 4*I\nA[I_X, J] · B[J, K_X] -> C[I, K]"
    plan = plan_of(text, settings=LISTED).statements[-1]
    found = {other.name: other.wins_when for other in plan.alternatives}
    assert found["AllGather_X A[I_X, J], then AllGather_X C[I, K_X]"] == "always"  # I < 4·I


def test_the_best_of_all_is_told_apart():
    """IJ, IJ/X + IK and 2IK, all times r: the exchange is between the other two."""
    found = listed("A[I, J_X] · B[J, K] -> C[I, K]")
    best = {other.steps[-1].kind: other.best_when for other in found.values()}
    assert best["AllReduce"] == "2*K < J and K*X < J"
    assert best["AllGather"] == "K*X < J*(X - 1) and J < K*X"


def test_by_time_where_hardware_is_named():
    """2IJK/C + 2IJ·r/W against 2IJK/(XC) + 4IK·r/W: both differences have the factor 2I·r."""
    machine, _ = machine_for(Mesh((MeshAxis("X", None),), True), find_hardware("tpu-v5p"))
    hardware = Settings(math_rate=lambda dtype: math_rate(machine, dtype), machine=machine, alternatives=True)
    found = listed("A[I, J_X] · B[J, K] -> C[I, K]", {"X": None}, hardware)
    sliced = found["Slice_{X,J} B[J, K], then AllReduce_X C[I, K]{U_X}"]
    assert sliced.wins_when == "2*K*C/W_ici < J*K + J*C/W_ici"


def test_equal_bytes_and_less_arithmetic():
    """The sum with the constant is cheaper on shards; both scatter the same bytes."""
    found = listed("Z[N, D]{U_X} + b[D_X] -> O[N, D]")
    assert [other.wins_when for other in found.values()] == ["always"]


def test_a_scalar_has_alternatives_too():
    assert listed("C[] = (A[]{U_X} + B[]) * 2") == {}


def test_sizes_that_are_known_leave_one_best_plan():
    assert listed("A[I_X, J] · B[J, K_X] -> C[I_X, K_Y]", {"X": 2, "Y": 2}, I=8, J=8, K=8) == {}


def test_a_bound_of_the_search_is_told():
    wide = "A[I_X, J_Y] · B[J_Z, K_W] -> C[K_{XYZW}, I]"
    assert len(plan_of(wide, settings=LISTED).statements[0].alternatives) <= MOST
    assert "SL603" in [finding.code for finding in plan_of(wide, settings=LISTED).diagnostics]
    assert "SL603" not in codes_of(wide)


def test_a_text_has_a_bound_of_its_own(monkeypatch):
    """What is spent on other plans changes no plan, and is told where it is used up."""
    line = "A[I_X, J] · B[J, K_X] -> C[I, K]\n"
    monkeypatch.setattr("shardlang.planning.WORK_A_TEXT", 15_000)
    made = plan_of(line * 5, settings=LISTED)
    counts = [len(entry.alternatives) for entry in made.statements]
    assert counts[0] == 3
    assert counts[-1] == 0
    assert "SL603" in [finding.code for finding in made.diagnostics]
    plain = plan_of(line * 5)
    assert [entry.steps for entry in made.statements] == [entry.steps for entry in plain.statements]


def test_names():
    value = Value("A", array("[I_X,J]"))
    step = Step("AllGather", "AllGather", (value,), value, ("X",), text="AllGather_X A[I_X, J] -> A[I, J]")
    free = step._replace(kind="Slice", text="Slice_{X,I} B[I] -> B[I_X]")
    mask = step._replace(kind="Mask", text="Mask_X b[I] -> b[I]{U_X}")
    assert name_of((step, free, mask)) == "AllGather_X A[I_X, J], then Slice_{X,I} B[I]"
    assert name_of((mask,)) == "no communication"


TEXTS = {
    "A[I_X, J] · B[J, K_X] -> C[I, K]": 3,
    "A[I, J_X] · B[J, K] -> C[I, K_X]": 2,
    "A[I, J_X] · B[J, K] -> C[I, K]": 2,
    "Z[N, D]{U_X} + b[D] -> O[N, D]": 0,
}


@pytest.mark.parametrize(("text", "count"), TEXTS.items())
def test_alternatives_are_correct_and_other(text, count):
    (entry,) = plan_of(text, settings=LISTED).statements
    assert len({alternative.name for alternative in entry.alternatives}) == len(entry.alternatives) == count
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
