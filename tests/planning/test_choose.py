"""The rule for symbolic sizes by itself: the layouts that operands take. Expected values: NOTATION section 5, case by case."""

import pytest

from shardlang.planning.choose import Open, choose
from shardlang.rules.signature import Signature, signature_of
from tests.rules.arrays import array, layout

CONTRACTION = [
    # contracted, sharded in one operand only: gathered there, the excess over a common prefix only
    ("[I,J_X]", "[J,K]", "[I,K]", "[I,J]", "[J,K]"),
    ("[I,J]", "[J_X,K]", "[I,K]", "[I,J]", "[J,K]"),
    ("[I,J_XY]", "[J_X,K]", "[I,K]{U_X}", "[I,J_X]", "[J_X,K]"),
    ("[I,J_X]", "[J_XY,K]", "[I,K]{U_X}", "[I,J_X]", "[J_X,K]"),
    ("[I,J_XYZ]", "[J_XY,K]", "[I,K]{U_XY}", "[I,J_XY]", "[J_XY,K]"),
    ("[I,J_XY]", "[J_XZ,K]", "[I,K]{U_X}", "[I,J_X]", "[J_X,K]"),
    ("[I,J_XY]", "[J_X,K]", "[I,K]", "[I,J_X]", "[J_X,K]"),
    ("[I,J_XY]", "[J_XZ,K]", "[I,K]", "[I,J_X]", "[J_X,K]"),
    ("[I,J_XYZ]", "[J_XY,K]", "[I,K]", "[I,J_XY]", "[J_XY,K]"),
    # on a kept dimension of the same operand if the output wants it there, on one of the other: sliced there
    ("[I,J_X]", "[J,K]", "[I_X,K]", "[I_X,J]", "[J,K]"),
    ("[I,J]", "[J_X,K]", "[I,K_X]", "[I,J]", "[J,K_X]"),
    ("[I,J_X]", "[J,K]", "[I,K_X]", "[I,J]", "[J,K_X]"),
    ("[I,J]", "[J_X,K]", "[I_X,K]", "[I_X,J]", "[J,K]"),
    ("[I_Y,J_X]", "[J,K]", "[I_XY,K]", "[I_YX,J]", "[J,K]"),
    ("[I,J_X]", "[J,K_Y]", "[I,K_XY]", "[I,J]", "[J,K_YX]"),
    # a pending result: the other is sliced, free
    ("[I,J_X]", "[J,K]", "[I,K]{U_X}", "[I,J_X]", "[J_X,K]"),
    ("[I,J]", "[J_X,K]", "[I,K]{U_X}", "[I,J_X]", "[J_X,K]"),
    ("[I,J_YX]", "[J,K]", "[I,K]{U_XY}", "[I,J_YX]", "[J_YX,K]"),  # in the order that is there
    # not if the other uses the axis elsewhere
    ("[I,J_X]", "[J,K_X]", "[I,K]{U_X}", "[I,J]", "[J,K_X]"),
    # sharded alike: multiply as they are
    ("[I,J_X]", "[J_X,K]", "[I,K]", "[I,J_X]", "[J_X,K]"),
    ("[I,J_X]", "[J_X,K]", "[I_X,K]", "[I,J_X]", "[J_X,K]"),
    # the same axes in another order: the later operand is permuted
    ("[I,J_XY]", "[J_YX,K]", "[I,K]", "[I,J_XY]", "[J_XY,K]"),
    # no common prefix: both whole; an axis is put on one dimension once
    ("[I,J_X]", "[J_Y,K]", "[I,K]", "[I,J]", "[J,K]"),
    ("[I,J_X]", "[J_YX,K]", "[I,K_X]", "[I,J]", "[J,K_X]"),
    ("[I,J_YX]", "[J_X,K]", "[I_X,K]", "[I_X,J]", "[J,K]"),
    # one axis on two kept dimensions: the one that the output does not ask for, else the later, up to the clash
    ("[I_X,J]", "[J,K_X]", "[I_X,K]", "[I_X,J]", "[J,K]"),
    ("[I_X,J]", "[J,K_X]", "[I,K_X]", "[I,J]", "[J,K_X]"),
    ("[I_X,J]", "[J,K_X]", "[I,K]", "[I_X,J]", "[J,K]"),
    ("[I_XY,J]", "[J,K_X]", "[I,K_X]", "[I,J]", "[J,K_X]"),
    ("[I_YX,J]", "[J,K_X]", "[I_Y,K_X]", "[I_Y,J]", "[J,K_X]"),
    ("[I_X,J]", "[J,K_YX]", "[I,K]", "[I_X,J]", "[J,K_Y]"),
    ("[I_X,J]", "[J,K_XY]", "[I,K]", "[I_X,J]", "[J,K]"),
    # pending sums stay pending through linear steps, and are reduced on the result
    ("[I,J]{U_X}", "[J,K]", "[I,K]", "[I,J]{U_X}", "[J,K]"),
    ("[I,J]", "[J,K]{U_X}", "[I_X,K]", "[I,J]", "[J,K]{U_X}"),
    # pending where the axis shards the other's contracted dimension: scattered onto it; a kept one: reduced
    ("[I,J]{U_X}", "[J_X,K]", "[I,K]", "[I,J_X]", "[J_X,K]"),
    ("[I,J_X]", "[J,K]{U_X}", "[I,K]{U_X}", "[I,J_X]", "[J_X,K]"),
    ("[I,J]{U_X}", "[J,K_X]", "[I,K_X]", "[I,J]", "[J,K_X]"),
    ("[I_X,J]", "[J,K]{U_X}", "[I_X,K]", "[I_X,J]", "[J,K]"),
    # two pending factors: the earlier is reduced
    ("[I,J]{U_X}", "[J,K]{U_X}", "[I,K]{U_X}", "[I,J]", "[J,K]{U_X}"),
    ("[I,J]{U_X}", "[J,K]{U_X}", "[I,K]", "[I,J]", "[J,K]{U_X}"),
    ("[I,J]{U_X}", "[J,K]{U_X}", "[I_X,K]", "[I,J]", "[J,K]{U_X}"),
    # an extremum does not pass a product
    ("[I,J]{max_X}", "[J,K]", "[I,K]", "[I,J]", "[J,K]"),
    # what the output asks for and nobody uses is sliced before
    ("[I,J]", "[J,K]", "[I_X,K]", "[I_X,J]", "[J,K]"),
    ("[I_Y,J]", "[J,K]", "[I_YX,K]", "[I_YX,J]", "[J,K]"),
    ("[I_Y,J]", "[J,K]", "[I_XY,K]", "[I_Y,J]", "[J,K]"),
    ("[I_Y,J]", "[J,K]", "[I_XZY,K]", "[I_Y,J]", "[J,K]"),  # not where a permute would have to follow
    ("[I,J]", "[J,K]", "[I,K]{U_X}", "[I,J_X]", "[J_X,K]"),
    ("[I,J]", "[J,K]", "[I_XY,K]", "[I_XY,J]", "[J,K]"),
    ("[I_Y,J]", "[J,K]", "[I_X,K_Z]", "[I_Y,J]", "[J,K_Z]"),
    ("[I,J]", "[J,K_X]", "[I_X,K]{U_Y}", "[I,J_Y]", "[J_Y,K_X]"),
    ("[I,J_X]", "[J_X,K]", "[I_YX,K]", "[I_Y,J_X]", "[J_X,K]"),
]


def signature_for(op: str, texts: list[str], result: str, contracted: str, constants: tuple[str | None, ...] = ()):
    operands = tuple(array(text).dims for text in texts)
    return signature_of(op, operands, array(result).dims, tuple(contracted), constants)


@pytest.mark.parametrize(("a", "b", "wanted", "left", "right"), CONTRACTION)
def test_contraction(a, b, wanted, left, right):
    signature = signature_for("contract", [a, b], wanted, "J")
    assert choose(signature, (layout(a), layout(b)), layout(wanted)) == (layout(left), layout(right))


BATCH = [
    ("[B_X,I,J]", "[B,J,K]", "[B_X,I,K]", "[B_X,I,J]", "[B_X,J,K]"),
    ("[B,I,J]", "[B_XY,J,K]", "[B_XY,I,K]", "[B_XY,I,J]", "[B_XY,J,K]"),
    # one axis on two kept dimensions: the later operand is gathered, though the batch dimension stands first
    ("[B,I_X,J]", "[B_X,J,K]", "[B,I,K]", "[B,I_X,J]", "[B,J,K]"),
    # on different axes: those that the output asks for stay, else those of the earlier operand
    ("[B_X,I,J]", "[B_Y,J,K]", "[B_X,I,K]", "[B_X,I,J]", "[B_X,J,K]"),
    ("[B_X,I,J]", "[B_Y,J,K]", "[B_Y,I,K]", "[B_Y,I,J]", "[B_Y,J,K]"),
    ("[B_X,I,J]", "[B_Y,J,K]", "[B,I,K]", "[B_X,I,J]", "[B_X,J,K]"),
    ("[B_X,I,J]", "[B_Y,J,K]", "[B_YZ,I,K]", "[B_YZ,I,J]", "[B_YZ,J,K]"),
    ("[B_XZ,I,J]", "[B_ZX,J,K]", "[B_ZX,I,K]", "[B_ZX,I,J]", "[B_ZX,J,K]"),
]


@pytest.mark.parametrize(("a", "b", "wanted", "left", "right"), BATCH)
def test_batch_dimensions(a, b, wanted, left, right):
    signature = signature_for("contract", [a, b], wanted, "J")
    assert choose(signature, (layout(a), layout(b)), layout(wanted)) == (layout(left), layout(right))


ELEMENTWISE = [
    ("add", "[I]{U_X}", "[I]", "[I]", "[I]", "[I]"),  # reduced first
    ("add", "[I]{U_X}", "[I]", "[I]{U_X}", "[I]{U_X}", "[I]{U_X}"),  # masked
    ("add", "[I]", "[I]{U_X}", "[I]{U_X}", "[I]{U_X}", "[I]{U_X}"),
    ("add", "[I]{U_X}", "[I_X]", "[I]{U_X}", "[I]{U_X}", "[I]{U_X}"),  # padded
    ("add", "[I]{U_X}", "[I_X]", "[I]", "[I_X]", "[I_X]"),  # scattered onto where the other has it
    ("add", "[I]{U_X}", "[I]", "[I_X]", "[I_X]", "[I_X]"),  # scattered to where the output wants it
    ("add", "[I_Y]{U_X}", "[I_Y]", "[I_XY]", "[I_YX]", "[I_YX]"),
    ("add", "[I,J]{U_X}", "[I_X,J]", "[I,J_X]", "[I_X,J]", "[I_X,J]"),
    ("add", "[I]{U_X}", "[I]{U_X}", "[I]", "[I]{U_X}", "[I]{U_X}"),
    ("add", "[I]{U_XY}", "[I]{U_X}", "[I]{U_XY}", "[I]{U_XY}", "[I]{U_XY}"),
    ("add", "[I]{U_X}", "[I]{U_Y}", "[I]{U_XY}", "[I]{U_XY}", "[I]{U_XY}"),
    ("add", "[I]{U_XY}", "[I]{U_Y}", "[I]{U_Y}", "[I]{U_Y}", "[I]{U_Y}"),
    ("maximum", "[I]{max_X}", "[I]", "[I]{max_X}", "[I]{max_X}", "[I]{max_X}"),  # relabelled
    ("maximum", "[I]{max_X}", "[I]", "[I]", "[I]", "[I]"),
    ("maximum", "[I]{max_X}", "[I_X]", "[I]{max_X}", "[I_X]", "[I_X]"),  # nothing pads a maximum
    ("maximum", "[I]{max_XY}", "[I]{max_Y}", "[I]{max_XY}", "[I]{max_XY}", "[I]{max_XY}"),
    ("maximum", "[I]{U_X}", "[I]", "[I]", "[I]", "[I]"),  # no maximum of a pending sum
    ("hadamard", "[I]{U_X}", "[I]{U_X}", "[I]{U_X}", "[I]", "[I]{U_X}"),
    ("hadamard", "[I]{U_X}", "[I_X]", "[I_X]", "[I_X]", "[I_X]"),
    ("divide", "[I]{U_X}", "[I]{U_X}", "[I]", "[I]", "[I]"),  # not linear in the divisor
    ("divide", "[I]", "[I]{U_X}", "[I]", "[I]", "[I]"),
    ("divide", "[I]", "[I]{U_X}", "[I_X]", "[I_X]", "[I_X]"),
    ("hadamard", "[I_X]", "[I]", "[I_X]", "[I_X]", "[I_X]"),
    ("hadamard", "[I_X,J]", "[J_X]", "[I,J_X]", "[I,J_X]", "[J_X]"),
]


@pytest.mark.parametrize(("op", "a", "b", "wanted", "left", "right"), ELEMENTWISE)
def test_elementwise(op, a, b, wanted, left, right):
    signature = signature_for(op, [a, b], wanted, "")
    assert choose(signature, (layout(a), layout(b)), layout(wanted)) == (layout(left), layout(right))


ONE = [
    ("gelu", "[I]{U_X}", "[I]", "", "[I]"),
    ("gelu", "[I]{U_X}", "[I_X]", "", "[I_X]"),  # scattered, which is half of an AllReduce
    ("gelu", "[I_Y]{U_X}", "[I_YX]", "", "[I_YX]"),
    ("gelu", "[I_Y]{U_X}", "[I_XY]", "", "[I_YX]"),
    ("negate", "[I]{U_X}", "[I]", "", "[I]{U_X}"),
    ("sum", "[I,J_X]", "[I]", "J", "[I,J_X]"),
    ("sum", "[I,J]", "[I]{U_X}", "J", "[I,J_X]"),
    ("max", "[I,J]", "[I]{max_X}", "J", "[I,J_X]"),
    ("max", "[I,J]{U_X}", "[I]", "J", "[I,J]"),
]


@pytest.mark.parametrize(("op", "a", "wanted", "contracted", "taken"), ONE)
def test_one_operand(op, a, wanted, contracted, taken):
    signature = signature_for(op, [a], wanted, contracted)
    assert choose(signature, (layout(a),), layout(wanted)) == (layout(taken),)


def test_a_masked_sum_that_is_also_pending_otherwise():
    """Two addends pending over an axis each: `{U_X}` is kept, `{U_Y}` reduced before."""
    signature = signature_for("add", ["[I]{U_X}", "[I]{U_Y}"], "[I]{U_X}", "")
    assert choose(signature, (layout("[I]{U_X}"), layout("[I]{U_Y}")), layout("[I]{U_X}")) == (
        layout("[I]{U_X}"),
        layout("[I]{U_X}"),
    )


NATURAL = [
    ("contract", "[I,J_X]", "[J,K]", "J", "[I,J]", "[J,K]"),  # one-sided: gathered
    ("contract", "[I,J_XY]", "[J_X,K]", "J", "[I,J_X]", "[J_X,K]"),
    ("contract", "[I,J_X]", "[J_X,K]", "J", "[I,J_X]", "[J_X,K]"),  # two-sided: pending
    ("contract", "[I,J_XY]", "[J_YX,K]", "J", "[I,J_XY]", "[J_XY,K]"),
    ("contract", "[B_X,I,J]", "[B,J,K]", "J", "[B_X,I,J]", "[B_X,J,K]"),  # a batch dimension: sliced
    ("contract", "[B_X,I,J]", "[B_XY,J,K]", "J", "[B_XY,I,J]", "[B_XY,J,K]"),
    ("contract", "[I,J]{U_X}", "[J,K]", "J", "[I,J]{U_X}", "[J,K]"),
    ("contract", "[I_X,J]", "[J,K_Y]", "J", "[I_X,J]", "[J,K_Y]"),
    ("add", "[I]{U_X}", "[I]", "", "[I]{U_X}", "[I]{U_X}"),  # masked
    ("add", "[I]{U_X}", "[I_X]", "", "[I]{U_X}", "[I]{U_X}"),  # padded
    ("add", "[I]{U_X}", "[I_YX]", "", "[I_Y]{U_X}", "[I_Y]{U_X}"),
    ("maximum", "[I]{max_X}", "[I]", "", "[I]{max_X}", "[I]{max_X}"),
    ("add", "[I_X,J]", "[J]", "", "[I_X,J]", "[J]"),
    ("add", "[I_X,J]", "[I,J]", "", "[I_X,J]", "[I_X,J]"),
]


def natural(op, a, b, contracted, free_only=False):
    dims = dict.fromkeys((*array(a).dims, *array(b).dims))
    signature = signature_of(
        op, (array(a).dims, array(b).dims), tuple(dim for dim in dims if dim not in contracted), tuple(contracted)
    )
    return choose(signature, (layout(a), layout(b)), None, free_only)


@pytest.mark.parametrize(("op", "a", "b", "contracted", "left", "right"), NATURAL)
def test_no_output(op, a, b, contracted, left, right):
    assert natural(op, a, b, contracted) == (layout(left), layout(right))


def test_a_one_sided_contraction_is_sliced_where_communication_is_forbidden():
    assert natural("contract", "[I,J_X]", "[J,K]", "J", True) == (layout("[I,J_X]"), layout("[J_X,K]"))
    assert natural("contract", "[I,J]", "[J_X,K]", "J", True) == (layout("[I,J_X]"), layout("[J_X,K]"))
    assert natural("contract", "[I,J_X]", "[J,K_X]", "J", True) == (layout("[I,J]"), layout("[J,K_X]"))


OPEN = [
    # one axis on two kept dimensions
    ("contract", "[I_X,J]", "[J,K_X]", "J", Open("clash", "X", ("I", "K"))),
    ("hadamard", "[I_X,J]", "[J_X]", "", Open("clash", "X", ("I", "J"))),
    # ... which only one of the two operands had, before a batch dimension was made alike
    ("contract", "[B,I_X]", "[B_X,K]", "", Open("clash", "X", ("I", "B"))),
    # a dimension in two ways of which neither is a prefix of the other
    ("hadamard", "[I_X]", "[I_Y]", "", Open("differ", "X", ("I",))),
    ("hadamard", "[I_XY]", "[I_YX]", "", Open("differ", "X", ("I",))),
    ("hadamard", "[I_X]", "[I_YZ]", "", Open("differ", "X", ("I",))),
    ("hadamard", "[I_YZ]", "[I_X]", "", Open("differ", "Y", ("I",))),
    ("contract", "[B_XY,I,J]", "[B_XZ,J,K]", "J", Open("differ", "X", ("B",))),
    # pending in one, sharding the other
    ("contract", "[I,J]{U_X}", "[J_X,K]", "J", Open("pending-partner", "X", ("J",))),
    ("contract", "[I,J]{U_X}", "[J,K_X]", "J", Open("pending-partner", "X", ("K",))),
    ("contract", "[I_X,J]", "[J,K]{U_X}", "J", Open("pending-partner", "X", ("I",))),
    ("maximum", "[I]{max_X}", "[I_X]", "", Open("pending-partner", "X", ("I",))),
    # a product of two pending sums, a non-linear function of one
    ("contract", "[I,J]{U_X}", "[J,K]{U_X}", "J", Open("pending-product", "X")),
    ("divide", "[I]{U_X}", "[I]{U_X}", "", Open("pending-product", "X")),
    ("divide", "[I]", "[I]{U_X}", "", Open("non-linear", "X")),
    ("maximum", "[I]{U_X}", "[I]", "", Open("non-linear", "X")),
    # two kinds of pending
    ("add", "[I]{U_X}", "[I]{max_Y}", "", Open("kinds", "X")),
    ("maximum", "[I]{max_X}", "[I]{min_Y}", "", Open("kinds", "X")),
]


@pytest.mark.parametrize(("op", "a", "b", "contracted", "question"), OPEN)
def test_no_natural_answer(op, a, b, contracted, question):
    assert natural(op, a, b, contracted) == question


def test_several_contracted_dimensions():
    """Each is settled, whatever the one before needed; one that a single operand has keeps its axes."""
    signature = signature_of("contract", (("L", "J", "K", "I"), ("J", "K")), ("I",), ("L", "J", "K"))
    given = (layout("[L_Z,J_X,K_Y,I]"), layout("[J_X,K]"))
    assert choose(signature, given, layout("[I]")) == (layout("[L_Z,J_X,K,I]"), layout("[J_X,K]"))
    turned = (layout("[L_Z,J_XY,K_W,I]"), layout("[J_YX,K]"))
    assert choose(signature, turned, layout("[I]")) == (layout("[L_Z,J_XY,K,I]"), layout("[J_XY,K]"))


def test_an_axis_on_a_kept_and_a_contracted_dimension_of_a_chain():
    operands = (("I", "J"), ("J", "K"), ("K", "L"))
    signature = Signature("contract", operands, ("I", "L"), ("J", "K"), "sum", (((0,), "sum", "sum"),))
    given = (layout("[I_X,J]"), layout("[J,K_X]"), layout("[K_X,L]"))
    assert choose(signature, given, None) == Open("clash", "X", ("I", "K"))


def test_a_function_of_a_pending_sum_is_open():
    signature = signature_for("gelu", ["[I]{U_X}"], "[I]", "")
    assert choose(signature, (layout("[I]{U_X}"),), None) == Open("non-linear", "X")


def test_the_dimensions_of_a_reduction_keep_their_axes():
    signature = Signature("sum", (("I", "J"),), ("I",), ("J",), "sum", (((0,), "sum", "sum"),))
    assert choose(signature, (layout("[I_Y,J_X]"),), None) == (layout("[I_Y,J_X]"),)
