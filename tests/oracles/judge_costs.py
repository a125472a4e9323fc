"""Judge: formulas, numbers, crossovers and memory of `cost` against the book's records.

Which quantity a record is about follows from the symbols of its formula and, where these have no rate and no
bandwidth, from one word of its question.
"""

import re
from typing import Any

from tests.oracles.formulas import grows_with, read_formula, same_formula
from tests.oracles.notation import read_arrays
from tests.oracles.product import Json, Product, tell_findings
from tests.oracles.records import Record

_RATES = {"C", "W_ici", "W_uni", "W_hbm"}


def judge_costs(product: Product, record: Record) -> list[str]:
    """Return the problems of one record of kind `cost-*`, `crossover-*` or `memory`."""
    if record["kind"].startswith("crossover"):
        return _judge_crossover(product, record)
    expected = record["expected"]
    problems = _judge_formula(product, record, expected["formula"])
    if "exact_formula" in expected:
        problems += _judge_formula(product, record, expected["exact_formula"], model="exact")
    if "line_formula" in expected:
        lines = dict.fromkeys(_axes(record), "line")
        problems += _judge_formula(product, record, expected["line_formula"], topology=lines)
    for key in ("math_formula", "upper"):
        if key in expected:
            problems += _judge_formula(product, record, expected[key])
    if "value" in expected:
        problems += _judge_value(product, record)
    return problems


def cost_options(record: Record, symbols: set[str]) -> dict[str, Any]:
    """Return the options of `cost` that a record states: mesh, topology, hardware, sizes, dtype, roofs."""
    options: dict[str, Any] = {"mesh": record["mesh"], "hardware": record["hardware"]}
    topology = record["topology"] or {}
    if "wraparound" in topology:
        options["topology"] = dict.fromkeys(_axes(record), "ring" if topology["wraparound"] else "line")
    if set(record["dtypes"] or {}) == {"all"}:
        options["dtype"] = record["dtypes"]["all"]
    if "W_ici" in symbols and "C" in symbols:
        options["roofs"] = "math,ici"
    options["sizes"] = _sizes(record)
    return {name: value for name, value in options.items() if value}


def _sizes(record: Record) -> dict[str, Any]:
    """Return sizes and hardware figures; a one-way bandwidth that merely repeats W_ici is left out."""
    sizes = dict(record["sizes"] or record["expected"].get("constants", {}))
    one_way = sizes.pop("W_uni", None)
    if one_way and not record["hardware"]:
        sizes.setdefault("W_ici", 2 * one_way)
    mesh = record["mesh"] or {}
    return {name: value for name, value in sizes.items() if name not in mesh}


def _axes(record: Record) -> list[str]:
    return sorted({axis for array in read_arrays(record["plan"]) for axis in array.axes})


def plan_text(record: Record) -> str:
    """Return the plan, with a declaration before it for every array whose element type the record states."""
    dtypes = {name: dtype for name, dtype in (record["dtypes"] or {}).items() if name != "all"}
    bodies = dict(re.findall(r"(\w+)(\[[^\]]*\])", record["plan"]))
    return "\n".join([f"{name}: {dtype}{bodies[name]}" for name, dtype in dtypes.items()] + [record["plan"]])


def quantity(cost: Json, record: Record, formula: Any) -> Any:
    """Return the product's formula for what a record's formula is about."""
    total = {key: read_formula(value["formula"]) for key, value in cost["total"].items() if value}
    names = {symbol.name for symbol in formula.free_symbols}
    rates, question = names & _RATES, record["question"].lower()
    if record["kind"] == "memory":
        return total["memory"]
    if "V" in names:
        (step,) = cost["statements"][0]["steps"]
        volume = read_formula(step["bytes"]["formula"])
        return total["t_comms"] * read_formula("V") / volume
    if "Max" in str(formula):
        return total["t_lower"]
    if formula.is_Add and "C" in rates and len(rates) > 1:
        return total["t_upper"]
    if rates:
        return total["t_math" if "C" in rates else "t_hbm" if "W_hbm" in rates else "t_comms"]
    moved = total["t_hbm"] * read_formula("W_hbm")
    if "flops" in question:
        return total["flops"]
    return total["flops"] / moved if "intensity" in question else moved


def _judge_formula(product: Product, record: Record, text: str, **more: Any) -> list[str]:
    wanted = read_formula(text)
    names = {symbol.name for symbol in wanted.free_symbols}
    options = cost_options(record, names) | more
    cost = product.cost(plan_text(record), **options)
    if not cost["ok"]:
        return [f"refused: {tell_findings(cost)}"]
    found = quantity(cost, record, wanted)
    if same_formula(found, wanted, record["mesh"]):
        return []
    return [f"{found} instead of {wanted} {more or ''}".rstrip()]


def _value_of(cost: Json, record: Record) -> float | None:
    names = {symbol.name for symbol in read_formula(record["expected"]["formula"]).free_symbols}
    if record["kind"] == "memory":
        return cost["total"]["memory"]["value"]
    key = "t_math" if "C" in names else "t_hbm" if "W_hbm" in names else "t_comms"
    value: float | None = cost["total"][key]["value"]
    return value


def _judge_value(product: Product, record: Record) -> list[str]:
    cost = product.cost(plan_text(record), **cost_options(record, set()))
    return _near(_value_of(cost, record), record)


def _near(value: float | None, record: Record) -> list[str]:
    wanted = record["expected"]["value"]
    if value is not None and abs(value - wanted) <= record["tolerance"]["rel"] * abs(wanted):
        return []
    return [f"value {value} instead of {wanted}"]


def _judge_crossover(product: Product, record: Record) -> list[str]:
    expected = record["expected"]
    symbol, wanted = expected["threshold_of"], read_formula(expected["threshold"])
    options = cost_options(record, {"C", "W_ici"})
    found = product.crossovers(plan_text(record), symbol, **options)
    found = [entry for entry in found if {part.split(":")[0] for part in entry["between"]} == {"math", "ici"}]
    if len(found) != 1:
        return [f"{len(found)} crossovers of arithmetic and links"]
    problems = []
    if not same_formula(read_formula(found[0]["formula"]), wanted, {**(record["mesh"] or {}), **_whole(record)}):
        problems.append(f"threshold {found[0]['formula']} instead of {wanted}")
    if found[0]["relation"].rstrip("=") != compute_bound_relation(expected):
        problems.append(f"relation {found[0]['relation']} instead of {compute_bound_relation(expected)}")
    return problems + (_near(found[0]["value"], record) if "value" in expected else [])


def _whole(record: Record) -> dict[str, int]:
    """Sizes that a threshold may have been evaluated with."""
    return {name: value for name, value in _sizes(record).items() if name not in _RATES}


def compute_bound_relation(expected: Record) -> str:
    """Return `>` or `<`: on which side of the threshold the plan is compute-bound.

    A condition is about compute-bound unless it says `=> comms-bound`, and may be solved for another symbol than
    the threshold is.
    """
    condition, _, verdict = expected["condition"].partition("=>")
    left, sign, right = re.split(r"\s*([<>])\s*", condition.strip())
    excess = read_formula(f"({left}) - ({right})")
    if sign == "<":
        excess = -excess
    if "comms" in verdict:
        excess = -excess
    return ">" if grows_with(excess, expected["threshold_of"].split("/")[0]) else "<"
