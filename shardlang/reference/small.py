"""Meshes and sizes small enough to run a plan on, whatever its own sizes are.

Whether steps are right does not depend on how large things are, only on how many parts there are of what. So
mesh axes keep their sizes where the mesh is small, else get others that keep equal what permutes need equal; and
every dimension gets a size that all layouts of the plan divide and that no other dimension has.
"""

from collections.abc import Iterable, Iterator
from itertools import cycle, islice, product
from math import lcm, prod
from typing import NamedTuple

from shardlang.rules.plan import Plan, Step, steps_of
from shardlang.semantics.program import refs_of
from shardlang.semantics.sharding import ArrayType, dim_text

DEVICES = 64
MOST_DEVICES = 1024
ELEMENTS = 200_000
PRODUCTS = 5_000_000
"""The most devices of a mesh (of many axes, of two devices each), elements of an array, and products of numbers in one contraction."""

_SIZES = (2, 3, 4)
_PATTERNS = ((2,), (3,), (4,), (2, 3, 4), (4, 2, 3))  # of the sizes of mesh axes, again and again
_MOST_MESHES = 2000


class Small(NamedTuple):
    """Sizes to run a plan with: of mesh axes, of dimensions."""

    mesh: dict[str, int]
    sizes: dict[str, int]


def small_case(plan: Plan) -> Small | None:
    """Return sizes for `run_plan`, or None if no small mesh keeps the permutes of the plan possible or the arrays stay too large."""
    found = next(_cases(plan, _meshes(plan)), None)
    if found is None:  # of many axes even twos are many devices
        twos = {name: 1 if size == 1 else 2 for name, size in _known_axes(plan).items()}
        found = next(_cases(plan, [twos], MOST_DEVICES), None)
    return found


def cases_for(plan: Plan) -> tuple[Small, ...]:
    """Return the sizes to run a plan with: its own where all are known and small, else several small ones.

    These have meshes of twos, of threes and of mixed sizes, as far as the permutes of the plan allow. Empty where
    there is none (see `small_case`).
    """
    own = _own_case(plan)
    if own is not None:
        return (own,)
    known = _known_axes(plan)
    meshes = [_filled(known)]
    for parts in _PATTERNS:
        sizes = zip(known.items(), cycle(parts), strict=False)
        meshes.append({name: 1 if size == 1 else part for (name, size), part in sizes})
    found = tuple(_cases(plan, _unlike(meshes)))
    small = None if found else small_case(plan)
    return found if small is None else (small,)


def _own_case(plan: Plan) -> Small | None:
    """Return the sizes that the plan itself states, None where one is open, too large, or does not divide."""
    mesh = {name: size or 0 for name, size in _known_axes(plan).items()}
    arrays, sizes = list(_arrays(plan)), {}
    for dim in dict.fromkeys(dim for array in arrays for dim in array.dims):
        stated = plan.program.sizes.get(dim)
        text = dim_text(dim)
        sizes[dim] = (stated.integer if stated is not None else int(text) if text.isdigit() else None) or 0
    if not prod(mesh.values()) or prod(mesh.values()) > DEVICES or not all(sizes.values()):
        return None
    least = _least(arrays, mesh)
    fits = all(sizes[dim] % count == 0 for dim, count in least.items()) and _small_enough(plan, sizes)
    return Small(mesh, sizes) if fits and all(_permutable(step, mesh) for step in steps_of(plan)) else None


def _cases(plan: Plan, meshes: Iterable[dict[str, int]], most: int | None = None) -> Iterator[Small]:
    """Yield the meshes that are small and allow the permutes of the plan, each with sizes of the dimensions."""
    arrays, permutes = list(_arrays(plan)), [step for step in steps_of(plan) if step.kind == "CollectivePermute"]
    for mesh in meshes:
        if prod(mesh.values()) <= (most or DEVICES) and all(_permutable(step, mesh) for step in permutes):
            sizes = _sizes(plan, arrays, mesh)
            if sizes is not None:
                yield Small(mesh, sizes)


def _known_axes(plan: Plan) -> dict[str, int | None]:
    """Return the axes that the plan uses with their sizes; those that nothing lies on are there while the mesh stays small."""
    used = dict.fromkeys(axis for array in _arrays(plan) for axis in array.sharding.used())
    idle = [axis.name for axis in plan.program.mesh.axes if axis.name not in used]
    room = len(used) + len(idle) <= 3
    names = [axis.name for axis in plan.program.mesh.axes if room or axis.name in used]
    return {name: plan.program.mesh.size(name) for name in dict.fromkeys((*names, *used))}


def _meshes(plan: Plan) -> Iterator[dict[str, int]]:
    """Yield meshes to try: the declared sizes, two devices an axis, then every mesh of small sizes."""
    known = _known_axes(plan)
    yield _filled(known)
    distinct = sorted({size for size in known.values() if size is not None and size > 1})
    shrunk = {size: 2 + at for at, size in enumerate(distinct)} | {1: 1}
    yield {name: shrunk[size] if size is not None else 2 for name, size in known.items()}
    choices = ((1,) if size == 1 else _SIZES for size in known.values())
    for sizes in islice(product(*choices), _MOST_MESHES):
        yield dict(zip(known, sizes, strict=True))


def _filled(known: dict[str, int | None]) -> dict[str, int]:
    """Return the mesh with twos and threes for the sizes that are open."""
    return {name: size or 2 + (at % 2) for at, (name, size) in enumerate(known.items())}


def _unlike(meshes: Iterable[dict[str, int]]) -> Iterator[dict[str, int]]:
    """Yield the meshes without repeats."""
    seen: list[dict[str, int]] = []
    for mesh in meshes:
        if mesh not in seen:
            seen.append(mesh)
            yield mesh


def _permutable(step: Step, mesh: dict[str, int]) -> bool:
    if step.kind != "CollectivePermute":
        return True
    before, after = step.operands[0].type, step.result.type
    pairs = [(before.axes_of(dim), after.axes_of(dim)) for dim in before.dims]
    pairs.append((before.sharding.pending, after.sharding.pending))
    return all(prod(mesh[axis] for axis in left) == prod(mesh[axis] for axis in right) for left, right in pairs)


def _sizes(plan: Plan, arrays: list[ArrayType], mesh: dict[str, int]) -> dict[str, int] | None:
    """Return a size for each dimension, the least where an array would get too large, None where even that is.

    An AllReduce cuts what a device holds into as many pieces as take part: where there is a dimension for it, so that they are equal.
    """
    least = _least(arrays, mesh)
    for step in steps_of(plan):
        if step.kind == "AllReduce" and step.operands[0].type.dims:
            array = step.operands[0].type
            pieces = prod(mesh[axis] for axis in (*array.axes_of(array.dims[-1]), *step.axes))
            least[array.dims[-1]] = lcm(least[array.dims[-1]], pieces)
    apart: dict[str, int] = {}
    for dim, size in least.items():
        taken = set(apart.values())
        apart[dim] = next(size * factor for factor in range(2, len(least) + 3) if size * factor not in taken)
    return next((sizes for sizes in (apart, least, _least(arrays, mesh)) if _small_enough(plan, sizes)), None)


def _least(arrays: list[ArrayType], mesh: dict[str, int]) -> dict[str, int]:
    """Return for each dimension the least size that every layout divides."""
    least: dict[str, int] = {}
    for array in arrays:
        for dim, axes in zip(array.dims, array.sharding.axes, strict=True):
            least[dim] = lcm(least.get(dim, 1), prod(mesh[axis] for axis in axes))
    return least


def _small_enough(plan: Plan, sizes: dict[str, int]) -> bool:
    if any(prod(sizes[dim] for dim in array.dims) > ELEMENTS for array in _arrays(plan)):
        return False
    einsums = (step.operands for step in steps_of(plan) if step.kind == "Einsum")
    return all(
        prod(sizes[dim] for dim in {dim for operand in operands for dim in operand.type.dims}) <= PRODUCTS
        for operands in einsums
    )


def _arrays(plan: Plan) -> Iterator[ArrayType]:
    """Yield the type of every array that the statements state and the steps make."""
    for step in steps_of(plan):
        for value in (*step.operands, step.result):
            yield value.type
    for statement in plan.program.statements:
        yield from (ref.type for ref in refs_of(statement.body))
