"""Crossovers in the size of a mesh axis hold at the whole sizes on both sides, by the price of the plan on these meshes."""

import math

import pytest

import shardlang
from shardlang.cost.checked import neighbours

TENSOR = """
AllGather_Y In[B, D_Y] -> In[B, D]
In[B, D] · W_in[D, F_Y] -> H[B, F_Y]
H[B, F_Y] · W_out[F_Y, D] -> Out[B, D]{U_Y}
ReduceScatter_{Y,D} Out[B, D]{U_Y} -> Out[B, D_Y]
"""
WHOLE = 720720  # what every size up to 16 divides
SIZES = {"B": 4096, "D": WHOLE}


def solve(f, **keywords):
    return shardlang.crossover(TENSOR, "Y", sizes={**SIZES, "F": f}, roofs="math,ici", **keywords)


def bound_by_math(y, f, **keywords):
    report = shardlang.cost(TENSOR, mesh={"Y": y}, sizes={**SIZES, "F": f}, roofs="math,ici", **keywords)
    assert report.ok, report.diagnostics
    return report.value(report.t_math) > report.value(report.t_comms)


@pytest.mark.parametrize("model", ["book", "exact"])
@pytest.mark.parametrize("hardware", ["tpu-v5e", "tpu-v5p", "tpu-v6e", "h100", "b200"])
@pytest.mark.parametrize("f", [27720, 30030, 55440])
def test_an_answer_holds_on_both_sides_or_says_that_it_does_not(f, hardware, model):
    report = solve(f, hardware=hardware, model=model)
    first = report.crossovers[0]
    checked = 0
    for size in neighbours(first.value):
        if f % size or WHOLE % size:
            continue
        checked += 1
        said = size < first.value if first.relation == "<" else size > first.value
        if first.consistent:
            assert bound_by_math(size, f, hardware=hardware, model=model) == said
    if not first.consistent:
        assert not first.exact
        assert "SL508" in [finding.code for finding in report.diagnostics]
        told = next(finding.message for finding in report.diagnostics if finding.code == "SL508")
        wrong = [int(n) for n in told.split("at Y = ")[1].split(" (")[0].split(", ") if n.isdigit()]
        for size in (n for n in wrong if f % n == 0 and WHOLE % n == 0):
            assert bound_by_math(size, f, hardware=hardware, model=model) != (size < first.value)
    assert checked or first.value > 16


def test_a_v5e_below_16_is_a_line():
    """Twice V/W on a line, so that the bound is F·W/(2·C) + 1 and not F·W/C; 16 alone would be a ring."""
    (found,) = solve(28672, hardware="tpu-v5e").crossovers
    assert found.value == pytest.approx(28672 * 9e10 / (2 * 1.97e14) + 1)
    assert found.exact
    assert found.assumes == ("Y is a line",)


def test_both_answers_where_sizes_of_both_kinds_are_near():
    """A v5p wraps around on multiples of 4: at 8 as a ring has it, at 7 and 9 as a line has it."""
    report = solve(28672, hardware="tpu-v5p")
    line, ring = report.crossovers
    assert line.value == pytest.approx(28672 * 1.8e11 / (2 * 4.59e14) + 1)
    assert ring.value == pytest.approx(28672 * 1.8e11 / 4.59e14)
    assert [one.assumes for one in (line, ring)] == [("Y is a line",), ("Y is a ring",)]
    (finding,) = report.diagnostics
    assert finding.code == "SL508"
    assert "otherwise at Y = 8 (at 8 Y is a ring)" in finding.message


def test_gpus_beyond_a_node_have_no_one_formula():
    report = solve(28672, hardware="h100")
    (found,) = report.crossovers
    assert (found.consistent, found.exact) == (False, False)
    assert report.to_dict()["crossovers"][0]["consistent"] is False
    assert math.floor(found.value) > 8


@pytest.mark.parametrize(
    "keywords",
    [
        {"topology": {"Y": "ring"}, "hardware": "tpu-v5e"},
        {"topology": {"Y": "ring:3"}, "hardware": "tpu-v5p"},
        {"hardware": None},
        {"topology": {"Y": "node"}, "hardware": "h100"},
    ],
    ids=str,
)
def test_what_is_said_of_the_links_stays(keywords):
    report = solve(28672, **keywords)
    assert report.diagnostics == ()
    (found,) = report.crossovers
    assert (found.exact, found.consistent, found.assumes) == (True, True, ())


def test_with_numbers_open_the_formula_stays():
    report = shardlang.crossover(TENSOR, "Y", hardware="tpu-v5e", roofs="math,ici")
    (found,) = report.crossovers
    assert (found.value, found.exact, found.consistent) == (None, True, True)
    assert report.diagnostics == ()


def test_a_size_or_a_ratio_is_not_asked_for_links():
    report = shardlang.crossover(TENSOR, "F/Y", hardware="tpu-v5e", roofs="math,ici", sizes=SIZES)
    assert report.diagnostics == ()
    assert report.crossovers[0].exact


def test_the_ranges_of_a_roofline_say_where_they_are_for_other_links():
    options = {"sizes": {**SIZES, "F": 28672}, "roofs": "math,ici"}
    report = shardlang.roofline(TENSOR, "Y", hardware="tpu-v5e", **options)
    assert "SL508" in [finding.code for finding in report.diagnostics]
    assert not any(one.exact for one in report.total.ranges)
    stated = shardlang.roofline(TENSOR, "Y", hardware="tpu-v5e", topology={"Y": "ring"}, **options)
    assert stated.diagnostics == ()
    assert all(one.exact for one in stated.total.ranges)


@pytest.mark.parametrize("hardware", ["tpu-v5e", "tpu-v5p", "h100"])
def test_two_plans_are_compared_on_the_links_next_to_the_crossover(hardware):
    """A product cut over Y after a gather, and one cut over Z: at Y = 6 there are lines, or the network beyond a node."""
    text = "AllGather_Y In[B, D_Y] -> In[B, D]\nIn[B, D] · W_in[D, F_Y] -> H[B, F_Y]"
    other = "In[B_Z, D] · W_in[D, F] -> H[B_Z, F]"
    keywords = {"hardware": hardware, "sizes": {"B": WHOLE, "D": WHOLE, "F": 27720}, "roofs": "math,ici"}
    report = shardlang.crossover(text, "Y", against=other, mesh="Y,Z=4", of="t_upper", **keywords)
    (found,) = report.crossovers
    wrong = []
    for size in neighbours(found.value):
        mesh = {"Y": size, "Z": 4}
        mine, theirs = (shardlang.cost(plan, mesh=mesh, **keywords) for plan in (text, other))
        less = mine.value(mine.t_upper) < theirs.value(theirs.t_upper)
        wrong += [size] if less != (size > found.value) else []
    assert wrong
    assert (found.consistent, found.exact) == (False, False)
    (finding,) = (one for one in report.diagnostics if one.code == "SL508")
    assert f"otherwise at Y = {', '.join(map(str, wrong))} (at" in finding.message
    stated = shardlang.crossover(
        text, "Y", against=other, mesh="Y,Z=4", of="t_upper", topology="Y=ring,Z=ring", **keywords
    )
    assert all(one.consistent and one.exact for one in stated.crossovers)


@pytest.mark.parametrize(
    ("value", "sizes"), [(5.2, (5, 6)), (7.0, (6, 8)), (1.0, (2,)), (0.4, (1,)), (7.0000000001, (6, 8))]
)
def test_the_whole_sizes_next_to_a_threshold(value, sizes):
    assert neighbours(value) == sizes


REDUCE = "A[B,D_X] ·_LOCAL W[D_X,F] -> C[B,F]{U_X}\nAllReduce_X C[B,F]{U_X} -> C[B,F]"
SCATTER = (
    "AllToAll_{X,D} A[B_X,D] -> A[B,D_X]\nA[B,D_X] ·_LOCAL W[D_X,F] -> C[B,F]{U_X}\n"
    "ReduceScatter_{X,B} C[B,F]{U_X} -> C[B_X,F]"
)


def test_both_ends_of_a_range_are_looked_at():
    """The formulas take rings; an odd size beyond the upper end is a line, on which the comparison is another."""
    options = {"sizes": {"B": 720720, "D": 65520, "F": 8192}, "hardware": "tpu-v5p", "of": "t_lower", "latency": True}
    report = shardlang.crossover(REDUCE, "X", against=SCATTER, **options)
    (found,) = report.crossovers
    assert found.value < 9 < 262342 < found.until_value < 262343
    assert [found.covers(size) for size in (8, 9, 262342, 262343, 10**6)] == [False, True, True, False, False]
    assert not found.consistent
    (finding,) = (finding for finding in report.diagnostics if finding.code == "SL508")
    assert "8.566 < X < 262" in finding.message
    assert "otherwise at X = 262343 (at 262343 X is a line)" in finding.message
    smaller = {**options, "sizes": {"B": 4096, "D": 65536, "F": 8192}}
    (holds,) = shardlang.crossover(REDUCE, "X", against=SCATTER, **smaller).crossovers
    assert holds.consistent
    assert not holds.covers(math.ceil(holds.until_value))
