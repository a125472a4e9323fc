"""All ways to the layouts of an array that no other way beats, where one number does not order them."""

from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from shardlang.planning.budget import Work
from shardlang.planning.corners import ArrayCorners
from shardlang.planning.forms import Form
from shardlang.planning.space import Allowed, Layouts, Move
from shardlang.rules.plan import FREE_STEPS
from shardlang.semantics.sharding import Sharding

MOST = 12
"""The most ways that are kept to one layout; those that would come after are left out."""

_ROUNDING = 1 + 1e-9
_WORK = 4  # of one way that is looked at, in the unit of the budget


class Taken(NamedTuple):
    """A step of a way: the place in the expression of the array that it moves, and what it does to it."""

    place: tuple[int, ...]
    kind: str
    axes: tuple[str, ...]
    dims: tuple[str, ...]


class Made(NamedTuple):
    """How an operation made a layout: its local form, and the way to each of its operands."""

    form: Form
    labels: "tuple[Label, ...]"


class Label(NamedTuple):
    """One way to a layout.

    moves: collectives. weight: bytes received by a device, at each corner of the sizes. unshared: less where more axes
    share the arithmetic. free: free steps. taken: the collectives, sorted. move, before: the last step, and the way
    that it goes on from.
    """

    moves: int
    weight: tuple[float, ...]
    unshared: int
    free: int
    taken: tuple[Taken, ...]
    sharding: Sharding
    move: Move | None = None
    before: "Label | None" = None
    made: Made | None = None


START = Label(0, (), 0, 0, (), Sharding(()))


class Steps:
    """The steps that may be taken from each layout of an array."""

    def __init__(self, layouts: Layouts, allowed: Allowed) -> None:
        self._layouts, self._allowed = layouts, allowed
        self._known: dict[Sharding, list[Move]] = {}

    def out_of(self, sharding: Sharding) -> list[Move]:
        """Return the steps from a layout: the free ones, then the collectives."""
        found = self._known.get(sharding)
        if found is None:
            found = [move for move in self._layouts.steps(sharding) if self._allowed.allows(move)]
            self._known[sharding] = found
        return found


class Front:
    """The ways to each layout of one array. bounded: there were more than are kept, or the work was spent."""

    def __init__(self, work: Work) -> None:
        self.ways: dict[Sharding, list[Label]] = {}
        self.bounded = False
        self._work = work

    def add(self, label: Label) -> bool:
        """Put a way among those to its layout, and drop those that it beats.

        Return False, and change nothing, if one beats it or there are too many. Raises TooLargeError when no work
        is left.
        """
        here = self.ways.setdefault(label.sharding, [])
        self._work.spend(_WORK + 2 * len(here))
        if any(_beats(other, label) for other in here):
            return False
        kept = [other for other in here if not _beats(label, other)]
        if len(kept) >= MOST:
            self.bounded = True
            return False
        here[:] = [*kept, label]
        return True

    def beats(self, target: Sharding | None, label: Label) -> bool:
        """Say whether a way to `target` beats one that is not there yet."""
        return target is not None and any(_beats(own, label) for own in self.ways.get(target, ()))


def explore(
    steps: Steps, array: ArrayCorners, place: tuple[int, ...], formed: Front, found: Front, target: Sharding | None
) -> None:
    """Fill `found` with the ways to every layout that go on from those in `formed`; with a target those to it at least.

    Raises TooLargeError when no work is left; `found` then has what was found so far.
    """
    queue: list[tuple[int, float, int, int, int, Label]] = []
    serial = count()

    def wait(label: Label) -> None:
        heappush(queue, (label.moves, sum(label.weight), label.unshared, label.free, next(serial), label))

    for labels in formed.ways.values():
        for label in labels:
            if found.add(label):
                wait(label)
    while queue:
        label = heappop(queue)[-1]
        if label.sharding == target or not any(label is other for other in found.ways[label.sharding]):
            continue
        for move in steps.out_of(label.sharding):
            after = _after(label, move, array, place)
            if (move.result == target or not found.beats(target, after)) and found.add(after):
                wait(after)


def _after(label: Label, move: Move, array: ArrayCorners, place: tuple[int, ...]) -> Label:
    """Return a way with one step more."""
    if move.kind in FREE_STEPS:
        return label._replace(free=label.free + 1, sharding=move.result, move=move, before=label, made=None)
    bytes_ = array.received(move, label.sharding)
    weight = tuple(a + b for a, b in zip(label.weight, bytes_, strict=True))
    taken = Taken(place, move.kind, tuple(sorted(move.axes)), move.dims)
    return Label(
        label.moves + 1,
        weight,
        label.unshared,
        label.free,
        tuple(sorted((*label.taken, taken))),
        move.result,
        move,
        label,
    )


def _beats(one: Label, other: Label) -> bool:
    """Say whether a way takes no more collectives and no more bytes for any size; equal ones tell by what they take."""
    if one.moves > other.moves or any(a > b * _ROUNDING for a, b in zip(one.weight, other.weight, strict=True)):
        return False
    if one.moves < other.moves or any(a * _ROUNDING < b for a, b in zip(one.weight, other.weight, strict=True)):
        return True
    return one.taken == other.taken and (one.unshared, one.free) <= (other.unshared, other.free)
