"""The symbols of formulas: each dimension, mesh axis and rate under the name that it prints as.

Dimensions keep their names; an axis is `n_X` where a dimension X exists too; a rate gets out of the way of
both (`C_flops`), and names its element type where a plan computes at several (`C_bf16`, `C_int8`).
Source: NOTATION section 1.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sympy import Symbol

from shardlang.rules.plan import Plan, Value
from shardlang.semantics.dtypes import DTYPE_NAMES
from shardlang.semantics.naming import SizeNames
from shardlang.semantics.program import Declared, Ref, Statement
from shardlang.semantics.sharding import dim_text, is_anonymous


class SymbolInfo(NamedTuple):
    """kind: `dimension`, `mesh axis` or `hardware`. meaning: in words. unit: of its value."""

    kind: str
    meaning: str
    unit: str

    @property
    def text(self) -> str:
        """The three in one line."""
        return self.meaning if not self.unit else f"{self.unit}, {self.meaning}"


_RATES = {
    "W_ici": ("bidirectional, one axis", "byte/s"),
    "W_egress": ("one way, one device into its node", "byte/s"),
    "W_node": ("one way, one node into the scale-out network", "byte/s"),
    "W_leaf": ("one way, one leaf into the spine", "byte/s"),
    "W_dcn": ("one way, one chip into the network between slices", "byte/s"),
    "W_pcie": ("one way, one chip over PCIe", "byte/s"),
    "D_node": ("devices in a node", ""),
    "D_leaf": ("nodes under a leaf", ""),
    "M_slice": ("chips in a slice", ""),
    "W_hbm": ("read and write of one device's HBM", "byte/s"),
    "M_hbm": ("HBM of one device", "byte"),
    "W_vmem": ("read and write of one device's VMEM", "byte/s"),
    "T_min": ("latency of one hop", "s"),
    "T_dcn": ("latency of one hop between slices", "s"),
    "T_pcie": ("latency of one hop over PCIe", "s"),
}
_SPANNED = ("physical axes of the torus along one mesh axis", "")  # `M_X`, as the topology calls it


class NameClashError(ValueError):
    """A name that a call gives to a number of its own is that of a figure of the hardware; the message says which."""


class Names:
    """Symbols by meaning, and the table of those that were asked for."""

    def __init__(self, dims: Iterable[str], axes: Iterable[str], dtypes: Iterable[str]) -> None:
        self.table: dict[str, SymbolInfo] = {}
        self._dtypes = tuple(dict.fromkeys(dtypes))
        self._texts = SizeNames(dims, axes)
        self._dims = {dim: Symbol(name, positive=True) for dim, name in self._texts.dims.items()}
        self._axes = {axis: Symbol(name, positive=True) for axis, name in self._texts.axes.items()}
        self._rates: dict[str, Symbol] = {}
        self._counts: dict[str, Symbol] = {}
        self._totals: dict[str, Symbol] = {}
        for dim, symbol in self._dims.items():
            self.table[symbol.name] = SymbolInfo("dimension", f"size of dimension {dim_text(dim)}", "")
        for axis, symbol in self._axes.items():
            self.table[symbol.name] = SymbolInfo("mesh axis", f"size of mesh axis {axis}", "")

    def dim(self, dim: str) -> Symbol:
        """Return the symbol of a dimension's size."""
        return self._dims[dim]

    def axis(self, axis: str) -> Symbol:
        """Return the symbol of a mesh axis's size."""
        return self._axes[axis]

    def flops(self, dtype: str) -> Symbol:
        """Return the symbol of the rate of arithmetic on `dtype` (as `widths.rate_name` gives it)."""
        key = "C" if len(self._dtypes) <= 1 else f"C_{dtype}"
        if key not in self._rates:
            info = SymbolInfo("hardware", f"peak rate of one device in {dtype}", "FLOP/s")
            self._rates[key] = self._rate(key, info)
        return self._rates[key]

    def rate(self, name: str) -> Symbol:
        """Return the symbol of a figure of the hardware: `W_ici`, `W_node`, `W_hbm`, `D_node`, `T_min`, `M_X`, …."""
        if name not in self._rates:
            meaning, unit = _RATES.get(name, _SPANNED)
            self._rates[name] = self._rate(name, SymbolInfo("hardware", meaning, unit))
        return self._rates[name]

    def top_k(self, given: int | str) -> Symbol:
        """Return the symbol of how many parts a row goes to: a size of the plan that has the name, else `k` or the name itself."""
        name = given if isinstance(given, str) else "k"
        known = {**self._axes, **self._dims}
        if name in known:
            return known[name]
        self._refuse_figure(name, "call the number of parts k")
        if name not in self._counts:
            info = SymbolInfo("dimension", "parts of a level that each row of an AllToAll goes to", "")
            self._counts[name] = self._rate(name, info)
        return self._counts[name]

    def total(self, name: str, meaning: str) -> Symbol:
        """Return the symbol of a number of devices, `N`; where a size of the plan has that name, it is that size."""
        known = {**self._dims, **self._axes}
        if name not in known and name not in self._totals:
            self._refuse_figure(name, "call the number of devices N")
            self._totals[name] = Symbol(self._texts.new(name), positive=True)
            self.table[self._totals[name].name] = SymbolInfo("mesh axis", meaning, "")
        return known[name] if name in known else self._totals[name]

    def _refuse_figure(self, name: str, instead: str) -> None:
        """Raise NameClashError where a name means a figure of the hardware in this plan."""
        stem, _, of = name.partition("_")
        meaning = {"C": "the peak rate", "W_uni": "the bandwidth of a link, one way"}.get(name)
        if stem == "C" and of in DTYPE_NAMES:
            meaning = f"the peak rate in {of}"
        elif stem == "M" and of in self._axes:
            meaning = f"the number of physical axes along {of}"
        elif name in _RATES:
            meaning = f"a figure of the hardware ({_RATES[name][0]})"
        if meaning is not None:
            raise NameClashError(f"{name} is {meaning}: {instead}")

    def totals(self) -> dict[str, Symbol]:
        """Return the symbols of numbers of devices that were asked for."""
        return dict(self._totals)

    def dims(self) -> dict[str, Symbol]:
        """Return the symbols of all dimensions by name."""
        return dict(self._dims)

    def axes(self) -> dict[str, Symbol]:
        """Return the symbols of all mesh axes by name."""
        return dict(self._axes)

    def hardware(self) -> dict[str, Symbol]:
        """Return the symbols of the rates asked for so far, by their usual name (`C`, `C_int8`, `W_ici`, …)."""
        return dict(self._rates)

    def counts(self) -> dict[str, Symbol]:
        """Return the symbols of parts that rows go to (`k`), by name."""
        return dict(self._counts)

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The element types that the plan computes in."""
        return self._dtypes

    def _rate(self, name: str, info: SymbolInfo) -> Symbol:
        symbol = Symbol(self._texts.rate(name), positive=True)
        self.table[symbol.name] = info
        return symbol


RATE_NAMES = tuple(_RATES)
FIGURE_MEANINGS = {name: meaning for name, (meaning, _) in _RATES.items()}


def plan_values(plan: Plan) -> Iterable[Value]:
    """Yield every value of a plan in the order of the text, with repeats, then the arrays that are declared."""
    for statement in plan.statements:
        for step in statement.steps:
            yield from step.operands
            yield step.result
        if statement.output is not None:
            yield statement.output
        for alternative in statement.alternatives:
            for step in alternative.steps:
                yield from step.operands
                yield step.result
    yield from (Value(ref.name, ref.type) for ref, _ in declared_arrays(plan))


def declared_arrays(plan: Plan) -> Iterator[tuple[Ref, Statement]]:
    """Yield the arrays whose type is declared (`W: bf16[D_X, F]`), each with its statement."""
    for statement in plan.program.statements:
        if statement.ok and isinstance(statement.body, Declared) and statement.body.array is not None:
            yield statement.body.array, statement


def is_literal(dim: str) -> bool:
    """Say whether a dimension is a literal size, which needs no symbol."""
    return is_anonymous(dim) and dim_text(dim).isdigit()
