"""What pictures over mesh splits share: the numbers at a split, the best whole one, and the optimum."""

from typing import NamedTuple

from sympy import Symbol

from shardlang.cost.estimate import Estimate
from shardlang.cost.optimum import Place
from shardlang.cost.splits import Way, every_way, read_split
from shardlang.cost.splitting import best_split
from shardlang.cost.values import Values, evaluate
from shardlang.cost.wiring import Wirings
from shardlang.pictures.costs import Words
from shardlang.pictures.numbers import values_with
from shardlang.pictures.problem import PictureError
from shardlang.pricing.roofs import NETWORK
from shardlang.reports.units import plain_number, quantity

_LARGEST = 10**7
_MOST = 1000
_SAME = 1e-9


class Whole(NamedTuple):
    """A split into whole axes with its bounds of the time, in seconds, on its own links. longest: the roof that takes longest."""

    way: Way
    lower: float
    upper: float
    longest: str = ""

    @property
    def numbers(self) -> dict[Symbol, float]:
        """The sizes of the axes."""
        return {symbol: float(size) for symbol, size in self.way.sizes.items()}

    @property
    def text(self) -> str:
        """The sizes of the axes: `X = 8, Y = 8`."""
        return ", ".join(f"{symbol} = {size}" for symbol, size in self.way.sizes.items())

    @property
    def padded(self) -> str:
        """What its axes do not divide, in words; empty where they divide all."""
        uneven = self.way.uneven
        if not uneven:
            return ""
        be, them = ("is", "it") if len(uneven) == 1 else ("are", "them")
        return f"{', '.join(uneven)} {be} padded, as the axes do not divide {them}"


class Best(NamedTuple):
    """The size of one axis at which communication takes the least time. name, note: what is said of it.

    value: None where it is outside of the picture, or there is none; `note` then says why.
    """

    axis: Symbol
    value: float | None
    name: str
    note: str


class Splits:
    """The ways to split a number of devices over mesh axes, and the numbers of a plan at each.

    Raises RatioError for what is no split of the plan's axes, PictureError where there is nothing to draw.
    """

    def __init__(self, estimate: Estimate, text: str | None) -> None:
        self.estimate = estimate
        self.given = _usual(estimate) if text is None else text
        self.split = read_split(self.given, estimate)
        self.axes = tuple(self.split.axes.values())
        product = "·".join(axis.name for axis in self.axes)
        devices = self.split.devices
        if devices is None:
            raise PictureError(f"the number of devices `{self.split.total}` is open", f"--set {self.split.total}=64")
        self.devices = devices
        self.text = f"{product} = {devices}"
        if not 4 <= devices <= _LARGEST:
            raise PictureError(f"{devices} devices cannot be split into axes here: from 4 to {_LARGEST} can")
        # the curves are V/W in the book's form, which does not know that an axis of one device sends nothing
        ways = every_way(self.split, estimate, _MOST, ones=estimate.model == "exact")
        if ways is None:
            raise PictureError(f"there are more than {_MOST} ways to split {self.text}; give one of the axes a size")
        if len(ways) < 2:
            raise PictureError(f"there are not several ways to split {devices} devices into {len(self.axes)} axes")
        self.ways = ways
        self._wirings = Wirings(estimate, {})
        self._whole: tuple[Whole, ...] | None = None

    def at(self, sizes: dict[Symbol, float]) -> Values:
        """Return the numbers of all symbols at a split."""
        return values_with(self.estimate, sizes)

    def whole(self) -> tuple[Whole, ...]:
        """Return the whole splits with the numbers that there are, each on the links that it has, in the order of the axes.

        Those that no slice has are left out, and what goes beyond the bound on the work.
        """
        if self._whole is None:
            found = (self._priced(way) for way in self.ways)
            self._whole = tuple(one for one in found if one is not None)
        return self._whole

    def _priced(self, way: Way) -> Whole | None:
        machine = self._wirings.machine(way.sizes)
        if not machine.wired or self._wirings.full:
            return None
        wired = self._wirings.at(way.sizes, machine)
        values = {**self.at({symbol: float(size) for symbol, size in way.sizes.items()}), **wired.values}
        lower, upper = (evaluate(bound, values) for bound in (wired.estimate.t_lower, wired.estimate.t_upper))
        if lower is None or upper is None:
            return None
        longest = max(wired.estimate.all_roofs(), key=lambda roof: evaluate(roof.time, values) or 0.0)
        return Whole(way, lower, upper, longest.name)

    def plan_note(self) -> str:
        """Return which plan is drawn."""
        sizes = [self.estimate.values.get(symbol) for symbol in self.axes]
        if None in sizes:
            return "plan: the same steps for every split"
        shown = ", ".join(
            f"{symbol} = {plain_number(size or 0)}" for symbol, size in zip(self.axes, sizes, strict=True)
        )
        return f"plan: the same steps for every split, those chosen for {shown}"


def best_of(whole: tuple[Whole, ...]) -> tuple[Whole, str]:
    """Return the best whole split, and what is said of it: the least lower bound, then no padding, then the least upper bound."""
    least = min(one.lower for one in whole)
    tied = [one for one in whole if one.lower - least <= _SAME * least]
    best = min(tied, key=lambda one: (len(one.way.uneven), one.upper))
    why = "the least T_lower"
    if len(tied) > 1:
        why = f"{len(tied)} splits have this T_lower; of them the least T_upper"
    padded = f"; {best.padded}" if best.padded else ""
    return best, f"T between {quantity(best.lower, 's')} and {quantity(best.upper, 's')}; {why}{padded}"


def optimum_of(splits: Splits, words: Words) -> Best | None:
    """Return where `shardlang optimum` finds the least communication: for the first axis that has one by itself."""
    estimate = splits.estimate
    if NETWORK not in estimate.roofs or estimate.t_comms == 0:
        return None
    why = ""
    for axis in splits.axes:
        found = best_split(estimate, splits.given, axis.name).optimum
        place = found.place
        if place is not None and place.value is not None:
            rest = "·".join(symbol.name for symbol in found.rest)
            name = f"{axis} = {plain_number(place.value)}, {rest} = {plain_number(splits.devices / place.value)}"
            note = _of_optimum(axis, place, words)
            if found.seconds is not None:
                note = f"{quantity(found.seconds, 's')}; {note}"
            return Best(axis, place.value, f"{name}: the least T_comms", note)
        why = why or found.problem
    return Best(splits.axes[0], None, "no split of least T_comms by one axis alone", why) if why else None


def _of_optimum(axis: Symbol, place: Place, words: Words) -> str:
    formula = words.formula(place.formula) if place.formula is not None else ""
    if place.clipped or place.kind == "end":
        return "at the end of the range"
    if formula and place.exact:
        return f"{axis} = {formula}, for sizes that need not be whole"
    return "for sizes that need not be whole"


def _usual(estimate: Estimate) -> str:
    axes = list(estimate.pricer.names.axes().values())
    if len(axes) < 2:
        raise PictureError(
            "a picture over mesh splits needs a plan on two mesh axes", "A[I_X, J_Y] · B[J_Y, K] -> C[I_X, K]"
        )
    first, second = axes[:2]
    if estimate.values.get(first) is None or estimate.values.get(second) is None:
        raise PictureError(f"the number of devices of {first}·{second} is open", f"--split {first}*{second}=64")
    return f"{first}*{second}"
