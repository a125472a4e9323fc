"""The times of a plan over the ways to split a fixed number of devices into two mesh axes: X·Y = N."""

import re
from math import isclose
from typing import NamedTuple

from sympy import Expr, Symbol

from shardlang.cost.estimate import Estimate
from shardlang.cost.ratio import RatioError, read_ratio
from shardlang.cost.values import Values, evaluate
from shardlang.cost.wiring import Wirings
from shardlang.pictures.chart import Axis, Chart, Curve, Point
from shardlang.pictures.costs import Words, priced, times
from shardlang.pictures.numbers import curve, require, spread, values_with
from shardlang.pictures.problem import PictureError
from shardlang.pictures.sweep import heights
from shardlang.reports.costs import CostReport
from shardlang.reports.units import plain_number, quantity

_FORM = re.compile(r"\s*([^\s=*·×]+)\s*[*·×]\s*([^\s=*·×]+)\s*(?:=\s*(\d{1,9})\s*)?\Z")
_LARGEST = 10**7
_REFINED = 60


class Split(NamedTuple):
    """Two mesh axes and the number of devices on them together, None where the sizes of the plan say it."""

    first: str
    second: str
    devices: int | None


def read_split(text: str) -> Split | None:
    """Return what `X*Y = 64` or `X·Y` asks for, None for what is neither."""
    found = _FORM.match(text)
    if found is None or found[1] == found[2]:
        return None
    return Split(found[1], found[2], int(found[3]) if found[3] else None)


class _Splits:
    """The values of all symbols at a split."""

    def __init__(self, estimate: Estimate, split: Split) -> None:
        self.estimate = estimate
        self.x, self.y = _axis(estimate, split.first), _axis(estimate, split.second)
        sizes = [estimate.values.get(symbol) for symbol in (self.x, self.y)]
        devices = split.devices
        if devices is None:
            if sizes[0] is None or sizes[1] is None:
                raise PictureError(
                    f"the number of devices of {self.x}·{self.y} is open", f"--split {self.x}*{self.y}=64"
                )
            devices = int(sizes[0] * sizes[1])
        self.devices = devices
        if not 4 <= self.devices <= _LARGEST:
            raise PictureError(f"{self.devices} devices cannot be split into axes here: from 4 to {_LARGEST} can")
        least = 1 if estimate.model == "exact" else 2
        self._wirings = Wirings(estimate, {})
        self._bounds: dict[int, tuple[float, float] | None] = {}
        sizes_of = [x for x in _divisors(self.devices) if least <= x <= self.devices // least]
        self.whole = [x for x in sizes_of if self._exists(x)]
        if len(self.whole) < 2:
            raise PictureError(f"there are not several ways to split {self.devices} devices into two axes")

    def at(self, x: float) -> Values:
        return values_with(self.estimate, {self.x: x, self.y: self.devices / x})

    def bounds(self, x: int) -> tuple[float, float] | None:
        """Return the bounds of the time at a split that exists, on the links that it has; None where they are open, or too many."""
        if x not in self._bounds and not self._wirings.full:
            sizes = {self.x: x, self.y: self.devices // x}
            machine = self._wirings.machine(sizes)
            wired = self._wirings.at(sizes, machine)
            lower, upper = (evaluate(bound, wired.values) for bound in (wired.estimate.t_lower, wired.estimate.t_upper))
            self._bounds[x] = None if lower is None or upper is None else (lower, upper)
        return self._bounds.get(x)

    def _exists(self, x: int) -> bool:
        """Say whether a slice has axes of these sizes; what is no slice has all."""
        return self._wirings.machine({self.x: x, self.y: self.devices // x}).wired


def split_chart(report: CostReport, split: Split | None) -> Chart:
    """Return the times over all splits, with the best that exists and the least time of communication.

    split: the axes; by default the first two of the mesh. Raises RatioError for an axis that the plan does not have,
    PictureError where a number is missing.
    """
    estimate = priced(report)
    splits = _Splits(estimate, split or _usual(estimate))
    shown = times(estimate)
    words = Words(report)
    require(estimate, [time.seconds for time in shown], splits.at(splits.whole[0]), "the picture over mesh splits")
    low, high = float(splits.whole[0]), float(splits.whole[-1])
    ways = [(x, splits.at(x)) for x in spread(low, high)]
    curves = [Curve("T_lower: everything overlaps", curve(estimate.t_lower, ways), wide=True)]
    curves += [
        Curve(time.name, points, time.main, words.formula(time.seconds))
        for time in shown
        if (points := curve(time.seconds, ways))
    ]
    if not curves[0].points:
        raise PictureError("nothing in this text takes time on a roof that counts")
    curves += _on_own_links(splits, estimate.t_lower)
    x, y = splits.x.name, splits.y.name
    marked = tuple((float(at), f"{at}×{splits.devices // at}") for at in splits.whole)
    return Chart(
        title=f"Times over the splits {x}·{y} = {splits.devices}: {words.subject()}",
        x=Axis(f"{x}×{y}: devices along {x} and along {y}, {splits.devices} in all", low, high, marked=marked),
        y=Axis("time per device, s", *heights(tuple(curves)), "s"),
        curves=tuple(curves),
        points=_points(splits),
        notes=(*words.conventions(swept=(x, y)), _plan_note(splits)),
    )


def _on_own_links(splits: _Splits, formula: Expr) -> list[Curve]:
    """Return the lower bound at the splits that exist where their links are others than those of the curves, else nothing."""
    found = [(float(at), bounds[0]) for at in splits.whole if (bounds := splits.bounds(at)) is not None]
    drawn = [evaluate(formula, splits.at(at)) for at, _ in found]
    same = all(there is not None and isclose(here, there) for (_, here), there in zip(found, drawn, strict=True))
    return [] if same else [Curve("T_lower of whole splits, on their own links", tuple(found))]


def _points(splits: _Splits) -> tuple[Point, ...]:
    """Return the best split into whole axes, and where communication takes the least time."""
    estimate = splits.estimate
    x, y = splits.x.name, splits.y.name
    found = [(*bounds, at) for at in splits.whole if (bounds := splits.bounds(at)) is not None]
    points = []
    if found:
        lower, upper, at = min(found)
        ties = sum(abs(other - lower) <= 1e-9 * lower for other, _, _ in found)
        words = f"{ties} splits have this T_lower; of them the least T_upper" if ties > 1 else "the least T_lower"
        name = f"{x} = {at}, {y} = {splits.devices // at}: the best split"
        points.append(Point(at, lower, name, f"T between {quantity(lower, 's')} and {quantity(upper, 's')}; {words}"))
    if "ici" in estimate.roofs and (least := _least(estimate.t_comms, splits)) is not None:
        name = f"{x} = {plain_number(least[0])}: the least T_comms"
        points.append(Point(*least, name, f"{quantity(least[1], 's')}, for sizes that need not be whole"))
    return tuple(points)


def _least(expr: Expr, splits: _Splits) -> tuple[float, float] | None:
    """Return where a time is least between the ends, None where that is at an end or it is the same everywhere."""
    ways = [(x, splits.at(x)) for x in spread(splits.whole[0], splits.whole[-1])]
    points = curve(expr, ways)
    if len(points) < 3:
        return None
    best = min(range(len(points)), key=lambda at: points[at][1])
    if best in (0, len(points) - 1) or points[best][1] > 0.999999 * max(y for _, y in points):
        return None
    low, high = points[best - 1][0], points[best + 1][0]
    for _ in range(_REFINED):
        third = (high / low) ** (1 / 3)
        left, right = evaluate(expr, splits.at(low * third)), evaluate(expr, splits.at(low * third * third))
        if left is None or right is None:
            return None
        low, high = (low, low * third * third) if left <= right else (low * third, high)
    middle = (low * high) ** 0.5
    least = evaluate(expr, splits.at(middle))
    return None if least is None else (middle, least)


def _axis(estimate: Estimate, name: str) -> Symbol:
    symbol = read_ratio(name, estimate.pricer.names)[0][0]
    if symbol not in estimate.size_symbols() or estimate.pricer.names.table[symbol.name].kind != "mesh axis":
        raise RatioError(f"`{name}` is no mesh axis of the plan")
    return symbol


def _usual(estimate: Estimate) -> Split:
    axes = list(estimate.pricer.names.axes())
    if len(axes) < 2:
        raise PictureError(
            "a picture over mesh splits needs a plan on two mesh axes", "A[I_X, J_Y] · B[J_Y, K] -> C[I_X, K]"
        )
    return Split(axes[0], axes[1], None)


def _divisors(number: int) -> list[int]:
    small = [at for at in range(1, int(number**0.5) + 1) if number % at == 0]
    return sorted({*small, *(number // at for at in small)})


def _plan_note(splits: _Splits) -> str:
    sizes = [splits.estimate.values.get(symbol) for symbol in (splits.x, splits.y)]
    if None in sizes:
        return "plan: the same steps for every split"
    shown = ", ".join(
        f"{symbol} = {plain_number(size or 0)}" for symbol, size in zip((splits.x, splits.y), sizes, strict=True)
    )
    return f"plan: the same steps for every split, those chosen for {shown}"
