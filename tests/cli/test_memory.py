"""`shardlang memory` at the command line."""

import json

import pytest
from click.testing import CliRunner

import shardlang
from shardlang.cli import group
from shardlang.cost.conditions import Condition
from shardlang.reports.comparisons import here

ADAM = ("-e", "w: bf16[P_X]", "-e", "m: f32[P_X]", "-e", "v: f32[P_X]")


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*arguments, columns=None):
        result = CliRunner().invoke(
            group, ["memory", *map(str, arguments)], prog_name="shardlang", env={"COLUMNS": columns}
        )
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return call


def test_a_table_with_numbers(run):
    shown = run(*ADAM, "--mesh", "X=16", "--set", "P=70e9", "--hw", "h100")
    assert shown.exit_code == 0
    assert "  elements      3·P      = 210000000000\n" in shown.output
    assert "  fits: 43.75 GB of 80 GB HBM (55 %)\n" in shown.output
    assert "SL520" not in shown.output


def test_what_does_not_fit_is_a_warning_and_no_error(run):
    shown = run(*ADAM, "--mesh", "X=8", "--set", "P=70e9", "--hw", "h100", "--for", "X")
    assert shown.exit_code == 0
    assert "warning[SL520]" in shown.output
    assert "  does not fit: 87.5 GB of 80 GB HBM (1.094 times)\n" in shown.output
    assert "     X ≥ 10·P/M_hbm   = 8.75   exact; at least 9; 10 divides\n" in shown.output


def test_what_fits_from_the_start_and_not_at_the_peak(run):
    shown = run("-e", "A[B, D] · W[D, F] -> C[B, F]", "--set", "B=1000,D=10,F=1000,M_hbm=1e6").output
    assert "  does not fit: 2.04 MB of 1 MB HBM (2.04 times)\n  what is resident fits: 40 kB\n" in shown
    assert "  reached at line 1, step 1: A[B, D] ·_LOCAL W[D, F] -> C[B, F]\n" in shown


def test_open_sizes_are_formulas(run):
    shown = run(*ADAM).output
    assert "  fits when   10·P/X ≤ M_hbm\n" in shown
    assert "  per device    10·P/X\n" in shown


def test_a_narrow_terminal_lists_the_arrays_one_by_one(run):
    wide, narrow = (run("-e", "KV: int8[2, L, B, T_X, K, H]", columns=columns).output for columns in ("200", "60"))
    assert wide.startswith("Arrays\n  line   array")
    assert narrow.startswith("Line 1, declared: KV[2, L, B, T_X, K, H] in int8\n  shard shape")
    assert max(map(len, narrow.splitlines())) <= 60


def test_a_share_that_is_next_to_nothing(run):
    assert "  fits: 40 B of 80 GB HBM (less than 0.1 %)\n" in run("-e", "A[B]", "--set", "B=20", "--hw", "h100").output


def test_no_array_prints_nothing(run):
    assert run("-e", "mesh X=4").output == ""


def test_wrong_usage(run):
    for variable, message in (("Q", "the plan has no symbol `Q`"), ("B+D", "--for: ")):
        shown = run("-e", "A[B, D]", "--for", variable)
        assert shown.exit_code == 2
        assert message in shown.output
    assert run("-e", "A[B]", "--model", "book").exit_code == 2
    assert run().exit_code == 2


def test_errors_are_status_one_and_json_is_one_object(run):
    shown = run("-e", "A[I_X, J_X]", "-e", "W[D]", "--format", "json")
    assert shown.exit_code == 1
    assert [array["array"] for array in json.loads(shown.output)["arrays"]] == ["W[D]"]


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("B", "It fits when\n     B ≤ M_hbm/(2·D)   = 0.5   exact; not even 1\n"),
        ("Y", "It does not change with Y\n"),
        ("B/D", "exact\n"),
    ],
)
def test_limits_in_words(run, variable, words):
    assert words in run("-e", "A[B, D]", "--mesh", "Y", "--set", "D=16,M_hbm=16", "--for", variable).output


def test_a_size_for_which_nothing_fits(run):
    shown = run("-e", "A[B, D]", "-e", "W[D, F]", "--set", "D=16,F=16,M_hbm=16", "--for", "B").output
    assert "It does not fit for any B\n" in shown


def test_what_fills_the_memory_fits(run):
    """16 bf16 numbers are 32 bytes, and so is the memory: at most, not less."""
    assert "fits: 32 B of 32 B HBM (100 %)" in run("-e", "W[D]", "--set", "D=16,M_hbm=32").output
    assert "fits when   2·B·D ≤ M_hbm" in run("-e", "A[B, D]", "--set", "D=16,M_hbm=32").output
    limit = run("-e", "A[B, D]", "--set", "D=16,M_hbm=32", "--for", "B").output
    assert "B ≤ M_hbm/(2·D)   = 1   exact; at most 1" in limit


@pytest.mark.parametrize(("closed", "verdict"), [(True, "holds"), (False, "does not hold")])
def test_a_condition_holds_at_its_end_where_the_end_counts(closed, verdict):
    estimate = shardlang.memory("W[D]", sizes={"D": 16, "M_hbm": 32}).cost.estimate
    condition = Condition(2 * estimate.pricer.names.dim("D"), "<", estimate.pricer.capacity)
    (row,) = here(estimate, [condition], closed=closed)
    assert row[-1] == (verdict,)
