"""Two plans side by side, against the book's figures and against their numbers."""

import random

import pytest
import sympy

from shardlang.cost.comparison import cheaper_when, contradictions, together
from shardlang.cost.estimate import estimate, names_of
from shardlang.cost.values import evaluate
from shardlang.pricing import find_hardware, machine_for
from shardlang.pricing.roofs import QUANTITIES
from tests.cost.plans import plan

B, D, F, X, C, W_ICI = sympy.symbols("B D F X C W_ici", positive=True)
GATHER = "AllGather X: W[D_X,F] -> W[D,F]; Einsum D: A[B,D] W[D,F] -> C[B,F]"
REDUCE = "Einsum D: A[B,D_X] W[D_X,F] -> C[B,F]{U_X}; AllReduce X: C[B,F]{U_X} -> C[B,F]"


def both(mine, other, sizes=None, mesh="X", chip="tpu-v5p", **options):
    made = [plan(text, mesh=mesh, sizes=sizes) for text in (mine, other)]
    machines = [machine_for(one.program.mesh, find_hardware(chip))[0] for one in made]
    names = names_of(*zip(made, machines, strict=True))
    return [estimate(one, machine, names=names, **options) for one, machine in zip(made, machines, strict=True)]


def test_question_4_by_communication():
    """Book, sharding, question 4: 4BF/W < 2DF/W when D > 2B."""
    (found,), left = cheaper_when(*both(REDUCE, GATHER), "t_comms", "D")
    assert (found.between, found.relation, found.threshold) == (("against", "plan"), ">", 2 * B)
    assert left == ()


def test_question_4_by_time_where_arithmetic_binds_the_first_strategy():
    """4BF/W < 2BDF/C when D > 2C/W = 5100 on v5p; else it takes D > 2B, where the first strategy is bound by comms."""
    found, _ = cheaper_when(*both(REDUCE, GATHER, roofs=("math", "ici")), "t_lower", "D")
    assert [(c.relation, c.threshold, c.value) for c in found] == [(">", 2 * C / W_ICI, 5100), (">", 2 * B, None)]
    assert [[c.text for c in one.conditions] for one in found] == [[], ["B/X < C/W_ici"]]


def test_what_cancels_between_two_plans_is_said():
    found, (left,) = cheaper_when(*both(REDUCE, GATHER), "t_comms", "F")
    assert found == ()
    assert left.when.text == "D/B > 2"


def test_names_of_two_plans_are_one_namespace():
    """C is an array dimension in the second: the rate of both gets out of its way; X is an axis of one alone."""
    other = "Einsum D: A[C,D] W[D,F] -> O[C,F]"
    mine, theirs = both(GATHER, other)
    assert str(mine.t_math) == "2*B*D*F/C_flops"
    assert str(theirs.t_math) == "2*C*D*F/C_flops"
    known = both(GATHER, other, sizes={"B": 64})
    assert together(*known).value(known[0].pricer.names.dim("B")) == 64


def test_a_name_with_two_sizes_is_a_contradiction():
    mine, theirs = both(GATHER, REDUCE, sizes={"B": 8})
    assert list(contradictions(mine, theirs)) == []
    other = both(GATHER, REDUCE, sizes={"B": 16})[1]
    assert list(contradictions(mine, other)) == [(B, 8, 16)]


@pytest.mark.parametrize(("of", "shortened"), [("t_hbm", True), ("flops", False)])
def test_a_crossover_of_leading_terms_says_so(of, shortened):
    """Of B << D, F only the weight is left of 2BD + 2DF + 2BF bytes; FLOPs have one term."""
    mine, theirs = both(
        "Einsum D: A[B,D] W[D,F] -> C[B,F]", "Einsum D: A[B,D] W[D,D2] -> C[B,D2]", assume=["B << D, D2"]
    )
    found, _ = cheaper_when(mine, theirs, of, "D2")
    assert [one.shortened for one in found] == [shortened]


@pytest.mark.parametrize("of", QUANTITIES)
@pytest.mark.parametrize("seed", range(6))
def test_on_both_sides_of_a_crossover_the_cheaper_plan_is_the_one_it_says(of, seed):
    """Brute force: known sizes, every quantity, three variables."""
    chance = random.Random(f"{of} {seed}")
    sizes = {name: 2 ** chance.randint(6, 15) for name in "BDF"}
    mine, theirs = both(REDUCE, GATHER, sizes=sizes, mesh=f"X={2 ** chance.randint(1, 5)}")
    for variable in ("B", "D", "X"):
        found, left = cheaper_when(mine, theirs, of, variable)
        assert len(found) + len(left) >= 1
        symbol = sympy.Symbol(variable, positive=True)
        for crossover in found:
            if crossover.value is None or not all(c.holds(mine.values) for c in crossover.conditions):
                continue
            below, above = (
                evaluate(getattr(theirs, of) - getattr(mine, of), {**mine.values, symbol: crossover.value * factor})
                for factor in (1 - 1e-6, 1 + 1e-6)
            )
            assert (below < 0 < above) if crossover.relation == ">" else (below > 0 > above), (variable, crossover)
