"""What is said where statements are refused, or the links of the mesh are not known: no verdict, and no price of the whole."""

import pytest
from click.testing import CliRunner

import shardlang
from shardlang.cli import group
from tests.api.test_reports import matches

REFUSED = "w: bf16[P_X]\nm: f32[P_X]\nv: f32[P_X]\nA[I_X, J] -> A[I, J]"
SIZES = {"P": 70000000001, "I": 1024, "J": 8192}
KEYWORDS = {"mesh": "X=8", "sizes": SIZES, "hardware": "h100"}
SLICED = {"mesh": "X=8,Y=32", "slice": "16x16", "hardware": "tpu-v5e", "sizes": {"I": 1024, "J": 1024}}
GATHER = "A[I_X, J_Y] -> A[I, J_Y]"


def run(*arguments):
    return CliRunner().invoke(group, arguments, prog_name="shardlang", env={"COLUMNS": "120"}).output


def test_arrays_that_are_refused_leave_no_verdict_on_memory():
    report = shardlang.memory(REFUSED, **KEYWORDS)
    data = report.to_dict()
    matches("memory", data)
    assert (data["ok"], data["partial"], data["fits"], data["share"]) == (False, True, None, None)
    assert report.cost.refused == 3
    # a block of A on each of 8 devices, and all of it
    assert data["peak"]["value"] == 2 * 1024 * 8192 * (1 + 1 / 8)
    shown = run("memory", "-e", REFUSED, "--mesh", "X=8", "--set", "P=70000000001,I=1024,J=8192", "--hw", "h100")
    assert "not known: at least 18.87 MB of 80 GB HBM; 3 statements are refused" in shown
    assert "fits" not in shown.split("Against the chip")[1]


def test_what_is_left_may_be_too_much_already():
    report = shardlang.memory("w: bf16[P_X]\nA[I_X, J]", mesh="X=8", sizes={**SIZES, "I": 2**30}, hardware="h100")
    assert report.fits is False
    assert "SL520" in [finding.code for finding in report.diagnostics]


def test_no_size_fits_for_sure_where_arrays_are_refused():
    assert shardlang.memory(REFUSED, "I", **{**KEYWORDS, "sizes": {"P": SIZES["P"], "J": 8192}}).limits == ()


def test_whole_texts_keep_their_verdict():
    report = shardlang.memory(REFUSED, **{**KEYWORDS, "sizes": {**SIZES, "P": 8000000000}})
    assert (report.cost.refused, report.fits) == (0, True)


def test_prices_say_that_statements_are_missing():
    data = shardlang.cost(REFUSED, **KEYWORDS).to_dict()
    assert (data["ok"], data["partial"]) == (False, True)
    options = ["--mesh", "X=8", "--set", "P=70000000001,I=1024,J=8192", "--hw", "h100"]
    for summary in ([], ["--summary"]):
        assert "The plan without the 3 refused statements" in run("cost", "-e", REFUSED, *options, *summary)


@pytest.mark.parametrize(
    ("keywords", "code"),
    [(SLICED, "SL912"), ({**SLICED, "slice": None, "topology": {"X": "ring+scale-out"}}, "SL911")],
)
def test_where_the_links_are_not_known_nothing_has_a_price(keywords, code):
    report = shardlang.cost(GATHER, **keywords)
    assert code in [finding.code for finding in report.diagnostics]
    assert [statement.plan.output for statement in report.statements] == [None]
    data = report.to_dict()
    matches("cost", data)
    assert (data["ok"], data["partial"], data["statements"][0]["steps"]) == (False, True, [])
    assert shardlang.crossover(GATHER, "I", **keywords).crossovers == ()


def test_a_split_is_looked_for_whatever_sizes_the_mesh_has():
    found = shardlang.optimum(GATHER, "X*Y = 256", "X", **SLICED).optimum
    assert {one.sizes[found.variable] for one in found.whole} == {1, 16, 256}


def test_a_layout_is_checked_and_counted_without_its_links():
    assert shardlang.check(GATHER, **SLICED).statements[0].output == "A[I, J_Y]"
    assert shardlang.memory(GATHER, **SLICED).fits is True
    shown = run("cost", "-e", GATHER, "--mesh", "X=8,Y=32", "--slice", "16x16", "--hw", "tpu-v5e")
    assert "refused: see the findings" in shown
    assert "T_comms" not in shown


def test_a_plan_that_was_swapped_comes_with_the_one_as_written():
    report = shardlang.check("A[I, J_X] · B[J, K] -> C[I, K]", mesh="X=4", sizes={"I": 8, "J": 65536, "K": 8})
    (finding,) = report.diagnostics
    assert finding.code == "SL405"
    text = finding.hint.partition("`")[2].rstrip("`")
    assert text == "AllGather_X A[I, J_X] -> A[I, J]; A[I, J] ·_LOCAL B[J, K] -> C[I, K]"
    written = shardlang.check(text, mesh="X=4", sizes={"I": 8, "J": 65536, "K": 8})
    assert written.diagnostics == ()
    assert [step.kind for statement in written.statements for step in statement.steps] == ["AllGather", "Einsum"]
