"""Several threads may make their first calls at the same time: nothing that they load waits for what loads it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import shardlang

FIRST = """
import sys, threading, traceback
import shardlang

barrier, failed = threading.Barrier(len(sys.argv) - 1), []

def call(name):
    barrier.wait()
    try:
        getattr(shardlang, name)("A[I_X] -> A[I]")
    except BaseException:
        failed.append(traceback.format_exc())

threads = [threading.Thread(target=call, args=(name,)) for name in sys.argv[1:]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit("\\n".join(failed) or 0)
"""

ROOT = Path(shardlang.__file__).parent
ROOMS = ("cost", "pictures", "reference", "reports")  # what calls load when they first need it


@pytest.mark.parametrize(
    "names",
    [
        ("explain", "verify"),
        ("explain", "roofline"),
        ("cost", "explain", "memory", "verify"),
        ("plot", "memory", "plot", "verify"),
    ],
    ids="+".join,
)
def test_first_calls_of_several_threads_succeed(names: tuple[str, ...]) -> None:
    for _ in range(3):
        ran = subprocess.run([sys.executable, "-c", FIRST, *names], capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_that_is_loaded_when_it_is_needed_imports_none_of_its_modules(room: str) -> None:
    assert _own_imports(ROOT / room / "__init__.py", room) == []


def test_that_a_room_imports_a_module_of_its_own_is_seen(tmp_path: Path) -> None:
    planted = tmp_path / "__init__.py"
    planted.write_text("from shardlang.cost.text import formula\n")
    assert _own_imports(planted, "cost") == ["shardlang.cost.text"]


def _own_imports(path: Path, room: str) -> list[str]:
    nodes = ast.parse(path.read_text()).body
    found = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    found += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return [name for name in found if name.startswith(f"shardlang.{room}")]
