"""The two tables of a layout: the mesh with the block that each device holds, and the array with who holds each block.

Both are rows, columns and, from a third axis or dimension on, panels; writers only set them. Long axes are shown in
part, with a gap.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from shardlang.pictures.layouts import Holder, Layout

_MOST_LINES, _MOST_PANELS = 16, 8


class Cell(NamedTuple):
    """What stands in a place. block: its number, which decides the colour; None for a gap. name: all of it in words."""

    lines: tuple[str, ...]
    block: int | None
    name: str
    hatched: bool = False


class Panel(NamedTuple):
    """One table of a grid, with the labels of its columns and rows."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


class Grid(NamedTuple):
    """Panels under one title. role: of its cells, `device` or `block`."""

    title: str
    role: str
    panels: tuple[Panel, ...]


GAP = Cell(("…",), None, "")


def shown(size: int, most: int = _MOST_LINES) -> tuple[int | None, ...]:
    """Return the numbers from 0 to `size` - 1; of more than `most` the first ones, None for the gap, and the last."""
    if size <= most:
        return tuple(range(size))
    return (*range(most - 2), None, size - 1)


def device_grid(layout: Layout, mesh: Mapping[str, int]) -> Grid:
    """Return the mesh: the first axis downward, the second to the right, the others as panels."""
    axes = list(mesh)
    down, right, rest = ([], axes, []) if len(axes) == 1 else (axes[:1], axes[1:2], axes[2:])
    holders = {holder.device: holder for holder in layout.holders}

    def cell(at: Mapping[str, int]) -> Cell:
        holder = holders[tuple(at[axis] for axis in axes)]
        lines = (layout.label(holder.block), layout.extent(holder.block), layout.addend_text(holder.addend))
        device = ", ".join(f"{axis}={number}" for axis, number in at.items())
        held = " ".join(line for line in lines if line)
        return Cell(lines, _number(layout, holder.block), f"device {device} holds {held}", layout.addends > 1)

    panels = _panels(mesh, down, right, rest, lambda axis, number: f"{axis}={number}", cell)
    return Grid("devices, and the block that each holds", "device", panels)


def block_grid(layout: Layout, mesh: Mapping[str, int]) -> Grid:
    """Return the array: two dimensions as rows and columns, those in blocks first, further ones in blocks as panels."""
    places = _drawn(layout)
    counts = {str(at): layout.cuts[at].parts for at in places}
    names = list(counts)
    down, right, rest = ([], names, []) if len(names) < 2 else (names[:1], names[1:2], names[2:])
    found: dict[tuple[int, ...], list[Holder]] = {}
    for holder in layout.holders:
        found.setdefault(holder.block, []).append(holder)

    def cell(at: Mapping[str, int]) -> Cell:
        block = tuple(at.get(str(place), 0) for place in range(len(layout.cuts)))
        held = _devices(found[block], mesh)
        name = f"block {layout.label(block)} is on {held}"
        return Cell((held,), _number(layout, block), name, layout.addends > 1)

    panels = _panels(counts, down, right, rest, lambda name, number: _block_text(layout, int(name), number), cell)
    return Grid("the array, and the devices that hold each block", "block", panels)


def _block_text(layout: Layout, place: int, number: int) -> str:
    cut = layout.cuts[place]
    return f"{cut.dim}" if cut.parts == 1 else cut.label(number)


def _drawn(layout: Layout) -> list[int]:
    """Return the dimensions that have a place in the picture of the array, in order."""
    places = range(len(layout.cuts))
    cut = [at for at in places if layout.cuts[at].parts > 1]
    whole = [at for at in places if layout.cuts[at].parts == 1]
    return sorted([*cut, *whole[: max(0, 2 - len(cut))]])


def _devices(holders: Sequence[Holder], mesh: Mapping[str, int]) -> str:
    """Return the devices that hold a block by the coordinates that they share."""
    first = holders[0].device
    fixed = [all(holder.device[at] == first[at] for holder in holders) for at in range(len(first))]
    parts = [f"{axis}={first[at]}" for at, axis in enumerate(mesh) if fixed[at]]
    return " ".join(parts) or "every device"


def _number(layout: Layout, block: tuple[int, ...]) -> int:
    number = 0
    for cut, at in zip(layout.cuts, block, strict=True):
        number = number * cut.parts + at
    return number


def _panels(
    sizes: Mapping[str, int],
    down: Sequence[str],
    right: Sequence[str],
    rest: Sequence[str],
    say: Callable[[str, int], str],
    cell: Callable[[Mapping[str, int]], Cell],
) -> tuple[Panel, ...]:
    """Return tables of all places of a grid of `sizes`: names of `down` are rows, of `right` columns, of `rest` panels."""
    rows, columns = _places(sizes, down, _MOST_LINES), _places(sizes, right, _MOST_LINES)
    panels = []
    for outer in _places(sizes, rest, _MOST_PANELS):
        if outer is None:
            panels.append(Panel("…", (), ()))
            continue
        lines = []
        for row in rows:
            cells = (GAP if row is None or column is None else cell({**row, **column, **outer}) for column in columns)
            lines.append((_said(row, say), tuple(cells)))
        panels.append(Panel(_said(outer, say), tuple(_said(column, say) for column in columns), tuple(lines)))
    return tuple(panels)


def _places(sizes: Mapping[str, int], names: Sequence[str], most: int) -> list[dict[str, int] | None]:
    """Return the places along some names together, None for a gap."""
    every = [dict(zip(names, at, strict=True)) for at in product(*(range(sizes[name]) for name in names))]
    return [None if at is None else every[at] for at in shown(len(every), most)]


def _said(place: Mapping[str, int] | None, say: Callable[[str, int], str]) -> str:
    return "…" if place is None else " ".join(say(name, number) for name, number in place.items())
