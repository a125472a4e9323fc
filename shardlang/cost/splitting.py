"""The best split of devices over mesh axes: where a time of a plan is least, and what holds there."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sympy import Expr, Max, Symbol

from shardlang.cost.comparison import MINE, OTHER, defined_in, together
from shardlang.cost.conditions import Condition, compare
from shardlang.cost.crossover import Crossover, Pair, Roof, Uncrossed, read_question
from shardlang.cost.ends import crossings
from shardlang.cost.estimate import Estimate, counted_roofs, pairs_of
from shardlang.cost.optimum import Place, Range, least, search
from shardlang.cost.posynomials import Largest, in_powers
from shardlang.cost.ratio import RatioError, read_ratio
from shardlang.cost.solving import Sizes
from shardlang.cost.splits import Split, SplitError, read_split
from shardlang.cost.terms import total
from shardlang.cost.values import Values, evaluate
from shardlang.cost.wholes import Whole, WholeSplit, whole_splits
from shardlang.limits import ENDLESS
from shardlang.pricing.roofs import NETWORK

_READABLE = 40  # symbols in a formula; a condition with more is no help, and takes long to find


class Optimum(NamedTuple):
    """The split at which a time is least.

    variable: the axis that was solved for. place: where it is least, None where that is not known or the time is the same
    everywhere. rest: the other axes, or their product, at that place; value of it in `rest_value`. objective: the time
    there, as a formula (None where the place has none) and in `seconds` as a number. existing: the splits that exist, each
    on its own links, the best first in `whole`. conditions: when arithmetic takes longer than each of the other roofs there,
    unless the formula is very long. crossovers, uncrossed: of the ratio that was `asked` for. assumes: what was taken for
    granted. shortened: it follows from the leading terms of the time only. problem: in words, why there is no place.
    """

    split: Split
    variable: Symbol
    of: str
    place: Place | None
    rest: tuple[Symbol, ...]
    objective: Expr | None = None
    seconds: float | None = None
    existing: Whole = Whole()
    conditions: tuple[tuple[tuple[str, str], Condition], ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    uncrossed: tuple[Uncrossed, ...] = ()
    asked: str = ""
    assumes: tuple[str, ...] = ()
    shortened: bool = False
    problem: str = ""

    @property
    def whole(self) -> tuple[WholeSplit, ...]:
        """The splits that exist, the best first."""
        return self.existing.splits

    @property
    def formula(self) -> Expr | None:
        """The place as a formula; the end of the range where the formula lies beyond it."""
        return None if self.place is None else self.place.expression(self.split.total)

    @property
    def rest_formula(self) -> Expr | None:
        """The other axes at the place: one, or the product of several."""
        return None if self.formula is None else self.split.total / self.formula

    @property
    def rest_value(self) -> float | None:
        """The number of that, None while a symbol is open."""
        known = self.place is not None and self.place.value is not None and self.split.devices is not None
        return self.split.devices / self.place.value if known else None  # type: ignore[operator, union-attr]


class Best(NamedTuple):
    """What `best_split` found, and the estimate with what is known of the devices and of the other plan."""

    optimum: Optimum
    estimate: Estimate


def best_split(
    estimate: Estimate,
    text: str,
    variable: str,
    of: str = "t_comms",
    *,
    crossover: str | None = None,
    other: Estimate | None = None,
) -> Best:
    """Return where a time of a plan is least among the splits of devices that `text` says, such as `X*Y = N`.

    variable: the axis to solve for. of: one of `pricing.roofs.SPLIT_TIMES`. crossover: a name or a ratio for which the roofs at the optimum are
    compared, or with `other` its time with that of another plan, which is at its own best split where it depends on it.
    Raises `RatioError` for what is no split, axis, or ratio of the plan's symbols, OutOfTimeError as `Estimate.within` says.
    """
    estimate.clock.check()
    split = read_split(text, estimate)
    symbol = _axis(variable, split, estimate)
    estimate = _with_devices(estimate if other is None else together(estimate, other), split)
    estimates = (estimate,) if other is None else (estimate, other)
    bench = _Bench(estimate, split, symbol, defined_in(*estimates))
    found = bench.with_whole(bench.optimum(getattr(estimate, of), of))
    if found.place is None:
        return Best(found, estimate.within(ENDLESS))
    theirs = None if other is None else Roof(OTHER, getattr(other, of), of in other.shortened)
    return Best(bench.asked(found, crossover, theirs), estimate.within(ENDLESS))


def _axis(variable: str, split: Split, estimate: Estimate) -> Symbol:
    powers = read_ratio(variable, estimate.pricer.names)
    symbol, power = powers[0]
    if len(powers) != 1 or power != 1 or symbol not in split.axes.values():
        axes = ", ".join(f"`{axis.name}`" for axis in split.axes.values())
        raise RatioError(f"`{variable.strip()}` is no axis of the split; it has {axes}")
    return symbol


def _with_devices(estimate: Estimate, split: Split) -> Estimate:
    """Return the estimate with the number of devices among what is known, and without the sizes of the axes, which are open."""
    if not isinstance(split.total, Symbol):
        return estimate
    table = estimate.pricer.names.table
    symbols = {**estimate.symbols, split.total.name: table[split.total.name]}
    values = dict(estimate.values)
    if split.devices is not None:
        values[split.total] = split.devices
    return replace(estimate, symbols=symbols, values=values)


class _Bench:
    """One split of one plan: its times in powers of the axis that is solved for."""

    def __init__(self, estimate: Estimate, split: Split, symbol: Symbol, defined: Mapping[Symbol, Expr]) -> None:
        self._estimate, self._split, self._symbol, self._defined = estimate, split, symbol, defined
        names = estimate.pricer.names
        axes = frozenset((*names.axes().values(), *names.totals().values()))
        self._sizes = Sizes(axes | frozenset(names.dims().values()), axes)
        self._rest = tuple(axis for axis in split.axes.values() if axis != symbol)
        first, *others = self._rest
        product = split.total / symbol
        for axis in others:
            product = product / axis
        self._fixed = {**defined, first: product}
        self._known: Values = {s: v for s, v in estimate.values.items() if s not in split.axes.values()}

    def optimum(self, time: Expr, of: str) -> Optimum:
        """Return where a time is least by its formula."""
        shortened = of in self._estimate.shortened
        found = Optimum(self._split, self._symbol, of, None, self._rest, shortened=shortened)
        if time == 0:
            return found._replace(problem="nothing in this plan takes that time")
        powers = self._in_powers(time)
        if powers is not None and (apart := self._apart(powers)):
            return found._replace(problem=apart)
        if powers is None:
            return self._searched(time, found)
        place = least(powers, Range(self._symbol, self._split.total), self._known, self._sizes)
        if place is None:
            return found._replace(problem=self._why(powers), assumes=powers.assumes)
        formula = place.expression(self._split.total)
        crossing = place.kind == "crossing" and not place.clipped and not place.numbers
        objective = None if formula is None else powers.at(self._symbol, formula, crossing)
        found = found._replace(place=place, objective=objective, assumes=powers.assumes)
        found = found._replace(seconds=self._seconds(time, found, objective))
        return found._replace(conditions=self._conditions(formula))

    def with_whole(self, found: Optimum) -> Optimum:
        """Return the optimum with the splits that exist, each on its own links."""
        if getattr(self._estimate, found.of) == 0:
            return found
        best = None if found.place is None else found.place.value
        return found._replace(
            existing=whole_splits(self._split, self._symbol, self._estimate, found.of, self._known, best)
        )

    def asked(self, found: Optimum, crossover: str | None, other: Roof | None) -> Optimum:
        """Return the optimum with the crossovers that were asked for."""
        if crossover is None:
            return found
        if found.formula is None or (found.place is not None and (found.place.numbers or found.place.clipped)):
            why = "the place of the optimum has no formula that holds for other sizes too, so nothing is solved there"
            return found._replace(problem=why)
        question = read_question(crossover, self._estimate.pricer.names, self._defined, self._estimate.clock)
        asked = {symbol for symbol, _ in question.powers} & set(self._split.axes.values())
        if asked:
            raise RatioError(
                f"`{asked.pop()}` is what the split is solved for; ask for `{self._split.total}` or a dimension"
            )
        theirs = None if other is None else self._least_of(other.time)
        if other is not None and (theirs is None or found.objective is None):
            why = "the other plan depends on the split, and has no best one that is a formula"
            return found._replace(problem=why)

        def pairs_at(place: Expr) -> tuple[Pair, ...]:
            if other is None or theirs is None:
                return self._pairs(place)
            own = found.objective if place == found.formula else self._time_at(place, found.of)
            return () if own is None else (Pair(other._replace(time=theirs), Roof(MINE, own, found.shortened)),)

        solved, left = crossings(question, pairs_at, found.formula, self._split.total, self._estimate.values)
        return found._replace(asked=crossover, crossovers=solved, uncrossed=left)

    def _time_at(self, place: Expr, of: str) -> Expr | None:
        """Return a time of the plan where the axis is what a formula says."""
        powers = self._in_powers(getattr(self._estimate, of))
        return None if powers is None else powers.at(self._symbol, place)

    def _in_powers(self, time: Expr) -> Largest | None:
        self._estimate.clock.check()
        return in_powers(time, self._symbol, self._fixed)

    def _apart(self, powers: Largest) -> str:
        """Return why there is no optimum over one axis: the time depends on the others one by one."""
        left = {axis for part in powers.parts for axis in self._rest[1:] if total(part).has(axis)}
        if not left:
            return ""
        names = " and ".join(axis.name for axis in self._rest)
        product = "·".join(axis.name for axis in self._rest)
        return (
            f"the time depends on {names} one by one, not only on {product}: split two axes, and give the others a size"
        )

    def _why(self, powers: Largest) -> str:
        if not any(total(part).has(self._symbol) for part in powers.parts):
            return f"the time is the same for every split of {self._split.text}"
        unknown = {s for part in powers.parts for s in total(part).free_symbols} - set(self._known) - {self._symbol}
        names = ", ".join(sorted(symbol.name for symbol in unknown))
        return f"which times are the longest there depends on sizes: give {names}"

    def _searched(self, time: Expr, found: Optimum) -> Optimum:
        """Return the best place by numbers alone, of a time that is no sum of powers."""
        count = self._split.devices
        place = None if count is None or len(self._rest) > 1 else search(lambda at: self._at(time, at), float(count))
        if place is None:
            open_names = sorted(
                {s.name for s in time.free_symbols} - {s.name for s in (*self._known, *self._split.axes.values())}
            )
            missing = [*open_names, *([f"{self._split.total}"] if count is None else [])]
            how = f"give {', '.join(missing)}" if missing else "split two axes, and give the others a size"
            return found._replace(
                problem=f"the time is no sum of powers of the axis, and is searched by numbers: {how}"
            )
        found = found._replace(place=Place("search", None, place, exact=False, numbers=True))
        seconds = self._at(time, place)
        return found._replace(seconds=seconds)

    def _at(self, time: Expr, at: float) -> float | None:
        """Return a time at a size of the axis; what several others are one by one plays no part."""
        count = self._split.devices
        if count is None:
            return None
        ones = dict.fromkeys(self._rest[1:], 1.0)
        return evaluate(time, {**self._known, **ones, self._rest[0]: count / at, self._symbol: at})

    def _seconds(self, time: Expr, found: Optimum, objective: Expr | None) -> float | None:
        if objective is not None:
            return evaluate(objective, self._known)
        place = None if found.place is None else found.place.value
        return None if place is None else self._at(time, place)

    def _least_of(self, time: Expr) -> Expr | None:
        """Return the least of a time over the splits as a formula; the time itself where it does not depend on them."""
        powers = self._in_powers(time)
        if powers is None or self._apart(powers):
            return None
        if not any(total(part).has(self._symbol) for part in powers.parts):
            return powers.at(self._symbol, self._split.total)
        place = least(powers, Range(self._symbol, self._split.total), self._known, self._sizes)
        formula = None if place is None or place.numbers else place.expression(self._split.total)
        return None if formula is None else powers.at(self._symbol, formula)

    def _pairs(self, formula: Expr) -> tuple[Pair, ...]:
        """Return the roofs at the optimum in pairs, as `crossover` has them for the plan."""
        network = Roof(NETWORK, self._estimate.t_comms, "t_comms" in self._estimate.shortened)
        found = []
        for roof in counted_roofs(self._estimate, (network,), self._estimate.roofs, added=False):
            powers = self._in_powers(roof.time)
            if powers is not None and not self._apart(powers):
                found.append(roof._replace(time=powers.at(self._symbol, formula)))
        return pairs_of(found)

    def _conditions(self, formula: Expr | None) -> tuple[tuple[tuple[str, str], Condition], ...]:
        if formula is None or len(formula.free_symbols) > _READABLE:
            return ()
        pairs = (pair for pair in self._pairs(formula) if pair.first.name == "math")
        parts = ((pair, time) for pair in pairs for time in _arguments(pair.second.time))
        return tuple((pair.between, compare(pair.first.time, time, *self._sizes)) for pair, time in parts)


def _arguments(time: Expr) -> Sequence[Expr]:
    return time.args if isinstance(time, Max) else (time,)


__all__ = ["Best", "Optimum", "SplitError", "WholeSplit", "best_split"]
