"""`shardlang roofline`, `--roofs`, `--assume`, and that the numbers of one page agree."""

import json
import re

import pytest
from click.testing import CliRunner

from shardlang.cli import group

MATMUL = "X[B, D] · W[D, F] -> Y[B, F]"
GATHERS = "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]"
SIZES = ("--mesh", "X=4,Y=4", "--set", "B=8192,D=8192,F=32768", "--hw", "tpu-v5p")


@pytest.fixture
def run():
    def call(*arguments):
        environment = {"NO_COLOR": "1", "COLUMNS": "110"}
        return CliRunner().invoke(group, [*arguments], prog_name="shardlang", env=environment)

    return call


def rows(text, heading):
    """The rows below a heading, split."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(heading)) + 1
    stop = next((at for at in range(start, len(lines)) if not lines[at].strip()), len(lines))
    return [line.split() for line in lines[start:stop]]


def test_one_row_a_level(run):
    shown = run("roofline", GATHERS, *SIZES)
    assert shown.exit_code == 0
    table = rows(shown.output, "Roofs")
    assert [row[0] for row in table] == ["level", "math", "ici:X", "ici:Y", "hbm"]
    assert table[2][1:8] == ["B/X", "=", "2048", "C/W_ici", "=", "2550", "745.7"]  # 2·D·F/Y bytes over 180 GB/s
    assert [row[0] for row in table if row[-1] == "binds"] == ["ici:X"]


def test_along_a_size(run):
    table = rows(run("roofline", MATMUL, "--for", "B", "--hw", "tpu-v5e", "--assume", "B << D, F").output, "Along B")
    assert [row[:4] for row in table] == [["hbm", "B", "<", "240.2"], ["math", "B", ">", "240.2"]]


def test_wrong_usage(run):
    for arguments in (["--for", "Q"], ["--for", "B/"], ["--roofs", "math,dram"], ["--assume", "B << Q"]):
        shown = run("roofline", MATMUL, *arguments)
        assert shown.exit_code == 2
        assert arguments[0].removeprefix("--") in shown.output
    assert run("roofline", "A[I, J] · B[J, K").exit_code == 1


def test_json_and_several_texts(run, tmp_path):
    data = json.loads(run("roofline", MATMUL, "--for", "B", "--hw", "tpu-v5e", "--format", "json").output)
    assert data["for"] == "B"
    assert [level["roof"] for level in data["total"]["levels"]] == ["math", "hbm"]
    files = []
    for name in "ab":
        (tmp_path / f"{name}.shard").write_text(MATMUL, "utf-8")
        files.append(str(tmp_path / f"{name}.shard"))
    assert run("roofline", *files).output.count("What binds") == 2


def test_a_stream_over_pcie(run):
    options = ("--roofs", "math,pcie", "--set", "W_pcie=1.5e10", "--hw", "tpu-v6e", "--assume", "B << D, F")
    shown = run("crossover", MATMUL, "--for", "B", *options).output
    assert "B > C/W_pcie   ≈ 61333" in shown  # the book's question 3 of chapter tpus
    cost = run("cost", MATMUL, "--roofs", "math,vmem", "--hw", "tpu-v5e").output
    assert "18.04 TB/s" in cost
    assert "22 times W_hbm" in cost
    assert "9 TB/s" in run("cost", MATMUL, "--roofs", "vmem", "--hw", "tpu-v5e", "--set", "W_vmem=9e12").output
    assert "T_vmem" in run("cost", MATMUL, "--roofs", "math,vmem", "--summary").output


def test_assumptions_may_be_repeated(run):
    once = run("cost", MATMUL, "--assume", "B << D, F").output
    twice = run("cost", MATMUL, "--assume", "B << D", "--assume", "B << F").output
    assert once.replace("B << D, F: only", "B << D; B << F: only") == twice


def test_a_page_that_adds_up(run):
    """The bounds are those of the rows above them; other plans and the plan are compared by the same sum."""
    shown = run("cost", GATHERS, *SIZES).output
    seconds = {row[0]: row for row in rows(shown, "Per device")}
    data = json.loads(run("cost", GATHERS, *SIZES, "--format", "json").output)["total"]
    parts = ("t_math", "t_comms_sum", "t_hbm")
    assert data["t_upper"]["value"] == pytest.approx(sum(data[part]["value"] for part in parts))
    assert " ".join(seconds["T_upper"]).startswith("T_upper = T_math + T_comms_sum + T_hbm")
    assert "one collective after another" in shown
    assert "T_comms_sum" not in run("cost", GATHERS, *SIZES, "--comms", "sum").output
    assert "T_comms_sum" not in run("cost", "In[B_X, D] · W[D_X, F] -> T[B_X, F]", *SIZES).output


def test_a_summary_says_why_its_rows_do_not_add_up(run):
    two = ("-e", GATHERS, "-e", "Tmp[B_X, F_Y] · V[F_Y, D_X] -> Out[B_X, D_Y]")
    shown = " ".join(run("cost", *two, *SIZES, "--summary").output.split())
    assert (
        "T_comms_sum adds up the collectives; T_comms is of the whole plan, where those on different links overlap"
        in shown
    )
    assert "T_comms_sum" not in run("cost", *two, *SIZES, "--summary", "--comms", "sum").output


def test_a_rate_that_is_missing_is_shown_where_it_is_missed(run):
    text = run("cost", "-e", "A[I, J] · B[J, K] -> C[I, K]", "-e", "x: f32[P,Q]", "-e", "x[P,Q] · w[Q,R] -> y[P,R]",
               "--hw", "tpu-v5e").output  # fmt: skip
    assert "warning[SL503]" in text
    assert " --> <expression>:3:1" in text


@pytest.mark.parametrize(
    "expressions", [["x[P,Q] · w[Q,R] -> y[P,R]"], ["I[M, J] · B[J, K] -> C[M, K]", "x[P,Q] · w[Q,R] -> y[P,R]"]]
)
def test_the_rate_that_is_missing_is_given_as_the_hint_says(run, expressions):
    """Alone or beside a type that has a rate: `C` would set the rate of the first type of the plan."""
    arguments = [word for text in ["x: f32[P,Q]", *expressions] for word in ("-e", text)]
    said = re.search(r"--set (C\w*)=…", run("cost", *arguments, "--hw", "tpu-v5e").output)
    assert "SL503" not in run("cost", *arguments, "--hw", "tpu-v5e", "--set", f"{said[1]}=1e14").output


def test_ways_with_known_prices_are_the_three_cheapest(run):
    text = "A[I_{XY}, J] · B[J, K_{XY}]"
    known = run("check", "-e", text, "--mesh", "X=4,Y=4", "--set", "I=64,J=64,K=64").output
    assert known.count("= help: ") == 3 + 1
    assert "4 more ways are in --format json" in known
    assert run("check", "-e", text).output.count("= help: ") == 6 + 1
