"""`crossover --against`: two plans from files and expressions, and what cannot be compared."""

import json

import pytest
from click.testing import CliRunner

import shardlang
from shardlang.cli import group

REDUCE = "A[B,D_X] ·_LOCAL W[D_X,F] -> C[B,F]{U_X}\nAllReduce_X(C[B,F]{U_X}) -> C[B,F]\n"
GATHER = "A[B,D] ·_D W[D_X,F] -> C[B,F]"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reduce.shard").write_text(REDUCE, "utf-8")
    (tmp_path / "gather.shard").write_text("AllGather_X W[D_X,F] -> W[D,F]\nA[B,D] ·_D W[D,F] -> C[B,F]\n", "utf-8")

    def call(*arguments):
        return CliRunner().invoke(group, ["crossover", *arguments], prog_name="shardlang")

    return call


def test_from_which_size_on_the_plan_is_the_cheaper_one(run):
    options = ["--for", "D", "--of", "t_comms", "--against"]
    for other in (["gather.shard"], ["AllGather_X W[D_X,F] -> W[D,F]", "--against", "A[B,D] · W[D,F] -> C[B,F]"]):
        shown = run("reduce.shard", *options, *other)
        assert shown.exit_code == 0
        heading, formula = shown.output.splitlines()[:2]
        assert heading == f"The plan has less T_comms than {other[0] if len(other) == 1 else 'the other plan'} when"
        assert formula.split() == ["D", ">", "2·B", "exact"]
    data = json.loads(run("reduce.shard", *options, "gather.shard", "--format", "json").output)
    (found,) = data["crossovers"]
    assert (found["between"], found["relation"], found["formula"]) == (["against", "plan"], ">", "2*B")
    assert data["of"] == "t_comms"


def test_the_bound_of_the_time_is_what_counts_by_default(run):
    options = ["reduce.shard", "--for", "D", "--against", "gather.shard", "--roofs", "math,ici", "--format", "json"]
    for more, of in (([], "t_lower"), (["--bound", "upper"], "t_upper"), (["--of", "memory"], "memory")):
        data = json.loads(run(*options, *more).output)
        assert data["of"] == of
        assert data["crossovers"] or data["uncrossed"]


def test_flops_of_attention_and_of_the_projections():
    """Book, transformers, question 5: attention costs what the QKVO projections do at T = 2D."""
    attention = "let S = T\nQ[B,T,N,H] · K[B,S,N,H] -> P[B,T,S,N]\nP[B,T,S,N] ·_S V[B,S,N,H] -> O[B,T,N,H]"
    inputs = "\n".join(f"X[B,T,D] · W{name}[D,N,H] -> {name}[B,T,N,H]" for name in "QKV")
    report = shardlang.crossover(inputs + "\nO[B,T,N,H] · WO[N,H,D] -> Z[B,T,D]", "T", against=attention, of="flops")
    ((found),) = report.crossovers
    assert (found.relation, str(found.threshold)) == (">", "2*D")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--of", "t_comms"], "of: it says what two plans are compared by; give the other one"),
        (["--bound", "lower"], "bound: it says what two plans are compared by"),
        (["--against", "gather.shard", "--of", "t_coms"], "--of: cannot be 't_coms'. Did you mean t_comms?"),
        (["--against", "gather.shard", "--of", "flops", "--bound", "upper"], "of and bound contradict each other"),
        (["--against", "nowhere.shard"], "Cannot read nowhere.shard"),
    ],
)
def test_wrong_usage(run, arguments, words):
    shown = run("reduce.shard", "--for", "D", *arguments)
    assert shown.exit_code == 2
    assert words in shown.output


def test_what_is_no_text_is_an_option_error():
    with pytest.raises(shardlang.OptionError, match="against: expected the text of another plan, not int"):
        shardlang.crossover(GATHER, "D", against=3)


def test_a_size_that_only_the_other_plan_has_is_used(run):
    shown = run("reduce.shard", "--for", "D", "--against", "Q[B,E] · R[E,F] -> S[B,F]", "--of", "flops", "--set", "E=8")
    assert "SL225" not in shown.output
    shown = run("reduce.shard", "--for", "D", "--against", "gather.shard", "--set", "E=8")
    assert shown.output.count("SL225") == 2


def test_plans_that_cannot_be_compared_say_why(run, tmp_path):
    (tmp_path / "sized.shard").write_text("let B = 4\n" + GATHER, "utf-8")
    (tmp_path / "other.shard").write_text("let B = 8\n" + GATHER, "utf-8")
    shown = run("sized.shard", "--for", "D", "--against", "other.shard")
    assert shown.exit_code == 1
    assert "error[SL221]: `B` is 4 here and 8 in other.shard" in shown.output
    assert "The two plans are not compared" in shown.output
    data = json.loads(run("sized.shard", "--for", "D", "--against", "other.shard", "--format", "json").output)
    (finding,) = data["diagnostics"]
    assert (finding["code"], finding["line"], finding["column"]) == ("SL221", 1, 5)
    wrong = run("reduce.shard", "--for", "D", "--against", "A[B_X, D_X] · W[D, F] -> C[B, F]", "--format", "json")
    assert wrong.exit_code == 1
    data = json.loads(wrong.output)
    assert (data["ok"], data["partial"], data["crossovers"]) == (False, True, [])
    assert {entry.get("file") for entry in data["diagnostics"]} == {"<against>"}
