"""Where a fix may be written: not where it would break the document around the statement."""

import pytest

import shardlang

WRONG = "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]"
RIGHT = ("A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}", "AllReduce_X C[I, K]{U_X} -> C[I, K]")


@pytest.mark.parametrize(
    "text",
    [
        r"$\text{AllReduce}_X Q[B, D] \to Q[B, D]$",
        r"\textbf{AllReduce}_X(Q[B, D]) &\to Q[B, D] \\",
        "Text with `AllReduce_X Q[B, D] -> Q[B, D]` in it.",
        "$AllReduce_X Q[B, D] -> Q[B, D]$",
        f"| ${WRONG}$ | x |",
        f"> so ${WRONG}$",
        "$$\nA[I, J_X] \\cdot_{LOCAL} B[J_X, K] \\to C[I, K]\n$$",
        f"$$\n{WRONG}\n$$",
        "\\begin{align}\nA[I_X] \\to A[I] \\\\\nQ[B] \\to Q[B] \\\\\nAllReduce_X Q[B, D] \\to Q[B, D]\n\\end{align}",
        "\\[\nA[I, J] · B[J, K] J [K, L] \\to C[I, L]\n\\]",
        r"\begin{align} C[I, K] &= A[I, J_X] \cdot_{\text{LOCAL}} B[J_X, K] \\ \end{align}",
    ],
)
@pytest.mark.parametrize("document", ["markdown", "latex"])
def test_markup_around_a_statement_stays(text, document):
    assert shardlang.fix(text, document=document, unsafe=True).text == text


@pytest.mark.parametrize("indent", ["", "  ", "> "])
def test_a_fence_keeps_its_indent(indent):
    text = f"{indent}```shard\n{indent}{WRONG}\n{indent}```\n"
    report = shardlang.fix(text, document="markdown")
    if report.changed:
        assert report.text == f"{indent}```shard\n{indent}{RIGHT[0]}\n{indent}{RIGHT[1]}\n{indent}```\n"
    else:
        assert indent == "> "  # a fence in a quotation is not read as one


@pytest.mark.parametrize(
    ("text", "document", "mended"),
    [
        ("A[I] -> B[I]\nAllGather_X B[I] -> B[I]\nC[I]\n", None, "A[I] -> B[I]\nC[I]\n"),
        ("A[I] -> B[I]\r\n\tAllGather_X B[I] -> B[I]  \r\n", None, "A[I] -> B[I]\r\n"),
        ("A[I] -> B[I]\n  AllGather_X B[I] -> B[I]", None, "A[I] -> B[I]\n"),
        ("A[I] -> B[I]\nAllGather_X B[I] -> B[I]  # why\n", None, "A[I] -> B[I]\n  # why\n"),
        ("- ```shard\n  A[I]\n  AllGather_X A[I] -> A[I]\n  ```\n", "markdown", "- ```shard\n  A[I]\n  ```\n"),
        ("> ```shard\n> A[I]\n> AllGather_X A[I] -> A[I]\n> ```\n", "markdown", "> ```shard\n> A[I]\n> ```\n"),
    ],
)
def test_a_statement_that_is_removed_takes_its_line_along(text, document, mended):
    assert shardlang.fix(text, document=document, mesh={"X": 4}).text == mended


def test_line_ends_are_those_of_the_line():
    text = f"mesh X=4\r\n{WRONG}\r\nD[I] -> D[I]\n"
    assert shardlang.fix(text).text == f"mesh X=4\r\n{RIGHT[0]}\r\n{RIGHT[1]}\r\nD[I] -> D[I]\n"


def test_what_follows_a_mended_statement_shows_its_own_errors():
    """NOTATION section 6: one bad statement never hides the findings of the others, nor its own fixes."""
    text = f"{WRONG}\nC[I, M] · D[M, L] -> E[I, L]"
    before = shardlang.check(text)
    assert any("AllReduce_X" in fix.text for fix in before.diagnostics[0].fixes)
    after = shardlang.fix(text)
    assert after.text.startswith("\n".join(RIGHT))
    assert not after.ok


def test_what_was_not_run_is_not_said_to_be_right():
    report = shardlang.fix("A[I]{U_X} -> A[I]\nAllReduce_X A[I] -> A[I]\n" + "B[I_X, J_X] -> B[I, J]")
    assert [change.executed for change in report.fixed] == [None]


def test_parentheses_around_a_statement_go_with_it():
    text = "mesh X=4\n(A[I_X, J] · B[J, K_X])\nD[I]"
    (finding,) = shardlang.check(text).diagnostics
    assert len(finding.fixes) >= 3
    for fix in finding.fixes:
        assert shardlang.check(f"mesh X=4\n{fix.text}\nD[I]").ok
    assert shardlang.fix(text).ok
