"""Which physical axes of a slice each mesh axis runs over, and which of them wrap around.

A slice is a torus of known shape, such as 16x20x28. A mesh axis takes whole physical axes whose sizes multiply to its
own; the axes of the mesh are served in order, each with the first that fit. Source: COST_MODEL section 6.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.pricing.hardware import Hardware
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.semantics.topology import TORUS
from shardlang.source import Span

Shape = tuple[int, ...]
_MOST_SHOWN = 10**18
_Taken = tuple[tuple[int, ...], ...]  # of each mesh axis the numbers of its physical axes


class Placement(NamedTuple):
    """physical: of each mesh axis on the torus the sizes of its physical axes, in order. several: other ways fit too.

    sizes: of the axes of open size, as the slice decides them.
    """

    physical: dict[str, Shape]
    several: bool
    sizes: dict[str, int]


def shape_text(shape: Shape) -> str:
    """Return a shape as it is written: `16x20x28`."""
    return "x".join(map(str, shape))


def wraps(hardware: Hardware, shape: Shape) -> tuple[bool, ...]:
    """Return for each physical axis of a slice whether it is a ring."""
    if hardware.wraparound == "cube":
        cubes = len(shape) == (hardware.torus_axes or len(shape)) and all(size % 4 == 0 for size in shape)
        return (cubes,) * len(shape)
    if hardware.wraparound == "pod":
        return tuple(size == 16 for size in shape)
    return (hardware.wraparound == "always",) * len(shape)


def place_axes(mesh: Mesh, shape: Shape, span: Span) -> Placement | Diagnostic:
    """Return the physical axes of each mesh axis; a finding where the mesh does not make up the slice (SL507, SL912)."""
    axes = [a for a in mesh.axes if a.topology is None or a.topology.kind in TORUS]
    if not axes:
        return Placement({}, False, {})
    wanted = [a for a in axes if _size(a) is not None]
    chips, known = math.prod(shape), math.prod(_size(a) or 1 for a in wanted)
    if chips % known or (known != chips and len(wanted) == len(axes)):
        return _not_filled(known, shape, span)
    longer = [a for a in wanted if _size(a) != 1]  # an axis of one device takes no physical axis
    ways = _assign([(_size(a) or 1, _asked(a)) for a in longer], shape)
    first = next(ways, None)
    if first is None:
        return _part_of_an_axis(longer, shape, span)
    physical: dict[str, Shape] = {a.name: () for a in wanted}
    physical |= {a.name: tuple(shape[at] for at in taken) for a, taken in zip(longer, first, strict=True)}
    left = [at for at, size in enumerate(shape) if size > 1 and not any(at in taken for taken in first)]
    unsized = [a for a in axes if _size(a) is None]
    for place, axis in enumerate(unsized):
        last = place == len(unsized) - 1
        taken, left = (left, []) if last else (left[:1], left[1:])
        physical[axis.name] = tuple(shape[at] for at in taken)
    several = len(unsized) > 1 or next(ways, None) is not None
    sizes = {a.name: math.prod(physical[a.name]) for a in unsized if not (a.topology and a.topology.beyond)}
    return Placement(physical, several, sizes)


def fits_pod(shape: Shape, hardware: Hardware) -> bool:
    """Say whether a pod holds a slice of that shape, its axes in any order; yes where no pod is stated."""
    pod = sorted(hardware.pod, reverse=True)
    return all(a <= b for a, b in zip(sorted(shape, reverse=True), pod, strict=False))


def pod_problem(shape: Shape, hardware: Hardware, span: Span) -> list[Diagnostic]:
    """Return a warning for a slice that no pod of the hardware holds."""
    if fits_pod(shape, hardware):
        return []
    message = (
        f"a slice of {shape_text(shape)} is larger than a pod of {hardware.name}, {shape_text(hardware.pod)}; "
        "it is priced as if there were one"
    )
    return [Diagnostic("SL502", message, span)]


def _size(axis: MeshAxis) -> int | None:
    """Return the devices of a mesh axis in the slice, None where they are not known."""
    return None if axis.topology is not None and axis.topology.beyond else axis.size


def _asked(axis: MeshAxis) -> int:
    """Return how many physical axes were asked for; 1, which is any number, for a symbol too: the slice decides it."""
    return axis.topology.physical if axis.topology is not None and isinstance(axis.topology.physical, int) else 1


def _assign(wanted: Sequence[tuple[int, int]], shape: Shape) -> Iterator[_Taken]:
    """Yield each way to give every size whole physical axes, the first fit first; ways of equal sizes once.

    wanted: sizes above 1, with the numbers of physical axes that are asked for; 1 asks for any.
    """
    seen: set[tuple[Shape, ...]] = set()

    def serve(at: int, free: tuple[int, ...]) -> Iterator[_Taken]:
        if at == len(wanted):
            yield ()
            return
        size, count = wanted[at]
        counts = (count,) if count > 1 else range(1, len(free) + 1)
        for taken in (group for n in counts for group in combinations(free, n)):
            if math.prod(shape[axis] for axis in taken) == size:
                rest = tuple(axis for axis in free if axis not in taken)
                yield from ((taken, *others) for others in serve(at + 1, rest))

    for way in serve(0, tuple(at for at, size in enumerate(shape) if size > 1)):
        key = tuple(tuple(sorted(shape[at] for at in taken)) for taken in way)
        if key not in seen:
            seen.add(key)
            yield way


def _not_filled(devices: int, shape: Shape, span: Span) -> Diagnostic:
    chips = math.prod(shape)
    shown = str(devices) if devices < _MOST_SHOWN else f"more than {_MOST_SHOWN:.0e}"
    message = (
        f"the mesh has {shown} device{'s' if devices > 1 else ''} and the slice {shape_text(shape)} has {chips} chips; "
        "it is priced by the rule for meshes without a slice"
    )
    missing = chips // devices if chips % devices == 0 else None
    hint = f"make up the slice: an axis of {missing} is missing" if missing else f"make the sizes multiply to {chips}"
    return Diagnostic("SL507", message, span, hint=hint)


def _part_of_an_axis(axes: Sequence[MeshAxis], shape: Shape, span: Span) -> Diagnostic:
    """Return the finding for the first axis that has no physical axes, else for all, which do not have them together."""
    alone = next((a for a in axes if next(_assign([(a.size or 1, 1)], shape), None) is None), None)
    named = ", ".join(f"`{a.name}={a.size}`" for a in ([alone] if alone else axes))
    message = (
        f"{named} on the slice {shape_text(shape)} takes part of a physical axis, which is not supported yet"
        if alone
        else f"{named} on the slice {shape_text(shape)} do not all take whole physical axes, "
        "or not as many as are asked for, which is not supported yet"
    )
    sizes = sorted({math.prod(group) for n in range(1, len(shape) + 1) for group in combinations(shape, n)} - {1})
    hint = f"whole physical axes make {', '.join(map(str, sizes))}; split the axis into two of these sizes"
    return Diagnostic("SL912", message, span, hint=hint)
