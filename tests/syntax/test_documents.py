"""Statements taken out of documents, with their places in the document."""

from pathlib import Path

import pytest

from shardlang.source import SourceText
from shardlang.syntax import document_kind, parse
from tests.syntax.printing import statement_text

NOTE = Path(__file__).parents[1] / "oracles" / "reading-note.md"


def read(text: str, kind: str) -> tuple[list[tuple[str, int, int]], list[tuple[str, str]]]:
    source = SourceText(text)
    module, findings = parse(source, kind)
    places = [(statement, source.position(statement.span.start)) for statement in module.statements]
    return (
        [(statement_text(statement), place.line, place.column) for statement, place in places],
        [(finding.code, source.slice(finding.span)) for finding in findings],
    )


@pytest.mark.parametrize(
    ("kind", "text", "statements"),
    [
        ("markdown", "We gather $A[I_X] \\to A[I]$ first.", [("A[I_X] -> A[I]", 1, 12)]),
        ("markdown", "So:\n\n$$\nA[I_X] \\to A[I]\n$$\n", [("A[I_X] -> A[I]", 4, 1)]),
        ("markdown", "So \\[ A[I_X] \\to A[I] \\] holds", [("A[I_X] -> A[I]", 1, 7)]),
        ("markdown", "So \\( A[I_X] \\to A[I] \\) holds", [("A[I_X] -> A[I]", 1, 7)]),
        ("markdown", "```shard\nA[I_X] -> A[I]\nB[J]\n```\nC[K", [("A[I_X] -> A[I]", 2, 1), ("B[J]", 3, 1)]),
        ("markdown", "~~~ {.shard}\nB[J]\n~~~\n", [("B[J]", 2, 1)]),
        ("markdown", "- ```shard\n  B[J]\n  ```\n```shard\nA[I]\n```\n", [("B[J]", 2, 3), ("A[I]", 5, 1)]),
        ("markdown", "* ~~~ {.shard}\n  B[J]\n  ~~~\n", [("B[J]", 2, 3)]),
        ("markdown", "12. ```shard\n    B[J]\n    ```\n", [("B[J]", 2, 5)]),
        ("markdown", "1) a\n\n   + ```shard\n     B[J]\n     ```\n", [("B[J]", 4, 6)]),
        ("markdown", "- 1. ```shard\n     B[J]\n     ```\n", [("B[J]", 2, 6)]),
        ("markdown", "> - ```shard\n>   B[J]\n>   ```\n", [("B[J]", 2, 5)]),
        ("markdown", "- > ```shard\n  > B[J]\n  > ```\n", [("B[J]", 2, 5)]),
        ("markdown", "- ```python\n  B[J]\n  ```\n$A[I]$\n", [("A[I]", 4, 2)]),
        ("markdown", "-```shard\n$A[I]$\n", [("A[I]", 2, 2)]),
        ("markdown", "```python\nA[I_X] -> A[I]\n```\n", []),
        ("markdown", "A code span `A[I_X] -> A[I]` in prose", [("A[I_X] -> A[I]", 1, 14)]),
        ("markdown", "`` B[J] `` and `x = 3` and `f(a)`", [("B[J]", 1, 4)]),
        ("markdown", "It costs $5 and then $6, see [1] and A[2].", []),
        ("markdown", "An unclosed $A[I_X] and no more", []),
        ("markdown", "$A[I]$, $B[J]$ and $C[K]$", [("A[I]", 1, 2), ("B[J]", 1, 10), ("C[K]", 1, 21)]),
        ("markdown", "$A[I]$ $\\cdot B[I]$", [("A[I] · B[I]", 1, 2)]),
        ("markdown", "$A[I]$\n$\\to B[I]$", [("A[I] -> B[I]", 1, 2)]),
        ("markdown", "\\$A[I] \\$ is escaped", []),
        ("markdown", "```{code-block} shard\n:name: a\n\nA[I_X]\n```\n```{code-block} python\nB[J\n```", [("A[I_X]", 4, 1)]),
        ("markdown", "> ```{code} shard\n> :linenos:\n>\n> A[I_X]\n> ```\n```{note}\nSo $B[J]$.\n```", [("A[I_X]", 4, 3)]),
        ("rst", "Say\n\n.. code-block:: shard\n   :caption: c[\n\n   A[I_X]\n   B[J]\n\nNot C[K\n", [("A[I_X]", 6, 4), ("B[J]", 7, 4)]),
        ("rst", ".. note::\n\n\t.. code:: shard\n\n\t\tA[I]\n\n\tB[\n", [("A[I]", 5, 3)]),
        ("rst", ".. code-block:: python\n\n   ``A[I]`` = B[\n\n``C[K_X] -> C[K]``", [("C[K_X] -> C[K]", 5, 3)]),
        ("rst", ".. math::\n   :label: l[\n\n   A[I_X] \\to A[I] \\\\\n   B[J]\n\nand :math:`C[K]`, :math:`D[K_X]\n\\to D[K]`.", [("A[I_X] -> A[I]", 4, 4), ("B[J]", 5, 4), ("C[K]", 7, 12), ("D[K_X] -> D[K]", 7, 26)]),
        ("rst", ".. math:: A[I_X] \\to A[I]\n\nprose [1]_ `x[`_ :math:`B[J", [("A[I_X] -> A[I]", 1, 11)]),
        ("latex", "\\section{A}\nText $A[I]$ % $B[J]$\n", [("A[I]", 2, 7)]),
        ("latex", "\\begin{align}\nA[I_X] &\\to A[I] \\\\\n&B[J]\n\\end{align}", [("A[I_X] -> A[I]", 2, 1), ("B[J]", 3, 2)]),
        ("latex", "\\begin{equation*}\\begin{aligned}A[I]\\end{aligned}\\end{equation*}", [("A[I]", 1, 33)]),
        ("latex", "\\[ A[I_X] \\to A[I] \\]", [("A[I_X] -> A[I]", 1, 4)]),
        ("latex", "$$A[I_X] % of B[\n\\to A[I] % $$ 5\\% ]\n$$", [("A[I_X] -> A[I]", 1, 3)]),
        ("markdown", "> ~~~shard\n> A[I_X]\n>   -> A[I]\n>\n>B[J]\n> ~~~\n\n> > ```shard\n> > C[K]", [("A[I_X] -> A[I]", 2, 3), ("B[J]", 5, 2), ("C[K]", 9, 5)]),
        ("latex", "\\verb|A[I]| and \\begin{verbatim}B[J\\end{verbatim}", [("A[I]", 1, 7)]),
        ("latex", "\\begin{lstlisting}[language=shard]\nB[J]\n\\end{lstlisting}", [("B[J]", 2, 1)]),
        ("markdown", "`f(x[i])`, `A[i] = B[j]`, `x[i][j]`, `dict[str, int]`, `[0, 1]`, `W[0]`, `a[i + 1] -> b`", []),
        ("markdown", "`def f(x: List[T]) -> Dict[K, V]`, `List[V] -> Map[K, V]`, `p->x[0]`, `s[N].t[K] => u`, `f(BUF[SIZE])`", []),
        ("markdown", "`x[b, d] * w[d, f] -> y[b, f]`", [("x[b, d] · w[d, f] -> y[b, f]", 1, 2)]),
        ("markdown", "It is $5, see A[1], and $6.", []),
        ("html", "<p>So <code>A[I<sub>X</sub>] -&gt; A[I]</code> | <a href='x[1]'>x</a></p>", [("A[I_X] -> A[I]", 1, 13)]),
        ("html", "<pre class='x'>\nA[I_X] -> A[I]\nB[J]</pre>", [("A[I_X] -> A[I]", 2, 1), ("B[J]", 3, 1)]),
        ("html", "So \\(A[I_X] \\to A[I]\\)<!-- $A[ --><script>A[I_X] -> </script><style>$B[</style>", [("A[I_X] -> A[I]", 1, 6)]),
        ("text", "First $$A[I]$$ then [2] and B[", [("A[I]", 1, 9)]),
    ],
)  # fmt: skip
def test_statements_of_a_document(kind: str, text: str, statements: list[tuple[str, int, int]]) -> None:
    assert read(text, kind) == (statements, [])


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("$T = V / W$ and $D = 4000$ and $Y(DF)$", [("SL106", "T = V / W"), ("SL106", "D = 4000"), ("SL106", "Y(DF)")]),
        ("$x \\in [0, 1]$", [("SL106", "x \\in [0, 1]")]),
        ("$A[I$ and $B[J] ! C$", [("SL102", "["), ("SL106", "B[J] ! C")]),
        ("$A[I] \\to B[I$", [("SL102", "[")]),
        ("$A[I] B[I]$", [("SL101", "B")]),
        ("$A[I]$ is equal to $\\cdot B[I]$", [("SL101", "\\cdot")]),
        ("```shard\nT = V\nA[I !\n```", [("SL105", "T"), ("SL102", "[")]),
        ("$x_i = \\sum_j A[i,j]$", [("SL106", "x_i = \\sum_j A[i,j]")]),
        ("$x[t + 1] = x[t]$ in $[0, 1)$", [("SL106", "x[t + 1] = x[t]"), ("SL106", "[0, 1)")]),
        ("`A[I_X] -> A[I` and `x[` and `not[ok] ok`", [("SL102", "[")]),
    ],
)
def test_findings_of_a_document(text: str, findings: list[tuple[str, str]]) -> None:
    assert read(text, "markdown")[1] == findings


def test_reading_note_has_no_error_of_syntax() -> None:
    source = SourceText(NOTE.read_text("utf-8"))
    module, findings = parse(source, "markdown")
    assert {finding.code for finding in findings} == {"SL106"}
    formulas = {source.slice(finding.span) for finding in findings}
    assert formulas >= {
        "T_{total} = \\frac{V}{W_{ici}}",
        "D = 4000, F = 4000",
        "Y(DF)",
        "X",
        "max(T_{math}, T_{comms})",
    }
    assert [(source.position(item.span.start).line, statement_text(item)) for item in module.statements] == [
        (15, "X[B, D] · Y[D, F] -> Z[B, F]"),
        (15, "X[B, D]"),
        (15, "Y[D, F]"),
        (15, "Z[B, F]"),
        (17, "X[B, D]"),
        (23, "A[I, J]"),
        (25, "A[I_X, J]"),
        (27, "A[I_X, J]"),
        (27, "A[I_Y, J]"),
        (27, "A[I_Y, J_X]"),
        (31, "A[I, J_X] · B[J, K] -> C[I, K]"),
        (35, "AllGather_X [I, J_X] -> A[I, J]"),
        (35, "A[I, J] · B[J, K] -> C[I, K]"),
        (43, "A[I, J_X] · B[J_X, L] -> C[I, K]"),
        (47, "A[I, J_X] ·_LOCAL B[J_X, L] -> C[I, K]{U_X}"),
        (49, "C[I, K]"),
        (51, "AllReduce_Y A[I_X, J]{U_Y} -> A[I_X, J]"),
        (55, "ReduceScatter_{Y,J} A[I_X, J]{U_Y} -> A[I_X, J_Y]"),
        (55, "AllGather_Y A[I_X, J_Y] -> A[I_X, J]"),
        (59, "[A, B_X] -> [A_X, B]"),
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("notes.md", "markdown"),
        ("a.b/NOTES.MARKDOWN", "markdown"),
        ("paper.tex", "latex"),
        ("page.html", "html"),
        ("PAGE.HTM", "html"),
        ("mail.txt", "text"),
        ("plan.shard", None),
        ("-", None),
        ("md", None),
    ],
)
def test_kind_of_a_document(name: str, kind: str | None) -> None:
    assert document_kind(name) == kind


@pytest.mark.parametrize(
    ("kind", "text", "place", "message"),
    [
        ("markdown", "So:\n\n4. dW<sub>F</sub>[F, D] {U<sub>X</sub>} = Tmp[B<sub>X</sub>, F] *<sub>B</sub> dOut[B<sub>X</sub>, D]", 8, "line 3 looks like a statement and was not read"),
        ("markdown", "```\nA[I_X] -> A[I]\nmore\n```\n    B[I_X] -> B[I]\n", 4, "2 lines look like statements and were not read (lines 2, 5)"),
        ("text", "A[I_X] -> A[I] (not needed)\n" * 12, 0, "12 lines look like statements and were not read (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"),
        ("latex", "% A[I_X] -> A[I]\nB[I_X] $x$ -> B[I]\nC[I_X] \\to C[I]", 36, "line 3 looks like a statement and was not read"),
    ],
)  # fmt: skip
def test_lines_that_are_not_read(kind: str, text: str, place: int, message: str) -> None:
    (finding,) = [finding for finding in parse(SourceText(text), kind)[1] if finding.code != "SL106"]
    assert (finding.code, finding.span.start, finding.message) == ("SL108", place, message)


@pytest.mark.parametrize(
    "text",
    [
        "    x[i] = y[j]\nA[I_X] and -> B[J]\n```python\nA[I_X] -> A[I]\n```\n",
        "A[I_X, J]\nsee A[I_X] -> A[I]\nmesh X=4 [1]",
        "`A[I_X] -> A[I]` and A[I_X] -> A[I]",
    ],
)
def test_lines_that_are_prose(text: str) -> None:
    assert parse(SourceText(text), "markdown")[1] == ()
