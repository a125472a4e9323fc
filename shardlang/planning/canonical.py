"""Searches under names of their own, so that statements that differ in names only share what was worked out.

Dimensions become `0`, `1`, … and mesh axes `a`, `b`, …, in the order in which layouts use them.
"""

from collections.abc import Iterable

from shardlang.planning import tree
from shardlang.planning.budget import Budget
from shardlang.planning.settings import Settings
from shardlang.planning.sizes import Sizes
from shardlang.planning.space import Move, renamed
from shardlang.rules.signature import Signature
from shardlang.semantics.sharding import Sharding

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Names:
    """The way between the names of a statement and those of a search."""

    def __init__(
        self, dims: Iterable[str], axes: tuple[str, ...], sizes: Sizes, layouts: Iterable[Sharding] = ()
    ) -> None:
        axes = tuple(dict.fromkeys([axis for layout in layouts for axis in layout.used()] + list(axes)))
        self._dims = {dim: str(number) for number, dim in enumerate(dict.fromkeys(dims))}
        self._axes = {axis: _LETTERS[number % 26] * (1 + number // 26) for number, axis in enumerate(axes)}
        self._real_dims = {new: old for old, new in self._dims.items()}
        self._real_axes = {new: old for old, new in self._axes.items()}
        self.active = tuple(self._axes.values())
        self.sizes = Sizes(
            {new: sizes.axis(old) for old, new in self._axes.items() if not sizes.open_axis(old)},
            {new: sizes.dim(old) for old, new in self._dims.items()},
            frozenset(new for old, new in self._dims.items() if sizes.open_dim(old)),
            sizes.uneven,
        )

    def key(self, by_time: bool) -> tuple[object, ...]:
        """Return what a search is known by, besides what it starts and ends with: sizes, and the axes where time decides.

        Two axes of one length may be wired in different ways.
        """
        wired = tuple(self._axes) if by_time else ()
        return (tuple(self.sizes.axes.items()), tuple(self.sizes.dims.items()), self.sizes.open_dims, wired)

    def settings(self, settings: Settings) -> Settings:
        """Return the settings with prices by the names of the search."""
        seconds, real = settings.collective_time, self._real_axes
        if seconds is None:
            return settings
        return settings._replace(
            collective_time=lambda kind, size, axes: seconds(kind, size, tuple(real[axis] for axis in axes))
        )

    def tables(self, budget: Budget) -> tree.Tables:
        """Return tables for the search that spend from `budget`."""
        return tree.Tables(self.sizes, budget)

    def dims(self, dims: tuple[str, ...]) -> tuple[str, ...]:
        """Return dimensions under the names of the search."""
        return tuple(self._dims[dim] for dim in dims)

    def axes(self, axes: tuple[str, ...]) -> tuple[str, ...]:
        """Return axes under the names of the search, in the order given."""
        return tuple(self._axes[axis] for axis in axes)

    def sharding(self, sharding: Sharding) -> Sharding:
        """Return a layout under the names of the search."""
        return renamed(sharding, self._axes)

    def node(self, node: tree.Leaf | tree.Branch) -> tree.Leaf | tree.Branch:
        """Return an expression under the names of the search."""
        if isinstance(node, tree.Leaf):
            return node._replace(dims=self.dims(node.dims), sharding=self.sharding(node.sharding))
        children = tuple(self.node(child) for child in node.children)
        return node._replace(signature=self._signature(node.signature), children=children)

    def _signature(self, signature: Signature) -> Signature:
        return signature._replace(
            operands=tuple(map(self.dims, signature.operands)),
            result=self.dims(signature.result),
            contracted=self.dims(signature.contracted),
        )

    def real_move(self, move: Move) -> Move:
        """Return a step with the axes of the statement; its dimensions stay numbers of places."""
        return move.renamed(self._real_axes)

    def real_plan(self, plan: tree.Chosen) -> tree.Chosen:
        """Return a plan under the names of the statement."""
        children = tuple(map(self.real_plan, plan.children))
        return tree.Chosen(children, renamed(plan.formed, self._real_axes), tuple(map(self.real_move, plan.moves)))
