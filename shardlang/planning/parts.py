"""Of ways to a result that is open, those of which no part is enough."""

from collections import Counter
from itertools import combinations

from shardlang.planning import tree
from shardlang.planning.budget import Work
from shardlang.planning.fronts import Label, Steps, Taken
from shardlang.rules.plan import FREE_STEPS
from shardlang.semantics.sharding import Sharding


class Parts:
    """Says whether some collectives of a way, with free steps wherever they may be, make an expression legal.

    steps: those that may be taken by the array at each place of the expression.
    """

    def __init__(
        self,
        root: tree.Branch,
        steps: dict[tuple[int, ...], Steps],
        tables: tree.Tables,
        work: Work,
        axes: tuple[str, ...],
        kinds: tuple[str, ...],
    ) -> None:
        self._root, self._steps, self._tables, self._work = root, steps, tables, work
        self._axes, self._kinds = axes, kinds
        self._known: dict[tuple[tuple[int, ...], tuple[Taken, ...]], frozenset[Sharding]] = {}

    def least(self, labels: list[Label]) -> list[Label]:
        """Return the ways of which neither a part of the collectives is enough, nor the same ones with a part of the free steps.

        Raises TooLargeError when no work is left.
        """
        steps = [list(_steps_of(label, ())) for label in labels]
        bags = [(Counter(own), Counter(step for step in own if step.kind in FREE_STEPS)) for own in steps]
        kept = []
        for at, label in enumerate(labels):
            same = [free for bag, free in bags if bag - free == bags[at][0] - bags[at][1]]
            if not any(free < bags[at][1] for free in same) and not self._part_is_enough(steps[at]):
                kept.append(label)
        return kept

    def _part_is_enough(self, steps: list[Taken]) -> bool:
        collectives = [step for step in steps if step.kind not in FREE_STEPS]
        parts = (part for count in range(len(collectives)) for part in combinations(collectives, count))
        return any(self._formed(self._root, (), part) for part in parts)

    def _formed(
        self, node: tree.Leaf | tree.Branch, place: tuple[int, ...], taken: tuple[Taken, ...]
    ) -> frozenset[Sharding]:
        """Return the layouts in which a node is given, or can be made by the collectives `taken` and free steps."""
        if isinstance(node, tree.Leaf):
            return frozenset((node.sharding,))
        operands = [self._reached(child, (*place, at), taken) for at, child in enumerate(node.children)]
        forms = self._tables.forms(node.signature, self._axes, self._kinds)
        self._work.spend(len(forms) // 8)
        return frozenset(
            form.result
            for form in forms
            if all(layout in own for layout, own in zip(form.operands, operands, strict=True))
        )

    def _reached(
        self, node: tree.Leaf | tree.Branch, place: tuple[int, ...], taken: tuple[Taken, ...]
    ) -> frozenset[Sharding]:
        """Return the layouts that a node gets by its own collectives, each once and in order, and free steps."""
        inside = tuple(step for step in taken if step.place[: len(place)] == place)
        if (place, inside) not in self._known:
            own = [step for step in inside if step.place == place]
            here = {(layout, 0) for layout in self._formed(node, place, inside)}
            waiting = list(here)
            while waiting:
                layout, done = waiting.pop()
                moves = self._steps[place].out_of(layout)
                self._work.spend(1 + len(moves) // 4)
                for move in moves:
                    free = move.kind in FREE_STEPS
                    if not free and (done == len(own) or not _is(own[done], place, move.kind, move.axes, move.dims)):
                        continue
                    state = (move.result, done if free else done + 1)
                    if state not in here:
                        here.add(state)
                        waiting.append(state)
            self._known[place, inside] = frozenset(layout for layout, done in here if done == len(own))
        return self._known[place, inside]


def _is(step: Taken, place: tuple[int, ...], kind: str, axes: tuple[str, ...], dims: tuple[str, ...]) -> bool:
    return step == Taken(place, kind, tuple(sorted(axes)), dims)


def _steps_of(label: Label, place: tuple[int, ...]) -> list[Taken]:
    """Return the steps of a way in order: those of the operands, then those that move the node itself."""
    found: list[Taken] = []
    here: Label | None = label
    while here is not None:
        if here.move is not None:
            found.insert(0, Taken(place, here.move.kind, tuple(sorted(here.move.axes)), here.move.dims))
        elif here.made is not None:
            children = enumerate(here.made.labels)
            found[:0] = [step for at, child in children for step in _steps_of(child, (*place, at))]
        here = here.before
    return found
