"""The space that a plan is searched in: every layout of one array, and the steps between them.

Source: NOTATION section 4. Sizes are numbers here; a symbolic size has a nominal value that only orders
plans, never shows, and never counts as known (no divisibility check, no permute between two such axes).
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import NamedTuple

from shardlang.rules.collectives import moved_axes
from shardlang.semantics.sharding import Sharding, dim_text, is_anonymous

NOMINAL_AXIS = 8
NOMINAL_DIM = 8**7
NOMINAL_MOST = 8**14

# A step takes some five microseconds to look at.
STEPS_A_STATEMENT = 150_000
STEPS_A_TEXT = 1_500_000
MOST_LAYOUTS = 7_000
MOST_SHARED = 400


class Sizes(NamedTuple):
    """Numbers for the search. A name that is not there, or is in `open_dims`, has only a nominal size."""

    axes: dict[str, int]
    dims: dict[str, int]
    open_dims: frozenset[str] = frozenset()
    uneven: bool = False

    def axis(self, name: str) -> int:
        """Return the number of devices along a mesh axis."""
        return self.axes.get(name, NOMINAL_AXIS)

    def dim(self, name: str) -> int:
        """Return the length of a dimension."""
        if is_anonymous(name) and dim_text(name).isdigit():
            return int(dim_text(name))
        return self.dims.get(name, NOMINAL_DIM)

    def open_axis(self, name: str) -> bool:
        """Say whether the size of a mesh axis is only nominal."""
        return name not in self.axes

    def open_dim(self, name: str) -> bool:
        """Say whether the size of a dimension is only nominal."""
        if is_anonymous(name):
            return not dim_text(name).isdigit()
        return name in self.open_dims or name not in self.dims

    def shards(self, axes: tuple[str, ...]) -> int:
        """Return into how many shards `axes` cut a dimension."""
        count = 1
        for axis in axes:
            count *= self.axis(axis)
        return count

    def divides(self, dim: str, axes: tuple[str, ...]) -> bool:
        """Say whether `axes` cut `dim` into equal blocks, as far as that is known."""
        if self.uneven or not axes or self.open_dim(dim) or any(self.open_axis(axis) for axis in axes):
            return True
        return self.dim(dim) % self.shards(axes) == 0


class Cuts(NamedTuple):
    """What a space takes from the sizes: which axes are equally long, and which dimensions do not divide evenly.

    axes: name and size of each active axis, None where it is open. dims: name and length of those dimensions that some
    of the axes may not cut into equal blocks.
    """

    axes: tuple[tuple[str, int | None], ...]
    dims: tuple[tuple[str, int], ...]

    def divides(self, dim: str, axes: tuple[str, ...]) -> bool:
        """Say whether `axes` cut `dim` into equal blocks, as far as that is known."""
        length = next((size for name, size in self.dims if name == dim), None)
        if length is None or not axes:
            return True
        known = dict(self.axes)
        count = 1
        for axis in axes:
            size = known[axis]
            if size is None:
                return True
            count *= size
        return length % count == 0


def cuts_of(sizes: Sizes, dims: tuple[str, ...], active: tuple[str, ...]) -> Cuts:
    """Return what a space with these dimensions and axes takes from `sizes`."""
    axes = tuple((axis, None if sizes.open_axis(axis) else sizes.axis(axis)) for axis in active)
    whole = 1
    for _, size in axes:
        whole *= size or 1
    uneven = () if sizes.uneven else tuple(dim for dim in dims if not sizes.open_dim(dim) and sizes.dim(dim) % whole)
    return Cuts(axes, tuple((dim, sizes.dim(dim)) for dim in uneven))


class Move(NamedTuple):
    """One step of an array: its kind and the layout it leads to.

    axes: those that take part, major first. dims: those whose sharding changes, lost before gained.
    """

    kind: str
    axes: tuple[str, ...]
    dims: tuple[str, ...]
    result: Sharding


class TooLargeError(Exception):
    """The search space is larger than the bound, or the work for this statement is spent."""


class Budget:
    """How many steps searches may still look at: for the statement in work, and for the whole text."""

    def __init__(self) -> None:
        self._text = STEPS_A_TEXT
        self._statement = STEPS_A_STATEMENT

    def renew(self) -> None:
        """Begin a statement."""
        self._statement = STEPS_A_STATEMENT

    def spend(self, count: int) -> None:
        """Take note of `count` steps. Raises TooLargeError when nothing is left."""
        self._statement -= count
        self._text -= count
        if self._statement < 0 or self._text < 0:
            raise TooLargeError


class Layouts:
    """All layouts of an array with dimensions `dims` over the mesh axes `active`, pending in one of `kinds`.

    Only axes in `maskable` (None: every one) may become pending by a free step. An axis that `target` has on a
    dimension is not gathered, nor reduced without being scattered, nor does it leave that dimension (None: all may).
    """

    def __init__(
        self,
        dims: tuple[str, ...],
        active: tuple[str, ...],
        cuts: Cuts,
        kinds: tuple[str, ...] = ("sum",),
        maskable: tuple[str, ...] | None = None,
        target: Sharding | None = None,
    ) -> None:
        self.dims = dims
        self.active = active
        self.cuts = cuts
        self.kinds = kinds
        self.maskable = active if maskable is None else maskable
        self._anchored = tuple(map(frozenset, target.axes)) if target is not None else (frozenset[str](),) * len(dims)
        self._kept = frozenset[str]().union(*self._anchored)
        self._groups: dict[object, list[Sharding]] | None = None
        self._moves: dict[tuple[Sharding, bool], tuple[Move, ...]] = {}

    def moves(self, sharding: Sharding, free_only: bool = False) -> tuple[Move, ...]:
        """Return every step from `sharding`: the free ones, then the collectives."""
        found = self._moves.get((sharding, free_only))
        if found is None:
            found = self._moves[sharding, free_only] = tuple(self._find_moves(sharding, free_only))
        return found

    def _find_moves(self, sharding: Sharding, free_only: bool) -> Iterator[Move]:
        used = sharding.used()
        yield from self._free(sharding, [axis for axis in self.active if axis not in used])
        if free_only:
            return
        yield from self._reductions(sharding)
        yield from self._gathers(sharding)
        yield from self._exchanges(sharding)
        yield from self._permutes(sharding)

    def _with(self, sharding: Sharding, changes: dict[int, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
        return tuple(changes.get(index, axes) for index, axes in enumerate(sharding.axes))

    def _sharding(self, axes: tuple[tuple[str, ...], ...], pending: tuple[str, ...], kind: str) -> Sharding:
        return Sharding(axes, pending, kind if pending else "sum")

    def _free(self, sharding: Sharding, idle: list[str]) -> Iterator[Move]:
        kinds = (sharding.kind,) if sharding.pending else self.kinds
        for axis in idle:
            for index, axes in enumerate(sharding.axes):
                if self.cuts.divides(self.dims[index], (*axes, axis)):
                    cut = self._with(sharding, {index: (*axes, axis)})
                    yield Move("Slice", (axis,), (self.dims[index],), Sharding(cut, sharding.pending, sharding.kind))
            if axis in self.maskable:
                pending = tuple(sorted((*sharding.pending, axis)))
                for kind in kinds:
                    step = "Mask" if kind == "sum" else "Relabel"
                    yield Move(step, (axis,), (), Sharding(sharding.axes, pending, kind))
        if "sum" in kinds:
            for index, axes in enumerate(sharding.axes):
                if axes and axes[-1] in self.maskable and axes[-1] not in self._kept:
                    pending = tuple(sorted((*sharding.pending, axes[-1])))
                    cut = self._with(sharding, {index: axes[:-1]})
                    yield Move("Pad", (axes[-1],), (self.dims[index],), Sharding(cut, pending))

    def _reductions(self, sharding: Sharding) -> Iterator[Move]:
        for count in range(len(sharding.pending), 0, -1):
            for chosen in combinations(sharding.pending, count):
                left = tuple(axis for axis in sharding.pending if axis not in chosen)
                if self._kept.isdisjoint(chosen):
                    yield Move("AllReduce", chosen, (), self._sharding(sharding.axes, left, sharding.kind))
                for order in permutations(chosen):
                    for index, axes in enumerate(sharding.axes):
                        if self.cuts.divides(self.dims[index], axes + order):
                            cut = self._with(sharding, {index: axes + order})
                            result = self._sharding(cut, left, sharding.kind)
                            yield Move("ReduceScatter", order, (self.dims[index],), result)

    def _gathers(self, sharding: Sharding) -> Iterator[Move]:
        for lengths in product(*(range(_loose(axes, self._kept) + 1) for axes in sharding.axes)):
            if not any(lengths):
                continue
            kept = tuple(axes[: len(axes) - n] for axes, n in zip(sharding.axes, lengths, strict=True))
            gone = tuple(axis for axes, n in zip(sharding.axes, lengths, strict=True) for axis in axes[len(axes) - n :])
            dims = tuple(dim for dim, n in zip(self.dims, lengths, strict=True) if n)
            yield Move("AllGather", gone, dims, Sharding(kept, sharding.pending, sharding.kind))

    def _exchanges(self, sharding: Sharding) -> Iterator[Move]:
        for source, axes in enumerate(sharding.axes):
            for count in range(1, _loose(axes, self._anchored[source]) + 1):
                moved = axes[len(axes) - count :]
                for target, there in enumerate(sharding.axes):
                    if target == source or not self.cuts.divides(self.dims[target], there + moved):
                        continue
                    dims = (self.dims[source], self.dims[target])
                    for order in permutations(moved):
                        cut = self._with(sharding, {source: axes[: len(axes) - count], target: there + order})
                        yield Move("AllToAll", order, dims, Sharding(cut, sharding.pending, sharding.kind))

    def _permutes(self, sharding: Sharding) -> Iterator[Move]:
        for result in self._group(sharding):
            if result != sharding and (not result.pending or result.kind == sharding.kind):
                yield permute(self.dims, sharding, result)

    def _group(self, sharding: Sharding) -> list[Sharding]:
        """Return the layouts with the same local shape, which a permute can reach."""
        if self._groups is None:
            self._groups = {}
            for state in self.states():
                self._groups.setdefault(self._shape(state), []).append(state)
        return self._groups.get(self._shape(sharding), [])

    def _shape(self, sharding: Sharding) -> tuple[object, ...]:
        known = dict(self.cuts.axes)
        return tuple(_count(known, axes) for axes in (*sharding.axes, sharding.pending))

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


def layout_count(dims: int, axes: int) -> int:
    """Return about how many layouts an array has, an upper bound."""
    total = 1
    for index in range(axes):
        total *= dims + 2 + index
    return total


@lru_cache(maxsize=64)
def _shared_layouts(
    dims: tuple[str, ...],
    active: tuple[str, ...],
    cuts: Cuts,
    kinds: tuple[str, ...],
    maskable: tuple[str, ...] | None,
    target: Sharding | None,
) -> Layouts:
    return Layouts(dims, active, cuts, kinds, maskable, target)


class Space:
    """The layouts of one array and how large it is in each. Small ones share their layouts and steps over texts."""

    def __init__(
        self,
        dims: tuple[str, ...],
        active: tuple[str, ...],
        sizes: Sizes,
        kinds: Iterable[str] = ("sum",),
        maskable: tuple[str, ...] | None = None,
        target: Sharding | None = None,
    ) -> None:
        """Make the space; the arguments are those of `Layouts`. Raises TooLargeError at the bound."""
        count = layout_count(len(dims), len(active))
        if count > MOST_LAYOUTS:
            raise TooLargeError
        make = _shared_layouts if count <= MOST_SHARED else Layouts
        self.layouts = make(
            dims, active, cuts_of(sizes, dims, active), tuple(dict.fromkeys(kinds)) or ("sum",), maskable, target
        )
        self._sizes = {axis: sizes.axis(axis) for axis in active}
        self._other = sizes
        self._elements = 1
        for dim in dims:
            self._elements *= sizes.dim(dim)

    def local_elements(self, sharding: Sharding) -> float:
        """Return how many elements one device holds of the array in layout `sharding`."""
        shards = 1
        for axes in sharding.axes:
            for axis in axes:
                shards *= self._sizes.get(axis) or self._other.axis(axis)
        return self._elements / shards

    def moves(self, sharding: Sharding, free_only: bool = False) -> tuple[Move, ...]:
        """Return every step from `sharding`: the free ones, then the collectives."""
        return self.layouts.moves(sharding, free_only)

    def states(self) -> Iterator[Sharding]:
        """Yield every layout of the array over the active axes."""
        return self.layouts.states()


def _loose(axes: tuple[str, ...], held: frozenset[str]) -> int:
    """Return how many minor axes may leave a dimension that holds on to some."""
    return len(axes) - max((index + 1 for index, axis in enumerate(axes) if axis in held), default=0)


def same_count(sizes: Sizes, axes: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """Return a key that is equal for two lists of axes if they certainly cut into equally many blocks."""
    return _count({axis: None if sizes.open_axis(axis) else sizes.axis(axis) for axis in axes}, axes)


def _count(known: dict[str, int | None], axes: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    count = 1
    for axis in axes:
        count *= known[axis] or 1
    return (count, tuple(sorted(axis for axis in axes if known[axis] is None)))


def permute(dims: tuple[str, ...], source: Sharding, result: Sharding) -> Move:
    """Return the CollectivePermute from one layout to another of the same local shape."""
    changed = tuple(dim for dim, old, new in zip(dims, source.axes, result.axes, strict=True) if old != new)
    return Move("CollectivePermute", moved_axes(source, result), changed, result)


Price = Callable[[str, float, tuple[str, ...]], int]
