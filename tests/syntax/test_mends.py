"""Spellings that are refused although it is clear what is meant: the finding, its fix, and the statement as mended."""

import pytest

import shardlang
from shardlang.source import SourceText
from shardlang.syntax import ast, parse


def mended(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return code and place of the findings on a text, and the text with their fixes made."""
    source = SourceText(text)
    findings = parse(source)[1]
    edits = [edit for finding in findings for fix in finding.fixes[:1] for edit in fix.edits]
    for edit in sorted(edits, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return [(finding.code, source.slice(finding.span)) for finding in findings], text


def canonical(text: str) -> list[str | None]:
    """Return the canonical text of the statements, as far as they are read."""
    return [statement.canonical for statement in shardlang.parse(text).statements]


@pytest.mark.parametrize(
    ("text", "code", "place", "meant"),
    [
        ("A[Iₓ, J] ⋅ B[J, Kᵧ] → C[Iₓ, Kᵧ]", "SL103", "ₓ", "A[I_X, J] ⋅ B[J, K_Y] → C[I_X, K_Y]"),
        ("A[Iₓᵧ] -> A[I]", "SL103", "ₓᵧ", "A[I_{XY}] -> A[I]"),
        ("A[Iˣ] -> A[I]", "SL103", "ˣ", "A[I_X] -> A[I]"),
        ("A[I]{Uₓ} -> A[I]", "SL103", "ₓ", "A[I]{U_X} -> A[I]"),
        ("A[I, J] ·ⱼ B[J, K]", "SL103", "ⱼ", "A[I, J] ·_J B[J, K]"),
        ("s[i] = sumⱼ A[i, j]", "SL103", "ⱼ", "s[i] = sum_j A[i, j]"),
        ("AllGatherₓ(A[I_X])", "SL103", "ₓ", "AllGather_X(A[I_X])"),
        ("A[I_Xᵧ]", "SL103", "ᵧ", "A[I_XY]"),
        ("A[B_X_Y, D] -> A[B, D]", "SL101", "B_X_Y", "A[B_{XY}, D] -> A[B, D]"),
        ("A[J_Y_{X}, K]", "SL101", "J_Y_{X}", "A[J_{YX}, K]"),
        ("A[J_Y_{data,Z}, K]", "SL101", "J_Y_{data,Z}", "A[J_{Y,data,Z}, K]"),
        ("A[J_Y_Z@X]", "SL101", "J_Y_Z@X", "A[J_{YZX}]"),
        ("A[J_Y@(X,Z), K]", "SL101", "J_Y@(X,Z)", "A[J_{YXZ}, K]"),
        ("A[I] *LOCAL B[I]", "SL101", "LOCAL", "A[I] *_LOCAL B[I]"),
        ("A[I, J] ⋅LOCAL B[J, K] -> C[I, K]", "SL101", "LOCAL", "A[I, J] ⋅_LOCAL B[J, K] -> C[I, K]"),
        ("A[I] -> B[I] (*not on critical path*)", "SL101", "(*not on critical path*)", "A[I] -> B[I] # (*not on critical path*)"),
        ("B[I] = A[I] * C[I] (can be async)", "SL101", "(can be async)", "B[I] = A[I] * C[I] # (can be async)"),
        ("$A[I] -> B[I] (why)$", "SL101", "(why)", "$A[I] -> B[I]$"),
        ("all_gather(A[I_X], 'X', tiled=True)", "SL101", ", 'X', tiled=True", "AllGather_X(A[I_X])"),
        ("psum(A[I]{U_X}, axis_name='X') -> B[I]", "SL101", ", axis_name='X'", "AllReduce_X(A[I]{U_X}) -> B[I]"),
        ("psum(A[I]{U_XY}, ('X', 'Y'))", "SL101", ", ('X', 'Y')", "AllReduce_{X,Y}(A[I]{U_XY})"),
    ],
)  # fmt: skip
def test_the_fix_is_what_is_read(text: str, code: str, place: str, meant: str) -> None:
    assert mended(text) == ([(code, place)], meant)
    assert parse(SourceText(meant))[1] == ()
    assert len(canonical(meant)) == 1
    assert canonical(text) == canonical(meant)


def test_the_mesh_says_which_letter_is_meant() -> None:
    assert mended("mesh x=4\nA[Iₓ] -> A[I]")[1] == "mesh x=4\nA[I_x] -> A[I]"
    assert mended("mesh X=4\nA[Iₓ] -> A[I]")[1] == "mesh X=4\nA[I_X] -> A[I]"


@pytest.mark.parametrize("text", ["Wᵢₙ[D, F] + Aᵀ[D, F]", "W₁[D₁]", "A[d_model, head_dim_X]", "A[d_model_{X}, h@Y]"])
def test_names_that_stay_what_they_are(text: str) -> None:
    assert parse(SourceText(text))[1] == ()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("x[i][j]", "x[i, j]"),
        ("W[L_Z, D, F][i]", "W[D, F]"),
        ("W[L, M, D][i, j]{U_X}", "W[D]{U_X}"),
        ("W[I, J][i, j]", "W[I, J, i, j]"),
        ("W[I][]", "W[I]"),
        ("W[][i]", "W[i]"),
    ],
)
def test_an_index_is_left_out_or_joined(text: str, meant: str) -> None:
    assert mended(text)[1] == meant
    assert parse(SourceText(meant))[1] == ()


@pytest.mark.parametrize("text", ["psum(A[I]{U_X}, 'X')", "psum(A[I]{U_X}, X)", "psum(A[I]{U_X}, “X”)"])
def test_axis_as_an_argument(text: str) -> None:
    module, findings = parse(SourceText(text))
    assert findings == ()
    (statement,) = module.statements
    assert isinstance(statement, ast.Formula)
    assert isinstance(statement.expr, ast.Apply)
    assert statement.expr.op == "AllReduce"
    assert statement.expr.subscript is not None
    assert [part.text for part in statement.expr.subscript.parts] == ["X"]
    assert len(statement.expr.args) == 1


def test_positions_of_dimensions_are_refused() -> None:
    source = SourceText("all_to_all(A[I_X, J], 'X', 1, 0) -> A[I, J_X]")
    (finding,) = parse(source)[1]
    assert (finding.code, source.slice(finding.span), finding.hint) == ("SL101", "1, 0", "AllToAll_X A[…] -> …")


@pytest.mark.parametrize(
    "text",
    [
        "mesh " + ", ".join(f"X{n}=2" for n in range(150)),
        "mesh " + " ".join(f"X{n}=2" for n in range(150)),
        "mesh {" + ", ".join(f"X{n}: 2" for n in range(150)) + "}",
        "mesh " + " ".join(f"X{n}" for n in range(150)),
        "let " + ", ".join(f"B{n} = 2*{n}" for n in range(150)),
        "let " + " ".join(f"B{n} = 2" for n in range(150)),
    ],
)
def test_long_declarations_are_fine(text: str) -> None:
    assert parse(SourceText(text))[1] == ()


def test_a_size_in_a_declaration_has_a_bound() -> None:
    assert [finding.code for finding in parse(SourceText("let A = 1, B = " + " + ".join("1" * 150)))[1]] == ["SL602"]
