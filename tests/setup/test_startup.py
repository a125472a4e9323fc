"""What `shardlang check` imports. How long it takes is measured by tests/bench/startup.py."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "sympy",
    "numpy",
    "lark",
    "mpmath",
    "dataclasses",
    "inspect",
    "asyncio",
    "logging",
    "fractions",
    "decimal",
    "tomllib",
    "pygls",
    "lsprotocol",
    "pygments",
    "IPython",
    "pytest",
    "xml",
}
_IMPORTED = re.compile(r"^import time:.*\| +([\w.]+)$", re.MULTILINE)


def _modules(*command: str, cwd: Path) -> set[str]:
    """Return the top-level modules that a Python with these arguments imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command], cwd=cwd, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in _IMPORTED.findall(done.stderr)}


def test_check_imports_nothing_heavy(tmp_path: Path) -> None:
    """Whatever click itself needs is there in any case."""
    loaded = _modules("-m", "shardlang", "check", "-e", "A[I, J_X] · B[J_X, K] -> C[I, K]", cwd=tmp_path)
    assert "shardlang" in loaded
    assert loaded & (HEAVY - _modules("-c", "import click", cwd=tmp_path)) == set()


@pytest.mark.parametrize("command", ["parse", "fmt"])
def test_the_other_quick_commands_too(command: str, tmp_path: Path) -> None:
    loaded = _modules("-m", "shardlang", command, "-e", "A[I, J_X] · B[J_X, K] -> C[I, K]", cwd=tmp_path)
    assert loaded & {"sympy", "numpy", "lark"} == set()


def test_a_mesh_is_drawn_without_prices(tmp_path: Path) -> None:
    loaded = _modules("-m", "shardlang", "plot", "mesh", "-e", "A[I_X, J]", "--mesh", "X=2", cwd=tmp_path)
    assert loaded & {"sympy", "numpy", "matplotlib", "lark"} == set()


def test_importing_the_package_imports_no_stage() -> None:
    program = "import sys, shardlang; print(*[name for name in sys.modules if name.startswith('shardlang.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


def test_the_list_of_modules_shows_a_heavy_import(tmp_path: Path) -> None:
    loaded = _modules("-m", "shardlang", "cost", "-e", "A[I_X, J] · B[J, K] -> C[I_X, K]", cwd=tmp_path)
    assert "sympy" in loaded
