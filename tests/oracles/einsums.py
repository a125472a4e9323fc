"""Statements made from an einsum string and specs, as JAX's records have them.

A spec is one string of axes a dimension, major first (`["XY", ""]`); `in_u` and `out_u` are pending axes.
"""

from typing import Any

from tests.oracles.records import Record

_NAMES = "ABDEG"


def indices(record: Record) -> tuple[list[str], str]:
    """Return the indices of the operands and of the output, in capitals."""
    left, output = record["einsum"].upper().split("->")
    return left.split(","), output


def array(name: str, dims: str, spec: list[str], pending: str = "") -> str:
    """Return `A[I_{XY}, J]{U_{Z}}`."""
    entries = [dim + (f"_{{{axes}}}" if axes else "") for dim, axes in zip(dims, spec, strict=True)]
    return f"{name}[{', '.join(entries)}]" + (f"{{U_{{{pending}}}}}" if pending else "")


def arrays(record: Record) -> list[str]:
    """Return the operands of a record."""
    operands, _ = indices(record)
    pending = record.get("in_u", [""] * len(operands))
    return [
        array(_NAMES[at], *parts) for at, parts in enumerate(zip(operands, record["in_specs"], pending, strict=True))
    ]


def sizes(record: Record) -> dict[str, int]:
    """Return the size of every dimension."""
    operands, _ = indices(record)
    pairs = zip(operands, record["shapes"], strict=True)
    return {dim: size for dims, shape in pairs for dim, size in zip(dims, shape, strict=True)}


def options(record: Record) -> dict[str, Any]:
    """Return mesh, sizes and element type of a record."""
    return {"mesh": record["mesh"], "sizes": sizes(record), "dtype": "f32"}


def bare(record: Record) -> str:
    """Return the operation without an output: it says itself what is contracted."""
    operands, output = indices(record)
    if len(operands) == 1:
        summed = [dim for dim in operands[0] if dim not in output]
        return f"sum_{{{','.join(summed)}}} {arrays(record)[0]}" if summed else arrays(record)[0]
    sign = {"add": "+", "multiply": "⊙"}.get(record["api"]) or _product(operands, output)
    return f" {sign} ".join(arrays(record))


def asking(record: Record, spec: list[str], pending: str = "") -> str:
    """Return the operation with an output that has this spec."""
    operands, output = indices(record)
    left = bare(record) if len(operands) == 1 or record["api"] != "einsum" else " · ".join(arrays(record))
    return f"{left} -> {array('C', output, spec, pending)}"


def _product(operands: list[str], output: str) -> str:
    """Return `·`, or `·_{…}` or `⊙` where a shared dimension is kept."""
    if len(operands) > 2:
        return "·"
    shared = [dim for dim in operands[0] if dim in operands[1]]
    contracted = [dim for dim in shared if dim not in output]
    if len(contracted) == len(shared):
        return "·"
    return f"·_{{{','.join(contracted)}}}" if contracted else "⊙"
