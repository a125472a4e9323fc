"""Judge: formulas, numbers, crossovers and memory of `cost` against the book's records.

Which quantity a record is about follows from the symbols of its formula and, where these have no rate and no
bandwidth, from one word of its question.
"""

import re
from typing import Any

from tests.oracles.formulas import grows_with, read_formula, renamed, same_formula
from tests.oracles.notation import read_arrays
from tests.oracles.product import Json, Product, tell_findings
from tests.oracles.records import Record

_NETWORKS = {"W_ici", "W_uni", "W_egress", "W_node", "W_leaf", "W_dcn"}
_RATES = {"C", "W_hbm"} | _NETWORKS

# What the letters of a record's formulas are where it is about one network; `axis` is the mesh axis of its plan.
_LETTERS = {
    "switch": {"N": "axis", "W": "W_egress"},
    "fat-tree": {"M": "axis", "W": "W_node"} | {"W0": "W_egress", "W1": "W_node", "W2": "W_leaf"},
    "dcn": {"M": "M_slice", "S": "axis"},
}
_TREE = {"D0": "D_node", "D1": "D_leaf", "D2": "axis/(D_node*D_leaf)"}

# The meshes that questions describe in words.
_MESHES = {
    "gp-q2-3": {"X": 8},  # an 8xH100 node
    "gp-2node": {"X": 16},  # two H100 nodes
    "gp-treebw": {"X": 1024},  # the 1024-GPU tree
    "gp-pq3-a": {"X": 64, "Y": 4},  # 256 GPUs, inner axis Y <= 8
    "gp-pq3-b": {"X": 16, "Y": 16},  # the same with Y = 16
}
_IN_NETWORK = {"gp-q43", "gp-q42", "gp-shard-out"}  # the last has the time of one pass for an AllReduce


def judge_costs(product: Product, record: Record) -> list[str]:
    """Return the problems of one record of kind `cost-*`, `crossover-*` or `memory`."""
    if record["kind"].startswith("crossover"):
        return _judge_crossover(product, record)
    expected = record["expected"]
    if record["id"] in _MESHES:
        return _judge_value(product, record)
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
    options: dict[str, Any] = {"mesh": _MESHES.get(record["id"], record["mesh"]), "hardware": record["hardware"]}
    topology = record["topology"] or {}
    options["topology"] = _wired(record)
    options["latency"] = "T_min" in record["expected"].get("formula", "")
    if "wraparound" in topology:
        options["topology"] = dict.fromkeys(_axes(record), "ring" if topology["wraparound"] else "line")
    if set(record["dtypes"] or {}) == {"all"}:
        options["dtype"] = record["dtypes"]["all"]
    if "W_ici" in symbols and "C" in symbols:
        options["roofs"] = "math,ici"
    options["sizes"] = _sizes(record)
    return {name: value for name, value in options.items() if value}


def _wired(record: Record) -> dict[str, str]:
    """Return how the mesh axes of a plan are wired where the record is about one network and names no hardware."""
    network = (record["topology"] or {}).get("type")
    if network not in _LETTERS:
        return {}
    if record["kind"].startswith("crossover"):
        return dict.fromkeys(_axes(record), "scale-out") if network == "fat-tree" else {}
    if record["hardware"]:
        return {}
    collective = re.match(r"\w+?_\{?(\w)", record["plan"])
    assert collective is not None, record["plan"]
    kind = {"switch": "node", "fat-tree": "scale-out", "dcn": "dcn"}[network]
    if "D2" in record["expected"]["symbols"]:
        kind = "node+scale-out+spine"
    wired = {collective.group(1): kind + (":sharp" if record["id"] in _IN_NETWORK else "")}
    return dict.fromkeys(_axes(record), kind) | wired if network == "switch" else wired


def letters(record: Record) -> dict[str, str]:
    """Return what the letters of a record's formula are called in the product's."""
    network = (record["topology"] or {}).get("type")
    if network not in _LETTERS:
        return {}
    named = _LETTERS[network] | (_TREE if "D2" in record["expected"]["symbols"] else {})
    axis = next(iter(_wired(record)), "X")
    return {letter: name.replace("axis", axis) for letter, name in named.items() if letter not in _axes(record)}


def _sizes(record: Record) -> dict[str, Any]:
    """Return sizes and hardware figures; a one-way bandwidth that merely repeats W_ici is left out."""
    sizes = dict(record["sizes"] or record["expected"].get("constants", {}))
    names = letters(record)
    sizes = {names.get(name, name): value for name, value in sizes.items() if name != "Y" or names == {}}
    if names and record["id"] in _MESHES and "I_X" in record["plan"]:
        sizes |= {"J": 1000, "I": int(sizes.pop("V", 1.024e9)) // 2000}  # bf16[I, J] has V bytes
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
    if "switch" in question and not rates:
        return _in_volumes(cost, record, names) * read_formula("W_egress") * read_formula("X")
    if record["kind"] == "memory":
        return total["memory"]
    if "V" in names:
        return _in_volumes(cost, record, names)
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


def _in_volumes(cost: Json, record: Record, names: set[str]) -> Any:
    """Return the time of the one step in terms of V: of the bytes per device, of a tree with an inner axis of all bytes."""
    (step,) = cost["statements"][0]["steps"]
    volume, dim = read_formula(step["bytes"]["formula"]), read_formula("I")
    if "Y" in names:
        volume = volume * read_formula("Y")
    return read_formula(cost["total"]["t_comms"]["formula"]).subs(dim, dim * read_formula("V") / volume)


def _judge_formula(product: Product, record: Record, text: str, **more: Any) -> list[str]:
    wanted = renamed(read_formula(text), letters(record))
    names = {symbol.name for symbol in wanted.free_symbols}
    options = cost_options(record, names) | more
    cost = product.cost(plan_text(record), **options)
    if not cost["ok"]:
        return [f"refused: {tell_findings(cost)}"]
    found = quantity(cost, record, wanted)
    if "ceiling" in str(found) and not record["mesh"]:  # the book has the hops of axes of even size
        found, wanted = (renamed(formula, {axis: f"2*{axis}" for axis in _axes(record)}) for formula in (found, wanted))
    if same_formula(found, wanted, record["mesh"]):
        return []
    return [f"{found} instead of {wanted} {more or ''}".rstrip()]


def value_of(cost: Json, record: Record) -> float | None:
    """Return the product's number for what a record's formula is about."""
    names = {symbol.name for symbol in read_formula(record["expected"]["formula"]).free_symbols}
    if record["kind"] == "memory":
        return cost["total"]["memory"]["value"]
    key = "t_math" if "C" in names else "t_hbm" if "W_hbm" in names else "t_comms"
    value: float | None = cost["total"][key]["value"]
    if value and record["expected"]["unit"] == "bytes/s":
        return float(cost["statements"][0]["steps"][0]["bytes"]["value"] / value)
    return value


def _judge_value(product: Product, record: Record) -> list[str]:
    cost = product.cost(plan_text(record), **cost_options(record, set()))
    return _near(value_of(cost, record), record)


def _near(value: float | None, record: Record) -> list[str]:
    wanted = record["expected"]["value"]
    if value is not None and abs(value - wanted) <= record["tolerance"]["rel"] * abs(wanted):
        return []
    return [f"value {value} instead of {wanted}"]


def _judge_crossover(product: Product, record: Record) -> list[str]:
    expected = record["expected"]
    wanted = renamed(read_formula(expected["threshold"]), letters(record))
    found = compute_bound(product, record)
    if len(found) != 1:
        return [f"{len(found)} crossovers of arithmetic and links"]
    problems = []
    if not same_formula(read_formula(found[0]["formula"]), wanted, {**(record["mesh"] or {}), **_whole(record)}):
        problems.append(f"threshold {found[0]['formula']} instead of {wanted}")
    if found[0]["relation"].rstrip("=") != compute_bound_relation(expected):
        problems.append(f"relation {found[0]['relation']} instead of {compute_bound_relation(expected)}")
    return problems + (_near(found[0]["value"], record) if "value" in expected else [])


def compute_bound(product: Product, record: Record) -> list[Json]:
    """Return the crossovers of arithmetic and links that the product gives for a record."""
    options = cost_options(record, {"C", "W_ici"})
    found = product.crossovers(plan_text(record), record["expected"]["threshold_of"], **options)
    return [entry for entry in found if "math" in entry["between"] and "hbm" not in entry["between"]]


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
