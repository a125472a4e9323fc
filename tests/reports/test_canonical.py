"""The canonical form of whole texts."""

import pytest

import shardlang


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ""),
        ("\n\n", ""),
        ("# only a comment", "# only a comment\n"),
        ("A[I];B[J]", "A[I]\nB[J]\n"),
        ("A[I] # one\nB[J]# two", "A[I]  # one\nB[J]  # two\n"),
        ("# first\n\n\n\nA[I]\n#last", "# first\n\nA[I]\n# last\n"),
        ("A[I,   # rows\n  J]", "# rows\nA[I, J]\n"),
        ("mesh {X: 4}\nA[I<sub>X</sub>]", "mesh X=4\nA[I_X]\n"),
        (r"$\textbf{AllGather}_X A[I_{X}, J] \to A[I, J]$", "AllGather_X A[I_X, J] -> A[I, J]\n"),
        ("A[I_X]\r\nB[J]\r\n", "A[I_X]\nB[J]\n"),
        ("C[I,K]=A[I,J]@B[J,K]", "C[I, K] = A[I, J] · B[J, K]\n"),
        ("A[I_X, J_X]", "A[I_X, J_X]\n"),
    ],
)
def test_canonical_text(text, wanted):
    found = shardlang.format_text(text)
    assert found == wanted
    assert shardlang.format_text(found) == found


def test_a_declared_mesh_decides():
    assert shardlang.format_text("mesh XY=4\nA[I_XY]") == "mesh XY=4\nA[I_XY]\n"
    assert shardlang.format_text("A[I_XY]", mesh={"X": 2, "Y": 2}) == "A[I_{XY}]\n"


def test_a_text_that_cannot_be_read_whole():
    with pytest.raises(ValueError, match=r"line 2, column 2: .*\[SL102\]"):
        shardlang.format_text("A[I]\nB[J")
