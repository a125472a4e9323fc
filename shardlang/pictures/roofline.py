"""The roofline of a chip with the statements of a plan on it: FLOPs/s against FLOPs/byte of HBM traffic.

Source: COST_MODEL section 9. A statement stands at its intensity and at FLOPs over its longest roof, and so on the
line if arithmetic or HBM binds, and below it if the network does.
"""

from typing import NamedTuple

from shardlang.cost.estimate import Estimate
from shardlang.cost.prices import Prices
from shardlang.cost.values import Values, evaluate
from shardlang.pictures.chart import Axis, Chart, Crossing, Curve, Point
from shardlang.pictures.costs import Words, priced
from shardlang.pictures.numbers import require
from shardlang.pictures.problem import PictureError
from shardlang.pricing.roofs import ROOFS
from shardlang.reports.costs import CostReport
from shardlang.reports.units import plain_number, quantity
from shardlang.rules.text import value_text

_BESIDE = 8
_MOST_POINTS = 20


class _Spot(NamedTuple):
    """A statement on the picture. bound: what binds it."""

    intensity: float
    rate: float
    bound: str
    name: str


def roofline_chart(report: CostReport) -> Chart:
    """Return the roofline. Raises PictureError where a size or a rate is open, or nothing computes."""
    estimate = priced(report)
    if "hbm" not in estimate.roofs or "math" not in estimate.roofs:
        raise PictureError("a roofline has the roofs math and hbm, and one of them is not among those that count")
    computing = [s for s in estimate.statements if s.flops != 0 and s.hbm_bytes != 0]
    if not computing:
        raise PictureError("a roofline needs a statement with arithmetic", "A[I_X, J] · B[J, K] -> C[I_X, K]")
    rates = {dtype: estimate.pricer.names.flops(dtype) for dtype in estimate.pricer.names.dtypes}
    hbm = estimate.pricer.names.rate("W_hbm")
    formulas = [formula for s in computing for formula in (s.flops, *s.times.values())]
    require(estimate, [*formulas, hbm, *rates.values()], estimate.values, "a roofline")
    spots, left = _spots(estimate, report)
    if not spots:
        raise PictureError("no statement has a finite positive intensity")
    values = estimate.values
    ridges = [values[rate] / values[hbm] for rate in rates.values()]
    xs = [*ridges, *(spot.intensity for spot in spots)]
    low, high = min(xs) / _BESIDE, max(xs) * _BESIDE
    curves = tuple(
        Curve(
            f"{dtype}: at most {quantity(values[rate], 'FLOPs/s')}, and {quantity(values[hbm], 'bytes/s')} of HBM",
            tuple((x, min(values[rate], x * values[hbm])) for x in (low, values[rate] / values[hbm], high)),
        )
        for dtype, rate in rates.items()
    )
    ys = [y for one in curves for _, y in one.points] + [spot.rate for spot in spots]
    hardware = estimate.pricer.machine.hardware
    words = Words(report)
    return Chart(
        title=f"Roofline{' of ' + hardware.name if hardware is not None else ''}: {words.subject()}",
        x=Axis("arithmetic intensity: FLOPs per byte of HBM traffic, one device", low, high),
        y=Axis("FLOPs/s of one device", min(ys) / 2, max(ys) * 2, "FLOPs/s"),
        curves=curves,
        crossings=tuple(
            Crossing(
                ridge, values[rate], f"C/W_hbm = {plain_number(ridge)} FLOP/B", f"{dtype}: above it arithmetic binds"
            )
            for (dtype, rate), ridge in zip(rates.items(), ridges, strict=True)
        ),
        points=tuple(_points(spots)),
        notes=(*_left_out(left), *words.conventions(), _where(estimate.roofs)),
    )


_DRAWN = ("math", "hbm")


def _where(roofs: tuple[str, ...]) -> str:
    """Return what the height of a statement means, of the roofs that count."""
    others = [roof for roof in ROOFS if roof in roofs and roof not in _DRAWN]
    *first, last = (ROOFS[roof].time for roof in (*_DRAWN, *others))
    below = f"; below the line where {' or '.join(ROOFS[roof].words for roof in others)} binds" if others else ""
    return f"height: FLOPs over the longest of {', '.join(first)} and {last} of the statement{below}"


def _spots(estimate: Estimate, report: CostReport) -> tuple[list[_Spot], int]:
    """Return the statements that compute and, of several, the whole plan; and how many are left out."""
    found: list[_Spot] = []
    lines = zip(report.lines, estimate.statements, strict=True)
    for line, statement in lines:
        output = statement.plan.output
        name = f"{value_text(output) if output is not None else ''} (line {line})"
        found += _spot(statement, name, estimate.values, estimate.roofs)
    left = max(0, len(found) - _MOST_POINTS)
    del found[_MOST_POINTS:]
    if len(estimate.statements) > 1:
        found += _spot(estimate, "the whole plan", estimate.values, estimate.roofs)
    return found, left


def _spot(prices: Prices, name: str, values: Values, roofs: tuple[str, ...]) -> list[_Spot]:
    flops, moved = evaluate(prices.flops, values), evaluate(prices.hbm_bytes, values)
    longest = max((evaluate(prices.times[roof], values) or 0.0, roof) for roof in roofs)
    if not flops or not moved or not longest[0]:
        return []
    return [_Spot(flops / moved, flops / longest[0], longest[1], name)]


def _points(spots: list[_Spot]) -> list[Point]:
    """Return a point for each place, those of equal intensity and rate together."""
    same: dict[tuple[str, str, str], list[_Spot]] = {}
    for spot in spots:
        same.setdefault((f"{spot.intensity:.6g}", f"{spot.rate:.6g}", spot.bound), []).append(spot)
    return [
        Point(
            group[0].intensity,
            group[0].rate,
            ", ".join(spot.name for spot in group),
            f"{plain_number(group[0].intensity)} FLOP/B, {quantity(group[0].rate, 'FLOPs/s')}; "
            f"bound by {ROOFS[group[0].bound].words}",
        )
        for group in same.values()
    ]


def _left_out(count: int) -> tuple[str, ...]:
    return (f"{count} further statements are not drawn",) if count else ()
