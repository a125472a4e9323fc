"""Canonical text of a statement: subscripts split against the mesh, everything else as written.

`parse`, `resolve` and this printer are idempotent: printing what a printed text parses to gives the same text.
"""

from collections.abc import Mapping

from shardlang.semantics.dtypes import canonical_dtype
from shardlang.semantics.program import Collective, Mesh, Statement, dims_of
from shardlang.semantics.sharding import PENDING_MARK, axes_text, subscript_of
from shardlang.semantics.words import split_axes, split_word
from shardlang.source import Span
from shardlang.syntax import ast
from shardlang.syntax.operations import BY_NAME, COLLECTIVES

_SUM, _PRODUCT, _UNARY, _ATOM = range(4)
_NO_RENAMES: Mapping[Span, str] = {}

Axes = tuple[str, ...] | None


def program_statement_text(statement: Statement, mesh: Mesh) -> str:
    """Return the canonical text of a statement, also of one that was refused."""
    printer = Printer(tuple(a.name for a in mesh.axes) if mesh.declared else None)
    body = statement.body
    return printer.statement(statement.node, body if isinstance(body, Collective) else None)


class Printer:
    """Prints nodes against the axes of a declared mesh (None: no mesh). `renames` replaces dimensions, by place."""

    __slots__ = ("axes", "renames")

    def __init__(self, axes: Axes, renames: Mapping[Span, str] = _NO_RENAMES) -> None:
        self.axes = axes
        self.renames = renames

    def statement(self, node: ast.Statement, collective: Collective | None = None) -> str:
        """Return the text of any statement; a resolved collective says which part of its subscript is a dimension."""
        match node:
            case ast.Formula():
                return self._formula(node, collective)
            case ast.ArrayDecl():
                return self._declared_array(node.array)
            case ast.MeshDecl():
                return "mesh " + ", ".join(_mesh_axis(axis) for axis in node.axes)
            case ast.LetDecl():
                return "let " + ", ".join(f"{name.text} = {size_text(size)}" for name, size in node.bindings)
            case ast.HardwareDecl():
                return f"hardware {node.name.text}"
            case ast.DtypeDecl():
                return f"dtype {canonical_dtype(node.name.text) or node.name.text}"
            case ast.ExplicitDecl():
                return "explicit"
            case ast.RulesDecl():
                return "rules " + ", ".join(f"{left.text} -> {right.text}" for left, right in node.rules)

    def _formula(self, node: ast.Formula, collective: Collective | None) -> str:
        if collective is not None and isinstance(node.expr, ast.Apply):
            expression = self._collective(node.expr, collective)
        else:
            expression = self.expression(node.expr, _SUM)
        if node.result is None:
            return expression
        result = self.array(node.result)
        return f"{result} = {expression}" if node.form == "assign" else f"{expression} -> {result}"

    def _collective(self, node: ast.Apply, collective: Collective) -> str:
        if node.subscript is None:
            return self._prefix(node.op, node)
        names = collective.axes or ()
        if collective.dim is None:
            subscript = self._axes_text(names)
        else:
            body = self._axes_text(names).strip("{}") if names else ""
            mark = "," if collective.dim in dims_of(collective.operand) else "->"  # else it would read as an axis
            subscript = "{" + mark.join(part for part in (body, collective.dim) if part) + "}"
        return self._prefix(f"{node.op}_{subscript}", node)

    def _prefix(self, head: str, node: ast.Apply) -> str:
        alone = node.args[0] if len(node.args) == 1 else None
        bare = isinstance(alone, ast.Array) and alone.name is None and alone.dtype is None
        # `AllGather [I]` and `max_J [I, J]` would be arrays of that name, and a function takes no subscript.
        clear = not bare or (node.op in COLLECTIVES and node.subscript is not None)
        known = node.op in BY_NAME and (node.subscript is None or BY_NAME[node.op].kind != "function")
        if known and isinstance(alone, ast.Array | ast.Number) and clear:
            return f"{head} {self.expression(alone, _ATOM)}"
        return f"{head}({', '.join(self.expression(arg, _SUM) for arg in node.args)})"

    def expression(self, node: ast.Expr, level: int = _SUM) -> str:
        """Return the text of an expression, in parentheses if it binds less tightly than `level`."""
        match node:
            case ast.Array():
                return self.array(node)
            case ast.Number():
                return node.text
            case ast.Product():
                text, own = self._product(node), _PRODUCT
            case ast.Binary():
                own = _PRODUCT if node.op == "/" else _SUM
                text = f"{self.expression(node.left, own)} {node.op} {self.expression(node.right, own + 1)}"
            case ast.Negate():
                text, own = f"-{self.expression(node.operand, _UNARY)}", _UNARY
            case ast.Apply():
                text, own = self._apply(node), _ATOM
        return f"({text})" if own < level else text

    def _apply(self, node: ast.Apply) -> str:
        if node.subscript is None:
            if node.op in COLLECTIVES:
                return self._prefix(node.op, node)
            return f"{node.op}({', '.join(self.expression(arg, _SUM) for arg in node.args)})"
        parts = ",".join(part.text for part in node.subscript.parts)
        if node.subscript.target is not None:
            parts += f"->{node.subscript.target.text}"
        head = f"{node.op}_{parts}" if parts.isalnum() else f"{node.op}_{{{parts}}}"
        return self._prefix(head, node)

    def _product(self, node: ast.Product) -> str:
        parts = [part.text for part in node.dims.parts] if node.dims is not None else []
        if node.local:
            parts.insert(0, "LOCAL")
        mark = node.symbol
        if parts:
            body = ",".join(parts)
            mark += f"_{body}" if body.isalnum() else f"_{{{body}}}"
        return f"{self.expression(node.left, _PRODUCT)} {mark} {self.expression(node.right, _UNARY)}"

    def _declared_array(self, node: ast.Array) -> str:
        if node.dtype is not None or node.name is None:
            return self.array(node)
        return f"{node.name.text}: {self.array(node._replace(name=None))}"

    def array(self, node: ast.Array) -> str:
        """Return the canonical text of an array, with its element type and named sizes where they are written."""
        name = node.name.text if node.name is not None else ""
        if node.dtype is not None:
            dtype = canonical_dtype(node.dtype.text) or node.dtype.text
            name = f"{name}: {dtype}" if name else dtype
        if node.dims is None or name[:1].isdigit():
            return name + self._unreduced(node.unreduced)
        return f"{name}[{', '.join(self._dim(entry) for entry in node.dims)}]{self._unreduced(node.unreduced)}"

    def _unreduced(self, node: ast.Unreduced | None) -> str:
        if node is None:
            return ""
        axes = tuple(sorted(self._subscript(node.axes)))
        return f"{{{PENDING_MARK[node.pending]}_{self._axes_text(axes)}}}"

    def _axes_text(self, axes: tuple[str, ...]) -> str:
        """Return the body of a subscript, with commas where the mesh would read the axes together as others."""
        text = axes_text(axes)
        if self.axes is not None and len(axes) > 1 and "," not in text and split_axes(text[1:-1], self.axes)[0] != axes:
            return "{" + ",".join(axes) + "}"
        return text

    def _dim_subscript(self, stem: str, axes: tuple[str, ...]) -> str:
        body = self._axes_text(axes)
        if self.axes is not None and not body.startswith("{"):
            split = split_word(f"{stem}_{body}", self.axes)
            return f"_{body}" if (split.stem, split.axes) == (stem, axes) else f"_{{{body}}}"
        return subscript_of(stem, body)

    def _subscript(self, subscript: ast.Subscript) -> tuple[str, ...]:
        return tuple(axis for part in subscript.parts for axis in split_axes(part.text, self.axes)[0])

    def _dim(self, entry: ast.Dim) -> str:
        axes = self._subscript(entry.subscript) if entry.subscript is not None else ()
        if entry.kind == "literal":
            return literal_text(entry) + (f"@{_at_text(axes)}" if axes else "")
        if entry.kind == "ellipsis":
            return "..."
        if entry.kind == "group":
            stem = f"({' '.join(word.text for word in entry.factors)})"
        else:
            stem = entry.word.text if entry.word is not None else ""
            if entry.kind == "hole":
                return f"{stem}_?"
            if entry.subscript is None:
                split = split_word(stem, self.axes)
                stem, axes = split.stem, split.axes
            if entry.word is not None:
                stem = self.renames.get(entry.word.span, stem)
        text = stem + (self._dim_subscript(stem, axes) if axes else "")
        return text if entry.size is None else f"{text}={size_text(entry.size)}"


def literal_text(entry: ast.Dim) -> str:
    """Return the digits of a dimension that is a literal size."""
    if entry.word is not None:
        return entry.word.text
    return size_text(entry.size) if entry.size is not None else "?"


def _at_text(axes: tuple[str, ...]) -> str:
    return axes[0] if len(axes) == 1 else f"({','.join(axes)})"


def _mesh_axis(axis: ast.MeshAxis) -> str:
    text = axis.name.text
    if axis.size is not None:
        text += f"={size_text(axis.size)}"
    return text if axis.topology is None else f"{text} {axis.topology.text}"


_LEVELS = {"+": 0, "-": 0, "*": 1, "/": 1, "//": 1, "neg": 2, "**": 3}


def size_text(size: ast.SizeExpr, level: int = 0) -> str:
    """Return the text of size arithmetic with as few parentheses as its meaning allows."""
    if not isinstance(size, ast.SizeOp):
        return size.text
    own = _LEVELS[size.op]
    if size.right is None:
        text = f"-{size_text(size.left, own)}"
    elif size.op == "**":
        text = f"{size_text(size.left, own + 1)}**{size_text(size.right, own)}"
    else:
        gap = " " if own == 0 else ""
        text = f"{size_text(size.left, own)}{gap}{size.op}{gap}{size_text(size.right, own + 1)}"
    return f"({text})" if own < level else text
