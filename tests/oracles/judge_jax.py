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
CHAIN_ORDER = "a chain is contracted from the left, JAX chooses an order of its own and may meet a clash on the way"

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
    """Return the mesh of a record; for every second one also the sizes, which must not change the layout."""
    operands, _ = _indices(record)
    if int(record["id"][1:]) % 2 and record.get("error_kind") != "not_divisible":
        return {"mesh": record["mesh"]}
    sizes = {
        dim.upper(): size
        for part, shape in zip(operands, record["shapes"], strict=True)
        for dim, size in zip(part, shape, strict=True)
    }
    return {"mesh": record["mesh"], "sizes": sizes}


def judge_jax(product: Product, record: Record) -> tuple[list[str], list[str]]:
    """Return the problems of a record, and the reasons of the differences on purpose that were met."""
    report = product.check(statement(record), alternatives=False, **options(record))
    if "error_kind" in record:
        if not report["ok"]:
            return [], []
        on_the_way = record["error_kind"] == "duplicate_axis_in_result" and not _kept_clash(record)
        return ([], [CHAIN_ORDER]) if on_the_way else ([f"accepted, though {record['error_kind']}"], [])
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


def _kept_clash(record: Record) -> bool:
    """Say whether one axis shards two different dimensions of the result, taken from all operands."""
    operands, output = _indices(record)
    places = {
        (axis, dim)
        for part, spec in zip(operands, record["in_specs"], strict=True)
        for dim, axes in zip(part, spec, strict=True)
        if dim in output
        for axis in axes
    }
    return len({axis for axis, _ in places}) < len(places)


def _second_only(record: Record) -> dict[str, tuple[str, ...]]:
    """Return dimension -> axes for kept dimensions that both operands have and only JAX's second one shards.

    JAX multiplies the operands in the order in which batch dimensions and then what is left of each give the
    einsum's output without a transpose, else in the other order.
    """
    operands, output = _indices(record)
    if len(operands) != 2:
        return {}
    specs = [dict(zip(part, spec, strict=True)) for part, spec in zip(operands, record["in_specs"], strict=True)]
    batch = "".join(dim for dim in operands[0] if dim in operands[1] and dim in output)
    rest = "".join(dim for part in operands for dim in part if dim in output and dim not in batch)
    first, second = specs if batch + rest == output else reversed(specs)
    return {dim.upper(): read_axes(second[dim]) for dim in batch if second[dim] and not first[dim]}
