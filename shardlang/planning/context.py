"""What planning one statement needs to know."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

from shardlang.planning import tree
from shardlang.planning.budget import Work
from shardlang.planning.build import constant_value
from shardlang.planning.searches import Searches
from shardlang.planning.settings import Settings
from shardlang.planning.sizes import Sizes
from shardlang.rules.plan import Value
from shardlang.rules.signature import Signature, signature_of
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.naming import SizeNames
from shardlang.semantics.program import Constant, Expr, Op, Program, Ref, dims_of, refs_of, result_of
from shardlang.semantics.sharding import Sharding


class TextNames:
    """What the sizes of a text are called in its formulas, and what it makes; worked out once, when something asks for it."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def in_use(self) -> SizeNames:
        """The names of the dimensions and of the mesh axes that shard something."""
        return self._names(())

    @cached_property
    def all(self) -> SizeNames:
        """The names of the dimensions and of all mesh axes."""
        return self._names(axis.name for axis in self._program.mesh.axes)

    @cached_property
    def made(self) -> dict[str, int]:
        """Where the first statement stands that gives an array, by its name."""
        results = ((result_of(one.body), one.span.start) for one in reversed(self._program.statements))
        return {made.name: start for made, start in results if made is not None and made.name is not None}

    def _names(self, axes: Iterable[str]) -> SizeNames:
        arrays = [ref.type for statement in self._program.statements for ref in refs_of(statement.body)]
        used = (axis for array in arrays for axis in array.sharding.used())
        return SizeNames((dim for array in arrays for dim in array.dims), (*axes, *used))


class Context(NamedTuple):
    """What planning one statement needs to know.

    tables, names: what the statements of a text share. fresh: gives the name of an intermediate. searches: the
    plans of expressions and the ways between layouts that were searched before. bounded: the searches of the
    statement in work that stopped at a bound. others: the work on other plans that the text has left (None: no
    others are looked for).
    """

    program: Program
    tables: tree.Tables
    names: TextNames
    settings: Settings
    fresh: Callable[[Op], str]
    searches: Searches
    bounded: list[str]
    others: Work | None = None

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

    def known(self, dims: Iterable[str], axes: Iterable[str]) -> bool:
        """Say whether the size of every one of these dimensions and axes is given."""
        return not any(map(self.sizes.open_dim, dims)) and not any(map(self.sizes.open_axis, axes))

    def active(self, used: Iterable[str]) -> tuple[str, ...]:
        """Return the axes that a plan may use, in the order of the mesh: those in use, and idle ones if asked for.

        An idle axis of open size is left alone.
        """
        taken = dict.fromkeys(used)
        order = [axis.name for axis in self.program.mesh.axes]
        chosen = [axis for axis in order if axis in taken or self._may_join(axis)]
        return (*chosen, *(axis for axis in taken if axis not in order))

    def _may_join(self, axis: str) -> bool:
        return self.settings.idle_axes and not self.sizes.open_axis(axis)

    def operand_dtype(self, arg: Expr) -> str:
        """Return the element type of an operand; an intermediate has the plan's."""
        return self.value(arg).type.dtype or self.program.dtype if isinstance(arg, Ref) else self.program.dtype

    def signature(self, op: Op, dtype: str) -> Signature:
        """Return the signature of an operation whose result has the element type `dtype`."""
        constants = tuple(arg.text if isinstance(arg, Constant) else None for arg in op.args)
        narrows = op.name == "cast" and self._narrows(self.operand_dtype(op.args[0]), dtype)
        return signature_of(op.name, tuple(map(dims_of, op.args)), op.dims, op.contracted, constants, narrows)

    def _narrows(self, before: str, after: str) -> bool:
        return before != after and self.width(after) <= self.width(before)

    def value(self, leaf: Expr) -> Value:
        """Return a leaf of an expression as a value."""
        if isinstance(leaf, Constant):
            return constant_value(leaf)
        assert isinstance(leaf, Ref)
        return Value(leaf.name, leaf.type._replace(dtype=self.dtype(leaf.name, leaf.type.dtype)), leaf.constant)


class Goal(NamedTuple):
    """What the statement is to make: its name, element type, and layout (None: to be inferred)."""

    name: str | None
    dtype: str
    sharding: Sharding | None
