"""Nonsense ends in findings, in bounded time and memory, never in a traceback."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.oracles.nonsense import FAMILIES, MEMORY_BYTES

_ROOT = Path(__file__).parents[2]


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _run(arguments: list[str], data: bytes = b"", seconds: float = 60) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, input=data, capture_output=True, cwd=_ROOT, timeout=seconds, preexec_fn=_limit_memory, check=False
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_through_python(family: str) -> None:
    done = _run(["tests.oracles.nonsense", family], seconds=300)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()


_ON_THE_COMMAND_LINE = {
    "brackets": b"[" * 10_000,
    "calls": b"A[I] = " + b"(" * 10_000 + b"B[I]" + b")" * 10_000,
    "power": b"let B = 9**9**9\n",
    "long line": b"A[I_X, J] \xc2\xb7 " * 400_000,
    "long name": b"A" * 5_000_000,
    "nul": b"A[I]\x00 -> B[I]\n\x00\x00",
    "right to left": "\u202eA[I_X]\u202c -> B[א_ב]".encode(),
    "not utf-8": b"A[I_X] \xff\xfe\x80 -> A[I]",
    "utf-16": "A[I_X] -> A[I]".encode("utf-16"),
    "twice": b"mesh X=2\nmesh X=4\nlet B=1\nlet B=2\nhardware a\nhardware b\n",
    "empty": b"",
}


@pytest.mark.parametrize("name", _ON_THE_COMMAND_LINE)
@pytest.mark.parametrize("output", ["text", "json"])
def test_on_the_command_line(name: str, output: str) -> None:
    done = _run(["shardlang", "check", "-", "--format", output], data=_ON_THE_COMMAND_LINE[name])
    assert done.returncode in (0, 1), done.stderr.decode()[-2000:]
    assert b"Traceback" not in done.stdout + done.stderr
    assert len(done.stdout) < 2_000_000
