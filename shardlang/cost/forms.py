"""What a price depends on: arrays, steps and statements without the names of their arrays and dimensions."""

from collections.abc import Callable
from typing import Any, NamedTuple

from shardlang.cost.names import is_literal
from shardlang.rules.plan import StatementPlan, Step, Value


class Form(NamedTuple):
    """key: all that a price depends on but names. dims: the dimensions in the order in which they come up.

    What has the same key costs the same, with its own dimensions in place of the other's.
    """

    key: tuple[Any, ...]
    dims: tuple[str, ...]


class _Numbers:
    """Gives dimensions and arrays numbers as they come up; a literal size is what it is."""

    def __init__(self, dtype_of: Callable[[Value], str]) -> None:
        self.dims: dict[str, int] = {}
        self.arrays: dict[str | None, int] = {}
        self._dtype_of = dtype_of

    def dim(self, dim: str) -> int | str:
        return dim if is_literal(dim) else self.dims.setdefault(dim, len(self.dims))

    def array(self, value: Value) -> tuple[Any, ...]:
        dims = tuple(map(self.dim, value.type.dims))
        return dims, value.type.sharding, self._dtype_of(value), value.constant is None

    def named(self, value: Value) -> tuple[Any, ...]:
        return self.arrays.setdefault(value.name, len(self.arrays)), *self.array(value)

    def step(self, step: Step, value: Callable[[Value], tuple[Any, ...]]) -> tuple[Any, ...]:
        contracted = tuple(map(self.dim, step.contracted))
        return step.kind, step.axes, contracted, tuple(map(value, step.operands)), value(step.result)


def form_of_array(value: Value, dtype_of: Callable[[Value], str]) -> Form:
    """Return the form of an array. dtype_of: the element type of a value."""
    numbers = _Numbers(dtype_of)
    return Form(numbers.array(value), tuple(numbers.dims))


def form_of_step(step: Step, dtype_of: Callable[[Value], str]) -> Form:
    """Return the form of a step, for which it does not matter which of its arrays are the same."""
    numbers = _Numbers(dtype_of)
    return Form(numbers.step(step, numbers.array), tuple(numbers.dims))


def form_of_statement(statement: StatementPlan, dtype_of: Callable[[Value], str]) -> Form:
    """Return the form of a statement."""
    numbers = _Numbers(dtype_of)
    steps = tuple(numbers.step(step, numbers.named) for step in statement.steps)
    output = None if statement.output is None else numbers.named(statement.output)
    return Form((type(statement.statement.body), steps, output), tuple(numbers.dims))
