"""The plans of an expression that are best for some sizes: found for a few meshes, whatever the dimensions are.

With the sizes of the mesh as numbers the price of a plan is linear in the lengths of the arrays: a whole number for
each product of open dimensions. A plan whose numbers are nowhere less than those of another one is never best.
So every node of the expression gets, for each layout, the set of vectors that are left; an operation combines
those of its operands by every local form. Where mesh axes are open, a handful of meshes stands for all.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from operator import mul
from typing import NamedTuple

from shardlang.planning import tree
from shardlang.planning.budget import TooLargeError, Work
from shardlang.planning.exact import ExactPrices
from shardlang.planning.forms import Form
from shardlang.planning.search import NEVER, Ways, Weights, explore, packing, whole
from shardlang.planning.space import Charge, Layouts
from shardlang.pricing.collectives import bytes_received, time_exact
from shardlang.rules.plan import REDUCING
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.sharding import Sharding
from shardlang.semantics.size import Monomial, Symbol, axis_symbol

MOST_LABELS = 24  # of one layout of one node
_MORE = 2.0**90  # seconds as whole numbers
_FEMTO = 1e-15
_PACKED = packing(price_first=True)

Powers = tuple[tuple[Symbol, int], ...]

# Sizes of the open axes, by how many there are: equal and unequal ones in both orders, small and large, an odd one.
_MESHES: dict[int, tuple[tuple[int, ...], ...]] = {
    0: ((),),
    1: ((2,), (3,), (4,), (8,), (16,), (256,)),
    2: ((2, 2), (3, 4), (4, 3), (2, 16), (16, 2), (8, 4), (4, 8), (16, 16), (2, 256), (256, 2)),
    3: ((2, 2, 2), (2, 4, 16), (16, 4, 2), (4, 16, 2), (3, 8, 4), (256, 2, 4)),
}


class Label(NamedTuple):
    """A way to have a node in some layout: its price by product of dimensions, and what decides between equal prices.

    form, children: how an operation is formed, None and nothing for an array. formed: the layout that it then has.
    ways, place: where its moves are.
    """

    vector: tuple[int, ...]
    tie: tuple[int, int, int]
    form: Form | None
    children: "tuple[Label, ...]"
    formed: Sharding
    ways: Ways
    place: int

    def chosen(self) -> tree.Chosen:
        """Return the plan."""
        _, moves = self.ways.way(self.place)
        return tree.Chosen(tuple(child.chosen() for child in self.children), self.formed, tuple(moves))


class Frontier:
    """Looks for plans of one expression that leads to one layout. bounded: whether it stopped at a bound."""

    def __init__(
        self,
        prices: ExactPrices,
        node: tree.Leaf | tree.Branch,
        active: tuple[str, ...],
        target: Sharding,
        work: Work,
    ) -> None:
        self.prices, self.node, self.active, self.target = prices, node, active, target
        self.bounded = False
        self.work = work
        self._tables = prices.context.tables
        self.kinds = tree.kinds_of(node, target)
        products = [*_products(node)] if prices.timed else [_dims(leaf) for leaf in _nodes(node)]
        self._places = {
            key: number for number, key in enumerate(dict.fromkeys(self._open(self._length(dims)) for dims in products))
        }

    def plans(self) -> list[tree.Chosen]:
        """Return the plans that are best for some dimensions on one of the meshes, without those that are seen not to be."""
        found: dict[tree.Chosen, None] = {}
        try:
            for mesh in self.meshes():
                found.update(dict.fromkeys(label.chosen() for label in _Solver(self, mesh).root()))
        except TooLargeError:
            self.bounded = True
        return list(found)

    def meshes(self) -> list[dict[str, int]]:
        """Return the meshes that are looked at: known sizes as they are."""
        sizes, axes = self._tables.sizes, self.prices.axes
        known = {axis: sizes.axis(axis) for axis in axes if not sizes.open_axis(axis)}
        unknown = [axis for axis in axes if axis not in known]
        units = [self.prices.units.get(axis, 1) for axis in unknown]
        filled = _MESHES.get(
            len(unknown), ((2,) * len(unknown), (4,) * len(unknown), tuple(range(2, 2 + len(unknown))))
        )
        return [known | dict(zip(unknown, map(mul, chosen, units), strict=True)) for chosen in filled]

    def layouts(self, node: tree.Leaf | tree.Branch) -> Layouts:
        """Return the layouts of the array that a node makes. Raises TooLargeError at the bound."""
        return self._tables.layouts(_dims(node), self.active, self.kinds)

    def spend(self, count: int) -> None:
        """Take note of work. Raises TooLargeError when nothing is left."""
        self.work.spend(count)

    def place(self, dims: tuple[str, ...], mesh: Mapping[str, int]) -> tuple[int, Monomial]:
        """Return the place of a product of dimensions in a vector, and the number that it counts there."""
        length = self._length(dims)
        at = self._open(length)
        rest = Monomial(length.numerator, length.denominator)
        for symbol, power in length.powers:
            if (symbol, power) not in at:
                rest = rest * Monomial(mesh[symbol.name]) ** power
        return self._places[at], rest

    @property
    def width(self) -> int:
        """The length of a vector."""
        return len(self._places)

    def _length(self, dims: tuple[str, ...]) -> Monomial:
        total = Monomial(1)
        for dim in dims:
            total = total * self.prices.dim(dim)
        return total

    def _open(self, length: Monomial) -> Powers:
        axes = {axis_symbol(axis) for axis in self.prices.axes}
        return tuple(item for item in length.powers if item[0] not in axes)


class _Solver:
    """Finds the labels of every node for one mesh."""

    def __init__(self, frontier: Frontier, mesh: dict[str, int]) -> None:
        self._frontier, self._mesh = frontier, mesh
        self._scale = 1
        for size in mesh.values():
            self._scale *= size * size
        self._links = frontier.prices.links_on(mesh)

    def root(self) -> list[Label]:
        """Return the labels of the whole expression in the layout that is asked for."""
        frontier, node = self._frontier, self._frontier.node
        layouts, weights = frontier.layouts(node), self._weights(node)
        end, where = layouts.number(frontier.target), frontier.place(_dims(node), self._mesh)
        if isinstance(node, tree.Leaf):
            return self._moved(node, self._ways(layouts, weights, node.sharding), end, where)
        back = self._ways(layouts, weights, frontier.target, backwards=True)
        found: list[Label] = []
        for formed, labels in self._formed(node).items():
            found += _added(labels, where, back, layouts.number(formed))
        return self._least(found)

    def _reached(self, node: tree.Leaf | tree.Branch) -> dict[Sharding, list[Label]]:
        """Return the labels of each layout that a node can be brought to."""
        frontier = self._frontier
        layouts, weights = frontier.layouts(node), self._weights(node)
        where = frontier.place(_dims(node), self._mesh)
        if isinstance(node, tree.Leaf):
            ways = self._ways(layouts, weights, node.sharding)
            return {state: self._moved(node, ways, at, where) for at, state in enumerate(layouts.known)}
        found: dict[Sharding, list[Label]] = {}
        for formed, labels in self._formed(node).items():
            ways = self._ways(layouts, weights, formed)
            for at, state in enumerate(layouts.known):
                frontier.spend(len(labels))
                found.setdefault(state, []).extend(_added(labels, where, ways, at))
        return {state: self._least(labels) for state, labels in found.items()}

    def _ways(self, layouts: Layouts, weights: Weights, end: Sharding, backwards: bool = False) -> Ways:
        return explore(layouts, weights, {layouts.number(end): 0}, self._frontier.spend, backwards=backwards)

    def _least(self, labels: list[Label]) -> list[Label]:
        kept = pareto(labels, self._frontier.spend)
        if len(kept) > MOST_LABELS:
            self._frontier.bounded = True
        return kept[:MOST_LABELS]

    def _moved(self, node: tree.Leaf, ways: Ways, at: int, where: tuple[int, Monomial]) -> list[Label]:
        start = Label((0,) * self._frontier.width, (0, 0, 0), None, (), node.sharding, ways, at)
        return _added([start], where, ways, at)

    def _formed(self, node: tree.Branch) -> dict[Sharding, list[Label]]:
        """Return the labels of each layout that the operation gives by itself."""
        frontier = self._frontier
        children = [self._reached(child) for child in node.children]
        found: dict[Sharding, list[Label]] = {}
        arithmetic: dict[tuple[str, ...], tuple[int, int]] = {}
        place, number = frontier.place(node.signature.dims(), self._mesh) if frontier.prices.timed else (0, Monomial(0))
        for form in frontier.prices.context.tables.forms(node.signature, frontier.active, frontier.kinds):
            lists = [child.get(sharding, ()) for child, sharding in zip(children, form.operands, strict=True)]
            if form.cut not in arithmetic:
                arithmetic[form.cut] = self._arithmetic(node, form.cut)
            price, flops = arithmetic[form.cut]
            count = 1
            for labels in lists:
                count *= len(labels)
            frontier.spend(count)
            for chosen in product(*lists):
                label = _combined(chosen, form, frontier.width)
                vector = list(label.vector)
                vector[place] += price * number.numerator // number.denominator
                tie = (label.tie[0], label.tie[1] + flops, label.tie[2])
                found.setdefault(form.result, []).append(label._replace(vector=tuple(vector), tie=tie))
        return {layout: self._least(labels) for layout, labels in found.items()}

    def _arithmetic(self, node: tree.Branch, cut: tuple[str, ...]) -> tuple[int, int]:
        """Return the price of an operation for each product of its dimensions, and its FLOPs with nominal ones."""
        flops = 2 if node.signature.contracted and len(node.signature.operands) > 1 else 1
        shards = 1
        for axis in cut:
            shards *= self._mesh[axis]
        total = flops
        for dim in node.signature.dims():
            total *= self._frontier.prices.context.sizes.dim(dim)
        seconds = flops / shards * node.flops_price * _FEMTO
        return (round(seconds * _MORE) if self._frontier.prices.timed else 0), total // shards

    def _weights(self, node: tree.Leaf | tree.Branch) -> Weights:
        reduced = self._frontier.prices.context.settings.reduce_dtype
        width = dtype_bytes(reduced).value if reduced is not None else None

        def price(charge: Charge) -> int:
            return self._price(charge, width if width is not None and charge.kind in REDUCING else node.element_bytes)

        return Weights(self._frontier.layouts(node), price, _PACKED)

    def _price(self, charge: Charge, width: float) -> int:
        """Return the price of a step for each element of the whole array, as a whole number that is exact for bytes."""
        shards = charge.shards(self._mesh)
        if not self._frontier.prices.timed:
            held = round(8 * width) * (self._scale // shards)
            return round(float(bytes_received(charge.kind, held, charge.devices(self._mesh))))
        links = [self._links[axis] for axis in charge.axes]
        return whole(float(time_exact(charge.kind, width / shards, links)) * _MORE)


def pareto(labels: Iterable[Label], spend: Callable[[int], None] = lambda count: None) -> list[Label]:
    """Return the labels that no other one is at least as good as, product by product; of equal ones the first by ties.

    spend: takes note of the work, and may raise.
    """
    kept: list[Label] = []
    for label in sorted(labels, key=lambda label: (label.vector, label.tie)):
        vector = label.vector
        spend(len(kept) // 4)
        if not any(_covers(other.vector, vector) for other in kept):
            kept.append(label)
    return kept


def _covers(small: Sequence[int], large: Sequence[int]) -> bool:
    return all(map(int.__le__, small, large))


def _added(labels: list[Label], where: tuple[int, Monomial], ways: Ways, at: int) -> list[Label]:
    """Return labels with moves of the array after them, none if there is no way."""
    cost = ways.cost(at)
    if cost >= NEVER:
        return []
    price, collectives, _, free = _PACKED.unpack(cost)
    place, number = where
    more = price * number.numerator // number.denominator
    found = []
    for label in labels:
        vector = list(label.vector)
        vector[place] += more
        tie = (label.tie[0] + collectives, label.tie[1], label.tie[2] + free)
        found.append(label._replace(vector=tuple(vector), tie=tie, ways=ways, place=at))
    return found


def _combined(children: tuple[Label, ...], form: Form, width: int) -> Label:
    vector = tuple(map(sum, zip(*(child.vector for child in children), strict=True))) or (0,) * width
    ties = [sum(child.tie[at] for child in children) for at in range(3)]
    first = children[0]
    return Label(vector, (ties[0], ties[1], ties[2]), form, children, form.result, first.ways, first.place)


def _dims(node: tree.Leaf | tree.Branch) -> tuple[str, ...]:
    return node.dims if isinstance(node, tree.Leaf) else node.signature.result


def _nodes(node: tree.Leaf | tree.Branch) -> Iterator[tree.Leaf | tree.Branch]:
    yield node
    if isinstance(node, tree.Branch):
        for child in node.children:
            yield from _nodes(child)


def _products(node: tree.Leaf | tree.Branch) -> Iterator[tuple[str, ...]]:
    for here in _nodes(node):
        yield _dims(here)
        if isinstance(here, tree.Branch):
            yield here.signature.dims()
