"""Subscripts of collectives: the last part is a dimension if the collective takes one and the operand has it."""

import pytest

from shardlang.semantics.program import Collective, Constant
from tests.semantics.helpers import resolved


@pytest.mark.parametrize(
    ("text", "op", "axes", "dim"),
    [
        ("AllGather_X(A[I_X, J]) -> A[I, J]", "AllGather", ("X",), None),
        ("AllGather_{XY} A[I_{XY}]", "AllGather", ("X", "Y"), None),
        ("AllGather_{X,Y} A[I_{XY}]", "AllGather", ("X", "Y"), None),
        ("AllGather(A[I_X, J]) -> A[I, J]", "AllGather", None, None),
        ("AllGather_{data,model} A[I_{data,model}]", "AllGather", ("data", "model"), None),
        ("ReduceScatter_{X,K} C[I, K]{U_X} -> C[I, K_X]", "ReduceScatter", ("X",), "K"),
        ("ReduceScatter_{XY,K} C[I, K]{U_{XY}} -> C[I, K_{XY}]", "ReduceScatter", ("X", "Y"), "K"),
        ("ReduceScatter_X C[I, K]{U_X} -> C[I, K_X]", "ReduceScatter", ("X",), None),
        ("AllToAll_{X,J} A[I_X, J]", "AllToAll", ("X",), "J"),
        ("AllToAll_{Z->B} Q[B, N_{YZ}, H]", "AllToAll", ("Z",), "B"),
        ("AllReduce_Y A[I_X]{U_Y} -> A[I_X]", "AllReduce", ("Y",), None),
        ("AllReduce_{X,K} A[I]{U_{KX}} -> A[I]", "AllReduce", ("X", "K"), None),
        # One letter may be a dimension and an axis.
        ("AllToAll_X A[X, B_X] -> A[X_X, B]", "AllToAll", ("X",), None),
        ("AllToAll_{X,X} A[X, B_X] -> A[X_X, B]", "AllToAll", ("X",), "X"),
        ("Slice_X A[X] -> A[X_X]", "Slice", ("X",), None),
        ("Slice_{X,Y} A[I, J] -> A[I_X, J_Y]", "Slice", ("X", "Y"), None),
        ("Slice_{X,J} A[I, J_Y] -> A[I, J_{YX}]", "Slice", ("X",), "J"),
        ("Mask_X A[I] -> A[I]{U_X}", "Mask", ("X",), None),
        ("Pad_X A[I_X] -> A[I]{U_X}", "Pad", ("X",), None),
        ("psum_X(A[I]{U_X}) -> A[I]", "AllReduce", ("X",), None),
    ],
)
def test_subscripts_are_axes_and_a_dimension(text, op, axes, dim):
    found = resolved(text)
    assert found.codes == []
    body = found.last.body
    assert isinstance(body, Collective)
    assert (body.op, body.axes, body.dim) == (op, axes, dim)


def test_with_a_mesh_the_letters_of_the_mesh_are_axes():
    body = resolved("mesh X=2, J=2\nReduceScatter_{X,J} A[I]{U_{XJ}} -> A[I_{XJ}]").last.body
    assert (body.axes, body.dim) == (("X", "J"), None)


def test_an_operand_without_a_name_is_the_result_s():
    body = resolved("AllGather_X[I, J_X] -> A[I, J]").last.body
    assert body.operand.name == "A"
    assert resolved("AllGather_X[I, J_X] -> A[I, J]").canonical() == ["AllGather_X [I, J_X] -> A[I, J]"]


def test_an_unwritten_result_stays_unwritten():
    assert resolved("AllReduce_X(A[I_Y, J]{U_X})").last.body.result is None


def test_a_constant_is_masked_like_an_array():
    body = resolved("Mask_X 1 -> 1{U_X}").last.body
    assert isinstance(body.operand, Constant)
    assert body.result.type.sharding.pending == ("X",)


@pytest.mark.parametrize(
    ("text", "code", "under"),
    [
        ("ReduceScatter_{X,K} C[I, J]{U_X}", "SL223", "K"),
        ("AllToAll_{Z->Q} A[B, N_Z]", "SL223", "Q"),
        ("AllGather_{XX} A[I_X]", "SL201", "_{XX}"),
        ("AllGather_X A[I_X] -> A[J]", "SL213", "A[J]"),
        ("AllGather_X(A[I_X], B[I_X])", "SL220", None),
    ],
)
def test_what_is_wrong_with_a_subscript(text, code, under):
    found = resolved(text)
    assert found.codes == [code]
    assert under is None or under in found.under(code)
    assert not found.last.ok
