"""A derivation as blocks that any renderer can print: headings, steps, tables, remarks.

Formulas stay SymPy expressions and statements stay notation until a renderer prints them, so that text,
Markdown and LaTeX show the same derivation.
"""

from typing import NamedTuple, TypeAlias

from sympy import Expr


class Math(NamedTuple):
    """Expressions with signs such as `=` and `>` between them, printed as one formula."""

    parts: tuple[Expr | str, ...]


class Code(NamedTuple):
    """A statement or an array in the notation, canonical text."""

    text: str


class Strong(NamedTuple):
    """Words that carry the verdict."""

    text: str


Piece: TypeAlias = str | Math | Code | Strong
Line: TypeAlias = tuple[Piece, ...]


class Heading(NamedTuple):
    """The heading of a part. level: 1 for a statement or the plan, 2 for what is said of it."""

    line: Line
    level: int = 2


class Fact(NamedTuple):
    """One thing that is said of a step: what, the formula or words, and the number where it is known."""

    label: str
    line: Line
    value: str = ""


class StepBlock(NamedTuple):
    """One step of a plan with its facts."""

    number: str
    code: Code
    facts: tuple[Fact, ...]


class Table(NamedTuple):
    """Rows of cells, columns aligned. `inner` where it belongs to the table before it."""

    rows: tuple[tuple[Line, ...], ...]
    inner: bool = False


class Items(NamedTuple):
    """Remarks, one a line."""

    lines: tuple[Line, ...]


Block: TypeAlias = Heading | StepBlock | Table | Items
