"""`shardlang.verify`: the report object, its JSON, and planted bugs that it must find."""

import json
from importlib.resources import files

import jsonschema
import pytest
import sympy

import shardlang
from shardlang import planning
from tests.planted import plan_without_permutes
from tests.symbolic import read_formula

PLAN = """mesh X=4, Y=2
let D = 8192
In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]
Act[B_X, F_Y] = gelu(Tmp[B_X, F_Y])
AllGather_Y Act[B_X, F_Y] -> Act[B_X, F]
Act[B_X, F] -> Act[B, F_X]
W_in[D_X, F]
"""


def matches(data):
    schema = json.loads((files("shardlang") / "schema" / "verify.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(json.dumps(data)), schema, jsonschema.Draft202012Validator)
    return True


@pytest.fixture
def _gather_major(monkeypatch):
    """A planner that gathers the major axis of a dimension as if blocks stayed in order."""
    monkeypatch.setattr(planning, "plan", plan_without_permutes)


def test_a_right_plan():
    report = shardlang.verify(PLAN)
    assert report.ok
    assert report.diagnostics == ()
    assert [statement.line for statement in report.statements] == [3, 4, 5, 6, 7]
    assert [statement.ok for statement in report.statements] == [True, True, True, True, None]
    assert report.statements[-1].reason == "an array alone has no steps"
    assert report.cases[0].mesh == {"X": 4, "Y": 2}
    assert {2, 3, 4} <= {size for case in report.cases for size in case.mesh.values()}
    assert matches(report.to_dict())


def test_the_formula_gives_the_bytes_with_the_sizes_of_each_run():
    report = shardlang.verify("A[I, J_X] · B[J_X, K] -> C[I, K]")
    local, reduce = report.statements[0].steps
    assert (local.kind, local.ok, local.received, local.formula) == ("Einsum", True, 0.0, "0")
    assert reduce.text == "AllReduce_X C[I, K]{U_X} -> C[I, K]"
    assert reduce.received == reduce.sent == reduce.runs[0].value
    i, k, x = sympy.symbols("I K X", positive=True)
    assert sympy.simplify(read_formula(reduce.formula, "IKX") - 4 * i * k * (x - 1) / x) == 0
    for run in reduce.runs:
        sizes = {**report.cases[run.case].sizes, **report.cases[run.case].mesh}
        assert run.received == 2 * 2 * sizes["I"] * sizes["K"] * (sizes["X"] - 1) / sizes["X"]
        assert [device.received for device in run.devices] == [run.received] * sizes["X"]


@pytest.mark.usefixtures("_gather_major")
def test_a_planted_bug_is_found_at_its_step():
    report = shardlang.verify(
        "B[I_X] -> B[I]\nA[I_{XY}, J] -> A[I_Y, J]", mesh={"X": 2, "Y": 2}, sizes={"I": 8, "J": 3}
    )
    assert not report.ok
    assert shardlang.check("A[I_{XY}, J] -> A[I_Y, J]").ok  # nothing else finds it
    right, wrong = report.statements
    assert (right.ok, wrong.ok) == (True, False)
    assert [step.ok for step in wrong.steps] == [False]
    broken = wrong.broken
    assert (broken.case, broken.step, broken.text, broken.alternative) == (0, 0, wrong.steps[0].text, None)
    assert [(block.device, block.should, block.holds) for block in broken.blocks] == [
        ({"X": x, "Y": y}, ["[0:4, :]", "[4:8, :]"][y], ["[0:2 4:6, :]", "[2:4 6:8, :]"][y])
        for x in (0, 1)
        for y in (0, 1)
    ]
    assert matches(report.to_dict())


def test_a_refused_statement_is_not_run():
    report = shardlang.verify("A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]\nD[I_X] -> D[I]")
    assert not report.ok
    assert [found.code for found in report.diagnostics] == ["SL312"]
    refused, right = report.statements
    assert (refused.output, refused.ok, refused.steps, refused.reason) == (None, None, (), "the statement was refused")
    assert right.ok
    assert shardlang.verify("AllReduce_X C[I] -> C[I]", ignore=["SL304"]).ok
    assert matches(report.to_dict())


@pytest.mark.parametrize(
    "text", ["", "?", "A[I,", "A[I_X, J_X]", "A[4096, 8192] @ B[8192, 16]", "softmax_J(A[I, J_X])"]
)
def test_any_text_has_a_report(text):
    assert matches(shardlang.verify(text).to_dict())


def test_keywords_are_those_of_check():
    text = "A[I, J_X]{U_X} · B[J, K] -> C[I, K]"
    assert not shardlang.verify(text).ok
    text = "A[I, J_X] · B[J, K] -> C[I, K]"
    assert not shardlang.verify(text, explicit=True).ok
    assert shardlang.verify(text, alternatives=False).statements[0].others == 0
    assert shardlang.verify(text).statements[0].others > 0
    wide = shardlang.verify("A[I, J_X] · B[J_X, K] -> C[I, K]", dtype="bf16", reduce_dtype="f32")
    assert wide.ok
    assert wide.statements[0].steps[1].formula.startswith("8*")
    with pytest.raises(TypeError, match="Did you mean 'mesh'"):
        shardlang.verify(text, mehs="X=2")
    with pytest.raises(shardlang.OptionError):
        shardlang.verify(text, mesh="X=0")


def test_padded_plans_run_with_sizes_that_divide():
    report = shardlang.verify("A[I_X] -> A[I]", mesh={"X": 4}, sizes={"I": 6}, uneven=True)
    assert report.ok
    assert all(case.sizes["I"] % case.mesh["X"] == 0 for case in report.cases)


def test_the_book_s_examples_are_right():
    for text in (
        "A[I_X, J] · B[J, K_Y] -> C[I_X, K_Y]",
        "A[I, J_X] · B[J, K] -> C[I, K]",
        "A[I, J_X] · B[J_X, K] -> C[I, K_X]",
        "A[I_X, J] · B[J, K_X] -> C[I_X, K]",
        "In[B_X, D_Y] · W_in[D_X, F_Y] · W_out[F_Y, D_X] -> Out[B_X, D_Y]",
        "A[I_X, J] -> A[I, J_X]",
        "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}",
    ):
        assert shardlang.verify(text).ok, text
