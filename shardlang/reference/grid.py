"""The simulated mesh: devices as coordinate tuples, and the groups in which collectives run."""

from collections.abc import Mapping
from itertools import product
from math import prod

LIMIT = 4096
Device = tuple[int, ...]
"""The coordinates of a device, one a mesh axis, in the order of the mesh."""


class Grid:
    """A mesh whose axis sizes are known.

    `sizes` maps each mesh axis to its size, in the order of the mesh. Raises ValueError for a size below one, and
    for more devices than can be simulated.
    """

    __slots__ = ("_place", "devices", "sizes")

    def __init__(self, sizes: Mapping[str, int]) -> None:
        bad = [axis for axis, size in sizes.items() if size < 1]
        if bad:
            raise ValueError(f"mesh axis {bad[0]} has the size {sizes[bad[0]]}")
        if prod(sizes.values()) > LIMIT:
            raise ValueError(f"a mesh of {prod(sizes.values())} devices is too large to simulate, at most {LIMIT} are")
        self.sizes = dict(sizes)
        self._place = {axis: place for place, axis in enumerate(sizes)}
        self.devices: tuple[Device, ...] = tuple(product(*(range(size) for size in sizes.values())))

    def has(self, axis: str) -> bool:
        """Say whether the mesh has this axis."""
        return axis in self._place

    def count(self, axes: tuple[str, ...]) -> int:
        """Return the number of devices along `axes` together."""
        total = 1
        for axis in axes:
            total *= self.sizes[axis]
        return total

    def rank(self, device: Device, axes: tuple[str, ...]) -> int:
        """Return the number of `device` along `axes`, counted with the first axis major (NOTATION section 1)."""
        number = 0
        for axis in axes:
            number = number * self.sizes[axis] + device[self._place[axis]]
        return number

    def groups(self, axes: tuple[str, ...]) -> tuple[tuple[Device, ...], ...]:
        """Return the groups of devices that differ only along `axes`, each in the order of `rank`."""
        rest = tuple(axis for axis in self.sizes if axis not in axes)
        found: dict[int, list[Device]] = {}
        for device in self.devices:
            found.setdefault(self.rank(device, rest), []).append(device)
        return tuple(tuple(sorted(group, key=lambda device: self.rank(device, axes))) for group in found.values())

    def name(self, device: Device) -> str:
        """Return how a device prints: `(X=0, Y=1)`."""
        return "(" + ", ".join(f"{axis}={at}" for axis, at in zip(self.sizes, device, strict=True)) + ")"
