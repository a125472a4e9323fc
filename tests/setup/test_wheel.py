"""The wheel: what is in it, and that it works from a path with blanks, without the checkout.

Built without isolation and installed without dependencies, which come from the environment of the tests: it
takes no network.
"""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import shardlang
from shardlang.diagnostics import CODES

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("wheel")


def _run(*command: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the sdist, as a release is built."""
    out = tmp_path_factory.mktemp("dist")
    built = _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a fresh environment at a path with blanks; return its Python."""
    home = tmp_path_factory.mktemp("a path with blanks") / "my venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    done = _run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        wheel,
        cwd=home,
    )
    assert done.returncode == 0, done.stderr
    (site,) = home.glob("lib/python*/site-packages")
    # The dependencies only: the finder of an editable install is a line in a .pth file, which is not read this way.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_wheel_holds_the_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    grammar = {f"shardlang/grammar/{path.name}" for path in (ROOT / "grammar").glob("*.lark")}
    assert grammar
    package = ROOT / "shardlang"
    data = {
        path.relative_to(ROOT).as_posix()
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".pyo") and "grammar" not in path.relative_to(package).parts
    }
    assert {"shardlang/py.typed", "shardlang/pricing/hardware.toml"} <= data
    assert {f"shardlang/diagnostics/pages/{code}.md" for code in CODES} <= data
    assert grammar | data <= names


def test_wheel_holds_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"shardlang", f"shardlang-{shardlang.__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name]


def test_version_is_the_same_everywhere(wheel: Path) -> None:
    assert wheel.name.startswith(f"shardlang-{shardlang.__version__}-")


def test_installed_package_is_the_one_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    shown = _run(installed, "-c", "import shardlang; print(shardlang.__file__)", cwd=tmp_path)
    assert "my venv" in shown.stdout, shown.stderr


def test_the_wheel_has_the_pytest_plugin(installed: Path, tmp_path: Path) -> None:
    """It is found by its entry point, and does its part in an environment of its own."""
    (tmp_path / "a.shard").write_text("A[I_X, J_X]\n", "utf-8")
    quiet = (
        "-p",
        "no:cacheprovider",
        "-p",
        "no:asyncio",
    )  # the latter of our own tests, and warns where nothing sets it up
    shown = _run(installed, "-m", "pytest", "--shardlang", "-q", *quiet, cwd=tmp_path, PYTHONUTF8="1")
    assert shown.returncode == 1, shown.stdout + shown.stderr
    assert "FAILED a.shard::plan - error[SL201]" in shown.stdout
    assert "Warning" not in shown.stdout + shown.stderr


def test_check_runs_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    script = installed.with_name("shardlang")
    good = _run(script, "check", "-e", "A[I, J_X] · B[J_X, K] -> C[I, K]", cwd=tmp_path, PYTHONUTF8="1")
    assert (good.returncode, good.stderr) == (0, "")
    assert "AllReduce_X" in good.stdout
    bad = _run(script, "check", "-e", "A[I_X, J_X]", cwd=tmp_path, PYTHONUTF8="1")
    assert bad.returncode == 1
    assert "SL201" in bad.stdout + bad.stderr


@pytest.mark.parametrize("command", [("explain", "SL301"), ("cost", "-e", "A[I_X, J]", "--hw", "tpu-v5p")])
def test_data_files_are_found_without_the_checkout(installed: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    done = _run(installed, "-m", "shardlang", *command, cwd=tmp_path, PYTHONUTF8="1")
    assert done.returncode == 0, done.stderr


def test_saved_parser_can_be_rebuilt_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    """The grammar in the wheel gives, byte for byte, the tables in the wheel."""
    done = _run(installed, "-m", "shardlang.syntax.build", "--check", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_schemas_are_read_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    program = (
        "import shardlang; from shardlang.api.schemas import NAMES; "
        "print(*(name for name in NAMES if shardlang.schema(name)['title'].endswith('--format json')), sep='\\n')"
    )
    done = _run(installed, "-c", program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shipped = (ROOT / "shardlang" / "schema").glob("*.json")
    assert sorted(done.stdout.splitlines()) == sorted(path.stem for path in shipped)
