"""Shapes of slices and places of devices, as a caller writes them: `16x20x28`, `0,3`, `X=0,Y=3`."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from shardlang.api.values import WHOLE, OptionError, quoted, read_entries

_MOST_SLICE_AXES, _LARGEST_SLICE = 3, 1_000_000


def read_shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape of a slice, from a tuple or a text such as `16x20x28`. Raises OptionError for what is none."""
    if value is None:
        return None
    parts = value.lower().replace("×", "x").split("x") if isinstance(value, str) else value
    if not isinstance(parts, Iterable) or isinstance(parts, bytes | Mapping):
        raise OptionError(f"slice: expected a shape such as '16x20x28', not {quoted(value)}.")
    sizes = list(islice(parts, _MOST_SLICE_AXES + 1))
    numbers = [int(size) if isinstance(size, str) and WHOLE.match(size.strip()) else size for size in sizes]
    if not 1 <= len(numbers) <= _MOST_SLICE_AXES or not all(_is_whole(n) and n <= _LARGEST_SLICE for n in numbers):
        raise OptionError(
            f"slice: {quoted(value)} is no shape; write the sizes of one to three physical axes, as in 16x20x28."
        )
    return tuple(int(number) for number in numbers)


def _is_whole(value: Any) -> bool:
    return not isinstance(value, bool) and hasattr(value, "__index__") and int(value) > 0


def read_place(what: str, value: Any, axes: Mapping[str, int | None]) -> dict[str, int]:
    """Return the coordinates of a device by mesh axis, from a tuple, a mapping, or a text: `0,3` or `X=0,Y=3`.

    axes: those of the mesh with their sizes. An axis that a mapping does not name has the coordinate 0. Raises
    OptionError for what is no device of the mesh.
    """
    place = dict.fromkeys(axes, 0)
    if isinstance(value, Mapping) or (isinstance(value, str) and "=" in value):
        given = read_entries(what, value, "X=0,Y=3")
    else:
        parts = value.strip().strip("()").split(",") if isinstance(value, str) else value
        if isinstance(parts, bytes) or not isinstance(parts, Iterable):
            raise OptionError(f"{what}: expected coordinates such as '0,3', not {quoted(value)}.")
        numbers = list(islice((part for part in parts if part != ""), len(axes) + 1))
        if len(numbers) != len(axes):
            one_each = ", ".join(axes) or "none"
            raise OptionError(f"{what}: {quoted(value)} needs one coordinate for each mesh axis ({one_each}).")
        given = list(zip(axes, numbers, strict=True))
    twice = next((axis for at, (axis, _) in enumerate(given) if axis in dict(given[:at])), None)
    if twice is not None:
        raise OptionError(f"{what}: the coordinate along {twice} is given twice.")
    for axis, number in given:
        if isinstance(number, str) and WHOLE.match(number.strip()):
            number = int(number)
        size = axes.get(axis)
        if axis not in axes:
            raise OptionError(f"{what}: the mesh has no axis {axis}.")
        if isinstance(number, bool) or not hasattr(number, "__index__") or not 0 <= int(number) < (size or 10**9):
            most = f"0 to {size - 1}" if size is not None else "whole numbers from 0 on"
            raise OptionError(f"{what}: {quoted(number)} is no coordinate along {axis}, which has {most}.")
        place[axis] = int(number)
    return place
