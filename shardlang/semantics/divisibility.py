"""SL205, SL218: a dimension must divide evenly over its mesh axes."""

from math import isqrt

from shardlang.diagnostics import Label
from shardlang.semantics.arrays import axis_places, named, stem_span
from shardlang.semantics.program import Ref
from shardlang.semantics.scope import Scope
from shardlang.semantics.sharding import dim_text
from shardlang.semantics.sizes import Sizes
from shardlang.source import Span

_MOST_TRIALS = 4096


def check_divides(ref: Ref, sizes: Sizes, good: set[tuple[str, tuple[str, ...]]], scope: Scope) -> None:
    """Check every sharded dimension of an array whose size and axes are known. `good` remembers those that divide."""
    for at, (dim, axes) in enumerate(zip(ref.type.dims, ref.type.sharding.axes, strict=True)):
        if not axes or (dim, axes) in good:
            continue
        size = sizes.dims.get(dim)
        whole = size.integer if size is not None else None
        if whole is None:
            good.add((dim, axes))
            continue
        shards = 1
        for axis in axes:
            shards *= sizes.axes.get(axis) or 1
        if whole % shards == 0:
            good.add((dim, axes))
        elif scope.uneven:
            _warn_uneven(ref, at, whole, shards, scope)
        else:
            _report_uneven(ref, at, whole, shards, sizes, scope)


def _report_uneven(ref: Ref, at: int, size: int, shards: int, sizes: Sizes, scope: Scope) -> None:
    dim, axes = ref.type.dims[at], ref.type.sharding.axes[at]
    below = size // shards * shards
    nearest = f"{below} and {below + shards}" if below else f"{shards}"
    verb = "nearest sizes that work are" if below else "smallest size that works is"
    scope.report(
        "SL205",
        f"{_sized(dim, size)} of {named(ref)} is not divisible by {_product(axes, shards)} "
        f"(remainder {size % shards}); the {verb} {nearest}",
        _place(ref, at, scope),
        (Label(stem_span((ref.node.dims or ())[at], dim), f"{dim_text(dim)} = {size}"),)
        if not dim.startswith("%")
        else (),
        hint="; or ".join(_ways_out(ref, at, size, shards, sizes)),
    )


def _ways_out(ref: Ref, at: int, size: int, shards: int, sizes: Sizes) -> list[str]:
    dim = dim_text(ref.type.dims[at])
    padded = -(-size // shards) * shards
    ways = [f"pad `{dim}` to {padded} (`--uneven` does it, at the cost of {padded - size} in {padded})"]
    divisors = [d for d in _divisors(size) if d > 1]
    if len(divisors) > 8:
        divisors = sorted(sorted(divisors, key=lambda d: abs(d - shards))[:8])
    if divisors:
        ways.append(f"shard it into {_either(divisors)} parts, the divisors of {size}")
    others = []
    for other, other_axes in zip(ref.type.dims, ref.type.sharding.axes, strict=True):
        known = sizes.dims.get(other)
        whole = known.integer if known is not None else None
        taken = 1
        for axis in other_axes:
            taken *= sizes.axes.get(axis) or 1
        if other != ref.type.dims[at] and whole is not None and whole % (shards * taken) == 0:
            others.append(f"`{dim_text(other)}` = {whole}")
    if others:
        ways.append(f"put these axes on {' or '.join(others)}, which {shards} divides")
    return ways


def _warn_uneven(ref: Ref, at: int, size: int, shards: int, scope: Scope) -> None:
    dim, axes = ref.type.dims[at], ref.type.sharding.axes[at]
    padded = -(-size // shards) * shards
    block = padded // shards
    scope.report(
        "SL218",
        f"{_sized(dim, size)} of {named(ref)} is not divisible by {_product(axes, shards)} and is padded to {padded}: "
        f"shards of {block}, of which {padded - size} in {padded} elements are padding",
        _place(ref, at, scope),
    )


def _sized(dim: str, size: int) -> str:
    return f"the dimension of size {size}" if dim.startswith("%") else f"`{dim}` = {size}"


def _product(axes: tuple[str, ...], shards: int) -> str:
    return f"{'·'.join(f'|{axis}|' for axis in axes)} = {shards}"


def _place(ref: Ref, at: int, scope: Scope) -> Span:
    """Return the place of the subscript."""
    dim = (ref.node.dims or ())[at]
    if dim.subscript is not None:
        return dim.subscript.span
    inside = [span for _, _, span in axis_places(ref.node, scope) if dim.span.start <= span.start < dim.span.end]
    return inside[0].to(inside[-1]) if inside else dim.span


def _either(numbers: list[int]) -> str:
    texts = [str(number) for number in numbers]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def _divisors(size: int) -> list[int]:
    small = [d for d in range(1, min(isqrt(size), _MOST_TRIALS) + 1) if size % d == 0]
    return sorted({*small, *(size // d for d in small)})
