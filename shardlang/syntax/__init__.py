"""From text to a tree with places.

`parse` is the front function. The grammar is `grammar/*.lark`; at run time only the tables are loaded that
`shardlang.syntax.build` makes of it.
"""

from shardlang.syntax.parser import parse

_DOCUMENTS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".ltx": "latex",
    ".html": "html",
    ".htm": "html",
    ".rst": "rst",
    ".txt": "text",
    ".py": "python",
    ".pyi": "python",
}


def document_kind(filename: str) -> str | None:
    """Return `markdown`, `latex`, `html`, `rst`, `text` or `python` for a file that holds more than statements, else None."""
    dot = filename.rfind(".")
    return _DOCUMENTS.get(filename[dot:].lower()) if dot >= 0 else None


__all__ = ["document_kind", "parse"]
