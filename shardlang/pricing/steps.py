"""What one step computes, moves and takes, in whatever arithmetic the sizes are given.

The same functions serve planning (numbers, monomials) and `shardlang.cost` (SymPy). Everything is per
device. Source: COST_MODEL sections 4, 5 and 9.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from shardlang.pricing import collectives
from shardlang.pricing.collectives import NUMBERS, Link, Maths, Quantity
from shardlang.pricing.widths import rate_name, width
from shardlang.rules.plan import COLLECTIVES, FREE_STEPS, REDUCING, Step, Value
from shardlang.semantics.sharding import ArrayType, dim_text

_MOVES_NOTHING = ("Reshape", *FREE_STEPS)


class Sizes(NamedTuple):
    """How large everything is.

    dims, axes: the sizes of dimensions and mesh axes; a dimension that is a literal size needs no entry.
    dtype: the element type of what says none. reduce_dtype: the type that pending sums travel in, None for
    their own. extent: gives the local length of a dimension over its axes where dividing is not right (padded
    shards); None: dividing. width: bytes of an element by its type. declared: the element types of names.
    memo: bytes by array and element type, filled as they are asked for; None where arithmetic is cheap.
    """

    dims: Mapping[str, Quantity]
    axes: Mapping[str, Quantity]
    dtype: str = "bf16"
    reduce_dtype: str | None = None
    extent: Callable[[str, tuple[str, ...]], Quantity] | None = None
    width: Callable[[str], Quantity] = width
    declared: Mapping[str, str] = {}
    memo: dict[tuple[ArrayType, str], Quantity] | None = None


class Rates(NamedTuple):
    """What the hardware does in a second: FLOPs by element type (see `widths.rate_name`), bytes of HBM; and the network of each mesh axis.

    latency: seconds a hop, None to leave it out. top_k: how many parts a row of an AllToAll goes to, None for all.
    """

    flops: Mapping[str, Quantity]
    hbm: Quantity
    links: Mapping[str, Link]
    latency: Quantity | None = None
    top_k: Quantity | None = None


class Cost(NamedTuple):
    """The seconds that a step takes of each resource; 0 where it does not use it."""

    math: Quantity
    comms: Quantity
    hbm: Quantity


def size_of(dim: str, sizes: Sizes) -> Quantity:
    """Return the global length of a dimension. Raises KeyError for a dimension that `sizes` does not have."""
    known = sizes.dims.get(dim)
    return int(dim_text(dim)) if known is None and dim_text(dim).isdigit() else sizes.dims[dim]


def group_size(axes: Sequence[str], sizes: Sizes) -> Quantity:
    """Return the number of devices along `axes` together."""
    n: Quantity = 1
    for axis in axes:
        n = n * sizes.axes[axis]
    return n


def local_size(dim: str, axes: tuple[str, ...], sizes: Sizes) -> Quantity:
    """Return the length of the block of `dim` that one device holds when `axes` shard it."""
    if sizes.extent is not None:
        return sizes.extent(dim, axes)
    length = size_of(dim, sizes)
    for axis in axes:
        length = length / sizes.axes[axis]
    return length


def local_elements(array: ArrayType, sizes: Sizes) -> Quantity:
    """Return the number of elements that one device holds."""
    count: Quantity = 1
    for dim, axes in zip(array.dims, array.sharding.axes, strict=True):
        count = count * local_size(dim, axes, sizes)
    return count


def value_dtype(value: Value, sizes: Sizes) -> str:
    """Return the element type of a value: its own, else that declared for its name, else the plan's."""
    return value.type.dtype or sizes.declared.get(value.name or "") or sizes.dtype


def value_bytes(value: Value, sizes: Sizes) -> Quantity:
    """Return the bytes that one device holds of a value."""
    dtype = value_dtype(value, sizes)
    if sizes.memo is None:
        return local_elements(value.type, sizes) * sizes.width(dtype)
    key = (value.type, dtype)
    if key not in sizes.memo:
        sizes.memo[key] = local_elements(value.type, sizes) * sizes.width(dtype)
    return sizes.memo[key]


def flops(step: Step, sizes: Sizes) -> Quantity:
    """Return the FLOPs of one device.

    A product of operands takes the product of all distinct local lengths, twice if something is summed over
    (multiply and add); another operation one FLOP an element, of the operand for a reduction, of the result
    else. Look-ups, reshapes and communication compute nothing.
    """
    if step.kind == "Einsum":
        lengths = _product_dims(step)
        count: Quantity = 2 if step.contracted else 1
        for dim, axes in lengths.items():
            count = count * local_size(dim, axes, sizes)
        return count
    if step.kind == "Elementwise":
        return local_elements(step.result.type, sizes)
    if step.kind == "Reduce":
        return local_elements((_arrays(step.operands) or [step.result])[0].type, sizes)
    return 0


def hbm_bytes(step: Step, sizes: Sizes) -> Quantity:
    """Return the bytes read and written in HBM: every operand of a local operation and its result.

    Collectives are not counted, nor free steps, nor a reshape or transpose, which only relabel what is there.
    """
    if step.kind in COLLECTIVES or step.kind in _MOVES_NOTHING:
        return 0
    count = value_bytes(step.result, sizes)
    for value in _arrays(step.operands):
        count = count + value_bytes(value, sizes)
    return count


def operand_bytes(step: Step, sizes: Sizes) -> Quantity:
    """Return the bytes that one device holds of a collective's operand, in the element type that travels."""
    operand = step.operands[0]
    if operand.constant is not None:
        operand = step.result
    if step.kind in REDUCING and sizes.reduce_dtype is not None:
        return local_elements(operand.type, sizes) * sizes.width(sizes.reduce_dtype)
    return value_bytes(operand, sizes)


def bytes_received(step: Step, sizes: Sizes) -> Quantity:
    """Return the bytes that one device receives, exact; 0 for a step without communication."""
    if step.kind not in COLLECTIVES:
        return 0
    return collectives.bytes_received(step.kind, operand_bytes(step, sizes), group_size(step.axes, sizes))


def volume(step: Step, sizes: Sizes) -> Quantity:
    """Return V of a collective, see `collectives.volume`; 0 for a step without communication."""
    if step.kind not in COLLECTIVES:
        return 0
    return collectives.volume(step.kind, operand_bytes(step, sizes), group_size(step.axes, sizes))


def rate_dtype(step: Step, sizes: Sizes) -> str:
    """Return the element type at whose rate a local operation computes: that of the widest operand."""
    types = [value_dtype(value, sizes) for value in _arrays(step.operands)]
    if not types:
        return value_dtype(step.result, sizes)
    return max(types, key=width) if len(types) > 1 else types[0]


def cost(step: Step, sizes: Sizes, rates: Rates, model: str = "exact", maths: Maths = NUMBERS) -> Cost:
    """Return the seconds of `step` on each resource. model: `book` or `exact`, see `collectives.time`."""
    if step.kind in COLLECTIVES:
        links = [rates.links[axis] for axis in step.axes]
        seconds = collectives.time(step.kind, volume(step, sizes), links, model, rates.latency, maths, rates.top_k)
        return Cost(0, seconds, 0)
    if step.kind in _MOVES_NOTHING:
        return Cost(0, 0, 0)
    work = flops(step, sizes)
    seconds = work / rates.flops[rate_name(rate_dtype(step, sizes))] if step.kind != "Take" else 0
    return Cost(seconds, 0, hbm_bytes(step, sizes) / rates.hbm)


def loads(step: Step, sizes: Sizes, rates: Rates, model: str = "exact", maths: Maths = NUMBERS) -> dict[str, Quantity]:
    """Return the seconds that a collective keeps the links of each level busy, see `collectives.level_times`."""
    links = [rates.links[axis] for axis in step.axes]
    return collectives.level_times(step.kind, volume(step, sizes), links, model, rates.latency, maths, rates.top_k)


def _arrays(values: Sequence[Value]) -> list[Value]:
    return [value for value in values if value.constant is None]


def _product_dims(step: Step) -> dict[str, tuple[str, ...]]:
    """Return each distinct dimension of a local product with the axes that shard it."""
    lengths: dict[str, tuple[str, ...]] = {}
    for value in _arrays(step.operands):
        for dim, axes in zip(value.type.dims, value.type.sharding.axes, strict=True):
            lengths.setdefault(dim, axes)
    return lengths
