"""The resolved tree: every word has its meaning, every array its type.

A `Program` is what `resolve` makes of a `Module`. A statement that was refused stands in it with
`ok=False`, so that nothing above looks at half-checked code.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from shardlang.semantics.sharding import ArrayType
from shardlang.semantics.size import Monomial
from shardlang.semantics.topology import Topology
from shardlang.source import Span
from shardlang.syntax import ast


class MeshAxis(NamedTuple):
    """A mesh axis; the size is None while it is symbolic, the topology None where the hardware's own rule is meant."""

    name: str
    size: int | None = None
    topology: Topology | None = None


class Mesh(NamedTuple):
    """The axes in order. `declared` is false where no mesh was given: then the axes are those that the text uses."""

    axes: tuple[MeshAxis, ...] = ()
    declared: bool = False

    def size(self, axis: str) -> int | None:
        """Return the size of `axis`, None if it is symbolic or not on the mesh."""
        return next((a.size for a in self.axes if a.name == axis), None)


class Ref(NamedTuple):
    """An array as operand or result. The name is None for `[A_X, B]`; `constant` is the number that was masked, if any."""

    name: str | None
    type: ArrayType
    span: Span
    node: ast.Array
    constant: str | None = None


class Constant(NamedTuple):
    """A number as operand."""

    text: str
    span: Span


class Op(NamedTuple):
    """A local operation by name, see `shardlang.syntax.operations`.

    name: `contract`, `hadamard`, `add`, `subtract`, `divide`, `negate`, `sum`, `mean`, `max`, `min`, or a
    function (`gelu`, `maximum`, …). `contracted` are the dimensions that a product or reduction sums over
    (resolved, also where the text leaves them to the rule); `dims` those of the result, in order;
    `local` is true for `·_LOCAL`.
    """

    name: str
    args: "tuple[Expr, ...]"
    contracted: tuple[str, ...]
    dims: tuple[str, ...]
    local: bool
    span: Span


class Collective(NamedTuple):
    """An explicit collective or free step; as an operand it has no result.

    `axes` is None where the text leaves them to the two sides. `dim` is the dimension in the subscript
    (`ReduceScatter_{X,K}`), None where none is written.
    """

    op: str
    axes: tuple[str, ...] | None
    dim: str | None
    operand: "Expr"
    result: Ref | None
    subscript_span: Span | None
    span: Span


Expr: TypeAlias = Ref | Constant | Op | Collective


def dims_of(expr: Expr) -> tuple[str, ...]:
    """Return the dimensions of an operand, in order; a constant has none, a collective keeps those of its own."""
    while isinstance(expr, Collective):
        expr = expr.operand
    if isinstance(expr, Ref):
        return expr.type.dims
    return expr.dims if isinstance(expr, Op) else ()


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield every part of an expression: each operation before its operands, these from the left."""
    waiting: list[Expr] = [expr]
    while waiting:
        here = waiting.pop()
        yield here
        if isinstance(here, Op):
            waiting += reversed(here.args)
        elif isinstance(here, Collective):
            waiting.append(here.operand)


def arrays_in(expr: Expr) -> Iterator[Ref]:
    """Yield the arrays of an expression, from the left."""
    return (part for part in walk(expr) if isinstance(part, Ref))


def holds_collective(expr: Expr) -> bool:
    """Say whether a collective stands in an expression."""
    return any(isinstance(part, Collective) for part in walk(expr))


def has_local(expr: Expr) -> bool:
    """Say whether an operation of an expression is marked `_LOCAL`."""
    return any(isinstance(part, Op) and part.local for part in walk(expr))


class Computation(NamedTuple):
    """One local operation or a nested expression of them. kind: `contraction`, `elementwise`, `reduction`."""

    kind: str
    expr: Op
    result: Ref | None


class Reshard(NamedTuple):
    """`A[I_X, J] -> A[I, J_X]`; with the dimensions in another order also a transpose."""

    operand: Ref
    result: Ref


class BareArray(NamedTuple):
    """An array that stands alone: checked and priced, makes and uses no layout."""

    array: Ref


class Declared(NamedTuple):
    """A declaration; `array` where it gives the type of an input."""

    array: Ref | None = None


Body: TypeAlias = Computation | Collective | Reshard | BareArray | Declared


def operands_of(body: Body | None) -> tuple[Ref, ...]:
    """Return the arrays that a statement is about, without its result, from the left."""
    match body:
        case Computation(expr=expr) | Collective(operand=expr) | Reshard(operand=expr):
            return tuple(arrays_in(expr))
        case BareArray(array=array) | Declared(array=array):
            return (array,) if array is not None else ()
        case None:
            return ()


def result_of(body: Body | None) -> Ref | None:
    """Return the result that a statement writes, None where it writes none."""
    return body.result if isinstance(body, Computation | Collective | Reshard) else None


def refs_of(body: Body | None) -> tuple[Ref, ...]:
    """Return every array of a statement in the order of operands and result."""
    result = result_of(body)
    return operands_of(body) if result is None else (*operands_of(body), result)


class Statement(NamedTuple):
    """One statement. `body` is None if it could not be resolved at all; `ok` is false if it was refused.

    `explicit` is true where an `explicit` declaration forbids inferred communication.
    """

    body: Body | None
    form: str
    ok: bool
    explicit: bool
    node: ast.Statement
    span: Span


class Program(NamedTuple):
    """A resolved text. `sizes` has what is known of dimensions: a number, or a monomial of other sizes."""

    mesh: Mesh
    sizes: dict[str, Monomial]
    dtype: str
    hardware: str | None
    declared_types: dict[str, str]  # element type of a name, where a declaration or a typed use gives it
    statements: tuple[Statement, ...]
    hardware_values: Mapping[str, float] = MappingProxyType(
        {}
    )  # hardware symbols that the text or an option gives: `W_hbm`, in byte/s
    uneven: bool = False  # dimensions that do not divide are padded


def stands_alone(statement: Statement) -> bool:
    """Say whether a statement is just an array: it is checked and priced, and computes nothing."""
    node = statement.node
    return isinstance(node, ast.Formula) and node.result is None and isinstance(node.expr, ast.Array)
