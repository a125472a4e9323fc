"""Ranges in which one sum exceeds another: by hand, and by putting numbers in."""

import math
import random

import pytest
import sympy

import shardlang
from shardlang.cost.exceeding import Unknown, solve_times
from shardlang.cost.ranges import positive_ranges
from shardlang.cost.solving import ALWAYS, NEVER, Sizes
from shardlang.cost.ties import lead
from shardlang.cost.values import evaluate
from shardlang.reports.tables import crossover_text

B, C, W = sympy.symbols("B C W", positive=True)
REDUCE = "A[B,D_X] ·_LOCAL W[D_X,F] -> C[B,F]{U_X}\nAllReduce_X C[B,F]{U_X} -> C[B,F]"
SCATTER = (
    "AllToAll_{X,D} A[B_X,D] -> A[B,D_X]\nA[B,D_X] ·_LOCAL W[D_X,F] -> C[B,F]{U_X}\n"
    "ReduceScatter_{X,B} C[B,F]{U_X} -> C[B_X,F]"
)
COLUMNS = "In[B,D] ·_LOCAL W[D,F_{XY}] -> H[B,F_{XY}]\nAllGather_{XY} H[B,F_{XY}] -> H[B,F]"
FSDP = "AllGather_X W[D_X,F] -> W[D,F]\nIn[B_X,D] ·_LOCAL W[D,F] -> H[B_X,F]"


@pytest.mark.parametrize(
    ("function", "ranges"),
    [
        (lambda x: x - 5, [(5, None)]),
        (lambda x: (x - 2) * (9 - x), [(2, 9)]),
        (lambda x: (x - 2) * (x - 9), [(None, 2), (9, None)]),
        (lambda x: (x - 7) * (7.01 - x), [(7, 7.01)]),  # narrower than the grid
        (lambda x: max(x - 8, 0.0), [(8, None)]),
        (lambda x: 1.0, [(None, None)]),
        (lambda x: 0.0, []),
    ],
)
def test_ranges_of_functions_whose_roots_are_known(function, ranges):
    found = positive_ranges(function, 1e-6, 1e18)
    flat = [end for pair in found for end in pair]
    assert flat == [end if end is None else pytest.approx(end) for pair in ranges for end in pair]


def test_a_tie_is_one_of_fractions_and_not_of_floating_point():
    third = sympy.Rational(1, 3)
    assert lead(B * third + B * third + B * third * C, B * (2 + C) * third, {B: 0.1, C: 1.0}) == 0
    assert lead(B + 1, B, {B: 1e17}) > 0  # 1e17 + 1 is 1e17 in floating point
    assert lead(B, B + 1, {B: 1e17}) < 0
    assert lead(B, C, {B: 1.0}) is None


def _says(solutions, values, at):
    if solutions in ([ALWAYS], [NEVER]):
        return solutions == [ALWAYS]
    held = False
    for one in solutions:
        assert all(condition.holds({**values, B: at}) for condition in one.requires)
        low, high = (None if end is None else evaluate(end, values) for end in (one.threshold, one.until))
        held |= at < low if one.relation == "<" else at > low and (high is None or at < high)
    return held


def test_with_numbers_the_ranges_are_those_in_which_the_first_is_larger():
    draw = random.Random(5)

    def total():
        return sum(
            draw.choice((1, 2, 3, 5)) * B ** draw.choice((-2, -1, 0, 1, 2)) / draw.choice((C, W))
            for _ in range(draw.randint(1, 3))
        )

    ranges = several = 0
    for _ in range(50):
        first, second, both = (sympy.Max(total(), total()) for _ in range(3))
        if draw.random() < 0.4:  # then the two are equal in some range
            first, second = sympy.Max(first, both), sympy.Max(second, both)
        values = {C: draw.choice((1.0, 7.0, 100.0)), W: draw.choice((1.0, 2.5, 33.0))}
        found = solve_times(first, second, Unknown(B, {}, Sizes(frozenset((B,)), frozenset())), values)
        ranges += any(one.until is not None for one in found)
        several += len(found) > 1
        for at in (10 ** draw.uniform(-4, 6) for _ in range(40)):
            one, other = (evaluate(time, {**values, B: at}) for time in (first, second))
            if not math.isclose(one, other, rel_tol=1e-9):
                assert _says(found, values, at) == (one > other), (first, second, values, at, found)
    assert ranges
    assert several


def test_two_plans_that_need_the_same_in_a_range_cross_only_at_its_end():
    """Up to D = 2F·X the reduction of C is the peak of both, 4BF + ... bytes; what A takes beyond that is less in one."""
    options = {"against": SCATTER, "of": "memory", "mesh": {"X": 2}, "sizes": {"B": 4096, "F": 8192}}
    (found,) = shardlang.crossover(REDUCE, "D", **options).crossovers
    assert (found.relation, found.until) == (">", None)
    mine, theirs = (shardlang.cost(text, mesh={"X": 2}, sizes={"B": 4096, "F": 8192}) for text in (REDUCE, SCATTER))
    for at in (5500, 8000, 16000, found.value * 0.999, found.value * 1.001):
        one, other = (float(report.sweep(report.memory, {"D": at})) for report in (mine, theirs))
        assert (one < other) == (at > found.value)
        assert one == other or at > found.value


def test_a_range_has_two_ends_in_the_report_and_its_json():
    options = {"hardware": "h100", "mesh": {"X": 16, "Y": 2}, "comms": "sum", "model": "exact"}
    sizes = {"D": 8192, "F": 512}
    report = shardlang.crossover(REDUCE, "B", against=COLUMNS, sizes=sizes, **options)
    (found,) = report.crossovers
    mine, theirs = (shardlang.cost(text, sizes=sizes, **options) for text in (REDUCE, COLUMNS))
    for factor, inside in ((0.999, False), (1.001, True)):
        for end, holds in ((found.value, inside), (found.until_value, not inside)):
            at = end * factor
            one, other = (float(priced.sweep(priced.t_lower, {"B": at})) for priced in (mine, theirs))
            assert (one < other) == holds
            assert found._replace(here=at).holds_here == holds
    (entry,) = report.to_dict()["crossovers"]
    assert (entry["relation"], entry["value"], entry["until"]["value"]) == (">", found.value, found.until_value)


@pytest.mark.parametrize(("hbm", "links", "longer"), [(1e11, 2e11, "first"), (2e11, 1e11, None)])
def test_what_a_crossing_needs_is_not_what_the_first_needs_to_be_longer(hbm, links, longer):
    """2(BD/X + DF + BF/X)/W_hbm against 2DF/W_ici: with the slower HBM it is longer for every B."""
    rates = {"W_hbm": hbm, "W_ici": links}
    report = shardlang.crossover(FSDP, "B", roofs="hbm,ici", sizes=rates).to_dict()
    assert [entry["longer"] for entry in report["uncrossed"]] == ([longer] if longer else [])
    assert len(report["crossovers"]) == (0 if longer else 1)
    (free,) = shardlang.crossover(FSDP, "B", roofs="hbm,ici").crossovers
    assert (free.otherwise, free.alternative.text) == (True, "W_hbm < W_ici")


def test_a_roof_that_binds_everywhere_says_so():
    """C/W_hbm = 240 on v5e: with 128 columns a product takes at most 128 FLOPs a byte."""
    report = shardlang.roofline("X[B,D] · W[D,F] -> Y[B,F]", "B", hardware="tpu-v5e", assume="B << D", sizes={"F": 128})
    (only,) = report.total.ranges
    assert (only.roof, only.lower, only.upper, only.requires) == ("hbm", None, None, ())


def test_a_condition_of_the_other_links_is_solved_for_the_variable_too():
    """A gather over X of 2EG bytes is hidden where 2BDF/(XYC) > 2EG/W: Y < BDF·W/(X·C·E·G), on v5p W/C = 1/2550."""
    text = "AllGather_X V[E_X,G] -> V[E,G]\nIn[B_X,D_Y] · W[D,F_Y] -> T[B_X,F_Y]"
    sizes = {"B": 65536, "D": 8192, "F": 32768, "E": 4096, "G": 4096}
    report = shardlang.crossover(text, "Y", hardware="tpu-v5p", roofs="math,ici", sizes=sizes, mesh={"X": 4, "Y": None})
    (found,) = (one for one in report.crossovers if one.between == ("math", "ici:Y"))
    (((bound,)),) = found.bounds
    assert (bound.variable, bound.relation, bound.until) == ("Y", "<", None)
    assert bound.value == pytest.approx(65536 * 8192 * 32768 / (4 * 2550 * 4096 * 4096))
    assert "that is" in crossover_text(report)
