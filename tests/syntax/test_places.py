"""Every node keeps its place in the text that the user typed: lines and columns count code points from one."""

import pytest

from shardlang.source import SourceText
from shardlang.syntax import ast, parse


def arrays(node: object) -> list[ast.Array]:
    """Return every array under a node, left to right."""
    found: list[ast.Array] = []
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.Array):
            found.append(item)
        elif isinstance(item, tuple):
            stack.extend(reversed(item))
    return sorted(found, key=lambda array: array.span)


def read(text: str) -> tuple[SourceText, ast.Statement]:
    source = SourceText(text)
    module, findings = parse(source)
    assert findings == ()
    (statement,) = module.statements
    return source, statement


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("A[I] · B[J] → C[I]", ["A[I]", "B[J]", "C[I]"]),
        ("\t\tA[I]\t·\tB[J]", ["A[I]", "B[J]"]),
        ("注意[批] · B[J]{U_X}", ["注意[批]", "B[J]{U_X}"]),
        (r"\text{In}[B] \cdot W_\text{in}[D, F]", [r"In}[B]", r"W_\text{in}[D, F]"]),
        (r"\mathbf{A}[I_{X}] \to &\ C[I]\{ U_X \}", [r"A}[I_{X}]", r"C[I]\{ U_X \}"]),
        ("W<sub>in</sub>[D<sub>X</sub>] + **B**[D]", ["W<sub>in</sub>[D<sub>X</sub>]", "B**[D]"]),
        ("AllGather_X(A[I_X])", ["A[I_X]"]),
        ("x: bf16[B] + y[B]", ["x: bf16[B]", "y[B]"]),
        ("float32[8@X]{U:Z}", ["float32[8@X]{U:Z}"]),
    ],
)
def test_array_has_its_place(text: str, places: list[str]) -> None:
    source, statement = read(text)
    assert [source.slice(array.span) for array in arrays(statement)] == places


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"\text{In}[B, \red{D}] \cdot W_\text{in}[\red{D}, F_{XY}]", ["In", "B", "D", r"W_\text{in", "D", "F"]),
        ("A’[I] + W<sub>in</sub>[d_model]", ["A’", "I", "W<sub>in</sub>", "d_model"]),
    ],
)
def test_word_has_its_place(text: str, words: list[str]) -> None:
    source, statement = read(text)
    found = []
    for array in arrays(statement):
        assert array.name is not None
        assert array.dims is not None
        found += [array.name, *(dim.word for dim in array.dims if dim.word)]
    assert [source.slice(word.span).removesuffix("}") for word in found] == words


def test_parts_of_a_statement_have_their_places() -> None:
    source, statement = read("AllGather_XY(A[I_{X,Y}]{max_Z}) ·_{LOCAL,J} B[K=12]")
    assert isinstance(statement, ast.Formula)
    product = statement.expr
    assert isinstance(product, ast.Product)
    gather = product.left
    assert isinstance(gather, ast.Apply)
    assert gather.subscript is not None
    assert source.slice(gather.span) == "AllGather_XY(A[I_{X,Y}]{max_Z})"
    assert source.slice(gather.name.span) == "AllGather"
    assert [source.slice(part.span) for part in gather.subscript.parts] == ["XY"]
    array = gather.args[0]
    assert isinstance(array, ast.Array)
    assert array.dims is not None
    assert array.dims[0].subscript is not None
    assert array.unreduced is not None
    assert source.slice(array.dims[0].subscript.span) == "_{X,Y}"
    assert [source.slice(part.span) for part in array.dims[0].subscript.parts] == ["X", "Y"]
    assert source.slice(array.unreduced.span) == "{max_Z}"
    assert [source.slice(part.span) for part in array.unreduced.axes.parts] == ["Z"]
    assert source.slice(product.symbol_span) == "·_{LOCAL,J}"
    assert product.dims is not None
    assert [source.slice(part.span) for part in product.dims.parts] == ["J"]
    right = product.right
    assert isinstance(right, ast.Array)
    assert right.dims is not None
    assert source.slice(right.dims[0].span) == "K=12"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("A[I] · B[J] → C[I !]", 1, 19),
        ("A[I]\n\t·\tB[J] !", 2, 9),
        ("$\\mathbf{A}[I] \\cdot B[J]$\n\\text{C}[I] ! D[J]", 2, 13),
        ("W<sub>in</sub>[D] ! B[J]", 1, 19),
        ("x[I] # ·\r\ny[J] !", 2, 6),
    ],
)
def test_finding_has_line_and_column(text: str, line: int, column: int) -> None:
    source = SourceText(text)
    (finding,) = parse(source)[1]
    assert source.position(finding.span.start) == (line, column)
