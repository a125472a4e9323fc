"""Judge: what JAX was asked for, and what it refuses without being asked, each with a plan that is run.

JAX says which statements are broken (a size that does not divide, an axis twice); the other refusals are narrower than
the notation, which section 5 decides (`natural`).
"""

from tests.oracles.einsums import asking, bare, indices, options
from tests.oracles.execution import run_report
from tests.oracles.natural import Layout, UnsureError, natural_output
from tests.oracles.notation import COLLECTIVES, read_array
from tests.oracles.product import Json, Product, tell_findings
from tests.oracles.records import Record

# JAX refuses these on grounds that bind everybody.
_BROKEN = ("not_divisible", "duplicate_axis_in_spec")

# Why JAX refuses what the notation can say, and the notation's reason.
NARROWER = {
    "unreduced_needs_same_contracting_spec": "what only one operand shards is sliced in the other, or masked",
    "unreduced_not_contracting_axes": "a new pending axis is a mask or a pad",
    "unreduced_not_summed_axes": "a new pending axis is a mask or a pad",
    "contraction_axes_differ": "what the two sides do not share is gathered",
    "contraction_both_sharded": "the sum is left pending",
    "unreduced_operand_refused": "a product is linear in each factor",
    "mul_unreduced_needs_reduced_partner": "a product is linear in each factor",
    "mul_both_unreduced": "a product is linear in each factor",
    "add_unreduced_with_plain": "the other addend is masked or padded",
    "add_unreduced_sets_differ": "each addend is masked or padded on the other's axes",
    "elementwise_axes_differ": "an operand with a prefix of the axes is sliced",
    "batch_axes_differ": "an operand with a prefix of the axes is sliced",
    "duplicate_axis_in_result": "an axis that a pending sum takes over shards no dimension any more",
}


def judge_asked(product: Product, record: Record, *, run: bool) -> list[str]:
    """Return the problems of a record with an output asked for: a plan that gives it, unless it cannot be stated."""
    text = asking(record, record["asked"], record.get("asked_u", ""))
    report = product.check(text, alternatives=False, **options(record))
    if record.get("error_kind") in _BROKEN:
        return ["accepted"] if report["ok"] else []
    if not report["ok"]:
        return [f"refused: {tell_findings(report)}"]
    wanted, found = read_array(text.split(" -> ")[1]), read_array(report["statements"][-1]["output"])
    problems = [] if wanted == found else [f"output {found} instead of {wanted}"]
    return problems + (run_report(text, options(record), report) if run else [])


def judge_open(product: Product, record: Record, *, run: bool) -> tuple[list[str], str]:
    """Return the problems of a record with nothing asked for, and what decided it."""
    _, output = indices(record)
    if _is_transpose(record):
        return _judge_transpose(product, record), "a transpose is free"
    text = bare(record)
    report = product.check(text, alternatives=False, **options(record))
    try:
        wanted = _natural(record)
    except UnsureError as why:
        return _run(text, record, report) if report["ok"] else [], str(why)
    if wanted is None:
        return (["accepted, though there is no natural answer"] if report["ok"] else []), "no natural answer"
    reason = NARROWER.get(record.get("error_kind", ""), "as in JAX")
    if not report["ok"]:
        return [f"refused: {tell_findings(report)}"], reason
    found = read_array(report["statements"][-1]["output"])
    problems = [] if (dict(found.dims), found.pending) == wanted else [f"output {found} instead of {wanted}"]
    if "out_spec" in record and not _same_as_jax(record, wanted, output):
        problems.append(f"JAX gives {record['out_spec']} {record.get('out_u', '')}")
    return problems + (_run(text, record, report) if run else []), reason


def _run(text: str, record: Record, report: Json) -> list[str]:
    return run_report(text, options(record), report)


def _natural(record: Record) -> Layout | None:
    operands, output = indices(record)
    layouts = [
        Layout(dict(zip(dims, map(tuple, spec), strict=True)), frozenset(pending))
        for dims, spec, pending in zip(
            operands, record["in_specs"], record.get("in_u", [""] * len(operands)), strict=True
        )
    ]
    while len(layouts) > 1:
        first, second = layouts[:2]
        shared = [dim for dim in first.dims if dim in second.dims and dim not in output]
        made = natural_output(record["api"], [first, second], shared)
        if made is None and len(layouts) > 2:
            raise UnsureError("an intermediate of a chain without a natural answer: the fewest collectives decide")
        if made is None:
            return None
        layouts = [made, *layouts[2:]]
        if len(layouts) == 1:
            return made
    return natural_output("einsum", layouts, [dim for dim in operands[0] if dim not in output])


def _same_as_jax(record: Record, found: Layout, output: str) -> bool:
    spec = dict(zip(output, map(tuple, record["out_spec"]), strict=True))
    return found.dims == spec and set(record.get("out_u", "")) <= found.pending


def _is_transpose(record: Record) -> bool:
    operands, output = indices(record)
    return len(operands) == 1 and sorted(operands[0]) == sorted(output)


def _judge_transpose(product: Product, record: Record) -> list[str]:
    """A transpose names its output: JAX's costs nothing."""
    text = asking(record, record["out_spec"], record.get("out_u", ""))
    report = product.check(text, alternatives=False, **options(record))
    if not report["ok"]:
        return [f"refused: {tell_findings(report)}"]
    kinds = {step["kind"] for statement in report["statements"] for step in statement["steps"]}
    return [f"communicates: {kinds}"] if kinds & set(COLLECTIVES) else _run(text, record, report)
