"""The times of a plan over the ways to split a fixed number of devices into mesh axes: lines for X·Y, a map for more."""

from math import isclose

from sympy import Expr

from shardlang.cost.values import evaluate
from shardlang.pictures.chart import Axis, Chart, Curve, Point
from shardlang.pictures.costs import Words, priced, times
from shardlang.pictures.heat import HeatMap, Panel, Tile
from shardlang.pictures.numbers import curve, require, spread
from shardlang.pictures.problem import PictureError
from shardlang.pictures.splitting import Best, Splits, Whole, best_of, optimum_of
from shardlang.pictures.sweep import heights
from shardlang.reports.costs import CostReport
from shardlang.reports.units import quantity

_MOST_PANELS = 12


def split_picture(report: CostReport, split: str | None) -> Chart | HeatMap:
    """Return the times over all splits, with the best that exists and the optimum of the communication.

    split: such as `X*Y = 64`; by default the first two axes of the mesh. Raises RatioError for what is no split of the plan's
    axes, PictureError where a number is missing.
    """
    estimate = priced(report)
    splits = Splits(estimate, split)
    first = splits.at({symbol: float(size) for symbol, size in splits.ways[0].sizes.items()})
    formulas: list[Expr] = [time.seconds for time in times(estimate)]
    require(estimate, formulas, first, "the picture over mesh splits")
    if not formulas:
        raise PictureError("nothing in this text takes time on a roof that counts")
    return _chart(report, splits) if len(splits.axes) == 2 else _map(report, splits)


def _chart(report: CostReport, splits: Splits) -> Chart:
    estimate, words = splits.estimate, Words(report)
    x, y = splits.axes
    marked = tuple((float(way.sizes[x]), f"{way.sizes[x]}×{way.sizes[y]}") for way in splits.ways)
    low, high = marked[0][0], marked[-1][0]
    ways = [(at, splits.at({x: at, y: splits.devices / at})) for at in spread(low, high)]
    curves = [Curve("T_lower: everything overlaps", curve(estimate.t_lower, ways, estimate.clock), wide=True)]
    curves += [
        Curve(time.name, points, time.main, words.formula(time.seconds))
        for time in times(estimate)
        if (points := curve(time.seconds, ways, estimate.clock))
    ]
    if not curves[0].points:
        raise PictureError("nothing in this text takes time on a roof that counts")
    best = optimum_of(splits, words)
    inside = best is not None and best.value is not None and low <= best.value <= high
    curves += _on_own_links(splits)
    return Chart(
        title=words.title(f"Times over the splits {splits.text}"),
        x=Axis(f"{x}×{y}: devices along {x} and along {y}, {splits.devices} in all", low, high, marked=marked),
        y=Axis("time per device, s", *heights(tuple(curves)), "s"),
        curves=tuple(curves),
        points=(*_best_point(splits), *(_optimum_point(best, splits) if best is not None and inside else ())),
        notes=(
            *words.conventions(swept=(x.name, y.name)),
            splits.plan_note(),
            *(() if best is None or inside else (_outside(best),)),
        ),
    )


def _on_own_links(splits: Splits) -> list[Curve]:
    """Return the lower bound of whole splits where their links are others than those of the curves, else nothing."""
    axis = splits.axes[0]
    whole = splits.whole()
    drawn = (evaluate(splits.estimate.t_lower, splits.at(one.numbers)) for one in whole)
    if all(there is not None and isclose(one.lower, there) for one, there in zip(whole, drawn, strict=True)):
        return []
    points = tuple((float(one.way.sizes[axis]), one.lower) for one in whole)
    return [Curve("T_lower of whole splits, on their own links", points)]


def _best_point(splits: Splits) -> tuple[Point, ...]:
    whole = splits.whole()
    if not whole:
        return ()
    best, note = best_of(whole)
    return (Point(best.way.sizes[splits.axes[0]], best.lower, f"{best.text}: the best split", note),)


def _optimum_point(best: Best, splits: Splits) -> tuple[Point, ...]:
    at = best.value or 1.0
    other = next(axis for axis in splits.axes if axis != best.axis)
    sizes = {best.axis: at, other: splits.devices / at}
    height = evaluate(splits.estimate.t_comms, splits.at(sizes))
    return (Point(sizes[splits.axes[0]], height, best.name, best.note),) if height else ()


def _outside(best: Best) -> str:
    return f"{best.name}: {best.note}"


def _map(report: CostReport, splits: Splits) -> HeatMap:
    words = Words(report)
    whole = splits.whole()
    optimum = optimum_of(splits, words)
    across = splits.axes[0] if optimum is None else optimum.axis
    down, third, *fixed = (axis for axis in splits.axes if axis != across)
    best, note = best_of(whole)
    columns, rows = (sorted({one.way.sizes[axis] for one in whole}) for axis in (across, down))
    panels: dict[str, list[Tile]] = {}
    for one in whole:
        heading = ", ".join(f"{axis} = {one.way.sizes[axis]}" for axis in fixed)
        place = columns.index(one.way.sizes[across]), rows.index(one.way.sizes[down])
        lines = (quantity(one.lower, "s"), f"{third} = {one.way.sizes[third]}", one.longest)
        panels.setdefault(heading, []).append(Tile(*place, one.lower, lines, _said(one), one == best))
    if len(panels) > _MOST_PANELS:
        raise PictureError(
            f"there are {len(panels)} panels for {', '.join(map(str, fixed))}; give one of the axes a size"
        )
    guide = optimum.value if optimum is not None else None
    inside = guide is not None and columns[0] <= guide <= columns[-1]
    names = tuple(axis.name for axis in splits.axes)
    return HeatMap(
        title=words.title(f"Times over the splits {splits.text}"),
        across=f"{across}: devices along {across}",
        down=f"{down}: devices along {down}",
        columns=tuple(columns),
        rows=tuple(rows),
        panels=tuple(Panel(heading, tuple(tiles)) for heading, tiles in sorted(panels.items(), key=_first_size)),
        measure="T_lower per device, s: everything overlaps",
        inside=f"in each tile: T_lower, the devices along {third}, and what takes longest",
        best=Point(best.way.sizes[across], best.lower, f"{best.text}: the best split", note),
        guide=Point(guide, 0.0, optimum.name, optimum.note)
        if optimum is not None and guide is not None and inside
        else None,
        notes=(
            *words.conventions(swept=names),
            splits.plan_note(),
            *(() if optimum is None or inside else (_outside(optimum),)),
        ),
    )


def _first_size(panel: tuple[str, list[Tile]]) -> list[int]:
    return [int(part.rpartition(" ")[2]) for part in panel[0].split(", ") if part]


def _said(one: Whole) -> str:
    padded = f"; {one.padded}" if one.padded else ""
    return f"{one.text}: T between {quantity(one.lower, 's')} and {quantity(one.upper, 's')}{padded}"
