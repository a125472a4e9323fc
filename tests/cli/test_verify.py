"""`shardlang verify`: what it prints, and the exit status."""

import json

import pytest
from click.testing import CliRunner

from shardlang import planning
from shardlang.cli import group
from tests.planted import plan_without_permutes

REDUCE = "A[I, J_X] · B[J_X, K] -> C[I, K]"
SIZES = ["--mesh", "X=2,Y=2", "--set", "I=8,J=4,K=2"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments, **options):
        return CliRunner().invoke(group, ["verify", *map(str, arguments)], prog_name="shardlang", **options)

    return call


def test_exit_status(run, tmp_path):
    assert run("-e", REDUCE).exit_code == 0
    assert run("-e", "A[I_X, J_X]").exit_code == 1
    assert run("-e", REDUCE, "--mesh", "X=0").exit_code == 2
    assert run().exit_code == 2
    assert run("-", input=REDUCE).exit_code == 0
    (tmp_path / "a.shard").write_text(REDUCE, "utf-8")
    (tmp_path / "b.shard").write_text("A[I_X, J_X]", "utf-8")
    assert run("a.shard", "b.shard").exit_code == 1
    assert run("a.shard", "b.shard", "--format", "json").exit_code == 2


def test_bytes_stand_beside_the_formula(run):
    shown = run("-e", REDUCE, *SIZES[:2], "--set", "I=8,J=400,K=2", "--bytes").output
    # An AllReduce of 8·2 elements of two bytes over two devices: 2·32·1/2.
    assert "X=2, Y=2  sends 32 B  receives 32 B  4·I·K·(X - 1)/X = 32 B" in shown
    assert "<expression>: ok:" in shown
    assert "on X=2, Y=2  with I=8, J=400, K=2" in shown
    assert "sends" not in run("-e", REDUCE).output


def test_a_refused_statement_is_listed(run):
    shown = run("-e", "AllReduce_X C[I] -> C[I]", "-e", "A[I_X] -> A[I]")
    assert shown.exit_code == 1
    assert "error[SL304]" in shown.output
    assert "line 1: refused\nline 2: A[I]\n  ok      AllGather_X A[I_X] -> A[I]\n" in shown.output
    assert "failed: 1 error; 1 statement right when run; 1 not run" in shown.output


def test_json(run):
    data = json.loads(run("-e", REDUCE, "--format", "json").output)
    assert data["ok"] is True
    assert [step["ok"] for step in data["statements"][0]["steps"]] == [True, True]
    assert [len(step["runs"]) for step in data["statements"][0]["steps"]] == [0, len(data["cases"])]


def test_the_picture_of_a_mesh(run, monkeypatch):
    monkeypatch.setattr(planning, "plan", plan_without_permutes)
    shown = run("-e", "A[I_{XY}, J] -> A[I_Y, J]  # shardlang: ignore", *SIZES[:2], "--set", "I=8,J=4")
    assert shown.exit_code == 1
    wanted = """\
line 1: A[I_Y, J]
  breaks  AllGather_X A[I_{XY}, J] -> A[I_Y, J]
  differs  with X=2, Y=2: the blocks do not mean the array that [I_Y, J] should be

    A[I_Y, J] on X=2, Y=2
          Y=0                   Y=1
    X=0   differs               differs
          should [0:4, :]       should [4:8, :]
          holds  [0:2 4:6, :]   holds  [2:4 6:8, :]
    X=1   differs               differs
          should [0:4, :]       should [4:8, :]
          holds  [0:2 4:6, :]   holds  [2:4 6:8, :]

<expression>: failed: 0 statements right when run; 1 wrong
  on X=2, Y=2  with I=8, J=4
"""
    assert shown.output == wanted


def test_a_mesh_of_three_axes_is_listed(run, monkeypatch):
    monkeypatch.setattr(planning, "plan", plan_without_permutes)
    shown = run("-e", "A[I_{XYZ}] -> A[I_{YZ}]", "--mesh", "X=2,Y=2,Z=2", "--set", "I=16").output
    assert "X=0, Y=0, Z=1: should hold [4:8], holds [2:4 10:12]" in shown
    assert (
        run("-e", "A[I_{XYZ}] -> A[I_{YZ}]", "--mesh", "X=4,Y=2,Z=2", "--set", "I=32").output.count("should hold") == 8
    )


def test_help_has_examples(run):
    shown = run("--help")
    assert shown.exit_code == 0
    assert "Examples:" in shown.output
