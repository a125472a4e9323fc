"""What one array has to keep: NOTATION section 1."""

import pytest

from shardlang.limits import MOST_MESH_AXES
from tests.semantics.helpers import resolved


@pytest.mark.parametrize(
    ("text", "message", "under", "labelled"),
    [
        ("A[I_X, J_X]", "`X` shards both `I` and `J` of `A`: a mesh axis can be used once in an array", "X", ["X"]),
        ("E[V_X,D_X]", "`X` shards both `V` and `D` of `E`: a mesh axis can be used once in an array", "X", ["X"]),
        ("A[I_{XX}]", "`X` shards `I` of `A` twice: a mesh axis can be used once in an array", "X", ["X"]),
        (
            "[I_X, J_X]",
            "`X` shards both `I` and `J` of this array: a mesh axis can be used once in an array",
            "X",
            ["X"],
        ),
        ("A[I]{U_{XX}}", "`A` is unreduced over `X` twice: a mesh axis can be used once in an array", "X", ["X"]),
    ],
)
def test_an_axis_is_used_once_in_an_array(text, message, under, labelled):
    found = resolved(text)
    assert found.codes == ["SL201"]
    assert found.finding("SL201").message == message
    assert (found.under("SL201"), found.labelled("SL201")) == (under, labelled)
    assert not found.last.ok


def test_both_places_of_an_axis_used_twice_are_shown():
    found = resolved("A[I_X, J_X]")
    finding = found.finding("SL201")
    assert (finding.span.start, finding.labels[0].span.start) == (9, 4)
    assert finding.hint == "keep one of them: `A[I_X, J]` or `A[I, J_X]`"


def test_an_axis_cannot_be_sharded_and_pending():
    found = resolved("AllReduce_X(A[I_X, J]{U_X}) -> A[I_X, J]")
    assert found.codes == ["SL202"]
    assert found.finding("SL202").hint == "leave out one of them: `A[I_X, J]` or `A[I, J]{U_X}`"
    assert not found.last.ok


def test_a_result_is_checked_like_an_operand():
    found = resolved("A[I_X,J] · B[J,K_X] -> C[I_X,K_X]")
    assert found.codes == ["SL201"]
    assert "`C`" in found.finding("SL201").message
    assert not found.last.ok


def test_a_dimension_is_once_in_an_array():
    found = resolved("A[I, I]")
    assert found.codes == ["SL204"]
    assert found.fixed("SL204") == ["A[I, I2]"]
    assert found.finding("SL204").span.start == 5


@pytest.mark.parametrize(
    ("text", "axis"), [("A[I_W, J]", "W"), ("A[I_{XW}]", "W"), ("A[I]{U_W}", "W"), ("AllGather_W A[I_X] -> A[I]", "W")]
)
def test_an_axis_must_be_on_a_declared_mesh(text, axis):
    found = resolved(text, mesh={"X": 2, "Y": 2})
    assert found.codes == ["SL203"]
    assert found.under("SL203") == axis
    assert found.finding("SL203").message == "`W` is not an axis of the mesh, whose axes are `X`, `Y`"


def test_a_misspelt_axis_gets_a_suggestion():
    found = resolved("mesh data=4, model=2\nA[I_{modle}]")
    assert found.finding("SL203").hint == "did you mean `model`?"


def test_a_plain_dimension_near_an_axis_is_noted_and_accepted():
    found = resolved("mesh data=4, model=2\nA[hidden_modl]")
    assert found.codes == ["SL212"]
    assert found.last.ok


@pytest.mark.parametrize(("text", "code"), [("W: f99[D]", "SL209"), ("W: bf61[D]", "SL209")])
def test_unknown_element_types(text, code):
    assert code in resolved(text).codes


def test_a_misspelt_element_type_gets_a_suggestion():
    assert resolved("W: bfloat61[D]").finding("SL209").hint == "did you mean `bfloat16`?"


@pytest.mark.parametrize(
    ("text", "name", "dtype"),
    [
        ("bf16[B, D]", None, "bf16"),
        ("x: bfloat16[B, D_X]", "x", "bf16"),
        ("AllGather_X(bf16[D_X, F_Y])", None, "bf16"),
    ],
)
def test_element_types_are_kept(text, name, dtype):
    body = resolved(text).last.body
    ref = getattr(body, "array", None) or body.operand
    assert (ref.name, ref.type.dtype) == (name, dtype)


def test_types_of_names_are_collected():
    found = resolved("W_in: int8[D_X, F]\nx: f32[B, D]\ny[B]")
    assert found.program.declared_types == {"W_in": "int8", "x": "f32"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("W_in[D_?, F_?]", "SL906"),
        ("A[B_X, T, D] -> R[(B T)_X, D]", "SL901"),
        ("In[BX, D] · Win[D, FY] -> H[BX, FY]", "SL908"),
        ("A[GHIJ] · B[IJKL] -> C[GHKL]", "SL907"),
        ("A[IJ] · B[J, K] -> C[I, K]", "SL907"),
    ],
)
def test_what_is_not_supported_yet_says_so(text, code):
    found = resolved(f"mesh X=4, Y=2\n{text}")
    errors = {finding.code for finding in found.findings if finding.severity == "error"}
    assert errors == {code}
    assert "not supported yet" in found.finding(code).message
    assert found.finding(code).hint
    assert not found.last.ok


def test_lost_subscripts_come_with_the_spelling():
    found = resolved("mesh X=4, Y=2\nIn[BX, D]")
    assert found.fixed("SL908") == ["mesh X=4, Y=2\nIn[B_X, D]"]


@pytest.mark.parametrize("text", ["A[BATCH, SEQ] · W[SEQ, HEADS] -> C[BATCH, HEADS]", "A[SEQ]", "A[BATCH]"])
def test_a_word_of_capitals_may_be_one_dimension(text):
    assert resolved(text).codes == []


def test_a_mesh_that_is_not_declared_has_as_many_axes_as_a_declared_one():
    lines = [f"A[I_{{data{number}}}]" for number in range(MOST_MESH_AXES + 3)]
    found = resolved("\n".join([*lines, lines[0]]))
    assert found.codes == ["SL604"] * 3
    assert [statement.ok for statement in found.program.statements] == [True] * MOST_MESH_AXES + [False] * 3 + [True]
    assert [axis.name for axis in found.program.mesh.axes] == [f"data{number}" for number in range(MOST_MESH_AXES)]


def test_too_many_dimensions_are_refused():
    dims = ", ".join(f"d{number}" for number in range(40))
    found = resolved(f"A[{dims}]")
    assert found.codes == ["SL604"]
