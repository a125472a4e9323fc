"""Element types: bytes are those of the format's definition."""

import pytest

from shardlang.semantics.dtypes import DTYPE_NAMES, canonical_dtype, dtype_bytes
from shardlang.semantics.size import Monomial
from shardlang.source import SourceText
from shardlang.syntax import parse


@pytest.mark.parametrize(
    ("name", "short", "size"),
    [
        ("bfloat16", "bf16", 2),
        ("torch.bfloat16", "bf16", 2),
        ("float32", "f32", 4),
        ("half", "f16", 2),
        ("float64", "f64", 8),
        ("int8", "int8", 1),
        ("s32", "int32", 4),
        ("fp8", "fp8", 1),
        ("float8_e4m3fn", "f8e4m3fn", 1),
        ("pred", "bool", 1),
        ("complex64", "c64", 8),
    ],
)
def test_names_have_one_short_form_and_a_size(name, short, size):
    assert canonical_dtype(name) == short
    assert dtype_bytes(short) == Monomial(size)


def test_int4_takes_half_a_byte():
    assert dtype_bytes("int4") == Monomial(1, 2)


def test_short_names_are_their_own_short_names():
    for name in DTYPE_NAMES:
        short = canonical_dtype(name)
        assert short is not None
        assert canonical_dtype(short) == short


@pytest.mark.parametrize("name", DTYPE_NAMES)
def test_every_name_is_read_as_an_element_type_and_has_a_size(name):
    """The syntax and the meaning know the same names: each types an array, and has bytes."""
    module, findings = parse(SourceText(f"{name}[I_X, J]"))
    assert findings == ()
    (statement,) = module.statements
    array = statement.expr
    assert (array.name, array.dtype.text) == (None, name)
    assert dtype_bytes(canonical_dtype(array.dtype.text)) * 8 in [Monomial(bits) for bits in (2, 4, 8, 16, 32, 64, 128)]


@pytest.mark.parametrize("name", ["bf17", "fp8_e9", "Bf16x", "int3"])
def test_what_has_no_meaning_is_read_as_the_name_of_an_array(name):
    module, _ = parse(SourceText(f"{name}[I_X, J]"))
    assert canonical_dtype(name) is None
    assert module.statements[0].expr.dtype is None


def test_unknown_names_are_none():
    assert canonical_dtype("f99") is None
