"""Best splits: the book's formulas, and brute force over numbers."""

import itertools
import math
import random
import re

import pytest
import sympy

import shardlang
from shardlang.cost.optimum import Range, least, search
from shardlang.cost.posynomials import in_powers
from shardlang.cost.solving import Sizes
from shardlang.cost.splits import SplitError, every_way, read_split, ways
from shardlang.cost.values import evaluate

B, D, F, X, Y, N, M_X, M_Y, C, W_ICI = sympy.symbols("B D F X Y N M_X M_Y C W_ici", positive=True)
MIXED = "In[B_X,D_Y] ·_D W_in[D_X,F_Y] ·_F W_out[F_Y,D_X] -> Out[B_X,D_Y]"
SPANNED = {"X": "ring:M_X", "Y": "ring:M_Y"}
TWO_AND_ONE = {"X": "ring:2", "Y": "ring"}
STATIONARY = """
AllGather_{YZ}(In[B,D_{XYZ}]) -> In[B,D_X]
Tmp[B,F_{YZ}]{U_X} = In[B,D_X] ·_D W_in[D_X,F_{YZ}]
AllReduce_X(Tmp[B,F_{YZ}]{U_X}) -> Tmp[B,F_{YZ}]
Out[B,D_X]{U_{YZ}} = Tmp[B,F_{YZ}] ·_F W_out[F_{YZ},D_X]
ReduceScatter_{YZ,D}(Out[B,D_X]{U_{YZ}}) -> Out[B,D_{XYZ}]
"""
TENSOR = "In[B,D_{XYZ}] ·_D W_in[D,F_{XYZ}] ·_F W_out[F_{XYZ},D] -> Out[B,D_{XYZ}]"


def best(text=MIXED, split="X*Y = N", variable="X", **keywords):
    keywords = {"roofs": "math,ici", **keywords}
    report = shardlang.optimum(text, split, variable, **keywords)
    assert report.ok, report.diagnostics
    return report.optimum


def same(one, other):
    return sympy.simplify(one / other) == 1


# -- the book ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("comms", "factor", "kind"), [("max", 1, "crossing"), ("sum", 2, "stationary")])
def test_fsdp_with_tensor_parallelism(comms, factor, kind):
    """COST_MODEL section 11: X = sqrt(B M_X N/(F M_Y)) for both; compute-bound when B/N > (1 or 4) alpha²/(M_X M_Y F)."""
    found = best(topology=SPANNED, comms=comms, crossover="B/N")
    assert found.place.kind == kind
    assert same(found.formula, sympy.sqrt(B * M_X * N / (F * M_Y)))
    assert same(found.rest_formula, N / found.formula)
    assert same(found.objective, factor * 4 * D * sympy.sqrt(B * F / (N * M_X * M_Y)) / W_ICI)
    (crossover,) = found.crossovers
    assert (crossover.between, crossover.relation) == (("math", "ici"), ">")
    assert same(crossover.threshold, factor**2 * (C / W_ICI) ** 2 / (M_X * M_Y * F))
    (((_, condition)),) = found.conditions
    assert condition.text in (
        "B*F/N > C**2/(M_X*M_Y*W_ici**2)",
        "B*F/N > 4*C**2/(M_X*M_Y*W_ici**2)",
    )


def test_the_other_axis_has_the_rest():
    found = best(variable="Y", topology=SPANNED)
    assert same(found.formula, sympy.sqrt(F * M_Y * N / (B * M_X)))


@pytest.mark.parametrize(
    ("f", "comms", "devices", "asked", "wanted"),
    [
        (32768, "max", None, "B/N", 99.22027587890625),  # book: 99
        (13824, "max", None, "B/N", 235.18880208333334),  # 235
        (28672, "sum", None, "B/N", 453.57840401785717),  # 453
        (32768, "sum", 4096, "B", 1625625.0),  # 1.6M, the crossover of the 16x16x16 figure
    ],
)
def test_the_batch_from_which_the_mixed_scheme_is_compute_bound(f, comms, devices, asked, wanted):
    sizes = {"F": f, **({"N": devices} if devices else {})}
    found = best(topology=TWO_AND_ONE, hardware="tpu-v5p", comms=comms, sizes=sizes, crossover=asked)
    assert found.crossovers[0].value == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("sizes", "devices", "wanted", "split"),
    [
        ({"B": 48000, "F": 32768}, 64, 13.693063937629153, (16, 4)),  # book: 13.9, and 16 x 4
        ({"B": 3000000, "F": 13824}, 4096, 1333.3333333333333, (1024, 4)),  # 1333, and 1024 x 4
        ({"B": 4190000, "F": 28672}, 8960, 1618.2552332682258, (1792, 5)),  # 1618; 2048 x 4 are not 8960 chips
    ],
)
def test_the_split_of_the_book_and_the_whole_one_next_to_it(sizes, devices, wanted, split):
    for text, more in ((f"X*Y = {devices}", {}), ("X*Y = N", {"N": devices})):
        found = best(split=text, topology=TWO_AND_ONE, sizes={**sizes, **more})
        assert found.place.value == pytest.approx(wanted, rel=1e-12)
        assert found.rest_value == pytest.approx(devices / wanted, rel=1e-12)
        assert tuple(found.whole[0].sizes.values()) == split
        assert all(math.prod(one.sizes.values()) == devices for one in found.whole)


def test_two_dimensional_weight_stationary():
    """Book, inference: X = sqrt(ND/(2F)), 2B sqrt(8DF/N)/W in all; sqrt(128) BD/(sqrt(N) W) for F = 4D."""
    options = {"split": "X*Y*Z = N", "comms": "sum", "mesh": "X,Y,Z"}
    found = best(STATIONARY, **options)
    assert same(found.formula, sympy.sqrt(N * D / (2 * F)))
    assert same(found.objective, 2 * B * sympy.sqrt(8 * D * F / N) / W_ICI)
    assert [axis.name for axis in found.rest] == ["Y", "Z"]
    wide = best("let F = 4*D\n" + STATIONARY, **options)
    assert same(wide.objective, sympy.sqrt(128) * B * D / (sympy.sqrt(N) * W_ICI))


@pytest.mark.parametrize(("let", "wanted"), [("", 18 * F / D), ("let F = 4*D\n", sympy.Integer(72))])
def test_when_it_beats_tensor_parallelism_over_three_axes(let, wanted):
    """Book: 4BD/(3W) against the optimum: N > 18 F/D, and 72 for F = 4D."""
    found = best(let + STATIONARY, "X*Y*Z = N", comms="sum", mesh="X,Y,Z", against=TENSOR, crossover="N")
    (crossover,) = found.crossovers
    assert (crossover.between, crossover.relation) == (("against", "plan"), ">")
    assert same(crossover.threshold, wanted)


@pytest.mark.parametrize("mesh", ["X=1,Y=64", "X=64,Y=1", "X=4,Y=16", "X=16,Y=4"])
@pytest.mark.parametrize("where", ["mesh", "sizes", "text"])
def test_sizes_that_the_axes_have_say_only_how_many_devices_there_are(mesh, where):
    """On v5e an axis is a ring at 16 alone, and an axis of 1 costs nothing: neither is so of the axes that are sought."""
    sizes = {"B": 4096, "D": 8192, "F": 32768}
    options = {"mesh": {"mesh": mesh}, "sizes": {"mesh": "X,Y"}, "text": {}}[where]
    if where == "sizes":
        sizes |= {axis: int(size) for axis, size in (part.split("=") for part in mesh.split(","))}
    text = f"mesh {mesh}\n{MIXED}" if where == "text" else MIXED
    for split in ("X*Y", "X*Y = 64"):
        found = best(text, split, sizes=sizes, hardware="tpu-v5e", **options)
        assert same(found.formula, 8 * sympy.sqrt(B / F))
        assert same(found.objective, 4 * D * sympy.sqrt(B * F / 64) / W_ICI)
        assert found.place.value == pytest.approx(8 * math.sqrt(4096 / 32768))


def test_every_roof_that_counts_is_compared_at_the_optimum():
    """At X = sqrt(BN/F) a device streams 4BD/X + 4DF/Y + 4BF/N bytes, over PCIe as from HBM."""
    found = best(roofs="math,ici,pcie", crossover="D")
    assert [between for between, _ in found.conditions] == [("math", "ici"), ("math", "pcie")]
    asked = {one.between for one in (*found.crossovers, *found.uncrossed)}
    assert asked == {("math", "ici"), ("math", "pcie"), ("pcie", "ici")}


def test_what_follows_from_leading_terms_says_so():
    options = {"model": "exact", "crossover": "B/N"}
    assert not best(roofs="math,ici", crossover="B/N").shortened
    found = best(assume="1 << X, Y", **options)
    assert same(found.formula, sympy.sqrt(B * N / F))  # of the exact form, whose factors (X-1)/X are like 1
    assert found.shortened
    assert [one.shortened for one in found.crossovers] == [True]
    against = best(assume="1 << X, Y", against="AllGather_{XY}(W[D_{XY},F]) -> W[D,F]", **options)
    assert [one.shortened for one in against.crossovers] == [True]


# -- brute force -------------------------------------------------------------------------------------


def _known(chance):
    sizes = {"B": 2 ** chance.randint(8, 22), "D": 2 ** chance.randint(9, 14), "F": 2 ** chance.randint(9, 16)}
    devices = 2 ** chance.randint(2, 13) * chance.choice([1, 1, 3, 5])
    return sizes, devices


PLANS = {
    "mixed": MIXED,
    "up": "In[B_X,D_Y] ·_D W_in[D_X,F_Y] -> H[B_X,F_Y]",
    "reduce": "AllReduce_Y(H[B_X,F]{U_Y}) -> H[B_X,F]\nAllGather_X(W[D_X,F_Y]) -> W[D,F_Y]",
    "one axis": "AllGather_X(W[D_X,F_Y]) -> W[D,F_Y]",
    "data": "AllGather_X(W[D_X,F_Y]) -> W[D,F_Y]\nAllGather_X(V[B_X,F_Y]) -> V[B,F_Y]\nAllGather_Y(Z[B_X,D_Y]) -> Z[B_X,D]",
}


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("of", ["t_comms", "t_lower", "t_upper"])
@pytest.mark.parametrize("options", [{}, {"comms": "sum"}, {"model": "exact"}, {"latency": True}], ids=str)
def test_nothing_on_a_fine_grid_is_better_than_the_optimum(name, of, options):
    chance = random.Random(f"{name}{of}{options}")
    for _ in range(4):
        sizes, devices = _known(chance)
        keywords = {"sizes": sizes, "hardware": "tpu-v5p", "roofs": "math,ici,hbm", "mesh": "X,Y", **options}
        report = shardlang.optimum(PLANS[name], f"X*Y = {devices}", "X", of=of, **keywords)
        found, estimate = report.optimum, report.cost.estimate
        if found.place is None:
            assert "same for every split" in found.problem, found.problem
            continue
        # hops are counted as half the axis, which an odd number of devices is not
        time = getattr(estimate, of).replace(sympy.ceiling, lambda half: half)

        def height(x, time=time, estimate=estimate, devices=devices):
            return evaluate(time, {**estimate.values, X: x, Y: devices / x})

        grid = [devices ** (at / 400) for at in range(401)]
        at_optimum = height(found.place.value)
        assert 1 <= found.place.value <= devices
        assert at_optimum <= min(map(height, grid)) * (1 + 1e-6), (sizes, devices, found.place)
        if not found.assumes:
            assert found.seconds == pytest.approx(at_optimum, rel=1e-9)
        if found.formula is not None:
            known = {**estimate.values, N: devices}
            assert evaluate(found.formula, known) == pytest.approx(found.place.value, rel=1e-9)


def _sum(chance, letters):
    return sum(
        (
            chance.choice(letters)
            * chance.randint(1, 9)
            * X ** sympy.Rational(chance.randint(-4, 4), chance.randint(1, 2))
        )
        for _ in range(chance.randint(1, 3))
    )


@pytest.mark.parametrize("seed", range(60))
def test_the_largest_of_random_sums_of_powers(seed):
    """Convex in log X: whatever the pieces, the place that is found is least on a grid."""
    chance = random.Random(seed)
    letters = (B, D, F, sympy.Integer(1))
    values = {symbol: float(2 ** chance.randint(-6, 12)) for symbol in (B, D, F)}
    parts = [_sum(chance, letters) for _ in range(chance.randint(1, 4))]
    time = sympy.Max(*parts)
    sizes = Sizes(frozenset({B, D, F, X}), frozenset({X}))
    powers = in_powers(time, X, {})
    place = least(powers, Range(X, sympy.Integer(1000)), values, sizes)

    def height(x):
        return evaluate(time, {**values, X: x})

    lowest = min(height(1000 ** (at / 500)) for at in range(501))
    if place is None:
        assert height(1) == pytest.approx(lowest)
    else:
        assert height(place.value) <= lowest * (1 + 1e-6), (time, place)


@pytest.mark.parametrize("seed", range(20))
def test_the_whole_splits_are_all_of_them_in_order(seed):
    chance = random.Random(seed)
    sizes, devices = _known(chance)
    found = best(split=f"X*Y = {devices}", sizes=sizes, hardware="tpu-v5p")
    divisors = {at for at in range(1, devices + 1) if devices % at == 0}
    assert {one.sizes[X] for one in found.whole} == divisors
    assert [one.value for one in found.whole] == sorted(one.value for one in found.whole)
    for one in found.whole:
        x, y = one.sizes[X], one.sizes[Y]
        wrong = {d for d, n in (("B", x), ("D", x), ("D", y), ("F", y)) if sizes[d] % n}
        assert set(one.uneven) == wrong
        least = found.seconds if found.existing.slower_than == "optimum" else found.whole[0].value
        assert one.slower == pytest.approx(max(0.0, one.value / least - 1), abs=1e-9)


def test_what_factors_out_may_stay_open():
    """Without D and a chip there are no seconds, but it is known how much slower each split is."""
    found = best(split="X*Y = 64", topology=TWO_AND_ONE, sizes={"B": 48000, "F": 32768})
    assert found.seconds is None
    assert {one.value for one in found.whole} == {None}
    # 4DFX/(2·64·W) against 4BD/(XW): at X = 16 the gathers of weights count, at 8 those of activations.
    slower = {one.sizes[X]: one.slower for one in found.whole}
    unrounded = math.sqrt(48000 * 32768 / 128)
    assert slower[16] == pytest.approx(32768 * 16 / 128 / unrounded - 1)
    assert slower[8] == pytest.approx(48000 / 8 / unrounded - 1)


def test_several_axes_take_sizes_that_divide():
    sizes = {"B": 64, "D": 4096, "F": 3 * 1024}
    found = best(STATIONARY, "X*Y*Z = 96", comms="sum", mesh="X,Y,Z", sizes=sizes, hardware="tpu-v5p")
    assert all(math.prod(one.sizes.values()) == 96 for one in found.whole)
    assert [one.uneven for one in found.whole if one.sizes[X] == 32] == [("D",)]


# -- ends, what is open, what is asked wrongly -------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "missing"), [({"N": 64}, "give T_min"), ({"T_min": 1e-6}, "give N"), ({}, "give T_min, N")]
)
def test_a_search_by_numbers_says_which_are_missing(given, missing):
    """log2 of the axis is no power of it, and the chip states no latency."""
    sizes = {"B": 64, "D": 4096, "F": 4096, **given}
    assert best(sizes=sizes, hardware="h100", latency=True).problem.endswith(missing)


def test_the_end_of_the_range_counts_where_the_formula_lies_beyond_it():
    found = best(split="X*Y = 16", sizes={"B": 2**24, "D": 128, "F": 128}, hardware="tpu-v5p")
    assert (found.place.value, found.place.clipped) == (16, True)
    assert found.formula == 16
    assert found.rest_value == 1
    assert found.seconds == pytest.approx(4 * 2**24 * 128 / 16 / 1.8e11)
    assert evaluate(found.place.formula, {B: 2**24, F: 128}) > 16
    small = best(split="X*Y = N", sizes={"B": 16, "D": 128, "F": 2**20, "N": 16}, hardware="tpu-v5p")
    assert (small.place.value, small.place.clipped, small.formula) == (1, True, 1)


def test_a_time_that_only_falls_is_least_at_an_end():
    found = best("AllGather_X(W[D_X,F_Y]) -> W[D,F_Y]", split="X*Y = N")  # 2DF/(Y W) with Y = N/X
    assert (found.place.kind, found.formula) == ("end", 1)
    other = best("AllGather_Y(W[D_X,F_Y]) -> W[D_X,F]", split="X*Y = N")
    assert (other.place.kind, other.formula) == ("end", N)


@pytest.mark.parametrize(
    ("text", "keywords", "words"),
    [
        ("AllGather_{XY}(W[D_{XY},F]) -> W[D,F]", {}, "the same for every split of X·Y = N"),
        ("A[B_X,D_Y]", {"mesh": "X,Y"}, "nothing in this plan takes that time"),
        (MIXED, {"of": "t_lower", "roofs": "math,ici,hbm"}, "give B, C, D, F, N, W_hbm, W_ici"),
        (MIXED, {"model": "exact", "latency": True}, "give B, D, F, N, T_min, W_ici"),
    ],
)
def test_what_has_no_optimum_says_why(text, keywords, words):
    found = best(text, **keywords)
    assert found.place is None
    assert words in found.problem


def test_axes_that_count_one_by_one_are_not_one_product():
    text = "AllGather_X(W[D_X,F_Y]) -> W[D,F_Y]\nAllGather_Z(V[B_Z,F_X]) -> V[B,F_X]"
    found = best(text, split="X*Y*Z = N", mesh="X,Y,Z")
    assert found.place is None
    assert "depends on Y and Z one by one" in found.problem


@pytest.mark.parametrize(
    ("split", "variable", "words"),
    [
        ("X*Q = N", "X", "no symbol `Q`"),
        ("X*B = N", "X", "`B` is no mesh axis of the plan"),
        ("X = N", "X", "expected mesh axes"),
        ("X/Y = N", "X", "expected mesh axes"),
        ("X*Y = 0", "X", "`0` is no number of devices"),
        ("X*Y = 2*N", "X", "`2*N` is no number of devices"),
        ("X*Y", "X", "how many devices there are is open"),
        ("X*Y = X", "X", "`X` is one of the axes"),
        ("X*Y = N", "B", "`B` is no axis of the split; it has `X`, `Y`"),
        ("X*Y = N", "X/Y", "is no axis of the split"),
    ],
)
def test_what_is_no_split_is_a_ratio_error(split, variable, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        shardlang.optimum(MIXED, split, variable)


def test_the_axes_themselves_are_not_asked_for():
    with pytest.raises(ValueError, match="is what the split is solved for"):
        best(crossover="B/X")


def test_where_numbers_chose_the_place_nothing_is_solved_for_other_sizes():
    sizes = {"B": 2**20, "D": 8192, "F": 32768}
    found = best(split="X*Y = 64", of="t_lower", sizes=sizes, hardware="tpu-v5p", crossover="B", roofs="math,ici,hbm")
    assert found.place.numbers
    assert found.crossovers == ()
    assert "no formula that holds for other sizes" in found.problem


def test_a_name_of_the_plan_is_that_size():
    """X·Y = D is the dimension D; no number of devices is called as a rate of the plan is."""
    found = best(split="X*Y = D", topology=SPANNED)
    assert same(found.formula, sympy.sqrt(B * M_X * D / (F * M_Y)))
    with pytest.raises(ValueError, match="C is the peak rate: call the number of devices N"):
        best(split="X*Y = C", topology=SPANNED)


def test_the_sizes_of_the_mesh_are_the_devices_where_none_are_given():
    found = best(split="X*Y", mesh="X=16,Y=4", sizes={"B": 48000, "F": 32768, "D": 4096})
    assert found.split.devices == 64


def test_search_finds_the_least_by_values_alone():
    assert search(lambda x: (math.log(x) - 1) ** 2 + 3, 100.0) == pytest.approx(math.e, rel=1e-5)
    assert search(lambda x: None, 100.0) is None


def test_splits_are_read_with_the_signs_of_the_notation():
    estimate = shardlang.cost(MIXED).estimate
    for text in ("X*Y = 64", "X·Y=64", " Y × X = 64 "):
        assert read_split(text, estimate).devices == 64
    with pytest.raises(SplitError):
        read_split("X*X = 64", estimate)
    assert len(ways(read_split("X*Y = 64", estimate), X, estimate)) == 7
    assert ways(read_split(f"X*Y = {10**9}", estimate), X, estimate) == ()


@pytest.mark.parametrize(("count", "axes"), [(64, 3), (60, 3), (210, 4), (16, 5), (7, 2)])
@pytest.mark.parametrize("ones", [True, False])
def test_every_way_is_found_once(count, axes, ones):
    """Against all products of divisors."""
    names = [f"X{at}" for at in range(axes)]
    text = f"A[{', '.join(f'I{at}_{name}' for at, name in enumerate(names))}] = relu(B[{', '.join(f'I{at}_{name}' for at, name in enumerate(names))}])"
    estimate = shardlang.cost(text).estimate
    found = every_way(read_split(f"{'*'.join(names)}={count}", estimate), estimate, 10_000, ones)
    divisors = [at for at in range(1 if ones else 2, count + 1) if count % at == 0]
    expected = {sizes for sizes in itertools.product(divisors, repeat=axes) if math.prod(sizes) == count}
    made = [tuple(way.sizes.values()) for way in found]
    assert len(made) == len(set(made))
    assert set(made) == expected


def test_many_axes_on_few_prime_factors_take_no_time():
    axes = "ABCDEFGHIJKL"
    dims = ", ".join(f"{axis}{axis}_{axis}" for axis in axes)
    estimate = shardlang.cost(f"P[{dims}] = relu(Q[{dims}])").estimate
    split = read_split(f"{'*'.join(axes)}=720720", estimate)
    assert every_way(split, estimate, 10, ones=False) == ()  # ten prime factors
    assert every_way(split, estimate, 10) is None


def _compute_bound_from(devices, given, variable, rate, speed):
    """Return the least value of a size from which arithmetic takes longer than communication at its best split, by search.

    Worked out by hand: two products, 4·B·D·F/N FLOPs; the gathers along X and Y move 4·B·D/X and 4·D·F/Y bytes.
    """

    def ahead(value):
        sizes = {**given, variable: value}
        math = 4 * sizes["B"] * sizes["F"] / (devices * rate)
        splits = (devices ** (step / 4000) for step in range(4001))
        return math > min(max(4 * sizes["B"] / at, 4 * sizes["F"] * at / devices) / speed for at in splits)

    low, high = 1.0, 1e12
    if not ahead(high):
        return None
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if ahead(middle) else (middle, high)
    return high


@pytest.mark.parametrize("axis", ["X", "Y"])
@pytest.mark.parametrize(
    ("devices", "given", "variable"),
    [
        (64, {"F": 8192}, "B"),  # between the ends
        (2, {"F": 8192}, "B"),  # beyond the end, at which all devices are on one axis
        (4, {"B": 100_000}, "F"),
        (64, {"B": 8192}, "F"),
        (64, {"F": 1024}, "B"),  # never
    ],
)
def test_crossovers_at_the_best_split_keep_to_its_range(axis, devices, given, variable):
    rate, speed = 4.59e14, 1.8e11  # C and W_ici of TPU v5p
    report = shardlang.optimum(
        MIXED,
        "X*Y = N",
        axis,
        crossover=variable,
        hardware="tpu-v5p",
        roofs="math,ici",
        sizes={**given, "N": devices, "D": 64},
    )
    expected = _compute_bound_from(devices, given, variable, rate, speed)
    found = [one.value for one in report.optimum.crossovers if all(held is not False for held in one.requires_hold)]
    assert found == ([] if expected is None else [pytest.approx(expected, rel=2e-3)])
    assert bool(report.optimum.uncrossed) == (expected is None)


def test_a_crossover_at_the_best_split_requires_that_it_is_inside():
    found = shardlang.optimum(MIXED, "X*Y = N", "X", crossover="B", roofs="math,ici").optimum.crossovers[0]
    # At B = N·C²/(F·W²) the best X = sqrt(B·N/F) is N·C/(F·W): at least 1 and at most N.
    assert set(found.requires) == {"F/N < C/W_ici", "F > C/W_ici"}
    assert found.otherwise is None
