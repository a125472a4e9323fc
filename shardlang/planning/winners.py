"""Which of some plans are best for some sizes: shown by sizes at which they are, or shown never to be by algebra.

Sampling only ever keeps a plan. One is left out where another plan, or a mean of two, is proved to cost no more
for all sizes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import inf, log2
from typing import NamedTuple

from shardlang.planning.exact import ExactPrices
from shardlang.rules.plan import Step
from shardlang.semantics.inequality import Maxima, largest, occurring
from shardlang.semantics.polynomial import Polynomial, Powers, never_negative
from shardlang.semantics.size import Symbol, axis_symbol

_DRAWS = 48  # of dimensions for each mesh
_RANGE = 26.0  # how often the smallest length is doubled at most
_STEPS = (8.0, 2.0, 0.5, 0.1)
_CLIMBS = 6  # plans that are looked at closely
_MEANS = ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1))
_PAIRED = 14  # plans of which means are taken
_ROOM = 1e-9

Sizes = dict[Symbol, int]


class Winner(NamedTuple):
    """A plan by number, and sizes at which it is strictly cheaper than all others; None where none were found."""

    number: int
    example: Sizes | None


class Race:
    """Plans that are compared: their steps and exact prices. meshes: the sizes of the axes that are looked at."""

    def __init__(
        self,
        prices: ExactPrices,
        plans: Sequence[tuple[Step, ...]],
        costs: Sequence[Polynomial],
        meshes: list[dict[str, int]],
    ) -> None:
        self._prices, self._plans = prices, plans
        self._costs = [cost.substitute(prices.figures) for cost in costs]
        symbols = frozenset[Symbol]().union(*(cost.symbols for cost in self._costs))
        self._maxima = {
            symbol: tuple(argument.substitute(prices.figures) for argument in arguments)
            for symbol, arguments in occurring(prices.maxima, symbols).items()
        }
        symbols = symbols.union(*(a.symbols for arguments in self._maxima.values() for a in arguments))
        self._dims = sorted(symbol for symbol in symbols if symbol.kind == "dim")
        self._axes = frozenset(symbol for symbol in symbols if symbol.kind == "axis")
        self._tables = [_Table(self._costs, self._dims, mesh, self._maxima) for mesh in meshes]
        self._rows: list[list[float]] = []

    def winners(self) -> list[Winner]:
        """Return the plans that are best somewhere, and those of which it is not decided."""
        rows = self._rows
        examples: dict[int, Sizes] = {}
        nearest: dict[int, tuple[float, _Table, list[float]]] = {}
        for table in self._tables:
            for place in _draws(len(self._dims)):
                row = table.row(place)
                rows.append(row)
                self._note(row, table, place, examples, nearest)
        best = sorted(examples)
        left = [n for n in range(len(self._costs)) if n not in examples and not self._beaten(n, best, rows)]
        for number in sorted(left, key=lambda n: nearest[n][0])[:_CLIMBS]:
            _, table, place = nearest[number]
            self._climb(number, table, place, examples)
        return [Winner(number, examples.get(number)) for number in sorted({*best, *left})]

    def undecided(self, one: int, other: int) -> bool:
        """Say whether either of two plans was seen to be the cheaper one."""
        pairs = [(row[one], row[other]) for row in self._rows]
        return any(a < b * (1 - _ROOM) for a, b in pairs) and any(b < a * (1 - _ROOM) for a, b in pairs)

    def _note(
        self,
        row: list[float],
        table: "_Table",
        place: list[float],
        examples: dict[int, Sizes],
        nearest: dict[int, tuple[float, "_Table", list[float]]],
    ) -> None:
        least = min(row)
        first = row.index(least)
        for number, price in enumerate(row):
            behind = price / least if least else (1.0 if price == 0 else inf)
            if number not in nearest or behind < nearest[number][0]:
                nearest[number] = behind, table, place
        if first not in examples:
            self._try(first, table, place, examples)

    def _try(self, number: int, table: "_Table", place: list[float], examples: dict[int, Sizes]) -> bool:
        """Take note of the sizes if the plan is strictly the cheapest there, exactly; powers of two are tried first."""
        return self._holds(number, table, [float(round(p)) for p in place], examples) or self._holds(
            number, table, place, examples
        )

    def _holds(self, number: int, table: "_Table", place: list[float], examples: dict[int, Sizes]) -> bool:
        sizes = table.sizes(place)
        costs = self._costs
        if self._maxima:
            found = largest(self._maxima, sizes)
            costs = [cost.substitute(found) for cost in costs]
        above, below = costs[number].value(sizes)
        for other, cost in enumerate(costs):
            if other != number:
                over, under = cost.value(sizes)
                if above * under >= over * below:
                    return False
        examples[number] = {
            symbol: size for symbol, size in sizes.items() if symbol in self._axes or symbol.kind == "dim"
        }
        return True

    def _climb(self, number: int, table: "_Table", place: list[float], examples: dict[int, Sizes]) -> None:
        """Look for sizes at which a plan is the cheapest, from where it comes nearest to that."""

        def lag(where: list[float]) -> float:
            row = table.row(where)
            rest = min((price for other, price in enumerate(row) if other != number), default=inf)
            return row[number] / rest if rest else inf

        here = lag(place)
        for step in _STEPS:
            better = True
            while better and here >= 1 - _ROOM:
                better = False
                for turn in _turns(len(place), step):
                    there = [min(max(a + b, 0.0), _RANGE * 1.5) for a, b in zip(place, turn, strict=True)]
                    value = lag(there)
                    if value < here * (1 - _ROOM):
                        place, here, better = there, value, True
            if here < 1 - _ROOM:
                self._try(number, table, place, examples)
                return

    def _beaten(self, number: int, best: list[int], rows: list[list[float]]) -> bool:
        """Say whether it is proved that the plan is never cheaper than all others."""
        mine = [row[number] for row in rows]

        def seems_beaten(prices: Iterable[float]) -> bool:
            return all(price <= own * (1 + _ROOM) for price, own in zip(prices, mine, strict=True))

        others = [other for other in range(len(self._costs)) if other != number]
        for other in sorted(others, key=lambda other: other not in best):
            if seems_beaten(row[other] for row in rows) and self._never_less(number, self._costs[other], (other,)):
                return True
        for one, two in combinations([other for other in best if other != number][:_PAIRED], 2):
            for a, b in _MEANS:
                if seems_beaten((a * row[one] + b * row[two]) / (a + b) for row in rows):
                    mean = (self._costs[one] * a + self._costs[two] * b) / (a + b)
                    if self._never_less(number, mean, (one, two)):
                        return True
        return False

    def _never_less(self, number: int, bound: Polynomial, others: tuple[int, ...]) -> bool:
        limits = self._prices.bounds([self._plans[number], *(self._plans[other] for other in others)])
        return never_negative(self._costs[number] - bound, limits.least, limits.factors)


class _Table:
    """The prices of plans on one mesh, as numbers times products of dimensions."""

    def __init__(
        self, costs: Sequence[Polynomial], dims: list[Symbol], mesh: Mapping[str, int], maxima: Maxima
    ) -> None:
        self._mesh = {axis_symbol(axis): size for axis, size in mesh.items()}
        self._dims, self._maxima = dims, maxima
        self._shards = 1
        for size in mesh.values():
            self._shards *= size
        numbers = [_numbers(cost, self._mesh) for cost in costs]
        self._keys = list(dict.fromkeys(key for row in numbers for key in row))
        self._rows = [[row.get(key, 0.0) for key in self._keys] for row in numbers]

    def sizes(self, place: Sequence[float]) -> Sizes:
        """Return the sizes at a place: the doublings of each dimension from the smallest length that always divides."""
        dims = {symbol: self._shards * round(2**power) for symbol, power in zip(self._dims, place, strict=True)}
        return self._mesh | dims

    def row(self, place: Sequence[float]) -> list[float]:
        """Return the price of every plan at a place."""
        values: dict[Symbol, float] = {}
        values.update(self.sizes(place))
        for symbol, arguments in self._maxima.items():
            values[symbol] = max(argument.number(values) for argument in arguments)
        products = []
        for key in self._keys:
            total = 1.0
            for symbol, power in key:
                total *= values[symbol] ** power
            products.append(total)
        return [sum(map(float.__mul__, row, products)) for row in self._rows]


def _numbers(cost: Polynomial, mesh: Mapping[Symbol, int]) -> dict[Powers, float]:
    """Return a price on one mesh: numbers by what is left open."""
    found: dict[Powers, float] = {}
    for powers, number in cost.terms.items():
        share = number / cost.denominator
        key = []
        for symbol, power in powers:
            if symbol in mesh:
                share *= float(mesh[symbol]) ** power
            else:
                key.append((symbol, power))
        found[tuple(key)] = found.get(tuple(key), 0.0) + share
    return found


def _draws(count: int) -> Iterator[list[float]]:
    """Yield places that fill the range evenly: the multiples of square roots, without their whole parts."""
    roots = [prime**0.5 for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)]
    while len(roots) < count:
        roots.append(log2(len(roots) + 1.5))
    for draw in range(1, _DRAWS + 1 if count else 2):
        yield [_RANGE * ((draw * root) % 1.0) for root in roots[:count]]


def _turns(count: int, step: float) -> Iterator[list[float]]:
    """Yield changes of a place: of one dimension, or of two."""
    for at in range(count):
        for sign in (step, -step):
            yield [sign if other == at else 0.0 for other in range(count)]
    for one, two in combinations(range(count), 2):
        for a, b in ((step, step), (step, -step), (-step, step), (-step, -step)):
            yield [a if other == one else b if other == two else 0.0 for other in range(count)]
