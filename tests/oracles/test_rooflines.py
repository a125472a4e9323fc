"""The book's rooflines and limits of small batches: each record with the call that answers it.

Thresholds of crossovers are compared as formulas and, where the record has one, as a number; formulas are of `cost` or the
intensity of `roofline`. The book drops what is small without saying so; here `assume` says it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

import shardlang
from tests.oracles.formulas import read_formula, renamed, same_formula
from tests.oracles.judge_costs import compute_bound_relation
from tests.oracles.records import read_jsonl

RECORDS = {record["id"]: record for record in read_jsonl("book.jsonl")}

MATMUL = "X[B,D] · W[D,F] -> Y[B,F]"
INT8_WEIGHTS = f"W: int8[D,F]\n{MATMUL}"
TP = "In[B,D_Y] · W_in[D,F_Y] -> H[B,F_Y]"
TP_LAYER = "In[B,D_Y] ·_D W_in[D,F_Y] ·_F W_out[F_Y,D] -> Out[B,D_Y]"
FSDP_LAYER = "In[B_X,D] ·_D W_in[D_X,F] ·_F W_out[F,D_X] -> Out[B_X,D]"
FSDP_NODES = "In[B_{PG},D] ·_D W_in[D_{PG},F] ·_F W_out[F,D_{PG}] -> Out[B_{PG},D]"
SMALL = "B << D, F"
SHARD = ["B << D", "B*Y << F"]


class Asked(NamedTuple):
    """A record, the text, what is asked for (a symbol or ratio; a roof, for its time; `intensity`, `needed`), the keywords.

    renamed: what the letters of the record are called here. at: sizes for the number that are open in the call.
    """

    record: str
    text: str
    wanted: str
    keywords: dict[str, Any]
    renamed: Mapping[str, str] = MappingProxyType({})
    at: Mapping[str, int] = MappingProxyType({})


CROSSOVERS = [
    Asked("ro-mm-240", MATMUL, "B", {"hardware": "tpu-v5e", "sizes": {"W_hbm": 8.2e11}, "assume": SMALL}),
    Asked(
        "ro-int8-243",
        MATMUL,
        "B",
        {"hardware": "tpu-v5e", "dtype": "int8", "sizes": {"W_hbm": 8.1e11}, "assume": SMALL},
        {"C_int8": "C"},
    ),
    Asked("ro-h100", MATMUL, "B", {"hardware": "h100", "sizes": {"C": 1e15, "W_hbm": 3.35e12}, "assume": SMALL}),
    Asked(
        "tp-q3",
        MATMUL,
        "B",
        {"hardware": "tpu-v6e", "roofs": "math,pcie", "sizes": {"W_pcie": 1.5e10}, "assume": SMALL},
    ),
    Asked(
        "tp-q4-hbm",
        MATMUL,
        "B",
        {"hardware": "tpu-v5e", "dtype": "int8", "sizes": {"D": 4096, "F": 16384, "W_hbm": 8.1e11}},
    ),
    Asked("gp-295", MATMUL, "B", {"hardware": "h100", "sizes": {"C": 9.9e14, "W_hbm": 3.35e12}, "assume": SMALL}),
    Asked("gp-281", MATMUL, "B", {"hardware": "b200", "sizes": {"C": 2.25e15, "W_hbm": 8e12}, "assume": SMALL}),
    Asked("in-ici-hbm", TP, "Y", {"roofs": "hbm,ici", "assume": SHARD}),
    Asked(
        "in-64",
        TP,
        "Y",
        {"roofs": "hbm,ici", "sizes": {"F": 16384, "B": 32, "W_hbm": 8e11, "W_ici": 1e11}, "assume": SHARD},
        {"beta": "(W_hbm/W_ici)"},
    ),
    Asked(
        "ai-56",
        TP,
        "Y",
        {"roofs": "hbm,ici", "sizes": {"F": 28672, "B": 64, "W_hbm": 8e11, "W_ici": 1e11}, "assume": SHARD},
        {"beta": "(W_hbm/W_ici)"},
    ),
    Asked(
        "gp-dp-node",
        FSDP_LAYER,
        "B/X",
        {"hardware": "h100", "roofs": "math,ici", "assume": "1 << X"},
        {"W": "W_egress"},
    ),
    Asked(
        "gp-dp-llama",
        FSDP_LAYER,
        "B",
        {
            "hardware": "h100",
            "roofs": "math,ici",
            "topology": "X=node+scale-out",
            "assume": "D_node << X",
        },
        {"W": "W_node"},
        {"X": 16000},
    ),
    Asked(
        "gp-dp-ds",
        FSDP_LAYER,
        "B",
        {"hardware": "h800", "roofs": "math,ici", "topology": "X=node", "sizes": {"X": 2048}, "assume": "1 << X"},
        {"W": "W_egress"},
    ),
    Asked(
        "gp-dp-small",
        FSDP_NODES,
        "B/(P*G)",
        {"topology": "P=scale-out,G=node", "roofs": "math,ici"},
        {"W_collective": "W_node", "X": "P"},
    ),
    Asked(
        "gp-dp-2",
        FSDP_NODES,
        "B/(P*G)",
        {"hardware": "h100", "mesh": "P=2,G=8", "topology": "P=scale-out,G=node", "roofs": "math,ici"},
        {"W": "W_node"},
    ),
    Asked(
        "gp-tp-2",
        TP_LAYER,
        "Y",
        {"hardware": "h100", "topology": "Y=node+scale-out", "roofs": "math,ici", "sizes": {"F": 28000}},
        {"W": "W_node"},
    ),
    Asked(
        "gp-tp",
        TP_LAYER,
        "Y",
        {"topology": {"Y": "node"}, "roofs": "math,ici", "assume": "1 << Y"},
        {"W_collective": "W_egress"},
    ),
]
COSTS = [
    Asked(
        "sh-q7-hbm",
        "In[B,D_{XY}] · W_in[D,F_{XY}] · W_out[F_{XY},D] -> Out[B,D_{XY}]",
        "hbm",
        {"mesh": "X=2,Y=2", "sizes": {"B": 128, "D": 8192, "F": 32768, "W_hbm": 8.1e11}, "assume": ["B*X*Y << D, F"]},
    ),
    Asked(
        "ai-hbm",
        TP,
        "hbm",
        {"mesh": "Y=32", "sizes": {"B": 64, "D": 8192, "F": 28672, "W_hbm": 8.1e11}, "assume": SHARD},
    ),
    Asked("ai-ici", TP, "ici", {"mesh": "Y=32", "sizes": {"B": 64, "D": 8192, "F": 28672, "W_ici": 9e10}}),
    Asked("gp-mm-64", MATMUL, "hbm", {"sizes": {"B": 64, "D": 4096, "F": 8192, "W_hbm": 8e12}}),
    Asked("gp-mm-512", MATMUL, "math", {"sizes": {"B": 512, "D": 4096, "F": 8192, "C": 2.3e15}}),
    Asked("gp-add", "x[n] + y[n] -> z[n]", "hbm", {"dtype": "f32", "sizes": {"n": 2**30, "W_hbm": 3.35e12}}),
    Asked("tp-q1", "W[P_X]", "hbm", {"mesh": "X=32", "sizes": {"P": 2e11, "W_hbm": 1.23e12}}, {"n": "X"}),
    Asked(
        "tp-q6-pcie",
        "A[n_X,m_Y]",
        "pcie",
        {"dtype": "int8", "mesh": "X=4,Y=4", "roofs": "pcie", "sizes": {"n": 131072, "m": 131072, "W_pcie": 1.5e10}},
    ),
    Asked(
        "tp-q6-flops", "x[B,n] · A[n,m] -> y[B,m]", "math", {"sizes": {"B": 8, "n": 131072, "m": 131072, "C": 1.97e14}}
    ),
    Asked("seed-10a", INT8_WEIGHTS, "intensity", {"assume": SMALL}),
    Asked("seed-10b", MATMUL, "intensity", {"assume": SMALL}),
    Asked("ro-dot", "x[N] · y[N] -> z[]", "intensity", {"assume": "1 << N"}),
    Asked(
        "gp-b200-tp",
        TP_LAYER,
        "needed",
        {"hardware": "b200", "sizes": {"C": 2.25e15}, "roofs": "math,ici"},
        {"W": "W_egress"},
    ),
]
_LIMITS = {"ro-dot": "1/2"}  # the formula of the record is the exact one, which counts N - 1 additions


def sizes(asked: Asked) -> dict[str, Any]:
    """The sizes and mesh axes of a call, and those that its hardware says."""
    mesh = dict(part.split("=") for part in asked.keywords.get("mesh", "").split(",") if part)
    given = {name: size for name, size in asked.keywords.get("sizes", {}).items() if name[0] not in "CW"}
    return {"D_node": 8, **given, **{name: int(size) for name, size in mesh.items()}}


def formula_of(asked: Asked, key: str) -> Any:
    """The formula of a record with the names that the product has."""
    text = _LIMITS.get(asked.record, RECORDS[asked.record]["expected"][key])
    return renamed(read_formula(text), {"C_int8": "C", **asked.renamed})


@pytest.mark.parametrize("asked", CROSSOVERS, ids=lambda asked: asked.record)
def test_thresholds(asked: Asked) -> None:
    record = RECORDS[asked.record]
    expected = record["expected"]
    report = shardlang.crossover(asked.text, asked.wanted, **asked.keywords)
    wanted = formula_of(asked, "threshold")
    found = [(read_formula(str(found.threshold)), found) for found in report.crossovers]
    (right,) = [one for threshold, one in found if same_formula(threshold, wanted, sizes(asked))]
    condition = expected["condition"].partition(",")[0]
    assert right.relation == compute_bound_relation({**expected, "condition": condition})
    if "value" in expected:
        at = {symbol: asked.at[symbol.name] for symbol in right.threshold.free_symbols if symbol.name in asked.at}
        assert report.cost.value(right.threshold.subs(at)) == pytest.approx(
            expected["value"], rel=record["tolerance"]["rel"]
        )


@pytest.mark.parametrize("asked", COSTS, ids=lambda asked: asked.record)
def test_formulas(asked: Asked) -> None:
    record = RECORDS[asked.record]
    expected = record["expected"]
    report = shardlang.roofline(asked.text, **asked.keywords)
    level = report.total.levels[-1]
    if asked.wanted == "intensity":
        found = level.intensity
    elif asked.wanted == "needed":
        found = level.needed
    else:
        found = report.cost.estimate.times[asked.wanted]
    wanted = formula_of(asked, "threshold" if asked.wanted == "needed" else "formula")
    assert same_formula(read_formula(str(found)), wanted, sizes(asked))
    if "value" in expected:
        assert report.cost.value(found) == pytest.approx(expected["value"], rel=record["tolerance"]["rel"])


def test_gp_add_has_the_intensity_of_the_record() -> None:
    (asked,) = [asked for asked in COSTS if asked.record == "gp-add"]
    (_, hbm) = shardlang.roofline(asked.text, **asked.keywords).total.levels
    assert str(hbm.intensity) == RECORDS["gp-add"]["expected"]["intensity"]


@pytest.mark.parametrize("change", [{"assume": "D << B, F"}, {"dtype": "int8"}, {"assume": ()}])
def test_another_question_has_another_answer(change: dict[str, Any]) -> None:
    """What these tests would say of a wrong assumption, a wrong type, or terms that are not left out."""
    asked = CROSSOVERS[0]
    report = shardlang.crossover(asked.text, asked.wanted, **{**asked.keywords, **change})
    wanted = formula_of(asked, "threshold")
    assert not any(same_formula(read_formula(str(found.threshold)), wanted, {}) for found in report.crossovers)
