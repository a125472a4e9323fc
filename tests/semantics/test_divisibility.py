"""SL205, SL218: the cases are public reports of uneven shards, worked out by hand."""

import pytest

from tests.semantics.helpers import resolved


@pytest.mark.parametrize(
    ("text", "mesh", "sizes", "message", "hints"),
    [
        (
            "A[I_X]",
            {"X": 4, "Y": 2},
            {"I": 5},
            "`I` = 5 of `A` is not divisible by |X| = 4 (remainder 1); the nearest sizes that work are 4 and 8",
            ["pad `I` to 8", "5 parts"],
        ),
        (
            "Q[B_{DF},S_P,H_T,C]",
            {"D": 1, "F": 8, "T": 1, "P": 1},
            {"B": 1, "S": 2560, "H": 32, "C": 128},
            "`B` = 1 of `Q` is not divisible by |D|·|F| = 8 (remainder 1); the smallest size that works is 8",
            ["pad `B` to 8", "`S` = 2560 or `H` = 32"],
        ),
        (
            "X[T_A,D]",
            {"A": 8},
            {"T": 4, "D": 4608},
            "`T` = 4 of `X` is not divisible by |A| = 8 (remainder 4); the smallest size that works is 8",
            ["pad `T` to 8", "4 in 8", "2 or 4 parts"],
        ),
        (
            "E[V_X,D]",
            {"X": 4},
            {"V": 32002, "D": 4096},
            "`V` = 32002 of `E` is not divisible by |X| = 4 (remainder 2); the nearest sizes that work are 32000 and 32004",
            ["pad `V` to 32004"],
        ),
        (
            "Q[B,S,H_X,D]",
            {"X": 8},
            {"H": 52},
            "`H` = 52 of `Q` is not divisible by |X| = 8 (remainder 4); the nearest sizes that work are 48 and 56",
            ["pad `H` to 56", "2, 4, 13, 26 or 52 parts"],
        ),
    ],
)
def test_uneven_shards_are_an_error_that_says_all_numbers(text, mesh, sizes, message, hints):
    found = resolved(text, mesh=mesh, sizes=sizes)
    assert found.codes == ["SL205"]
    finding = found.finding("SL205")
    assert finding.message == message
    assert all(hint in finding.hint for hint in hints)
    assert not found.last.ok


def test_uneven_shards_are_padded_where_that_is_allowed():
    found = resolved("A[I_X]", mesh={"X": 4}, sizes={"I": 5}, uneven=True)
    assert found.codes == ["SL218"]
    assert "padded to 8" in found.finding("SL218").message
    assert found.last.ok
    assert found.program.uneven


@pytest.mark.parametrize(
    "text", ["bf16[B=6, D] · W[D_X, F] -> H[B_X, F]", "let B = 6\nA[B_X]", "let D = 2, B = 3*D\nA[B_X, D]"]
)
def test_sizes_from_everywhere_count(text):
    found = resolved(text, mesh={"X": 4})
    assert found.codes == ["SL205"]


def test_the_known_axes_of_a_dimension_count():
    assert resolved("A[I_{XY}]", mesh={"X": 4, "Y": None}, sizes={"I": 6}).codes == ["SL205"]
    assert resolved("A[I_{XY}]", mesh={"X": 2, "Y": None}, sizes={"I": 6}).codes == []


def test_literal_sizes_are_checked_too():
    found = resolved("float32[9@X, 16]", mesh={"X": 4})
    assert found.codes == ["SL205"]
    assert "the dimension of size 9" in found.finding("SL205").message


@pytest.mark.parametrize(("text", "under"), [("A[J, I_X]", "X"), ("A[J, I_{X}]", "_{X}"), ("A[J, I@X]", "@X")])
def test_the_subscript_is_pointed_at(text, under):
    assert under in resolved(text, mesh={"X": 4}, sizes={"I": 5}).under("SL205")


def test_every_array_of_every_statement_is_checked():
    found = resolved("A[I_X]\nB[I_X] -> C[I]", mesh={"X": 4}, sizes={"I": 5})
    assert found.codes == ["SL205", "SL205"]
    assert [statement.ok for statement in found.program.statements] == [False, False]
