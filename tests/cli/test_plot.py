"""`shardlang plot` on the command line: where a picture goes, in which form, and what is wrong usage."""

from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

import shardlang
from shardlang.cli import group
from tests.pictures.drawn import Drawn

GATHERS = "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]"
KNOWN = ["--hw", "tpu-v5p", "--mesh", "X=16,Y=4", "--set", "D=8192,F=32768"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        return CliRunner().invoke(
            group, ["plot", *arguments], prog_name="shardlang", env={"COLUMNS": None, "NO_COLOR": "1"}
        )

    return call


def test_svg_goes_to_standard_output(run):
    shown = run("mesh", "-e", "A[I_X, J_Y]", "--mesh", "X=4,Y=2")
    assert shown.exit_code == 0
    assert shown.stdout == shardlang.plot("A[I_X, J_Y]", mesh="X=4,Y=2").svg
    assert len(Drawn(shown.stdout).all("device")) == 8


def test_a_file_gets_the_form_of_its_ending(run, tmp_path):
    for name, start in (("a.svg", "<svg "), ("a.txt", "Times against B/X")):
        shown = run("sweep", "-e", GATHERS, "--for", "B/X", *KNOWN, "-o", name)
        assert (shown.exit_code, shown.output) == (0, "")
        assert (tmp_path / name).read_text("utf-8").startswith(start)
    shown = run("sweep", "-e", GATHERS, "--for", "B/X", *KNOWN, "-o", "picture", "--format", "svg")
    assert shown.exit_code == 0
    ElementTree.parse(tmp_path / "picture")


def test_range_array_and_split_reach_the_picture(run):
    assert "1000" in run("sweep", "-e", GATHERS, "--for", "B", "--range", "100:1000", *KNOWN, "--format", "text").output
    shown = run("mesh", "-e", GATHERS, "--array", "W", "--mesh", "X=2,Y=2")
    assert Drawn(shown.stdout).texts("array") == ["W[D_X, F_Y]"]
    shown = run("split", "-e", GATHERS, "--split", "X*Y=16", "--set", "B=65536", *KNOWN)
    assert "2×8" in Drawn(shown.stdout).texts("tick-x")


def test_findings_stand_beside_a_picture_not_in_it(run):
    shown = run("mesh", "-e", "A[I_X, J_X]", "-e", "B[I_X, J]", "--mesh", "X=2")
    assert shown.exit_code == 1
    assert "error[SL201]" in shown.stderr
    assert Drawn(shown.stdout).texts("array") == ["B[I_X, J]"]


def test_no_picture_is_status_one_and_writes_nothing(run, tmp_path):
    shown = run("sweep", "-e", GATHERS, "--for", "B", "-o", "a.svg")
    assert shown.exit_code == 1
    assert "error[SL510]" in shown.output
    assert "--set D=…,F=…,X=…,Y=… --hw tpu-v5p" in shown.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["meshes", "-e", "A[I_X]"], "'meshes' is not one of"),
        (["sweep", "-e", GATHERS], "variable (--for): a sweep needs"),
        (["sweep", "-e", GATHERS, "--for", "Q"], "--for: the plan has no symbol `Q`"),
        (["sweep", "-e", GATHERS, "--for", "B+"], "--for: `+` has no place"),
        (["split", "-e", GATHERS, "--split", "X*Q=4"], "--split: the plan has no symbol `Q`"),
        (["split", "-e", GATHERS, "--split", "X"], "--split: expected mesh axes and the devices"),
        (["mesh", "-e", "A[I_X]", "--for", "B"], "variable (--for) is for the picture 'sweep'"),
        (["mesh", "-e", "A[I_X]", "-o", "a.bmp"], "the ending of 'a.bmp' says no form"),
        (["mesh", "-e", "A[I_X]", "-o", "no/such/a.svg"], "Cannot write no/such/a.svg: No such file or directory."),
        (["mesh", "-e", "A[I_X]", "-o", "a\0.svg"], "Cannot write"),
        (["mesh"], "Give a FILE"),
        (["mesh", "a.shard", "b.shard"], "Cannot read a.shard"),
    ],
)
def test_wrong_usage(run, arguments, words):
    shown = run(*arguments)
    assert shown.exit_code == 2
    assert words in " ".join(shown.output.split())
    assert "Traceback" not in shown.output


def test_png_without_matplotlib_says_what_to_install(run, monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.backends.backend_agg", None)
    shown = run("mesh", "-e", "A[I_X]", "-o", "a.png")
    assert shown.exit_code == 2
    assert "pip install matplotlib" in shown.output
    assert list(tmp_path.iterdir()) == []
