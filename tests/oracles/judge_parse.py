"""Judge: what `parse --format json` says of a text against the structure that the book's records state."""

import re
from typing import Any

from tests.oracles.notation import read_array
from tests.oracles.product import Json, Product, tell_findings
from tests.oracles.records import Record

_NODE_KIND = {"matmul": "contraction", "collective": "collective", "reshard": "reshard"}
_ELLIPSIS = ("...", "…")


def judge_parse(product: Product, record: Record) -> list[str]:
    """Return the problems of one record of kind `parse`, over all spellings that it gives."""
    return [f"{text!r}: {problem}" for text in spellings(record) for problem in _judge_text(product, record, text)]


def spellings(record: Record) -> list[str]:
    """Return every text of a record: plan, LaTeX, HTML, and the plan with each other spelling of its suffix."""
    plan, expected = record["plan"], record["expected"]
    texts = [plan, record["latex"], expected.get("html")]
    own, *others = expected.get("spellings", [""])
    texts += [plan.replace(own, other) for other in others]
    return [text for text in texts if text]


def _judge_text(product: Product, record: Record, text: str) -> list[str]:
    report = product.parse(text, mesh=record["mesh"])
    if not report["ok"]:
        return [f"refused: {tell_findings(report)}"]
    expected = record["expected"]
    each = expected.get("each", [expected])
    if len(report["statements"]) != len(each):
        return [f"{len(report['statements'])} statements instead of {len(each)}"]
    problems = []
    for statement, part in zip(report["statements"], each, strict=True):
        problems += _judge_statement(statement, part, text)
    if len(each) == 1:
        problems += _judge_inferred(product, expected, report["statements"][0], text)
    return problems


def _judge_statement(statement: Json, expected: Record, text: str) -> list[str]:
    operands = [array for array in statement["arrays"] if array["role"] == "operand"] or statement["arrays"][:1]
    result = next((array for array in statement["arrays"] if array["role"] == "result"), None)
    wanted = [expected[key] for key in ("array", "operand") if key in expected] or expected.get("operands", [])
    if "dims" in expected:
        wanted = [expected]
    problems = _judge_words(statement, expected, text)
    if wanted and len(operands) != len(wanted):
        return [*problems, f"{len(operands)} operands instead of {len(wanted)}"]
    for array, part in zip(operands, wanted, strict=False):
        problems += _compare_array(array, part, text)
    if expected.get("result") and result:
        problems += _compare_array(result, expected["result"], text)
    if "sizes" in expected:
        sizes = [[dim["size"] for dim in array["dims"]] for array in statement["arrays"]]
        problems += _differ("sizes", sizes, expected["sizes"])
    if "dtype" in expected:
        problems += _differ("dtype", operands[0]["dtype"], expected["dtype"])
    return problems


def _judge_words(statement: Json, expected: Record, text: str) -> list[str]:
    """Compare kind, operation, axes, dimension, local mark, contraction subscripts and form."""
    problems: list[str] = []
    if expected.get("node"):
        problems += _differ("kind", statement["kind"], _NODE_KIND[expected["node"]])
    if expected.get("node") == "collective":
        problems += _differ("op", statement["op"], expected["op"])
        problems += _differ("axes", statement["axes"], expected["axes"])
        dim = expected.get("dim", expected.get("to_dim"))
        problems += _differ("dims", statement["dims"], [dim] if dim else [])
    if "local" in expected:
        problems += _differ("local", statement["local"], expected["local"])
    written = (
        [expected["contract_subscript"]] if "contract_subscript" in expected else expected.get("contract_subscripts")
    )
    if written:
        found = [re.findall(r"\w+", part) for part in re.findall(r"·_(\{[^}]*\}|\w+)", statement["canonical"])]
        problems += _differ("contracted", found, [part if isinstance(part, list) else [part] for part in written])
    if expected.get("form") == "assignment":
        problems += [] if "=" in statement["canonical"] else ["not in assignment form"]
    return problems


def _judge_inferred(product: Product, expected: Record, statement: Json, text: str) -> list[str]:
    """Compare what a record says beyond the text itself: an unwritten result, the operation of a reshard."""
    result, has_result = expected.get("result"), any(array["role"] == "result" for array in statement["arrays"])
    if expected.get("node") != "collective" and "inferred_op" not in expected:
        return []
    report = product.check(text)
    problems = [] if report["ok"] else [f"check refuses it: {tell_findings(report)}"]
    if problems or not report["statements"]:
        return problems
    checked = report["statements"][0]
    if result and not has_result:
        output = read_array(checked["output"])
        wanted = tuple((dim["name"], tuple(dim["axes"])) for dim in result["dims"])
        problems += _differ("inferred result", (output.dims, set(output.pending)), (wanted, set(result["unreduced"])))
    if "inferred_op" in expected:
        found = [(step["kind"], step["axes"]) for step in checked["steps"]]
        problems += _differ("inferred operation", found, [(expected["inferred_op"], expected["axes"])])
    return problems


def _compare_array(array: Json, expected: Record, text: str) -> list[str]:
    nameless = array["name"] is None and text.lstrip().startswith("[")
    problems = [] if nameless else _differ("name", array["name"], expected["name"])
    problems += _differ(
        "dims", [_known_dim(dim) for dim in array["dims"]], [_wanted_dim(dim) for dim in expected["dims"]]
    )
    problems += _differ("unreduced", sorted(array["unreduced"]), sorted(expected["unreduced"]))
    problems += _differ("pending", array["pending"], "sum" if expected["unreduced"] else None)
    return problems


def _known_dim(dim: Json) -> tuple[Any, ...]:
    name = None if dim["name"] in _ELLIPSIS else dim["name"]
    return name, dim["size"], dim["axes"]


def _wanted_dim(dim: Record) -> tuple[Any, ...]:
    name, axes = dim["name"], dim["axes"]
    if name.isdigit():
        return None, int(name), axes
    return (None, None, axes) if name in _ELLIPSIS else (name, None, axes)


def _differ(what: str, found: object, wanted: object) -> list[str]:
    return [] if found == wanted else [f"{what} {found!r} instead of {wanted!r}"]
