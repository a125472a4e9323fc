"""`shardlang optimum`: its text, its JSON, and what cannot be asked."""

import json

import pytest
from click.testing import CliRunner

import shardlang
from shardlang.cli import group
from tests.api.test_reports import matches

MIXED = "In[B_X,D_Y] ·_D W_in[D_X,F_Y] ·_F W_out[F_Y,D_X] -> Out[B_X,D_Y]"
STATED = ["--topology", "X=ring:2,Y=ring", "--set", "B=48000,F=32768,D=8192"]
OTHER = "In[B,D_{XY}] ·_D W_in[D,F_{XY}] ·_F W_out[F_{XY},D] -> Out[B,D_{XY}]"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        return CliRunner().invoke(group, ["optimum", *arguments], prog_name="shardlang", env={"COLUMNS": "120"})

    return call


def test_the_formula_and_the_bound(run):
    shown = run("X*Y = N", "-e", MIXED, "--for", "X", "--topology", "X=ring:M_X,Y=ring:M_Y", "--crossover", "B/N")
    assert shown.exit_code == 0
    lines = [line.split() for line in shown.output.splitlines()]
    assert ["T_comms", "is", "least", "for", "X·Y", "=", "N", "at"] in lines
    assert ["X", "=", "sqrt(B·N·M_X/(F·M_Y))"] in lines
    assert ["T_comms", "=", "4·D·sqrt(B·F/(N·M_X·M_Y))/W_ici"] in lines
    assert ["T_math", "is", "longer", "than", "T_comms", "at", "the", "best", "split", "when"] in lines
    assert ["B/N", ">", "C^2/(F·W_ici^2·M_X·M_Y)", "exact"] in lines
    assert ["N", "devices", "of", "X·Y"] in lines


def test_the_whole_splits_with_how_much_slower_they_are(run):
    shown = run("X*Y = N", "-e", MIXED, "--for", "X", *STATED, "--set", "N=64", "--hw", "tpu-v5p").output
    assert "SL225" not in shown
    rows = shown.split("Whole splits of 64 devices, the best first\n")[1].splitlines()
    # The gathers of weights, 4DFX/(2·64·W), at X = 16 against 13.69: 16.8 % more.
    assert rows[0].split()[:6] == ["X", "=", "16,", "Y", "=", "4"]
    assert "16.8 % slower" in rows[0]
    assert "= 13.69" in shown


def test_a_split_that_does_not_divide_says_so_and_the_best_that_does_stands_below(run):
    options = ["--topology", "X=ring:2,Y=ring", "--set", "B=3000000,F=13824,D=5120", "--hw", "tpu-v5p"]
    rows = run("X*Y = 4096", "-e", MIXED, "--for", "X", *options).output.split("the best first\n")[1].splitlines()
    assert rows[0].split()[:6] == ["X", "=", "1024,", "Y", "=", "4"]
    assert "B not divisible: needs padding" in rows[0]
    assert rows[5].split()[:6] == ["X", "=", "64,", "Y", "=", "64"]
    assert "padding" not in rows[5]
    padded = run("X*Y = 4096", "-e", MIXED, "--for", "X", *options, "--uneven").output
    assert "padding" not in padded


@pytest.mark.parametrize(
    "arguments",
    [
        ["X*Y = N", "-e", MIXED],
        ["X*Y = 64", "-e", MIXED, *STATED, "--hw", "tpu-v5p", "--crossover", "B"],
        ["X*Y = 64", "-e", MIXED, *STATED, "--hw", "tpu-v5p", "--of", "t_lower"],
        ["X*Y = 64", "-e", MIXED, *STATED, "--latency"],
        ["X*Y = N", "-e", MIXED, "--model", "exact", "--assume", "1 << X, Y", "--crossover", "B/N"],
        ["X*Y = N", "-e", MIXED, "--comms", "sum", "--crossover", "N", "--against", OTHER],
        ["X*Y = N", "-e", "AllGather_{XY}(W[D_{XY},F]) -> W[D,F]"],
        ["X*Y = N", "-e", "A[I_X, J_X] · B[J_Y, K] -> C[I_X, K]"],
    ],
)
def test_json_matches_its_schema(run, arguments):
    shown = run(*arguments, "--for", "X", "--format", "json")
    data = json.loads(shown.output)
    matches("optimum", data)
    assert (shown.exit_code == 0) == data["ok"]


def test_leading_terms_are_marked(run):
    arguments = ["X*Y = N", "-e", MIXED, "--model", "exact", "--assume", "1 << X, Y", "--for", "X"]
    assert "X         ≈ sqrt(B·N/F)" in run(*arguments).output
    data = json.loads(run(*arguments, "--format", "json").output)
    assert (data["assume"], data["optimum"]["shortened"]) == (["1 << X, Y"], True)


def test_json_has_the_place_the_time_there_and_the_whole_splits(run):
    data = json.loads(run("X*Y = N", "-e", MIXED, *STATED, "--set", "N=64", "--for", "X", "--format", "json").output)
    assert data["split"] == {"axes": ["X", "Y"], "devices": {"formula": "N", "value": 64}}
    place = data["optimum"]
    assert (place["kind"], place["exact"], place["clipped"]) == ("crossing", True, False)
    assert place["value"] == pytest.approx(13.693063937629153)
    assert place["rest"]["of"] == "Y"
    assert place["rest"]["value"] == pytest.approx(64 / 13.693063937629153)
    assert data["splits"][0]["sizes"] == {"X": 16, "Y": 4}
    assert data["splits"][0]["slower"] == pytest.approx(0.16847, abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["X*Q = N", "-e", MIXED, "--for", "X"], "no symbol `Q`"),
        (["X*Y = N", "-e", MIXED, "--for", "B"], "`B` is no axis of the split"),
        (["X*Y = N", "-e", MIXED, "--for", "X", "--of", "flops"], "--of: cannot be 'flops' here. It is one of t_comms"),
        (["X*Y = N", "-e", MIXED, "--for", "X", "--against", OTHER], "against: give the name or the ratio"),
        (["X*Y = N", "-e", MIXED, "--for", "X", "--crossover", "B/Q"], "no symbol `Q`"),
        (["", "-e", MIXED, "--for", "X"], "split: expected a text"),
        (["X*Y = N", "-e", MIXED], "Missing option '--for'"),
    ],
)
def test_wrong_usage(run, arguments, words):
    shown = run(*arguments)
    assert shown.exit_code == 2
    assert words in shown.output


def test_a_text_with_errors_has_no_split_and_says_why(run):
    shown = run("X*Y = N", "-e", "A[I_X, J_X] · B[J_Y, K] -> C[I_X, K]", "--for", "X")
    assert shown.exit_code == 1
    assert "error[SL" in shown.output
    assert "There is no split to find while the text has errors" in shown.output


def test_from_python():
    report = shardlang.optimum(MIXED, "X*Y = N", "X", bound="upper", roofs="math,ici", comms="sum")
    assert report.ok
    assert report.optimum.of == "t_upper"
    assert report.optimum.place.formula is not None
    with pytest.raises(shardlang.OptionError, match="variable: expected a text"):
        shardlang.optimum(MIXED, "X*Y = N", None)
