"""The roofline of a chip with the statements of a plan on it: FLOPs/s against FLOPs/byte, for every level at once.

Each level (a memory, a group of links) is a slanted line, its bandwidth times the intensity, under the flat rate of
arithmetic. A statement stands once for each level, at its intensity against that one, always at the height of its FLOPs
over its longest roof: on the line of the level that binds, and right of all others, by as much as they have time to
spare. Intensities are those of `shardlang roofline`. Source: COST_MODEL section 9.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sympy import Symbol

from shardlang.cost.crossover import Roof
from shardlang.cost.estimate import Estimate, counted_roofs, link_roofs
from shardlang.cost.prices import Prices
from shardlang.cost.roofline import bandwidth
from shardlang.pictures.chart import Axis, Chart, Curve, Point, Ridge, Spot
from shardlang.pictures.costs import Words, priced
from shardlang.pictures.numbers import require
from shardlang.pictures.problem import PictureError
from shardlang.pricing.roofs import MATH, NETWORK, ROOFS
from shardlang.reports.costs import CostReport
from shardlang.reports.units import plain_number, quantity
from shardlang.rules.text import value_text

_BESIDE = 8
_MOST_SPOTS = 60
_DISCS = (
    "discs: one for each level, at the FLOPs per byte of that level; levels with the same bytes share one. The full "
    "one is on the line of the level that binds, and none is full where arithmetic does. How far a disc is right "
    "of the line of its colour is by how much that level is faster than what binds."
)


class _Row(NamedTuple):
    """A statement, or the whole plan: its roofs, and its FLOPs as a number."""

    name: str
    flops: float
    roofs: tuple[Roof, ...]


class _Level(NamedTuple):
    """A level of the picture: its bandwidth."""

    name: str
    symbol: Symbol
    rate: float


class _Stand(NamedTuple):
    """Where a row stands. at: its intensity against each level, by the number of the level."""

    name: str
    seconds: float
    rate: float
    at: tuple[tuple[int, float], ...]
    bound: str


def roofline_chart(report: CostReport) -> Chart:
    """Return the roofline. Raises PictureError where a size or a rate is open, or nothing computes."""
    estimate = priced(report)
    if MATH not in estimate.roofs or len(estimate.roofs) < 2:
        raise PictureError(
            "a roofline has the roof math and at least one other, and not both are among those that count",
            "--roofs math,ici,hbm",
        )
    rows = _rows(estimate, report)
    if not rows:
        raise PictureError("a roofline needs a statement with arithmetic", "A[I_X, J] · B[J, K] -> C[I_X, K]")
    levels = _levels(estimate, rows)
    peaks = {dtype: estimate.values[estimate.pricer.names.flops(dtype)] for dtype in estimate.pricer.names.dtypes}
    found = [stand for row in rows if (stand := _stand(row, levels, estimate)) is not None]
    if not found:
        raise PictureError("no statement has a finite positive intensity")
    stands = _drawn(found, len(levels))
    ridges = tuple(_ridges(levels, peaks))
    xs = [*(ridge.x for ridge in ridges), *(x for stand in stands for _, x in stand.at)]
    low, high = min(xs) / _BESIDE, max(xs) * _BESIDE
    bottom = min(stand.rate for stand in stands) / 3
    words = Words(report)
    hardware = estimate.pricer.machine.hardware
    return Chart(
        title=words.title(f"Roofline{' of ' + hardware.name if hardware is not None else ''}"),
        x=Axis("arithmetic intensity: FLOPs per byte of each level, one device", low, high),
        y=Axis("FLOPs/s of one device", bottom, max(peaks.values()) * 2, "FLOPs/s"),
        curves=(*_slants(levels, peaks, low, estimate), *_flats(levels, peaks, high)),
        points=tuple(_points(stands, levels)),
        notes=(*_left_out(len(found) - len(stands)), *words.conventions(), *_how_to_read(estimate)),
        ridges=ridges,
    )


def _rows(estimate: Estimate, report: CostReport) -> list[_Row]:
    """Return the statements that compute, and of several the whole plan. Raises PictureError where a number is missing."""
    names = estimate.pricer.names
    priced_rows: list[tuple[str, Prices, tuple[Roof, ...]]] = []
    for line, statement in zip(report.lines, estimate.statements, strict=True):
        if statement.flops != 0:
            groups = link_roofs(statement.steps, estimate.pricer)
            roofs = counted_roofs(statement, groups, estimate.roofs, estimate.comms == "sum")
            output = statement.plan.output
            name = f"{value_text(output) if output is not None else ''} (line {line})"
            priced_rows.append((name, statement, roofs))
    if len(estimate.statements) > 1 and estimate.flops != 0:
        priced_rows.append(("the whole plan", estimate, estimate.all_roofs()))
    formulas = [formula for _, prices, roofs in priced_rows for formula in (prices.flops, *(r.time for r in roofs))]
    rates = [bandwidth(r, estimate) for _, _, roofs in priced_rows for r in roofs if r.name != MATH]
    peaks = [names.flops(dtype) for dtype in names.dtypes]
    require(estimate, [*formulas, *rates, *peaks], estimate.values, "a roofline")
    return [_Row(name, estimate.value(prices.flops) or 0.0, roofs) for name, prices, roofs in priced_rows]


def _levels(estimate: Estimate, rows: Sequence[_Row]) -> tuple[_Level, ...]:
    """Return the levels that the rows load, those of the plan first."""
    roofs = {roof.name: roof for roof in (*estimate.all_roofs(), *(roof for row in rows for roof in row.roofs))}
    used = {roof.name for row in rows for roof in row.roofs}
    symbols = {name: bandwidth(roof, estimate) for name, roof in roofs.items() if name != MATH and name in used}
    return tuple(_Level(name, symbol, estimate.values[symbol]) for name, symbol in symbols.items())


def _stand(row: _Row, levels: Sequence[_Level], estimate: Estimate) -> _Stand | None:
    estimate.clock.check()
    seconds = {roof.name: estimate.value(roof.time) or 0.0 for roof in row.roofs}
    at = tuple(
        (number, _rounded(row.flops / (level.rate * seconds[level.name])))
        for number, level in enumerate(levels)
        if seconds.get(level.name)
    )
    longest = max(seconds.values(), default=0.0)
    if not at or not row.flops or not longest:
        return None
    return _Stand(row.name, longest, row.flops / longest, at, max(seconds, key=lambda name: seconds[name]))


def _rounded(value: float) -> float:
    """Return a number without the last digits, which differ by the way it was computed: memories move the same bytes."""
    return float(f"{value:.12g}")


def _drawn(found: Sequence[_Stand], levels: int) -> list[_Stand]:
    """Return those that are drawn, in the order of the text: all, or those that take the longest."""
    most = max(4, _MOST_SPOTS // levels)
    if len(found) <= most:
        return list(found)
    kept = set(sorted(range(len(found)), key=lambda number: (-found[number].seconds, number))[:most])
    return [stand for number, stand in enumerate(found) if number in kept]


def _slants(levels: Sequence[_Level], peaks: dict[str, float], low: float, estimate: Estimate) -> Iterator[Curve]:
    top = max(peaks.values())
    table = estimate.pricer.names.table
    for level in levels:
        needed = ", ".join(_needed(level, dtype, peak, len(peaks) > 1) for dtype, peak in peaks.items())
        name = f"{level.name}: {level.symbol} = {quantity(level.rate, 'bytes/s')}"
        points = ((low, low * level.rate), (top / level.rate, top))
        yield Curve(name, points, note=f"{table[level.symbol.name].meaning}; {needed}")


def _needed(level: _Level, dtype: str, peak: float, several: bool) -> str:
    return f"{f'C_{dtype}' if several else 'C'}/{level.symbol} = {plain_number(peak / level.rate)} FLOP/B"


def _flats(levels: Sequence[_Level], peaks: dict[str, float], high: float) -> Iterator[Curve]:
    """Yield the flat roof of each element type, from where the fastest level reaches it."""
    fastest = max(level.rate for level in levels)
    for dtype, peak in peaks.items():
        name = f"arithmetic: {f'C_{dtype}' if len(peaks) > 1 else 'C'} = {quantity(peak, 'FLOPs/s')} in {dtype}"
        yield Curve(name, ((peak / fastest, peak), (high, peak)), plain=True)


def _ridges(levels: Sequence[_Level], peaks: dict[str, float]) -> Iterator[Ridge]:
    """Yield where each slanted line meets each flat one; two levels with one bandwidth meet it at one place."""
    seen: set[float] = set()
    for number, level in enumerate(levels):
        for dtype, peak in peaks.items():
            if peak / level.rate not in seen:
                seen.add(peak / level.rate)
                name = f"{_needed(level, dtype, peak, len(peaks) > 1)}: right of it arithmetic takes longer"
                yield Ridge(peak / level.rate, peak, name, number)


def _points(stands: Sequence[_Stand], levels: Sequence[_Level]) -> Iterator[Point]:
    """Yield a point for each place, those of equal intensities and rate together."""
    same: dict[tuple[str, ...], list[_Stand]] = {}
    for stand in stands:
        places = (f"{number} {x:.6g}" for number, x in stand.at)
        same.setdefault((f"{stand.rate:.6g}", stand.bound, *places), []).append(stand)
    for group in same.values():
        first = group[0]
        spots = _spots(first, levels)
        intensities = ", ".join(f"{levels[number].name} {plain_number(x)}" for number, x in first.at)
        note = f"{quantity(first.rate, 'FLOPs/s')}, bound by {_words(first.bound)}; FLOP/B: {intensities}"
        curve = spots[0].curve if spots[0].strong else None
        yield Point(spots[0].x, spots[0].y, ", ".join(stand.name for stand in group), note, spots, curve)


def _spots(stand: _Stand, levels: Sequence[_Level]) -> tuple[Spot, ...]:
    """Return a place for each level: that of the one that binds first, then from the slowest one on."""
    spots = [
        Spot(
            x,
            stand.rate,
            number,
            f"{plain_number(x)} FLOP/B of {levels[number].name}",
            stand.bound == levels[number].name,
        )
        for number, x in stand.at
    ]
    return tuple(sorted(spots, key=lambda spot: (not spot.strong, levels[spot.curve].rate)))


def _words(roof: str) -> str:
    return ROOFS[roof].words if roof in ROOFS else roof


def _how_to_read(estimate: Estimate) -> tuple[str, ...]:
    apart = estimate.comms != "sum"
    *first, last = (
        "the time of each group of links" if roof == NETWORK and apart else ROOFS[roof].time
        for roof in sorted(estimate.roofs, key=lambda roof: (roof == NETWORK, list(ROOFS).index(roof)))
    )
    return (
        f"height of a statement: FLOPs over the longest of {', '.join(first)} and {last}",
        _DISCS,
    )


def _left_out(count: int) -> tuple[str, ...]:
    return (f"{count} further statements, which take less time, are not drawn",) if count else ()
