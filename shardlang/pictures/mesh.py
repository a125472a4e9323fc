"""The mesh with which device holds which block: the layouts of a text, without prices."""

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from shardlang.diagnostics import did_you_mean
from shardlang.pictures.layouts import Layout, layout_of
from shardlang.pictures.problem import PictureError
from shardlang.pictures.tables import Grid, block_grid, device_grid
from shardlang.rules.plan import Plan
from shardlang.semantics.program import refs_of, result_of
from shardlang.semantics.sharding import ArrayType

_OPEN_SIZE = 2
"""The size at which a mesh axis is drawn that has none."""
_MOST_ARRAYS = 6
_MOST_DEVICES = 4096


class Shown(NamedTuple):
    """One array: its layout, and the two tables of it."""

    layout: Layout
    devices: Grid
    blocks: Grid


class MeshPicture(NamedTuple):
    """Arrays on one mesh. notes: what was assumed or left out."""

    title: str
    arrays: tuple[Shown, ...]
    notes: tuple[str, ...]


def mesh_picture(plan: Plan, array: str | None) -> MeshPicture:
    """Return the layouts of a text's arrays, each once, in the order of the text.

    array: the name of those to draw. Raises PictureError where there is none or the mesh is too large.
    """
    found = list(dict.fromkeys(_arrays(plan)))
    if array is not None:
        found = [pair for pair in found if pair[0] == array]
    if not found:
        raise _no_array(plan, array)
    left = found[_MOST_ARRAYS:]
    found = found[:_MOST_ARRAYS]
    mesh, notes = _mesh(plan, [kind for _, kind in found])
    if not mesh:
        raise PictureError("there is no mesh: the array is sharded over no axis", "--mesh X=4,Y=2")
    devices = prod(mesh.values())
    if devices > _MOST_DEVICES:
        raise PictureError(f"a mesh of {devices} devices is too large to draw, at most {_MOST_DEVICES} are")
    sizes = {dim: size.integer for dim, size in plan.program.sizes.items() if size.integer is not None}
    arrays = []
    for name, kind in found:
        layout = layout_of(name, kind, mesh, sizes)
        arrays.append(Shown(layout, device_grid(layout, mesh), block_grid(layout, mesh)))
    if left:
        notes.append(f"{len(left)} further arrays are not drawn; --array NAME picks one")
    shown = ", ".join(f"{axis}={size}" for axis, size in mesh.items())
    return MeshPicture(f"Blocks on the mesh {shown}", tuple(arrays), (*notes, *_conventions(arrays)))


def _arrays(plan: Plan) -> Iterator[tuple[str | None, ArrayType]]:
    for planned in plan.statements:
        body = planned.statement.body
        if not planned.statement.ok:
            continue
        for ref in refs_of(body):
            if ref.constant is None:
                yield ref.name, ref.type._replace(dtype=None)
        if planned.output is not None and result_of(body) is None:
            yield planned.output.name, planned.output.type._replace(dtype=None)


def _no_array(plan: Plan, array: str | None) -> PictureError:
    names = list(dict.fromkeys(name for name, _ in _arrays(plan) if name))
    if array is None or not names:
        return PictureError("there is no array to draw", "A[I_X, J_Y]")
    close = did_you_mean(array, names)
    hint = f"did you mean `{close}`?" if close else f"it has {', '.join(names[:10])}"
    return PictureError(f"the text has no array called `{array}`", hint)


def _mesh(plan: Plan, kinds: list[ArrayType]) -> tuple[dict[str, int], list[str]]:
    """Return the axes with sizes, and what was assumed: of a mesh that nothing declares only those that are used."""
    used = {axis for kind in kinds for axis in kind.sharding.used()}
    axes = [axis for axis in plan.program.mesh.axes if plan.program.mesh.declared or axis.name in used]
    assumed = [axis.name for axis in axes if axis.size is None]
    mesh = {axis.name: _OPEN_SIZE if axis.size is None else axis.size for axis in axes}
    return mesh, [f"no size is given of {', '.join(assumed)}: drawn with {_OPEN_SIZE}"] if assumed else []


def _conventions(arrays: list[Shown]) -> Iterator[str]:
    if any(cut.parts > 1 for one in arrays for cut in one.layout.cuts):
        yield "blocks and devices count from 0; of several axes on a dimension the first is the major one"
