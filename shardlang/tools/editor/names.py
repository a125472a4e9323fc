"""Every name of a text with its place and its namespace: arrays, dimensions and mesh axes may share a letter."""

from collections.abc import Iterator
from typing import NamedTuple

from shardlang.semantics.program import Collective, Program, refs_of, walk
from shardlang.semantics.sizes import words_in
from shardlang.semantics.words import piece, split_axes, split_word
from shardlang.source import SourceText, Span
from shardlang.syntax import ast
from shardlang.syntax.operations import BY_NAME

NAMESPACES = ("array", "dimension", "axis")


class Part(NamedTuple):
    """The run of axes that an axis is written in, such as `XY` in `I_XY`, with its place."""

    axes: tuple[str, ...]
    span: Span


class Name(NamedTuple):
    """A name at one place.

    kind: `array`, `dimension`, `axis`, or `collective`, `operation`, `dtype`, `hardware`, `topology`, `figure` (a symbol
    of the hardware in `let`). role: `declare`, `make` (a result), or `use`. statement: the index of its statement.
    exact: the text at `span` is the name and nothing else; LaTeX and HTML may spell it otherwise. part: of axes.
    """

    kind: str
    name: str
    span: Span
    role: str
    statement: int
    exact: bool = True
    part: Part | None = None


def names_of(source: SourceText, program: Program) -> tuple[Name, ...]:
    """Return the names of all statements that could be read, in the order of the text."""
    reader = _Reader(source.text, program)
    for index, statement in enumerate(program.statements):
        reader.read(index, statement.node)
    return tuple(sorted(set(reader.found), key=lambda name: name.span))


class _Reader:
    def __init__(self, text: str, program: Program) -> None:
        self.found: list[Name] = []
        self._text = text
        self._axes = tuple(axis.name for axis in program.mesh.axes) if program.mesh.declared else None
        self._axis_names = {axis.name for axis in program.mesh.axes}
        self._dims = {
            dim for statement in program.statements for ref in refs_of(statement.body) for dim in ref.type.dims
        }
        self._figures = program.hardware_values
        self._collectives = dict(_collectives(program))
        self._statement = 0

    def read(self, index: int, node: ast.Statement) -> None:
        """Add the names of one statement."""
        self._statement = index
        match node:
            case ast.Formula():
                self._expression(node.expr)
                if node.result is not None:
                    self._array(node.result, "make")
            case ast.ArrayDecl():
                self._array(node.array, "declare")
            case ast.MeshDecl():
                self._mesh(node)
            case ast.LetDecl():
                for word, size in node.bindings:
                    self._add(self._size_kind(word.text), word, "declare")
                    self._size(size)
            case ast.HardwareDecl():
                self._add("hardware", node.name, "use")
            case ast.DtypeDecl():
                self._add("dtype", node.name, "use")
            case ast.ExplicitDecl():
                pass
            case ast.RulesDecl():
                for logical, axis in node.rules:
                    self._add("dimension", logical, "use")
                    self._run(axis)

    def _mesh(self, node: ast.MeshDecl) -> None:
        for axis in node.axes:
            self._add("axis", axis.name, "declare", Part((axis.name.text,), axis.name.span))
            if axis.size is not None:
                self._size(axis.size)
            if axis.topology is not None:
                self._add("topology", axis.topology, "use")

    def _expression(self, node: ast.Expr) -> None:
        waiting: list[ast.Expr] = [node]
        while waiting:
            match waiting.pop():
                case ast.Array() as array:
                    self._array(array, "use")
                case ast.Product(left=left, right=right, dims=dims):
                    for part in dims.parts if dims is not None else ():
                        self._add("dimension", part, "use")
                    waiting += [left, right]
                case ast.Binary(left=left, right=right):
                    waiting += [left, right]
                case ast.Negate(operand=operand):
                    waiting.append(operand)
                case ast.Apply() as apply:
                    self._apply(apply)
                    waiting += apply.args
                case ast.Number():
                    pass

    def _apply(self, node: ast.Apply) -> None:
        operation = BY_NAME.get(node.op)
        moves = operation is not None and operation.kind in ("collective", "free")
        kind = "collective" if moves else "operation"
        self.found.append(Name(kind, node.op, node.name.span, "use", self._statement))
        subscript = node.subscript
        if subscript is None:
            return
        if not moves:
            for part in subscript.parts:
                self._add("dimension", part, "use")
            return
        parts, last = subscript.parts, subscript.target
        if last is None and len(parts) > 0 and self._ends_in_dimension(node, subscript):
            parts, last = parts[:-1], parts[-1]
        for part in parts:
            self._run(part)
        if last is not None:
            self._add("dimension", last, "use")

    def _ends_in_dimension(self, node: ast.Apply, subscript: ast.Subscript) -> bool:
        resolved = self._collectives.get(subscript.span)
        if resolved is not None:
            return resolved.dim == subscript.parts[-1].text
        operation = BY_NAME[node.op]
        text = subscript.parts[-1].text
        return operation.takes_dimension and len(subscript.parts) > 1 and text not in self._axis_names

    def _array(self, node: ast.Array, role: str) -> None:
        if node.name is not None and node.name.text[:1].isalpha():
            self._add("array", node.name, role)
        if node.dtype is not None:
            self._add("dtype", node.dtype, "use")
        for entry in node.dims or ():
            self._dim(entry)
        if node.unreduced is not None:
            for part in node.unreduced.axes.parts:
                self._run(part)

    def _dim(self, entry: ast.Dim) -> None:
        for factor in entry.factors:
            self._add("dimension", factor, "use")
        if entry.word is not None and entry.kind in ("named", "hole"):
            self._stem(entry.word, entry)
        if entry.subscript is not None:
            for part in entry.subscript.parts:
                self._run(part)
        if entry.size is not None and entry.kind != "literal":
            self._size(entry.size)

    def _stem(self, word: ast.Word, entry: ast.Dim) -> None:
        """Add a dimension word, with the axes in it where no subscript stands apart."""
        if entry.subscript is not None or entry.kind == "hole":
            self._add("dimension", word, "use")
            return
        split = split_word(word.text, self._axes)
        stem = ast.Word(split.stem, piece(word, 0, len(split.stem)))
        self._add("dimension", stem, "declare" if entry.size is not None else "use")
        if split.axes:
            tail = ast.Word(word.text[split.at :], piece(word, split.at, len(word.text) - split.at))
            self._run(tail)

    def _run(self, word: ast.Word) -> None:
        """Add the axes of a run such as `XY`."""
        axes = split_axes(word.text, self._axes)[0]
        part = Part(axes, word.span)
        at = 0
        for axis in axes:
            self._add("axis", ast.Word(axis, piece(word, at, len(axis))), "use", part)
            at += len(axis)

    def _size(self, size: ast.SizeExpr) -> None:
        for word in words_in(size):
            self._add(self._size_kind(word.text), word, "use")

    def _size_kind(self, name: str) -> str:
        if name in self._dims:
            return "dimension"
        if name in self._axis_names:
            return "axis"
        return "figure" if name in self._figures else "dimension"

    def _add(self, kind: str, word: ast.Word, role: str, part: Part | None = None) -> None:
        exact = self._text[word.span.start : word.span.end] == word.text
        if part is None and kind == "axis":
            part = Part((word.text,), word.span)
        self.found.append(Name(kind, word.text, word.span, role, self._statement, exact, part))


def _collectives(program: Program) -> Iterator[tuple[Span, Collective]]:
    for statement in program.statements:
        body = statement.body
        parts = walk(body) if isinstance(body, Collective) else ()
        expression = getattr(body, "expr", None)
        for part in (*parts, *(walk(expression) if expression is not None else ())):
            if isinstance(part, Collective) and part.subscript_span is not None:
                yield part.subscript_span, part


__all__ = ["NAMESPACES", "Name", "Part", "names_of"]
