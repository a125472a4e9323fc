"""Which device holds which block of an array, for every device of a mesh.

Source: NOTATION section 1: `I_{XY}` puts block x·|Y| + y on device (x, y).
"""

from collections.abc import Mapping
from itertools import product
from math import prod
from typing import NamedTuple

from shardlang.semantics.sharding import ArrayType, array_text, dim_text


class Cut(NamedTuple):
    """A dimension in blocks. size: None while open. axes: those that shard it, major to minor."""

    dim: str
    parts: int
    size: int | None
    axes: tuple[str, ...]

    def label(self, block: int) -> str:
        """Return how a block is called: `I0`, or `:` for a dimension that is whole."""
        if self.parts == 1:
            return ":"
        return f"{self.dim}{'.' if self.dim[-1:].isdigit() else ''}{block}"

    def extent(self, block: int) -> str:
        """Return the indices of a block, `0:4`; empty where the size is open. Blocks are padded where it does not divide."""
        if self.size is None:
            return ""
        if self.parts == 1:
            return ":"
        length = -(-self.size // self.parts)
        return f"{min(block * length, self.size)}:{min((block + 1) * length, self.size)}"


class Holder(NamedTuple):
    """A device: its coordinates, the block that it holds in each dimension, and the number of its addend."""

    device: tuple[int, ...]
    block: tuple[int, ...]
    addend: int


class Layout(NamedTuple):
    """An array on a mesh. pending, kind: the axes with addends (or candidates) only; copies: those with copies."""

    text: str
    cuts: tuple[Cut, ...]
    holders: tuple[Holder, ...]
    addends: int
    pending: tuple[str, ...]
    kind: str
    copies: tuple[str, ...]

    def label(self, block: tuple[int, ...]) -> str:
        """Return how a block is called: `I0 J1`; the dimensions that are whole go without saying."""
        parts = [cut.label(at) for cut, at in zip(self.cuts, block, strict=True) if cut.parts > 1]
        return " ".join(parts) or "all"

    def extent(self, block: tuple[int, ...]) -> str:
        """Return the indices of a block, `[0:4, :]`; empty where a size is open or the block is all of it."""
        parts = [cut.extent(at) for cut, at in zip(self.cuts, block, strict=True)]
        return f"[{', '.join(parts)}]" if all(parts) and set(parts) != {":"} else ""

    def addend_text(self, number: int) -> str:
        """Return what is said of an addend, empty where the device holds the value itself."""
        if self.addends == 1:
            return ""
        return f"{'addend' if self.kind == 'sum' else 'candidate'} {number} of {self.addends}"

    def words(self) -> tuple[str, ...]:
        """Return what is to be known of the layout, a sentence for each dimension and each kind of axis."""
        said = [_cut_words(cut) for cut in self.cuts]
        if self.pending:
            over = ", ".join(self.pending)
            what = {"sum": "an addend only; their sum is the value"}.get(
                self.kind, f"a candidate only; their {self.kind} is the value"
            )
            said.append(f"over {over} each device has {what}")
        if self.copies:
            said.append(f"over {', '.join(self.copies)} devices hold copies")
        return tuple(said)


def _cut_words(cut: Cut) -> str:
    if cut.parts == 1:
        size = "" if cut.size is None or cut.dim == str(cut.size) else f" = {cut.size}"
        return f"{cut.dim}{size} whole on every device"
    size = "" if cut.size is None else f" of {-(-cut.size // cut.parts)}"
    return f"{cut.dim} in {cut.parts} blocks{size} over {', '.join(cut.axes)}"


def layout_of(name: str | None, array: ArrayType, mesh: Mapping[str, int], sizes: Mapping[str, int]) -> Layout:
    """Return the layout of an array. mesh: axes in order with sizes. sizes: those of dimensions that are known."""
    cuts = tuple(
        Cut(dim_text(dim), prod(mesh[axis] for axis in axes), sizes.get(dim), axes)
        for dim, axes in zip(array.dims, array.sharding.axes, strict=True)
    )
    pending = array.sharding.pending
    used = array.sharding.used()
    holders = []
    for device in product(*(range(size) for size in mesh.values())):
        at = dict(zip(mesh, device, strict=True))
        block = tuple(_rank(at, axes, mesh) for axes in array.sharding.axes)
        holders.append(Holder(device, block, _rank(at, pending, mesh)))
    return Layout(
        text=array_text(name, array),
        cuts=cuts,
        holders=tuple(holders),
        addends=prod(mesh[axis] for axis in pending),
        pending=pending,
        kind=array.sharding.kind,
        copies=tuple(axis for axis, size in mesh.items() if axis not in used and size > 1),
    )


def _rank(at: Mapping[str, int], axes: tuple[str, ...], mesh: Mapping[str, int]) -> int:
    number = 0
    for axis in axes:
        number = number * mesh[axis] + at[axis]
    return number
