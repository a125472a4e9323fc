"""Sizes as numbers, for a search. A symbolic size has a nominal value that only orders plans.

It never shows, and never counts as known (no divisibility check, no permute between two such axes).
"""

from math import gcd
from typing import NamedTuple

from shardlang.semantics.sharding import dim_text, is_anonymous

NOMINAL_AXIS = 8
NOMINAL_DIM = 8**7
NOMINAL_MOST = 8**14


class Sizes(NamedTuple):
    """Numbers for the search. A name that is not there, or is in `open_dims`, has only a nominal size."""

    axes: dict[str, int]
    dims: dict[str, int]
    open_dims: frozenset[str] = frozenset()
    uneven: bool = False

    def over(self, axes: tuple[str, ...]) -> "Sizes":
        """Return the sizes without those of other axes."""
        return self._replace(axes={axis: self.axes[axis] for axis in axes if axis in self.axes})

    def axis(self, name: str) -> int:
        """Return the number of devices along a mesh axis."""
        return self.axes.get(name, NOMINAL_AXIS)

    def dim(self, name: str) -> int:
        """Return the length of a dimension."""
        length = self.dims.get(name)
        if length is not None:
            return length
        return int(dim_text(name)) if is_anonymous(name) and dim_text(name).isdigit() else NOMINAL_DIM

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
    """What the layouts of an array take from the sizes: which axes are equally long, and what does not divide evenly.

    axes: name and size of each active axis, None where it is open. dims: those dimensions that some of the axes may
    not cut into equal blocks, with what their length shares with the number of devices: a divisor of that number
    divides the length if it divides the share.
    """

    axes: tuple[tuple[str, int | None], ...]
    dims: tuple[tuple[str, int], ...]

    def divides(self, dim: str, axes: tuple[str, ...]) -> bool:
        """Say whether `axes` cut `dim` into equal blocks, as far as that is known."""
        if not self.dims or not axes:
            return True
        share = next((share for name, share in self.dims if name == dim), None)
        if share is None:
            return True
        count, still_open = count_of(dict(self.axes), axes)
        return bool(still_open) or share % count == 0


def cuts_of(sizes: Sizes, dims: tuple[str, ...], active: tuple[str, ...], names: tuple[str, ...] = ()) -> Cuts:
    """Return what layouts with these dimensions and axes take from `sizes`; `names`: other names for the dimensions."""
    axes = tuple((axis, None if sizes.open_axis(axis) else sizes.axis(axis)) for axis in active)
    whole, _ = count_of(dict(axes), active)
    shares = []
    for dim, name in zip(dims, names or dims, strict=True):
        if not (sizes.uneven or sizes.open_dim(dim)) and (length := sizes.dim(dim)) % whole:
            shares.append((name, gcd(length, whole)))
    return Cuts(axes, tuple(shares))


def same_count(sizes: Sizes, axes: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """Return a key that is equal for two lists of axes if they certainly cut into equally many blocks."""
    return count_of({axis: None if sizes.open_axis(axis) else sizes.axis(axis) for axis in axes}, axes)


def count_of(known: dict[str, int | None], axes: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """Return the product of the known sizes of `axes`, and the axes of open size, sorted."""
    count = 1
    for axis in axes:
        count *= known[axis] or 1
    return (count, tuple(sorted(axis for axis in axes if known[axis] is None)))
