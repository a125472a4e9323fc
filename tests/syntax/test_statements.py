"""Where statements begin and end, and that one bad statement never costs another."""

import pytest

from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.syntax.printing import statement_text


def read(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return canonical texts, and code and place of each finding as the text under it."""
    source = SourceText(text)
    module, findings = parse(source)
    return [statement_text(item) for item in module.statements], [(f.code, source.slice(f.span)) for f in findings]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("A[I]\nB[J]", ["A[I]", "B[J]"]),
        ("A[I]\r\nB[J]\rC[K]", ["A[I]", "B[J]", "C[K]"]),
        ("A[I]; B[J];", ["A[I]", "B[J]"]),
        ("# only a comment\n\n", []),
        ("A[I] # a comment -> B[J]\nC[K]", ["A[I]", "C[K]"]),
        ("", []),
        # a trailing operator, and a leading one
        ("A[I] ·\n  B[I] ->\n  C[I]\nD[J]", ["A[I] · B[I] -> C[I]", "D[J]"]),
        ("A[I, J] ·_LOCAL\n  B[J]\n  -> C[I]", ["A[I, J] ·_LOCAL B[J] -> C[I]"]),
        ("A[I, J] ·_J\n  B[J]\nC[I]", ["A[I, J] ·_J B[J]", "C[I]"]),
        ("A[J, K] ·_{J,K}\n  B[J, K]\nC[I_{XY}]\nD[J]", ["A[J, K] ·_{J,K} B[J, K]", "C[I_{XY}]", "D[J]"]),
        # braces that end a line are those of the operator before them only where they are its subscript
        ("A[I, J] ·_{J} B[J] -> C[I]{U_X}\nD[J]", ["A[I, J] ·_J B[J] -> C[I]{U_X}", "D[J]"]),
        ("A[I] ·_{I} C[I]{U_{X}}\nD[J]", ["A[I] ·_I C[I]{U_X}", "D[J]"]),
        ("A[I]\n  · B[I]\n  -> C[I]\nD[J]", ["A[I] · B[I] -> C[I]", "D[J]"]),
        ("C[I] =\n  A[I]", ["C[I] = A[I]"]),
        ("C[I]\n# why\n  = A[I]", ["C[I] = A[I]"]),
        ("A[I] \\cdot\n B[I] \\to\n C[I]", ["A[I] · B[I] -> C[I]"]),
        ("A[I]\n\\rightarrow B[I]", ["A[I] -> B[I]"]),
        ("mesh X=4,\n     Y=2\nA[I]", ["mesh X=4, Y=2", "A[I]"]),
        # a declaration has no array that an operator could continue; its sizes go on
        ("explicit\n-A[I]", ["explicit", "-A[I]"]),
        ("mesh X=4\n-A[I]", ["mesh X=4", "-A[I]"]),
        ("mesh = jax.make_mesh((4,), ('X',))\n- A[I]", ["mesh X=4", "-A[I]"]),
        ("hardware tpu-v5p\n-sum_J(\nA[I, J])", ["hardware tpu-v5p", "-sum_J A[I, J]"]),
        ("let B = 4\n  - 2", ["let B = 4 - 2"]),
        ("let B = 4\n  * 2\n-A[I]", ["let B = 4*2", "-A[I]"]),
        ("mesh[I] = A[I]\n- B[I]", ["mesh[I] = A[I] - B[I]"]),
        # an open bracket
        ("A[I,\n  J] -> B[I]", ["A[I, J] -> B[I]"]),
        ("Z[B] = gelu(\n  X[B, D] · W[D]\n  + b[B])\nD[K]", ["Z[B] = gelu(X[B, D] · W[D] + b[B])", "D[K]"]),
        ("maximum(A[I],\n  B[I])", ["maximum(A[I], B[I])"]),
        ("bf16[B=128,\n  D=8192]", ["bf16[B=128, D=8192]"]),
        ("ReduceScatter_{X,\n J} A[I, J]{U_X}", ["ReduceScatter_{X,J} A[I, J]{U_X}"]),
        # LaTeX: `\\` ends a statement, but not before a brace; a closing `$` does unless an operator follows
        (r"A[I] \\ B[J] \\", ["A[I]", "B[J]"]),
        (r"A[I] \\{U_X\\} \\ B[J]", ["A[I]{U_X}", "B[J]"]),
        (r"A[I] \\[2pt] B[J]", ["A[I]", "B[J]"]),
        ("$A[I]$ $B[J]$", ["A[I]", "B[J]"]),
        ("$A[I]$ $\\cdot B[I]$", ["A[I] · B[I]"]),
        ("$A[I]$\n$\\to B[I]$", ["A[I] -> B[I]"]),
        (r"AllGather_X[I,J_X] \rightarrow A[I,J]$ $A[I,J] \cdot B[J] \rightarrow C[I]", ["AllGather_X [I, J_X] -> A[I, J]", "A[I, J] · B[J] -> C[I]"]),
        ("\\begin{align*}\nA[I_X] &\\to A[I] \\\\\nB[I_X] &\\to B[I]\n\\end{align*}", ["A[I_X] -> A[I]", "B[I_X] -> B[I]"]),
    ],
)  # fmt: skip
def test_statement_ends_where_it_should(text: str, statements: list[str]) -> None:
    assert read(text) == (statements, [])


@pytest.mark.parametrize(
    ("text", "statements", "findings"),
    [
        ("A[I,\nB[J] -> C[J]\nD[K]", ["B[J] -> C[J]", "D[K]"], [("SL102", "[")]),
        ("A[I,\nB = C[J]\nD[K]", ["D[K]"], [("SL102", "["), ("SL105", "B")]),
        ("A[I\n\nD[K]", ["D[K]"], [("SL102", "[")]),
        ("A[I\nmesh X=4\nD[K]", ["mesh X=4", "D[K]"], [("SL102", "[")]),
        ("A[I\nlet B = 2\nD[K]", ["let B = 2", "D[K]"], [("SL102", "[")]),
        ("gelu(A[I]\nB[J] -> C[J]", ["B[J] -> C[J]"], [("SL102", "(")]),
        ("A[I]{U_X\nB[J]", ["B[J]"], [("SL102", "{")]),
        ("A[I_{X\nB[J]", ["B[J]"], [("SL102", "_{")]),
        ("A[I, J · B[J, K] -> C[I, K]\nD[K]", ["D[K]"], [("SL102", "[")]),
        ("A[I, J) -> C[I]\nD[K]", ["D[K]"], [("SL102", "[")]),
        ("A[I]] -> B[I]\nD[K]", ["D[K]"], [("SL101", "]")]),
        ("A[I] -> -> B[I]\nD[K]", ["D[K]"], [("SL101", "->")]),
        ("A[I !\nD[K]", ["D[K]"], [("SL102", "[")]),
        ("A[I] ! B\nD[K]\nE[", ["D[K]"], [("SL103", "!"), ("SL102", "[")]),
        ("$A[I$ $B[J]$", ["B[J]"], [("SL102", "[")]),
    ],
)
def test_bad_statement_has_one_finding_and_costs_no_other(
    text: str, statements: list[str], findings: list[tuple[str, str]]
) -> None:
    assert read(text) == (statements, findings)


def test_comment_that_ignores_findings() -> None:
    text = "A[I]  # shardlang: ignore[SL203, SL205]\nB[J] # shardlang: ignore\n# nothing\n"
    source = SourceText(text)
    found = [(ignore.line, ignore.codes, source.slice(ignore.span)) for ignore in parse(source)[0].ignores]
    assert found == [
        (1, ("SL203", "SL205"), "shardlang: ignore[SL203, SL205]"),
        (2, (), "shardlang: ignore"),
    ]
