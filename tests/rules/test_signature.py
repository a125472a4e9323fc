"""Which pending states each operation passes. Expected values: NOTATION section 3."""

import pytest

from shardlang.rules.signature import signature_of

ONE, TWO = (("I",),), (("I",), ("I",))
FIRST, SECOND, BOTH = (0,), (1,), (0, 1)

SUMS = {
    "contract": {FIRST, SECOND},
    "hadamard": {FIRST, SECOND},
    "divide": {FIRST},
    "add": {BOTH},
    "subtract": {BOTH},
    "maximum": set(),
    "minimum": set(),
}


@pytest.mark.parametrize("op", SUMS)
@pytest.mark.parametrize("pending", [FIRST, SECOND, BOTH, ()])
def test_pending_sums_of_two_operands(op, pending):
    assert signature_of(op, TWO, ("I",)).passage(pending, "sum") == ("sum" if pending in SUMS[op] else None)


EXTREMA = {
    "max": {"max": "max"},
    "min": {"min": "min"},
    "sum": {"sum": "sum"},
    "mean": {"sum": "sum"},
    "negate": {"sum": "sum", "max": "min", "min": "max"},
    "cast": {"sum": "sum", "max": "max", "min": "min"},
    "exp": {"max": "max", "min": "min"},
    "relu": {"max": "max", "min": "min"},
    "gelu": {},
    "silu": {},
    "square": {},
    "abs": {},
}


@pytest.mark.parametrize("op", EXTREMA)
@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_what_one_operand_passes(op, kind):
    assert signature_of(op, ONE, ("I",)).passage(FIRST, kind) == EXTREMA[op].get(kind)


@pytest.mark.parametrize(("op", "kind"), [("maximum", "max"), ("minimum", "min")])
def test_an_extremum_of_two_extrema(op, kind):
    signature = signature_of(op, TWO, ("I",))
    other = {"max": "min", "min": "max"}[kind]
    assert signature.passage(BOTH, kind) == kind
    assert signature.passage(BOTH, other) is None
    assert signature.passage(FIRST, kind) is None  # the replicated one is relabelled first


@pytest.mark.parametrize(("op", "constant"), [("hadamard", 0), ("hadamard", 1), ("contract", 0), ("divide", 1)])
@pytest.mark.parametrize(
    ("number", "passes"),
    [
        ("2", {"sum": "sum", "max": "max", "min": "min"}),
        ("0.5", {"sum": "sum", "max": "max", "min": "min"}),
        ("-2", {"sum": "sum", "max": "min", "min": "max"}),
    ],
)
def test_scaling_keeps_or_turns_the_order(op, constant, number, passes):
    constants = (number, None) if constant == 0 else (None, number)
    signature = signature_of(op, TWO, ("I",), constants=constants)
    for kind in ("sum", "max", "min"):
        assert signature.passage((1 - constant,), kind) == passes[kind]
        assert signature.passage((constant,), kind) is None


def test_zero_is_not_a_positive_factor():
    signature = signature_of("hadamard", TWO, ("I",), constants=("0", None))
    assert signature.passage(SECOND, "sum") == "sum"
    assert signature.passage(SECOND, "max") is None
    assert signature.passage(SECOND, "min") is None


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_a_number_over_an_array_passes_nothing(kind):
    signature = signature_of("divide", TWO, ("I",), constants=("2", None))
    assert signature.passage(SECOND, kind) is None
    assert signature.passage(FIRST, kind) is None


def test_a_number_added_is_no_factor():
    assert signature_of("add", TWO, ("I",), constants=("2", None)).passage(SECOND, "max") is None


def test_a_narrowing_cast_passes_no_sum():
    """Linear is a cast to a wider type; rounding keeps the order, so an extremum passes either way."""
    signature = signature_of("cast", ONE, ("I",), narrows=True)
    assert signature.passage(FIRST, "sum") is None
    assert signature.passage(FIRST, "max") == "max"
    assert signature.passage(FIRST, "min") == "min"


def test_what_a_sharded_contracted_dimension_leaves():
    left = {op: signature_of(op, ONE, (), ("I",)).reduces for op in ("contract", "sum", "mean", "max", "min")}
    assert left == {"contract": "sum", "sum": "sum", "mean": "sum", "max": "max", "min": "min"}


def test_dimensions():
    signature = signature_of("contract", (("I", "J"), ("J", "K")), ("I", "K"), ("J",))
    assert signature.dims() == ("I", "K", "J")


@pytest.mark.parametrize(("op", "additive"), [("add", True), ("maximum", True), ("hadamard", False), ("divide", False)])
def test_additive(op, additive):
    assert signature_of(op, TWO, ("I",)).additive is additive
