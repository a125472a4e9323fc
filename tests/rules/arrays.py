"""Arrays from short texts, without the parser: dimensions and axes of one letter."""

import re

from shardlang.semantics.sharding import ArrayType, Sharding

_ARRAY = re.compile(r"\[(.*)\](?:\{(U|max|min)_([A-Z]+)\})?")
_KINDS = {"U": "sum", "max": "max", "min": "min", None: "sum"}


def array(text: str) -> ArrayType:
    """Return the array of a text such as `[I_XY, J]{U_Z}`."""
    found = _ARRAY.fullmatch(text)
    assert found is not None, text
    entries = [entry.strip().partition("_") for entry in found[1].split(",")] if found[1] else []
    axes = tuple(tuple(there) for _, _, there in entries)
    return ArrayType(tuple(dim for dim, _, _ in entries), Sharding(axes, tuple(found[3] or ()), _KINDS[found[2]]))


def layout(text: str) -> Sharding:
    """Return the sharding of an array text."""
    return array(text).sharding
