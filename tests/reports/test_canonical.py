"""The canonical form of whole texts."""

import pytest

import shardlang
from shardlang.api import format_report


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
        ("A[I]{U_X}; -B[I]{U_X}", "A[I]{U_X}\n\n-B[I]{U_X}\n"),
        ("A[I]; # one\n-B[I]", "A[I]  # one\n\n-B[I]\n"),
        ("A[I]\n# two\n-B[I]", "A[I]\n# two\n-B[I]\n"),
        ("A[I]; -B[I,  # rows\nJ]", "A[I]\n# rows\n-B[I, J]\n"),
        ("A[I, D] ·_'D B[D, K] -> C[I, K]", "A[I, D] ·_D B[D, K] -> C[I, K]\n"),
        ("AllGather_'X A[I_X]", "AllGather_X A[I_X]\n"),
        ("A[I]{U_'X}", "A[I]{U_X}\n"),
        ("gelu_X(0) + A[I]", "gelu_X(0) + A[I]\n"),
        ("Slice_{0 \\to 8} A[]", "Slice_{0->8} A[]\n"),
        ("Mesh({'X': 2 * ring})", "mesh X=2*ring\n"),
        ("mesh X=(2*8) ring, Y line", "mesh X=2*8 ring, Y line\n"),
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


@pytest.mark.parametrize("second", ["-B[I]", "-B[I] -> C[I]", "-(A[I] + B[I])"])
def test_statements_stay_apart(second):
    text = f"A[I]; {second}"
    assert len(shardlang.parse(text).statements) == 2
    assert len(shardlang.parse(shardlang.format_text(text)).statements) == 2


@pytest.mark.parametrize(
    ("dropped", "code"),
    [
        ("In[B, D] · W[L_Z, D, F][i] -> H[B, F]", "SL909"),
        ("Y[I_X]{max_X, U_Z} -> Y[I]", "SL210"),
        ("A[I]{U_}", "SL101"),
        ("A[I] A[J", "SL102"),
        ("$T = V / W$", "SL106"),
    ],
)
def test_no_statement_is_lost(dropped, code):
    found = format_report(f"X[I_X] -> X[I]\n{dropped}\nY[J]\n")
    assert found.text is None
    assert code in [finding.code for finding in found.findings]


def test_a_statement_that_is_only_wrong_is_formatted():
    assert shardlang.format_text("A[I,J]·B[K,L]->C[I,L,Q]") == "A[I, J] · B[K, L] -> C[I, L, Q]\n"


def test_bytes_that_are_no_text():
    found = format_report(b"A[I]\n\xff")
    assert found.text is None
    assert [finding.code for finding in found.findings] == ["SL103"]


@pytest.mark.parametrize("document", ["markdown", "latex", "html", "text", "rst", "python"])
def test_what_stands_in_no_block_of_a_document_stays(document):
    text = "Some prose.  \n\n$A[I_X] \\to A[I]$\r\n"
    assert shardlang.format_text(text, document=document) == text


def test_blocks_of_a_document_at_its_margin_get_the_canonical_form():
    block = "```shard\nA[I_{X}] \\to A[I]\n```\n"
    assert shardlang.format_text(block, document="markdown") == "```shard\nA[I_X] -> A[I]\n```\n"
    with pytest.raises(ValueError, match="line 2, column"):
        shardlang.format_text("```shard\nA[I_\n```\n", document="markdown")
