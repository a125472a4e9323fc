"""`shardlang.fix`: the best fix of every finding, run before it is kept."""

import pytest

import shardlang
from shardlang.api.mending import MOST_ROUNDS, mend
from shardlang.diagnostics import Diagnostic, Edit, Fix
from shardlang.source import SourceText, Span

MISSING = "mesh X=4\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]  # a product\ngelu(C[I, K]) -> D[I, K]\n"


def test_the_best_fix_is_made_and_run():
    report = shardlang.fix(MISSING)
    assert report.text == (
        "mesh X=4\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}\nAllReduce_X C[I, K]{U_X} -> C[I, K]  # a product\n"
        "gelu(C[I, K]) -> D[I, K]\n"
    )
    assert (report.ok, report.changed, report.wrong) == (True, True, ())
    (change,) = report.fixed
    assert (change.line, change.code, change.executed) == (2, "SL312", True)
    assert "AllReduce_X C" in change.title
    assert shardlang.verify(report.text).ok
    assert report.to_dict()["fixed"] == [change.to_dict()]


def test_a_second_time_nothing_changes():
    again = shardlang.fix(shardlang.fix(MISSING).text)
    assert not again.changed
    assert again.fixed == ()


@pytest.mark.parametrize("text", ["A[I", "", "A[I]{U_X} · B[J_X]{U_Y} -> "])
def test_what_cannot_be_mended_stays(text):
    report = shardlang.fix(text)
    assert (report.text, report.fixed, report.wrong) == (text, (), ())
    assert report.ok == (text == "")


def test_what_is_no_text_is_told():
    report = shardlang.fix(b"\xff\xfeA")
    assert (report.ok, report.changed, [found.code for found in report.check.diagnostics]) == (False, False, ["SL103"])


def test_a_fix_that_is_wrong_when_run_is_not_made(monkeypatch):
    """With the cheapest way broken in the executor the next one is taken: gathering first needs no reduction."""
    from shardlang.reference import collectives

    def forgotten(grid, blocks, axes, kind):
        return {device: block.copy() for device, block in blocks.items()}, collectives.no_traffic()

    monkeypatch.setattr(collectives, "all_reduce", forgotten)
    report = shardlang.fix(MISSING)
    assert [change.executed for change in report.wrong] == [False]
    assert "AllReduce_X C" in report.wrong[0].title
    assert "AllReduce" not in report.text
    assert "AllGather_X A" in report.text
    assert report.ok


def finding(text, fixed, at=0, code="SL401"):
    span = Span(at, at + len(text))
    return Diagnostic(code, f"{text} is wrong", span, fixes=tuple(Fix("better", (Edit(span, one),)) for one in fixed))


def test_what_a_fix_brings_up_is_mended_too():
    def check(text):
        return (finding(text, [{"a": "b", "b": "c"}[text]]),) if text in "ab" else ()

    mended = mend(SourceText("a"), check, lambda _: True)
    assert mended.text == "c"
    assert [one.fix.edits[0].text for one in mended.made] == ["b", "c"]


def test_fixes_that_chase_each_other_come_to_an_end():
    def check(text):
        return (finding(text, ["b" if text == "a" else "a"]),)

    mended = mend(SourceText("a"), check, lambda _: True)
    assert (mended.text, len(mended.made)) == ("b", 1)


def test_one_fix_after_the_other_comes_to_an_end():
    mended = mend(SourceText("a"), lambda text: (finding(text, [text + "a"]),), lambda _: True)
    assert len(mended.made) == MOST_ROUNDS


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("A[I] · B[K] -> C[L]", "A[L] · B[K] -> C[L]"),
        ("In[B, D] · W[D, F] -> H[B, G]", "In[B, D] · W[D, G] -> H[B, G]"),
        ("A[I_X, J_X] -> B[I_X, J]", "A[I_X, J] -> B[I_X, J]"),
    ],
)
def test_a_guess_is_made_only_where_it_is_asked_for(text, mended):
    """Another dimension or axis is another computation: that the text agrees with itself does not make it what was meant."""
    report = shardlang.fix(text)
    assert (report.text, report.fixed) == (text, ())
    assert not any(fix.safe for found in report.check.diagnostics for fix in found.fixes)
    assert shardlang.fix(text, unsafe=True).text == mended


def test_fixes_of_several_findings_are_made_together_or_apart():
    def check(text):
        found = [finding(letter, ["x"], at) for at, letter in enumerate(text) if letter in "ab"]
        return (*found, *[finding("xx", [], 0)] * 3) if text == "xx" else tuple(found)

    assert mend(SourceText("ab"), check, lambda _: None).text == "xb"  # both together are worse


def test_notes_are_left_alone():
    text = "In[B, D] · W[D, F] · V[F, D] -> Out[B, D]"  # the advice to write `·_D`
    assert [found.severity for found in shardlang.check(text).diagnostics] == ["info"]
    assert shardlang.fix(text).text == text


def test_explain_runs_the_fixes_of_what_is_refused():
    (found,) = shardlang.explain("A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]").diagnostics
    assert len(found.fixes) > 2
    assert {fix.executed for fix in found.fixes} == {True}
    assert all("executed on a simulated mesh: right" in fix.title for fix in found.fixes)
    (found,) = shardlang.check("A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]").diagnostics
    assert {fix.executed for fix in found.fixes} == {None}


def test_explain_leaves_out_a_fix_that_is_wrong_when_run(monkeypatch):
    from shardlang.reference import collectives

    def forgotten(grid, blocks, axes, kind):
        return {device: block.copy() for device, block in blocks.items()}, collectives.no_traffic()

    monkeypatch.setattr(collectives, "all_reduce", forgotten)
    (found,) = shardlang.explain("A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]").diagnostics
    assert found.fixes
    assert all("AllReduce_X C" not in fix.collectives for fix in found.fixes)


def test_check_loads_no_numpy():
    import subprocess
    import sys

    code = "import sys, shardlang; shardlang.check('A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]'); "
    code += "print(sorted({'numpy', 'sympy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    "text",
    [
        "In[B, D] · W[D, F][i] -> C[B, F]",  # without the dimension the contraction over D would be gone
        "A[I, J][0] -> A[I, J]",
        "AllReduce_X C[I, K] -> C[I, K]",  # C comes from nowhere: it may be pending
        "ReduceScatter_{X,I} C[I, K] -> C[I_X, K]",
    ],
)
def test_what_may_mean_something_else_is_not_guessed(text):
    report = shardlang.fix(text)
    assert (report.text, report.fixed) == (text, ())


def test_a_second_reduction_of_what_the_text_reduced_is_left_out():
    before = "C[I, K]{U_X} -> C[I, K]\n"
    report = shardlang.fix(before + "AllReduce_X C[I, K] -> C[I, K]")
    assert report.text.rstrip() == before.rstrip()


def test_what_is_reduced_only_later_does_not_make_a_reduction_a_second_one():
    text = "AllReduce_X C[I, K] -> C[I, K]\nD[I, K]{U_X} -> C[I, K]\n"
    assert [fix.safe for fix in shardlang.check(text).diagnostics[0].fixes] == [False]
