"""Steps written by hand: `step("AllGather", "XY", "A[I_{XY}, J]", "A[I, J]")`.

A reader of its own, so that these tests stand without the parser: dimensions and axes are single letters.
"""

import re

from shardlang.rules.plan import Step, Value
from shardlang.semantics.sharding import ArrayType, Sharding

_ARRAY = re.compile(r"(\w*)\[(.*?)\](?:\{(U|max|min)_\{?(\w+?)\}?\})?$")
_KINDS = {"U": "sum", "max": "max", "min": "min"}


def value(text: str) -> Value:
    """`A[I_{XY}, J]{U_Z}`; `2` and `1[]{U_X}` are numbers."""
    if text.isdigit():
        return Value(None, ArrayType((), Sharding(())), text)
    match = _ARRAY.match(text)
    assert match, text
    name, inside, kind, pending = match.groups()
    entries = [entry.strip().split("_") for entry in inside.split(",")] if inside else []
    axes = tuple(tuple(entry[1].strip("{}")) if len(entry) > 1 else () for entry in entries)
    sharding = Sharding(axes, tuple(sorted(pending or "")), _KINDS[kind or "U"])
    constant = name if name.isdigit() else None
    return Value(None if constant else name, ArrayType(tuple(entry[0] for entry in entries), sharding), constant)


def step(kind: str, axes: str, operand: str, result: str) -> Step:
    """A collective or a free step."""
    return Step(kind, kind, (value(operand),), value(result), tuple(axes), text=f"{kind}_{axes} {operand} -> {result}")


def local(op: str, operands: tuple[str, ...], result: str, contracted: str = "") -> Step:
    """A local operation."""
    kind = {"contract": "Einsum", "sum": "Reduce", "mean": "Reduce", "max": "Reduce"}.get(op, "Elementwise")
    return Step(kind, op, tuple(map(value, operands)), value(result), contracted=tuple(contracted), text=op)
