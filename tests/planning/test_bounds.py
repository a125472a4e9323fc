"""Statements of so many axes that a search stops at its bound: the finding says so, and the steps stay correct."""

import pytest

from shardlang.limits import STEPS_A_STATEMENT
from shardlang.planning import Settings, budget
from shardlang.planning.context import Context, TextNames
from shardlang.planning.routes import route
from shardlang.planning.searches import Searches
from shardlang.planning.settings import sizes_of
from shardlang.planning.tree import Tables
from shardlang.reference.execute import run_steps
from shardlang.semantics import Options, resolve
from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.planning.helpers import plan_of
from tests.rules.arrays import array, layout

MANY = [
    ("A[I_{VWXYZ}, J, K, L] -> A[I, J, K, L_{ZYXWV}]", {"I": 32, "J": 1, "K": 1, "L": 32}),
    ("A[I_{VWXYZ}, J, K]{U_U} -> A[I, J_U, K_{ZYXWV}]", {"I": 32, "J": 2, "K": 32}),
    ("A[I_{UVWXYZ}, J] · B[J, K_{UVWXYZ}] -> C[I_{ZYXWVU}, K]", {"I": 64, "J": 2, "K": 64}),
    # an intermediate without a natural layout, where the search over the chain is too large
    ("A[I_{UVWXY}, J]{U_Z} · B[J, K]{U_Z} · D[K, L] -> E[I_{UVWXY}, L]", {"I": 32, "J": 2, "K": 2, "L": 2}),
]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("text", "sizes"), MANY)
def test_a_bounded_plan_is_told_and_correct(text, sizes, known):
    mesh = dict.fromkeys("UVWXYZ", 2)
    made = plan_of(text, mesh, **sizes) if known else plan_of(text)
    assert [finding.code for finding in made.diagnostics] == ["SL603"]
    assert made.diagnostics[0].severity == "info"
    (entry,) = made.statements
    assert entry.output is not None
    assert entry.steps[-1].result.type.sharding == entry.statement.body.result.type.sharding
    _, failure = run_steps(entry.steps, mesh, sizes)
    assert failure is None


def test_an_open_result_of_many_axes_still_has_a_choice():
    (finding,) = [one for one in plan_of("A[I_{UVWXYZ}, J] · B[J, K_{UVWXYZ}]").diagnostics if one.severity == "error"]
    assert finding.code == "SL309"
    assert finding.fixes
    for fix in finding.fixes:
        assert "error" not in {one.severity for one in plan_of(fix.edits[0].text).diagnostics}


def test_a_small_statement_is_searched_to_the_end():
    assert plan_of("A[I_{XYZ}, J] -> A[I, J_{ZYX}]").diagnostics == ()


def spent_context():
    module, _ = parse(SourceText("A[I_X, J] -> A[I, J_X]"))
    program, _ = resolve(module, Options())
    settings = Settings()
    context = Context(program, Tables(sizes_of(program)), TextNames(program), settings, str, Searches(), [])
    context.tables.budget.spend(STEPS_A_STATEMENT)
    return context


def test_a_spent_budget_gives_the_plain_way():
    context = spent_context()
    moves = route(context, array("[I_X,J]"), layout("[I,J_X]"))
    assert [move.kind for move in moves] == ["AllGather", "Slice"]
    assert context.bounded == ["a reshard"]


def test_a_spent_budget_finds_no_free_way():
    context = spent_context()
    assert route(context, array("[I_X,J]"), layout("[I,J_X]"), free_only=True) is None


def test_no_way_is_needed_to_where_an_array_is():
    context = spent_context()
    assert route(context, array("[I_X,J]"), layout("[I_X,J]")) == []
    assert context.bounded == []


def test_active_axes_are_named_once():
    assert spent_context().active(("X", "X")) == ("X",)


def test_statements_that_stop_at_the_same_bound_are_told_at_once() -> None:
    names = ("A", "AB", "ABCDE")
    texts = ["\n".join(MANY[0][0].replace("A[", f"{name}[") for name in some) for some in names]
    found = [[finding for finding in plan_of(text).diagnostics if finding.code == "SL603"] for text in texts]
    assert [len(findings) for findings in found] == [1, 1, 1]
    base = found[0][0].message
    assert found[1][0].message == f"{base}; the same holds for another statement"
    assert found[2][0].message == f"{base}; the same holds for 4 other statements"
    (label,) = found[2][0].labels
    assert (found[2][0].span.start, label.span.start, label.message) == (
        0,
        texts[2].rindex("\n") + 1,
        "the last of them",
    )


@pytest.mark.parametrize("line", ["A[I_{XY}] · B[I_{XY}]", "A[I_{XY}] · B[I_{XY}] -> C[]{U_XY}"])
def test_what_is_local_as_it_stands_is_planned_when_no_step_is_left(line, monkeypatch):
    monkeypatch.setattr(budget, "STEPS_A_TEXT", 0)
    made = plan_of(f"explicit\n{line}", {"X": 2, "Y": 2}, I=8)
    assert [finding.code for finding in made.diagnostics] == ["SL603"]
    (entry,) = made.statements
    assert [step.kind for step in entry.steps] == ["Einsum"]
