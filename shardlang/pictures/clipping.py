"""Cutting curves at the edges of a frame."""

from collections.abc import Sequence
from itertools import pairwise

from shardlang.pictures.scene import Place


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
