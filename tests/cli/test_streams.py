"""Streams that are closed or full, and a working directory that is gone: one line, no traceback."""

import os
import subprocess
import sys

import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="the shell of POSIX closes the streams")


def shell(line, folder):
    """Run a line of the shell, in which `shardlang` is the command line."""
    program = f"shardlang() {{ '{sys.executable}' -m shardlang \"$@\"; }}; {line}"
    return subprocess.run(["sh", "-c", program], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plan.shard").write_text("A[I_X] -> A[I]\n", "utf-8")
    return tmp_path


@posix
@pytest.mark.parametrize("command", ["check", "check --steps", "explain", "fmt"])
def test_a_closed_standard_output(folder, command):
    shown = shell(f"shardlang {command} plan.shard >&-", folder)
    assert shown.returncode == 2
    assert shown.stderr == "Error: cannot write to standard output: it is closed\n"


@posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("command", ["check", "check --steps", "explain", "fmt"])
def test_a_full_disk(folder, command):
    shown = shell(f"shardlang {command} plan.shard > /dev/full", folder)
    assert shown.returncode == 2
    assert shown.stderr.startswith("Error: cannot write to standard output: ")
    assert shown.stderr.count("\n") == 1


@posix
def test_closed_standard_input_and_error(folder):
    shown = shell("shardlang check - <&-", folder)
    assert shown.returncode == 2
    assert shown.stderr.endswith("Error: Cannot read standard input: it is closed.\n")
    shown = shell("shardlang check nothing.shard 2>&-", folder)
    assert (shown.returncode, shown.stdout, shown.stderr) == (2, "", "")


@posix
def test_a_working_directory_that_is_gone(folder):
    shown = shell("mkdir gone; cd gone; rmdir ../gone; shardlang check -e 'A[I_X] -> A[I]'", folder)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "AllGather_X A[I_X] -> A[I]" in shown.stdout
