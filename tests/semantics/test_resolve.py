"""`resolve` as a whole: kinds of statements, refusals that stay apart, bounds."""

import time

import pytest

from shardlang.semantics.program import BareArray, Collective, Computation, Declared, Reshard
from tests.semantics.helpers import resolved


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A[I, J] · B[J, K] -> C[I, K]", Computation),
        ("AllGather_X A[I_X] -> A[I]", Collective),
        ("A[I_X, J] -> A[I, J_X]", Reshard),
        ("A[I_X, J] -> T[J, I_X]", Reshard),
        ("A[I_X] = B[I]", Reshard),
        ("A[I_X]", BareArray),
        ("W: int8[D]", Declared),
        ("mesh X=4", Declared),
        ("explicit", Declared),
    ],
)
def test_kinds(text, kind):
    found = resolved(text)
    assert isinstance(found.last.body, kind)
    assert found.last.ok
    assert found.codes == []


def test_the_operand_of_an_assignment_is_on_the_right():
    body = resolved("A[I_X] = B[I]").last.body
    assert (body.operand.name, body.result.name) == ("B", "A")


def test_one_bad_statement_does_not_hide_the_others():
    found = resolved("A[I_X, J_X]\nB[I, I]\nA[I] · B[I] -> C[K]\nD[I]")
    assert found.codes == ["SL201", "SL204", "SL213"]
    assert [statement.ok for statement in found.program.statements] == [False, False, False, True]


def test_findings_come_in_the_order_of_the_text():
    found = resolved("A[I_X] -> A[I_{XX}]\nlet I = 0\nB[I, I]")
    assert found.codes == ["SL201", "SL207", "SL204"]


def test_a_statement_may_have_several_findings():
    found = resolved("A[I_X, J_X] · B[J, K] -> C[I, Q]")
    assert found.codes == ["SL201", "SL213"]


@pytest.mark.parametrize("text", ["2 * 3 -> C[I]", "C[I] = 2"])
def test_constants_alone_are_no_operation(text):
    assert not resolved(text).last.ok


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"A[I_X, J] · B[J, K] -> C{n}[I, K]" for n in range(3000)),
        "A[" + ", ".join(f"d{n}_X" for n in range(5000)) + "]",
        "A[I_{" + "X" * 100_000 + "}]",
        "A[" + "I_" * 50_000 + "X]",
        " + ".join("A[I]" for _ in range(3000)) + " -> C[I]",
        " · ".join(f"A[d{n}, d{n + 1}]" for n in range(3000)),
        "let " + ", ".join(f"d{n} = d{n + 1}*2" for n in range(3000)),
        "mesh " + ", ".join(f"x{n}=2" for n in range(900)) + "\nA[I_{x1}]",
        "\n".join(f"let d{n} = 2*e{n}" for n in range(3000)),
        "\n".join(f"x: bf{n}[I]" for n in range(3000)),
        "mesh X=2\n" + "\n".join(f"A[I_{{W{n}}}] -> B[K{n}]" for n in range(3000)),
    ],
    ids=lambda text: text[:20],
)
def test_large_texts_end_in_bounded_time(text):
    started = time.thread_time()
    resolved(text)
    assert time.thread_time() - started < 5


def test_names_may_be_array_dimension_and_axis_at_once():
    found = resolved("B[B_B, D] · W[D, F] -> X[B_B, F]")
    assert found.codes == []
    assert found.op.contracted == ("D",)
