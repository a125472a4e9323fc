"""The untyped tree: what was written, with the place of every node in the text that was typed.

Spellings are already normalised here (no LaTeX, no HTML, NFC), but nothing is resolved: a word such
as `I_XY` or `d_model` may still hold mesh axes, which only the declared mesh can tell
(`shardlang.semantics`). Named tuples, because a frozen dataclass costs six times as much at import.
"""

from typing import NamedTuple, TypeAlias

from shardlang.source import Span


class Word(NamedTuple):
    r"""A name as normalised: letters, digits, `_`, primes. `W_\text{in}` has the text `W_in`."""

    text: str
    span: Span


class Subscript(NamedTuple):
    """What is written under a dimension, an operation or a product: `_X`, `_{X,J}`, `@(X,Y)`.

    `parts` are the comma-separated words, each still to be split against the mesh (`XY`);
    `target` is the word after an arrow, as in `AllToAll_{Z->B}`.
    """

    parts: tuple[Word, ...]
    span: Span
    target: Word | None = None


class Number(NamedTuple):
    """A number as typed (`2`, `0.5`, `1e9`); also a constant operand of an expression."""

    text: str
    span: Span


class SizeOp(NamedTuple):
    """Arithmetic on sizes in `let`, `mesh` and `B=…`: op is one of `+ - * / // **`, or `neg` (right is None)."""

    op: str
    left: "SizeExpr"
    right: "SizeExpr | None"
    span: Span


SizeExpr: TypeAlias = Number | Word | SizeOp


class Dim(NamedTuple):
    """One entry between the brackets of an array.

    kind: `named` (`I`, `I_X`, `B=128`), `literal` (`4096`), `ellipsis` (`…`), `group` (`(B T)_X`), `hole` (`D_?`).
    `word` is the stem, or the whole word where it may still have to be split (`I_XY` unbraced: then
    `subscript` is None and the word holds `_`). `factors` are the words of a group.
    """

    kind: str
    word: Word | None
    subscript: Subscript | None
    size: "SizeExpr | None"
    span: Span
    factors: tuple[Word, ...] = ()


class Unreduced(NamedTuple):
    """The suffix `{U_X}` (pending `sum`), `{max_X}` (`max`) or `{min_X}` (`min`)."""

    pending: str
    axes: Subscript
    span: Span


class Array(NamedTuple):
    """`A[I_X, J]{U_Y}`; the name is None for `[A_X, B]`; `dims` is None for a bare name without brackets (never valid).

    A masked constant `1{U_X}` is an array with the name `1` and no dimensions.
    """

    name: Word | None
    dtype: Word | None
    dims: tuple[Dim, ...] | None
    unreduced: Unreduced | None
    span: Span


class Product(NamedTuple):
    """A product of two operands: symbol is `·` or `⊙`; `dims` the words of `·_{N,H}`, `local` for `·_LOCAL`."""

    left: "Expr"
    right: "Expr"
    symbol: str
    dims: Subscript | None
    local: bool
    symbol_span: Span
    span: Span


class Binary(NamedTuple):
    """`+`, `-` or `/` of two operands."""

    op: str
    left: "Expr"
    right: "Expr"
    span: Span


class Negate(NamedTuple):
    """Unary minus."""

    operand: "Expr"
    span: Span


class Apply(NamedTuple):
    """An operation by name: a collective or free step, a reduction, or a function.

    `op` is the canonical name (`AllGather` for `all_gather`), see `shardlang.syntax.operations`.
    """

    op: str
    name: Word
    subscript: Subscript | None
    args: tuple["Expr", ...]
    span: Span


Expr: TypeAlias = Array | Number | Product | Binary | Negate | Apply


class Formula(NamedTuple):
    """A statement proper: an expression, with the result that was written, if any.

    form: `arrow` (`… -> C[…]`), `assign` (`C[…] = …`) or `bare` (no result).
    """

    expr: Expr
    result: Array | None
    form: str
    span: Span


class MeshAxis(NamedTuple):
    """One axis of a mesh declaration; `size` may be None (`mesh X, Y`), topology is `ring`, `line`, … or None."""

    name: Word
    size: SizeExpr | None
    topology: Word | None


class MeshDecl(NamedTuple):
    """`mesh X=4, Y=2` and the Python spellings of it."""

    axes: tuple[MeshAxis, ...]
    span: Span


class HardwareDecl(NamedTuple):
    """`hardware tpu-v5p`."""

    name: Word
    span: Span


class DtypeDecl(NamedTuple):
    """`dtype bf16`."""

    name: Word
    span: Span


class LetDecl(NamedTuple):
    """`let B = 4096, F = 4*D`."""

    bindings: tuple[tuple[Word, SizeExpr], ...]
    span: Span


class ArrayDecl(NamedTuple):
    """`W_in: int8[D_X, F]`: the type of an input."""

    array: Array
    span: Span


class ExplicitDecl(NamedTuple):
    """`explicit`: from here on every communication must be written out."""

    span: Span


class RulesDecl(NamedTuple):
    """`rules batch -> X, mlp -> Y`: logical-axis rules (parsed, not supported yet)."""

    rules: tuple[tuple[Word, Word], ...]
    span: Span


Statement: TypeAlias = Formula | MeshDecl | HardwareDecl | DtypeDecl | LetDecl | ArrayDecl | ExplicitDecl | RulesDecl


class Ignore(NamedTuple):
    """What a comment ignores: codes, or all where there are none.

    `span` is from `shardlang:` on. alone: nothing else stands on its line. file: it says `ignore-file`. wrong: in words
    why it cannot be read, None for one that can; it ignores nothing then, and `codes` are those that it seems to name.
    """

    line: int
    codes: tuple[str, ...]
    span: Span
    alone: bool = False
    file: bool = False
    wrong: str | None = None


class Module(NamedTuple):
    """All statements of a text in order, and the comments that ignore findings.

    starts: where the texts of a document start, but the first, which starts it; none where it is one text. shared: the
    first one is part of each of the others.
    """

    statements: tuple[Statement, ...]
    ignores: tuple[Ignore, ...] = ()
    starts: tuple[int, ...] = ()
    shared: bool = False
