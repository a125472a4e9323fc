"""Names that look the same: each pair that must be told, and what readers tell apart and must not be."""

import pytest

import shardlang
from shardlang.source import SourceText
from shardlang.syntax import parse
from shardlang.syntax.lookalikes import _ALIKE, skeleton


def found(text: str, document: str | None = None) -> list[tuple[str, str, list[str]]]:
    """Return message and place of each SL111, and the places of its labels."""
    source = SourceText(text)
    return [
        (finding.message, source.slice(finding.span), [source.slice(label.span) for label in finding.labels])
        for finding in parse(source, document)[1]
        if finding.code == "SL111"
    ]


def test_both_places_and_code_points_are_told() -> None:
    message = "`А` and `A` look the same and are two names: U+0410 here, U+0041 in the other"
    assert found("A[I] -> B[I]\nА[I] -> C[I]\nА[I] -> D[I]") == [(message, "А", ["A"])]
    (finding,) = parse(SourceText("A[I] -> А[I]"))[1]
    assert (finding.severity, finding.hint, finding.labels[0].message) == (
        "warning",
        "write both with U+0041",
        "`A` with U+0041",
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("mesh X=2\nA[I_Х]", "Х"),  # the Cyrillic letter Ha
        ("A[I_Χ] -> A[I_X]", "X"),  # the Greek letter Chi
        ("W_іn[D] -> W_in[D]", "in"),
        ("A[I] ·_І B[I]", "І"),
        ("𝐖[D] -> W[D]", "W"),
        ("Ｗ[D] -> W[D]", "W"),
        ("A[е\u0301] -> A[é]", "é"),
        ("let В = 4\nA[B] -> C[B]", "B"),
        ("$A[I] \\to \\text{А}[I]$", "А}"),
    ],
)
def test_a_pair_is_found(text: str, place: str) -> None:
    assert [found_at for _, found_at, _ in found(text)] == [place]


@pytest.mark.parametrize(
    "text",
    [
        "A[α, a, β, b, ν, v, Δ, γ, y, σ, o, ρ, p, φ, ϕ, ω, w] -> B[I]",
        "Вес[Вход, Выход_X] -> Вес[Вход, Выход]",  # one alphabet, nothing that it could be taken for
        "A[é, e, ê, ø]",
        "W₁[D] -> W1[D]",
        "A[l, I, O_X] -> B[l, I, O_X]",  # Latin letters among themselves
        "注[I] -> 意[I]",
        "# А is no name\nA[I]",
    ],
)
def test_what_readers_tell_apart_is_not(text: str) -> None:
    assert found(text) == []


def test_the_names_of_options_count() -> None:
    report = shardlang.check("A[I_Х]", mesh={"X": 2})
    assert report.diagnostics[0].message == (
        "`Х` and `X` look the same and are two names: U+0425 here, U+0058 in the other, which is given beside the text"
    )


def test_prose_does_not_count() -> None:
    assert found("В списке `A[I_X] -> A[I]` и `B[I]`: А, В.\n", "markdown") == []
    assert len(found("`A[I_X] -> A[I]`, `А[I]`\n", "markdown")) == 1


def test_the_table_has_letters_once_and_what_they_look_like() -> None:
    letters = "".join(_ALIKE)
    assert len(set(letters)) == len(letters)
    assert all(char.isalpha() and not char.isascii() for char in letters)
    assert all(skeleton(skeleton(char)) == skeleton(char) != char for char in letters)


def test_piles_of_marks_take_no_time() -> None:
    assert skeleton("é" + "\u0316\u0301" * 100_000).startswith("é")
