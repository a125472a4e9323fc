"""Judge: bytes of a reshard against the recorded optimum, the information bound, and the executor."""

from typing import Any

from tests.oracles.execution import bytes_received, run_report
from tests.oracles.notation import read_array, sides
from tests.oracles.product import Product, tell_findings
from tests.oracles.records import Record

# The bound of a plan that leaves idle axes alone is the first of these that a record has.
_NO_IDLE = ("no_idle_axis", "one_axis", "may_make_partial")


def options(record: Record) -> dict[str, Any]:
    """Return mesh, sizes and element type of a record."""
    dims = [dim for dim, _ in read_array(sides(record["notation"])[0]).dims]
    return {"mesh": record["mesh"], "sizes": dict(zip(dims, record["shape"], strict=True)), "dtype": "f32"}


def bounds(record: Record) -> tuple[float, float]:
    """Return the most bytes that a plan may cost without idle axes, and with them."""
    known = {key: value for key, value in record["optimum"].items() if value is not None and key != "floor_bytes"}
    return next(known[key] for key in _NO_IDLE if key in known), min(known.values())


def judge_reshard(product: Product, record: Record) -> list[str]:
    """Return the problems of a record, both without and with idle axes."""
    problems, floor = [], record["optimum"].get("floor_bytes", 0)
    for idle, most in zip((False, True), bounds(record), strict=True):
        given = {**options(record), "idle_axes": idle}
        report = product.check(record["notation"], alternatives=False, **given)
        if not report["ok"]:
            return [f"refused: {tell_findings(report)}"]
        if report["statements"][-1]["output"] != sides(record["notation"])[1]:
            problems.append(f"output {report['statements'][-1]['output']}")
        received = bytes_received(report)
        if not floor <= received <= most:
            problems.append(f"{received} bytes, not from {floor} to {most}, idle axes {idle}")
        problems += run_report(record["notation"], given, report, small=False)
    return problems
