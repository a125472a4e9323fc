"""The times of a plan against one of its symbols, with every crossover marked."""

from sympy import Expr, Integer

from shardlang.cost.crossover import Crossover
from shardlang.cost.estimate import Estimate
from shardlang.cost.ratio import read_ratio
from shardlang.cost.values import Values, evaluate
from shardlang.pictures.chart import Axis, Chart, Crossing, Curve
from shardlang.pictures.costs import Time, Words, priced, times
from shardlang.pictures.numbers import curve, require, spread, values_with
from shardlang.pictures.problem import PictureError
from shardlang.pictures.ticks import value_text
from shardlang.pricing.roofs import ROOFS
from shardlang.reports.costs import CostReport

Limits = tuple[float, float]

_USUAL = {"dimension": (64.0, 2.0**20), "mesh axis": (2.0, 1024.0), "hardware": (1e9, 1e13)}
_AROUND, _BESIDE = 32, 4
"""How far to look around a size that is known, and beyond a crossover."""
_FARTHEST = 1e5
_DECADES = 1e9
_MARGIN = 1.25


class Swept:
    """A symbol or a ratio of symbols, and what the plan's sizes are for each of its values.

    Raises RatioError for what is neither.
    """

    def __init__(self, variable: str, estimate: Estimate) -> None:
        self.powers = read_ratio(variable, estimate.pricer.names)
        self.name = variable.strip().replace("**", "^").replace("*", "·")
        self._estimate = estimate
        self.symbol, self._power = next((pair for pair in self.powers if pair[1] == 1), self.powers[0])

    @property
    def rest(self) -> Expr:
        """The ratio without the symbol that is changed."""
        found: Expr = Integer(1)
        for symbol, power in self.powers:
            if symbol != self.symbol:
                found = found * symbol**power
        return found

    def values(self, at: float) -> Values:
        """Return the numbers of all symbols at one value of the ratio."""
        rest = evaluate(self.rest, self._estimate.values) if len(self.powers) > 1 else 1.0
        assert rest is not None, "asked for only once the rest is known"
        own = (at / rest) ** (1 / self._power)
        return values_with(self._estimate, {self.symbol: own})

    def known(self) -> float | None:
        """Return the value that the plan's own sizes give, None where one is open."""
        found: Expr = self.rest * self.symbol**self._power
        return evaluate(found, self._estimate.values)

    def meaning(self) -> str:
        """Return what the axis is called: the name and what it means, with its unit."""
        table = self._estimate.pricer.names.table
        if len(self.powers) > 1:
            parts = (f"{symbol.name}: {table[symbol.name].text}" for symbol, _ in self.powers)
            return f"{self.name} ({'; '.join(parts)})"
        info = table[self.symbol.name]
        return f"{self.name}: {info.meaning}" + (f", {info.unit}" if info.unit else "")

    @property
    def unit(self) -> str:
        """The unit of the axis, as `reports.units.quantity` takes it; empty for a plain number."""
        unit = self._estimate.pricer.names.table[self.symbol.name].unit if len(self.powers) == 1 else ""
        return {"byte/s": "bytes/s", "FLOP/s": "FLOPs/s"}.get(unit, unit)


def sweep_chart(report: CostReport, variable: str, limits: Limits | None) -> Chart:
    """Return the times against `variable`. limits: the range; by default around what is known and the crossovers.

    Raises RatioError for what is no symbol or ratio of the plan, PictureError where a number is missing.
    """
    estimate = priced(report)
    swept = Swept(variable, estimate)
    shown = times(estimate)
    words = Words(report)
    if not shown:
        raise PictureError("nothing in this text takes time on a roof that counts")
    _require(swept, estimate, shown)
    crossovers = _met(estimate, swept, variable)
    low, high = limits or _limits(swept, estimate, [found.value for found in crossovers if found.value])
    ways = [(at, swept.values(at)) for at in spread(low, high)]
    curves = tuple(
        Curve(time.name, points, time.main, words.formula(time.seconds))
        for time in shown
        if (points := curve(time.seconds, ways, estimate.clock))
    )
    if not curves:
        raise PictureError(f"no time of this plan is a positive number for {swept.name} from {low:g} to {high:g}")
    axis = Axis(swept.meaning(), low, high, swept.unit)
    crossings = []
    for found in crossovers:
        value = found.value
        if value is None or not low <= value <= high:
            continue
        first, second = (_roof_name(name) for name in found.between)
        meeting = evaluate(_lines(estimate, found)[0], swept.values(value))
        if meeting:
            name = f"{swept.name} {found.relation} {value_text(axis, value)}: {first} is longer than {second}"
            formula = words.formula(found.threshold) if found.threshold is not None else ""
            note = f"{swept.name} {found.relation} {formula}" if formula and found.exact else ""
            crossings.append(Crossing(value, meeting, name, note))
    return Chart(
        title=words.title(f"Times against {swept.name}"),
        x=axis,
        y=Axis("time per device, s", *heights(curves), "s"),
        curves=curves,
        crossings=tuple(sorted(crossings)),
        notes=(*words.conventions(swept=(swept.symbol.name,)), _one_plan(swept, axis)),
    )


def heights(curves: tuple[Curve, ...]) -> Limits:
    """Return the range of the vertical axis for curves; what is very far below the highest is left out."""
    numbers = [y for one in curves for _, y in one.points]
    high = max(numbers)
    low = max(min(numbers), high / _DECADES)
    return low / _MARGIN, high * _MARGIN


def _require(swept: Swept, estimate: Estimate, shown: tuple[Time, ...]) -> None:
    formulas: list[Expr] = [time.seconds for time in shown]
    if len(swept.powers) > 1:
        formulas.append(swept.rest)
    known = values_with(estimate, {swept.symbol: 1.0})
    require(estimate, formulas, known, f"the picture against `{swept.name}`")


def _limits(swept: Swept, estimate: Estimate, crossovers: list[float]) -> Limits:
    here = swept.known()
    kinds = {estimate.pricer.names.table[symbol.name].kind for symbol, _ in swept.powers}
    low, high = _USUAL[next(iter(kinds))] if len(kinds) == 1 else _USUAL["dimension"]
    if here is not None:
        low, high = here / _AROUND, here * _AROUND
    middle = (low * high) ** 0.5
    near = [value for value in crossovers if middle / _FARTHEST < value < middle * _FARTHEST]
    low, high = min([low, *(value / _BESIDE for value in near)]), max([high, *(value * _BESIDE for value in near)])
    whole = len(swept.powers) == 1 and kinds != {"hardware"}
    return max(low, 1.0) if whole else low, max(high, 8.0) if whole else high


def _met(estimate: Estimate, swept: Swept, variable: str) -> list[Crossover]:
    """Return the crossovers at which two of the lines that are drawn meet, whatever the others do there.

    A number of hops is a staircase, which passes near the crossover of the slope that it was solved for.
    """
    met = []
    for found in (end for one in estimate.crossover(variable) for end in one.ends):
        lines = _lines(estimate, found)
        if found.value is None or not lines:
            continue
        first, second = (evaluate(line, swept.values(found.value)) for line in lines)
        near = _STAIR if found.assumes else _SAME
        if first and second and abs(first / second - 1) <= near:
            met.append(found)
    return met


_SAME, _STAIR = 1e-6, 0.25


def _lines(estimate: Estimate, found: Crossover) -> tuple[Expr, ...]:
    """Return the seconds of the two roofs of a crossover; none where they are no lines of the picture."""
    roofs: dict[str, Expr] = {group.name: group.time for group in estimate.groups}
    roofs |= estimate.times
    return tuple(roofs[name] for name in found.between) if set(found.between) <= set(roofs) else ()


def _roof_name(name: str) -> str:
    return ROOFS[name].time if name in ROOFS else f"T of {name}"


def _one_plan(swept: Swept, axis: Axis) -> str:
    here = swept.known()
    where = f"with {swept.name} open" if here is None else f"for {swept.name} = {value_text(axis, here)}"
    return f"plan: the same steps throughout, those chosen {where}"
