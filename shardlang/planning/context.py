"""What planning one statement needs to know."""

from collections.abc import Callable
from typing import NamedTuple

from shardlang.planning import tree
from shardlang.planning.build import constant_value
from shardlang.planning.settings import Settings
from shardlang.planning.space import Move, Sizes
from shardlang.rules.plan import Value
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.program import Constant, Expr, Op, Program, Ref
from shardlang.semantics.sharding import Sharding


class Context(NamedTuple):
    """What planning one statement needs to know.

    tables: what the statements of a text share. fresh: gives the name of an intermediate. solved, routes: the
    plans of expressions and the ways between layouts that were searched before. bounded: the searches of the
    statement in work that stopped at a bound.
    """

    program: Program
    tables: tree.Tables
    settings: Settings
    fresh: Callable[[Op], str]
    solved: dict[object, tree.Chosen | None]
    routes: dict[object, list[Move] | None]
    bounded: list[str]

    @property
    def sizes(self) -> Sizes:
        """The sizes of the text as numbers."""
        return self.tables.sizes

    def dtype(self, name: str | None, written: str | None) -> str:
        """Return the element type of an array: as written, as declared, else the plan's."""
        return written or self.program.declared_types.get(name or "", self.program.dtype)

    def width(self, dtype: str | None) -> float:
        """Return the bytes of one element."""
        return dtype_bytes(dtype or self.program.dtype).value or 0.0

    def value(self, leaf: Expr) -> Value:
        """Return a leaf of an expression as a value."""
        if isinstance(leaf, Constant):
            return constant_value(leaf)
        assert isinstance(leaf, Ref)
        return Value(leaf.name, leaf.type._replace(dtype=self.dtype(leaf.name, leaf.type.dtype)))


class Goal(NamedTuple):
    """What the statement is to make: its name, element type, and layout (None: to be inferred)."""

    name: str | None
    dtype: str
    sharding: Sharding | None
