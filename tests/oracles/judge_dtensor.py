"""Judge: operations of DTensor are legal, for at most the bytes that it moved; local rules are those found by brute force.

`axis_rule:*` records say for one axis which state the bare operation gives, if any: these are truth, for the rule
itself and for what `explicit` accepts. The rest are upper bounds.
"""

import re
from typing import Any

from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.signature import signature_of
from shardlang.semantics.sharding import Sharding
from tests.oracles.execution import bytes_received, run_report
from tests.oracles.notation import COLLECTIVES, FREE_STEPS, Array, read_array, read_arrays, sides
from tests.oracles.product import Json, Product, errors, tell_findings
from tests.oracles.records import Record

STRIDED = "the result is strided, which the notation cannot write"
NO_SUCH_OPERATION = "concat and cumsum are not in the notation"
NOT_BUILT = "reshapes and normalisations are understood, but not built yet"

_NOT_BUILT = ("flatten_ij", "flatten_ni", "unflatten0", "softmax1", "axis_rule:softmax1")

# Operation of a rule: statement with a place for each operand, operation of the rules, dimensions: operands, result.
_RULES: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "add": ("{} + {}", "add", ("IJ", "IJ"), "IJ"),
    "add_bcast": ("{} + {}", "add", ("IJ", "J"), "IJ"),
    "add_scalar": ("{} + 1", "add", ("IJ", ""), "IJ"),
    "sub": ("{} - {}", "subtract", ("IJ", "IJ"), "IJ"),
    "mul": ("{} ⊙ {}", "hadamard", ("IJ", "IJ"), "IJ"),
    "mul_bcast": ("{} ⊙ {}", "hadamard", ("IJ", "J"), "IJ"),
    "mul_scalar": ("2 * {}", "hadamard", ("", "IJ"), "IJ"),
    "div": ("{} / {}", "divide", ("IJ", "IJ"), "IJ"),
    "rdiv_scalar": ("2 / {}", "divide", ("", "IJ"), "IJ"),
    "maximum": ("maximum({}, {})", "maximum", ("IJ", "IJ"), "IJ"),
    "neg": ("-{}", "negate", ("IJ",), "IJ"),
    "exp": ("exp({})", "exp", ("IJ",), "IJ"),
    "relu": ("relu({})", "relu", ("IJ",), "IJ"),
    "softmax1": ("softmax_J({})", "softmax", ("IJ",), "IJ"),
    "sum0": ("sum_I {}", "sum", ("IJ",), "J"),
    "sum1": ("sum_J {}", "sum", ("IJ",), "I"),
    "sum_all": ("sum_{{I,J}} {}", "sum", ("IJ",), ""),
    "amax1": ("max_J {}", "max", ("IJ",), "I"),
    "t": ("{}", "transpose", ("IJ",), "JI"),
    "mm": ("{} · {}", "contract", ("IJ", "JK"), "IK"),
    "bmm": ("{} ·_J {}", "contract", ("NIJ", "NJK"), "NIK"),
    "einsum:i,j->ij": ("{} · {}", "contract", ("I", "J"), "IJ"),
    "einsum:ij,j->i": ("{} · {}", "contract", ("IJ", "J"), "I"),
    "einsum:ij,ij->": ("{} · {}", "contract", ("IJ", "IJ"), ""),
}


def left_out(record: Record) -> str | None:
    """Return why a record is not judged, or None."""
    name = record["op"].removeprefix("axis_rule:")
    if name.startswith(("cat", "cumsum")):
        return NO_SUCH_OPERATION
    return STRIDED if record.get("notation", "") is None else None


def judge_operation(product: Product, record: Record) -> tuple[list[str], str | None]:
    """Return the problems of a record that is no local rule, and the reason of a difference that is known."""
    given = operation_options(record)
    report = product.check(record["notation"], alternatives=False, **given)
    if not report["ok"]:
        if _not_built(record, report):
            return [], NOT_BUILT
        return [f"refused: {tell_findings(report)}"], None
    problems = _judge_output(report, record)
    received = bytes_received(report)
    if received > record["bytes"]:
        problems.append(f"{received} bytes instead of {record['bytes']}")
    return problems, None


def run_operation(product: Product, record: Record) -> list[str]:
    """Return what is wrong when the plan of a record runs."""
    given = operation_options(record)
    report = product.check(record["notation"], alternatives=False, **given)
    return run_report(record["notation"], given, report) if report["ok"] else []


def operation_options(record: Record) -> dict[str, Any]:
    """Return mesh, sizes and element type. Where `(N I)` is split, N is 8, as in the records that merge it."""
    operands = read_arrays(sides(record["notation"])[0])
    sizes = {
        dim: size
        for operand, shape in zip(operands, record["shapes"], strict=True)
        for (dim, _), size in zip(operand.dims, shape, strict=True)
    }
    merged = sizes.pop("(N I)", None)
    if merged is not None:
        sizes |= {"N": 8, "I": merged // 8}
    return {"mesh": record["mesh"], "sizes": sizes, "dtype": "f32"}


def _not_built(record: Record, report: Json) -> bool:
    return record["op"] in _NOT_BUILT and all(found["code"].startswith("SL9") for found in errors(report))


def _judge_output(report: Json, record: Record) -> list[str]:
    wanted = read_array(sides(record["notation"])[1] or "")
    found = read_array(report["statements"][-1]["output"])
    return [] if found == wanted else [f"output {found} instead of {wanted}"]


# --- local rules -------------------------------------------------------------------------------


def judge_rule(record: Record) -> list[str]:
    """Return the problems of the rule itself, for one axis."""
    _, op, dims, result = _RULES[record["op"].removeprefix("axis_rule:")]
    if op in ("softmax", "transpose"):
        return []  # no rule of their own: one is lowered to other operations, the other reorders dimensions
    states = iter(state for (state,) in record["in_placements"])
    shardings = tuple(_sharding(own, next(states)) if own else Sharding(()) for own in dims)
    contracted = tuple(dict.fromkeys(dim for own in dims for dim in own if dim not in result))
    numbers = tuple(None if own else "2" for own in dims)
    signature = signature_of(op, tuple(map(tuple, dims)), tuple(result), contracted, numbers)
    found = local_result(signature, shardings)
    gives = [] if isinstance(found, LocalProblem) else [_state(found)]
    return [] if _plain(gives) == record["valid_out"] else [f"{gives} instead of {record['valid_out']}"]


def judge_explicit(product: Product, record: Record) -> tuple[list[str], str | None]:
    """Return the problems of what `explicit` says: nothing asked, and each state of the output asked."""
    name = record["op"].removeprefix("axis_rule:")
    form, _, dims, result = _RULES[name]
    operands = [own for own in dims if own]
    states = [state for (state,) in record["in_placements"]]
    text = form.format(*(_array("AB"[at], *pair) for at, pair in enumerate(zip(operands, states, strict=True))))
    pairs = [
        pair for own, shape in zip(operands, record["shapes"], strict=True) for pair in zip(own, shape, strict=True)
    ]
    given = {"mesh": record["mesh"], "sizes": dict(pairs), "dtype": "f32", "explicit": True}
    problems = []
    for asked in ("R", "P", *(f"S{at}" for at in range(len(result))), None):
        if asked is None and name == "t":
            continue  # a transpose always names its output
        line = text if asked is None else f"{text} -> {_array('C', result, asked)}"
        report = product.check(line, alternatives=False, **given)
        if not report["ok"] and _not_built(record, report):
            return [], NOT_BUILT
        problems += [f"{line}: {why}" for why in _judge_line(report, record, asked, result)]
        if report["ok"]:
            problems += run_report(line, given, report)
    return problems, None


def _judge_line(report: Json, record: Record, asked: str | None, result: str) -> list[str]:
    valid = record["valid_out"]
    if not report["ok"]:
        return [f"refused: {tell_findings(report)}"] if asked in valid or (asked is None and valid) else []
    kinds = [step["kind"] for step in report["statements"][-1]["steps"]]
    if set(kinds) & set(COLLECTIVES):
        return [f"communicates: {kinds}"]
    bare = not set(kinds) & set(FREE_STEPS)
    found = _plain([_state_of(read_array(report["statements"][-1]["output"]), result)])
    if asked is None:
        # Free steps may help where the bare operation is not local; where it is, it is the answer.
        return [f"gives {found} instead of {valid}"] if (valid or bare) and found != valid else []
    return [f"accepted as it stands, valid is {valid}"] if bare and asked not in valid else []


def _array(name: str, dims: str, state: str) -> str:
    entries = [dim + ("_X" if state == f"S{at}" else "") for at, dim in enumerate(dims)]
    return f"{name}[{', '.join(entries)}]" + ("{U_X}" if state == "P" else "")


def _sharding(dims: str, state: str) -> Sharding:
    axes = tuple(("X",) if state == f"S{at}" else () for at in range(len(dims)))
    return Sharding(axes, ("X",) if state == "P" else (), "sum")


def _state(sharding: Sharding) -> str:
    if sharding.pending:
        return "P" if sharding.kind == "sum" else sharding.kind
    return next((f"S{at}" for at, axes in enumerate(sharding.axes) if axes), "R")


def _state_of(array: Array, result: str) -> str:
    if array.pending:
        return "P" if array.kind == "U" else array.kind
    return next((f"S{result.index(dim)}" for dim, axes in array.dims if axes), "R")


def _plain(states: list[str]) -> list[str]:
    """Drop pending extrema: the records only try sums."""
    return [state for state in states if re.fullmatch(r"R|P|S\d", state)]
