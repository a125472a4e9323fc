"""What the package says that it needs, it uses."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.sessions import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NEEDED = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["lsp"], *PROJECT["optional-dependencies"]["plot"]]


def imported(package: Path) -> set[str]:
    """Return the top-level modules that the files of a package import, anywhere in them."""
    found = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("requirement", NEEDED)
def test_each_dependency_is_imported(requirement: str) -> None:
    match = re.match(r"[\w-]+", requirement)
    assert match is not None
    assert match[0] in imported(ROOT / "shardlang")


def test_a_dependency_that_nothing_imports_is_seen(tmp_path: Path) -> None:
    """The oracle fails on a planted one; a word in a comment or a text is no import."""
    (tmp_path / "a.py").write_text('import click.core\nfrom numpy import ones\n# import rich\n"import rich"\n', "utf-8")
    assert imported(tmp_path) == {"click", "numpy"}
