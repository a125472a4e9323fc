"""Whole plans, written by hand: the statement's own formula is the judge, not the steps."""

from shardlang.reference.program import run_plan
from shardlang.rules.plan import Alternative, Plan, StatementPlan
from shardlang.semantics.program import BareArray, Collective, Computation, Mesh, Op, Program, Ref, Reshard, Statement
from shardlang.source import Span
from shardlang.syntax import ast
from tests.reference.build import local, step, value

SPAN = Span(0, 0)
MESH = {"X": 2, "Y": 3}
SIZES = {"I": 12, "J": 6, "K": 18}
PROGRAM = Program(Mesh(), {}, "bf16", None, {}, ())


def ref(text):
    own = value(text)
    return Ref(own.name, own.type, SPAN, ast.Array(None, None, None, None, SPAN))


def planned(body, output, *steps, ok=True, alternatives=()):
    node = ast.ExplicitDecl(SPAN)
    statement = Statement(body, "arrow", ok, False, node, SPAN)
    return StatementPlan(statement, output and value(output), steps, alternatives)


def product(left, right, result, contracted="J", dims="IK"):
    op = Op("contract", (ref(left), ref(right)), tuple(contracted), tuple(dims), False, SPAN)
    return Computation("contraction", op, ref(result))


def run(*statements, **options):
    return run_plan(Plan(PROGRAM, statements), MESH, SIZES, **options)


GATHER = step("AllGather", "X", "A[I, J_X]", "A[I, J]")
LOCAL = local("contract", ("A[I, J]", "B[J, K]"), "C[I, K]", "J")
CASE_2 = planned(product("A[I, J_X]", "B[J, K]", "C[I, K]"), "C[I, K]", GATHER, LOCAL)
SLICED = (
    step("Slice", "X", "B[J, K]", "B[J_X, K]"),
    local("contract", ("A[I, J_X]", "B[J_X, K]"), "C[I, K]{U_X}", "J"),
    step("AllReduce", "X", "C[I, K]{U_X}", "C[I, K]"),
)


def test_a_gather_and_a_product():
    done = run(CASE_2)
    assert done.ok
    assert [float(ran.received) for ran in done.steps[0]] == [36, 0]


def test_an_alternative_is_run_from_the_same_state():
    good = CASE_2._replace(alternatives=(Alternative("slice B", SLICED),))
    bad = CASE_2._replace(alternatives=(Alternative("slice B", SLICED[:2]),))
    assert run(good, alternatives=True).ok
    assert run(bad).ok
    assert str(run(bad, alternatives=True).failures[0]) == (
        "statement 0: alternative 'slice B': the steps never make the output C[I, K]"
    )


def test_a_statement_that_the_steps_do_not_compute():
    body = product("A[I, J_X]", "B[J, K]", "C[I, K]")
    wrong = local("contract", ("A[I, J]", "B[J, K]"), "C[K, I]", "J")
    assert "is not the stated C[I, K]" in run(planned(body, "C[K, I]", GATHER, wrong)).failures[0].message
    twice = local("add", ("C[I, K]", "C[I, K]"), "C[I, K]")
    assert "compute another array" in run(planned(body, "C[I, K]", GATHER, LOCAL, twice)).failures[0].message


def test_a_step_may_not_use_a_layout_of_an_input_that_the_statement_does_not_state():
    body = product("A[I, J_X]", "B[J, K]", "C[I, K]")
    failure = run(planned(body, "C[I, K]", LOCAL)).failures[0]
    assert failure.message == "A[I, J] is a layout that nobody made"
    assert (failure.statement, failure.step_number) == (0, 0)


def test_later_statements_use_the_layouts_that_earlier_ones_made():
    gathered = planned(
        Collective("AllGather", ("X",), None, ref("A[I, J_X]"), ref("A[I, J]"), None, SPAN), "A[I, J]", GATHER
    )
    use = planned(product("A[I, J]", "B[J, K]", "C[I, K]"), "C[I, K]", LOCAL)
    assert run(gathered, use).ok
    again = planned(product("C[I, K_Y]", "B[J, K_Y]", "D[I, J]", "K", "IJ"), None, ok=False)
    assert run(gathered, use, again).ok


def test_a_produced_value_has_only_the_layouts_that_were_made():
    body = Reshard(ref("C[I_Y, K]"), ref("C[I, K]"))
    move = planned(body, "C[I, K]", step("AllGather", "Y", "C[I_Y, K]", "C[I, K]"))
    assert run(CASE_2, move).failures[0].message == "C[I_Y, K] is a layout that nobody made"


def test_a_refused_statement_leaves_its_result_unknown():
    refused = planned(product("A[I, J_X]", "B[J, K]", "C[I_Y, K]"), None, ok=False)
    move = planned(Reshard(ref("C[I_Y, K]"), ref("C[I, K]")), "C[I, K]", step("AllGather", "Y", "C[I_Y, K]", "C[I, K]"))
    assert run(refused, move).ok
    assert run(CASE_2, refused, move).ok


def test_a_transpose_or_a_new_name_needs_no_step():
    assert run(planned(Reshard(ref("A[I_X, J]"), ref("T[J, I_X]")), "T[J, I_X]")).ok
    failure = run(planned(Reshard(ref("A[I_X, J]"), ref("T[J, I]")), "T[J, I]")).failures[0]
    assert failure.message == "the steps never make the output T[J, I]"


def test_a_bare_array_makes_no_layout():
    done = run(
        planned(BareArray(ref("A[I, J]")), None), planned(product("A[I, J_X]", "B[J, K]", "C[I, K]"), "C[I, K]", LOCAL)
    )
    assert done.failures[0].message == "A[I, J] is a layout that nobody made"


def test_sizes_that_do_not_divide_and_meshes_that_cannot_be_are_failures_not_tracebacks():
    done = run_plan(Plan(PROGRAM, (CASE_2,)), {"X": 4}, SIZES)
    assert "dimension J of size 6 does not divide into 4 blocks" in done.failures[0].message
    assert "mesh axis X has the size 0" in run_plan(Plan(PROGRAM, (CASE_2,)), {"X": 0}, SIZES).failures[0].message
