"""What `shardlang check` imports. How long it takes is measured by tests/bench/startup.py."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "sympy",
    "numpy",
    "rich",
    "lark",
    "mpmath",
    "dataclasses",
    "inspect",
    "asyncio",
    "logging",
    "fractions",
    "decimal",
    "tomllib",
}
_PROGRAM = """
import sys
from shardlang.cli import main
sys.argv = ["shardlang", *{arguments!r}]
try:
    main()
except SystemExit as end:
    assert end.code in (None, 0), end.code
print("\\n".join(sorted({{name.partition(".")[0] for name in sys.modules}})), file=sys.stderr)
"""


def _modules(*arguments: str, cwd: Path) -> set[str]:
    program = _PROGRAM.format(arguments=list(arguments))
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def _click_alone(cwd: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", "import click, sys; print(*{name.partition('.')[0] for name in sys.modules})"],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stdout.split())


def test_check_imports_nothing_heavy(tmp_path: Path) -> None:
    """Whatever click itself needs is there in any case."""
    loaded = _modules("check", "-e", "A[I, J_X] · B[J_X, K] -> C[I, K]", cwd=tmp_path)
    assert "shardlang" in loaded
    assert loaded & (HEAVY - _click_alone(tmp_path)) == set()


@pytest.mark.parametrize("command", ["parse", "fmt"])
def test_the_other_quick_commands_too(command: str, tmp_path: Path) -> None:
    loaded = _modules(command, "-e", "A[I, J_X] · B[J_X, K] -> C[I, K]", cwd=tmp_path)
    assert loaded & {"sympy", "numpy", "rich", "lark"} == set()


def test_importing_the_package_imports_no_stage() -> None:
    program = "import sys, shardlang; print(*[name for name in sys.modules if name.startswith('shardlang.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


def test_the_list_of_modules_shows_a_heavy_import(tmp_path: Path) -> None:
    loaded = _modules("cost", "-e", "A[I_X, J] · B[J, K] -> C[I_X, K]", cwd=tmp_path)
    assert "sympy" in loaded
