"""Every crossover of a dozen plans, put back into the times that it was solved from."""

import itertools
import math

import pytest
import sympy

from shardlang.cost.estimate import estimate
from shardlang.cost.values import evaluate
from shardlang.pricing import find_hardware, machine_for
from tests.cost.plans import plan

GATHERS = (
    "AllGather Y: In[B_X,D_Y] -> In[B_X,D]; AllGather X: W[D_X,F_Y] -> W[D,F_Y]; "
    "Einsum D: In[B_X,D] W[D,F_Y] -> T[B_X,F_Y]"
)
REDUCE = "Einsum D: A[B,D_X] W[D_X,F] -> O[B,F]{U_X}; AllReduce X: O[B,F]{U_X} -> O[B,F]"
EXCHANGE = (
    "AllToAll XY: A[B_{XY},D] -> A[B,D_{XY}]; Einsum D: A[B,D_{XY}] W[D_{XY},F] -> O[B,F]{U_{XY}}; "
    "ReduceScatter XY: O[B,F]{U_{XY}} -> O[B_{XY},F]"
)
SQUARE = "AllGather X: A[B_X,B] -> A[B,B]; Einsum B: A[B,B] W[B,F] -> O[B,F]; AllGather X: Z[F_X,D] -> Z[F,D]"
PERMUTE = "CollectivePermute XY: A[B_{XY},D] -> A[B_{YX},D]; Einsum D: A[B_{YX},D] W[D,F] -> O[B_{YX},F]"
MLP = (
    "AllGather X: V[D_X,F] -> V[D,F]; Einsum D: A[B_X,D] V[D,F] -> H[B_X,F]",
    "Elementwise: H[B_X,F] -> Z[B_X,F]",
    "AllGather X: W[F,D_X] -> W[F,D]; Einsum F: Z[B_X,F] W[F,D] -> O[B_X,D]",
)
INT8 = "AllGather X: int8:W[D_X,F] -> int8:W[D,F]; Einsum D: A[B_X,D] int8:W[D,F] -> O[B_X,F]"

PLANS = {
    "gathers": (GATHERS,),
    "reduce": (REDUCE,),
    "exchange": (EXCHANGE,),
    "square": (SQUARE,),
    "permute": (PERMUTE,),
    "mlp": MLP,
    "int8": (INT8,),
    "two products": (INT8, REDUCE),
}
OPTIONS = [{}, {"model": "exact"}, {"comms": "sum"}, {"latency": True}, {"comms": "sum", "model": "exact"}]
CASES = [(name, *pair) for name, pair in itertools.product(PLANS, itertools.product(("tpu-v5p", "h100"), OPTIONS))]


def priced(name, chip, options, known):
    mesh = "X=4,Y=2" if chip == "h100" else "X=16,Y=4"
    sizes = {"B": 65536, "D": 8192, "F": 28672}
    made = plan(*PLANS[name], mesh=mesh if known else "X,Y", sizes=sizes if known else {})
    machine, _ = machine_for(made.program.mesh, find_hardware(chip))
    return estimate(made, machine, **options)


def times_of(found, crossover):
    """The two times that a crossover is of, with X/2 for the hops of X where it says that it took that."""
    (pair,) = (p for p in found.compared() if (p.between, p.steps) == (crossover.between, crossover.steps))
    times = [pair.first.time, pair.second.time]
    if not crossover.assumes:
        return times
    return [time.replace(sympy.ceiling, lambda half: half) for time in times]


@pytest.mark.parametrize(("name", "chip", "options"), CASES, ids=str)
def test_on_both_sides_of_a_value_the_roofs_are_as_the_relation_says(name, chip, options):
    found = priced(name, chip, options, known=True)
    symbols = {symbol.name: symbol for symbol in found.values}
    ratios = [f"{a}/{b}" for a, b in itertools.permutations("BDFX", 2) if {a, b} <= set(symbols)]
    checked = 0
    for variable in [*symbols, *ratios]:
        for crossover in found.crossover(variable):
            assert crossover.relation in ("<", ">")
            assert crossover.exact or crossover.threshold is None or crossover.threshold.is_Float
            if crossover.value is None:
                continue
            above, _, below = variable.partition("/")
            first, second = times_of(found, crossover)
            gaps = []
            for factor in (1 - 1e-4, 1 + 1e-4):
                scale = found.values[symbols[below]] if below else 1
                at = {**found.values, symbols[above]: crossover.value * factor * scale}
                if not all(condition.holds(at) for condition in crossover.conditions):
                    break
                gaps.append(evaluate(first, at) / evaluate(second, at) - 1)
            if len(gaps) < 2:
                continue
            if "T_min" in symbols and max(map(abs, gaps)) > 1e-2:  # a number of hops jumps
                assert gaps[0] * gaps[1] < 0, (variable, crossover)
            assert gaps[0] * gaps[1] <= 0, (variable, crossover, gaps)
            assert (gaps[1] > 0) == (crossover.relation == ">"), (variable, crossover, gaps)
            checked += 1
    assert checked or name in ("permute",)


@pytest.mark.parametrize(("name", "options"), list(itertools.product(PLANS, OPTIONS)), ids=str)
def test_the_same_values_come_from_the_formulas_of_open_sizes(name, options):
    """A threshold in symbols, with numbers put in, is the value that known sizes give."""
    known, symbolic = (priced(name, "tpu-v5p", options, known) for known in (True, False))
    for variable in ("B", "D", "F", "B/X"):
        if variable == "D" and name == "two products":
            continue  # what sign a coefficient has then depends on the numbers
        there = {c.between: c for c in known.crossover(variable) if c.exact}
        for crossover in symbolic.crossover(variable):
            if crossover.threshold is None or crossover.between not in there or "ceiling" in str(crossover.threshold):
                continue
            value = evaluate(crossover.threshold, {**symbolic.values, **_by_name(symbolic, known)})
            expected = there[crossover.between].value
            if (
                expected is not None
                and value is not None
                and value > 0
                and crossover.relation == there[crossover.between].relation
            ):
                assert math.isclose(value, expected, rel_tol=1e-9), (variable, crossover)


def _by_name(symbolic, known):
    numbers = {symbol.name: value for symbol, value in known.values.items()}
    names = symbolic.pricer.names
    return {symbol: numbers[symbol.name] for symbol in (*names.dims().values(), *names.axes().values())}
