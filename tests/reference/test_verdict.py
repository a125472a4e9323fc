"""The verdict on whole plans: right ones pass, and in doctored ones the first step that is wrong is named."""

import tracemalloc

import pytest

from shardlang.planning import Settings, plan
from shardlang.pricing import collectives
from shardlang.reference import verdict
from shardlang.reference.program import run_plan
from shardlang.reference.verdict import verify_plan
from shardlang.semantics import Options, resolve
from shardlang.source import SourceText
from shardlang.syntax import parse

TEXT = """\
In[B_X, D_Y] · W[D_X, F_Y] -> H[B_X, F_Y]
Z[B_X, F_Y] = gelu(H[B_X, F_Y])
Z[B_X, F_Y] · V[F_Y, D_X] -> Out[B_X, D_Y]
"""


def planned(text, **settings):
    module, _ = parse(SourceText(text))
    program, _ = resolve(module, Options())
    return plan(program, Settings(**settings))


def doctored(made, statement, change):
    """Return the plan with the steps of a statement changed."""
    statements = list(made.statements)
    statements[statement] = statements[statement]._replace(steps=tuple(change(statements[statement].steps)))
    return made._replace(statements=tuple(statements))


def flags(found, statement):
    return [step.ok for step in found.statements[statement].steps]


def test_a_right_plan_is_right_on_every_mesh():
    found = verify_plan(planned(TEXT, alternatives=True))
    assert found.ok
    assert len(found.cases) >= 4
    assert all(statement.ok and set(flags(found, at)) <= {True} for at, statement in enumerate(found.statements))
    assert found.statements[0].others > 0


def test_the_bytes_of_every_device_are_those_of_the_cost_model():
    # AllGather: (N-1) shards; ReduceScatter: (N-1)/N of the operand. In bf16, two bytes an element.
    found = verify_plan(planned(TEXT))
    gather, scatter = found.statements[0].steps[0], found.statements[2].steps[-1]
    assert (gather.step.kind, scatter.step.kind) == ("AllGather", "ReduceScatter")
    for moved, case in zip(gather.moved, found.cases, strict=True):
        b, d, x, y = case.sizes["B"], case.sizes["D"], case.mesh["X"], case.mesh["Y"]
        assert (
            set(moved.received.values()) == set(moved.sent.values()) == {2 * (y - 1) * b * d // (x * y)} == {moved.said}
        )
    for moved, case in zip(scatter.moved, found.cases, strict=True):
        b, d, x, y = case.sizes["B"], case.sizes["D"], case.mesh["X"], case.mesh["Y"]
        assert (
            set(moved.received.values()) == set(moved.sent.values()) == {2 * b * d * (y - 1) // (x * y)} == {moved.said}
        )


def test_a_missing_step_breaks_the_one_that_needs_it():
    found = verify_plan(doctored(planned(TEXT), 0, lambda steps: [steps[0], steps[2]]))
    assert not found.ok
    assert flags(found, 0) == [True, False]
    assert found.statements[0].broken.failure.message == "W[D, F_Y] is a layout that nobody made"
    assert [statement.ok for statement in found.statements[1:]] == [True, True]  # H is then taken as given


def test_a_missing_last_step_is_seen_although_every_step_runs():
    found = verify_plan(doctored(planned(TEXT), 2, lambda steps: steps[:-1]))
    assert [statement.ok for statement in found.statements] == [True, True, False]
    assert flags(found, 2) == [True, True]
    assert found.statements[2].broken.failure.message == "the steps never make the output Out[B_X, D_Y]"


def test_a_wrong_collective_breaks_where_it_stands():
    def reduce_to_nothing(steps):
        last = steps[-1]
        return [*steps[:-1], last._replace(kind="AllGather")]

    found = verify_plan(doctored(planned(TEXT), 2, reduce_to_nothing))
    assert flags(found, 2) == [True, True, False]


def test_a_major_axis_that_is_gathered_shows_where_the_blocks_are():
    made = planned("A[I_{XY}, J] -> A[I_Y, J]")
    (permute, gather) = made.statements[0].steps
    wrong = gather._replace(operands=permute.operands)
    found = verify_plan(doctored(made, 0, lambda steps: [wrong]))
    assert flags(found, 0) == [False]
    broken = found.statements[0].broken
    assert found.cases[broken.case].mesh == {"X": 2, "Y": 3}
    assert {(held.ok, held.should) for held in broken.failure.held} == {
        (False, "[0:4, :]"),
        (False, "[4:8, :]"),
        (False, "[8:12, :]"),
    }


def test_another_plan_that_is_wrong_is_named():
    made = planned("A[I, J_X] · B[J, K] -> C[I, K]", alternatives=True)
    (statement,) = made.statements
    other = statement.alternatives[0]
    bad = statement._replace(alternatives=(other._replace(steps=other.steps[:-1]),))
    found = verify_plan(made._replace(statements=(bad,)))
    assert found.statements[0].ok is False
    assert set(flags(found, 0)) == {True}  # the plan itself is right
    assert found.statements[0].broken.failure.alternative == other.name
    assert verify_plan(made._replace(statements=(bad,)), alternatives=False).ok


def test_a_cost_model_that_counts_wrong_is_found(monkeypatch):
    right = collectives.bytes_received
    monkeypatch.setattr(
        collectives, "bytes_received", lambda kind, operand, n: right(kind, operand, n) + (kind == "AllReduce")
    )
    found = verify_plan(planned("A[I, J_X] · B[J_X, K] -> C[I, K]"))
    assert flags(found, 0) == [True, False]
    assert "the cost model says" in found.statements[0].broken.failure.message


def test_a_block_that_does_not_divide_into_pieces_is_right_on_average():
    text = "mesh X=3\nlet I=2, J=3, K=2\nA[I, J_X] · B[J_X, K] -> C[I, K]"
    found = verify_plan(planned(text))
    assert found.ok
    (moved,) = found.statements[0].steps[1].moved
    assert len(set(moved.received.values())) == 2
    assert sum(moved.received.values()) == 3 * moved.said


@pytest.mark.parametrize("dtype", ["f32", "int4", "f8e4m3fn"])
def test_bytes_are_of_the_element_type(dtype):
    assert verify_plan(planned(f"dtype {dtype}\nA[I, J_X] · B[J_X, K] -> C[I, K]")).ok
    assert verify_plan(planned(f"dtype {dtype}\nA[I, J_X] · B[J_X, K] -> C[I, K]"), reduce_dtype="f32").ok


def test_what_was_refused_is_not_run_and_what_is_too_long_is_not_called_right(monkeypatch):
    found = verify_plan(planned("A[I_X] -> B[J]\nA[I_X] -> A[I]"))
    assert [(statement.ok, statement.reason) for statement in found.statements][-1] == (True, None)
    assert found.statements[0].ok is None
    assert found.ok  # what is refused is the business of the findings
    monkeypatch.setattr(verdict, "_MOST_WORK", 20)
    found = verify_plan(planned("A[I_X] -> A[I]\n" * 40))
    assert {statement.ok for statement in found.statements} == {True, None}
    assert not found.ok


def test_a_plan_without_a_mesh_runs_on_one_device():
    found = verify_plan(planned("A[I, J] · B[J, K] -> C[I, K]\nD[I]"))
    assert found.ok
    assert [case.mesh for case in found.cases] == [{}]
    assert found.statements[1].ok is None


def test_what_no_statement_uses_any_more_takes_no_memory():
    """Statements that have nothing to do with each other take what the largest of them takes, not their sum."""

    def peak(count: int) -> int:
        lines = (f"A{at}[I_X, J_Y, K_Z] -> A{at}[I_Y, J_Z, K_X]" for at in range(count))
        made = planned("\n".join(lines))
        tracemalloc.start()
        try:
            assert run_plan(made, {"X": 2, "Y": 2, "Z": 2}, {"I": 32, "J": 32, "K": 32}).ok
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(8) < 2 * peak(2)


def test_what_a_later_statement_uses_stays():
    """A result that is used far below, an input in two layouts, and a name that is used again."""
    text = (
        TEXT + "H[B_X, F_Y] + Z[B_X, F_Y] -> R[B_X, F_Y]\nW[D_X, F_Y] -> W[D, F]\nQ[B] -> Q[B]\nH[B_X, F_Y] -> H[B, F]"
    )
    found = verify_plan(planned(text, alternatives=True))
    assert found.ok
    assert [statement.ok for statement in found.statements] == [True] * 7
