"""The canonical texts of steps: what they say, and that they parse back to the step they name."""

import pytest

from shardlang.rules.collectives import Request, Typed, apply_step
from shardlang.rules.plan import Value
from shardlang.rules.text import local_text, move_text, subscript_text, value_text
from shardlang.semantics import Options, resolve
from shardlang.semantics.program import Collective, Computation, Ref
from shardlang.semantics.sharding import array_text
from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.rules.arrays import array


def value(text, name="A"):
    return Value(name, array(text))


MOVES = [
    ("AllGather", "[I_X,J]", "X", None, None, "AllGather_X A[I_X, J] -> A[I, J]"),
    ("AllGather", "[I_X,J_Y]", "XY", None, None, "AllGather_{XY} A[I_X, J_Y] -> A[I, J]"),
    ("ReduceScatter", "[I,J]{U_X}", "X", "J", None, "ReduceScatter_{X,J} A[I, J]{U_X} -> A[I, J_X]"),
    ("ReduceScatter", "[I,J]{max_XY}", "YX", "J", None, "ReduceScatter_{YX,J} A[I, J]{max_{XY}} -> A[I, J_{YX}]"),
    ("ReduceScatter", "[I]{U_X}", "X", "I", None, "ReduceScatter_{X,I} A[I]{U_X} -> A[I_X]"),
    ("AllReduce", "[I]{U_X}", "X", None, None, "AllReduce_X A[I]{U_X} -> A[I]"),
    ("AllReduce", "[I]{min_XY}", "Y", None, None, "AllReduce_Y A[I]{min_{XY}} -> A[I]{min_X}"),
    ("AllToAll", "[I_X,J]", "X", "J", None, "AllToAll_{X,J} A[I_X, J] -> A[I, J_X]"),
    ("CollectivePermute", "[I_XY]", None, None, "[I_YX]", "CollectivePermute_{XY} A[I_{XY}] -> A[I_{YX}]"),
    ("CollectivePermute", "[I_X]", None, None, "[I_X]", "CollectivePermute A[I_X] -> A[I_X]"),
    ("Slice", "[I]", "X", None, None, "Slice_X A[I] -> A[I_X]"),
    ("Slice", "[I,J]", "X", "J", None, "Slice_{X,J} A[I, J] -> A[I, J_X]"),
    ("Mask", "[I]", "X", None, None, "Mask_X A[I] -> A[I]{U_X}"),
    ("Pad", "[I_X]", "X", None, None, "Pad_X A[I_X] -> A[I]{U_X}"),
    ("Pad", "[I_X,J]", "X", None, None, "Pad_X A[I_X, J] -> A[I, J]{U_X}"),
    ("Relabel", "[I]", "X", None, "[I]{min_X}", "Relabel_X A[I] -> A[I]{min_X}"),
]


def typed_move(kind, operand, axes, dim, stated):
    request = Request(tuple(axes) if axes else None, dim, array(stated) if stated else None)
    typed = apply_step(kind, array(operand), request)
    assert isinstance(typed, Typed)
    result = value(operand)._replace(type=array(operand)._replace(sharding=typed.result))
    return typed, move_text(kind, typed.axes, typed.dims, value(operand), result)


@pytest.mark.parametrize(("kind", "operand", "axes", "dim", "stated", "text"), MOVES)
def test_the_text_of_a_move(kind, operand, axes, dim, stated, text):
    assert typed_move(kind, operand, axes, dim, stated)[1] == text


def read_back(text):
    module, findings = parse(SourceText(text))
    program, more = resolve(module, Options())
    assert not [finding for finding in (*findings, *more) if finding.severity == "error"]
    (statement,) = [each for each in program.statements if each.body is not None]
    return statement.body


@pytest.mark.parametrize(("kind", "operand", "axes", "dim", "stated", "text"), MOVES)
def test_a_move_parses_back(kind, operand, axes, dim, stated, text):
    typed, _ = typed_move(kind, operand, axes, dim, stated)
    body = read_back(text)
    assert isinstance(body, Collective)
    assert isinstance(body.operand, Ref)
    assert body.result is not None
    assert (body.op, body.operand.type.sharding) == (kind, array(operand).sharding)
    assert apply_step(kind, body.operand.type, Request(body.axes, body.dim, body.result.type)) == typed


LOCALS = [
    ("contract", ("[I,J_X]", "[J_X,K]"), "J", "[I,K]{U_X}", "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}"),
    ("add", ("[I]", "[I]"), "", "[I]", "A[I] + B[I] -> C[I]"),
    ("subtract", ("[I]", "[I]"), "", "[I]", "A[I] - B[I] -> C[I]"),
    ("divide", ("[I]", "[I]"), "", "[I]", "A[I] / B[I] -> C[I]"),
    ("hadamard", ("[I_X]", "[I_X]"), "", "[I_X]", "A[I_X] ⊙ B[I_X] -> C[I_X]"),
    ("maximum", ("[I]", "[I]"), "", "[I]", "maximum(A[I], B[I]) -> C[I]"),
    ("gelu", ("[I_X]",), "", "[I_X]", "gelu(A[I_X]) -> C[I_X]"),
    ("negate", ("[I]",), "", "[I]", "C[I] = -A[I]"),
    ("sum", ("[I,J_X]",), "J", "[I]{U_X}", "sum_J A[I, J_X] -> C[I]{U_X}"),
    ("max", ("[I,J,K]",), "JK", "[I]", "max_{J,K} A[I, J, K] -> C[I]"),
]


@pytest.mark.parametrize(("op", "operands", "contracted", "result", "text"), LOCALS)
def test_the_text_of_a_local_operation(op, operands, contracted, result, text):
    values = tuple(value(own, name) for own, name in zip(operands, "AB", strict=False))
    assert local_text(op, values, tuple(contracted), value(result, "C")) == text


@pytest.mark.parametrize(("op", "operands", "contracted", "result", "text"), LOCALS)
def test_a_local_operation_parses_back(op, operands, contracted, result, text):
    body = read_back(text)
    assert isinstance(body, Computation)
    assert body.expr.name == op
    assert body.expr.contracted == tuple(contracted)
    assert [ref.type.sharding for ref in body.expr.args] == [array(own).sharding for own in operands]
    assert body.result.type.sharding == array(result).sharding


def test_numbers():
    assert value_text(Value(None, array("[]"), "2.5")) == "2.5"
    assert value_text(Value(None, array("[]{U_X}"), "1")) == "1{U_X}"
    assert value_text(Value(None, array("[]{max_XY}"), "-1")) == "-1{max_{XY}}"


def test_a_negative_number_in_front_stands_after_the_result():
    """A line that starts with an operator would continue the one before."""
    values = (Value(None, array("[]"), "-2"), value("[I]"))
    text = local_text("hadamard", values, (), value("[I]", "C"))
    assert text == "C[I] = -2 ⊙ A[I]"
    assert isinstance(read_back(text), Computation)


def test_axes_of_long_names():
    operand = Value("W", array("[I]"))
    assert subscript_text("AllGather", ("data",), ("I",), operand) == "_data"
    assert subscript_text("AllToAll", ("data", "model"), ("I", "J"), operand) == "_{data,model,J}"
    assert array_text("W", array("[I_X]")) == "W[I_X]"
