"""Findings of syntax: the code, the whole message, the place, the hint. No name of a terminal ever shows."""

import pytest

from shardlang.source import SourceText
from shardlang.syntax import parse
from shardlang.syntax.driver import END
from shardlang.syntax.messages import _NAMES
from shardlang.syntax.tables import TERMINALS


@pytest.mark.parametrize(
    ("text", "code", "place", "message"),
    [
        ("A[I J]", "SL101", "J", "expected `]`, `,` or `=` after `I`, but found `J`"),
        ("A[I,,J]", "SL101", ",", "expected a dimension after `,`, but found `,`"),
        ("A[I] B[I]", "SL101", "B", "expected an operator, `->`, `=` or the end of the statement after `]`, but found `B`"),
        ("A[I] ->", "SL101", "->", "expected an array after `->`, but the statement ends"),
        ("-> A[I]", "SL101", "->", "expected an array, but found `->`"),
        ("A[I] -> B[I] -> C[I]", "SL101", "->", "a statement has one `->` or `=`; give the subresult a statement of its own"),
        ("A[I] · B[I] = C[I]", "SL101", "=", "left of `=` stands the result, which is one array; a result on the right takes `->`"),
        ("A[I] -> B[I] (A[I])", "SL101", "(", "expected the end of the statement after `]`, but found `(`"),
        ("A[I]]", "SL101", "]", "`]` closes a bracket that is not open"),
        ("gelu()", "SL101", ")", "expected an array after `(`, but found `)`"),
        ("let B =", "SL101", "=", "expected `(`, a name or a number after `=`, but the statement ends"),
        ("hardware", "SL101", "hardware", "expected a name after `hardware`, but the statement ends"),
        ("A[I]{R_X}", "SL101", "R_X", "`R` does not say what is pending: a sum is `U_…`, a maximum `max_…`, a minimum `min_…`"),
        ("A[I]{U_}", "SL101", "U_", "an axis is missing after `U_`"),
        ("A[I]{U}", "SL101", "U", "an axis is missing after `U_`"),
        ("A[I]{U__X}", "SL101", "U__X", "an axis is missing after `U_`"),
        ("A[I]{U_X, U_}", "SL101", "U_", "an axis is missing after `U_`"),
        ("A[J] ·_' B[J]", "SL101", "_'", "a name is missing after `_`"),
        ("AllGather_X_ A[I_X]", "SL101", "_X_", "a name is missing after `X_`"),
        ("W_{0.5}[I]", "SL101", "0.5", "`0.5` cannot be in a name: names have letters, digits and `_`"),
        ("Mesh((4, 2))", "SL101", "Mesh((4, 2))", "the names of the mesh axes are missing"),
        ("Mesh((4, 2), ('X',))", "SL101", "Mesh((4, 2), ('X',))", "the mesh has 1 axis names but 2 sizes"),
        ("A[I, J", "SL102", "[", "`[` is never closed"),
        ("A[I, J)", "SL102", "[", "`[` is closed by `)`"),
        ("A[I] ! B[I]", "SL103", "!", "`!` is not part of the notation"),
        ("A[I] \x00", "SL103", "\x00", "the character U+0000 is not part of the notation"),
        ("A[I] \\foo B[I]", "SL103", "\\foo", "`\\foo` is not part of the notation"),
        ("A[I] ·_LOCALB[I]", "SL104", "_LOCALB", "the subscript `LOCAL` runs into the array `B`"),
        ("A[J] ·_JB[J]", "SL104", "_JB", "the subscript `J` runs into the array `B`"),
        ("AllGather_XA[I_X] -> A[I]", "SL104", "_XA", "the subscript `X` runs into the array `A`"),
        ("A · B[I]", "SL105", "A", "`A` is written without its dimensions, as in `A[I, J]`"),
        ("B = 4096", "SL105", "B", "`B` has no dimensions; a size is declared with `let`"),
        ("$T = V / W$", "SL106", "T = V / W", "a formula without a bracketed array is no statement; it is skipped"),
        ("A[\u202eI]", "SL107", "\u202e", "the invisible character U+202E changes the direction in which its line is shown"),
        ("A[I_{X->Y}]", "SL101", "_{X->Y}", "an arrow in a subscript says where an AllToAll moves an axis; here it has no meaning"),
        ("A[I, J] ·_{J->K} B[J]", "SL101", "_{J->K}", "an arrow in a subscript says where an AllToAll moves an axis; here it has no meaning"),
        ("sum_{J->X} A[I, J]", "SL101", "_{J->X}", "an arrow in a subscript says where an AllToAll moves an axis; here it has no meaning"),
        ("A[I]{U_{X->Y}}", "SL101", "_{X->Y}", "an arrow in a subscript says where an AllToAll moves an axis; here it has no meaning"),
        ("A[I]{U_X, max_Y}", "SL210", "max_Y", "`U` and `max` are pending in one array: sums and maxima do not commute"),
        ("W[L, D][i]", "SL909", "[i]", "indexing an array is not supported yet: write `W` without the dimension that is indexed"),
    ],
)  # fmt: skip
def test_finding(text: str, code: str, place: str, message: str) -> None:
    source = SourceText(text)
    (finding,) = parse(source)[1]
    assert (finding.code, source.slice(finding.span), finding.message) == (code, place, message)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("A[I] ·_LOCALB[I]", "_LOCAL B"),
        ("B = 4096", "let B = 4096"),
        ("A[I]{R_X}", "{U_X}"),
        ("A[I] B[I]", "write `·` between two arrays to multiply them"),
    ],
)
def test_finding_has_a_hint(text: str, hint: str) -> None:
    (finding,) = parse(SourceText(text))[1]
    assert finding.hint == hint


@pytest.mark.parametrize("text", ["A[I] ·_LOCALB[I]", "A[J] ·_JB[J]", "AllGather_XA[I_X] -> A[I]", "B = 4096"])
def test_fix_mends_the_text(text: str) -> None:
    (finding,) = parse(SourceText(text))[1]
    (edit,) = finding.fixes[0].edits
    mended = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert parse(SourceText(mended))[1] == ()


def test_every_terminal_that_an_error_can_name_has_a_readable_name() -> None:
    terminals = {name for name, _ in TERMINALS}
    assert set(_NAMES) - {END, "OP", "TOPOLOGY"} <= terminals
    assert not any(name in readable for name in terminals for readable in _NAMES.values())


@pytest.mark.parametrize("control", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
def test_comments_have_no_controls_of_direction(control: str) -> None:
    """The bidirectional formatting characters of Unicode (UAX 9); what else does not show is no matter in a comment."""
    source = SourceText(f"A[I]  # a{control}b\n# \u200d is fine \u200f\n  # {control}\nB[J]\n")
    module, findings = parse(source)
    assert [(finding.code, source.position(finding.span.start)) for finding in findings] == [
        ("SL107", (1, 10)),
        ("SL107", (3, 5)),
    ]
    assert len(module.statements) == 2
