"""Declarations, options, and sizes from several places."""

import pytest

from shardlang.semantics.program import MeshAxis
from shardlang.semantics.size import Monomial, axis_symbol, of
from tests.semantics.helpers import resolved


@pytest.mark.parametrize(
    "text",
    [
        "mesh X=4, Y=2",
        "mesh {X: 4, Y: 2}",
        "Mesh({'X': 4, 'Y': 2})",
        "Mesh(mesh_shape=(4, 2), axis_names=('X', 'Y'))",
        "let n = 4\nmesh X=n, Y=n/2",
        "mesh X, Y\nlet X = 4, Y = 2",
    ],
)
def test_meshes(text):
    program = resolved(text).program
    assert program.mesh.declared
    assert program.mesh.axes == (MeshAxis("X", 4), MeshAxis("Y", 2))


def test_without_a_mesh_the_axes_are_those_of_the_text():
    program = resolved("A[I_X, J_data] · B[J_data, K]{U_Z}").program
    assert not program.mesh.declared
    assert {axis.name for axis in program.mesh.axes} == {"X", "data", "Z"}
    assert all(axis.size is None for axis in program.mesh.axes)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("mesh X=16 ring, Y=4 line", ("ring", "line")),
        ("mesh X=16 ring:2, Y=4", ("ring:2", None)),
        ("mesh X=8 node, Y=4 scale-out", ("node", "scale-out")),
    ],
)
def test_topologies(text, kinds):
    axes = resolved(text).program.mesh.axes
    assert tuple(axis.topology and axis.topology.text for axis in axes) == kinds


def test_hardware_and_element_type():
    program = resolved("hardware tpu-v5p\ndtype float32\nA[I]").program
    assert (program.hardware, program.dtype) == ("tpu-v5p", "f32")
    assert resolved("A[I]").program.dtype == "bf16"


def test_explicit_holds_from_its_place_on():
    found = resolved("A[I_X] -> A[I]\nexplicit\nB[I_X] -> B[I]")
    assert [statement.explicit for statement in found.program.statements] == [False, True, True]
    assert resolved("A[I]", explicit=True).last.explicit


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("mesh X=4\nA[I_X]", {"mesh": {"X": 8}}),
        ("let I = 4\nA[I]", {"sizes": {"I": 8}}),
        ("mesh X=4\nA[I_X]", {"sizes": {"X": 8}}),
        ("hardware tpu-v5e\nA[I]", {"hardware": "tpu-v5p"}),
        ("dtype f32\nA[I]", {"dtype": "bf16"}),
    ],
)
def test_options_override_the_text_with_a_note(text, options):
    found = resolved(text, **options)
    assert found.codes == ["SL211"]
    assert found.last.ok


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("let I = 4\nA[I]", {"sizes": {"I": 4}}),
        ("hardware tpu-v5p\nA[I]", {"hardware": "tpu-v5p"}),
        ("dtype bfloat16\nA[I]", {"dtype": "bf16"}),
    ],
)
def test_an_option_that_says_the_same_needs_no_note(text, options):
    assert resolved(text, **options).codes == []


def test_an_option_of_the_mesh_is_the_mesh():
    found = resolved("mesh X=4, Y=2\nA[I_Z]", mesh={"X": 8, "Z": None})
    assert found.program.mesh.axes == (MeshAxis("X", 8), MeshAxis("Z", None))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("mesh X=4\nmesh X=2", "SL206"),
        ("mesh X=4, X=2", "SL206"),
        ("let B = 1\nlet B = 2", "SL206"),
        ("dtype f32\ndtype bf16", "SL206"),
        ("hardware tpu-v5p\nhardware tpu-v5e", "SL206"),
        ("W: int8[D]\nW: bf16[D]", "SL206"),
        ("dtype f99", "SL209"),
        ("mesh X = P*Q, P=4, Q=2", "SL904"),
        ("rules batch -> X, mlp -> Y", "SL905"),
        ("let B = 0", "SL207"),
        ("mesh X=0", "SL207"),
        ("let B = 2*C, C = 2*B", "SL207"),
        ("let B = B", "SL207"),
        ("let B = 4*Q", "SL208"),
        ("A[I=2] + B[I=3] -> C[I]", "SL221"),
        ("let I = 4\nA[I=2]", "SL221"),
        ("mesh X=4\nlet X = 8\nA[I_X]", "SL221"),
    ],
)
def test_bad_declarations(text, code):
    found = resolved(text)
    assert [finding.code for finding in found.findings if finding.severity == "error"] == [code]


def test_the_same_declaration_twice_is_harmless():
    assert resolved("mesh X=4\nmesh X=4\nlet B = 2\nlet B = 2").codes == []


def test_a_mesh_has_a_bounded_number_of_axes():
    text = "mesh " + ", ".join(f"x{number}=2" for number in range(80)) + "\nA[I_{x1}]"
    found = resolved(text)
    assert found.codes == ["SL604"]
    assert [statement.ok for statement in found.program.statements] == [False, True]


def test_a_contradiction_points_at_the_first_place():
    found = resolved("let B = 1\nlet B = 2")
    assert found.finding("SL206").span.start == 14
    assert found.labelled("SL206") == ["B"]


def test_one_letter_may_be_a_dimension_and_an_axis():
    found = resolved("mesh B=2\nlet B = 8\nA[B_B]")
    assert found.codes == []
    assert found.program.sizes["B"] == Monomial(8)
    assert found.program.mesh.size("B") == 2


def test_sizes_may_be_given_in_axes():
    found = resolved("mesh X, Y=4\nlet B = 8*X, D = 8*Y\nA[B, D]")
    assert found.program.sizes["B"] == 8 * of(axis_symbol("X"))
    assert found.program.sizes["D"] == Monomial(32)


def test_hardware_symbols_are_kept_apart():
    found = resolved("A[I_X]", sizes={"W_hbm": 8.1e11, "C": 1.97e14, "T_min": 1e-6, "I": 8})
    assert found.program.hardware_values == {"W_hbm": 8.1e11, "C": 1.97e14, "T_min": 1e-6}
    assert found.program.sizes == {"I": Monomial(8)}


def test_a_dimension_comes_before_a_hardware_symbol():
    found = resolved("A[C]", sizes={"C": 8})
    assert found.program.sizes == {"C": Monomial(8)}
    assert found.program.hardware_values == {}


def test_later_sizes_may_be_used_before_they_are_given():
    found = resolved("let F = 4*D + 1\nA[F, D]\nlet D = 8")
    assert found.program.sizes["F"] == Monomial(33)


def test_a_long_chain_of_sizes_needs_no_recursion():
    text = "let d0 = 1\n" + "".join(f"let d{number} = d{number - 1}\n" for number in range(1, 3000)) + "A[d2999]"
    assert resolved(text).program.sizes["d2999"] == Monomial(1)
    back = "".join(f"let d{number} = d{number + 1}\n" for number in range(3000)) + "let d3000 = 1\nA[d0]"
    assert resolved(back).program.sizes["d0"] == Monomial(1)


@pytest.mark.parametrize(
    ("text", "word", "fix"),
    [
        ("mesh X=16 rign, Y=4", "rign", "ring"),
        ("mesh X, Y lien", "lien", "line"),
        ("mesh X=4, Y=2 Q", "Q", None),
    ],
)
def test_with_commas_a_word_after_a_size_is_a_topology(text, word, fix):
    found = resolved(text).finding("SL505")
    assert found.message == f"`{word}` is not a kind of link"
    assert text[found.span.start : found.span.end] == word
    assert [edit.text for made in found.fixes for edit in made.edits] == ([fix] if fix else [])


@pytest.mark.parametrize(
    "text", ["mesh X Y", "mesh X=4 Y", "mesh X=4 Y=2", "mesh X=4 ring Y=2", "mesh X, Y", "mesh X=4, Y"]
)
def test_without_commas_it_is_an_axis(text):
    found = resolved(text)
    assert found.findings == ()
    assert [axis.name for axis in found.program.mesh.axes] == ["X", "Y"]
