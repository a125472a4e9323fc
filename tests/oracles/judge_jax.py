"""Judge: output shardings and refusals against JAX's explicit sharding mode, with nothing asked for.

The statement is built from the einsum string of the record, without an output. Where the notation differs on purpose
the difference is a predicate with its reason; its uses are counted.
"""

from typing import Any

from tests.oracles.notation import read_array, read_axes
from tests.oracles.product import Json, Product, tell_findings
from tests.oracles.records import Record

PENDING_SUM = "a sum over a sharded dimension is left pending, JAX drops the sharding silently"
SECOND_ONLY = "a batch or elementwise dimension that only the second operand shards keeps its axes, JAX drops them"

_NAMES = "ABDEG"


def statement(record: Record) -> str:
    """Return the record's operation in the notation, without an output unless the record asks for one."""
    if "asked" in record:
        text: str = record["text"]
        return text
    operands, output = _indices(record)
    arrays = [
        _array(_NAMES[at], part, spec) for at, (part, spec) in enumerate(zip(operands, record["in_specs"], strict=True))
    ]
    if len(arrays) == 1:
        summed = [dim.upper() for dim in operands[0] if dim not in output]
        return f"sum_{{{','.join(summed)}}} {arrays[0]}"
    if record["api"] != "einsum":
        return f" {'+' if record['api'] == 'add' else '⊙'} ".join(arrays)
    return f" {_product(operands, output)} ".join(arrays)


def _indices(record: Record) -> tuple[list[str], str]:
    left, output = record["einsum"].split("->")
    return left.split(","), output


def _array(name: str, dims: str, spec: list[str]) -> str:
    entries = [dim.upper() + (f"_{{{axes}}}" if axes else "") for dim, axes in zip(dims, spec, strict=True)]
    return f"{name}[{', '.join(entries)}]"


def _product(operands: list[str], output: str) -> str:
    """Return `·`, or `·_{…}` or `⊙` where a shared dimension is kept."""
    if len(operands) > 2:
        return "·"
    shared = [dim for dim in operands[0] if dim in operands[1]]
    contracted = [dim.upper() for dim in shared if dim not in output]
    if len(contracted) == len(shared):
        return "·"
    return f"·_{{{','.join(contracted)}}}" if contracted else "⊙"


def options(record: Record) -> dict[str, Any]:
    """Return the mesh and the sizes of a record."""
    operands, _ = _indices(record)
    sizes = {
        dim.upper(): size
        for part, shape in zip(operands, record["shapes"], strict=True)
        for dim, size in zip(part, shape, strict=True)
    }
    return {"mesh": record["mesh"], "sizes": sizes}


def judge_jax(product: Product, record: Record) -> tuple[list[str], list[str]]:
    """Return the problems of a record, and the reasons of the differences on purpose that were met."""
    report = product.check(statement(record), **options(record))
    if "error_kind" in record:
        return ([] if not report["ok"] else [f"accepted, though {record['error_kind']}"]), []
    return _judge_output(report, record)


def _judge_output(report: Json, record: Record) -> tuple[list[str], list[str]]:
    operands, output = _indices(record)
    wanted = {
        dim.upper(): read_axes(axes) if axes else () for dim, axes in zip(output, record["out_spec"], strict=True)
    }
    second = _second_only(record)
    if not report["ok"]:
        codes = {finding["code"] for finding in report["diagnostics"]}
        clash = second and codes & {"SL309"}
        return ([], [SECOND_ONLY]) if clash else ([f"refused: {tell_findings(report)}"], [])
    found = read_array(report["statements"][-1]["output"])
    reasons = []
    if found.pending:
        summed = {
            axis
            for dim, spec in zip(operands[0], record["in_specs"][0], strict=True)
            if dim not in output
            for axis in spec
        }
        if len(operands) > 1 or found.pending != summed:
            return [f"pending {sorted(found.pending)}"], []
        reasons.append(PENDING_SUM)
    if dict(found.dims) == wanted:
        return [], reasons
    if second and dict(found.dims) == wanted | second:
        return [], [*reasons, SECOND_ONLY]
    return [f"{report['statements'][-1]['output']} instead of {wanted}"], []


def _second_only(record: Record) -> dict[str, tuple[str, ...]]:
    """Return dimension -> axes for kept dimensions that both operands have and only the second shards."""
    operands, output = _indices(record)
    if len(operands) != 2:
        return {}
    specs = [dict(zip(part, spec, strict=True)) for part, spec in zip(operands, record["in_specs"], strict=True)]
    return {
        dim.upper(): read_axes(specs[1][dim])
        for dim in output
        if dim in specs[0] and dim in specs[1] and specs[1][dim] and not specs[0][dim]
    }
