"""Splitting words into a dimension and mesh axes, which only the declared mesh can do.

`axes` is everywhere the tuple of declared axis names, or None where no mesh is declared.
"""

import re
from typing import NamedTuple

from shardlang.semantics.sharding import axes_text
from shardlang.source import Span
from shardlang.syntax import ast

_CAPITAL = "[A-Z][0-9'\u2032]*"
_IS_CAPITAL = re.compile(_CAPITAL).fullmatch
_IS_CAPITALS = re.compile(f"(?:{_CAPITAL})+").fullmatch
_starts_with_capital = re.compile(_CAPITAL).match
_find_capitals = re.compile(_CAPITAL).findall
LONGEST_SUBSCRIPT = 256


class Split(NamedTuple):
    """A word split by meaning.

    `unknown` are those of `axes` that the mesh does not have; `near` is the axis that the tail of a plain
    dimension misses by one letter; `at` is the offset in the word where the axes start.
    """

    stem: str
    axes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    near: str | None = None
    at: int = 0


def split_axes(text: str, axes: tuple[str, ...] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split a word that can only hold axes; return the axes, and those of them that the mesh does not have."""
    if axes is None:
        names = _capitals(text)
        return names, tuple(name for name in names if not name[:1].isalpha())
    found = _cover(text, axes)
    if found is not None:
        return found, ()
    names = _capitals(text)
    return names, tuple(name for name in names if name not in axes)


def split_word(text: str, axes: tuple[str, ...] | None) -> Split:
    """Split a plain word such as `I_XY`, `d_model` or `head_dim_X` into a dimension and mesh axes."""
    if "_" not in text:
        return Split(text)
    places = [at for at in range(len(text) - 2, 0, -1) if text[at] == "_"][:64]
    if axes is None:
        return _split_without_mesh(text, places)
    for at in places:
        found = _cover(text[at + 1 :], axes)
        if found is not None:
            return Split(text[:at], found, at=at + 1)
    for at in places:
        if _looks_sharded(text[:at], text[at + 1 :]):
            names, unknown = split_axes(text[at + 1 :], axes)
            return Split(text[:at], names, unknown, at=at + 1)
    return Split(text, near=_near_axis(text, places, axes))


def lost_subscript(text: str, axes: tuple[str, ...]) -> str | None:
    """Return `D_X` for a word `DX` whose tail is axes of the mesh, None for any other word."""
    first = _starts_with_capital(text)
    found = _cover(text[first.end() :], axes) if first is not None else None
    return f"{text[: first.end()]}_{axes_text(found)}" if found and first is not None else None


def piece(word: ast.Word, start: int, length: int) -> Span:
    """Return the span of a part of `word`, or of the whole where it was spelled otherwise than it reads (LaTeX)."""
    span = word.span
    if span.end - span.start != len(word.text):
        return span
    return Span(span.start + start, span.start + start + length)


def _split_without_mesh(text: str, places: list[int]) -> Split:
    for at in places:
        if _looks_sharded(text[:at], text[at + 1 :]):
            return Split(text[:at], _capitals(text[at + 1 :]), at=at + 1)
    return Split(text)


def _looks_sharded(stem: str, tail: str) -> bool:
    return bool(_IS_CAPITALS(tail)) or (bool(_IS_CAPITAL(stem)) and tail[0].isalpha())


def _capitals(text: str) -> tuple[str, ...]:
    """Return one axis a capital letter; what no mesh can be meant by is one name."""
    return tuple(_find_capitals(text)) if len(text) <= LONGEST_SUBSCRIPT and _IS_CAPITALS(text) else (text,)


def _cover(text: str, axes: tuple[str, ...]) -> tuple[str, ...] | None:
    """Cover `text` with axis names, the longest name first; None if that cannot be done."""
    if text in axes:
        return (text,)
    if len(text) > LONGEST_SUBSCRIPT or not text:
        return None
    longest_first = sorted(axes, key=len, reverse=True)
    rest: list[tuple[str, ...] | None] = [None] * len(text) + [()]
    for at in range(len(text) - 1, -1, -1):
        for axis in longest_first:
            tail = rest[at + len(axis)] if text.startswith(axis, at) else None
            if tail is not None:
                rest[at] = (axis, *tail)
                break
    return rest[0]


def _near_axis(text: str, places: list[int], axes: tuple[str, ...]) -> str | None:
    for at in places:
        tail = text[at + 1 :]
        for axis in axes:
            if tail.casefold() == axis.casefold() or (len(axis) > 2 and one_typo(tail, axis)):
                return axis
    return None


def one_typo(left: str, right: str) -> bool:
    """Say whether one letter changed, dropped, added or swapped with its neighbour makes `left` into `right`."""
    if abs(len(left) - len(right)) > 1 or left == right:
        return False
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    one, two = left[start:], right[start:]
    if one[1:] == two[1:] or one[1:] == two or one == two[1:]:
        return True
    return len(one) > 1 and len(two) > 1 and one[:2] == two[1::-1] and one[2:] == two[2:]
