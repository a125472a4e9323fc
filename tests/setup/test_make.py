"""Makefile, CI and metadata say the same thing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import shardlang
from tests.docs.sessions import ROOT

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
_MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_version_of_package_and_metadata() -> None:
    assert _PROJECT["project"]["version"] == shardlang.__version__
    assert f"## {shardlang.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_ci_runs_tests_and_checks_without_questions() -> None:
    text = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "make test" in text
    assert "make check" in text
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_every_target_says_what_it_does() -> None:
    targets = set(re.findall(r"^([a-z-]+):", _MAKEFILE, re.MULTILINE))
    told = set(re.findall(r"^([a-z-]+):.*## ", _MAKEFILE, re.MULTILINE))
    assert targets == told
    assert {"demo", "test", "check"} <= targets


def test_floors_name_every_room() -> None:
    """The contract of the linter is exhaustive on its own; here, that it knows the rooms in parentheses only if they are not there."""
    floors = next(c for c in _PROJECT["tool"]["importlinter"]["contracts"] if c["id"] == "floors")["layers"]
    rooms = {
        path.stem for path in (ROOT / "shardlang").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    named = {room for floor in floors for room in re.findall(r"\w+", floor)}
    absent = {room for floor in floors for room in re.findall(r"\((\w+)\)", floor)}
    assert rooms - {"__init__"} == named - absent


def test_contracts_cover_every_room_below_cost() -> None:
    contracts = {contract["id"]: contract for contract in _PROJECT["tool"]["importlinter"]["contracts"]}
    floors = contracts["floors"]["layers"]
    below = [
        room
        for floor in floors[floors.index("cost") + 1 :]
        for room in re.findall(r"\w+", floor)
        if f"({room})" not in floor
    ]
    assert set(contracts["sympy"]["source_modules"]) == {f"shardlang.{room}" for room in below}
    assert set(contracts["numpy"]["source_modules"]) == {f"shardlang.{room}" for room in below if room != "reference"}


def _commands(target: str, folder: Path) -> str:
    """What `make` would do in a folder with this Makefile and a `.venv` that was made elsewhere, and carries its stamps."""
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (folder / ".venv" / ".ready").touch()
    (folder / ".venv" / ".ready-dev").touch()
    (folder / "Makefile").write_text(_MAKEFILE, "utf-8")
    (folder / "pyproject.toml").touch()
    run = subprocess.run(["make", "-n", target], cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout


def test_an_environment_that_was_made_elsewhere_is_made_anew(tmp_path: Path) -> None:
    assert "-m venv --clear .venv" in _commands("demo", tmp_path)
    assert not (tmp_path / ".venv" / ".ready").exists()


def test_the_demo_installs_what_the_demo_needs(tmp_path: Path) -> None:
    assert "--no-input -e '.'" in _commands("demo", tmp_path / "demo")
    assert "--no-input -e '.[dev]'" in _commands("test", tmp_path / "test")
