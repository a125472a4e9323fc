"""Intensity, what is needed, which roof binds: COST_MODEL section 9, and the times themselves at many sizes."""

import random
from itertools import pairwise

import pytest
import sympy

import shardlang
from shardlang.cost.estimate import estimate
from shardlang.cost.ratio import UnknownSymbolError
from shardlang.cost.roofline import Along, rooflines
from shardlang.cost.values import evaluate
from shardlang.pricing import find_hardware, machine_for
from tests.cost.plans import plan, wired
from tests.symbolic import read_formula

B, D, F, X, Y, C = sympy.symbols("B D F X Y C", positive=True)
MATMUL = "Einsum D: A[B,D] W[D,F] -> O[B,F]"
GATHERS = (
    "AllGather Y: In[B_X,D_Y] -> In[B_X,D]; AllGather X: W[D_X,F_Y] -> W[D,F_Y]; "
    "Einsum D: In[B_X,D] W[D,F_Y] -> T[B_X,F_Y]"
)
SIZES = {"D": 8192, "F": 32768}


def on(chip, *texts, mesh="", sizes=None, links=None, **options):
    made = plan(*texts, mesh=mesh, sizes=sizes)
    machine, _ = machine_for(wired(made.program.mesh, links), find_hardware(chip) if chip else None)
    return estimate(made, machine, **options)


def levels(found):
    return {level.roof: level for level in found.levels}


def test_intensity_is_flops_a_byte_and_what_is_needed_is_the_ratio_of_the_rates():
    found = levels(rooflines(on("tpu-v5p", GATHERS, mesh="X,Y"))[1])
    hbm, ici = sympy.symbols("W_hbm W_ici", positive=True)
    assert list(found) == ["math", "ici:X", "ici:Y", "hbm"]
    assert (found["math"].intensity, found["math"].needed) == (None, None)
    # 2BDF/(XY) FLOPs over 2DF/Y bytes gathered over X, 2BD/X over Y, and all three arrays in HBM
    assert found["ici:X"].intensity == B / X
    assert found["ici:Y"].intensity == F / Y
    moved = 2 * B * D / X + 2 * D * F / Y + 2 * B * F / (X * Y)
    assert sympy.simplify(found["hbm"].intensity - 2 * B * D * F / (X * Y) / moved) == 0
    assert [found[name].needed for name in ("ici:X", "hbm")] == [C / ici, C / hbm]


@pytest.mark.parametrize(
    ("mesh", "links", "name", "rate"),
    [
        ("X=4", None, "node:X", 4.5e11),
        ("X=4", {"X": "scale-out"}, "scale-out:X", 4e11),
        ("X=4", {"X": "pcie"}, "pcie:X", 1.6e10),
    ],
)
def test_levels_of_links_have_their_own_bandwidth(mesh, links, name, rate):
    text = "AllGather X: W[D_X,F] -> W[D,F]; Einsum D: In[B_X,D] W[D,F] -> T[B_X,F]"
    chip = "h100" if links is None or links != {"X": "pcie"} else "tpu-v5e"
    found = on(chip, text, mesh=mesh, links=links, sizes={"B": 4096, **SIZES})
    level = levels(rooflines(found)[1])[name]
    assert found.value(level.needed) == pytest.approx(find_hardware(chip).flops["bf16"] / rate)
    # the definition: above what is needed arithmetic is longer
    faster = found.value(found.t_math) > found.value(level.time)
    assert (found.value(level.intensity) > found.value(level.needed)) is faster


def test_several_element_types_need_what_their_own_rates_say():
    text = "Einsum D: int8:A[B,D] int8:W[D,F] -> int8:O[B,F]"
    found = on("tpu-v5e", text, MATMUL, sizes={"B": 64, **SIZES})
    one, other = (levels(line)["hbm"] for line in rooflines(found)[0])
    assert found.value(one.needed) == pytest.approx(394e12 / 8.2e11)
    assert found.value(other.needed) == pytest.approx(197e12 / 8.2e11)
    assert found.value(one.intensity) == pytest.approx(2 * found.value(other.intensity))


@pytest.mark.parametrize(("dtype", "width"), [("int8", 1), ("fp8", 1), ("int4", 0.5), ("f32", 4), ("bf16", 2)])
def test_the_critical_batch_goes_with_the_bytes_of_the_weights(dtype, width):
    """COST_MODEL section 9: C bytes_w/(2 W_hbm), with activations and arithmetic in bf16."""
    text = f"W: {dtype}[D, F]\nX: bf16[B, D]\nX[B, D] · W[D, F] -> Y[B, F]"
    (found,) = shardlang.crossover(text, "B", hardware="tpu-v5e", assume="B << D, F", sizes={"C": 197e12}).crossovers
    assert found.value == pytest.approx(197e12 * width / (2 * 8.2e11))


def test_sums_in_f32_travel_as_four_bytes():
    text = "A[I, J_X] · B[J_X, K] -> C[I, K]"
    plain, wide = (shardlang.roofline(text, reduce_dtype=dtype, topology="X=ring").total for dtype in (None, "f32"))
    assert levels(wide)["ici:X"].intensity * 2 == levels(plain)["ici:X"].intensity


def test_memories_are_one_mechanism():
    found = on("tpu-v5e", MATMUL, sizes={"B": 64, **SIZES}, roofs=("math", "hbm", "vmem", "pcie"))
    times = {roof: found.value(seconds) for roof, seconds in found.times.items()}
    moved = 2 * (64 * 8192 + 8192 * 32768 + 64 * 32768)
    assert times["hbm"] == pytest.approx(moved / 8.2e11)
    assert times["vmem"] == pytest.approx(moved / (22 * 8.2e11))
    assert times["pcie"] == pytest.approx(moved / 1.6e10)
    assert found.value(found.t_lower) == times["pcie"]
    assert found.value(found.t_upper) == pytest.approx(times["math"] + times["hbm"] + times["vmem"] + times["pcie"])
    assert rooflines(found)[1].binds == "pcie"
    assert {pair for pair, _ in found.conditions()} == {("math", "hbm"), ("math", "vmem"), ("math", "pcie")}


def test_nothing_to_compare():
    bare, total = rooflines(on(None, "A[B,D]"))
    assert [level.intensity for level in total.levels] == [None]
    assert (bare[0].binds, total.binds) == ("hbm", "hbm")
    assert rooflines(on(None, "A[B,D]", roofs=("math",)))[1].levels == ()
    with pytest.raises(UnknownSymbolError):
        rooflines(on(None, MATMUL), "Q")


def longest(found, roofs, sizes):
    values = {**found.values, **sizes}
    times = {roof.name: evaluate(roof.time, values) for roof in roofs}
    return max(times, key=lambda name: times[name]), times


@pytest.mark.parametrize("variable", ["B", "X", "Y", "D", "F", "B/X", "B/(X*Y)", "W_ici", "B^2/D"])
def test_ranges_in_order_are_where_the_longest_time_is(variable):
    draw = random.Random(variable)
    for _ in range(6):
        sizes = {name: 2 ** draw.randint(8, 18) for name in "BDF"}
        mesh = f"X={2 ** draw.randint(1, 6)},Y={2 ** draw.randint(1, 6)}"
        found = on("tpu-v5p", GATHERS, MATMUL, mesh=mesh, sizes=sizes)
        roofs, ranges = found.all_roofs(), rooflines(found, variable)[1].ranges
        first = sympy.Symbol(variable[0] if variable != "W_ici" else variable, positive=True)
        power = 2 if "^2" in variable else 1
        shape = read_formula(variable.replace("^", "**"), (symbol.name for symbol in found.values))
        rest = float((shape / first**power).subs(found.values))
        assert ranges[0].lower is None
        assert ranges[-1].upper is None
        for one, after in pairwise(ranges):
            assert one.upper_value == after.lower_value
        for one in ranges:
            low, high = one.lower_value or 1e-4, one.upper_value or 1e12
            for _ in range(4):
                at = low * (high / low) ** draw.uniform(0.02, 0.98)
                name, times = longest(found, roofs, {first: (at / rest) ** (1 / power)})
                assert times[name] == pytest.approx(times[one.roof], rel=1e-9)


@pytest.mark.parametrize("variable", ["B", "D", "X", "Y", "F"])
def test_what_a_range_requires_is_what_it_takes(variable):
    """With all sizes open: at many sizes, the roof whose needs hold is the longest, and there is one."""
    found = on("tpu-v5p", GATHERS, mesh="X,Y")
    roofs = found.all_roofs()
    ranges = Along(variable, found).ranges(roofs)
    symbol = sympy.Symbol(variable, positive=True)
    draw = random.Random(variable)
    for _ in range(300):
        sizes = {**{s: 2 ** draw.randint(0, 20) for s in (B, D, F)}, **{s: 2 ** draw.randint(1, 8) for s in (X, Y)}}
        values = {**found.values, **sizes}
        name, times = longest(found, roofs, sizes)
        if sorted(times.values())[-2] > 0.999 * times[name]:
            continue
        binds = []
        for one in ranges:
            low, high = (None if bound is None else evaluate(bound, values) for bound in (one.lower, one.upper))
            inside = (low is None or sizes[symbol] > low) and (high is None or sizes[symbol] < high)
            if inside and all(need.holds(values) for need in one.requires):
                binds.append(one.roof)
        assert binds == [name], (sizes, times)


def test_what_binds_while_sizes_are_open():
    found = on("tpu-v5p", GATHERS, mesh="X,Y")
    line = rooflines(found)[1]
    assert line.binds is None
    draw = random.Random(3)
    for _ in range(100):
        sizes = {**{s: 2 ** draw.randint(0, 20) for s in (B, D, F)}, **{s: 2 ** draw.randint(1, 8) for s in (X, Y)}}
        values = {**found.values, **sizes}
        name, times = longest(found, found.all_roofs(), sizes)
        if sorted(times.values())[-2] < 0.999 * times[name]:
            assert [roof for roof, needs in line.when if all(need.holds(values) for need in needs)] == [name]


def test_a_planted_bug_is_seen():
    """The conditions of another plan do not say which roof of this one binds."""
    found, other = on("tpu-v5p", GATHERS, mesh="X,Y"), on("tpu-v5p", GATHERS, mesh="X,Y", comms="sum")
    values = {**found.values, B: 2**14, D: 2**13, F: 2**14, X: 4, Y: 4}
    name, _ = longest(found, found.all_roofs(), {s: values[s] for s in (B, D, F, X, Y)})
    when = rooflines(other)[1].when
    assert [roof for roof, needs in when if all(need.holds(values) for need in needs)] != [name]


def test_a_gpu_sum_and_a_long_plan_come_back_soon():
    texts = [f"AllGather X: W{n}[D_X,F] -> W{n}[D,F]; Einsum D: A[B_X,D] W{n}[D,F] -> O{n}[B_X,F]" for n in range(300)]
    lines, total = rooflines(on("h100", *texts, mesh="X=8", sizes={"B": 4096, **SIZES}), "D")
    assert len(lines) == 300
    assert total.ranges
