"""`shardlang check --fix` and `--diff`: what is written, what is printed, the exit status."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import validate

import shardlang
from shardlang.cli import group, writing

SCHEMAS = Path(shardlang.__file__).parent / "schema"

WRONG = "mesh X=4\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]\n"
RIGHT = "mesh X=4\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}\nAllReduce_X C[I, K]{U_X} -> C[I, K]\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*arguments, **options):
        return CliRunner().invoke(group, list(arguments), prog_name="shardlang", **options)

    return call


def write(path, text):
    path.write_bytes(text.encode())
    return path


def test_files_are_written_back_and_what_was_done_is_told(run, tmp_path):
    path = write(tmp_path / "plan.shard", WRONG)
    result = run("check", "--fix", "plan.shard")
    assert path.read_text("utf-8") == RIGHT
    assert result.exit_code == 0
    first, last = result.output.splitlines()
    assert first.startswith("plan.shard:2: fixed SL312: write the communication out (AllReduce_X C; ")
    assert first.endswith("; executed on simulated meshes: right")
    assert last.startswith("plan.shard: ok: 2 statements")
    assert run("check", "--fix", "plan.shard").output.startswith("plan.shard: ok")


def test_errors_that_are_left_give_status_1(run, tmp_path):
    path = write(tmp_path / "plan.shard", WRONG + "A[I] · B[K] -> C[\n")
    result = run("check", "--fix", "plan.shard")
    assert result.exit_code == 1
    assert path.read_text("utf-8").startswith(RIGHT)
    assert "error[" in result.output


def test_a_diff_writes_nothing(run, tmp_path):
    path = write(tmp_path / "plan.shard", WRONG)
    for options in (["--diff"], ["--fix", "--diff"]):
        result = run("check", *options, "plan.shard")
        assert path.read_text("utf-8") == WRONG
        assert result.exit_code == 1
        assert "+AllReduce_X C[I, K]{U_X} -> C[I, K]\n" in result.stdout
        assert "would fix SL312" in result.stderr
    write(path, RIGHT)
    assert run("check", "--diff", "plan.shard").exit_code == 0


def test_another_text_is_printed(run):
    result = run("check", "--fix", "-", input=WRONG)
    assert result.stdout == RIGHT
    assert "fixed SL312" in result.stderr
    assert result.exit_code == 0
    result = run("check", "--fix", "-e", "AllReduce_X A[I_X] -> A[I]")
    assert result.stdout == "AllGather_X A[I_X] -> A[I]\n"


def test_line_ends_stay(run, tmp_path):
    path = write(tmp_path / "plan.shard", WRONG.replace("\n", "\r\n"))
    assert run("check", "--fix", "plan.shard").exit_code == 0
    assert path.read_bytes().decode() == RIGHT.replace("\n", "\r\n")


def test_documents_are_mended_in_place(run, tmp_path):
    path = write(tmp_path / "notes.md", "Then $A[I_X, J_X]$ is *sharded*.\n")
    result = run("check", "--fix", "notes.md")
    assert result.exit_code == 1
    assert "1 more with --unsafe-fixes" in result.stdout
    assert run("check", "--unsafe-fixes", "notes.md").exit_code == 0
    assert path.read_text("utf-8") == "Then $A[I_X, J]$ is *sharded*.\n"


def test_json_has_what_was_fixed_and_what_is_left(run, tmp_path):
    write(tmp_path / "plan.shard", WRONG)
    write(tmp_path / "other.shard", WRONG)
    schema = json.loads((SCHEMAS / "check.json").read_text("utf-8"))
    data = json.loads(run("check", "--fix", "plan.shard", "--format", "json").stdout)
    validate(data, schema)
    assert data["ok"]
    assert data["diagnostics"] == []
    assert [(one["code"], one["executed"]) for one in data["fixed"]] == [("SL312", True)]
    assert data["texts"] == [{"text": RIGHT, "file": "plan.shard"}]
    assert data["not_fixed"] == []
    data = json.loads(run("check", "--fix", "plan.shard", "other.shard", "--format", "json").stdout)
    validate(data, schema)
    assert [one["file"] for one in data["fixed"]] == ["other.shard"]


def test_a_file_that_cannot_be_written_is_wrong_usage(run, tmp_path, monkeypatch):
    from shardlang.cli import writing

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    write(tmp_path / "plan.shard", WRONG)
    monkeypatch.setattr(writing, "open", refuse, raising=False)
    result = run("check", "--fix", "plan.shard")
    assert result.exit_code == 2
    assert "Cannot write plan.shard" in result.output


def test_what_would_break_a_document_is_left_to_the_reader(run, tmp_path):
    text = "So $A[I, J_X] \\cdot_{LOCAL} B[J_X, K] \\to C[I, K]$ is wrong.\n"
    path = write(tmp_path / "notes.md", text)
    result = run("check", "--fix", "notes.md")
    assert "notes.md: 1 to be made by hand" in result.stdout
    assert result.exit_code == 1
    assert path.read_text("utf-8") == text


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(run, tmp_path, monkeypatch):
    path = write(tmp_path / "plan.shard", WRONG)

    def full(_file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    result = run("check", "--fix", "plan.shard")
    assert result.exit_code == 2
    assert "No space left on device" in result.output
    assert path.read_text("utf-8") == WRONG
    assert os.listdir(tmp_path) == ["plan.shard"]


def test_a_file_is_never_seen_half_written(run, tmp_path):
    """Whoever has the old file open reads on in it, whole: the new one takes its place at once."""
    path = write(tmp_path / "plan.shard", WRONG)
    with path.open("rb") as before:
        assert run("check", "--fix", "plan.shard").exit_code == 0
        assert before.read().decode() == WRONG
    assert path.read_text("utf-8") == RIGHT
    assert os.listdir(tmp_path) == ["plan.shard"]


def test_mode_and_link_stay(run, tmp_path):
    (tmp_path / "there").mkdir()
    path = write(tmp_path / "there" / "plan.shard", WRONG)
    path.chmod(0o640)
    link = tmp_path / "plan.shard"
    link.symlink_to(path)
    assert run("check", "--fix", "plan.shard").exit_code == 0
    assert link.is_symlink()
    assert path.read_text("utf-8") == RIGHT
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["<stdin>", "<expression>", "<x.shard"])
def test_a_file_may_be_called_as_what_is_no_file(run, tmp_path, name):
    path = write(tmp_path / name, WRONG)
    result = run("check", "--fix", name)
    assert result.output.startswith(f"{name}:2: fixed SL312")
    assert path.read_text("utf-8") == RIGHT
    write(path, "A[ I ]\n")
    assert run("fmt", "-w", name).exit_code == 0
    assert path.read_text("utf-8") == "A[I]\n"


def test_a_byte_order_mark_stays(run, tmp_path):
    path = tmp_path / "plan.shard"
    path.write_bytes(b"\xef\xbb\xbf" + WRONG.encode())
    assert run("check", "--fix", "plan.shard").exit_code == 0
    assert path.read_bytes() == b"\xef\xbb\xbf" + RIGHT.encode()
