"""The space that a plan is searched in: every layout of an array, and the steps between them.

Source: NOTATION section 4. Layouts are the same for every array of so many dimensions, so its dimensions are called
by their place here: `0`, `1`, …
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations, permutations, product
from math import prod
from threading import Lock
from typing import NamedTuple

from shardlang.planning.budget import TooLargeError
from shardlang.planning.sizes import NOMINAL_AXIS, Cuts, Sizes, count_of, cuts_of
from shardlang.rules.collectives import moved_axes
from shardlang.rules.plan import FREE_STEPS
from shardlang.semantics.sharding import Sharding

MOST_LAYOUTS = 7_000
MOST_SHARED = 400
_LAID_OUT = 4  # what it costs to find a step, in the unit of looking at one


class Move(NamedTuple):
    """One step of an array: its kind and the layout it leads to.

    axes: those that take part, major first. dims: those whose sharding changes, lost before gained, by their places.
    """

    kind: str
    axes: tuple[str, ...]
    dims: tuple[str, ...]
    result: Sharding

    def renamed(self, names: dict[str, str]) -> "Move":
        """Return the same step under other names of the axes."""
        axes = tuple([names[axis] for axis in self.axes])
        if self.kind == "AllReduce":  # the only one whose axes have no order
            axes = tuple(sorted(axes))
        return Move(self.kind, axes, self.dims, renamed(self.result, names))


class Charge(NamedTuple):
    """What the price of a collective depends on, besides the array: its kind and axes, and the axes that cut the array.

    Both are sorted.
    """

    kind: str
    axes: tuple[str, ...]
    cut: tuple[str, ...]

    def devices(self, sizes: Mapping[str, int]) -> int:
        """Return the number of devices that take part."""
        return prod(sizes[axis] for axis in self.axes)

    def shards(self, sizes: Mapping[str, int]) -> int:
        """Return into how many shards the array is cut."""
        return prod(sizes[axis] for axis in self.cut)


class Sort(NamedTuple):
    """What it depends on whether a step is allowed."""

    kind: str
    axes: tuple[str, ...]
    dims: tuple[str, ...]


# The layout at the other end, the sort, the charge (-1: free), all by their numbers, and the step.
Edge = tuple[int, int, int, Move]


class Allowed(NamedTuple):
    """Which steps a search may take.

    free_only: no collectives. maskable: the axes that may become pending by a free step (None: every one). target: an
    axis that it has on a dimension is not gathered, nor reduced without being scattered, nor does it leave that
    dimension (None: all may).
    """

    free_only: bool = False
    maskable: tuple[str, ...] | None = None
    target: Sharding | None = None

    def allows(self, step: Sort | Move) -> bool:
        """Say whether the step may be taken."""
        kind, axes = step.kind, step.axes
        if kind in FREE_STEPS:
            if kind == "Slice":
                return True
            return (self.maskable is None or axes[0] in self.maskable) and not (kind == "Pad" and self._keeps(axes))
        if self.free_only:
            return False
        if kind == "AllToAll":
            return self.target is None or not set(self.target.axes[int(step.dims[0])]).intersection(axes)
        return kind not in ("AllGather", "AllReduce") or not self._keeps(axes)

    def renamed(self, names: dict[str, str]) -> "Allowed":
        """Return the same under other names of the axes."""
        maskable = tuple(sorted(names[axis] for axis in self.maskable)) if self.maskable is not None else None
        return Allowed(self.free_only, maskable, renamed(self.target, names) if self.target is not None else None)

    def _keeps(self, axes: tuple[str, ...]) -> bool:
        return self.target is not None and any(axis in held for held in self.target.axes for axis in axes)


ANY_STEP = Allowed()


class Layouts:
    """All layouts of an array of `rank` dimensions over the axes of `cuts`, pending in one of `kinds`, with numbers.

    sizes: of the axes, nominal where they are open. shared: kept over texts.
    """

    def __init__(self, rank: int, cuts: Cuts, kinds: tuple[str, ...] = ("sum",), shared: bool = False) -> None:
        self.shared = shared
        self.dims = tuple(map(str, range(rank)))
        self.active = tuple(axis for axis, _ in cuts.axes)
        self.cuts = cuts
        self.kinds = kinds
        self.known = list(self.states())
        self.sorts: list[Sort] = []
        self.charges: list[Charge] = []
        self._lengths = dict(cuts.axes)
        self.sizes = {axis: size or NOMINAL_AXIS for axis, size in cuts.axes}
        self._numbers = {sharding: number for number, sharding in enumerate(self.known)}
        self._sort_numbers: dict[Sort, int] = {}
        self._charge_numbers: dict[Charge, int] = {}
        self._edges: dict[int, list[Edge]] = {}
        self._into: list[list[Edge]] = []
        self._groups: dict[object, list[Sharding]] = {}
        self._images: dict[tuple[str, ...], list[int]] = {}
        self._lock = Lock()

    def number(self, sharding: Sharding) -> int:
        """Return the number of a layout."""
        return self._numbers[sharding]

    def out_of(self, number: int) -> list[Edge]:
        """Return the steps from a layout: the free ones, then the collectives."""
        found = self._edges.get(number)
        return self._find(number) if found is None else found

    def _find(self, number: int) -> list[Edge]:
        with self._lock:  # threads may share these layouts, and sorts and charges are numbered as they are met
            if number not in self._edges:
                source = self.known[number]
                cut = tuple(sorted(axis for axes in source.axes for axis in axes))
                self._edges[number] = [
                    (self.number(move.result), self._sort(move), self._charge(move, cut), move)
                    for move in self.steps(source)
                ]
            return self._edges[number]

    def into(self, number: int) -> list[Edge]:
        """Return the steps to a layout from any other; they must be laid out."""
        return self._into[number]

    def lay_out(self, spend: Callable[[int], None] | None = None) -> None:
        """Find all layouts and all steps, which is dear where there are many; `spend` takes note of it and may raise."""
        if self._into:
            return
        into: list[list[Edge]] = [[] for _ in self.known]
        for source in range(len(self.known)):
            edges = self.out_of(source)
            if spend is not None and not self.shared:
                spend(_LAID_OUT * len(edges))
            for result, sort, charge, move in edges:
                into[result].append((source, sort, charge, move))
        self._into = into

    def leading(self, number: int) -> tuple[str, ...]:
        """Return the axes that take the places of the active ones so that a layout uses equally long ones in that order."""
        used = self.known[number].used()
        left = sorted(self.active, key=lambda axis: used.index(axis) if axis in used else len(used))
        found = []
        for axis in self.active:
            found.append(next(other for other in left if self._lengths[other] == self._lengths[axis]))
            left.remove(found[-1])
        return tuple(found)

    def image(self, leading: tuple[str, ...]) -> list[int]:
        """Return for every layout the number of the one that has the active axes where it has those of `leading`."""
        found = self._images.get(leading)
        if found is None:
            names = dict(zip(leading, self.active, strict=True))
            found = self._images[leading] = [self.number(renamed(sharding, names)) for sharding in self.known]
        return found

    def _sort(self, move: Move) -> int:
        key = Sort(move.kind, move.axes, move.dims)
        found = self._sort_numbers.get(key)
        if found is None:
            found = self._sort_numbers[key] = len(self.sorts)
            self.sorts.append(key)
        return found

    def _charge(self, move: Move, cut: tuple[str, ...]) -> int:
        if move.kind in FREE_STEPS:
            return -1
        key = Charge(move.kind, tuple(sorted(move.axes)), cut)
        found = self._charge_numbers.get(key)
        if found is None:
            found = self._charge_numbers[key] = len(self.charges)
            self.charges.append(key)
        return found

    def steps(self, source: Sharding) -> Iterator[Move]:
        """Yield every step from a layout: the free ones, then the collectives (NOTATION section 4)."""
        yield from self._free(source)
        yield from self._reductions(source)
        yield from self._gathers(source)
        yield from self._exchanges(source)
        yield from self._permutes(source)

    def _free(self, source: Sharding) -> Iterator[Move]:
        used = source.used()
        kinds = (source.kind,) if source.pending else self.kinds
        for axis in self.active:
            if axis in used:
                continue
            for index, axes in enumerate(source.axes):
                if self.cuts.divides(self.dims[index], (*axes, axis)):
                    cut = _replaced(source.axes, index, (*axes, axis))
                    yield Move("Slice", (axis,), (self.dims[index],), Sharding(cut, source.pending, source.kind))
            pending = tuple(sorted((*source.pending, axis)))
            for kind in kinds:
                yield Move("Mask" if kind == "sum" else "Relabel", (axis,), (), Sharding(source.axes, pending, kind))
        if "sum" in kinds:
            for index, axes in enumerate(source.axes):
                if axes:
                    pending = tuple(sorted((*source.pending, axes[-1])))
                    cut = _replaced(source.axes, index, axes[:-1])
                    yield Move("Pad", axes[-1:], (self.dims[index],), Sharding(cut, pending))

    def _reductions(self, source: Sharding) -> Iterator[Move]:
        for count in range(len(source.pending), 0, -1):
            for chosen in combinations(source.pending, count):
                left = tuple(axis for axis in source.pending if axis not in chosen)
                kind = source.kind if left else "sum"
                yield Move("AllReduce", chosen, (), Sharding(source.axes, left, kind))
                for order in permutations(chosen):
                    for index, axes in enumerate(source.axes):
                        if self.cuts.divides(self.dims[index], axes + order):
                            cut = _replaced(source.axes, index, axes + order)
                            yield Move("ReduceScatter", order, (self.dims[index],), Sharding(cut, left, kind))

    def _gathers(self, source: Sharding) -> Iterator[Move]:
        for lengths in product(*(range(len(axes) + 1) for axes in source.axes)):
            if any(lengths):
                parts = [(axes, len(axes) - n) for axes, n in zip(source.axes, lengths, strict=True)]
                kept = tuple(axes[:left] for axes, left in parts)
                gone = tuple(axis for axes, left in parts for axis in axes[left:])
                dims = tuple(dim for dim, n in zip(self.dims, lengths, strict=True) if n)
                yield Move("AllGather", gone, dims, Sharding(kept, source.pending, source.kind))

    def _exchanges(self, source: Sharding) -> Iterator[Move]:
        for lost, axes in enumerate(source.axes):
            for left in range(len(axes) - 1, -1, -1):
                moved = axes[left:]
                rest = _replaced(source.axes, lost, axes[:left])
                for gained, there in enumerate(source.axes):
                    if gained == lost or not self.cuts.divides(self.dims[gained], there + moved):
                        continue
                    dims = (self.dims[lost], self.dims[gained])
                    for order in permutations(moved):
                        cut = _replaced(rest, gained, there + order)
                        yield Move("AllToAll", order, dims, Sharding(cut, source.pending, source.kind))

    def _permutes(self, source: Sharding) -> Iterator[Move]:
        for result in self._group(source):
            if result != source and (not result.pending or result.kind == source.kind):
                yield permute(self.dims, source, result)

    def _group(self, source: Sharding) -> list[Sharding]:
        """Return the layouts with the same local shape, which a permute can reach."""
        if not self._groups:  # whole, and then put in place: another thread must not see a part of them
            groups: dict[object, list[Sharding]] = {}
            for state in self.known:
                groups.setdefault(self._shape(state), []).append(state)
            self._groups = groups
        return self._groups.get(self._shape(source), [])

    def _shape(self, sharding: Sharding) -> tuple[object, ...]:
        return tuple(count_of(self._lengths, axes) for axes in (*sharding.axes, sharding.pending))

    def states(self) -> Iterator[Sharding]:
        """Yield every layout of the array over the active axes."""
        places = range(len(self.dims) + 2)
        for assignment in product(places, repeat=len(self.active)):
            chosen: list[list[str]] = [[] for _ in places]
            for axis, place in zip(self.active, assignment, strict=True):
                chosen[place].append(axis)
            pending = tuple(sorted(chosen[len(self.dims)]))
            for orders in product(*(permutations(axes) for axes in chosen[: len(self.dims)])):
                for kind in self.kinds if pending else ("sum",):
                    yield Sharding(orders, pending, kind)


def _replaced(axes: tuple[tuple[str, ...], ...], index: int, new: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return (*axes[:index], new, *axes[index + 1 :])


def permute(dims: tuple[str, ...], source: Sharding, result: Sharding) -> Move:
    """Return the CollectivePermute from one layout to another of the same local shape."""
    changed = tuple(dim for dim, old, new in zip(dims, source.axes, result.axes, strict=True) if old != new)
    return Move("CollectivePermute", moved_axes(source, result), changed, result)


def renamed(sharding: Sharding, names: dict[str, str]) -> Sharding:
    """Return a layout under other names of the axes."""
    axes = tuple([tuple([names[axis] for axis in shards]) for shards in sharding.axes])
    return Sharding(axes, tuple(sorted([names[axis] for axis in sharding.pending])), sharding.kind)


def layout_count(rank: int, axes: int) -> int:
    """Return about how many layouts an array has, an upper bound."""
    total = 1
    for index in range(axes):
        total *= rank + 2 + index
    return total


@lru_cache(maxsize=128)
def _shared_layouts(rank: int, cuts: Cuts, kinds: tuple[str, ...]) -> Layouts:
    return Layouts(rank, cuts, kinds, shared=True)


def layouts_of(dims: tuple[str, ...], active: tuple[str, ...], sizes: Sizes, kinds: tuple[str, ...]) -> Layouts:
    """Return the layouts of an array, those of small ones shared over texts. Raises TooLargeError at the bound."""
    count = layout_count(len(dims), len(active))
    if count > MOST_LAYOUTS:
        raise TooLargeError
    make = _shared_layouts if count <= MOST_SHARED else Layouts
    return make(len(dims), cuts_of(sizes, dims, active, tuple(map(str, range(len(dims))))), kinds)
