"""What the tests of set-ups share: the blocks of a page, a shell, and a repository that has all kinds of plans.

Each place where something is found in the repository was counted by hand.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

from tests.docs.sessions import ROOT, fences

_BLOCK = re.compile(r"^ *(`{3,})(.*)\n((?:.*\n)*?)^ *\1 *$", re.MULTILINE)


class Found(NamedTuple):
    """A finding: its file, code, line and column in characters; and the column in UTF-16 code units."""

    file: str
    code: str
    line: int
    column: int
    utf16: int


SAMPLE = {
    "pyproject.toml": (
        "[tool.shardlang]\n"
        'include = ["*.shard", "README.md", "docs/**/*.md", "src/**/*.py"]\n'
        "mesh = { X = 4 }\n"
        "[tool.shardlang.per-file.'plans/*.shard']\n"
        'ignore = ["SL204"]\n'
        "[tool.shardlang.per-file.'src\\**']\n"  # a path as on Windows
        'select = ["SL201", "SL203"]\n'
        "[tool.pytest.ini_options]\n"
        "addopts = '--shardlang'\n"
    ),
    "README.md": "# Plan\n\n```shard\nA[I_X, J_X]\n```\n\n> ```shard\n> B[K_X]  # 🙂\n> C[K_Z]\n> ```\n",
    "plans/good.shard": "A[I_X, J] -> A[I, J]\n",
    "plans/wrong.shard": "\ufeff# 🙂\r\nmesh X=4\r\n\t𝕎[I_X, J_X]\r\nD[K, K]\r\n",
    "plans/silenced.shard": "# shardlang: ignore[SL201]\nA[I_X, J_X]\n",
    "src/model.py": 'def f():\n    """A layer.\n\n    ```shard\n    E[I, J_W]\n    F[L, L]\n    ```\n    """\n',
}
FOUND = {
    Found("README.md", "SL201", 4, 10, 10),
    Found("README.md", "SL203", 9, 7, 7),
    Found("plans/wrong.shard", "SL201", 3, 11, 12),
    Found("src/model.py", "SL203", 5, 12, 12),
}
FILES = [name for name in SAMPLE if name != "pyproject.toml"]


def every_block(text: str) -> list[tuple[str, str]]:
    """Return the fenced blocks of a page, those without a language and those in lists too: language and content."""
    return [(match[2].strip(), match[3]) for match in _BLOCK.finditer(text)]


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of a page in docs/tools."""
    return [fence.text for fence in fences((ROOT / "docs" / "tools" / f"{page}.md").read_text("utf-8"), language)]


def write_sample(folder: Path) -> None:
    """Write the sample repository, under git."""
    for name, text in SAMPLE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    git(folder, "init -q .", "add -A")


def mend_sample(folder: Path) -> None:
    """Take out what is wrong in the sample repository."""
    for name in {found.file for found in FOUND}:
        text = (folder / name).read_bytes().decode()
        for wrong, right in (("J_X]", "J]"), ("K_Z]", "K]"), ("J_W]", "J]")):
            text = text.replace(wrong, right)
        (folder / name).write_bytes(text.encode())


def git(folder: Path, *commands: str) -> None:
    """Run git, with a name to commit under."""
    for command in commands:
        done = shell(f"git -c user.name=x -c user.email=x@example.com {command}", folder)
        assert done.returncode == 0, done.stderr


def shell(
    command: str, folder: Path, first: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run lines as the step of a workflow is: with `bash -e`, where shardlang is installed.

    first: a directory with programs that come before all others.
    """
    places = [*([first] if first else []), Path(sys.executable).parent, os.environ["PATH"]]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTEST_"))}
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), **environment, "PATH": os.pathsep.join(map(str, places))},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def drawn(text: str) -> set[Found]:
    """Return the findings in a text report, wherever it was printed; the columns in UTF-16 from the sample."""
    found = re.findall(r"(?:error|warning)\[(SL\d+)\].*\n +--> ([^:\n]+):(\d+):(\d+)", text)
    return {counted(file, code, int(line), int(column)) for code, file, line, column in found}


def counted(file: str, code: str, line: int, column: int) -> Found:
    """Return a finding of a form that counts characters."""
    before = SAMPLE[file].removeprefix("\ufeff").split("\n")[line - 1][: column - 1]
    return Found(file, code, line, column, len(before.encode("utf-16-le")) // 2 + 1)


def write_own_repository(folder: Path) -> None:
    """Write what pre-commit clones: this package in a git repository, with the tag of the page."""
    for name in ("shardlang", "grammar"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, folder)
    git(folder, "init -q .", "add -A", "commit -qm x", "tag v0.1.0")


def offline(home: Path) -> dict[str, str]:
    """Return the environment in which pre-commit installs hooks without a package index: with what is installed here."""
    return {
        "PRE_COMMIT_HOME": str(home),
        "PYTHONPATH": sysconfig.get_paths()["purelib"],
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # the word that pip understands as: no isolation
    }
