"""Crossovers and conditions, solved by hand and checked by putting numbers in."""

import math
import random

import pytest
import sympy

from shardlang.cost.conditions import Condition, compare
from shardlang.cost.estimate import estimate
from shardlang.cost.prices import wins_when
from shardlang.cost.ratio import RatioError, UnknownSymbolError
from shardlang.pricing import Machine, find_hardware, machine_for
from shardlang.semantics.size import Monomial, axis_symbol, dim_symbol, of
from tests.cost.plans import plan

B, D, F, X, Y, C, W_ICI, W_HBM = sympy.symbols("B D F X Y C W_ici W_hbm", positive=True)
TWO_GATHERS = (
    "AllGather Y: In[B_X,D_Y] -> In[B_X,D]; AllGather X: W[D_X,F_Y] -> W[D,F_Y]; "
    "Einsum D: In[B_X,D] W[D,F_Y] -> T[B_X,F_Y]"
)


def on_v5p(*texts, mesh="X,Y", sizes=None, **options):
    made = plan(*texts, mesh=mesh, sizes=sizes)
    machine, _ = machine_for(made.program.mesh, find_hardware("tpu-v5p"))
    return estimate(made, machine, **options)


def test_two_gathers_on_their_own_links_give_two_conditions():
    found = on_v5p(TWO_GATHERS)
    texts = {between: condition.text for between, condition in found.conditions()}
    assert texts["math", "ici:X"] == "B/X > C/W_ici"
    assert texts["math", "ici:Y"] == "F/Y > C/W_ici"
    assert texts["math", "hbm"] == "1/D + X/B + Y/F < W_hbm/C"
    conditions = dict(found.conditions())
    assert found.value(conditions["math", "ici:X"].right) == 2550


def test_two_gathers_that_add_up_give_one():
    found = on_v5p(TWO_GATHERS, comms="sum", roofs=("math", "ici"))
    (((between, condition)),) = found.conditions()
    assert between == ("math", "ici")
    assert condition.text == "X/B + Y/F < W_ici/C"


def test_the_other_group_is_a_requirement():
    (crossover,) = on_v5p(TWO_GATHERS, roofs=("math", "ici")).crossover("B")
    assert crossover.between == ("math", "ici:X")
    assert crossover.relation == ">"
    assert crossover.threshold == C * X / W_ICI
    assert crossover.requires == ("F/Y > C/W_ici",)
    assert crossover.value is None
    assert crossover.exact


def test_a_condition_belongs_only_to_the_pair_that_needs_it():
    """That arithmetic hides the other links is needed to be compute-bound, and for no pair of times."""
    for crossover in on_v5p(TWO_GATHERS).crossover("B"):
        assert crossover.requires == tuple(c.text for c in (*crossover.besides, *crossover.conditions))
        if crossover.between == ("math", "ici:X"):
            assert [c.text for c in crossover.besides] == ["F/Y > C/W_ici"]
            assert crossover.conditions == ()
        else:
            assert crossover.besides == (), crossover.between


def test_what_does_not_cross_says_when_the_first_is_longer():
    found = on_v5p(TWO_GATHERS, roofs=("math", "ici"))
    (left,) = found.uncrossed("B", found.crossover("B"))
    assert (left.between, left.when.text) == (("math", "ici:Y"), "F/Y > C/W_ici")
    sized = on_v5p(TWO_GATHERS, roofs=("math", "ici"), sizes={"F": 4096}, mesh="X,Y=4")
    (left,) = sized.uncrossed("B", sized.crossover("B"))
    assert left.when.holds(sized.values) is False
    both = found.uncrossed("D", found.crossover("D"))
    assert [one.between for one in both] == [("math", "ici:X"), ("math", "ici:Y")]


def test_a_maximum_is_exceeded_where_both_of_its_parts_are():
    """2BDF/(XYC) > max(2DF/(YW), T_min X/2): X < BW/C and X² < 4BDF/(YC T_min)."""
    found = estimate(plan(TWO_GATHERS), Machine(), roofs=("math", "ici"), latency=True)
    crossover = next(c for c in found.crossover("X") if c.between == ("math", "ici:X"))
    hop = sympy.Symbol("T_min", positive=True)
    wanted = sympy.Min(B * W_ICI / C, sympy.sqrt(4 * B * D * F / (Y * C * hop)))
    assert (crossover.relation, crossover.exact) == ("<", True)
    assert crossover.threshold == wanted
    assert crossover.assumes == ("ceiling(X/2) = X/2",)


def test_latency_against_bandwidth_of_each_collective():
    """Book, inference: an int8 gather over Y is latency-bound when Y > BD/(W_uni T_min), and W_uni = W_ici/2."""
    hop = sympy.Symbol("T_min", positive=True)
    gather = estimate(plan("AllGather Y: int8:In[B,D_Y] -> int8:In[B,D]"), Machine(), latency=True)
    (crossover,) = gather.crossover("Y")
    assert (crossover.between, crossover.relation) == (("latency:Y", "bandwidth:Y"), ">")
    assert crossover.threshold == B * D / (W_ICI / 2 * hop)
    assert crossover.assumes == ("ceiling(Y/2) = Y/2",)
    assert crossover.exact
    assert crossover.steps == ("int8:In[B,D_Y] -> int8:In[B,D]",)
    (in_batch,) = gather.crossover("B")  # there the hops stay whole
    assert in_batch.threshold == W_ICI * hop * sympy.ceiling(Y / 2) / D
    assert in_batch.assumes == ()


def test_the_buffer_of_a_hop_below_which_a_link_is_latency_bound():
    """Book, sharding: 45 kB a hop on the 4.5e10 B/s links of a v5e."""
    made = plan("AllGather Y: int8:In[B,D_Y] -> int8:In[B,D]", mesh="Y")
    machine, _ = machine_for(made.program.mesh, find_hardware("tpu-v5e"))
    (crossover,) = estimate(made, machine, latency=True).crossover("B*D/Y")
    assert (crossover.relation, crossover.value) == ("<", 45000)


def test_latency_is_compared_step_by_step():
    """One group of links, two collectives: the sum of their times is neither bound by latency nor by bandwidth."""
    two = "AllGather X: A[B_X,D] -> A[B,D]; AllGather X: V[F_X,D] -> V[F,D]; Einsum D: A[B,D] V[F,D] -> O[B,F]"
    found = estimate(plan(two), Machine(), latency=True, roofs=("math", "ici"))
    pairs = {c.steps: c.threshold for c in found.crossover("D") if c.between == ("latency:X", "bandwidth:X")}
    assert len(pairs) == 2
    assert len(set(pairs.values())) == 2
    without = estimate(plan(two), Machine(), latency=True, roofs=("math",))
    assert without.compared() == ()


def test_a_ratio_has_a_number_where_its_sizes_are_open():
    (crossover,) = on_v5p(TWO_GATHERS, roofs=("math", "ici")).crossover("B/X")
    assert (crossover.threshold, crossover.value) == (C / W_ICI, 2550)


def test_known_sizes_give_the_number_and_leave_the_formula():
    (crossover,) = on_v5p(TWO_GATHERS, roofs=("math", "ici"), mesh="X=4,Y=8").crossover("B")
    assert (crossover.threshold, crossover.value) == (C * X / W_ICI, 4 * 2550)


def test_a_pair_that_does_not_depend_on_the_variable_gives_nothing():
    assert on_v5p(TWO_GATHERS, roofs=("math", "ici")).crossover("D") == ()


def test_sums_are_solved_exactly_with_what_they_take_for_granted():
    (crossover,) = on_v5p(TWO_GATHERS, comms="sum", roofs=("math", "ici")).crossover("B")
    assert sympy.simplify(crossover.threshold - X / (W_ICI / C - Y / F)) == 0
    assert crossover.requires == ("F/Y > C/W_ici",)
    hbm = estimate(plan("Einsum D: A[B,D] W[D,F] -> O[B,F]"), Machine())
    (memory_bound,) = hbm.crossover("B")
    assert memory_bound.between == ("math", "hbm")
    assert sympy.simplify(memory_bound.threshold - 1 / (W_HBM / C - 1 / D - 1 / F)) == 0
    assert memory_bound.requires == ("1/D + 1/F < W_hbm/C",)


def test_hardware_symbols_can_be_solved_for():
    (crossover,) = on_v5p(TWO_GATHERS, comms="sum", roofs=("math", "ici")).crossover("C")
    assert crossover.relation == "<"
    assert sympy.simplify(crossover.threshold - W_ICI / (X / B + Y / F)) == 0


def test_a_variable_that_cancels_gives_nothing():
    text = "AllGather X: A[B_X,F] -> A[B,F]; AllGather X: R[F_X,D] -> R[F,D]; Einsum F: A[B,F] R[F,D] -> O[B,D]"
    assert estimate(plan(text), Machine(), roofs=("math", "ici")).crossover("F") == ()


def test_a_quadratic_has_both_ends_of_the_range():
    squares = "AllGather X: A[B_X,B] -> A[B,B]"
    with_matmul = (
        f"{squares}; AllGather X: R[B_X,D] -> R[B,D]; Einsum: b[B] d[D] -> O[B,D]; AllGather X: Z[D_X] -> Z[D]"
    )
    made = plan(with_matmul, sizes={"D": 10**6})
    found = estimate(made, Machine(), roofs=("math", "ici"), constants={"C": 1e12, "W_ici": 1e13})
    (within,) = found.crossover("B")
    assert (within.relation, within.value < within.until_value, within.exact) == (">", True, True)
    assert [end.relation for end in within.ends] == [">", "<"]
    for crossover in within.ends:
        at = {**found.values, B: crossover.value}
        t_math, t_comms = (float(e.subs(at)) for e in (found.t_math, found.t_comms))
        assert math.isclose(t_math, t_comms, rel_tol=1e-6)


def test_where_the_algebra_gives_out_the_numbers_decide_and_it_says_so():
    sizes = {"D": 8192, "F": 65536}
    found = on_v5p(TWO_GATHERS, mesh="X=4,Y=8", sizes=sizes, roofs=("math", "ici"), latency=True, comms="sum")
    numeric = [c for c in found.crossover("X") if not c.exact]
    assert numeric
    assert all(c.relation in "<>" for c in numeric)


def test_without_numbers_an_unsolvable_crossover_is_the_condition_itself():
    found = estimate(plan(TWO_GATHERS), Machine(), roofs=("math", "ici"), latency=True, comms="sum")
    (crossover, *_) = found.crossover("X")
    assert (crossover.threshold, crossover.value, crossover.exact) == (None, None, False)
    assert "ceiling" in crossover.requires[-1]


def test_sizes_in_terms_of_the_variable_follow_it():
    four_d = Monomial(4, 1) * of(dim_symbol("D"))
    tp = "AllGather Y: In[B,D_Y] -> In[B,D]; Einsum D: In[B,D] W[D,F_Y] -> T[B,F_Y]"
    found = on_v5p(tp, mesh="Y", sizes={"F": four_d}, roofs=("math", "ici"))
    assert str(found.t_math) == "2*B*D*F/(C*Y)"  # formulas keep F
    (crossover,) = found.crossover("D")
    assert crossover.threshold == C * Y / (4 * W_ICI)


def test_unknown_names():
    found = estimate(plan(TWO_GATHERS), Machine())
    with pytest.raises(UnknownSymbolError, match="no symbol `Q`"):
        found.crossover("Q")
    with pytest.raises(RatioError):
        found.crossover("")
    with pytest.raises(UnknownSymbolError) as info:
        found.crossover("b")
    assert info.value.hint == "B"


def test_requirements_say_whether_they_hold():
    """2550 on v5p: B/X = 32768/16 = 2048 is less, 4 times as many rows are more."""
    for rows, holds in ((32768, False), (4 * 32768, True), (None, None)):
        sizes = {"D": 8192, "F": 32768} | ({"B": rows} if rows else {})
        (crossover,) = on_v5p(TWO_GATHERS, mesh="X=16,Y", sizes=sizes, roofs=("math", "ici")).crossover("Y")
        assert crossover.requires == ("B/X > C/W_ici",)
        assert crossover.requires_hold == (holds,)
        assert crossover.value == pytest.approx(32768 / 2550)


def test_a_ratio_that_cannot_be_solved_for_is_said_in_the_symbols_of_the_plan():
    found = estimate(plan(TWO_GATHERS), Machine(), roofs=("math", "ici"), latency=True, comms="sum")
    assert found.crossover("X/F")
    for crossover in found.crossover("X/F"):
        names = set().union(*(c.left.free_symbols | c.right.free_symbols for c in crossover.conditions))
        assert {symbol.name for symbol in names} <= set("BDFXY") | {"C", "W_ici", "T_min"}


def test_an_axis_is_known_by_its_printed_and_by_its_plain_name():
    text = "AllGather X: A[X_X,D] -> A[X,D]; Einsum D: A[X,D] W[D,F] -> O[X,F]"
    found = estimate(plan(text), Machine(), roofs=("math", "ici"), model="exact")
    assert found.crossover("n_X")[0].relation == "<"
    assert found.crossover("X") == ()  # the dimension X, which cancels


@pytest.mark.parametrize(
    ("larger", "smaller", "text"),
    [
        (2 * B * D * F / (X * C), 2 * D * F / W_ICI, "B/X > C/W_ici"),
        (2 * D * F / W_ICI, 2 * B * D * F / (X * C), "B/X < C/W_ici"),
        (B * D, 2 * B * D, "never"),
        (2 * B * D, B * D, "always"),
        (B * D, B * D, "never"),
        (B + D, D, "always"),
        (B * F + D, D + 2 * F, "B > 2"),
        (B**2 * D, 4 * D * C**2, "B > 2*C"),
        (B / X, C / X, "B > C"),
        (C, W_ICI, "C > W_ici"),
        (B * D, B * F + D * F, "1/B + 1/D < 1/F"),
        (B * D / X + F, B + D, "B*D + F*X > B*X + D*X"),
        (2 * (B * D + F) / C, (B + X) / W_ICI, "(B*D + F)/(B + X) > C/(2*W_ici)"),
        (2 * B * D * (X - 1) / X, 4 * B * F * (X - 1) / X, "D/F > 2"),
        (B * D, B * (X - 1), "D/(X - 1) > 1"),
    ],
)
def test_conditions_in_the_form_that_people_write(larger, smaller, text):
    condition = compare(larger, smaller, frozenset((B, D, F, X, Y)))
    assert condition.text == text


def test_conditions_say_what_the_comparison_says():
    draw = random.Random(7)
    sizes = (B, D, F, X, Y)

    def price():
        terms = [
            draw.randint(1, 4) * sympy.Mul(*(s ** draw.randint(-1, 1) for s in (*sizes, C, W_ICI)))
            for _ in range(draw.randint(1, 3))
        ]
        return sympy.Add(*terms)

    for _ in range(60):
        one, other = price(), price()
        condition = compare(one, other, frozenset(sizes))
        values = {s: draw.randint(1, 50) for s in (*sizes, C, W_ICI)}
        if one.subs(values) != other.subs(values):
            assert condition.holds(values) == bool(one.subs(values) > other.subs(values)), (one, other, condition)


def test_crossovers_say_what_the_comparison_says():
    found = on_v5p(TWO_GATHERS, comms="sum")
    draw = random.Random(3)
    names = {str(s): s for s in (B, D, F, X, Y)}
    times = {"math": found.t_math, "ici": found.t_comms, "hbm": found.t_hbm}
    for name, symbol in names.items():
        for crossover in found.crossover(name):
            first, second = (times[roof.partition(":")[0]] for roof in crossover.between)
            for _ in range(20):
                values = {s: draw.randint(1, 2**14) for s in names.values()} | {C: 5e3, W_ICI: 2.0, W_HBM: 30.0}
                threshold = crossover.threshold.subs(values)
                if threshold <= 0:
                    continue
                for factor in (0.9, 1.1):
                    at = {**values, symbol: threshold * factor}
                    bigger = first.subs(at) > second.subs(at)
                    assert bool(bigger) == ((factor > 1) == (crossover.relation == ">")), (name, crossover, values)


def test_one_plan_against_another():
    gather = estimate(plan("AllGather X: A[I,J_X] -> A[I,J]; Einsum J: A[I,J] B[J,K] -> C[I,K]"), Machine())
    reduce = estimate(
        plan(
            "Slice X: B[J,K] -> B[J_X,K]; Einsum J: A[I,J_X] B[J_X,K] -> C[I,K]{U_X}; AllReduce X: C[I,K]{U_X} -> C[I,K]"
        ),
        Machine(),
    )
    sizes = gather.size_symbols()
    assert wins_when(gather, gather, sizes).relation == "never"
    condition = wins_when(reduce, gather, sizes)
    # 2IJK/C + 2IJ/W > 2IJK/(XC) + 4IK/W, by I and 2: JK/C + J/W > JK/(XC) + 2K/W
    j, k = sympy.symbols("J K", positive=True)
    for values in ({j: 100, k: 10, X: 4}, {j: 10, k: 100, X: 4}):
        at = {**values, C: 1e3, W_ICI: 1.0}
        expected = (j * k / C + j / W_ICI).subs(at) > (j * k / (X * C) + 2 * k / W_ICI).subs(at)
        assert condition.holds(at) == bool(expected)


def test_a_condition_with_an_open_symbol_is_undecided():
    assert Condition(B / X, ">", C / W_ICI).holds({B: 1}) is None
    assert Condition(B / X, ">", C / W_ICI).holds({B: 8, X: 2, C: 3, W_ICI: 1}) is True


def test_axis_symbols_are_not_dimension_symbols():
    assert axis_symbol("X") != dim_symbol("X")
