"""What `--for` takes: products and quotients of powers of symbols, and nothing else."""

import pytest

import shardlang
from shardlang.cost.names import Names
from shardlang.cost.ratio import RatioError, UnknownSymbolError, read_ratio

NAMES = Names(dims=["B", "D", "d_model", "X"], axes=["X", "Y"], dtypes=["bf16"])
FSDP = "In[B_{XY}, D] · W[D_{XY}, F] -> Tmp[B_{XY}, F]"


@pytest.mark.parametrize(
    ("text", "powers"),
    [
        ("B", {"B": 1}),
        ("B/D", {"B": 1, "D": -1}),
        ("B/(D*Y)", {"B": 1, "D": -1, "Y": -1}),
        ("B/(D·Y)", {"B": 1, "D": -1, "Y": -1}),
        ("B/D*Y", {"B": 1, "D": -1, "Y": 1}),
        ("B/D/Y", {"B": 1, "D": -1, "Y": -1}),
        ("B/(D/(Y/d_model))", {"B": 1, "D": -1, "Y": 1, "d_model": -1}),
        ("B^2/D", {"B": 2, "D": -1}),
        ("B**2 / D**-1", {"B": 2, "D": 1}),
        ("(B/Y)^2", {"B": 2, "Y": -2}),
        ("1/B", {"B": -1}),
        ("((B))", {"B": 1}),
        (" B × D ", {"B": 1, "D": 1}),
        ("B*D/B", {"D": 1}),
        ("X", {"X": 1}),
        ("n_X/Y", {"n_X": 1, "Y": -1}),
    ],
)
def test_ratios(text, powers):
    assert {symbol.name: power for symbol, power in read_ratio(text, NAMES)} == powers


@pytest.mark.parametrize(
    "text",
    ["", " ", "B/", "/B", "B//D", "B D", "(B", "B)", "()", "B(D)", "B+D", "B-1", "2*B", "B^", "B^D", "B^2^2", "B^0.5",
     "1", "B/B", "B^99", "(B^12)^2", "B[0]", "B;D", "__import__('os')", "B" * 500, "(" * 399],
)  # fmt: skip
def test_anything_else_is_an_error_in_words(text):
    with pytest.raises(RatioError) as info:
        read_ratio(text, NAMES)
    assert "symbol" in str(info.value) or "power" in str(info.value)


def test_a_name_that_the_plan_does_not_have():
    with pytest.raises(UnknownSymbolError, match=r"no symbol `Q`; it has .*n_X") as info:
        read_ratio("B/(Q·Y)", NAMES)
    assert info.value.hint is None
    with pytest.raises(UnknownSymbolError) as info:
        read_ratio("d_modle", NAMES)
    assert info.value.hint == "d_model"


@pytest.mark.parametrize("text", ["B/(X*Y)", "B/(X·Y)", "B/X/Y", "(B/X)/Y", "B/Y/X"])
def test_a_ratio_is_solved_for_as_it_is_written(text):
    """T_math = 2BDF/(XY C) against V/(2 W) = 2DF/(2 W): B/(XY) > C/(2 W_ici), 1275 on v5p."""
    report = shardlang.cost(FSDP, hardware="tpu-v5p", mesh="X,Y", roofs="math,ici")
    (found,) = report.crossover(text)
    assert (found.relation, found.value) == (">", 1275)
    assert {symbol.name for symbol in found.threshold.free_symbols} == {"C", "W_ici"}


@pytest.mark.parametrize("text", ["B/B", "X/X", "B*D/(D*B)", "B^2/B/B", "B^0"])
def test_a_ratio_that_cancels(text):
    with pytest.raises(RatioError, match="cancels"):
        read_ratio(text, NAMES)


@pytest.mark.parametrize(
    ("text", "powers"), [("X/X/Y", {"Y": -1}), ("D/B/D", {"B": -1}), ("X*D/X*D", {"D": 2}), ("D^0*B", {"B": 1})]
)
def test_symbols_that_cancel_are_left_out(text, powers):
    assert {symbol.name: power for symbol, power in read_ratio(text, NAMES)} == powers


def test_what_is_no_text():
    for value in (None, b"B", 3):
        with pytest.raises(RatioError, match="expected a symbol"):
            read_ratio(value, NAMES)


@pytest.mark.parametrize("hardware", [{}, {"hardware": "tpu-v5p"}, {"hardware": "h100", "latency": True}])
@pytest.mark.parametrize("model", ["book", "exact"])
def test_a_ratio_of_any_symbols_ends_in_an_answer_or_in_words(hardware, model):
    text = "mesh X=4,Y=2\nA[I_X, J_Y] · B[J_Y, K] -> C[I_X, K]"
    for ratio in ("X/X/Y", "C/Y/C", "X*C/X*C", "J/C", "1/W_hbm", "C^-1*X"):
        report = shardlang.crossover(text, ratio, model=model, **hardware)
        assert all(found.variable == ratio for found in report.crossovers)
    for ratio in ("I/I", "J/J", "C/C"):
        with pytest.raises(RatioError, match="cancels"):
            shardlang.crossover(text, ratio, model=model, **hardware)
