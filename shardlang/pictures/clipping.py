"""Cutting curves at the edges of a frame, and leaving out what is not seen of them."""

from collections.abc import Sequence
from itertools import pairwise
from math import hypot

from shardlang.pictures.scene import Place

_SEEN = 0.05
"""Pixels: a place that is nearer to the straight line between its neighbours is not seen."""


def clipped(places: Sequence[Place], left: float, top: float, right: float, bottom: float) -> list[tuple[Place, ...]]:
    """Return the parts of a line through `places` that are inside a frame, each from edge to edge."""
    pieces: list[list[Place]] = []
    for start, end in pairwise(places):
        inside = _inside(start, end, (left, top), (right, bottom))
        if inside is None:
            continue
        first, last = inside
        if pieces and pieces[-1][-1] == first:
            pieces[-1].append(last)
        else:
            pieces.append([first, last])
    return [tuple(piece) for piece in pieces]


def _inside(start: Place, end: Place, low: Place, high: Place) -> tuple[Place, Place] | None:
    """Return the part of one stretch that is inside, None where it is all outside (Liang and Barsky)."""
    enter, leave = 0.0, 1.0
    for at in (0, 1):
        step = end[at] - start[at]
        to_low, to_high = low[at] - start[at], high[at] - start[at]
        if step == 0:
            if to_low > 0 or to_high < 0:
                return None
            continue
        near, far = sorted((to_low / step, to_high / step))
        enter, leave = max(enter, near), min(leave, far)
    if enter > leave:
        return None

    def along(part: float) -> Place:
        if part in (0.0, 1.0):
            return end if part else start
        return start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])

    return along(enter), along(leave)


def straightened(places: Sequence[Place]) -> tuple[Place, ...]:
    """Return a line without the places that are on the straight way between others."""
    kept: list[Place] = []
    passed: list[Place] = []
    for at in places:
        if kept and passed and any(_aside(kept[-1], at, place) > _SEEN for place in passed):
            kept.append(passed[-1])
            passed = []
        if kept:
            passed.append(at)
        else:
            kept.append(at)
    return (*kept, *passed[-1:])


def _aside(start: Place, end: Place, place: Place) -> float:
    """Return how far a place is from the straight line through two others."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = hypot(across, down)
    if length == 0:
        return 0.0
    return abs(across * (place[1] - start[1]) - down * (place[0] - start[0])) / length
