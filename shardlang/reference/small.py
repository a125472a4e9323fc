"""A mesh and sizes small enough to run a plan on, whatever its own sizes are.

Whether steps are right does not depend on how large things are, only on how many parts there are of what;
so mesh axes keep their sizes where the mesh is small, else shrink in a way that keeps equal counts equal, and
every dimension gets the least size that all layouts of the plan divide, times a factor that tells it apart.
"""

from collections.abc import Iterator
from math import lcm, prod
from typing import NamedTuple

from shardlang.rules.plan import Plan, Step
from shardlang.semantics.program import (
    BareArray,
    Collective,
    Computation,
    Reshard,
    arrays_in,
)
from shardlang.semantics.sharding import ArrayType

DEVICES = 64
ELEMENTS = 200_000


class Small(NamedTuple):
    """Sizes to run a plan with: of mesh axes, of dimensions."""

    mesh: dict[str, int]
    sizes: dict[str, int]


def small_case(plan: Plan) -> Small | None:
    """Return sizes for `run_plan`, or None if no small mesh keeps the permutes of the plan possible or the arrays stay too large."""
    arrays = list(_arrays(plan))
    names = dict.fromkeys((*(axis.name for axis in plan.program.mesh.axes), *_axes(arrays)))
    for mesh in _meshes(plan, tuple(names)):
        if prod(mesh.values()) <= DEVICES and all(_permutable(step, mesh) for step in _steps(plan)):
            sizes = _sizes(arrays, mesh)
            if sizes is not None:
                return Small(mesh, sizes)
    return None


def _meshes(plan: Plan, names: tuple[str, ...]) -> Iterator[dict[str, int]]:
    """Yield meshes to try: the declared sizes, distinct small sizes for distinct ones, two devices an axis."""
    known = {name: plan.program.mesh.size(name) for name in names}
    yield {name: size or 2 + (at % 2) for at, (name, size) in enumerate(known.items())}
    distinct = sorted({size for size in known.values() if size is not None and size > 1})
    shrunk = {size: 2 + at for at, size in enumerate(distinct)} | {1: 1}
    yield {name: shrunk[size] if size is not None else 2 for name, size in known.items()}
    yield {name: 1 if size == 1 else 2 for name, size in known.items()}


def _permutable(step: Step, mesh: dict[str, int]) -> bool:
    if step.kind != "CollectivePermute":
        return True
    before, after = step.operands[0].type, step.result.type
    pairs = [(before.axes_of(dim), after.axes_of(dim)) for dim in before.dims]
    pairs.append((before.sharding.pending, after.sharding.pending))
    return all(prod(mesh[axis] for axis in left) == prod(mesh[axis] for axis in right) for left, right in pairs)


def _sizes(arrays: list[ArrayType], mesh: dict[str, int]) -> dict[str, int] | None:
    """Return a size for each dimension, the least where an array would get too large, None where even that is."""
    least: dict[str, int] = {}
    for array in arrays:
        for dim, axes in zip(array.dims, array.sharding.axes, strict=True):
            least[dim] = lcm(least.get(dim, 1), prod(mesh[axis] for axis in axes))
    apart = {dim: size * (2 + at % 3) for at, (dim, size) in enumerate(least.items())}
    for sizes in (apart, least):
        if all(prod(sizes[dim] for dim in array.dims) <= ELEMENTS for array in arrays):
            return sizes
    return None


def _axes(arrays: list[ArrayType]) -> tuple[str, ...]:
    return tuple(axis for array in arrays for axis in array.sharding.used())


def _steps(plan: Plan) -> Iterator[Step]:
    for planned in plan.statements:
        yield from planned.steps
        for other in planned.alternatives:
            yield from other.steps


def _arrays(plan: Plan) -> Iterator[ArrayType]:
    """Yield the type of every array that the statements state and the steps make."""
    for step in _steps(plan):
        for value in (*step.operands, step.result):
            yield value.type
    for statement in plan.program.statements:
        match statement.body:
            case Computation(expr=expr, result=result) | Collective(operand=expr, result=result):
                refs = [*arrays_in(expr), *((result,) if result is not None else ())]
            case Reshard(operand=operand, result=result):
                refs = [operand, result]
            case BareArray(array=array):
                refs = [array]
            case _:
                refs = []
        yield from (ref.type for ref in refs)
