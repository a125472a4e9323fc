"""The texts that lexers are held against the lexer of the compiler on, and what that says of each of them."""

from pathlib import Path
from typing import NamedTuple

from shardlang.syntax.lexer import scan
from shardlang.tools.editor.colours import KIND_OF_TERMINAL
from tests.docs.sessions import ROOT, documents, fences


class Piece(NamedTuple):
    """A token of the compiler's lexer."""

    terminal: str
    start: int
    end: int


def examples() -> list[str]:
    """Every plan and every block of the documentation, and every page of a finding."""
    plans = sorted((ROOT / "docs" / "examples").rglob("*.shard"))
    pages = [*documents(), *sorted((ROOT / "shardlang" / "diagnostics" / "pages").glob("*.md"))]
    blocks = [fence.text for page in pages for fence in fences(page.read_text("utf-8"), "shard")]
    return [*(plan.read_text("utf-8") for plan in plans), *blocks]


def pieces(text: str) -> list[Piece]:
    """The tokens of a text, but for line ends and what does not show."""
    return [
        Piece(kind, start, end) for kind, _, start, end in scan(text, 0, len(text)) if KIND_OF_TERMINAL[kind] != "text"
    ]


def extension() -> Path:
    return ROOT / "editors" / "vscode"
