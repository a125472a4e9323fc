"""What a text declares and makes, for an outline."""

from collections.abc import Iterator
from typing import NamedTuple

from shardlang.semantics.program import Statement, result_of
from shardlang.semantics.sharding import array_text
from shardlang.semantics.text import size_text
from shardlang.source import Span
from shardlang.syntax import ast
from shardlang.tools.editor.analysis import Analysis


class Entry(NamedTuple):
    """One line of an outline. kind: `mesh`, `axis`, `sizes`, `dimension`, `hardware`, `array`. place: of the name."""

    name: str
    kind: str
    detail: str
    span: Span
    place: Span
    inner: "tuple[Entry, ...]" = ()


def outline(analysis: Analysis) -> tuple[Entry, ...]:
    """Return the declarations of a text, and the arrays where they are made, in order."""
    statements = analysis.planned.front.program.statements
    return tuple(entry for statement in statements for entry in _entries(analysis, statement))


def _entries(analysis: Analysis, statement: Statement) -> Iterator[Entry]:
    node, span = statement.node, statement.span
    match node:
        case ast.MeshDecl():
            axes = tuple(
                Entry(
                    axis.name.text,
                    "axis",
                    "" if axis.size is None else size_text(axis.size),
                    axis.name.span,
                    axis.name.span,
                )
                for axis in node.axes
            )
            yield Entry("mesh", "mesh", ", ".join(axis.name for axis in axes), span, span, axes)
        case ast.LetDecl():
            sizes = tuple(
                Entry(word.text, "dimension", size_text(size), word.span.to(size.span), word.span)
                for word, size in node.bindings
            )
            yield Entry("let", "sizes", ", ".join(size.name for size in sizes), span, span, sizes)
        case ast.HardwareDecl():
            yield Entry(node.name.text, "hardware", "hardware", span, node.name.span)
        case ast.ArrayDecl(array=array) | ast.Formula(result=ast.Array() as array):
            if array.name is not None:
                yield Entry(array.name.text, "array", _layout(analysis, statement, array), span, array.name.span)
        case ast.Formula():
            planned = analysis.plan_of(statement)
            if planned is not None and planned.output is not None and planned.output.name is not None:
                yield Entry(planned.output.name, "array", array_text(None, planned.output.type), span, span)
        case _:
            pass


def _layout(analysis: Analysis, statement: Statement, array: ast.Array) -> str:
    result = result_of(statement.body)
    if result is not None:
        return array_text(None, result.type)
    return analysis.source.slice(array.span).partition(":")[2].strip()
