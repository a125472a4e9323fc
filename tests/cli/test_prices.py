"""`cost`, `explain` and `crossover` on the command line: totals that lack something, summaries, widths, wrong `--for`."""

import json

import pytest
from click.testing import CliRunner

from shardlang.cli import group

GATHERS = "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]"
GOOD = "A[I, J_X] · B[J_X, K] -> C[I, K]"
REFUSED = "A[I_X, J_X] · B[J, K] -> D[I, K]"
UNREAD = "A[I_X, J · B[J, K] -> D[I, K]"
LAYER = [f"A{i}[B_X, D] · W{i}[D_X, F] -> H{i}[B_X, F]" for i in range(17)]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, columns=None):
        environment = {"COLUMNS": columns, "NO_COLOR": None}
        return CliRunner().invoke(group, list(arguments), prog_name="shardlang", env=environment)

    return call


def lines_of(*statements):
    return [word for statement in statements for word in ("-e", statement)]


def test_a_crossover_says_that_what_it_requires_does_not_hold(run):
    options = ["--for", "Y", "--hw", "tpu-v5p", "--roofs", "math,ici"]
    for rows, verdict, value in ((32768, "does not hold", 2048), (131072, "holds", 8192)):
        shown = run("crossover", GATHERS, *options, "--set", f"B={rows},D=8192,F=32768,X=16")
        rows_shown = [line.split() for line in shown.output.splitlines()]
        assert ["here", "B/X", "=", str(value), *verdict.split()] in rows_shown
    data = json.loads(run("crossover", GATHERS, *options, "--set", "B=32768,X=16", "--format", "json").output)
    (found,) = data["crossovers"]
    assert (found["requires"], found["requires_hold"]) == (["B/X > C/W_ici"], [False])


def test_requirements_print_as_formulas_do(run):
    shown = run("crossover", GATHERS, "--for", "X", "--latency").output
    assert "max(" in shown
    assert "ceil(" in shown
    assert "Max" not in shown
    assert "ceiling" not in shown


@pytest.mark.parametrize("text", ["B/(", "B+X", "", "2*B", "B/B"])
def test_what_is_no_ratio_is_wrong_usage(run, text):
    shown = run("crossover", GATHERS, "--for", text)
    assert shown.exit_code == 2
    assert "Error: --for: " in shown.output


@pytest.mark.parametrize("text", [REFUSED, UNREAD])
def test_a_crossover_of_a_plan_with_errors_shows_them(run, text):
    shown = run("crossover", text, "--for", "Y")
    assert shown.exit_code == 1
    assert "error[SL" in shown.output
    assert "has no symbol" not in shown.output
    data = json.loads(_json(run("crossover", text, "--for", "Y", "--format", "json").output))
    assert (data["ok"], data["partial"], data["crossovers"]) == (False, True, [])


def _json(output):
    return output[output.index("{\n") : output.rindex("}") + 1]


@pytest.mark.parametrize("bad", [REFUSED, UNREAD])
@pytest.mark.parametrize("command", [["cost"], ["cost", "--summary"], ["explain"], ["crossover", "--for", "I"]])
def test_totals_say_what_they_leave_out(run, command, bad):
    shown = run(*command, *lines_of(GOOD, bad))
    assert shown.exit_code == 1
    assert "The plan without the 1 refused statement" in shown.output
    assert "The whole plan" not in shown.output
    data = json.loads(
        _json(run(*[word for word in command if word != "--summary"], *lines_of(GOOD, bad), "--format", "json").output)
    )
    assert (data["ok"], data["partial"]) == (False, True)
    clean = json.loads(run(*[word for word in command if word != "--summary"], GOOD, "--format", "json").output)
    assert (clean["ok"], clean["partial"]) == (True, False)


def test_two_refused_statements(run):
    assert "The plan without the 2 refused statements" in run("cost", *lines_of(GOOD, REFUSED, REFUSED)).output


def test_latency_of_a_node(run):
    text = "A[I, J_X] · B[J_X, K] -> C[I, K]"
    shown = run("cost", text, "--hw", "h100", "--latency").output
    assert "2·T_min·log2(X)" in shown
    assert "ln(" not in shown
    assert "no figure of H100 is known, so it stays a symbol" in " ".join(shown.split())
    shown = run("cost", text, "--hw", "tpu-v5p", "--latency").output
    assert "T_min   1 µs" in shown
    assert "stays a symbol" not in shown
    assert r"\log_2\left(X\right)" in run("explain", text, "--hw", "h100", "--latency", "--format", "latex").output
    data = json.loads(run("cost", text, "--hw", "h100", "--latency", "--format", "json").output)
    assert "log(X)/log(2)" in data["total"]["t_comms"]["formula"]


def test_a_summary_has_a_row_a_statement(run):
    sizes = ["--set", "B=32768,D=8192,F=32768", "--mesh", "X=16", "--hw", "tpu-v5p"]
    shown = run("cost", *lines_of(*LAYER), "--summary", *sizes)
    assert shown.exit_code == 0
    lines = shown.output.splitlines()
    assert lines[0].split() == ["line", "makes", "FLOPs", "T_math", "T_comms", "T_hbm", "memory"]
    table = lines[: lines.index("")]
    assert len(table) == 1 + 17 + 1
    # 2·B·D·F/X FLOPs at 459 TFLOP/s, 2·D·F bytes over 180 GB/s
    assert table[1].split()[:8] == ["1", "H0[B_X,", "F]", "1.1", "TFLOP", "2.395", "ms", "2.983"]
    assert table[-1].split()[:5] == ["The", "whole", "plan", "18.69", "TFLOP"]
    assert {line.index("ms") for line in table[1:10]} == {table[1].index("ms")}
    assert "ring (" in shown.output
    assert run("cost", GOOD, "--summary", "--format", "json").exit_code == 2


@pytest.mark.parametrize("text", [REFUSED, UNREAD, "# nothing"])
def test_a_summary_of_nothing_is_empty(run, text):
    assert "FLOPs" not in run("cost", "-e", text, "--summary").output


def test_a_summary_with_open_sizes_has_the_formulas_that_fit(run):
    shown = run("cost", *lines_of(*LAYER[:2]), "--summary").output
    assert "2·B·D·F/X" in shown
    assert "…" in shown
    assert "which is printed without --summary" in shown
    assert all(len(line) <= 100 for line in shown.splitlines())


@pytest.mark.parametrize("columns", ["60", "80", "140"])
def test_columns_decide_where_lines_break(run, columns):
    text = lines_of(*LAYER[:3])
    shown = run("explain", *text, columns=columns).output.splitlines()
    assert max(map(len, shown)) <= int(columns)
    assert run("explain", *text, columns="no").output == run("explain", *text).output


def test_the_memory_of_a_plan_names_its_largest_line_where_sizes_are_known(run):
    text = lines_of(GOOD, "C[I, K] · E[K, L] -> F[I, L]")
    known = run("cost", *text, "--mesh", "X=4", "--set", "I=64,J=64,K=64,L=4096").output
    (row,) = [line for line in known.splitlines() if "memory    =" in line]
    assert "the largest, at line 2" in row
    assert "max(" not in row
    assert "at line" not in run("cost", *text).output
    many = [f"A{i}[I, J] · B{i}[J, {chr(75 + i)}] -> C{i}[I, {chr(75 + i)}]" for i in range(6)]
    folded = run("cost", *lines_of(*many)).output
    assert "the largest of 6 sums; sizes decide which, and JSON has them all" in folded


MIXED = "In[B_X,D_Y] ·_D W_in[D_X,F_Y] ·_F W_out[F_Y,D_X] -> Out[B_X,D_Y]"


def test_an_axis_over_an_open_number_of_physical_axes(run):
    """COST_MODEL section 11, FSDP + tensor parallelism: 4DF/(Y M_X W) and 4BD/(X M_Y W)."""
    shown = run("cost", MIXED, "--topology", "X=ring:M_X,Y=ring:M_Y", "--format", "json").output
    assert json.loads(shown)["total"]["t_comms"]["formula"] == "Max(4*B*D/(M_Y*W_ici*X), 4*D*F/(M_X*W_ici*Y))"
    sizes = ["--set", "M_X=2,M_Y=1,B=32768,D=8192,F=32768,X=16,Y=4", "--hw", "tpu-v5p"]
    in_text = f"mesh X=16 ring:M_X, Y=4 ring:M_Y\n{MIXED}"
    for options in ([MIXED, "--topology", "X=ring:M_X,Y=ring:M_Y"], ["-e", in_text]):
        found = json.loads(run("cost", *options, *sizes, "--format", "json").output)["total"]["t_comms"]
        assert found["value"] == pytest.approx(4 * 8192 * 32768 / (4 * 2 * 1.8e11))


def test_a_summary_of_collectives_on_different_links_has_both_sums():
    text = "AllGather_X A[I_X, J] -> A[I, J]; AllGather_Y B[I_Y, J] -> B[I, J]"
    given = ["--mesh", "X=16,Y=16", "--set", "I=9e4,J=1e4", "--hw", "tpu-v5e", "--summary"]
    out = CliRunner().invoke(group, ["cost", "-e", text, *given]).output
    assert "T_comms_sum   T_comms" in out
    whole = next(line for line in out.splitlines() if "whole plan" in line)
    assert "40 ms" in whole  # 2·9e4·1e4 bytes over 9e10, twice one after another
    assert "20 ms" in whole  # at once
