"""Where texts come from: files, `-e` expressions, standard input."""

import os
import sys
from typing import Any, NamedTuple

from shardlang.api.comparing import Against
from shardlang.api.flags import chosen
from shardlang.api.project import included, settings_for
from shardlang.cli.files import files_below
from shardlang.syntax import document_kind

# Above what the parser takes, so that it is the parser that says what is too long, with a finding.
_MOST_BYTES = 64_000_000
_NOTEBOOK = ".ipynb"


class WrongUsageError(Exception):
    """A command line that cannot be run: status 2."""


class Input(NamedTuple):
    """A text (bytes of a file as they are), the name that findings print, and the kind of document (None: statements).

    file: it is that of a file, which the name is that of; a file may be called `<stdin>` too.
    """

    text: str | bytes
    name: str
    document: str | None = None
    file: bool = False

    def keywords(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the keywords of `shardlang.api` for this text: name and kind, the project's defaults, what was given."""
        return {"name": self.name, "document": self.document, **self.settings, **chosen(options)}

    @property
    def mark(self) -> str:
        """The byte-order mark that the file starts with, empty where there is none; findings do not count it."""
        return "\ufeff" if self.text[:3] == b"\xef\xbb\xbf" else ""

    @property
    def settings(self) -> dict[str, Any]:
        """What the project of the file says; for a text that is in none, that of the working directory."""
        return settings_for(self.name if self.file else None)


def read_inputs(arguments: tuple[str, ...], expressions: tuple[str, ...]) -> list[Input]:
    """Return the texts to work on. Raises WrongUsageError where there is none or one cannot be read.

    Several `-e` make one text, a line each, as with sed. An argument that names no file and has a bracket
    is an expression; one that names a directory stands for the files below it that the project includes. A
    directory without any is wrong usage where nothing else is given, as it is then a mistake.
    """
    if expressions and arguments:
        raise WrongUsageError("Give files or -e, not both.")
    if expressions:
        return [Input("\n".join(expressions), "<expression>")]
    if not arguments:
        raise WrongUsageError("Give a FILE, -e EXPR, or - for standard input.")
    if arguments.count("-") > 1:
        raise WrongUsageError("Standard input can be read only once.")
    names = dict.fromkeys(name for argument in arguments for name in _files(argument))
    if not names:
        patterns = ", ".join(included(arguments[0]))
        raise WrongUsageError(f"Cannot read {arguments[0]}: no file in that directory is included ({patterns}).")
    return [_read_file(name) if name not in arguments else _read(name) for name in names]


def read_one(arguments: tuple[str, ...], expressions: tuple[str, ...]) -> Input:
    """Return the one text to work on. Raises WrongUsageError where there are several."""
    found = read_inputs(arguments, expressions)
    if len(found) > 1:
        raise WrongUsageError("This command takes one text at a time.")
    return found[0]


def read_against(arguments: tuple[str, ...]) -> Against | None:
    """Return the other plan of a comparison, a file or expressions, a line each; None where there is none."""
    if not arguments:
        return None
    if len(arguments) > 1:
        return Against("\n".join(arguments))
    found = _read(arguments[0])
    return Against(found.text) if found.name == "<expression>" else Against(*found[:3], found.settings)


def _files(argument: str) -> list[str]:
    """Return the files that an argument stands for, none for a directory without plans."""
    return list(files_below(argument)) if os.path.isdir(argument) else [argument]


def _read(argument: str) -> Input:
    if argument == "-":
        return Input(_standard_input(), "<stdin>")
    if not argument.strip():
        raise WrongUsageError(
            "The text is empty: give an array or a statement, the name of a file, or - for standard input."
        )
    if "[" in argument and not os.path.exists(argument):
        return Input(argument, "<expression>")
    return _read_file(argument)


def _read_file(argument: str) -> Input:
    if argument.endswith(_NOTEBOOK):
        raise WrongUsageError(
            f"Cannot read {argument}: a notebook is checked where it runs, `%load_ext shardlang` and cells with `%%shard`."
        )
    try:
        with open(argument, "rb") as file:
            raw = file.read(_MOST_BYTES)
    except OSError as problem:
        raise WrongUsageError(f"Cannot read {argument}: {_reason(problem)}.") from None
    except ValueError:
        raise WrongUsageError(f"Cannot read {argument!r}: not a file name.") from None
    return Input(raw, argument, document_kind(argument), file=True)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise WrongUsageError("Cannot read standard input: it is closed.")
    try:
        return sys.stdin.buffer.read(_MOST_BYTES)
    except OSError as problem:
        raise WrongUsageError(f"Cannot read standard input: {_reason(problem)}.") from None


def _reason(problem: OSError) -> str:
    if isinstance(problem, FileNotFoundError):
        return "there is no such file (an expression is given with -e)"
    return (problem.strerror or "it cannot be opened").lower()
