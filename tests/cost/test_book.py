"""The book's cost formulas, numbers, crossovers and memory, from plans written by hand step by step."""

import json
from pathlib import Path

import pytest
import sympy

from shardlang.cost.estimate import estimate
from shardlang.pricing import Machine, find_hardware, machine_for
from tests.cost.plans import plan, wired
from tests.symbolic import read_formula

ORACLES = Path(__file__).parents[1] / "oracles"
RECORDS = {r["id"]: r for r in map(json.loads, (ORACLES / "book.jsonl").read_text("utf-8").splitlines())}

FSDP = (
    "AllGather X: W_in[D_X,F] -> W_in[D,F]; Einsum D: In[B_X,D] W_in[D,F] -> T[B_X,F]; "
    "AllGather X: W_out[F,D_X] -> W_out[F,D]; Einsum F: T[B_X,F] W_out[F,D] -> Out[B_X,D]"
)
TP = (
    "AllGather Y: In[B,D_Y] -> In[B,D]; Einsum D: In[B,D] W_in[D,F_Y] -> T[B,F_Y]; "
    "Einsum F: T[B,F_Y] W_out[F_Y,D] -> Out[B,D]{U_Y}; ReduceScatter Y: Out[B,D]{U_Y} -> Out[B,D_Y]"
)
MIXED = (
    "AllGather Y: In[B_X,D_Y] -> In[B_X,D]; AllGather X: W_in[D_X,F_Y] -> W_in[D,F_Y]; "
    "Einsum D: In[B_X,D] W_in[D,F_Y] -> T[B_X,F_Y]; AllGather X: W_out[F_Y,D_X] -> W_out[F_Y,D]; "
    "Einsum F: T[B_X,F_Y] W_out[F_Y,D] -> Out[B_X,D]{U_Y}; ReduceScatter Y: Out[B_X,D]{U_Y} -> Out[B_X,D_Y]"
)
MATMUL = "Einsum D: A[B,D] B[D,F] -> C[B,F]"
Q61 = "Einsum J: A[I_X,J_Y] B[J_Y,K] -> C[I_X,K]{U_Y}; AllReduce Y: C[I_X,K]{U_Y} -> C[I_X,K]"
Q62 = "AllGather X: B[J_X,K_Y] -> B[J,K_Y]; Einsum J: A[I_X,J] B[J,K_Y] -> C[I_X,K_Y]"
GATHER_B = "AllGather X: B[D_X,F] -> B[D,F]; Einsum D: A[B,D] B[D,F] -> C[B,F]"

FORMULAS = [
    ("sh-cost-agsharded", "AllGather X: A[B_X,D_Y] -> A[B,D_Y]", "t_comms"),
    ("sh-cost-arsharded", "AllReduce Z: A[B_X,D_Y]{U_Z} -> A[B_X,D_Y]", "t_comms"),
    ("sh-q4-s1", GATHER_B, "t_lower"),
    (
        "sh-q4-s2",
        "Einsum D: A[B,D_X] B[D_X,F] -> C[B,F]{U_X}; AllReduce X: C[B,F]{U_X} -> C[B,F]",
        "t_lower",
    ),
    ("sh-q6-1-cost", Q61, "t_comms"),
    ("sh-q6-2-cost", Q62, "t_comms"),
    ("ro-int8-time", MATMUL, "t_lower"),
    ("tp-q4-time", MATMUL, "t_lower"),
    ("tf-mm", "Einsum P: A[N,P] B[P,M] -> C[N,M]", "flops"),
    ("tf-einsum", "Einsum KL: C[G,H,I,J,K,L] D[G,H,M,N,K,L] -> E[G,H,I,J,M,N]", "flops"),
    ("tf-q3", "Einsum IJ: A[I,J,K,L] B[I,J,M,N,O] -> C[K,L,M,N,O]", "flops"),
    ("tr-fsdp-comms", FSDP, "t_comms"),
    ("tr-fsdp-math", FSDP, "t_math"),
    ("tr-tp-comms", TP, "t_comms"),
    ("tr-tp-math", TP, "t_math"),
    ("tr-mx-math", MIXED, "t_math"),
    ("in-tp-ici", "AllGather Y: In[B,D_Y] -> In[B,D]; Einsum D: In[B,D] W[D,F_Y] -> T[B,F_Y]", "t_comms"),
    ("in-tp-hbm", "W_in[D,F_Y]", "t_hbm"),
    ("tf-kv8k", "int8:KV[2,S,L,K,H]", "memory"),
    ("in-kv", "KV[2,T,L,K,H]", "memory"),
    ("seed-09a", "X[B,D]", "memory"),
    ("seed-09b", "int8:Y[D,F]", "memory"),
    ("seed-09c", "Z[B,F]", "memory"),
]


def wanted(text):
    """A formula of a record."""
    return read_formula(text, map(str, RECORDS_SYMBOLS))


RECORDS_SYMBOLS = [*"ABCDEFGHIJKLMNOPQSTVXYZ", "W_ici", "W_hbm", "W_uni"]


def same(one, other):
    return sympy.simplify(one - other) == 0


def price(text, record, **options):
    dtype = "int8" if record["dtypes"] == {"all": "int8"} else "bf16"
    roofs = ("math", "hbm") if "W_hbm" in str(record["expected"].get("formula")) else ("math", "ici")
    topology = options.pop("topology", None)
    machine = Machine()
    if topology:
        program = plan(text, mesh="X,Y,Z").program
        machine, _ = machine_for(wired(program.mesh, topology))
    return estimate(plan(text, dtype=dtype), machine, roofs=roofs, **options)


@pytest.mark.parametrize(("name", "text", "field"), FORMULAS, ids=[row[0] for row in FORMULAS])
def test_formula(name, text, field):
    record = RECORDS[name]
    expected = record["expected"]
    assert same(getattr(price(text, record), field), wanted(expected["formula"]))
    if "exact_formula" in expected:
        assert same(getattr(price(text, record, model="exact"), field), wanted(expected["exact_formula"]))
    if "line_formula" in expected:
        lines = price(text, record, topology={"X": "line", "Y": "line"})
        assert same(getattr(lines, field), wanted(expected["line_formula"]))
    if "math_formula" in expected:
        assert same(price(text, record).t_math, wanted(expected["math_formula"]))
    if "upper" in expected:
        assert same(price(text, record).t_upper, wanted(expected["upper"]))


@pytest.mark.parametrize(("name", "dtype"), [("ro-mm-int", "bf16"), ("ro-int8-int", "int8")])
def test_intensity(name, dtype):
    found = estimate(plan(MATMUL, dtype=dtype), Machine())
    assert same(found.intensity, wanted(RECORDS[name]["expected"]["formula"]))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ro-int8-bytes", "Einsum D: int8:A[B,D] int8:B[D,F] -> int8:C[B,F]"),
        ("seed-09d", "Einsum D: X[B,D] int8:Y[D,F] -> Z[B,F]"),
    ],
)
def test_bytes_moved(name, text):
    found = estimate(plan(text), Machine())
    assert same(found.statements[0].steps[0].bytes, wanted(RECORDS[name]["expected"]["formula"]))


@pytest.mark.parametrize("name", ["sh-cost-ar", "seed-13"])
def test_time_in_terms_of_v(name):
    text = {"sh-cost-ar": "AllReduce X: A[I,J]{U_X} -> A[I,J]", "seed-13": "AllGather X: A[I_X,J] -> A[I,J]"}[name]
    v = sympy.Symbol("V", positive=True)
    for model, key in (("book", "formula"), ("exact", "exact_formula")):
        (step,) = price(text, RECORDS[name], model=model).statements[0].steps
        assert same(step.time * v / step.bytes, wanted(RECORDS[name]["expected"][key]))


NUMBERS = [
    ("sh-pq2-ring", "AllGather Y: A[E_Y,F] -> A[E,F]", "X=8,Y=4", {"Y": "ring"}, "t_comms"),
    ("sh-pq2-line", "AllGather Y: A[E_Y,F] -> A[E,F]", "X=8,Y=4", {}, "t_comms"),
    (
        "ro-2chip-comms",
        "Einsum D: A[B,D_X] W[D_X,F] -> O[B,F]{U_X}; AllReduce X: O[B,F]{U_X} -> O[B,F]",
        "X=2",
        {},
        "t_comms",
    ),
    ("ai-math", "Einsum D: In[B,D] W[D,F_Y] -> O[B,F_Y]", "Y=32", {}, "t_math"),
    ("tf-kv8k", "int8:KV[2,S,L,K,H]", "", {}, "memory"),
    ("in-kv", "KV[2,T,L,K,H]", "", {}, "memory"),
]


@pytest.mark.parametrize(("name", "text", "mesh", "topology", "field"), NUMBERS, ids=[row[0] for row in NUMBERS])
def test_number(name, text, mesh, topology, field):
    record = RECORDS[name]
    hardware = find_hardware(record["hardware"]) if record["hardware"] else None
    rates = {key: value for key, value in record["sizes"].items() if key.startswith(("W_", "C"))}
    sizes = {key: value for key, value in record["sizes"].items() if key not in rates and f"{key}=" not in mesh}
    made = plan(text, mesh=mesh, sizes=sizes)
    machine, _ = machine_for(wired(made.program.mesh, topology), hardware)
    found = estimate(made, machine, constants=rates)
    assert found.value(getattr(found, field)) == pytest.approx(record["expected"]["value"], rel=1e-9)


CROSSOVERS = [
    ("sh-q4-x1", GATHER_B, "B", ">"),
    ("sh-q6-1-x", Q61, "J", ">"),
    ("tr-fsdp-x", FSDP, "B/X", ">"),
    ("tr-tp-x", TP, "Y", "<"),
    ("tr-tp-llama", TP, "Y", "<"),
    ("tr-tp-gemma", TP, "Y", "<"),
    ("tr-tp-f8", TP, "F", ">"),
]


@pytest.mark.parametrize(("name", "text", "variable", "relation"), CROSSOVERS, ids=[row[0] for row in CROSSOVERS])
def test_crossover(name, text, variable, relation):
    record = RECORDS[name]
    expected = record["expected"]
    hardware = find_hardware(record["hardware"]) if record["hardware"] else None
    made = plan(text, sizes={k: v for k, v in record["sizes"].items() if k in "BDF"})
    constants = {k: v for k, v in record["sizes"].items() if k not in "BDF"}
    found = estimate(made, Machine(hardware), roofs=("math", "ici"), constants=constants)
    (crossover,) = found.crossover(variable)
    assert crossover.relation == relation
    assert same(crossover.threshold, wanted(expected["threshold"]))
    assert crossover.exact
    if "value" in expected:
        assert crossover.value == pytest.approx(expected["value"], rel=1e-12)
