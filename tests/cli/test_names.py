"""Names of files and keys in what is printed: none moves the cursor, starts a line or is a command to a CI system."""

import os

import pytest
from click.testing import CliRunner

from shardlang.cli import group

WRONG = "mesh X=4\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]\n"
posix = pytest.mark.skipif(os.name != "posix", reason="such names are for POSIX")


def run(*arguments):
    return CliRunner().invoke(group, list(arguments), prog_name="shardlang", env={"NO_COLOR": "1"})


@posix
def test_a_walked_file_that_cannot_be_opened_is_no_expression(tmp_path):
    (tmp_path / "e[x].shard").symlink_to(tmp_path / "nowhere")
    result = run("check", str(tmp_path))
    assert result.exit_code == 2
    assert "Cannot read" in result.output
    assert "e[x].shard: there is no such file" in result.output


@posix
@pytest.mark.parametrize(
    "name", ["::error file=a.py::pwn.shard", "a\n::error file=a.py::pwn.shard", " ::warning::x.shard"]
)
@pytest.mark.parametrize(
    "command", [["check"], ["check", "--diff"], ["check", "--fix"], ["verify"], ["fmt", "--check"], ["fmt", "--diff"]]
)
def test_no_name_starts_a_command(tmp_path, monkeypatch, name, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(f"{WRONG}C[I,K] -> D[I]\n", "utf-8")
    result = run(*command, name)
    assert result.output
    assert not any(line.lstrip().startswith("::") for line in result.output.splitlines())


@posix
def test_wrong_usage_is_printed_safely(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bad = "e\x1b]0;pwn\x07\u202e\n::error::x"
    for arguments in (["check", f"{bad}.shard"], ["check", f"--{bad}"], [bad], ["check", "--format", bad, "a"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert not any(char in result.output for char in "\x1b\x07\u202e")
        assert not any(line.lstrip().startswith("::") for line in result.output.splitlines())
    (tmp_path / "pyproject.toml").write_text('[tool.shardlang.hardware."\\u001b[31m"]\nC = 1\n', "utf-8")
    result = run("check", "-e", "A[I]", "--hw", "x")
    assert result.exit_code == 2
    assert "\x1b" not in result.output


def test_a_diff_in_a_workflow_is_no_command(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(f"::warning file=a.py,line=1::pwn\n```shard\n{WRONG}```\n", "utf-8")
    lines = run("check", "--diff", "--format", "github", str(path)).output.splitlines()
    (start,) = (at for at, line in enumerate(lines) if line.startswith("::stop-commands::"))
    word = lines[start].removeprefix("::stop-commands::")
    end = lines.index(f"::{word}::")
    assert any("pwn" in line for line in lines[start:end])
    assert not any("pwn" in line for line in lines[:start] + lines[end:])
    assert len(word) == 32
