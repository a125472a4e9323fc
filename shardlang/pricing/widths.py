"""Bytes of an element as a number, and which rate of the hardware an element type computes at."""

from functools import lru_cache

from shardlang.semantics.dtypes import dtype_bytes


@lru_cache(maxsize=64)
def width(dtype: str) -> float:
    """Return the bytes of one element of a canonical type: whole where it is whole, 0.5 for `int4`."""
    size = dtype_bytes(dtype)
    return size.numerator if size.denominator == 1 else size.numerator / size.denominator


def rate_name(dtype: str) -> str:
    """Return the name under which hardware states the rate of `dtype`: every 8-bit float is `fp8`, `uint8` is `int8`."""
    if dtype.startswith("f8"):
        return "fp8"
    if dtype.startswith("f4"):
        return "fp4"
    return dtype.removeprefix("u")
