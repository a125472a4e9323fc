"""What `parse` reports of each statement of a resolved program."""

from shardlang.reports.objects import ArrayReport, DimReport, ParsedStatement
from shardlang.semantics.program import (
    BareArray,
    Collective,
    Computation,
    Constant,
    Declared,
    Expr,
    Op,
    Program,
    Ref,
    Reshard,
    Statement,
)
from shardlang.semantics.sharding import dim_text, is_anonymous
from shardlang.semantics.text import program_statement_text
from shardlang.source import SourceText
from shardlang.syntax import ast


def parsed_statements(source: SourceText, program: Program) -> tuple[ParsedStatement, ...]:
    """Return every statement of `program` with its arrays; one that was refused has those that could be read."""
    return tuple(_statement(source, program, statement) for statement in program.statements)


def _statement(source: SourceText, program: Program, statement: Statement) -> ParsedStatement:
    line = source.position(statement.span.start).line
    canonical = program_statement_text(statement, program.mesh)
    read = ParsedStatement(line, _unread_kind(statement.node), canonical, None, (), (), False, ())
    body = statement.body
    arrays: list[ArrayReport] = []
    match body:
        case Computation():
            op = body.expr
            name = None if op.name == "contract" else op.name
            read = read._replace(kind=body.kind, op=name, dims=_names(op.contracted), local=_is_local(op))
            arrays = _arrays(program, _operands(op), body.result)
        case Collective():
            dims = (body.dim,) if body.dim is not None else ()
            read = read._replace(kind="collective", op=body.op, axes=body.axes or (), dims=_names(dims))
            arrays = _arrays(program, [body.operand], body.result)
        case Reshard():
            read = read._replace(kind="reshard")
            arrays = _arrays(program, [body.operand], body.result)
        case BareArray():
            read = read._replace(kind="array")
            arrays = _arrays(program, [body.array], None)
        case Declared() if body.array is not None:
            arrays = _arrays(program, [body.array], None)
        case Declared() | None:
            pass
    return read._replace(arrays=tuple(arrays))


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


def _operands(op: Op) -> list[Expr]:
    """Return the arrays of an expression from left to right."""
    found: list[Expr] = []
    waiting: list[Expr] = [op]
    while waiting:
        expr = waiting.pop()
        if isinstance(expr, Op):
            waiting.extend(reversed(expr.args))
        else:
            found.append(expr)
    return found


def _is_local(op: Op) -> bool:
    waiting: list[Expr] = [op]
    while waiting:
        expr = waiting.pop()
        if isinstance(expr, Op):
            if expr.local:
                return True
            waiting.extend(expr.args)
    return False


def _arrays(
    program: Program, operands: "list[Ref | Constant] | list[Expr] | list[Ref]", result: Ref | None
) -> list[ArrayReport]:
    found = [_array(program, ref, "operand") for ref in operands if isinstance(ref, Ref)]
    return found if result is None else [*found, _array(program, result, "result")]


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
    body = statement.body
    refs: list[Expr | None] = []
    match body:
        case Computation():
            refs = [*_operands(body.expr), body.result]
        case Collective() | Reshard():
            refs = [body.operand, body.result]
        case BareArray() | Declared():
            refs = [body.array]
        case None:
            pass
    return tuple(dim for ref in refs if isinstance(ref, Ref) for dim in ref.type.dims)
