"""What a price depends on: arrays and statements without the names of their arrays and dimensions."""

from collections.abc import Callable
from typing import Any, NamedTuple

from shardlang.cost.names import is_literal
from shardlang.rules.plan import StatementPlan, Value
from shardlang.semantics.sharding import ArrayType


class Form(NamedTuple):
    """key: all that a price depends on but names. dims: the dimensions in the order in which they come up.

    What has the same key costs the same, with its own dimensions in place of the other's.
    """

    key: tuple[Any, ...]
    dims: tuple[str, ...]


class _Numbers:
    """Gives dimensions and arrays numbers as they come up; a literal size is what it is."""

    def __init__(self) -> None:
        self.dims: dict[str, int] = {}
        self.arrays: dict[str | None, int] = {}

    def dim(self, dim: str) -> int | str:
        return dim if is_literal(dim) else self.dims.setdefault(dim, len(self.dims))

    def type(self, array: ArrayType) -> tuple[Any, ...]:
        return tuple(map(self.dim, array.dims)), array.sharding


def form_of_array(array: ArrayType) -> Form:
    """Return the form of an array."""
    numbers = _Numbers()
    return Form(numbers.type(array), tuple(numbers.dims))


def form_of_statement(statement: StatementPlan, dtype_of: Callable[[Value], str]) -> Form:
    """Return the form of a statement. dtype_of: the element type of a value."""
    numbers = _Numbers()

    def value(found: Value) -> tuple[Any, ...]:
        name = numbers.arrays.setdefault(found.name, len(numbers.arrays))
        return name, numbers.type(found.type), dtype_of(found), found.constant is None

    steps = tuple(
        (s.kind, s.axes, tuple(map(value, s.operands)), value(s.result), tuple(map(numbers.dim, s.contracted)))
        for s in statement.steps
    )
    output = None if statement.output is None else value(statement.output)
    return Form((type(statement.statement.body), steps, output), tuple(numbers.dims))
