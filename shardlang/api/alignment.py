"""Which lines of a text became which, where most keep their order and differ in blanks at most."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_MOST_COMPARED = 40  # lines between two that are known: each with each is compared, several times


class Differing(NamedTuple):
    """Lines `i1` to `i2` of the one text, which stand as `j1` to `j2` in the other; either may be none."""

    i1: int
    i2: int
    j1: int
    j2: int


def differing_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[Differing]:
    """Yield the lines that differ, in order, in time that grows as the lines do.

    Lines that are as many in the other text are told one by one, so that each can be taken alone.
    """
    i = j = 0
    for known_i, known_j in (*_known_pairs(old, new), (len(old), len(new))):
        yield from _between(old, new, Differing(i, known_i, j, known_j))
        if known_i < len(old) and old[known_i] != new[known_j]:
            yield Differing(known_i, known_i + 1, known_j, known_j + 1)
        i, j = known_i + 1, known_j + 1


def _known_pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the most lines that are in both texts but for blanks, in one order: the longest rising subsequence.

    One that stands several times is known by its number, where it stands as often in the other.
    """
    ours, theirs = ["".join(line.split()) for line in old], ["".join(line.split()) for line in new]
    often, counted = Counter(ours), Counter(theirs)
    there: defaultdict[str, list[int]] = defaultdict(list)
    for j, key in enumerate(theirs):
        there[key].append(j)
    seen: Counter[str] = Counter()
    ends: list[int] = []  # of the sequences so far, shortest first: the smallest line that one can end in
    last: list[int] = []  # the same, as numbers in `pairs`
    pairs: list[tuple[int, int, int]] = []  # with the pair before it, -1 for none
    for i, key in enumerate(ours):
        if not key or often[key] != counted[key]:
            continue
        j = there[key][seen[key]]
        seen[key] += 1
        at = bisect_left(ends, j)
        ends[at : at + 1], last[at : at + 1] = [j], [len(pairs)]
        pairs.append((i, j, last[at - 1] if at else -1))
    found = []
    at = last[-1] if last else -1
    while at >= 0:
        i, j, at = pairs[at]
        found.append((i, j))
    return found[::-1]


def _between(old: Sequence[str], new: Sequence[str], part: Differing) -> Iterator[Differing]:
    i1, i2, j1, j2 = part
    while i1 < i2 and j1 < j2 and old[i1] == new[j1]:
        i1, j1 = i1 + 1, j1 + 1
    while i1 < i2 and j1 < j2 and old[i2 - 1] == new[j2 - 1]:
        i2, j2 = i2 - 1, j2 - 1
    if i2 - i1 == j2 - j1:
        for i, j in zip(range(i1, i2), range(j1, j2), strict=True):
            if old[i] != new[j]:
                yield Differing(i, i + 1, j, j + 1)
    elif max(i2 - i1, j2 - j1) > _MOST_COMPARED:
        yield Differing(i1, i2, j1, j2)
    else:
        yield from _compared(old, new, Differing(i1, i2, j1, j2))


def _compared(old: Sequence[str], new: Sequence[str], part: Differing) -> Iterator[Differing]:
    from difflib import SequenceMatcher

    ours, theirs = old[part.i1 : part.i2], new[part.j1 : part.j2]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        there = Differing(part.i1 + i1, part.i1 + i2, part.j1 + j1, part.j1 + j2)
        if tag == "replace" and i2 - i1 == j2 - j1:
            yield from (
                Differing(there.i1 + n, there.i1 + n + 1, there.j1 + n, there.j1 + n + 1) for n in range(i2 - i1)
            )
        elif tag != "equal":
            yield there
