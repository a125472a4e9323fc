"""Judge: bytes and kinds of collectives against what XLA compiled.

XLA's bytes are an upper bound for a plan that may use idle axes. Kinds are compared where they are no matter of
taste: one mesh axis, cases 1 to 3 of a product, the natural output, equal bytes.
"""

from tests.oracles.einsums import asking, indices, options
from tests.oracles.execution import bytes_received
from tests.oracles.notation import COLLECTIVES
from tests.oracles.product import Json, Product, tell_findings
from tests.oracles.records import Record

# XLA communicates over a part of an axis in these, which the notation says with the axis as a product.
PART_OF_AN_AXIS = frozenset({"H01867", "H02242", "H02286", "H02696", "H02705", "H02708", "H02818"})

_KINDS = {
    "all-gather": "AllGather",
    "all-reduce": "AllReduce",
    "all-to-all": "AllToAll",
    "collective-permute": "CollectivePermute",
    "reduce-scatter": "ReduceScatter",
}


def statement(record: Record) -> str:
    """Return the record's operation with the output that XLA compiled it for."""
    return asking(record, record["out_spec"], record.get("out_u", ""))


def moved(record: Record) -> float:
    """Return the bytes that one device receives in XLA's program."""
    return sum(collective["moved"] for collective in record["collectives"])


def judge_bytes(product: Product, record: Record) -> list[str]:
    """Return the problems of a record when idle axes may be used."""
    report = product.check(statement(record), idle_axes=True, alternatives=False, **options(record))
    if not report["ok"]:
        return [f"refused: {tell_findings(report)}"]
    received = bytes_received(report)
    return (
        []
        if received <= moved(record)
        else [f"{received} bytes instead of {moved(record)}: {[step['text'] for step in _steps(report)]}"]
    )


def split_axis(record: Record, axis: str = "X", parts: str = "PQ") -> Record:
    """Return the record on a mesh that has two axes of equal size in the place of one, the major first."""
    size = round(record["mesh"][axis] ** (1 / len(parts)))
    assert size ** len(parts) == record["mesh"][axis]
    mesh: dict[str, int] = {}
    for name, count in record["mesh"].items():
        mesh |= dict.fromkeys(parts, size) if name == axis else {name: count}

    def renamed(spec: list[str]) -> list[str]:
        return [axes.replace(axis, parts) for axes in spec]

    in_specs = [renamed(spec) for spec in record["in_specs"]]
    return {**record, "mesh": mesh, "in_specs": in_specs, "out_spec": renamed(record["out_spec"])}


def kinds_count(record: Record) -> bool:
    """Say whether kinds are compared: one axis, case 1 to 3, the output that the local rule gives."""
    operands, output = indices(record)
    specs = [*record["in_specs"], record["out_spec"]]
    axes = {axis for spec in specs for axes in spec for axis in axes}
    if len(operands) != 2 or len(axes) != 1 or record.get("in_u") or record.get("out_u"):
        return False
    contracted = [dim for dim in operands[0] if dim in operands[1] and dim not in output]
    kept = {dim for dims, spec in zip(operands, specs, strict=False) for dim, on in zip(dims, spec, strict=True) if on}
    inside = kept & set(contracted)
    kept -= inside
    asked = {dim for dim, on in zip(output, record["out_spec"], strict=True) if on}
    if not contracted or len(kept) > 1:
        return False  # nothing is contracted, or one axis on two kept dimensions: case 4
    if not inside or not _alike(record, operands, inside):
        return asked == kept
    return not kept and len(asked) <= 1  # case 3: AllReduce, or ReduceScatter where the axis is wanted


def _alike(record: Record, operands: list[str], dims: set[str]) -> bool:
    """Say whether the contracted dimensions are sharded in both operands, which leaves a pending sum."""
    first, second = (
        {dim for dim, on in zip(own, spec, strict=True) if on and dim in dims}
        for own, spec in zip(operands, record["in_specs"], strict=True)
    )
    return first == second


def judge_kinds(product: Product, record: Record, *, idle_axes: bool) -> tuple[list[str], bool]:
    """Return the problems of the kinds of collective, and whether bytes are equal, so that kinds were compared."""
    report = product.check(statement(record), idle_axes=idle_axes, alternatives=False, **options(record))
    if not report["ok"]:
        return [f"refused: {tell_findings(report)}"], False
    theirs = sorted("ReduceScatter" if one.get("then_slice") else _KINDS[one["op"]] for one in record["collectives"])
    cost = sum(one.get("moved_if_rs", one["moved"]) for one in record["collectives"])
    if bytes_received(report) != cost:
        return [], False
    ours = sorted(step["kind"] for step in _steps(report) if step["kind"] in COLLECTIVES)
    return ([] if ours == theirs else [f"{ours} instead of {theirs}"]), True


def _steps(report: Json) -> list[Json]:
    return [step for statement in report["statements"] for step in statement["steps"]]
