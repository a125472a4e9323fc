"""The layout that NOTATION section 5 gives an operation with no output asked for, worked out on its own.

It shares nothing with the product: `natural_output` reads dimensions and axes, and returns a layout, or None where
there is no natural answer. `Unsure` is raised for what the section leaves open.
"""

from typing import NamedTuple

Axes = tuple[str, ...]


class Layout(NamedTuple):
    """The axes of each dimension, and the axes of a pending sum."""

    dims: dict[str, Axes]
    pending: frozenset[str] = frozenset()


class UnsureError(Exception):
    """The section does not decide this."""


def natural_output(api: str, operands: list[Layout], contracted: list[str]) -> Layout | None:
    """Return the natural layout of a sum (`einsum` of one operand), a product, a Hadamard product or a sum of two."""
    if len(operands) == 1:
        return _summed(operands[0], contracted)
    first, second = operands
    return _added(first, second) if api == "add" else _multiplied(first, second, contracted)


def _summed(operand: Layout, contracted: list[str]) -> Layout:
    left = {axis for dim in contracted for axis in operand.dims[dim]}
    kept = {dim: axes for dim, axes in operand.dims.items() if dim not in contracted}
    return Layout(kept, operand.pending | left)


def _multiplied(first: Layout, second: Layout, contracted: list[str]) -> Layout | None:
    for own, other in ((first, second), (second, first)):
        sharded = {axis for axes in other.dims.values() for axis in axes}
        if own.pending & (sharded | other.pending):
            return None  # a pending axis that shards the other factor, or is pending in both
    pending = set(first.pending | second.pending)
    for dim in contracted:
        pending |= set(_both(first.dims[dim], second.dims[dim]))
    return _kept(first, second, contracted, frozenset(pending))


def _added(first: Layout, second: Layout) -> Layout | None:
    """Pending + replicated is masked, pending + sharded on that axis is padded: the result is pending on both's axes."""
    pending = first.pending | second.pending
    lists = [axes for one in (first, second) for axes in one.dims.values()]
    if any(axis in axes and set(axes[axes.index(axis) :]) - pending for axes in lists for axis in pending):
        raise UnsureError("a pad of a major axis: what becomes of the minor ones")
    ours = [Layout({dim: _without(axes, pending) for dim, axes in one.dims.items()}) for one in (first, second)]
    return _kept(*ours, [], pending)


def _kept(first: Layout, second: Layout, contracted: list[str], pending: frozenset[str]) -> Layout | None:
    dims: dict[str, Axes] = {}
    for dim in [*first.dims, *(dim for dim in second.dims if dim not in first.dims)]:
        if dim in contracted:
            continue
        lists = [one.dims[dim] for one in (first, second) if dim in one.dims]
        longest = max(lists, key=len)
        if any(axes != longest[: len(axes)] for axes in lists):
            return None  # neither is a prefix of the other
        dims[dim] = longest
    used = [axis for axes in dims.values() for axis in axes]
    return Layout(dims, pending) if len(used) == len(set(used)) else None


def _both(first: Axes, second: Axes) -> Axes:
    """Return the axes that both sides of a contracted dimension keep: what is one-sided is gathered."""
    if sorted(first) == sorted(second):
        return first
    common = 0
    while common < min(len(first), len(second)) and first[common] == second[common]:
        common += 1
    if set(first[common:]) & set(second[common:]) and common:
        raise UnsureError("a common prefix, then common axes in another order")
    return first[:common]


def _without(axes: Axes, pending: frozenset[str]) -> Axes:
    return tuple(axis for axis in axes if axis not in pending)
