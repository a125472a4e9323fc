"""Steps priced in symbols: the formulas of `shardlang.pricing` with SymPy going through them."""

from collections.abc import Iterable, Mapping
from copy import copy
from functools import reduce
from operator import mul
from typing import NamedTuple

from sympy import Expr, Integer, Min, Rational, Symbol, ceiling, log

from shardlang.cost.forms import form_of_array, form_of_step
from shardlang.cost.leading import Leading
from shardlang.cost.maximum import ZERO, maximum
from shardlang.cost.names import Names, is_literal
from shardlang.cost.renaming import Renaming
from shardlang.pricing import steps as pricing
from shardlang.pricing.collectives import Link, Maths
from shardlang.pricing.links import make_links
from shardlang.pricing.machine import Machine
from shardlang.pricing.roofs import HBM, MATH, NETWORK, ROOFS, known_roofs
from shardlang.pricing.steps import Rates, Sizes
from shardlang.pricing.widths import rate_name
from shardlang.rules.plan import COLLECTIVES, Plan, Step, Value
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.sharding import ArrayType, dim_text

SYMBOLS = Maths(maximum, ceiling, lambda n: log(n, 2), Min)


class StepEstimate(NamedTuple):
    """One step. bytes: V of a collective, HBM traffic of a local operation. time: of a local operation the longest of its roofs.

    bytes_received: by one device, exact. flops: 0 where the step has none. times: seconds by roof. loads: of a collective
    the seconds that the links of each level are busy, by `ici`, `node`, `scale-out`, …. shortened: the fields, as
    `Prices` names them, that are leading terms only.
    """

    step: Step
    flops: Expr
    bytes: Expr
    bytes_received: Expr
    times: Mapping[str, Expr]
    time: Expr
    loads: Mapping[str, Expr] = {}
    shortened: frozenset[str] = frozenset()

    @property
    def t_math(self) -> Expr:
        """Seconds of arithmetic, 0 where there is none."""
        return self.times.get(MATH, ZERO)

    @property
    def t_comms(self) -> Expr:
        """Seconds of communication, 0 where there is none."""
        return self.times.get(NETWORK, ZERO)

    @property
    def t_hbm(self) -> Expr:
        """Seconds of reading and writing HBM, 0 where there are none."""
        return self.times.get(HBM, ZERO)

    @property
    def kind(self) -> str:
        """The kind of the step: `AllGather`, `Einsum` and so on."""
        return self.step.kind

    @property
    def text(self) -> str:
        """The step as canonical text."""
        return self.step.text

    def renamed(self, renaming: Renaming, step: Step) -> "StepEstimate":
        """Return the price of a step that differs in the names of dimensions."""
        of = renaming.of
        return StepEstimate(
            step=step,
            flops=of(self.flops),
            bytes=of(self.bytes),
            bytes_received=of(self.bytes_received),
            times={roof: of(seconds) for roof, seconds in self.times.items()},
            time=of(self.time),
            loads={level: of(seconds) for level, seconds in self.loads.items()},
            shortened=self.shortened,
        )


class Pricer:
    """Prices steps under one set of names, conventions and assumptions. `assumed` may be set before the first is priced."""

    def __init__(
        self,
        plan: Plan,
        names: Names,
        machine: Machine,
        *,
        axes: Iterable[str],
        model: str,
        latency: bool,
        roofs: tuple[str, ...],
        reduce_dtype: str | None,
        uneven: bool,
        top_k: int | str | None = None,
    ) -> None:
        self.assumed: Leading | None = None
        self.plan = plan
        program = self.program = plan.program
        self.names, self.machine, self.model, self.roofs = names, machine, model, roofs
        self._used = tuple(axes)
        self._dims, self._axes = names.dims(), names.axes()
        axes = frozenset(self._axes.values())
        self._sizes = (axes | frozenset(self._dims.values()), axes)
        self._known_dims = {dim: size.integer for dim, size in program.sizes.items() if size.integer is not None}
        self._known_axes = {axis.name: axis.size for axis in program.mesh.axes if axis.size is not None}
        self.sizes = Sizes(
            dims=self._dims,
            axes=self._axes,
            dtype=program.dtype,
            reduce_dtype=reduce_dtype,
            extent=self._padded if uneven else None,
            width=_width,
            declared=program.declared_types,
            memo={},
        )
        self.rates = Rates(
            flops={dtype: names.flops(dtype) for dtype in names.dtypes},
            hbm=names.rate("W_hbm"),
            links=self._links(latency) if latency or has_collectives(plan) else {},
            latency=names.rate("T_min") if latency else None,
            top_k=None if top_k is None else names.top_k(top_k),
        )
        self.capacity = names.rate("M_hbm")
        self._memories = {
            roof: names.rate(rate) for roof in known_roofs(roofs) if (rate := ROOFS[roof].rate) is not None
        }
        self._steps: dict[tuple[object, ...], tuple[tuple[str, ...], StepEstimate]] = {}
        self._bytes: dict[tuple[ArrayType, str], Expr] = {}
        self._bytes_of_forms: dict[tuple[object, ...], tuple[tuple[str, ...], Expr]] = {}

    def streams(self, moved: Expr) -> dict[str, Expr]:
        """Return the seconds in which each memory moves these bytes, by its roof."""
        return {roof: moved / rate for roof, rate in self._memories.items()}

    def short(self, expr: Expr) -> Expr:
        """Return the leading terms of a formula under the assumptions, the formula itself where nothing is assumed."""
        return expr if self.assumed is None else self.assumed.terms(expr)

    def size_symbols(self) -> tuple[frozenset[Symbol], frozenset[Symbol]]:
        """Return the symbols of dimensions and mesh axes, and those of mesh axes alone."""
        return self._sizes

    def exact(self) -> "Pricer":
        """Return a pricer of the same plan that counts the factor (n-1)/n: plans are chosen by it."""
        other = copy(self)
        other.model, other.assumed, other._steps = "exact", None, {}
        return other

    def padded(self) -> "Pricer":
        """Return a pricer of the same plan that rounds the length of every shard up, also where sizes are open."""
        other = copy(self)
        other.sizes = self.sizes._replace(extent=other._rounded_up, memo={})
        other._steps, other._bytes, other._bytes_of_forms = {}, {}, {}
        return other

    def bytes_of(self, value: Value) -> Expr:
        """Return the bytes that one device holds of a value."""
        dtype = self.dtype_of(value)
        found = self._bytes.get((value.type, dtype))
        if found is None:
            found = self._bytes[value.type, dtype] = self._bytes_by_form(value)
        return found

    def _bytes_by_form(self, value: Value) -> Expr:
        """Return the bytes of a value; arrays that differ only in the names of dimensions are priced once."""
        form = form_of_array(value, self.dtype_of)
        key = (*form.key, self.fixed_of(form.dims))
        if key not in self._bytes_of_forms:
            self._bytes_of_forms[key] = (form.dims, Integer(1) * pricing.value_bytes(value, self.sizes))
        dims, found = self._bytes_of_forms[key]
        return self.renaming(dims, form.dims).of(found)

    def renaming(self, dims: Iterable[str], others: Iterable[str]) -> Renaming:
        """Return what puts the symbols of other dimensions in the place of those of `dims`."""
        return Renaming({self._dims[dim]: self._dims[other] for dim, other in zip(dims, others, strict=True)})

    def dtype_of(self, value: Value) -> str:
        """Return the element type of a value."""
        return pricing.value_dtype(value, self.sizes)

    def fixed_of(self, dims: Iterable[str]) -> tuple[object, ...]:
        """Return what a price depends on beside the symbols of dimensions: sizes that are padded, and which is `top_k`.

        What is assumed is assumed of dimensions by name.
        """
        dims = tuple(dims)
        if self.assumed is not None:
            return dims
        padded = () if self.sizes.extent is None else tuple(map(self._known_dims.get, dims))
        return (*padded, *(at for at, dim in enumerate(dims) if self._dims[dim] == self.rates.top_k))

    def step(self, step: Step) -> StepEstimate:
        """Return the price of one step. Steps that differ only in names are priced once."""
        form = form_of_step(step, self.dtype_of)
        key = (*form.key, self.fixed_of(form.dims))
        if key not in self._steps:
            self._steps[key] = (form.dims, self._price(step))
        dims, found = self._steps[key]
        return found.renamed(self.renaming(dims, form.dims), step)

    def _price(self, step: Step) -> StepEstimate:
        one = Integer(1)
        if step.kind in COLLECTIVES:
            found = pricing.loads(step, self.sizes, self.rates, self.model, SYMBOLS)
            loads = {level: one * seconds for level, seconds in found.items()}
            slowest = next(iter(loads.values())) if len(loads) == 1 else one * self._cost(step).comms
            moved, received = one * pricing.volume(step, self.sizes), one * pricing.bytes_received(step, self.sizes)
            priced = StepEstimate(step, ZERO, moved, received, {NETWORK: slowest}, slowest, loads)
        else:
            flops, moved = one * pricing.flops(step, self.sizes), one * pricing.hbm_bytes(step, self.sizes)
            times = {MATH: one * self._cost(step).math, **self.streams(moved)}
            longest = maximum(*(seconds for roof, seconds in times.items() if roof in self.roofs))
            priced = StepEstimate(step, flops, moved, ZERO, times, longest)
        return self._shortened(priced)

    def _shortened(self, priced: StepEstimate) -> StepEstimate:
        """Return the price of a step under the assumptions."""
        if self.assumed is None:
            return priced
        times = {roof: self.short(seconds) for roof, seconds in priced.times.items()}
        found = priced._replace(
            flops=self.short(priced.flops),
            bytes=self.short(priced.bytes),
            bytes_received=self.short(priced.bytes_received),
            times=times,
            time=self.short(priced.time),
            loads={level: self.short(seconds) for level, seconds in priced.loads.items()},
        )
        changed = {ROOFS[roof].field for roof, seconds in priced.times.items() if times[roof] != seconds}
        changed |= {
            name
            for name in ("flops", "bytes", "bytes_received", "time")
            if getattr(found, name) != getattr(priced, name)
        }
        if NETWORK not in times and "bytes" in changed:
            changed.add("hbm_bytes")
        return found._replace(shortened=frozenset(changed))

    def _cost(self, step: Step) -> pricing.Cost:
        return pricing.cost(step, self.sizes, self.rates, self.model, SYMBOLS)

    def _links(self, latency: bool) -> Mapping[str, Link]:
        """Return the links of the axes; where one runs beyond a torus or a node, of all axes of the mesh."""
        axes = [n.name for n in self.machine.networks if n.name in self._used]
        axes += [axis for axis in self._used if axis not in axes]
        networks = [self.machine.network(axis) for axis in axes]
        sized = [n if n.size is not None else n._replace(size=self._known_axes.get(n.name)) for n in networks]
        return make_links(sized, self._axes, self.names.rate, SYMBOLS, latency=latency)

    def _rounded_up(self, dim: str, axes: tuple[str, ...]) -> Expr:
        """Return the local length of a dimension, rounded up."""
        length = Integer(dim_text(dim)) if is_literal(dim) else self._dims[dim]
        return ceiling(length / reduce(mul, (self._axes[axis] for axis in axes))) if axes else length

    def _padded(self, dim: str, axes: tuple[str, ...]) -> Expr:
        """Return the local length of a dimension; rounded up where the known sizes say that it does not divide."""
        length = Integer(dim_text(dim)) if is_literal(dim) else self._dims[dim]
        if not axes:
            return length
        shards = reduce(mul, (self._axes[axis] for axis in axes))
        known = int(dim_text(dim)) if is_literal(dim) else self._known_dims.get(dim)
        counts = [self._known_axes.get(axis) for axis in axes]
        if known is None or None in counts:
            return length / shards
        count = reduce(mul, (c for c in counts if c is not None))
        return ceiling(length / shards) if known % count else length / shards


def _width(dtype: str) -> Rational:
    size = dtype_bytes(dtype)
    return Rational(size.numerator, size.denominator)


def has_collectives(plan: Plan) -> bool:
    """Say whether a plan or an alternative of it communicates."""
    alternatives = (a.steps for s in plan.statements for a in s.alternatives)
    return any(
        step.kind in COLLECTIVES for steps in (*(s.steps for s in plan.statements), *alternatives) for step in steps
    )


def computing_types(steps: Iterable[Step], sizes: Sizes) -> tuple[str, ...]:
    """Return the element types, as rates are named, that steps compute in; each once, in order."""
    local = (s for s in steps if s.kind in ("Einsum", "Elementwise", "Reduce"))
    return tuple(dict.fromkeys(rate_name(pricing.rate_dtype(step, sizes)) for step in local))
