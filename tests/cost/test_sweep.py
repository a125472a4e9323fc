"""Sweeps: formulas over arrays, beside SymPy's own substitution, one point at a time and with thirty digits."""

import random

import numpy as np
import pytest
import sympy
from sympy import Max, Min, Mod, Rational, ceiling, log, sqrt

import shardlang
from shardlang.cost import lowering
from shardlang.cost.kernel import _PIECE, Kernel
from shardlang.cost.names import Names
from shardlang.cost.ratio import RatioError, UnknownSymbolError
from shardlang.cost.sweep import sweep
from shardlang.cost.values import SweepError, evaluate

B, D, F, X, Y = sympy.symbols("B D F X Y", positive=True)
SYMBOLS = {"B": B, "D": D, "F": F, "X": X, "Y": Y}
NAMES = Names("BDF", "XY", ())

MLP = """
In[B_X, D_Y] · W_in[D_X, F_Y] -> H[B_X, F_Y]
Z[B_X, F_Y] = gelu(H[B_X, F_Y])
Z[B_X, F_Y] · W_out[F_Y, D_X] -> Out[B_X, D_Y]
"""
SIZES = {"B": 4096, "D": 8192, "F": 32768}
PLANS = {
    "torus": {"hardware": "tpu-v5p", "mesh": {"X": 16, "Y": 4}, "sizes": SIZES},
    "exact, with latency": {
        "hardware": "tpu-v5e",
        "mesh": {"X": 16, "Y": 4},
        "sizes": SIZES,
        "model": "exact",
        "latency": True,
    },
    "an axis over two levels": {"hardware": "h100", "mesh": {"X": 64, "Y": 4}, "sizes": SIZES, "model": "exact"},
    "levels, with latency": {
        "hardware": "h100",
        "mesh": {"X": 64, "Y": 4},
        "sizes": {**SIZES, "T_min": 1e-6},
        "latency": True,
    },
    "open node": {"hardware": "h100", "topology": "X=scale-out,Y=node", "mesh": "X,Y", "sizes": {**SIZES, "Y": 4}},
    "padded": {
        "hardware": "tpu-v5p",
        "mesh": {"X": 16, "Y": 4},
        "sizes": {"B": 999, "D": 810, "F": 330},
        "uneven": True,
    },
}


def drawn(rng, name, count):
    """Numbers as they occur: whole sizes, axes from 2 on, rates."""
    if name in "XY":
        return rng.integers(2, 300, count)
    return rng.uniform(1e10, 1e13, count) if name.startswith(("W", "C")) else rng.integers(1, 200_000, count)


def exactly(expr, numbers):
    """SymPy's value, None where it has no finite one."""
    found = expr.xreplace({symbol: Rational(*float(x).as_integer_ratio()) for symbol, x in numbers.items()}).evalf(30)
    return float(found) if found.is_finite else None


def differing(estimate, over, formulas, points):
    """Return the points of a sweep at which it is not what SymPy has."""
    found = estimate.sweep(formulas, over)
    known = {symbol.name: symbol for symbol in estimate.estimate.values}
    known.update({s.name: s for expr in formulas.values() for s in expr.free_symbols})
    wrong = []
    for at in points:
        numbers = {**estimate.estimate.values, **{known[name]: array[at] for name, array in over.items()}}
        for name, expr in formulas.items():
            wanted = exactly(expr, numbers)
            assert wanted is not None
            if found[name][at] != pytest.approx(wanted, rel=1e-12, abs=0):
                wrong.append((name, at, found[name][at], wanted))
    return wrong


@pytest.mark.parametrize("over", ["B", "X", "B X", "B X Y", "B D F X Y", "C W_hbm Y"])
@pytest.mark.parametrize("name", PLANS)
def test_a_sweep_is_the_value_at_every_point(name, over):
    keywords = PLANS[name]
    estimate = shardlang.cost(MLP, **keywords)
    assert estimate.ok
    rng = np.random.default_rng(len(over))
    count = _PIECE + 17
    arrays = {name: drawn(rng, name, count) for name in over.split()}
    if keywords["mesh"] == "X,Y":
        arrays.setdefault("X", drawn(rng, "X", count))
    points = [0, _PIECE - 1, _PIECE, count - 1, *rng.integers(0, count, 4)]
    assert differing(estimate, arrays, estimate.totals, points) == []


def test_the_comparison_finds_a_planted_bug(monkeypatch):
    monkeypatch.setitem(lowering._FUNCTIONS, Max, np.minimum)
    estimate = shardlang.cost(MLP, **PLANS["torus"])
    assert differing(estimate, {"B": np.array([16, 4096])}, estimate.totals, [0, 1])


def test_a_sweep_from_first_principles():
    estimate = shardlang.cost(
        "A[I_X, J] · B[J, K] -> C[I_X, K]", mesh={"X": 4}, sizes={"J": 1000, "K": 10, "C": 1e12, "W_hbm": 1e9}
    )
    found = estimate.sweep(estimate.totals, {"I": [4, 4_000_000]})
    assert found["flops"].tolist() == [2 * 1 * 1000 * 10, 2 * 1_000_000 * 1000 * 10]
    assert found["t_comms"].tolist() == [0, 0]
    assert found["memory"] == pytest.approx([2 * (1000 + 10_000 + 10), 2 * (1e9 + 10_000 + 1e7)])
    assert found["t_lower"] == pytest.approx([2 * (1000 + 10_000 + 10) / 1e9, 2 * (1e9 + 10_000 + 1e7) / 1e9])


def run(formula, over, defined=None, values=None):
    (found,) = sweep([formula], over, values or {}, NAMES, defined or {})
    return found


@pytest.mark.parametrize(
    "formula",
    [
        B,
        B - B * X / X,
        B**2 + 3 * B + 1,
        (B + D) * (X - 1) / (X * Y),
        (B + 1) ** 3 / (D + X) ** 2,
        B**11 / X**9,
        sqrt(B * X) + B ** Rational(3, 2) - 1 / sqrt(X + Y),
        Max(B, 3, D * X) - Min(X, 5, Y),
        5 * Max(B / X, D / Y, 7),
        Max(0, B - D) * X,
        ceiling(B / X) * ceiling(D / (X * Y)) + ceiling(3 * D / 7),
        ceiling(Max(X, Y) / 2),
        log(B * X) / log(2) - log(3),
        Mod(B, 7) + Mod(D, X),
        2**X * 3,
        B * (D - X) - B * (D - X),
        sympy.Integer(7),
    ],
)
def test_forms(formula):
    rng = random.Random(5)
    points = {name: [rng.randrange(2, 60) for _ in range(50)] for name in SYMBOLS}
    found = run(formula, {name: points[name] for name in points})
    assert found.shape == (50,)
    for at in range(50):
        wanted = exactly(formula, {SYMBOLS[name]: numbers[at] for name, numbers in points.items()})
        assert found[at] == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_what_divides_evenly_is_not_rounded_up():
    whole, over = np.meshgrid(np.arange(1, 400), np.arange(1, 60))
    assert (run(ceiling(B / X), {"B": whole * over, "X": over}) == whole).all()
    assert all(evaluate(ceiling(B / X), {B: n * x, X: x}) == n for n in range(1, 400) for x in (3, 7, 49, 55))


def test_shapes_broadcast_and_types_do_not_matter():
    found = run(B * X, {"B": [[1], [2], [3]], "X": np.array([10, 20], dtype=np.int16)})
    assert found.dtype == np.float64
    assert found.tolist() == [[10, 20], [20, 40], [30, 60]]
    assert run(B * X, {"B": 3, "X": np.float32(2)}).tolist() == 6
    assert run(B * X, {"B": 3, "X": [2.0]}).tolist() == [6]
    assert run(B * X, {"B": [], "X": 3}).shape == (0,)
    assert run(B, {"B": [10**30, 1]}).tolist() == [1e30, 1]
    assert run(sympy.Integer(2), {"B": [[1, 2]]}).tolist() == [[2, 2]]
    grid = np.arange(1, 25).reshape(4, 6)
    assert (run(2 * B, {"B": grid.T[::2, ::-1]}) == 2 * grid.T[::2, ::-1]).all()


def test_whole_numbers_do_not_overflow():
    assert run(B * D * F, {"B": [2**31, 2**40], "D": [2**31, 2**40], "F": [2**31, 2]}).tolist() == [2.0**93, 2.0**81]


def test_arrays_that_go_in_stay_as_they_are():
    numbers = np.arange(1.0, 100.0)
    before = numbers.copy()
    (found,) = sweep([B], {"B": numbers}, {}, NAMES, {})
    found[:] = 0
    assert (numbers == before).all()


def test_several_formulas_come_back_as_they_were_given():
    estimate = shardlang.cost(MLP, **PLANS["torus"])
    over = {"B": [128, 4096]}
    lower, again, math = estimate.sweep([estimate.t_lower, estimate.t_lower, estimate.t_math], over)
    assert (lower == again).all()
    assert (math == estimate.sweep(estimate.t_math, over)).all()
    assert list(estimate.sweep(estimate.totals, over)) == list(estimate.to_dict()["total"])
    assert estimate.sweep(estimate.t_lower, {})[()] == estimate.value(estimate.t_lower)


def test_a_size_in_terms_of_an_open_one_follows():
    text = f"let F = 4*D, D = 2*Q\n{MLP}\nN[Q]"
    estimate = shardlang.cost(text, hardware="tpu-v5p", mesh={"X": 16, "Y": 4}, sizes={"B": 4096})
    plain = shardlang.cost(MLP, mesh={"X": 16, "Y": 4}, hardware="tpu-v5p", sizes={"B": 4096, "D": 2048, "F": 8192})
    wanted = pytest.approx(plain.value(plain.t_math), rel=1e-12)
    assert estimate.sweep(estimate.t_math, {"Q": [512, 1024]})[1] == wanted
    assert estimate.sweep(estimate.t_math, {"D": [2048], "F": [8192]})[0] == wanted
    assert estimate.sweep(estimate.t_math, {"F": [8192], "D": [2048], "Q": [1]})[0] == wanted
    with pytest.raises(SweepError, match="and `D` is open"):
        estimate.sweep(estimate.t_math, {"F": [8192]})


def test_definitions_may_use_each_other():
    defined = {F: 4 * D, D: 2 * X}
    assert run(F + B, {"X": [1, 2]}, defined, {B: 1}).tolist() == [9, 17]
    assert run(F + B, {"D": [1, 2]}, defined, {B: 1}).tolist() == [5, 9]
    assert run(F + B, {"B": [1, 2]}, defined, {F: 7}).tolist() == [8, 9]


def test_thresholds_can_be_swept():
    estimate = shardlang.cost("A[B_X, D] · W[D_X, F] -> Z[B_X, F]", hardware="tpu-v5p", mesh="X", roofs="math,ici")
    (found,) = estimate.crossover("B")
    rates = estimate.value(found.threshold.xreplace({X: sympy.Integer(1)}))
    assert estimate.sweep(found.threshold, {"X": [2, 4]}) == pytest.approx([2 * rates, 4 * rates])


def test_an_axis_of_one_device_is_left_open_to_be_swept():
    """A gather over X of 2ID bytes takes 2ID/W_ici for any X but 1, where there is nobody to receive from."""
    text, sizes = "AllGather_X A[I_X, D]", {"I": 1024, "D": 512, "W_ici": 1e9}
    one = shardlang.cost(text, mesh="X=1", sizes=sizes)
    with pytest.raises(SweepError, match="`X` is 1 in this mesh") as caught:
        one.sweep([one.t_comms], {"X": [2, 8, 64]})
    assert "(mesh='X')" in str(caught.value)
    assert one.sweep(one.t_comms, {"X": [1], "D": [512, 1024]}).tolist() == [0, 0]
    left_open = shardlang.cost(text, mesh="X", sizes=sizes)
    assert left_open.sweep(left_open.t_comms, {"X": [2, 64]}) == pytest.approx([2 * 1024 * 512 / 1e9] * 2)


def test_no_finite_value_is_nan():
    assert np.isnan(run(1 / (X - 2), {"X": [2.0, 3.0]})).tolist() == [True, False]
    assert np.isnan(run(1 / (X - 2), {"X": 2})).all()
    assert np.isnan(run(B**300, {"B": [1e9, 1.0]})).tolist() == [True, False]


@pytest.mark.parametrize(
    ("over", "error", "message"),
    [
        ({"Q": [1]}, UnknownSymbolError, "the plan has no symbol `Q`; it has X, Y, B, D, F"),
        ({"B/X": [1]}, RatioError, "expected the name of one symbol, not `B/X`"),
        (
            {"B": [1, 2], "X": [1, 2, 3]},
            SweepError,
            "the shapes of the arrays do not broadcast: (2,) of `B`, (3,) of `X`",
        ),
        (
            {"B": [1, 2]},
            SweepError,
            "needs numbers, and `D` and `X` are open: sweep over them too, or give them a value",
        ),
        ({"B": [1, 2], "X": 3}, SweepError, "`D` is open"),
        ({"B": [1, 0, -3]}, SweepError, "`B` must be positive at every point; the least of its numbers is -3"),
        ({"B": [1, float("nan")]}, SweepError, "`B` must be positive at every point; the least of its numbers is nan"),
        ({"B": ["4"]}, SweepError, "`B` must be swept over an array of numbers"),
        ({"B": [[1, 2], [3]]}, SweepError, "`B` must be swept over an array of numbers"),
        ({"B": [1j]}, SweepError, "`B` must be swept over an array of numbers"),
        ({"B": [10**400]}, SweepError, "`B` must be swept over an array of numbers"),
    ],
)
def test_what_is_wrong_is_said(over, error, message):
    with pytest.raises(error) as caught:
        run(B * D / X, over)
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_two_names_of_one_symbol_and_what_is_no_formula():
    names = Names("X", "X", ())  # the axis prints as n_X, and the dimension as X
    symbol = names.dim("X")
    assert sweep([symbol], {"X": [3]}, {}, names, {})[0].tolist() == [3]
    with pytest.raises(SweepError, match="expected a formula of this estimate, such as its `t_lower`, not str"):
        run("B", {"B": [1]})
    rates = Names("B", "", ("bf16",))
    rates.flops("bf16")
    with pytest.raises(SweepError, match="`C ` is `C` by another name, which is swept already"):
        sweep([symbol], {"C": [3], "C ": [3]}, {}, rates, {})


def test_a_kernel_is_its_operations_in_order():
    """Buffers are used again; each operation must still see what those before it made."""
    rng = random.Random(1)
    for _ in range(60):
        kernel = Kernel(2)
        inputs = [np.arange(1.0, 8.0), np.linspace(0.5, 3, 7)]
        registers, arrays = list(kernel.inputs), list(inputs)
        for _ in range(rng.randrange(1, 40)):
            ufunc = rng.choice([np.add, np.maximum, np.multiply, np.divide, np.log])
            if ufunc is np.log:
                at = rng.randrange(len(registers))
                result, array = kernel.apply(np.abs, registers[at]), np.abs(arrays[at])
            else:
                one, other = rng.randrange(len(registers)), rng.randrange(len(registers))
                number = rng.choice([None, 0.75])
                right, array = (registers[other], arrays[other]) if number is None else (number, number)
                with np.errstate(all="ignore"):
                    result, array = kernel.apply(ufunc, registers[one], right), ufunc(arrays[one], array)
            registers.append(result)
            arrays.append(array)
        asked = [rng.randrange(len(registers)) for _ in range(3)]
        found = kernel.run(inputs, [*(registers[at] for at in asked), 2.5])
        for at, array in zip(asked, found, strict=False):
            assert np.array_equal(array, np.where(np.isfinite(arrays[at]), arrays[at], np.nan), equal_nan=True)
        assert (found[-1] == 2.5).all()
