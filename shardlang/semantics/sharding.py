"""Sharding: how one array lies on a mesh. The single truth about layouts.

Invariants (each has a test): a mesh axis is in at most one place; `pending` is sorted; the kind is
`sum` where nothing is pending; `len(axes)` equals the number of dimensions of the array.
"""

from functools import lru_cache
from typing import NamedTuple

PENDING_MARK = {"sum": "U", "max": "max", "min": "min"}


class Sharding(NamedTuple):
    """For each dimension the mesh axes that shard it, major to minor; the axes pending, sorted; the kind of pending."""

    axes: tuple[tuple[str, ...], ...]
    pending: tuple[str, ...] = ()
    kind: str = "sum"

    def used(self) -> tuple[str, ...]:
        """Return every axis that shards a dimension or is pending."""
        return tuple([axis for axes in self.axes for axis in axes]) + self.pending


class ArrayType(NamedTuple):
    """Dimension names in order, their sharding, and the element type (None: not said, the plan's default).

    An anonymous dimension (a literal size or `…`) has a name of its own that starts with `%`, see `anonymous`.
    """

    dims: tuple[str, ...]
    sharding: Sharding
    dtype: str | None = None

    def axes_of(self, dim: str) -> tuple[str, ...]:
        """Return the axes that shard `dim`, major to minor. Raises ValueError if there is no such dimension."""
        return self.sharding.axes[self.dims.index(dim)]


def anonymous(number: int, text: str) -> str:
    """Return the internal name of the `number`-th anonymous dimension of a text, printed as `text`."""
    return f"%{number}:{text}"


def is_anonymous(dim: str) -> bool:
    """Say whether `dim` is a literal size or an ellipsis."""
    return dim.startswith("%")


def dim_text(dim: str) -> str:
    """Return how a dimension prints."""
    return dim.split(":", 1)[1] if is_anonymous(dim) else dim


def axes_text(axes: tuple[str, ...]) -> str:
    """Return a list of axes as a subscript body: `X`, `{XY}`, `data`, `{data,model}`.

    Axes of one capital letter run together, which every mesh that has these axes reads back the same
    unless it also has an axis whose name is such a run; then, and for longer names, commas stand between.
    """
    if len(axes) == 1:
        return axes[0] if axes[0].isalnum() else "{" + axes[0] + "}"
    if all(len(axis) == 1 and axis.isupper() for axis in axes):
        return "{" + "".join(axes) + "}"
    return "{" + ",".join(axes) + "}"


def subscript_of(stem: str, body: str) -> str:
    """Return the subscript of a dimension, in braces where `d_model_data` would read as a plain word without a mesh."""
    if not body or body.startswith("{") or body.isupper() or (len(stem) == 1 and stem.isupper()):
        return f"_{body}" if body else ""
    return f"_{{{body}}}"


@lru_cache(maxsize=1024)  # a plan says the same array many times
def array_text(name: str | None, array: ArrayType) -> str:
    """Return the canonical text of an array: `A[I_X, J]{U_Y}` (without its element type)."""
    entries = [
        dim_text(dim) + subscript_of(dim_text(dim), axes_text(axes) if axes else "")
        for dim, axes in zip(array.dims, array.sharding.axes, strict=True)
    ]
    suffix = ""
    if array.sharding.pending:
        suffix = f"{{{PENDING_MARK[array.sharding.kind]}_{axes_text(array.sharding.pending)}}}"
    return f"{name or ''}[{', '.join(entries)}]{suffix}"
