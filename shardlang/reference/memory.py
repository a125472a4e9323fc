"""What the simulated devices hold, by name and layout, and the whole arrays that it should mean."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from shardlang.reference.collectives import StepError
from shardlang.reference.evaluate import Named, constant
from shardlang.reference.grid import Grid
from shardlang.reference.layout import Block, Blocks, distribute
from shardlang.rules.plan import Value
from shardlang.semantics.sharding import Sharding, array_text


class Layout(NamedTuple):
    """A key of the environment: a name, the order of its dimensions, and where they lie."""

    name: str
    dims: tuple[str, ...]
    sharding: Sharding


class Memory:
    """What the devices hold, and what it should mean.

    `blocks`: for each layout that exists the local blocks. `dense`: for each name (with the order of its
    dimensions) the whole array. `made`: the names that a local operation has produced; any other name is an
    input, whose layouts come from nowhere.
    """

    def __init__(
        self, grid: Grid, sizes: Mapping[str, int], arrays: Mapping[str, Block] | None = None, seed: int = 0
    ) -> None:
        self.grid = grid
        self.sizes = sizes
        self.arrays = dict(arrays or {})
        self.rng = np.random.default_rng(seed)
        self.positive = seed % 2 == 1  # roots and logarithms of both signs would compare nothing
        self.blocks: dict[Layout, Blocks] = {}
        self.dense: dict[tuple[str, tuple[str, ...]], Named] = {}
        self.made: set[str] = set()

    def copy(self) -> "Memory":
        """Return a memory with the same content that can go its own way."""
        other = Memory(self.grid, self.sizes, self.arrays)
        other.rng, other.positive = self.rng, self.positive
        other.blocks, other.dense, other.made = dict(self.blocks), dict(self.dense), set(self.made)
        return other

    def forget(self, name: str) -> None:
        """Drop every layout of a name, which is then an input again."""
        self.blocks = {key: blocks for key, blocks in self.blocks.items() if key.name != name}
        self.dense = {key: value for key, value in self.dense.items() if key[0] != name}
        self.made.discard(name)

    def forget_after(self, number: int, last: Mapping[str, int]) -> None:
        """Drop what no statement uses after the one with this number. last: the number of the last that uses each name."""
        names = {key.name for key in self.blocks} | {name for name, _ in self.dense}
        for name in names:
            if last.get(name, -1) <= number:
                self.forget(name)

    def value(self, name: str, dims: tuple[str, ...]) -> Named:
        """Return the whole array of a name; an input that was not given gets small numbers at random."""
        known = self.dense.get((name, dims))
        if known is None:
            shape = tuple(self.sizes[dim] for dim in dims)
            given = self.arrays.get(name)
            if given is None or given.shape != shape:
                given = self._random(shape)
            known = Named(dims, given, bool(np.all(4 * given == np.rint(4 * given))))
            self.dense[name, dims] = known
        return known

    def _random(self, shape: tuple[int, ...]) -> Block:
        """Return quarters that are exact in sums and products, and that can be divided by."""
        numbers = self.rng.integers(1, 21, shape) / 4
        return np.asarray(numbers if self.positive else numbers * self.rng.choice((-1, 1), shape), dtype=np.float64)

    def admit(self, value: Value) -> None:
        """Put an input into the memory in the layout in which a statement uses it, unless it is there already."""
        key = layout_of(value)
        if key not in self.blocks and key.name not in self.made and value.constant is None:
            whole = self.value(key.name, key.dims)
            self.blocks[key] = distribute(self.grid, value.type, whole.data, self.rng)

    def read(self, value: Value) -> tuple[Blocks, Named]:
        """Return the blocks of an operand, and its whole value. Raises StepError if nobody made that layout."""
        key = layout_of(value)
        if value.constant is not None and not value.type.sharding.pending:
            number = constant(value.constant)
            return {device: number.data.copy() for device in self.grid.devices}, number
        if key not in self.blocks:
            raise StepError(f"{array_text(key.name, value.type)} is a layout that nobody made")
        return self.blocks[key], self.dense[key.name, key.dims]

    def write(self, value: Value, blocks: Blocks, whole: Named, *, rebind: bool) -> None:
        """Add a layout to a name, or (rebind) give the name a new value with only that layout."""
        key = layout_of(value)
        if rebind:
            self.forget(key.name)
            self.made.add(key.name)
        self.blocks[key] = blocks
        self.dense[key.name, key.dims] = whole


def layout_of(value: Value) -> Layout:
    """Return the key of a value in the environment; a number is known by its text, a nameless array by its dimensions."""
    name = value.name or ("" if value.constant is None else f"constant {value.constant}")
    return Layout(name, value.type.dims, value.type.sharding)
