"""What plans cost as exact functions of the open sizes: bytes received, or T_math + T_comms on named hardware.

The formulas are those of `shardlang.pricing`, with the factor (n-1)/n. Latency is left out.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from shardlang.planning.context import Context
from shardlang.pricing import collectives
from shardlang.pricing import steps as pricing
from shardlang.pricing.collectives import SPLIT, Link, Maths
from shardlang.pricing.links import make_links
from shardlang.pricing.networks import AxisNetwork
from shardlang.pricing.widths import rate_name
from shardlang.rules.plan import COLLECTIVES, Step
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.inequality import Bounds, occurring, sum_text
from shardlang.semantics.polynomial import ZERO, Polynomial, Quantity, common, lift, never_negative, of
from shardlang.semantics.sharding import dim_text, is_anonymous
from shardlang.semantics.size import Monomial, Symbol, axis_symbol, dim_symbol
from shardlang.semantics.size import of as monomial

LEAST_AXIS = 2
_COUNTS = ("D_node", "D_leaf")  # figures that are numbers of devices, and stand as numbers in conditions

T = TypeVar("T")


class OpenLinksError(Exception):
    """An open size decides which links an axis gets."""


class ExactPrices:
    """Prices the steps of one statement, over the axes `active`.

    timed: whether by time (else by bytes received). networks: those that the links of the axes depend on, none if not
    timed. axes: those of the mesh that prices depend on. units: what the size of an open axis that runs over several
    levels is a multiple of. maxima: the symbols that stand for maxima, and what of.
    """

    def __init__(self, context: Context, active: Iterable[str] = ()) -> None:
        self.context = context
        self.names = _Naming(context)
        self.maxima: dict[Symbol, tuple[Polynomial, ...]] = {}
        self.units: dict[str, int] = {}
        self._dims = {dim_symbol(name): size for name, size in context.program.sizes.items()}
        self._axes = {axis_symbol(name): Monomial(size) for name, size in context.sizes.axes.items()}
        self._lengths: dict[str, Monomial] = {}
        self.sizes = pricing.Sizes(
            _Lookup(lambda name: lift(self.dim(name))),
            _Lookup(lambda name: lift(self.axis(name))),
            context.program.dtype,
            context.settings.reduce_dtype,
            width=lambda dtype: lift(dtype_bytes(dtype)),
            declared=context.program.declared_types,
        )
        self._least = _AtLeast()
        self._maths = Maths(self._maximum, _unused, _unused, self._minimum)
        self._memo: dict[object, Polynomial] = {}
        active = tuple(active)
        self._figures: dict[str, float] = {}
        self.figures: dict[Symbol, Polynomial] = {}
        self._links: Mapping[str, Link] = {}
        self.networks = self._wire(active)
        self.timed = bool(self.networks)
        self.axes = tuple(dict.fromkeys((*active, *(network.name for network in self.networks))))

    def dim(self, name: str) -> Monomial:
        """Return the length of a dimension: a number, or a monomial of what is open."""
        if name not in self._lengths:
            text = dim_text(name)
            literal = Monomial(int(text)) if is_anonymous(name) and text.isdigit() else None
            self._lengths[name] = literal or monomial(dim_symbol(name)).substitute(self._dims).substitute(self._axes)
        return self._lengths[name]

    def axis(self, name: str) -> Monomial:
        """Return the size of a mesh axis: a number or its symbol."""
        return self._axes.get(axis_symbol(name)) or monomial(axis_symbol(name))

    def price(self, steps: Iterable[Step]) -> Polynomial:
        """Return the bytes that a device receives, or the seconds that it takes, in symbols of what is open."""
        total = ZERO
        for step in steps:
            key = (step.kind, step.axes, step.contracted, step.operands, step.result)
            if key not in self._memo:
                self._memo[key] = self._price(step)
            total = total + self._memo[key]
        return total

    def flops(self, steps: Iterable[Step]) -> Polynomial:
        """Return the FLOPs of a device."""
        total = ZERO
        for step in steps:
            total = total + pricing.flops(step, self.sizes)
        return total

    def nominal(self, quantity: Polynomial) -> float:
        """Return a price or FLOPs at the nominal sizes of the search, which only put plans in order."""
        sizes, values = self.context.sizes, dict[Symbol, float]()
        maxima = occurring(self.maxima, quantity.symbols)
        for symbol in quantity.symbols.union(*(a.symbols for arguments in maxima.values() for a in arguments)):
            if symbol in self.figures:
                values[symbol] = self.figures[symbol].number({})
            elif symbol.kind == "dim":
                values[symbol] = sizes.dim(symbol.name)
            elif symbol.kind == "axis":
                values[symbol] = sizes.axis(symbol.name) * self.units.get(symbol.name, 1)
        for symbol, arguments in maxima.items():
            values[symbol] = max(argument.number(values) for argument in arguments)
        return quantity.number(values)

    def bounds(self, plans: Iterable[tuple[Step, ...]] = ()) -> Bounds:
        """Return what is known of the open sizes: an axis is at least 2, a dimension a multiple of the axes that cut it.

        plans: those in which layouts are looked for that cut a dimension; it divides as they need it.
        """
        longest: dict[str, tuple[str, ...]] = {}
        for steps in plans:
            for step in steps:
                for value in (*step.operands, step.result):
                    for dim, axes in zip(value.type.dims, value.type.sharding.axes, strict=True):
                        if len(axes) > len(longest.setdefault(dim, ())):
                            longest[dim] = axes
        least = _AtLeast(self._least)
        factors: dict[Symbol, tuple[Symbol, ...]] = {}
        for dim, axes in longest.items():
            symbol = dim_symbol(dim)
            if self.dim(dim) != monomial(symbol):
                continue
            for axis in axes:
                size = self.axis(axis)
                least[symbol] = least[symbol] * (size.integer or 1)
                factors[symbol] = (*factors.get(symbol, ()), *size.symbols())
        return Bounds(least, factors, self.figures, self.maxima)

    def links_on(self, mesh: Mapping[str, int]) -> dict[str, Link]:
        """Return the links as numbers, none if prices are no times. mesh: the size of every one of `axes`."""
        sized = [network._replace(size=mesh[network.name]) for network in self.networks]
        return make_links(sized, mesh, self._figures.__getitem__)

    def _wire(self, active: tuple[str, ...]) -> tuple[AxisNetwork, ...]:
        """Find the links of the axes, and return the networks that they depend on.

        There are none where no hardware is named, or it has no figures for them, or an open size decides which links
        an axis gets.
        """
        machine = self.context.settings.machine
        if machine is None or machine.hardware is None:
            return ()
        networks = machine.sharing(active)
        figures = machine.figures(networks)
        if figures is None:
            return ()
        rates = {f"C_{dtype}": rate for dtype, rate in machine.hardware.flops.items()} | figures
        self.figures = {_rate_symbol(name): _exactly(rate) for name, rate in rates.items() if rate}
        self._figures = figures
        sized = [network._replace(size=self.axis(network.name).integer) for network in networks]
        try:
            self._links = make_links(sized, self.sizes.axes, self._figure, self._maths)
            self.units = self._units()
        except OpenLinksError:
            self.figures = {}
            return ()
        for name, unit in self.units.items():
            self._least[axis_symbol(name)] = LEAST_AXIS * unit
        return networks

    def _figure(self, name: str) -> Polynomial:
        """Return a figure of the hardware as it stands in a price."""
        return self.figures[_rate_symbol(name)] if name in _COUNTS else of(_rate_symbol(name))

    def _units(self) -> dict[str, int]:
        """Return what open axes over several levels fill of all levels but the last. Raises OpenLinksError if that is open."""
        found = {}
        for name, link in self._links.items():
            if link.kind == SPLIT and self.axis(name).integer is None:
                inside = lift(collectives.product(link.parts[:-1]))
                if inside.symbols or inside.denominator != 1:
                    raise OpenLinksError
                found[name] = inside.terms[()]
        return found

    def _price(self, step: Step) -> Polynomial:
        if not self.timed:
            return lift(pricing.bytes_received(step, self.sizes))
        if step.kind in COLLECTIVES:
            links = [self._links[axis] for axis in step.axes]
            volume = pricing.volume(step, self.sizes)
            return lift(collectives.time(step.kind, volume, links, "exact", None, self._maths))
        work = lift(pricing.flops(step, self.sizes))
        rate = _rate_symbol(f"C_{rate_name(pricing.rate_dtype(step, self.sizes))}")
        return work / of(rate) if work.terms and rate in self.figures else ZERO

    def _maximum(self, *arguments: Quantity) -> Polynomial:
        """Return the largest: one of them where that is decided, else a symbol for a maximum, times what they share."""
        kept: list[Polynomial] = []
        for argument in map(lift, arguments):
            if not any(self._covers(other, argument) for other in kept):
                kept = [*(other for other in kept if not self._covers(argument, other)), argument]
        if len(kept) == 1:
            return kept[0]
        shared = common(kept)
        parts = {sum_text(argument / shared, self.names): argument / shared for argument in kept}
        symbol = Symbol("max", f"Max({', '.join(sorted(parts))})")
        self.maxima[symbol] = tuple(parts[text] for text in sorted(parts))
        return shared * of(symbol)

    def _minimum(self, *arguments: Quantity) -> Polynomial:
        """Return the smallest. Raises OpenLinksError where sizes decide."""
        lifted = list(map(lift, arguments))
        for argument in lifted:
            if all(self._covers(other, argument) for other in lifted):
                return argument
        raise OpenLinksError

    def _covers(self, large: Polynomial, small: Polynomial) -> bool:
        """Say whether it is seen that one price is never less than another."""
        return never_negative((large - small).substitute(self.figures), self._least, {})


class _Naming:
    """What symbols are called in conditions, by the names of the whole text."""

    def __init__(self, context: Context) -> None:
        self._texts = context.names.in_use
        self._types: set[str] = set()

    def __call__(self, symbol: Symbol) -> str:
        """Return the name of a symbol; a rate of arithmetic names its element type where there are several."""
        if symbol.kind == "dim":
            return self._texts.dims.get(symbol.name, symbol.name)
        if symbol.kind == "axis":
            return self._texts.axes.get(symbol.name, symbol.name)
        if symbol.kind == "max":
            return symbol.name
        return self._texts.rate("C" if symbol.name in self._types and len(self._types) == 1 else symbol.name)

    def note(self, quantity: Polynomial) -> None:
        """Take note of the rates of arithmetic in a price."""
        self._types.update(symbol.name for symbol in quantity.symbols if symbol.name.startswith("C_"))


class _Lookup(dict[str, T]):
    """A mapping that asks a function for what it does not have."""

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make

    def get(self, name: str, default: object = None) -> T:
        return self[name]

    def __missing__(self, name: str) -> T:
        self[name] = self._make(name)
        return self[name]


class _AtLeast(dict[Symbol, int]):
    """The least value of a size: of a mesh axis 2, of a dimension 1 unless more is known; no other symbol has one."""

    def __contains__(self, symbol: object) -> bool:
        return isinstance(symbol, Symbol) and symbol.kind in ("dim", "axis")

    def __missing__(self, symbol: Symbol) -> int:
        return 1 if symbol.kind == "dim" else LEAST_AXIS


def _rate_symbol(name: str) -> Symbol:
    return Symbol("hardware", name)


def _exactly(rate: float) -> Polynomial:
    above, below = float(rate).as_integer_ratio()
    return Polynomial({(): above}, below)


def _unused(value: Quantity) -> Quantity:
    return value
