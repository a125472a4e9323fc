"""The kinds of document that plans are written in: how their files end, and what editors call them."""

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of text. name: None for one that is nothing but statements. languages: the identifiers that editors give."""

    name: str | None
    endings: tuple[str, ...]
    languages: tuple[str, ...]


KINDS = (
    Kind(None, (".shard",), ("shard",)),
    Kind("markdown", (".md", ".markdown"), ("markdown",)),
    Kind("latex", (".tex", ".ltx"), ("latex", "tex")),
    Kind("html", (".html", ".htm"), ("html",)),
    Kind("rst", (".rst",), ("restructuredtext", "rst")),
    Kind("text", (".txt",), ("plaintext", "text")),
    Kind("python", (".py", ".pyi"), ("python",)),
)
DOCUMENTS = tuple(kind.name for kind in KINDS if kind.name is not None)
_BY_ENDING = {ending: kind for kind in KINDS for ending in kind.endings}
_BY_LANGUAGE = {language: kind for kind in KINDS for language in kind.languages}
_STATEMENTS = KINDS[0]


def document_kind(filename: str) -> str | None:
    """Return `markdown`, `latex`, `html`, `rst`, `text` or `python` for a file that holds more than statements, else None."""
    return (_of_file(filename) or _STATEMENTS).name


def kind_in_editor(language: str, filename: str) -> Kind | None:
    """Return the kind of a text that an editor has open, None for one that holds no plans.

    That the editor calls it statements counts before how the file of a document ends, and that before another language;
    a plan file is what the editor calls it, unless that is nothing in particular.
    """
    named, file = _BY_LANGUAGE.get(language), _of_file(filename)
    if file is _STATEMENTS:
        return file if named is None or named.name == "text" else named
    return named if named is _STATEMENTS else file or named


def _of_file(filename: str) -> Kind | None:
    dot = filename.rfind(".")
    return _BY_ENDING.get(filename[dot:].lower()) if dot >= 0 else None
