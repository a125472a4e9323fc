"""What a test may say of a plan."""

import pytest

from shardlang.api import OptionError
from shardlang.tools.assertions import PlanError, Plans, assert_plan

FSDP = "In[B_X, D] · W[D_X, F] -> H[B_X, F]"
TWO = "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]\nTmp[B_X, F_Y] · V[F_Y, D_X] -> Out[B_X, D_Y]"


@pytest.mark.parametrize(
    "collectives",
    [
        ["AllGather"],
        ["AllGather_X"],
        ["AllGather_{X}"],
        ["AllGather_X W"],
        ["AllGather_X W[D_X, F] -> W[D, F]"],
        ["AllGather_X  W[D_X, F] → W[D, F]"],
        "AllGather_X",
    ],
)
def test_collectives_that_are_there(collectives):
    assert assert_plan(FSDP, collectives=collectives).ok


@pytest.mark.parametrize("collectives", [[], ["AllGather_Y"], ["AllGather_X In"], ["AllReduce"], ["AllGather"] * 2])
def test_collectives_that_are_not(collectives):
    with pytest.raises(PlanError, match=r"other collectives") as raised:
        assert_plan(FSDP, collectives=collectives)
    shown = str(raised.value)
    assert "found:    AllGather_X W" in shown
    assert "AllGather_X W[D_X, F] -> W[D, F]" in shown  # the plan is shown too


def test_collectives_of_all_statements_in_order():
    kinds = ["AllGather_Y In", "AllGather_X W", "AllGather_X V", "ReduceScatter"]
    report = assert_plan(TWO, collectives=kinds)
    assert len(report.statements) == 2
    with pytest.raises(PlanError):
        assert_plan(TWO, collectives=kinds[::-1])


@pytest.mark.parametrize("output", ["H[B_X, F]", "H[B_X,F]", "$H[B_X, F]$", "H[B_{X}, F]"])
def test_results_that_are_right(output):
    assert assert_plan(FSDP, output=output).ok


def test_results_that_are_not():
    with pytest.raises(PlanError, match=r"expected: H\[B, F\]\nfound:    H\[B_X, F\]"):
        assert_plan(FSDP, output="H[B, F]")
    with pytest.raises(PlanError, match=r"'H\[' is no array"):
        assert_plan(FSDP, output="H[")


def test_bytes():
    """An AllGather of D·F·2 bytes over four devices: each receives three quarters."""
    received = 1024 * 4096 * 2 * 3 / 4
    sizes = {"mesh": {"X": 4}, "sizes": {"B": 65536, "D": 1024, "F": 4096}}
    assert assert_plan(FSDP, bytes_at_most=received, **sizes).ok
    with pytest.raises(PlanError, match=r"at most 6\.291 MB\nfound:    6\.291 MB"):
        assert_plan(FSDP, bytes_at_most=received - 1, **sizes)
    with pytest.raises(PlanError, match=r"bytes received are open"):
        assert_plan(FSDP, bytes_at_most=received, mesh={"X": 4})


def test_errors_show_the_snippet():
    with pytest.raises(AssertionError) as raised:
        assert_plan("A[I_X, J_X]")
    assert str(raised.value).startswith("the plan has errors\n\nerror[SL201]")
    assert "1 | A[I_X, J_X]" in str(raised.value)


def test_settings_of_a_project_are_defaults():
    plans = Plans({"_defaults": {"mesh": {"X": 4}, "sizes": {"D": 1024, "F": 4096}}})
    assert plans.assert_plan(FSDP, bytes_at_most=1024 * 4096 * 2 * 3 / 4).ok
    assert plans.check("AllGather_X A[D_X] -> A[D]").statements[0].steps[0].bytes_received == 1024 * 2 * 3 / 4


@pytest.mark.parametrize("collectives", [[], None])
def test_a_refused_statement_is_no_plan_where_its_error_is_ignored(collectives):
    with pytest.raises(PlanError, match=r"a statement was refused(.|\n)*line 1: refused"):
        assert_plan("A[I_X, J_X] -> B[I]", ignore="SL201", collectives=collectives)
    with pytest.raises(PlanError, match=r"a statement was refused"):  # an array alone
        assert_plan("A[I_X, J_X]", ignore="SL201")


@pytest.mark.parametrize(
    "collectives",
    [
        ["AllGather_{data, model}"],
        ["AllGather_{data,model}  A"],
        ["AllGather_{data, model} A[I_{data, model}, J] → A[I, J]"],
    ],
)
def test_blanks_in_subscripts(collectives):
    mesh = {"data": 2, "model": 2}
    assert assert_plan("A[I_{data,model}, J] -> A[I, J]", mesh=mesh, collectives=collectives).ok
    for other in ("AllGather_{model, data}", "AllGather_data", "AllGather_{datamode, l}"):
        with pytest.raises(PlanError, match=r"other collectives"):
            assert_plan("A[I_{data,model}, J] -> A[I, J]", mesh=mesh, collectives=[other])


@pytest.mark.parametrize("said", ["AllToAll", "AllToAll_X", "AllToAll_{X, J}", "AllToAll_{X->J} A", "AllToAll_{X → J}"])
def test_an_all_to_all_by_its_axes_and_its_dimension(said):
    assert assert_plan("A[I_X, J] -> A[I, J_X]", mesh={"X": 2}, collectives=[said]).ok
    with pytest.raises(PlanError, match=r"other collectives"):
        assert_plan("A[I_X, J] -> A[I, J_X]", mesh={"X": 2}, collectives=["AllToAll_{X,I}"])


def test_axes_of_one_letter_need_no_comma():
    for said in ("AllGather_XY", "AllGather_{XY}", "AllGather_{X,Y}", "AllGather_{X, Y} A"):
        assert assert_plan("A[I_{XY}] -> A[I]", mesh={"X": 2, "Y": 2}, collectives=[said]).ok


@pytest.mark.parametrize("text", ["", "# only a comment", "mesh X=4", "$x = 1$"])
@pytest.mark.parametrize("said", [{}, {"collectives": []}, {"output": "H[B]"}, {"bytes_at_most": 1}])
def test_a_text_without_a_statement_has_no_plan(text, said):
    with pytest.raises(PlanError, match="the text has no statement"):
        assert_plan(text, **said)


@pytest.mark.parametrize(
    ("sizes", "names"),
    [
        ({}, "D, F, X"),
        ({"mesh": {"X": 4}}, "D, F"),
        ({"mesh": {"X": 4}, "sizes": {"D": 8}}, "F"),
        ({"sizes": {"D": 8, "F": 8}}, "X"),
    ],
)
def test_the_sizes_that_are_open_are_named(sizes, names):
    """What a device receives in an AllGather of W[D_X, F] depends on D, F and X alone."""
    with pytest.raises(PlanError, match=rf"bytes received are open: the size of {names} is not given"):
        assert_plan(FSDP, bytes_at_most=1, **sizes)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("AllGahter", "no collective 'AllGahter'. Did you mean 'AllGather'?"),
        ("allgather_X W", "no collective 'allgather'. Did you mean 'AllGather'?"),
        ("AllRedcue_{XY}", "no collective 'AllRedcue'. Did you mean 'AllReduce'?"),
        ("Einsum", "no collective 'Einsum'. Known: AllGather, "),
        ("", "no collective ''. Known: "),
    ],
)
def test_a_collective_that_there_is_not_is_refused(said, words):
    with pytest.raises(ValueError, match="collectives: ") as raised:
        assert_plan(FSDP, collectives=["AllGather", said])
    assert words in str(raised.value)


def test_what_is_no_text_is_refused():
    with pytest.raises(ValueError, match=r"collectives: expected texts such as 'AllGather_X', not int"):
        assert_plan(FSDP, collectives=[1])


def test_the_last_statement_may_be_an_array():
    text = f"{FSDP}\nA[I_X, J]"
    assert assert_plan(text, output="A[I_X, J]").ok
    with pytest.raises(PlanError, match=r"another result\nexpected: H\[B_X, F\]\nfound:    A\[I_X, J\]"):
        assert_plan(text, output="H[B_X, F]")


@pytest.mark.parametrize("most", [float("nan"), "12", True, [1]])
def test_a_bound_that_is_no_number_bounds_nothing(most):
    with pytest.raises(OptionError, match=r"^bytes_at_most: expected a number, not "):
        assert_plan("A[I]", bytes_at_most=most)
