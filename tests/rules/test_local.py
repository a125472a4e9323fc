"""What a local operation gives, and why operands do not form one. Expected values: NOTATION section 3, clause by clause."""

import pytest

from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.signature import signature_of
from tests.rules.arrays import array


def result_of(op, operands, result, contracted="", constants=()):
    arrays = [array(text) for text in operands]
    signature = signature_of(op, tuple(each.dims for each in arrays), tuple(result), tuple(contracted), constants)
    return local_result(signature, tuple(each.sharding for each in arrays))


PRODUCTS = [
    # 1. replicated in all operands
    ("[I,J]", "[J,K]", "[I,K]"),
    # 2. shards a dimension in every operand that has it
    ("[I_X,J]", "[J,K]", "[I_X,K]"),
    ("[I,J]", "[J,K_X]", "[I,K_X]"),
    ("[I_X,J]", "[J,K_Y]", "[I_X,K_Y]"),
    ("[I_XY,J]", "[J,K]", "[I_XY,K]"),
    ("[I_YX,J]", "[J,K]", "[I_YX,K]"),
    ("[I,J_X]", "[J_X,K]", "[I,K]{U_X}"),
    ("[I,J_XY]", "[J_XY,K]", "[I,K]{U_XY}"),
    ("[I,J_YX]", "[J_YX,K]", "[I,K]{U_XY}"),  # which axes are pending has no order
    ("[I_Y,J_X]", "[J_X,K_Z]", "[I_Y,K_Z]{U_X}"),
    # 3. unreduced in exactly one operand
    ("[I,J]{U_X}", "[J,K]", "[I,K]{U_X}"),
    ("[I,J]", "[J,K]{U_X}", "[I,K]{U_X}"),
    ("[I,J]{U_X}", "[J,K]{U_Y}", "[I,K]{U_XY}"),  # one operand for each axis
    ("[I,J]{U_Y}", "[J,K]{U_X}", "[I,K]{U_XY}"),
    ("[I_Y,J]{U_X}", "[J,K_Z]", "[I_Y,K_Z]{U_X}"),
    ("[I,J_Y]{U_X}", "[J_Y,K]", "[I,K]{U_XY}"),
]


@pytest.mark.parametrize(("a", "b", "expected"), PRODUCTS)
def test_products(a, b, expected):
    assert result_of("contract", (a, b), "IK", "J") == array(expected).sharding


REFUSED_PRODUCTS = [
    # a dimension sharded in one operand that has it and not in the other: the other is to change
    ("[I,J_X]", "[J,K]", ("unmatched", "X", 1, "J")),
    ("[I,J]", "[J_X,K]", ("unmatched", "X", 0, "J")),
    ("[I,J_X]", "[J_XY,K]", ("unmatched", "Y", 0, "J")),
    ("[I,J_XY]", "[J_X,K]", ("unmatched", "Y", 1, "J")),
    ("[I,J_X]", "[J_Y,K]", ("unmatched", "X", 1, "J")),
    # the same axes in another order
    ("[I,J_XY]", "[J_YX,K]", ("order", "Y", 1, "J")),
    # one axis on two dimensions
    ("[I_X,J]", "[J,K_X]", ("mixed", "X", 1, "K", "I")),
    ("[I_Y,J]", "[J,K_XY]", ("mixed", "Y", 1, "K", "I")),
    # pending where the axis shards the other factor
    ("[I,J]{U_X}", "[J,K_X]", ("pending", "X", 0, "K")),
    ("[I_X,J]", "[J,K]{U_X}", ("pending", "X", 1, "I")),
    # unreduced in two factors
    ("[I,J]{U_X}", "[J,K]{U_X}", ("pending", "X", 1)),
    # a product does not commute with an extremum
    ("[I,J]{max_X}", "[J,K]", ("pending", "X", 0)),
    ("[I,J]", "[J,K]{min_X}", ("pending", "X", 1)),
]


@pytest.mark.parametrize(("a", "b", "expected"), REFUSED_PRODUCTS)
def test_refused_products(a, b, expected):
    assert result_of("contract", (a, b), "IK", "J") == LocalProblem(*expected)


def test_an_axis_on_two_dimensions_of_an_outer_product():
    assert result_of("contract", ("[I_X]", "[K_X]"), "IK") == LocalProblem("mixed", "X", 1, "K", "I")


def test_a_pending_axis_that_shards_the_contracted_dimension_of_the_other():
    problem = result_of("contract", ("[I,J]{U_X}", "[J_X,K]"), "IK", "J")
    assert isinstance(problem, LocalProblem)
    assert (problem.axis, problem.dim) == ("X", "J")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("[B_X,I,J]", "[B_X,J,K]", "[B_X,I,K]"),
        ("[B_X,I,J_Y]", "[B_X,J_Y,K]", "[B_X,I,K]{U_Y}"),
    ],
)
def test_batch_dimensions(a, b, expected):
    assert result_of("contract", (a, b), "BIK", "J") == array(expected).sharding


def test_a_batch_dimension_on_different_axes():
    assert result_of("contract", ("[B_X,I,J]", "[B_Y,J,K]"), "BIK", "J") == LocalProblem("unmatched", "X", 1, "B")


def test_two_contracted_dimensions():
    assert result_of("contract", ("[I_X,J_Y]", "[I_X,J_Y]"), "", "IJ") == array("[]{U_XY}").sharding


def test_one_contracted_dimension_pending_and_another_operand_pending_on_the_same_axis():
    assert result_of("contract", ("[I,J_X]", "[J_X,K]{U_Y}"), "IK", "J") == array("[I,K]{U_XY}").sharding


ELEMENTWISE = [
    ("hadamard", "[I_X,J]", "[I_X,J]", "[I_X,J]"),
    ("hadamard", "[I,J]{U_X}", "[I,J]", "[I,J]{U_X}"),
    ("hadamard", "[I,J]", "[I,J]{U_X}", "[I,J]{U_X}"),
    ("divide", "[I,J]{U_X}", "[I,J]", "[I,J]{U_X}"),
    ("divide", "[I_X,J]", "[I_X,J]", "[I_X,J]"),
    ("add", "[I_X,J_Y]", "[I_X,J_Y]", "[I_X,J_Y]"),
    ("add", "[I,J]{U_X}", "[I,J]{U_X}", "[I,J]{U_X}"),
    ("add", "[I,J]{U_XY}", "[I,J]{U_XY}", "[I,J]{U_XY}"),
    ("add", "[I_X,J]{U_Y}", "[I_X,J]{U_Y}", "[I_X,J]{U_Y}"),
    ("subtract", "[I,J]{U_X}", "[I,J]{U_X}", "[I,J]{U_X}"),
    ("maximum", "[I,J]{max_X}", "[I,J]{max_X}", "[I,J]{max_X}"),
    ("minimum", "[I,J]{min_X}", "[I,J]{min_X}", "[I,J]{min_X}"),
]


@pytest.mark.parametrize(("op", "a", "b", "expected"), ELEMENTWISE)
def test_two_operands(op, a, b, expected):
    assert result_of(op, (a, b), "IJ") == array(expected).sharding


REFUSED_ELEMENTWISE = [
    ("hadamard", "[I,J]{U_X}", "[I,J]{U_X}", ("pending", "X", 1)),
    ("hadamard", "[I_X,J]", "[I,J]", ("unmatched", "X", 1, "I")),
    ("hadamard", "[I,J]", "[I_X,J]", ("unmatched", "X", 0, "I")),
    ("divide", "[I,J]", "[I,J]{U_X}", ("pending", "X", 1)),  # dividing by a pending sum is not linear
    ("divide", "[I,J]{U_X}", "[I,J]{U_X}", ("pending", "X", 1)),
    ("add", "[I,J]{U_X}", "[I,J]", ("pending", "X", 0)),  # the replicated one would count |X| times
    ("add", "[I,J]", "[I,J]{U_X}", ("pending", "X", 1)),
    ("add", "[I,J]{U_X}", "[I,J]{U_Y}", ("pending", "X", 0)),
    ("add", "[I,J]{U_X}", "[I_X,J]", ("unmatched", "X", 0, "I")),
    ("add", "[I,J]{U_X}", "[I,J]{max_X}", ("pending", "X", 1)),
    ("add", "[I,J]{max_X}", "[I,J]{max_X}", ("pending", "X", 1)),
    ("subtract", "[I,J]{max_X}", "[I,J]{max_X}", ("pending", "X", 1)),
    ("maximum", "[I,J]{U_X}", "[I,J]{U_X}", ("pending", "X", 1)),
    ("maximum", "[I,J]{min_X}", "[I,J]{min_X}", ("pending", "X", 1)),
    ("maximum", "[I,J]{max_X}", "[I,J]", ("pending", "X", 0)),  # relabelled first
    ("maximum", "[I,J]{min_X}", "[I,J]{max_X}", ("pending", "X", 1)),
    ("minimum", "[I,J]{max_X}", "[I,J]{max_X}", ("pending", "X", 1)),
    ("add", "[I_XY,J]", "[I_YX,J]", ("order", "Y", 1, "I")),
]


@pytest.mark.parametrize(("op", "a", "b", "expected"), REFUSED_ELEMENTWISE)
def test_refused_with_two_operands(op, a, b, expected):
    assert result_of(op, (a, b), "IJ") == LocalProblem(*expected)


ONE_OPERAND = [
    ("negate", "[I_X,J]", "[I_X,J]"),
    ("negate", "[I,J]{U_X}", "[I,J]{U_X}"),
    ("negate", "[I,J]{max_X}", "[I,J]{min_X}"),
    ("negate", "[I,J]{min_X}", "[I,J]{max_X}"),
    ("gelu", "[I_X,J_Y]", "[I_X,J_Y]"),
    ("exp", "[I,J]{max_X}", "[I,J]{max_X}"),
    ("exp", "[I,J]{min_X}", "[I,J]{min_X}"),
    ("relu", "[I,J]{max_XY}", "[I,J]{max_XY}"),
    ("cast", "[I,J]{U_X}", "[I,J]{U_X}"),
    ("identity", "[I,J]{max_X}", "[I,J]{max_X}"),
]


@pytest.mark.parametrize(("op", "a", "expected"), ONE_OPERAND)
def test_one_operand(op, a, expected):
    assert result_of(op, (a,), "IJ") == array(expected).sharding


@pytest.mark.parametrize(
    ("op", "a"),
    [("gelu", "[I,J]{U_X}"), ("relu", "[I,J]{U_X}"), ("exp", "[I,J]{U_X}"), ("gelu", "[I,J]{max_X}")],
)
def test_refused_functions(op, a):
    assert result_of(op, (a,), "IJ") == LocalProblem("pending", "X", 0)


def test_of_several_pending_axes_the_first_is_named():
    assert result_of("gelu", ("[I,J]{U_XY}",), "IJ") == LocalProblem("pending", "X", 0)


def test_a_transpose_takes_the_axes_along():
    assert result_of("negate", ("[I_X,J_Y]",), "JI") == array("[J_Y,I_X]").sharding


REDUCTIONS = [
    ("sum", "[I,J_X]", "[I]{U_X}"),
    ("mean", "[I,J_X]", "[I]{U_X}"),
    ("max", "[I,J_X]", "[I]{max_X}"),
    ("min", "[I,J_X]", "[I]{min_X}"),
    ("sum", "[I_X,J]", "[I_X]"),
    ("max", "[I_X,J]", "[I_X]"),
    ("sum", "[I_Y,J_X]", "[I_Y]{U_X}"),
    ("sum", "[I,J]{U_X}", "[I]{U_X}"),
    ("mean", "[I,J]{U_X}", "[I]{U_X}"),
    ("sum", "[I,J_Y]{U_X}", "[I]{U_XY}"),
    ("max", "[I,J]{max_X}", "[I]{max_X}"),
    ("max", "[I,J_Y]{max_X}", "[I]{max_XY}"),
    ("min", "[I,J]{min_X}", "[I]{min_X}"),
]


@pytest.mark.parametrize(("op", "a", "expected"), REDUCTIONS)
def test_reductions(op, a, expected):
    assert result_of(op, (a,), "I", "J") == array(expected).sharding


@pytest.mark.parametrize(
    ("op", "a"),
    [
        ("max", "[I,J]{U_X}"),
        ("max", "[I,J]{min_X}"),
        ("min", "[I,J]{max_X}"),
        ("sum", "[I,J]{max_X}"),
        ("mean", "[I,J]{min_X}"),
        ("sum", "[I,J_Y]{max_X}"),
    ],
)
def test_refused_reductions(op, a):
    assert result_of(op, (a,), "I", "J") == LocalProblem("pending", "X", 0)


def test_two_kinds_of_pending_in_one_result():
    """A positive multiple of a maximum, summed over a sharded dimension: both kinds would be pending at once."""
    problem = result_of("contract", ("[I,J_X]{max_Y}", "[]"), "I", "J", (None, "2"))
    assert problem == LocalProblem("kinds", "X", 0)


SCALED = [
    ("hadamard", "2", "[I]{max_X}", "[I]{max_X}"),
    ("hadamard", "-2", "[I]{max_X}", "[I]{min_X}"),
    ("hadamard", "-2", "[I]{min_X}", "[I]{max_X}"),
    ("hadamard", "-2", "[I]{U_X}", "[I]{U_X}"),
    ("hadamard", "0", "[I]{U_X}", "[I]{U_X}"),
]


@pytest.mark.parametrize(("op", "number", "a", "expected"), SCALED)
def test_scaling(op, number, a, expected):
    assert result_of(op, ("[]", a), "I", "", (number, None)) == array(expected).sharding
    assert result_of(op, (a, "[]"), "I", "", (None, number)) == array(expected).sharding


def test_adding_a_constant_to_a_pending_sum():
    """NOTATION section 3: a constant too would count |X| times."""
    assert result_of("add", ("[I]{U_X}", "[]"), "I", "", (None, "1")) == LocalProblem("pending", "X", 0)
    assert result_of("add", ("[I]{U_X}", "[]{U_X}"), "I", "", (None, "1")) == array("[I]{U_X}").sharding


def test_a_constant_divided_by_a_pending_sum():
    assert result_of("divide", ("[]", "[I]{U_X}"), "I", "", ("1", None)) == LocalProblem("pending", "X", 1)
