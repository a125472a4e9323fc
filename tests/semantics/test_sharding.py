"""The invariants of the types, and how arrays print."""

import pytest

from shardlang.semantics.sharding import ArrayType, Sharding, anonymous, array_text, axes_text, dim_text, is_anonymous
from shardlang.semantics.size import Monomial, axis_symbol, dim_symbol, of
from tests.semantics.helpers import resolved


@pytest.mark.parametrize(
    "text", ["A[I_{XY}, J]{U_{ZW}}", "A[I_X]{max_Y}", "[I_X, J]", "C[]", "A[I_{YX}]", "A[I]{U_Z, U_Y}"]
)
def test_resolved_arrays_keep_the_invariants(text):
    array = resolved(text).last.body.array.type
    used = array.sharding.used()
    assert len(used) == len(set(used))
    assert list(array.sharding.pending) == sorted(array.sharding.pending)
    assert array.sharding.pending or array.sharding.kind == "sum"
    assert len(array.sharding.axes) == len(array.dims)


def test_major_axes_come_first():
    assert resolved("A[I_{YX}]").last.body.array.type.axes_of("I") == ("Y", "X")


@pytest.mark.parametrize(
    ("axes", "text"), [(("X",), "X"), (("X", "Y"), "{XY}"), (("data",), "data"), (("data", "model"), "{data,model}")]
)
def test_axes_print_as_a_subscript(axes, text):
    assert axes_text(axes) == text


def test_arrays_print_canonically():
    assert array_text("A", ArrayType(("I", "J"), Sharding((("X",), ()), ("Y", "Z")))) == "A[I_X, J]{U_{YZ}}"


def test_anonymous_dimensions_print_as_they_were_written():
    name = anonymous(3, "4096")
    assert is_anonymous(name)
    assert dim_text(name) == "4096"
    assert not is_anonymous("I")


def test_monomials_multiply_divide_and_substitute():
    d, x = of(dim_symbol("D")), of(axis_symbol("D"))
    assert 4 * d / x == Monomial(4, 1, ((axis_symbol("D"), -1), (dim_symbol("D"), 1)))
    assert (4 * d / x).substitute({dim_symbol("D"): Monomial(8), axis_symbol("D"): Monomial(2)}) == Monomial(16)
    assert (d**2 / d**2).integer == 1
    assert (3 / (2 * d)).value is None
