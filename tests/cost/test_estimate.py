"""What adds up, what overlaps, how symbols print, what is known: COST_MODEL section 9, NOTATION section 1, ARCHITECTURE section 5."""

import random

import pytest
import sympy

from shardlang.cost.estimate import estimate
from shardlang.cost.text import formula
from shardlang.pricing import Machine, find_hardware, machine_for
from shardlang.semantics.size import Monomial, dim_symbol, of
from tests.cost.plans import plan, wired

B, D, F, X, Y, C, W_ICI, W_HBM = sympy.symbols("B D F X Y C W_ici W_hbm", positive=True)
GATHER_X = "AllGather X: W[D_X,F] -> W[D,F]"
GATHER_Y = "AllGather Y: V[D,F_Y] -> V[D,F]"


def on(chip, *texts, mesh="", sizes=None, links=None, **options):
    made = plan(*texts, mesh=mesh, sizes=sizes)
    machine, _ = machine_for(wired(made.program.mesh, links), find_hardware(chip) if chip else None)
    return estimate(made, machine, **options)


def test_a_statement_adds_its_steps_and_a_plan_overlaps_its_axes():
    both = on(None, f"{GATHER_X}; {GATHER_Y}", mesh="X,Y")
    assert both.statements[0].t_comms == 4 * D * F / W_ICI
    assert both.t_comms == 2 * D * F / W_ICI
    assert on(None, GATHER_X, GATHER_X, mesh="X,Y").t_comms == 4 * D * F / W_ICI
    assert on(None, GATHER_X, GATHER_Y, mesh="X,Y", comms="sum").t_comms == 4 * D * F / W_ICI


def test_a_collective_over_two_axes_loads_both():
    text = "AllGather XY: W[D_X,F_Y] -> W[D,F]"
    found = on(None, text, GATHER_X, mesh="X,Y")
    assert found.t_comms == 2 * D * F / (2 * W_ICI) + 2 * D * F / W_ICI
    alone = on(None, text, mesh="X,Y")
    assert [group.name for group in alone.groups] == ["ici:X,Y"]


def test_axes_of_a_node_share_their_links():
    found = on("h100", GATHER_X, GATHER_Y, mesh="X=4,Y=2")
    assert [group.name for group in found.groups] == ["node:X,Y"]
    egress, x, y = sympy.symbols("W_egress X Y", positive=True)
    wanted = 2 * D * F * (x - 1) / (x * egress) + 2 * D * F * (y - 1) / (y * egress)
    assert sympy.simplify(found.t_comms - wanted) == 0


def test_bounds_are_of_the_roofs_that_count_and_of_totals():
    text = f"{GATHER_X}; Einsum D: A[B,D] W[D,F] -> O[B,F]"
    found = on(None, text, mesh="X")
    assert same_maximum(found.t_lower, found.t_math, found.t_comms, found.t_hbm)
    assert found.t_upper == found.t_math + found.t_comms + found.t_hbm
    two = on(None, text, mesh="X", roofs=("math", "ici"))
    assert same_maximum(two.t_lower, 2 * B * D * F / C, 2 * D * F / W_ICI)
    assert two.t_upper == 2 * B * D * F / C + 2 * D * F / W_ICI


def test_the_upper_bound_adds_the_communication_of_all_groups():
    """COST_MODEL section 9: nothing overlaps, neither roofs nor collectives on different links."""
    text = f"{GATHER_X}; {GATHER_Y}; Einsum D: A[B,D] W[D,F] -> O[B,F]"
    for comms in ("max", "sum"):
        found = on(None, text, GATHER_X, mesh="X,Y", comms=comms)
        assert found.t_comms_sum == 6 * D * F / W_ICI
        assert sympy.expand(found.t_upper - found.t_math - found.t_hbm) == 6 * D * F / W_ICI
    overlapped = on(None, text, GATHER_X, mesh="X,Y")
    assert overlapped.t_comms == 4 * D * F / W_ICI
    assert same_maximum(overlapped.t_lower, overlapped.t_math, overlapped.t_comms, overlapped.t_hbm)
    over_both = on(None, "AllGather XY: W[D_X,F_Y] -> W[D,F]", GATHER_X, mesh="X,Y", comms="sum")
    assert over_both.t_comms == over_both.t_comms_sum == 3 * D * F / W_ICI  # a collective over two axes counts once


def test_hbm_counts_local_operations_and_bare_arrays():
    found = on(None, GATHER_X, "Einsum D: A[B,D] W[D,F] -> O[B,F]", "Z[B,F]", mesh="X")
    assert [s.t_hbm * W_HBM for s in found.statements] == [0, 2 * B * D + 2 * D * F + 2 * B * F, 2 * B * F]
    assert sympy.expand(found.t_hbm * W_HBM) == 2 * B * D + 2 * D * F + 4 * B * F


def test_intensity_is_flops_a_byte_of_hbm():
    found = on(None, "Einsum D: A[B,D] W[D,F] -> O[B,F]")
    assert sympy.simplify(found.intensity - B * D * F / (B * D + D * F + B * F)) == 0
    assert on(None, GATHER_X).intensity is None


def test_several_physical_axes():
    found = on("tpu-v5p", GATHER_X, mesh="X=16", links={"X": "ring:2"})
    assert found.t_comms == 2 * D * F / (2 * W_ICI)


def test_values_where_sizes_and_hardware_are_known():
    found = on("tpu-v5p", GATHER_X, mesh="X=4", sizes={"D": 8192, "F": 32768})
    assert found.t_comms == 2 * D * F / W_ICI  # the formula stays
    assert found.value(found.t_comms) == pytest.approx(2 * 8192 * 32768 / 1.8e11)
    assert on("tpu-v5p", GATHER_X, mesh="X=4", sizes={"D": 8192}).value(found.t_comms) is None
    assert on(None, GATHER_X, mesh="X=4", sizes={"D": 8192, "F": 1}).value(found.t_comms) is None


def test_sizes_in_terms_of_others():
    four_d = Monomial(4, 1) * of(dim_symbol("D"))
    found = on("tpu-v5p", GATHER_X, mesh="X=4", sizes={"D": 8192, "F": four_d})
    assert found.value(F) == 32768
    assert on(None, GATHER_X, sizes={"F": four_d}).value(F) is None


def test_constants_come_before_the_catalogue():
    found = on("tpu-v5e", "W[D,F]", sizes={"D": 1000, "F": 1000}, constants={"W_hbm": 8.1e11})
    assert found.value(found.t_hbm) == pytest.approx(2e6 / 8.1e11)
    one_way = on(None, GATHER_X, constants={"W_uni": 4.5e10})
    assert one_way.value(W_ICI) == 9e10
    assert on(None, GATHER_X, constants={"Q": 1.0, "W_hbm": 1.0}).unused == ("Q",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Einsum D: A[B,D] W[D,F] -> O[B,F]", "B C D F W_hbm"),
        ("Einsum D: A[B,D] W[D,C] -> O[B,C]", "B C C_flops D W_hbm"),
        ("AllGather X: A[X_X,D] -> A[X,D]", "D W_ici X n_X"),
        ("Einsum D: A[B,D] W[D,F] -> O[B,F]; Einsum D: int8:A[B,D] int8:W[D,F] -> O[B,F]", "B C_bf16 C_int8 D F W_hbm"),
    ],
)
def test_symbols_by_name(text, names):
    found = on(None, text)
    shown = {name for name, info in found.symbols.items()}
    assert shown == set(names.split())
    used = set().union(*(e.free_symbols for e in (found.t_math, found.t_comms, found.t_hbm, found.memory)))
    assert {str(symbol) for symbol in used} <= shown


def test_one_letter_may_be_dimension_and_axis_at_once():
    found = on(None, "AllGather X: A[X_X,D] -> A[X,D]", mesh="X=4", sizes={"X": 100}, model="exact")
    assert str(found.t_comms) == "2*D*X*(n_X - 1)/(W_ici*n_X)"
    assert found.symbols["X"].kind == "dimension"
    assert found.symbols["n_X"].kind == "mesh axis"
    assert (found.value(sympy.Symbol("X", positive=True)), found.value(sympy.Symbol("n_X", positive=True))) == (100, 4)


def test_a_rate_that_the_hardware_does_not_state_stays_open():
    found = on("tpu-v5p", "Einsum D: f32:A[B,D] f32:W[D,F] -> O[B,F]", sizes={"B": 8, "D": 8, "F": 8})
    assert list(found.missing_rates) == ["f32"]
    assert found.value(found.t_math) is None
    assert (
        on(
            "tpu-v5p",
            "Einsum D: f32:A[B,D] f32:W[D,F] -> O[B,F]",
            sizes={"B": 8, "D": 8, "F": 8},
            constants={"C": 1e14},
        ).value(found.t_math)
        == 1024e-14
    )


def test_reductions_in_another_type():
    text = "AllReduce X: O[B,F]{U_X} -> O[B,F]"
    assert on(None, text, reduce_dtype="f32").t_comms == 2 * on(None, text).t_comms


def test_padded_shards_print_rounded_up():
    made = plan(GATHER_X, mesh="X=4", sizes={"D": 6, "F": 5})
    found = estimate(made, Machine(), uneven=True)
    assert formula(found.statements[0].steps[0].bytes) == "2*F*X*ceiling(D/X)"
    assert found.value(found.statements[0].steps[0].bytes) == 2 * 5 * 4 * 2
    assert formula(estimate(made, Machine()).statements[0].steps[0].bytes) == "2*D*F"


def test_odd_rings_where_the_size_is_known():
    text = "AllToAll X: A[B_X,D] -> A[B,D_X]"
    even, odd = (on(None, text, mesh=mesh, model="exact").t_comms for mesh in ("X=4", "X=5"))
    assert even == B * D / (2 * W_ICI)
    assert sympy.simplify(odd - B * D / (2 * W_ICI) * (1 - 1 / X**2)) == 0


def test_memory_of_a_statement_is_its_largest_step():
    found = on(None, f"{GATHER_X}; Einsum D: A[B,D] W[D,F] -> O[B,F]", mesh="X")
    gather = 2 * D * F / X + 2 * D * F + 2 * B * D
    product = 2 * B * D + 2 * D * F + 2 * B * F
    assert same_maximum(found.statements[0].memory, gather, product)
    assert formula(found.statements[0].memory) == "2*B*D + 2*D*F + Max(2*B*F, 2*D*F/X)"


def test_memory_of_a_plan_counts_what_later_statements_use():
    first, second = "Einsum D: A[B,D] V[D,D] -> T[B,D]", "Einsum D: T[B,D] W[D,F] -> O[B,F]"
    found = on(None, first, second)
    assert found.statements[0].memory == 4 * B * D + 2 * D**2
    during_first = 4 * B * D + 2 * D**2 + 2 * D * F
    during_second = 2 * B * D + 2 * D * F + 2 * B * F
    assert same_maximum(found.memory, during_first, during_second)


def test_memory_leaves_out_what_another_step_exceeds_for_all_sizes():
    text = "Einsum D: A[B_X,D] W[D,F] -> T[B_X,F]; AllGather X: T[B_X,F] -> T[B,F]"
    product, gather = 2 * B * D / X + 2 * D * F + 2 * B * F / X, 2 * B * F / X + 2 * B * F
    assert same_maximum(on(None, text, mesh="X").memory, product, gather)
    square = "Einsum D: A[B_X,D] W[D,B] -> T[B_X,B]; AllGather X: T[B_X,B] -> T[B,B]; Einsum B: T[B,B] W[D,B] -> O[B,D]"
    found = on(None, square, mesh="X").memory  # W is alive throughout
    assert same_maximum(found, *(2 * B * D + part for part in _alive(B, D, X)))
    reshard = "AllGather X: A[B_X,D] -> A[B,D]; Slice X: A[B,D] -> A[B,D_X]"
    assert formula(on(None, reshard, mesh="X").memory) == "2*B*D + 2*B*D/X"
    shrinks = "AllGather XY: A[B_X,D_Y] -> A[B,D]; Slice X: A[B,D] -> A[B_X,D]"
    assert formula(on(None, shrinks, mesh="X,Y").memory) == "2*B*D + 2*B*D/X"


def _alive(b, d, x):
    return 2 * b * d / x + 2 * b * b / x, 2 * b * b / x + 2 * b * b, 2 * b * b + 2 * b * d


def same_maximum(found, *expected):
    """Whether a formula is the maximum of others, at many sizes: SymPy orders arguments in its own way."""
    draw = random.Random(11)
    symbols = sorted(found.free_symbols.union(*(expr.free_symbols for expr in expected)), key=str)
    one, *others = (sympy.lambdify(symbols, expr, "math") for expr in (found, *expected))
    points = ([draw.choice((2, 3, 5, 64, 1000, 2**20)) for _ in symbols] for _ in range(100))
    return all(one(*at) == pytest.approx(max(other(*at) for other in others), rel=1e-12) for at in points)


def test_memory_of_a_name_that_is_bound_again():
    chain = [f"Einsum D: A[B,D] W{i}[D,D] -> A[B,D]" for i in range(3)]
    assert on(None, *chain).memory == 4 * B * D + 6 * D**2


def test_memory_of_an_input_whose_shards_stay_in_use():
    found = on(
        None, GATHER_X, "Einsum D: A[B,D] W[D,F] -> O[B,F]", "Einsum D: A[B,D_X] W[D_X,F] -> Q[B,F]{U_X}", mesh="X"
    )
    assert formula(found.statements[1].memory) == "2*B*D + 2*B*F + 2*D*F"
    assert "2*D*F/X" in formula(found.memory)


def test_a_step_has_its_bytes_and_its_time():
    found = on(None, f"{GATHER_X}; Slice X: A[B,D] -> A[B,D_X]; Einsum D: A[B,D] W[D,F] -> O[B,F]", mesh="X")
    gather, slice_, product = found.statements[0].steps
    assert (gather.kind, gather.bytes, gather.time) == ("AllGather", 2 * D * F, 2 * D * F / W_ICI)
    assert gather.bytes_received == 2 * D * F * (X - 1) / X
    assert (slice_.bytes, slice_.time, slice_.flops) == (0, 0, 0)
    assert (product.flops, product.t_math) == (2 * B * D * F, 2 * B * D * F / C)
    assert product.bytes == 2 * B * D + 2 * D * F + 2 * B * F


def test_an_empty_plan_costs_nothing():
    found = on(None)
    assert (found.flops, found.t_lower, found.t_comms, found.memory) == (0, 0, 0, 0)
    assert found.conditions() == ()
    assert found.crossover == found.crossover


def test_a_long_plan_of_many_sizes_has_a_bound_on_its_memory_and_says_so():
    dims = [f"{a}{b}" for a in "EFGHIJ" for b in "ABCDEFGHIJKLMNOPQRST"]
    texts = [f"Einsum D: A{i}[B,D] W{i}[D,{dim}] -> O{i}[B,{dim}]" for i, dim in enumerate(dims)]
    found = on(None, *texts)
    assert any("upper bound" in sentence for sentence in found.assumptions)
    at_the_first = 120 * (2 * 64 + 2 * 64) + 2 * 64
    sizes = dict.fromkeys([*dims, "B", "D"], 8)
    known = on(None, *texts, sizes=sizes)
    assert not any("upper bound" in sentence for sentence in known.assumptions)
    assert known.value(known.memory) == at_the_first
    assert known.value(found.memory) >= at_the_first


def test_each_level_is_busy_for_its_own_time():
    """V comes over a node's link once, and is handed on inside it: COST_MODEL section 8, the two levels overlap."""
    texts = ("AllGather XY: A[I_{XY},J] -> A[I,J]", "AllReduce Y: B[I,J]{U_Y} -> B[I,J]")
    found = on("h100", *texts, mesh="X=16, Y=8")
    groups = {group.name: str(group.time) for group in found.groups}
    assert set(groups) == {"scale-out:X", "node:Y"}
    i, j, x, y = (sympy.Symbol(name, positive=True) for name in "IJXY")
    egress, node = (sympy.Symbol(name, positive=True) for name in ("W_egress", "W_node"))
    times = {group.name: group.time for group in found.groups}
    assert sympy.simplify(times["scale-out:X"] - 2 * i * j * (x - 1) / (x * node)) == 0
    assert sympy.simplify(times["node:Y"] - 3 * (2 * i * j) * (y - 1) / (y * egress)) == 0
    numbers = {i: 1024, j: 1024, x: 16, y: 8, egress: 4.5e11, node: 4e11}
    assert float(found.t_comms.subs(numbers)) == pytest.approx(3 * 2 * 2**20 * 7 / 8 / 4.5e11)


def test_axes_that_a_plan_does_not_use_share_the_links_all_the_same():
    text, beyond = "AllGather X: A[I_X,J] -> A[I,J]", {"X": "scale-out"}
    found = on("h100", text, mesh="X=16, Y=4", links=beyond)
    assert str(found.t_comms) == "2*I*J*Y/W_node"
    assert str(on("h100", text, mesh="X=16", links=beyond).t_comms) == "2*I*J/W_node"
    assert "Y" not in on("tpu-v5p", text, mesh="X=16, Y=4").symbols


def test_figures_of_the_tree_can_be_set():
    text, sizes = "AllGather X: A[I_X,J] -> A[I,J]", {"I": 1024, "J": 1024}
    given = {"W_node": 1e11, "D_node": 4, "Y": 16}
    found = on(None, text, mesh="X=16, Y", sizes=sizes, links={"X": "scale-out"}, constants=given)
    assert found.unused == ()
    assert found.value(found.t_comms) == pytest.approx(4 * 2 * 2**20 / 1e11)  # four of the sixteen are in a node
