"""Crossovers in the size of a mesh axis, checked at the whole sizes next to them on the links that these have.

A threshold is solved for one wiring of the axis. Where a whole size beside it has other links and the comparison comes
out otherwise there, it is solved again for those links; an answer holds where both sides of it come out as it says.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from sympy import Expr, Symbol

from shardlang.cost.comparison import together
from shardlang.cost.crossover import Crossover, Pair
from shardlang.cost.estimate import Estimate
from shardlang.cost.exceeding import replaced_in
from shardlang.cost.roofline import Range
from shardlang.cost.values import evaluate
from shardlang.cost.wiring import Wirings, axis_words
from shardlang.pricing.roofs import roof_of

_MOST_REGIMES = 4
_LARGEST = 1e9  # devices
_FARTHEST = 128  # whole sizes that are looked at for exceptions


class OtherLinks(NamedTuple):
    """Of a crossover: the sizes at which it does not hold, as their links are others. solved: whether it is for links at it.

    wiring: of the sizes, in words, where it is not what the formulas take.
    """

    crossover: Crossover
    sizes: tuple[int, ...]
    wiring: str
    solved: bool


class Checked(NamedTuple):
    """Crossovers that hold at the whole sizes next to them, or say that they do not."""

    crossovers: tuple[Crossover, ...]
    others: tuple[OtherLinks, ...] = ()


def checked(estimate: Estimate, variable: str, found: Sequence[Crossover]) -> Checked:
    """Return the crossovers of a plan for a variable, those in the size of a mesh axis solved for the links next to them."""
    axis = asked_axis(estimate, variable)
    if axis is None or all(one.value is None for one in found):
        return Checked(tuple(found))
    return _Check(estimate, variable, axis).all(found)


def asked_axis(estimate: Estimate, variable: str) -> Symbol | None:
    """Return the mesh axis that a variable is, None for anything else."""
    powers = estimate.question(variable).powers
    axes = estimate.pricer.names.axes().values()
    return powers[0][0] if len(powers) == 1 and powers[0][1] == 1 and powers[0][0] in axes else None


def neighbours(value: float) -> tuple[int, ...]:
    """Return the whole sizes below and above a threshold; those around it where it is whole itself."""
    near = round(value)
    if math.isclose(near, value, rel_tol=1e-9):
        return tuple(size for size in (near - 1, near + 1) if size >= 1)
    return tuple(size for size in (math.floor(value), math.ceil(value)) if size >= 1)


class Sides:
    """Prices both sides of a comparison at whole sizes of a mesh axis, each on its own links."""

    def __init__(self, estimate: Estimate, variable: str, axis: Symbol) -> None:
        self._variable, self._axis = variable, axis
        known = {symbol: value for symbol, value in estimate.values.items() if symbol != axis}
        defined = estimate.question(variable).replaced
        self._known = {symbol: value for symbol, value in known.items() if symbol not in defined}
        self._replaced = defined
        self.wirings = Wirings(estimate, self._known)
        (self._name,) = (name for name, symbol in estimate.pricer.names.axes().items() if symbol == axis)

    def estimate_at(self, size: int) -> Estimate:
        """Return the plan priced at a size."""
        machine = self.wirings.machine({self._axis: size})
        return self.wirings.at({self._axis: size}, machine).estimate

    def words(self, size: int) -> str:
        """Return how the axis is wired at a size, in words."""
        machine = self.wirings.machine({self._axis: size})
        return axis_words({self._axis.name: machine.network(self._name).words})

    def time(self, expr: Expr, size: int, estimate: Estimate) -> float | None:
        """Return a time of an estimate at a size."""
        rates = {symbol: value for symbol, value in estimate.values.items() if symbol not in self._replaced}
        return evaluate(replaced_in(expr, self._replaced), {**rates, **self._known, self._axis: size})

    def longer(self, pair: Pair, size: int, estimate: Estimate) -> bool | None:
        """Say whether the first of a pair of times is the larger one at a size; None where that is open or the same."""
        first, second = (self.time(roof.time, size, estimate) for roof in (pair.first, pair.second))
        if first is None or second is None or math.isclose(first, second, rel_tol=1e-9):
            return None
        return first > second


def checked_plans(mine: Estimate, other: Estimate, of: str, variable: str, found: Sequence[Crossover]) -> Checked:
    """Return the crossovers of two plans; those in the size of a mesh axis say whether they hold at the whole sizes next to them."""
    axis = asked_axis(mine, variable)
    if axis is None:
        return Checked(tuple(found))
    sides = tuple(Sides(estimate, variable, axis) for estimate in (together(other, mine), together(mine, other)))
    answers, others = [], []
    for one in found:
        wrong = tuple(size for size in _beside(one) if _dearer(sides, of, size) is (not one.covers(size)))
        answers.append(one._replace(exact=False, consistent=False) if wrong else one)
        others += [OtherLinks(one, wrong, sides[1].words(wrong[0]), False)] if wrong else []
    return Checked(tuple(answers), tuple(others))


def _dearer(sides: Sequence[Sides], of: str, size: int) -> bool | None:
    """Say whether the first of two plans takes more at a size; None where that is open or the same."""
    there = [side.estimate_at(size) for side in sides]
    numbers = [side.time(getattr(estimate, of), size, estimate) for side, estimate in zip(sides, there, strict=True)]
    first, second = numbers
    if first is None or second is None or math.isclose(first, second, rel_tol=1e-9):
        return None
    return first > second


class _Check(Sides):
    def __init__(self, estimate: Estimate, variable: str, axis: Symbol) -> None:
        super().__init__(estimate, variable, axis)
        self._estimate = estimate

    def all(self, found: Sequence[Crossover]) -> Checked:
        pairs = {(pair.between, pair.steps): pair for pair in self._estimate.compared()}
        answers: list[Crossover] = []
        others: list[OtherLinks] = []
        for one in found:
            pair = pairs[one.between, one.steps]
            wrong = self._wrong(one, pair, self._estimate)
            if not wrong:
                answers.append(one)
                continue
            solved = self._solved_again(pair, wrong, one.here)
            if not solved:
                sizes = (*wrong, *(size for size in self._exceptions(one, pair) if size not in wrong))
                answers.append(one._replace(exact=False, consistent=False))
                others.append(self._told(one, tuple(sorted(sizes)), False))
                continue
            found_at = [(each, sizes) for each in solved if (sizes := self._exceptions(each, pair))]
            exceptions = [self._told(each, sizes, True) for each, sizes in found_at]
            others += exceptions
            answers += solved
            own = axis_words({self._axis.name: self._estimate.pricer.machine.network(self._name).words})
            if any(other.wiring == own for other in exceptions):
                answers.append(one._replace(assumes=(*one.assumes, own)))
        return Checked(tuple(dict.fromkeys(answers)), tuple(others))

    def _wrong(self, one: Crossover, pair: Pair, estimate: Estimate) -> tuple[int, ...]:
        """Return the whole sizes next to a threshold at which the comparison of an estimate is another on their own links."""
        return tuple(size for size in _beside(one) if self._differs(pair, self.longer(pair, size, estimate), size))

    def _differs(self, pair: Pair, said: bool | None, size: int) -> bool:
        there = self.estimate_at(size)
        real = [self.longer(other, size, there) for other in _alike(pair, there, self._name)]
        if said is None or not real or None in real:
            return False
        return all(bool(one) for one in real) != said

    def _solved_again(self, pair: Pair, wrong: Sequence[int], here: float | None) -> list[Crossover]:
        """Return the answer for the links of sizes next to it, where there is one that holds there."""
        todo, seen = list(wrong), set[str]()
        while todo and len(seen) < _MOST_REGIMES:
            size = todo.pop(0)
            regime, words = self.wirings.regime(self._axis, size)
            if words in seen:
                continue
            seen.add(words)
            alike = {(other.between, other.steps): other for other in _alike(pair, regime, self._name)}
            found = [one for one in regime.crossover(self._variable) if (one.between, one.steps) in alike]
            bad = [size for one in found for size in self._wrong(one, alike[one.between, one.steps], regime)]
            if found and not bad and all(one.value is not None for one in found):
                return [one._replace(assumes=(*one.assumes, words), here=here) for one in found]
            todo += bad
        return []

    def _exceptions(self, one: Crossover, pair: Pair) -> tuple[int, ...]:
        """Return the whole sizes, as far as they are looked at, at which the comparison comes out otherwise than an answer says."""
        sizes = []
        for size in range(1, min(_FARTHEST, 4 * math.ceil(one.until_value or one.value or 0)) + 1):
            if self.wirings.full:
                break
            if self._differs(pair, one.covers(size), size):
                sizes.append(size)
        return tuple(sizes)

    def _told(self, one: Crossover, sizes: tuple[int, ...], solved: bool) -> OtherLinks:
        return OtherLinks(one, sizes, self.words(sizes[0]), solved)


def _beside(one: Crossover) -> tuple[int, ...]:
    """Return the whole sizes next to the ends of a range, as far as these are sizes of meshes."""
    if one.value is None:
        return ()
    ends = [end for end in (one.value, one.until_value) if end is not None and end <= _LARGEST]
    return tuple(dict.fromkeys(size for end in ends for size in neighbours(end)))


def _alike(pair: Pair, estimate: Estimate, axis: str) -> list[Pair]:
    """Return the pairs of another wiring that are the same question: of the same steps, or of the links of the same axes."""
    found = [
        other for other in estimate.compared() if other.steps == pair.steps and _kind(other.first) == _kind(pair.first)
    ]
    same = [other for other in found if _axes(other.second.name) == _axes(pair.second.name)]
    mine = axis in _axes(pair.second.name)
    return same or [other for other in found if mine and axis in _axes(other.second.name)]


def _kind(roof: object) -> str:
    return str(getattr(roof, "name", "")).partition(":")[0]


def _axes(name: str) -> tuple[str, ...]:
    return tuple(name.partition(":")[2].split(",")) if ":" in name else (name,)


class OtherRoof(NamedTuple):
    """A size next to the end of a range at which another roof binds than the range says. wiring: the links there, in words."""

    size: int
    said: str
    binds: str
    wiring: str


def other_roofs(estimate: Estimate, variable: str, ranges: Sequence[Range]) -> tuple[OtherRoof, ...]:
    """Return where, next to the ends of ranges along a mesh axis, another roof binds on the links of that size."""
    axis = asked_axis(estimate, variable)
    ends = sorted({one.upper_value for one in ranges if one.upper_value is not None and one.upper_value < _LARGEST})
    if axis is None or not ends:
        return ()
    sides, found = Sides(estimate, variable, axis), []
    for size in dict.fromkeys(size for end in ends for size in neighbours(end)):
        said = next((one.roof for one in ranges if (one.lower_value or 0) < size < (one.upper_value or math.inf)), None)
        there = sides.estimate_at(size)
        times = [(sides.time(roof.time, size, there), roof.name) for roof in there.all_roofs()]
        known = [(time, name) for time, name in times if time is not None]
        if said is None or not known or len(known) < len(times):
            continue
        binds = max(known)[1]
        if roof_of(binds) != roof_of(said):
            found.append(OtherRoof(size, said, binds, sides.words(size)))
    return tuple(found)


__all__ = ["Checked", "OtherLinks", "OtherRoof", "asked_axis", "checked", "neighbours", "other_roofs"]
