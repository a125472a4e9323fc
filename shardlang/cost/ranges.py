"""The ranges of a number in which a function of it is positive, by its values."""

from collections.abc import Callable
from itertools import pairwise
from math import sqrt
from typing import TypeAlias

from shardlang.cost.ties import SAME

Lead: TypeAlias = Callable[[float], float | None]
Ends: TypeAlias = tuple[float | None, float | None]

_POINTS = 481
_NARROW = 1 + 1e-5


def positive_ranges(lead: Lead, least: float, most: float) -> list[Ends]:
    """Return the ranges from `least` to `most` in which `lead` is positive; an end that is None is that of the search.

    lead: how far one of two sums is ahead of the other, as a part of the larger; 0 for a tie, None where there is none. Between two points of a grid of 20 a decade only one valley or peak is seen.
    """
    grid = [least * (most / least) ** (at / (_POINTS - 1)) for at in range(_POINTS)]
    points = [(number, ahead) for number in grid if (ahead := lead(number)) is not None]
    points = sorted({*points, *_hidden(lead, points)})
    found: list[Ends] = []
    start: float | None = None
    inside = bool(points) and _sign(points[0][1]) > 0
    for (left, before), (right, after) in pairwise(points):
        if (_sign(before) > 0) == (_sign(after) > 0):
            continue
        end = _edge(lead, left, right)
        if inside:
            found.append((start, end))
        start, inside = end, not inside
    if inside:
        found.append((start, None))
    return _merged(found)


def _sign(ahead: float) -> int:
    return (ahead > 0) - (ahead < 0)


def _edge(lead: Lead, left: float, right: float) -> float:
    """Return where `lead` becomes positive, or ceases to be, between two numbers of which it is at one."""
    positive = _sign(lead(left) or 0.0) > 0
    for _ in range(200):
        middle = sqrt(left * right)
        if not left < middle < right:
            break
        if (_sign(lead(middle) or 0.0) > 0) == positive:
            left = middle
        else:
            right = middle
    return right


def _hidden(lead: Lead, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return points of the other sign in valleys and peaks between those of a grid."""
    found = []
    for (left, before), (_, here), (right, after) in zip(points, points[1:], points[2:], strict=False):
        sign = _sign(here)
        nearer = sign * (before - here), sign * (after - here)
        if not sign or min(nearer) < -SAME or max(nearer) < 1e3 * SAME:
            continue
        if _sign(before) != sign or _sign(after) != sign:
            continue
        place = _nearest(lead, left, right, sign)
        ahead = lead(place)
        if ahead is not None and (_sign(ahead) > 0) != (sign > 0):
            found.append((place, ahead))
    return found


def _nearest(lead: Lead, left: float, right: float, sign: int) -> float:
    """Return the number between two where `lead` comes nearest to the other sign: a ternary search."""
    for _ in range(60):
        third = (right / left) ** (1 / 3)
        one, other = left * third, left * third * third
        if sign * (lead(one) or 0.0) <= sign * (lead(other) or 0.0):
            right = other
        else:
            left = one
    return sqrt(left * right)


def _merged(ranges: list[Ends]) -> list[Ends]:
    """Return ranges, with those put together that only a point parts, where two sums touch."""
    found: list[Ends] = []
    for low, high in ranges:
        if found and low is not None and found[-1][1] is not None and low <= found[-1][1] * _NARROW:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return found
