"""The JSON of prices: formulas that SymPy reads back, the same from run to run."""

import json
import subprocess
import sys

import pytest
import sympy

import shardlang
from tests.symbolic import read_formula

PLANS = {
    "gathers": "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]",
    "reduce": "A[B, D_X] · W[D_X, F] -> O[B, F]",
    "exchange": "A[B_{XY}, D] -> A[B, D_{XY}]",
    "chain": "A[B_X, D] · V[D_X, F] -> H[B_X, F]\nZ[B_X, F] = gelu(H[B_X, F])\nZ[B_X, F] · W[F, D_X] -> O[B_X, D]",
}
OPTIONS = [
    {},
    {"model": "exact"},
    {"comms": "sum"},
    {"latency": True},
    {"hardware": "h100"},
    {"hardware": "h100", "latency": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("text", PLANS.values(), ids=PLANS)
def test_formulas_of_the_json_are_read_back_by_sympy(text, options):
    report = shardlang.cost(text, **options)
    data = report.to_dict()
    pairs = [(data["total"], report), *zip(data["statements"], report.statements, strict=True)]
    draw = [3, 5, 64, 128, 1024]
    for shown, priced in pairs:
        for name in ("flops", "t_math", "t_comms", "t_hbm", "t_lower", "t_upper", "memory"):
            expr, back = getattr(priced, name), read_formula(shown[name]["formula"], data["symbols"])
            assert back.free_symbols == expr.free_symbols
            at = {symbol: draw[i % 5] + i for i, symbol in enumerate(sorted(expr.free_symbols, key=str))}
            assert float(back.subs(at)) == pytest.approx(float(expr.subs(at)), rel=1e-12)


@pytest.mark.parametrize("variable", ["B", "X", "B/X", "W_hbm"])
def test_thresholds_of_the_json_are_read_back_by_sympy(variable):
    report = shardlang.crossover(PLANS["gathers"], variable)
    symbols = report.cost.to_dict()["symbols"]
    for shown, found in zip(report.to_dict()["crossovers"], report.crossovers, strict=True):
        assert sympy.simplify(read_formula(shown["formula"], symbols) - found.threshold) == 0


def test_formulas_do_not_depend_on_the_order_of_hashes():
    program = (
        "import json, shardlang; "
        f"print(json.dumps([shardlang.explain(text).to_dict() for text in {list(PLANS.values())!r}]))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1
    assert json.loads(runs.pop())
