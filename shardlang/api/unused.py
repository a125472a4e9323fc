"""Sizes that were given as options and size nothing: mostly a typo."""

import re
from collections.abc import Iterable, Iterator

from shardlang.diagnostics import Diagnostic, did_you_mean
from shardlang.pricing.hardware import FIGURES
from shardlang.semantics.program import Program, refs_of
from shardlang.semantics.sizes import words_in
from shardlang.source import SourceText, Span
from shardlang.syntax import ast

_MOST = 20


def unused_sizes(
    source: SourceText, module: ast.Module, program: Program, given: Iterable[str], readable: bool
) -> tuple[Diagnostic, ...]:
    """Return SL225 for each name in `given` that is no dimension, mesh axis, size or hardware symbol of the text.

    readable: no statement was refused. What a refused one has in it is not known, so a name that stands anywhere
    in such a text counts as used.
    """
    names = {axis.name for axis in program.mesh.axes} | set(_dims(program)) | set(_size_names(module))
    unused = [name for name in given if name not in names and name not in program.hardware_values]
    if not readable:
        unused = [name for name in unused if not _stands_in(source.text, name)]
    return tuple(_unused(name, names if at < _MOST else set()) for at, name in enumerate(unused))


def names_in(given: Iterable[str] | None, text: str | bytes) -> tuple[str, ...]:
    """Return those of `given` that stand in another text."""
    text = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return tuple(name for name in given or () if _stands_in(text, name))


def _unused(name: str, names: set[str]) -> Diagnostic:
    figure = name.rstrip("_")  # formulas have underscores after the name of a figure that a size has too
    close = did_you_mean(name, names) if len(name) > 1 or name.swapcase() in names else None
    close = figure if figure != name and figure in FIGURES else close
    message = f"the option for `{name}` has no effect: the text has no dimension, mesh axis or size of that name"
    return Diagnostic("SL225", message, Span(0, 0), hint=f"did you mean `{close}`?" if close else None)


def _dims(program: Program) -> Iterator[str]:
    for statement in program.statements:
        for ref in refs_of(statement.body):
            yield from ref.type.dims


def _size_names(module: ast.Module) -> Iterator[str]:
    """Yield the names in `let` and in the sizes of mesh axes."""
    for statement in module.statements:
        if isinstance(statement, ast.LetDecl):
            for name, size in statement.bindings:
                yield name.text
                yield from (word.text for word in words_in(size))
        elif isinstance(statement, ast.MeshDecl):
            for axis in statement.axes:
                if axis.size is not None:
                    yield from (word.text for word in words_in(axis.size))


def _stands_in(text: str, name: str) -> bool:
    return re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text) is not None
