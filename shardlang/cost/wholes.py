"""The splits of devices over mesh axes that exist, each priced on the links that it has."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sympy import Expr, Max, Symbol

from shardlang.cost import terms as t
from shardlang.cost.estimate import Estimate
from shardlang.cost.splits import Split, Way, ways
from shardlang.cost.values import Values, evaluate, exact_number
from shardlang.cost.wiring import Wirings
from shardlang.pricing.machine import Machine

_SAME = 1e-9


class WholeSplit(NamedTuple):
    """A split into whole axes, on the links that it has. value: the time, None while a symbol is open.

    slower: than what `Whole.slower_than` says, as a fraction. uneven: the dimensions of the plan that the axes do not divide, so that it takes padding. wiring: how axes are
    wired for which the formulas take other links, in words. formula: the time by the formulas; agrees: whether that is its
    price, None while that is open.
    """

    sizes: Mapping[Symbol, int]
    value: float | None
    slower: float | None
    uneven: tuple[str, ...]
    wiring: Mapping[str, str] = {}
    formula: float | None = None
    agrees: bool | None = None


class Whole(NamedTuple):
    """The splits that exist, the best first. left_out: those that take part of a physical axis of the slice (SL912).

    beside: of the best split and those next to the optimum the ones that the formula prices otherwise. passed: how many
    splits were not priced, because they are too many. slower_than: what `WholeSplit.slower` compares with, the `optimum`
    of the formula or the `best` split of all.
    """

    splits: tuple[WholeSplit, ...] = ()
    left_out: tuple[Mapping[Symbol, int], ...] = ()
    beside: tuple[WholeSplit, ...] = ()
    passed: int = 0
    slower_than: str = ""


class _Priced(NamedTuple):
    way: Way
    height: float
    value: float | None
    formula: float | None
    formula_height: float
    wiring: Mapping[str, str]


def whole_splits(
    split: Split, variable: Symbol, estimate: Estimate, of: str, known: Values, best: float | None
) -> Whole:
    """Return the whole splits of devices, by the time `of`; none where numbers are missing that do not factor out.

    known: numbers for all but the axes of the split. best: where the formula has its optimum.
    """
    wirings = Wirings(estimate, known)
    placed, left_out = _placed(ways(split, variable, estimate), wirings)
    kept, passed = _bounded(placed, variable, split, wirings.most, best)
    rows = _price(kept, split, variable, wirings, estimate, of, known, best)
    if not rows:
        return Whole(left_out=left_out)
    least, priced = rows
    found = [min(group, key=_order(variable)) for group in _by_size(priced, variable)]
    near = math.log(best or 1)
    found.sort(
        key=lambda row: (_rounded(row.height), len(row.way.uneven), abs(math.log(row.way.sizes[variable]) - near))
    )
    beside = _beside(found, variable, best)
    ideal = None if beside or least is None or found[0].height < least * (1 - _SAME) else least
    reference = found[0].height if ideal is None else ideal
    splits = tuple(_whole_split(row, reference) for row in found)
    others = tuple(_whole_split(row, reference) for row in beside)
    return Whole(splits, left_out, others, passed, "best" if ideal is None else "optimum")


def _placed(
    candidates: Sequence[Way], wirings: Wirings
) -> tuple[list[tuple[Way, Machine]], tuple[Mapping[Symbol, int], ...]]:
    """Return the splits with their machines, and those that are no mesh of the slice."""
    placed, left_out = [], []
    for way in candidates:
        machine = wirings.machine(way.sizes)
        if not machine.wired:
            left_out.append(way.sizes)
        else:
            placed.append((way, machine))
    return placed, tuple(left_out)


def _bounded(
    placed: list[tuple[Way, Machine]], variable: Symbol, split: Split, most: int, best: float | None
) -> tuple[list[tuple[Way, Machine]], int]:
    """Return as many splits as are priced, one for each size first, near the optimum of the formula first, and how many are left."""
    if len(placed) <= most:
        return placed, 0
    middle = math.log(best if best is not None else math.sqrt(split.devices or 1))
    seen: dict[int, int] = {}
    ranked = []
    for one in placed:
        size = one[0].sizes[variable]
        seen[size] = seen.get(size, 0) + 1
        ranked.append((seen[size], abs(math.log(size) - middle), one))
    ranked.sort(key=lambda row: row[:2])
    return [one for _, _, one in ranked[:most]], len(placed) - most


def _price(
    placed: Sequence[tuple[Way, Machine]],
    split: Split,
    variable: Symbol,
    wirings: Wirings,
    estimate: Estimate,
    of: str,
    known: Values,
    best: float | None,
) -> tuple[float | None, list[_Priced]] | None:
    """Return the least time of the formula, and the splits with what they take; None where they cannot be compared."""
    formula: Expr = getattr(estimate, of)
    sides: list[tuple[Expr, Values]] = []
    for way, machine in placed:
        wired = wirings.at(way.sizes, machine)
        sides += [(getattr(wired.estimate, of), wired.values), (formula, {**known, **way.sizes})]
    if best is not None and split.devices is not None:
        first, *others = (axis for axis in split.axes.values() if axis != variable)
        there = {**known, variable: best, first: split.devices / best, **dict.fromkeys(others, 1.0)}
        sides.append((formula, there))
    heights = _heights(sides)
    if heights is None or not placed:
        return None
    values = [evaluate(expr, at) for expr, at in sides]
    rows = [
        _Priced(
            way,
            heights[2 * at],
            values[2 * at],
            values[2 * at + 1],
            heights[2 * at + 1],
            wirings.words(way.sizes, machine),
        )
        for at, (way, machine) in enumerate(placed)
    ]
    return (heights[-1] if len(sides) > 2 * len(placed) else None), rows


def _heights(sides: Sequence[tuple[Expr, Values]]) -> list[float] | None:
    """Return numbers in proportion to times; None where what is open does not factor out of all of them."""
    numbers = [evaluate(expr, values) for expr, values in sides]
    known = [number for number in numbers if number is not None]
    if len(known) == len(numbers):
        return known
    parts = [_parts(expr, values) for expr, values in sides]
    powers = {term.powers for sums in parts for terms in sums for term in terms}
    if len(powers) > 1:
        return None
    return [max((float(sum(term.coefficient for term in terms)) for terms in sums), default=0.0) for sums in parts]


def _parts(expr: Expr, values: Values) -> list[tuple[t.Term, ...]]:
    put = expr.xreplace({s: exact_number(values[s]) for s in expr.free_symbols if s in values})
    return [t.terms_of(part) for part in (put.args if isinstance(put, Max) else (put,))]


def _by_size(rows: Sequence[_Priced], variable: Symbol) -> Iterator[list[_Priced]]:
    """Yield the splits of one size of the axis: several ways for the axes beside it."""
    groups: dict[int, list[_Priced]] = {}
    for row in rows:
        groups.setdefault(row.way.sizes[variable], []).append(row)
    yield from groups.values()


def _order(variable: Symbol) -> Callable[[_Priced], tuple[int, float, int]]:
    def key(row: _Priced) -> tuple[int, float, int]:
        rest = (size for axis, size in row.way.sizes.items() if axis != variable)
        return (len(row.way.uneven), _rounded(row.height), max(rest))

    return key


def _rounded(height: float) -> float:
    return float(f"{height:.12g}")


def _beside(rows: Sequence[_Priced], variable: Symbol, best: float | None) -> list[_Priced]:
    """Return the best split and those next to the optimum, of which the formula gives another price."""
    looked_at = rows[:1]
    if best is not None:
        in_order = sorted(rows, key=lambda row: row.way.sizes[variable])
        below = [row for row in in_order if row.way.sizes[variable] <= best]
        above = [row for row in in_order if row.way.sizes[variable] >= best]
        looked_at = [*looked_at, *below[-1:], *above[:1]]
    found: list[_Priced] = []
    for row in looked_at:
        if row.wiring and not _agrees(row) and row not in found:
            found.append(row)
    return found


def _agrees(row: _Priced) -> bool:
    return math.isclose(row.height, row.formula_height, rel_tol=_SAME)


def _whole_split(row: _Priced, reference: float) -> WholeSplit:
    slower = max(0.0, row.height / reference - 1) if reference else None
    return WholeSplit(row.way.sizes, row.value, slower, row.way.uneven, row.wiring, row.formula, _agrees(row))


__all__ = ["Whole", "WholeSplit", "whole_splits"]
