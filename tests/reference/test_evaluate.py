"""Local operations by dimension name, against the same sums written out with NumPy."""

import numpy as np
import pytest

from shardlang.reference.evaluate import EvaluationError, Named, apply, constant
from shardlang.syntax.operations import OPERATIONS

SIZES = {"I": 2, "J": 3, "K": 4}
A = Named(("I", "J"), np.arange(6.0).reshape(2, 3))
B = Named(("J", "K"), np.arange(12.0).reshape(3, 4))


def test_a_contraction_follows_names_not_places():
    result = apply("contract", (A, B), ("J",), ("K", "I"), SIZES)
    assert np.array_equal(result.data, (A.data @ B.data).T)


def test_a_dimension_of_one_operand_is_summed_over():
    result = apply("contract", (A, B), ("I", "J"), ("K",), SIZES)
    assert np.array_equal(result.data, A.data.sum(0) @ B.data)


def test_elementwise_operands_stretch_by_name():
    row = Named(("J",), np.array([10.0, 20.0, 30.0]))
    result = apply("add", (row, A), (), ("I", "J"), SIZES)
    assert np.array_equal(result.data, A.data + row.data)
    assert result.exact


def test_the_mean_of_a_block_is_an_addend_of_the_mean():
    block = Named(("I", "J"), A.data[:, :1])
    result = apply("mean", (block,), ("J",), ("I",), SIZES)
    assert np.array_equal(result.data, A.data[:, 0] / 3)
    assert not result.exact


def test_extrema_reduce_over_names():
    assert apply("max", (B,), ("J",), ("K",), SIZES).data.tolist() == [8, 9, 10, 11]
    assert apply("min", (B,), ("J", "K"), (), SIZES).data.tolist() == 0


@pytest.mark.parametrize(
    ("op", "operands", "contracted", "dims", "message"),
    [
        ("add", (A, Named(("J",), np.zeros(1))), (), ("I", "J"), "the operands hold 3 and 1 elements of dimension J"),
        ("contract", (A, B), ("J",), ("I", "L"), "no operand has all of the dimensions"),
        ("sum", (A,), ("K",), ("I", "J"), "sum over"),
        ("gelu", (A,), (), ("I",), "gives the dimensions"),
        ("unheard_of", (A,), (), ("I", "J"), "does not know the operation unheard_of"),
    ],
)
def test_what_cannot_be_computed_is_an_error(op, operands, contracted, dims, message):
    with pytest.raises(EvaluationError, match=message):
        apply(op, operands, contracted, dims, SIZES)


def test_numbers():
    assert constant("2.5").data == 2.5
    assert constant("1e3").exact
    with pytest.raises(EvaluationError, match="two is not a number"):
        constant("two")


def test_every_function_of_the_notation_can_be_run():
    operand = Named(("I",), np.array([0.25, 0.5]))
    for operation in OPERATIONS:
        if operation.kind == "function":
            result = apply(operation.name, (operand,) * operation.operands, (), ("I",), {"I": 2})
            assert result.data.shape == (2,)
        elif operation.kind == "reduction":
            assert apply(operation.name, (operand,), ("I",), (), {"I": 2}).data.shape == ()


def test_functions_have_the_values_that_their_names_say():
    at_one = {
        "sigmoid": 0.7310585786,
        "gelu": 0.8411919906,
        "silu": 0.7310585786,
        "softplus": 1.3132616875,
        "erf": 0.8427007929,
    }
    for name, value in at_one.items():
        result = apply(name, (Named((), np.array(1.0)),), (), (), {})
        assert float(result.data) == pytest.approx(value, abs=1e-9)
    half = apply("erfinv", (Named((), np.array(0.5)),), (), (), {})
    assert float(apply("erf", (half,), (), (), {}).data) == pytest.approx(0.5, abs=1e-12)
