"""The sessions in README and docs: ```console fences, whose commands are run and whose output is compared.

A block is a sequence of `$ command` lines, each with the output that follows it. Known commands are
`shardlang …`, run in this process, and `cat FILE`; both from the root of the repository.
"""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^(`{3,})(\w+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


class Fence(NamedTuple):
    """A fenced block: its language, its text, and where the text stands."""

    language: str
    text: str
    start: int
    end: int


def documents() -> list[Path]:
    """Return README and every page of the docs."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    skipped = {ROOT / "docs" / "_build", ROOT / "docs" / "examples"}
    return [ROOT / "README.md", *(page for page in pages if not skipped & set(page.parents))]


def fences(text: str, language: str) -> list[Fence]:
    """Return the fenced blocks of one language."""
    found = (Fence(match[2], match[3], match.start(3), match.end(3)) for match in _FENCE.finditer(text))
    return [fence for fence in found if fence.language == language]


def commands(block: str) -> list[str]:
    """Return the commands of a console block."""
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def run_block(block: str) -> str:
    """Return the block with the output that its commands have now; a blank line parts two commands."""
    return "\n".join(f"$ {command}\n{_run(command)}" for command in commands(block))


def _run(command: str) -> str:
    words = shlex.split(command)
    if words[0] == "cat":
        return "".join((ROOT / name).read_text("utf-8") for name in words[1:])
    assert words[0] == "shardlang", f"a session may only run shardlang and cat, not {command}"
    from shardlang.cli import group

    result = CliRunner().invoke(group, words[1:], prog_name="shardlang", env={"NO_COLOR": "1", "COLUMNS": None})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in (0, 1), result.output
    lines = (line.rstrip() for line in result.output.rstrip().splitlines())
    return "".join(f"{line}\n" for line in lines)


def with_outputs(text: str) -> str:
    """Return a document with the outputs that its sessions have now."""
    for fence in reversed(fences(text, "console")):
        text = text[: fence.start] + run_block(fence.text) + text[fence.end :]
    return text
