"""Element types: bytes are those of the format's definition."""

import pytest

from shardlang.semantics.dtypes import DTYPE_NAMES, canonical_dtype, dtype_bytes
from shardlang.semantics.size import Monomial
from shardlang.syntax.dtypes import DTYPES


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


def test_every_element_type_of_the_syntax_has_a_meaning():
    assert [name for name in DTYPES if canonical_dtype(name) is None] == []


def test_unknown_names_are_none():
    assert canonical_dtype("f99") is None
