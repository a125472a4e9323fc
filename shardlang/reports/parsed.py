"""What `shardlang.parse` gives back: every statement as read, declarations too."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.reports.cells import safe
from shardlang.reports.colour import Paint, plain
from shardlang.reports.objects import SCHEMA, Finding
from shardlang.reports.showing import count, in_short, printed
from shardlang.semantics.program import (
    BareArray,
    Body,
    Collective,
    Computation,
    Declared,
    Program,
    Ref,
    Reshard,
    Statement,
    has_local,
    operands_of,
    refs_of,
    result_of,
)
from shardlang.semantics.sharding import dim_text, is_anonymous
from shardlang.semantics.text import program_statement_text
from shardlang.source import SourceText
from shardlang.syntax import ast


class DimReport(NamedTuple):
    """A dimension of an array: name (None for a literal size or `…`), size where known, axes major to minor."""

    name: str | None
    size: int | None
    axes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the dimension as an entry of `dims` in the JSON."""
        return {"name": self.name, "size": self.size, "axes": list(self.axes)}


class ArrayReport(NamedTuple):
    """An array of a statement. role: `operand` or `result`; `pending`: `sum`, `max`, `min` or None."""

    role: str
    name: str | None
    dtype: str | None
    dims: tuple[DimReport, ...]
    unreduced: tuple[str, ...]
    pending: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the array as an entry of `arrays` in the JSON."""
        return {
            "role": self.role,
            "name": self.name,
            "dtype": self.dtype,
            "dims": [dim.to_dict() for dim in self.dims],
            "unreduced": list(self.unreduced),
            "pending": self.pending,
        }


class ParsedStatement(NamedTuple):
    """One statement as read. `op` is the operation where it has a name; `axes` and `dims` are those of its subscript."""

    line: int
    kind: str
    canonical: str
    op: str | None
    axes: tuple[str, ...]
    dims: tuple[str, ...]
    local: bool
    arrays: tuple[ArrayReport, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the statement as an entry of `statements` in the JSON."""
        return {
            "line": self.line,
            "kind": self.kind,
            "canonical": self.canonical,
            "op": self.op,
            "axes": list(self.axes),
            "dims": list(self.dims),
            "local": self.local,
            "arrays": [array.to_dict() for array in self.arrays],
        }


class ParseReport(NamedTuple):
    """What `parse` read: every statement, declarations too."""

    ok: bool
    diagnostics: tuple[Finding, ...]
    statements: tuple[ParsedStatement, ...]
    source: SourceText
    findings: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        """Return findings and statements as text."""
        return printed(((self.source, self.findings),), parse_listing(self))

    def __repr__(self) -> str:
        return in_short(self, self.source, self.findings, count(len(self.statements), "statement"))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/parse.json`)."""
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "diagnostics": [finding.to_dict() for finding in self.diagnostics],
            "statements": [statement.to_dict() for statement in self.statements],
        }


def parsed_statements(source: SourceText, program: Program) -> tuple[ParsedStatement, ...]:
    """Return every statement of `program` with its arrays; one that was refused has those that could be read."""
    return tuple(_statement(source, program, statement) for statement in program.statements)


def _statement(source: SourceText, program: Program, statement: Statement) -> ParsedStatement:
    line = source.position(statement.span.start).line
    canonical = program_statement_text(statement, program.mesh)
    read = ParsedStatement(line, _unread_kind(statement.node), canonical, None, (), (), False, ())
    body = statement.body
    match body:
        case Computation():
            op = body.expr
            name = None if op.name == "contract" else op.name
            read = read._replace(kind=body.kind, op=name, dims=_names(op.contracted), local=has_local(op))
        case Collective():
            dims = (body.dim,) if body.dim is not None else ()
            read = read._replace(kind="collective", op=body.op, axes=body.axes or (), dims=_names(dims))
        case Reshard():
            read = read._replace(kind="reshard")
        case BareArray():
            read = read._replace(kind="array")
        case Declared() | None:
            pass
    return read._replace(arrays=tuple(_arrays(program, body)))


def _unread_kind(node: ast.Statement) -> str:
    """Return the kind of a statement by its form alone."""
    if not isinstance(node, ast.Formula):
        return "declaration"
    expr = node.expr
    if isinstance(expr, ast.Array):
        return "reshard" if node.result is not None else "array"
    if isinstance(expr, ast.Product):
        return "elementwise" if expr.symbol == "⊙" else "contraction"
    if isinstance(expr, ast.Apply) and expr.op[:1].isupper():
        return "collective"
    return "elementwise"


def _arrays(program: Program, body: Body | None) -> Iterator[ArrayReport]:
    for ref in operands_of(body):
        yield _array(program, ref, "operand")
    result = result_of(body)
    if result is not None:
        yield _array(program, result, "result")


def _array(program: Program, ref: Ref, role: str) -> ArrayReport:
    sharding = ref.type.sharding
    dims = tuple(_dim(program, dim, axes) for dim, axes in zip(ref.type.dims, sharding.axes, strict=True))
    name = ref.node.name.text if ref.node.name is not None else None
    pending = sharding.kind if sharding.pending else None
    return ArrayReport(role, name, ref.type.dtype, dims, sharding.pending, pending)


def _dim(program: Program, dim: str, axes: tuple[str, ...]) -> DimReport:
    if is_anonymous(dim):
        text = dim_text(dim)
        return DimReport(None, int(text) if text.isdecimal() and len(text) < 40 else None, axes)
    size = program.sizes.get(dim)
    return DimReport(dim, None if size is None else size.integer, axes)


def _names(dims: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dim_text(dim) for dim in dims)


def statement_dims(statement: Statement) -> tuple[str, ...]:
    """Return the dimensions of a statement in the order of the text, with repeats."""
    return tuple(dim for ref in refs_of(statement.body) for dim in ref.type.dims)


def parse_listing(report: ParseReport, paint: Paint = plain) -> str:
    """Return every statement with its line and kind, aligned."""
    rows = [(str(s.line), s.kind, safe(s.canonical)) for s in report.statements]
    number = max((len(line) for line, _, _ in rows), default=0)
    kind = max((len(name) for _, name, _ in rows), default=0)
    return "\n".join(f"{paint(f'{line:>{number}}', 'gutter')}  {name:<{kind}}  {text}" for line, name, text in rows)
