"""What an element type is: its canonical name and its bytes, by the table of `shardlang.syntax.dtypes`."""

from shardlang.semantics.size import Monomial
from shardlang.syntax.dtypes import BITS, SHORT_NAMES

DTYPE_NAMES = tuple(SHORT_NAMES)


def canonical_dtype(name: str) -> str | None:
    """Return the short name of an element type (`bfloat16` and `torch.bfloat16` give `bf16`), None if it is unknown."""
    found = SHORT_NAMES.get(name)
    if found is None:
        found = SHORT_NAMES.get(name.rpartition(".")[2].lower())
    return found


def dtype_bytes(name: str) -> Monomial:
    """Return the bytes of one element (`int4`: one half). Raises KeyError for a name that is not canonical."""
    bits = BITS[name]
    return Monomial(bits // 8) if bits % 8 == 0 else Monomial(1, 8 // bits)
