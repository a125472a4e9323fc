"""The price of a plan in formulas, with the numbers where sizes and hardware are known.

Everything is per device. What adds up and what overlaps is COST_MODEL section 9.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sympy import Add, Expr, Max, Symbol

from shardlang.cost import crossover as solving
from shardlang.cost.conditions import Condition, compare
from shardlang.cost.crossover import Crossover, Roof
from shardlang.cost.exact import exact_condition
from shardlang.cost.groups import link_groups
from shardlang.cost.memory import Peak, peak
from shardlang.cost.names import Names, SymbolInfo, is_literal, plan_values
from shardlang.cost.pricer import Pricer, StepEstimate, computing_types, maximum
from shardlang.cost.terms import quotient
from shardlang.cost.values import Values, evaluate, known_values
from shardlang.limits import ENDLESS, Clock
from shardlang.pricing.machine import Machine
from shardlang.pricing.steps import Sizes
from shardlang.rules.plan import COLLECTIVES, Plan, StatementPlan, Step, steps_of

_MEMORY_BOUND = "memory: an upper bound, as the exact peak of so long a plan depends on sizes that are open"
ROOFS = ("math", "ici", "hbm")


@dataclass(frozen=True, slots=True)
class Prices:
    """Per device: FLOPs, seconds of arithmetic, communication and HBM, the bounds of the time, bytes of memory and of HBM traffic."""

    flops: Expr
    t_math: Expr
    t_comms: Expr
    t_hbm: Expr
    t_lower: Expr
    t_upper: Expr
    memory: Expr
    hbm_bytes: Expr

    @property
    def intensity(self) -> Expr | None:
        """FLOPs a byte of HBM traffic, in lowest terms; None without traffic. Source: COST_MODEL section 9."""
        return None if self.hbm_bytes == 0 or self.flops == 0 else quotient(self.flops, self.hbm_bytes)


@dataclass(frozen=True, slots=True)
class StatementEstimate(Prices):
    """One statement with its steps; `plan` is what was priced."""

    steps: tuple[StepEstimate, ...]
    plan: StatementPlan = field(repr=False)


@dataclass(frozen=True, slots=True)
class AlternativeEstimate:
    """Another sequence of steps with its price, and the conditions under which it is the better one.

    wins_when: it is cheaper than the plan that was chosen, exact, where planning says so: by T_math + T_comms on named
    hardware, else by bytes received. best_when: it is the cheapest of all plans listed, all of these together; none
    where they are too many. example: sizes at which it is. faster_when: its T_math + T_comms is the smaller one, in
    the form of the report. wins_here: whether it is with the numbers that are known, in the exact form; None while
    one is open.
    """

    name: str
    prices: StatementEstimate
    wins_when: Condition
    best_when: tuple[Condition, ...]
    example: tuple[tuple[str, int], ...]
    faster_when: Condition
    wins_here: bool | None


@dataclass(frozen=True, slots=True)
class Estimate(Prices):
    """The price of a plan.

    roofs: what counts towards the bounds. comms: `max` or `sum` over groups of mesh axes that share no link.
    groups: those groups that the plan uses, with the seconds of each. symbols: what each printed name means.
    values: the numbers that are known. assumptions: sentences. unused: constants that name nothing in the plan.
    missing_rates: element types without a rate. peak: `memory`, and where it is reached.
    """

    statements: tuple[StatementEstimate, ...]
    roofs: tuple[str, ...]
    comms: str
    model: str
    groups: tuple[Roof, ...]
    symbols: dict[str, SymbolInfo]
    values: Values
    assumptions: tuple[str, ...]
    unused: tuple[str, ...]
    missing_rates: tuple[str, ...]
    peak: Peak
    pricer: Pricer = field(repr=False)

    def value(self, expr: Expr) -> float | None:
        """Return the number of a formula, None while a size or the hardware is open."""
        return evaluate(expr, self.values)

    def crossover(self, variable: str) -> tuple[Crossover, ...]:
        """Return where one roof becomes the larger one, solved for a printed name or a ratio such as `B/X`.

        One object a pair of roofs and group of axes that share links; none where the price does not depend on
        the variable. Raises `UnknownSymbolError` for a name that the plan does not have, `RatioError` for what is
        no ratio.
        """
        return solving.solve(variable, self._pairs(), self.values, self.pricer.names, self._definitions())

    def conditions(self) -> tuple[tuple[tuple[str, str], Condition], ...]:
        """Return for each pair of roofs the condition under which the first is the larger one.

        With `math` first these are the conditions of being compute-bound; all of them together are needed. A
        pair has several where the second is itself a maximum (of bandwidth and latency).
        """
        sizes = self.pricer.size_symbols()
        parts = (
            (a, b, part) for a, b in self._pairs() for part in (b.time.args if isinstance(b.time, Max) else (b.time,))
        )
        return tuple(((a.name, b.name), compare(a.time, part, *sizes)) for a, b, part in parts)

    def alternatives(self, index: int) -> tuple[AlternativeEstimate, ...]:
        """Return the other plans of statement `index` with their prices."""
        chosen = self.statements[index]
        if not chosen.plan.alternatives:
            return ()
        exact = self.pricer.exact()
        mine = self._seconds(chosen.plan.steps, exact)
        found = []
        for alternative in chosen.plan.alternatives:
            plan = chosen.plan._replace(steps=alternative.steps, alternatives=())
            prices = price_statement(plan, self.pricer, self.values)
            faster = wins_when(prices, chosen, *self.pricer.size_symbols())
            other = None if mine is None else self._seconds(alternative.steps, exact)
            here = None if mine is None or other is None else other < mine * (1 - 1e-12)
            wins = faster if alternative.wins is None else exact_condition(alternative.wins, self.pricer.names)
            best = tuple(exact_condition(part, self.pricer.names) for part in alternative.best)
            found.append(AlternativeEstimate(alternative.name, prices, wins, best, alternative.example, faster, here))
        return tuple(found)

    def _seconds(self, steps: Sequence[Step], pricer: Pricer) -> float | None:
        """Return T_math + T_comms of steps as a number, None while a size or a rate is open."""
        total = 0.0
        for step in steps:
            priced = pricer.step(step)
            math, comms = self.value(priced.t_math), self.value(priced.t_comms)
            if math is None or comms is None:
                return None
            total += math + comms
        return total

    def size_symbols(self) -> frozenset[Symbol]:
        """Return the symbols of dimensions and mesh axes."""
        return self.pricer.size_symbols()[0]

    def _pairs(self) -> tuple[tuple[Roof, Roof], ...]:
        networks = self.groups
        if self.comms == "sum" and networks:
            networks = (Roof("ici", Add(*(group.time for group in networks))),)
        math, hbm = Roof("math", self.t_math), Roof("hbm", self.t_hbm)
        pairs = [(math, network) for network in networks]
        pairs.append((math, hbm))
        pairs.extend((hbm, network) for network in networks)
        shown = [(a, b) for a, b in pairs if _kind(a) in self.roofs and _kind(b) in self.roofs]
        return tuple((a, b) for a, b in shown if a.time != 0 and b.time != 0)

    def _definitions(self) -> dict[Symbol, Expr]:
        return solving.definitions(self.pricer.program, self.pricer.names)


def estimate(
    plan: Plan,
    machine: Machine,
    *,
    model: str = "book",
    roofs: Sequence[str] = ROOFS,
    comms: str = "max",
    latency: bool = False,
    reduce_dtype: str | None = None,
    uneven: bool = False,
    constants: Mapping[str, float] | None = None,
    clock: Clock = ENDLESS,
) -> Estimate:
    """Price a plan on a machine.

    model: `book` (without the factor (n-1)/n) or `exact`. roofs: those that count towards the bounds, of `math`,
    `ici`, `hbm`. comms: `max` or `sum` over groups of mesh axes that share no link. latency: count hops.
    constants: numbers for symbols by name, before what sizes and hardware say. Formulas keep every symbol, also
    a size given in terms of others (`let F = 4*D` prints F); `Estimate.value` has the numbers. Statements for which `clock`
    leaves no time cost nothing and have no steps, as refused ones.
    """
    program = plan.program
    plain = Sizes({}, {}, program.dtype, declared=program.declared_types)
    names = Names(
        dims=(dim for value in plan_values(plan) for dim in value.type.dims if not is_literal(dim)),
        axes=_used_axes(plan, machine),
        dtypes=computing_types(steps_of(plan), plain),
    )
    pricer = Pricer(
        plan, names, machine, model=model, latency=latency, roofs=tuple(roofs), reduce_dtype=reduce_dtype, uneven=uneven
    )
    values, unused = known_values(program, names, machine.hardware, constants or {})
    statements = tuple(price_statement(_in_time(s, clock), pricer, values) for s in plan.statements)
    steps = [step for statement in statements for step in statement.steps]
    groups = tuple(Roof(name, Add(*times)) for name, times in link_groups(steps, machine, tuple(names.axes())))
    most = peak((s.plan for s in statements), pricer.bytes_of, values, *pricer.size_symbols())
    prices = _totals(statements, groups, comms, pricer, most.bytes)
    return Estimate(
        flops=prices.flops,
        t_math=prices.t_math,
        t_comms=prices.t_comms,
        t_hbm=prices.t_hbm,
        t_lower=prices.t_lower,
        t_upper=prices.t_upper,
        memory=prices.memory,
        hbm_bytes=prices.hbm_bytes,
        statements=statements,
        roofs=tuple(roofs),
        comms=comms,
        model=model,
        groups=groups,
        symbols=_occurring(names, prices, steps),
        values=values,
        assumptions=machine.assumptions if most.exact else (*machine.assumptions, _MEMORY_BOUND),
        unused=unused,
        missing_rates=_missing_rates(names, machine, values),
        peak=most,
        pricer=pricer,
    )


def _in_time(statement: StatementPlan, clock: Clock) -> StatementPlan:
    return StatementPlan(statement.statement, None) if clock.over() else statement


def price_statement(statement: StatementPlan, pricer: Pricer, values: Values) -> StatementEstimate:
    """Return the price of one statement: of a bare array the bytes that it holds and one read of them."""
    steps = tuple(pricer.step(step) for step in statement.steps)
    flops = Add(*(step.flops for step in steps))
    t_math = Add(*(step.t_math for step in steps))
    t_comms = Add(*(step.t_comms for step in steps))
    moved = _hbm_bytes(steps, statement, pricer)
    t_hbm = moved / pricer.rates.hbm
    memory = peak((statement,), pricer.bytes_of, values, *pricer.size_symbols()).bytes
    bounds = _bounds(t_math, t_comms, t_hbm, pricer.roofs)
    return StatementEstimate(flops, t_math, t_comms, t_hbm, *bounds, memory, moved, steps, statement)


def _hbm_bytes(steps: Sequence[StepEstimate], statement: StatementPlan, pricer: Pricer) -> Expr:
    """Return the HBM traffic; summed before it is divided by the rate, so that the formula has one fraction."""
    if statement.output is not None and is_bare(statement):
        return pricer.bytes_of(statement.output)
    return Add(*(step.bytes for step in steps if step.kind not in COLLECTIVES))


def is_bare(statement: StatementPlan) -> bool:
    """Say whether a statement is an array that stands alone."""
    return type(statement.statement.body).__name__ == "BareArray"


def wins_when(
    plan: Prices, other: Prices, sizes: frozenset[Symbol], axes: frozenset[Symbol] = frozenset()
) -> Condition:
    """Return the condition under which `plan` beats `other`: its T_math + T_comms is smaller.

    sizes: the symbols of dimensions and mesh axes, which stand on the left of the condition. axes: those of mesh
    axes, which are at least 2.
    """
    return compare(other.t_math + other.t_comms, plan.t_math + plan.t_comms, sizes, axes)


def _totals(
    statements: tuple[StatementEstimate, ...], groups: tuple[Roof, ...], comms: str, pricer: Pricer, memory: Expr
) -> Prices:
    flops = Add(*(s.flops for s in statements))
    t_math = Add(*(s.t_math for s in statements))
    moved = Add(*(s.hbm_bytes for s in statements))
    t_hbm = moved / pricer.rates.hbm
    added, overlapped = (s.t_comms for s in statements), (group.time for group in groups)
    t_comms = Add(*added) if comms == "sum" else maximum(*overlapped)
    return Prices(flops, t_math, t_comms, t_hbm, *_bounds(t_math, t_comms, t_hbm, pricer.roofs), memory, moved)


def _bounds(t_math: Expr, t_comms: Expr, t_hbm: Expr, roofs: tuple[str, ...]) -> tuple[Expr, Expr]:
    times = {"math": t_math, "ici": t_comms, "hbm": t_hbm}
    counted = [times[roof] for roof in roofs]
    return maximum(*counted), Add(*counted)


def _used_axes(plan: Plan, machine: Machine) -> list[str]:
    """Return the axes in use; where what an axis gets of its links depends on the others, all of the mesh."""
    used = dict.fromkeys(axis for value in plan_values(plan) for axis in value.type.sharding.used())
    in_order = [axis.name for axis in plan.program.mesh.axes if axis.name in used or machine.layered]
    return [*in_order, *(axis for axis in used if axis not in in_order)]


def _occurring(names: Names, prices: Prices, steps: list[StepEstimate]) -> dict[str, SymbolInfo]:
    """Return the table of the symbols that occur in a formula, in the order in which they were named."""
    seen: set[str] = set()
    done: set[int] = set()
    totals = (prices.flops, prices.t_math, prices.t_comms, prices.t_hbm, prices.memory)
    for expr in (*totals, *(e for s in steps for e in (s.bytes, s.bytes_received, s.flops, s.time))):
        if id(expr) not in done:
            done.add(id(expr))
            seen.update(symbol.name for symbol in expr.free_symbols)
    return {name: info for name, info in names.table.items() if name in seen}


def _missing_rates(names: Names, machine: Machine, values: Values) -> tuple[str, ...]:
    """Return the element types that the plan computes in, the hardware states no rate for and no constant sets (SL503)."""
    if machine.hardware is None:
        return ()
    return tuple(dtype for dtype in names.dtypes if names.flops(dtype) not in values)


def _kind(roof: Roof) -> str:
    return roof.name if roof.name in ("math", "hbm") else "ici"
