"""Other plans of a statement: prices, the condition under which one wins, and whether it wins here."""

import random

import pytest
import sympy

from shardlang.cost.conditions import compare
from shardlang.cost.estimate import estimate
from shardlang.cost.exact import exact_condition
from shardlang.cost.text import formula
from shardlang.pricing import find_hardware, machine_for
from shardlang.rules.plan import Alternative
from shardlang.semantics.inequality import Bounds, less
from shardlang.semantics.polynomial import of
from shardlang.semantics.size import Symbol, axis_symbol, dim_symbol
from tests.cost.plans import plan, statement

B, D, F, X, Y, C, W_ICI, J, K = sympy.symbols("B D F X Y C W_ici J K", positive=True)
SIZES, AXES = frozenset((B, D, F, J, K, X, Y)), frozenset((X, Y))

GATHER = "AllGather X: A[I,J_X] -> A[I,J]; Einsum J: A[I,J] B[J,K] -> C[I,K]"
SLICE = "Slice X: B[J,K] -> B[J_X,K]; Einsum J: A[I,J_X] B[J_X,K] -> C[I,K]{U_X}; AllReduce X: C[I,K]{U_X} -> C[I,K]"


def with_other(chosen, other, mesh="X", sizes=None, chip="tpu-v5p", **options):
    made = plan(chosen, mesh=mesh, sizes=sizes)
    (first,) = made.statements
    whole = first._replace(alternatives=(Alternative("other", statement(other).steps, timed=chip is not None),))
    machine, _ = machine_for(made.program.mesh, find_hardware(chip) if chip else None)
    return estimate(made._replace(statements=(whole,)), machine, **options)


def test_the_condition_is_divided_by_the_flops():
    (other,) = with_other(GATHER, SLICE).alternatives(0)
    assert other.name == "other"
    assert formula(other.prices.t_math) == "2*I*J*K/(C*X)"
    assert formula(other.prices.t_comms) == "4*I*K/W_ici"
    # 2IJK/C + 2IJ/W > 2IJK/(XC) + 4IK/W, divided by 2IJK/C
    assert other.faster_when.text == "C/(K*W_ici) + 1 > 1/X + 2*C/(J*W_ici)"
    assert other.wins_here is None


def test_where_planning_has_no_condition_the_exact_form_is_shown():
    """(X-1)/X times the bandwidth terms: at X = 2 they are half of what the book's form has of them."""
    (other,) = with_other(GATHER, SLICE).alternatives(0)
    c, w = 459e12, 180e9
    j, k, x, rate, link = (
        next(s for s in other.wins_when.left.free_symbols | other.wins_when.right.free_symbols if s.name == name)
        for name in ("J", "K", "X", "C", "W_ici")
    )
    for at, bt, n in ((256, 256, 2), (4096, 256, 2), (5000, 256, 2), (64, 65536, 8), (65536, 4096, 16)):
        share = (n - 1) / n
        gather, reduce = 2 * at * share / w + 2 * at * bt / c, 4 * bt * share / w + 2 * at * bt / n / c
        assert other.wins_when.holds({j: at, k: bt, x: n, rate: c, link: w}) is (reduce < gather)


def test_without_hardware_the_plan_that_receives_less_wins():
    """2IJ·(X-1)/X bytes gathered against 4IK·(X-1)/X reduced: NOTATION section 5."""
    (other,) = with_other(GATHER, SLICE, chip=None).alternatives(0)
    j, k = (
        next(s for s in other.wins_when.left.free_symbols | other.wins_when.right.free_symbols if s.name == name)
        for name in "JK"
    )
    assert other.wins_when.holds({j: 64, k: 31}) is True
    assert other.wins_when.holds({j: 64, k: 33}) is False


def test_the_exact_condition_of_planning_is_shown():
    """2IJ·r/W + 2IJK/C against 4IK·r/W + 2IJK/(XC), r = (X-1)/X: divided by 2I·r·W."""
    i, j, k, x = of(dim_symbol("I")), of(dim_symbol("J")), of(dim_symbol("K")), of(axis_symbol("X"))
    c, w = of(Symbol("hardware", "C_bf16")), of(Symbol("hardware", "W_ici"))
    gather = 2 * i * j * (x - 1) / x / w + 2 * i * j * k / c
    reduce = 4 * i * k * (x - 1) / x / w + 2 * i * j * k / x / c
    wins = less(reduce, gather, Bounds({}, {}))
    made = plan(GATHER, mesh="X")
    other = Alternative("other", statement(SLICE).steps, "", wins, "", (wins,), (("J", 64),))
    machine, _ = machine_for(made.program.mesh, find_hardware("tpu-v5p"))
    (shown,) = estimate(
        made._replace(statements=(made.statements[0]._replace(alternatives=(other,)),)), machine
    ).alternatives(0)
    assert shown.wins_when.text == "2*C*K/W_ici < C*J/W_ici + J*K"
    assert shown.best_when == (shown.wins_when,)
    assert shown.example == (("J", 64),)
    assert shown.faster_when.text == "C/(K*W_ici) + 1 > 1/X + 2*C/(J*W_ici)"  # in the book's form


def test_a_maximum_of_axes_is_one_of_sympy():
    x, y, d = of(axis_symbol("X")), of(axis_symbol("Y")), of(dim_symbol("D"))
    symbol = Symbol("max", "Max(X, Y/2)")
    bounds = Bounds({}, {}, maxima={symbol: (x, y / 2)})
    names = estimate(plan("AllGather X: A[D_X,F_Y] -> A[D,F_Y]"), machine_for(plan(GATHER).program.mesh, None)[0])
    condition = exact_condition(less(of(symbol), d * x, bounds), names.pricer.names)
    assert condition.holds({D: 2, X: 4, Y: 12}) is True
    assert condition.holds({D: 1, X: 4, Y: 12}) is False


def test_whether_it_wins_here_is_of_the_exact_form():
    for j, k, wins in ((65536, 128, True), (128, 65536, False)):
        (other,) = with_other(GATHER, SLICE, "X=4", {"I": 1024, "J": j, "K": k}).alternatives(0)
        assert other.wins_here is wins
    # Equal in the book's form, 2DF/W each; in the exact one (X-1)/X = 3/4 against 7/8 of it.
    by_x, by_y = "AllGather X: W[D_X,F] -> W[D,F]", "AllGather Y: V[D_Y,F] -> V[D,F]"
    (other,) = with_other(by_y, by_x, "X=4,Y=8", {"D": 1024, "F": 1024}).alternatives(0)
    assert other.faster_when.relation == "never"
    assert other.wins_here is True


def test_a_statement_without_alternatives():
    assert estimate(plan(GATHER), machine_for(plan(GATHER).program.mesh, None)[0]).alternatives(0) == ()


@pytest.mark.parametrize(
    ("larger", "smaller", "text"),
    [
        # gather both: 2BD/X + 2DF/Y; gather W whole and scatter the result: 2BF/X + DF; divided by 2BDF/(XY)
        (
            2 * B * D / (X * W_ICI) + 2 * D * F / (Y * W_ICI),
            2 * B * F / (X * W_ICI) + D * F / W_ICI,
            "X/B + Y/F > X*Y/(2*B) + Y/D",
        ),
        (B * D / W_ICI, 2 * B * F / W_ICI, "D/F > 2"),
        (D * F + D * J, 2 * B * F + 2 * B * J, "D/B > 2"),
        (2 * B * D / (X * Y * W_ICI), 2 * B * D / (X * W_ICI), "never"),
        (2 * B * D / W_ICI, 2 * B * D / (X * W_ICI), "always"),
        (2 * B * D / W_ICI, B * D / W_ICI + B * D / (X * W_ICI), "always"),
        (2 * B * D * (X - 1) / X, 2 * B * D, "never"),
        (2 * B * D * (X - 1) / X, 2 * B * D / X, "X > 2"),
        (B * D * sympy.Max(X, Y, evaluate=False) / (4 * X * Y * W_ICI), B * D / (4 * Y * W_ICI), "Y > X"),
        (B * D * sympy.Max(X, Y, evaluate=False) / (4 * W_ICI), B * D * X * Y / W_ICI, "never"),
        (4 * B * D * F / (X * C) + B * F / (X * C), 4 * D * F / W_ICI, "B/X > 4*C/((1/D + 4)*W_ici)"),
    ],
)
def test_conditions_that_monomials_decide_or_make_short(larger, smaller, text):
    assert compare(larger, smaller, SIZES, AXES).text == text


def test_what_is_decided_for_all_sizes_is_so_for_all_sizes():
    draw = random.Random(5)
    sizes = (B, D, X, Y)

    def price():
        bases = [*sizes, X - 1, X * Y - 1, sympy.Max(X, Y, evaluate=False)]
        terms = (
            draw.randint(1, 4) * sympy.Mul(*(b ** draw.choice((-1, 0, 0, 1)) for b in draw.sample(bases, 4)))
            for _ in range(draw.randint(1, 3))
        )
        return sympy.Add(*terms)

    decided = 0
    for _ in range(300):
        one, other = price(), price()
        condition = compare(one, other, SIZES, AXES)
        check = sympy.lambdify(sizes, [one, other], "math")
        for _ in range(12):
            at = (*(draw.choice((1, 2, 7, 1000)) for _ in "BD"), *(draw.choice((2, 3, 4, 256)) for _ in "XY"))
            left, right = check(*at)
            if abs(left - right) > 1e-9 * max(left, right):
                assert condition.holds(dict(zip(sizes, at, strict=True))) == (left > right), (one, other, condition)
            else:
                assert condition.relation != "always"
        decided += condition.relation in ("always", "never")
    assert decided > 20


def test_a_statement_alone_says_where_its_memory_is_a_bound():
    """One statement of so many steps that its peak has too many addends for a formula."""
    dims = [f"{a}{b}" for a in "EFGHIJ" for b in "ABCDEFGHIJKLMNOPQRST"]
    text = "; ".join(f"Einsum D: A{i}[B,D] W{i}[D,{dim}] -> O{i}[B,{dim}]" for i, dim in enumerate(dims))
    found = estimate(plan(text), machine_for(plan(text).program.mesh, None)[0])
    (single,) = found.statements
    assert any("upper bound" in sentence for sentence in found.assumptions)
    known = dict.fromkeys([*dims, "B", "D"], 8)
    exact = estimate(plan(text, sizes=known), machine_for(plan(text).program.mesh, None)[0])
    assert not any("upper bound" in sentence for sentence in exact.assumptions)
    assert (
        exact.value(single.memory) >= exact.value(exact.statements[0].memory) == 120 * 256 + 128
    )  # an O is not used again
