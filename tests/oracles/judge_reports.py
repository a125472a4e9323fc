"""Judge: verdicts, outputs, collectives and bytes of `check` against public reports, worked out from first principles."""

from typing import Any

from tests.oracles.notation import COLLECTIVES, Array, Move, read_array, read_arrays, read_move, sides, split_outside
from tests.oracles.product import Json, Product, errors, tell_findings
from tests.oracles.records import Record

# The figures that are about the plan itself; others are about plans that the report compares it with.
_OWN_BYTES = ("bytes_received_per_device", "bytes_received_best", "bytes_received_worst_device")


def judge_report(product: Product, record: Record) -> list[str]:
    """Return the problems of one report."""
    report, expected = product.check(record["plan"], **report_options(record)), record["expected"]
    if expected["verdict"] == "invalid":
        return _judge_invalid(report, expected)
    if not report["ok"]:
        return [f"refused: {tell_findings(report)}"]
    problems = _judge_output(report, expected) + _judge_collectives(report, expected)
    problems += _judge_without_communication(product, record)
    if "also" in expected:
        source = sides(record["plan"])[0]
        other = {
            **record,
            "plan": f"{source} -> {expected['also']['target']}",
            "expected": {"verdict": "valid", **expected["also"]},
        }
        problems += judge_report(product, other)
    return problems


def report_options(record: Record) -> dict[str, Any]:
    """Return mesh, sizes of the plan's dimensions, and element type."""
    dims = {dim for array in read_arrays(record["plan"]) for dim, _ in array.dims}
    sizes = {name: size for name, size in record["sizes"].items() if name in dims}
    options = {"mesh": record["mesh"], "sizes": sizes, "dtype": record["sizes"].get("dtype")}
    return {name: value for name, value in options.items() if value}


def _judge_invalid(report: Json, expected: Record) -> list[str]:
    found = errors(report)
    if report["ok"] or not found:
        return ["accepted"]
    told = " ".join(f"{finding['message']} {finding['hint'] or ''}" for finding in found)
    size = str(expected.get("numbers", {}).get("pad_to", ""))
    return [] if size in told else [f"no word of {size}: {told}"]


def _judge_output(report: Json, expected: Record) -> list[str]:
    if "output" not in expected:
        return []
    wanted = [read_array(part) for part in expected["output"].split(";")]
    found = [read_array(statement["output"]) for statement in report["statements"]][-len(wanted) :]
    return [] if found == wanted else [f"output {found} instead of {expected['output']}"]


def _judge_collectives(report: Json, expected: Record) -> list[str]:
    steps = [step for statement in report["statements"] for step in statement["steps"] if step["kind"] in COLLECTIVES]
    also = expected.get("also_right", [])
    options = [expected["collectives"], *([also] if isinstance(also, str) else also)]
    options = [read_option(option) for option in options]
    own = [expected["numbers"][key] for key in _OWN_BYTES if key in expected.get("numbers", {})]
    received = sum(step["bytes_received"] or 0 for step in steps)
    problems = []
    if own and (received > own[0] or any(step["bytes_received"] is None for step in steps)):
        problems.append(f"{received} bytes received instead of {own[0]}")
    as_cheap = bool(own) and received == own[0] and len(steps) <= len(options[0])
    if not as_cheap and not any(_same_moves(steps, option) for option in options):
        problems.append(f"collectives {[step['text'] for step in steps]} instead of {expected['collectives']}")
    return problems


def read_option(option: str | list[str]) -> list[Move]:
    """Read a list of collectives; free steps and local operations in it do not count."""
    parts = split_outside(option, ",") if isinstance(option, str) else option
    moves = [move for move in map(read_move, parts) if move]
    return [move for move in moves if move.op in COLLECTIVES]


def _same_moves(steps: list[Json], moves: list[Move]) -> bool:
    return len(steps) == len(moves) and all(map(_same_move, steps, moves))


def _same_move(step: Json, move: Move) -> bool:
    arrays = read_arrays(step["text"])
    if step["kind"] != move.op or (move.name and move.name not in {array.name for array in arrays}):
        return False
    if move.before and move.after:
        return [_sharded_part(array) for array in arrays] == [_sharded_part(move.before), _sharded_part(move.after)]
    ordered = step["kind"] in ("ReduceScatter", "AllToAll")
    same_axes = step["axes"] == list(move.axes) if ordered else sorted(step["axes"]) == sorted(move.axes)
    return same_axes and (move.dim is None or step["dims"][-1:] == [move.dim])


def _sharded_part(array: Array) -> tuple[Any, ...]:
    """The layout without dimensions that are whole, which a report may leave out."""
    dims, pending, kind = array.layout()
    return tuple((dim, axes) for dim, axes in dims if axes), pending, kind


def _judge_without_communication(product: Product, record: Record) -> list[str]:
    """What a report says of the bare operation: its output, or why it is wrong as it stands."""
    expected, options, problems = record["expected"], report_options(record), []
    if "local_output" in expected:
        local = f"explicit\n{sides(record['plan'])[0]} -> {expected['local_output']}"
        if not product.check(local, **options)["ok"]:
            problems.append(f"{expected['local_output']} is not what the bare operation gives")
    if "local_error" in expected and product.check(f"explicit\n{record['plan']}", **options)["ok"]:
        problems.append(f"accepted under `explicit`, though {expected['local_error']}")
    return problems
