"""A reader of canonical arrays and collectives that shares nothing with the product.

It knows just enough of the notation to compare what the product prints with what an oracle recorded.
"""

import re
from typing import NamedTuple

COLLECTIVES = ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "CollectivePermute")
FREE_STEPS = ("Slice", "Mask", "Pad", "Relabel")
_NAME = r"[^\W\d][\w']*"
_ARRAY = re.compile(rf"({_NAME})?\[([^\[\]]*)\](?:\{{(U|max|min)_(\{{[^}}]*\}}|{_NAME})\}})?")
_OPERATION = re.compile(rf"({'|'.join(COLLECTIVES + FREE_STEPS)})(?:_(\{{[^}}]*\}}|\w+))?\s*")
_DIM = re.compile(r"(.+)_(\{[^}]*\}|[A-Z]|[a-z]\w*)$")


class Array(NamedTuple):
    """`A[I_{XY}, J]{U_Z}` as a name, (dimension, axes) pairs, the pending axes and the kind of pending."""

    name: str | None
    dims: tuple[tuple[str, tuple[str, ...]], ...]
    pending: frozenset[str] = frozenset()
    kind: str = "U"

    @property
    def axes(self) -> tuple[str, ...]:
        """Every axis that shards a dimension or is pending."""
        return tuple(axis for _, axes in self.dims for axis in axes) + tuple(sorted(self.pending))

    def layout(self) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], frozenset[str], str]:
        """The array without its name."""
        return self.dims, self.pending, self.kind if self.pending else "U"


class Move(NamedTuple):
    """A collective: operation, axes, dimension in its subscript, operand and result, as far as they are known.

    `name` is the array's, where a list says no more of it: `AllReduce_X(C)`.
    """

    op: str
    axes: tuple[str, ...]
    dim: str | None = None
    before: Array | None = None
    after: Array | None = None
    name: str | None = None


def read_axes(text: str) -> tuple[str, ...]:
    """Split a subscript: `X`, `{XY}`, `XY`, `{data,model}`."""
    body = text.strip().strip("{}").strip()
    if "," in body:
        return tuple(part.strip() for part in body.split(","))
    return tuple(body) if body.isalpha() and body.isupper() else (body,)


def split_outside(text: str, separator: str) -> list[str]:
    """Split at a separator that stands outside every kind of bracket."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == separator and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    return [part for part in [*parts, text[start:].strip()] if part]


def _read_dim(text: str) -> tuple[str, tuple[str, ...]]:
    match = _DIM.match(text)
    return (match[1], read_axes(match[2])) if match else (text, ())


def _make_array(match: re.Match[str]) -> Array:
    dims = tuple(_read_dim(part) for part in split_outside(match[2], ","))
    pending = frozenset(read_axes(match[4])) if match[4] else frozenset()
    return Array(match[1], dims, pending, match[3] or "U")


def read_arrays(text: str) -> list[Array]:
    """Return every bracketed array of a text, from left to right."""
    return [_make_array(match) for match in _ARRAY.finditer(_OPERATION.sub(" ", text))]


def read_array(text: str) -> Array:
    """Return the one array of a text. Raises ValueError if there is not exactly one."""
    (array,) = read_arrays(text)
    return array


def sides(text: str) -> tuple[str, str | None]:
    """Return operand and result side of a statement in arrow or assignment form; the result may be missing."""
    for arrow in ("->", "→"):
        if arrow in text:
            left, right = text.rsplit(arrow, 1)
            return left.strip(), right.strip()
    outside = split_outside(text, "=")
    return (outside[1], outside[0]) if len(outside) == 2 else (text.strip(), None)


def read_move(text: str) -> Move | None:
    """Read one collective or free step, with or without arrays: `AllToAll_{X,J}(A)`, `AllGather_X A[I_X] -> A[I]`."""
    match = _OPERATION.match(text.strip())
    if not match:
        return None
    axes, dim = _read_subscript(match[2])
    before = after = None
    arrays = read_arrays(text)
    if len(arrays) == 2:
        before, after = arrays
        axes = axes or tuple(
            dict.fromkeys(before.axes if set(before.axes) >= set(after.axes) else after.axes + before.axes)
        )
    only_name = re.search(r"\((\w+)\)$", text.strip())
    return Move(match[1], axes, dim, before, after, only_name[1] if only_name else None)


def _read_subscript(text: str | None) -> tuple[tuple[str, ...], str | None]:
    """In `_{X,K}` the last part is a dimension, in `_{XY}` everything is axes (single letters, as in the oracles)."""
    if text is None:
        return (), None
    parts = text.strip("{}").split(",")
    return read_axes(parts[0]), parts[1].strip() if len(parts) > 1 else None


def statements(text: str) -> list[str]:
    """Split a plan into statements, at line ends and semicolons."""
    return [part.strip() for line in text.splitlines() for part in line.split(";") if part.strip()]


def canonical(text: str) -> str:
    """Return a text without the differences in spelling that a fix may have: blanks, parentheses of a collective."""
    text = text.replace("→", "->").replace("*", "·")
    head = _OPERATION.match(text.strip())
    if head:
        left, right = sides(text)
        inner = left[head.end() :].strip().removeprefix("(").removesuffix(")")
        text = left[: head.end()].strip() + inner + (f"->{right}" if right else "")
    return re.sub(r"\s+", "", text)
