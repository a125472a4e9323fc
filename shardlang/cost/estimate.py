"""The price of a plan in formulas, with the numbers where sizes and hardware are known.

Everything is per device. What adds up and what overlaps is COST_MODEL section 9.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from sympy import Add, Expr, Max, Symbol

from shardlang.cost import crossover as solving
from shardlang.cost.assume import read_assumptions
from shardlang.cost.conditions import Condition, compare
from shardlang.cost.crossover import Crossover, Pair, Question, Roof, Uncrossed
from shardlang.cost.exact import exact_condition
from shardlang.cost.groups import link_groups
from shardlang.cost.latency import latency_pairs
from shardlang.cost.memory import Peak, peak
from shardlang.cost.names import Names, SymbolInfo, is_literal, plan_values
from shardlang.cost.pricer import Pricer, StepEstimate, computing_types
from shardlang.cost.prices import Prices, StatementEstimate, price_statement, price_statements, total, wins_when
from shardlang.cost.values import Values, evaluate, known_size, known_values
from shardlang.limits import ENDLESS, Clock
from shardlang.pricing.machine import Machine
from shardlang.pricing.roofs import DEFAULT_ROOFS, MATH, NETWORK, ROOFS, roof_of
from shardlang.pricing.steps import Sizes
from shardlang.rules.plan import Plan, StatementPlan, Step, steps_of
from shardlang.source import Span

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from shardlang.cost.kernel import Floats

_MEMORY_BOUND = "memory: an upper bound, as the exact peak of so long a plan depends on sizes that are open"


@dataclass(frozen=True, slots=True)
class AlternativeEstimate:
    """Another sequence of steps with its price, and the conditions under which it is the better one.

    wins_when: it is cheaper than the plan that was chosen, exact, where planning says so: by T_math + T_comms where it
    is `timed`, else by bytes received. best_when: it is the cheapest of all plans listed, all of these together; none
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
    timed: bool = False


@dataclass(frozen=True, slots=True)
class Estimate(Prices):
    """The price of a plan.

    roofs: what counts towards the bounds. comms: `max` or `sum` over groups of mesh axes that share no link.
    groups: those groups that the plan uses, with the seconds of each. symbols: what each printed name means.
    values: the numbers that are known. assumptions: sentences. unused: constants that name nothing in the plan.
    missing_rates: element types without a rate, with the first statement that computes in each. missing_figures:
    bandwidths that times have and the hardware does not state. peak: `memory`, and where it is reached. plan: what was
    priced; again: prices a plan under the same names and conventions. clock: of the call that asks, see `within`.
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
    missing_rates: Mapping[str, Span]
    missing_figures: tuple[str, ...]
    peak: Peak
    pricer: Pricer = field(repr=False, compare=False)
    plan: Plan = field(repr=False)
    again: "Callable[..., Estimate]" = field(repr=False, compare=False)
    clock: Clock = field(default=ENDLESS, repr=False, compare=False)

    def within(self, clock: Clock) -> "Estimate":
        """Return the estimate for the questions of one call, which raise OutOfTimeError when the time of `clock` is used up.

        What a call gives back is asked without one.
        """
        return replace(self, clock=clock)

    def repriced(self, plan: Plan, machine: Machine) -> "Estimate":
        """Return the price of another plan under the same names, conventions and clock. Raises OutOfTimeError."""
        self.clock.check()
        found = self.again(plan, machine, clock=self.clock)
        self.clock.check()  # it may lack what there was no time for
        return found.within(self.clock)

    def value(self, expr: Expr) -> float | None:
        """Return the number of a formula, None while a size or the hardware is open."""
        return evaluate(expr, self.values)

    def sweep(self, formulas: Sequence[Expr], over: "Mapping[str, ArrayLike]") -> "tuple[Floats, ...]":
        """Return formulas at every point of arrays of symbols, by their names; see `cost.sweep.sweep`."""
        from shardlang.cost.sweep import sweep  # NumPy is loaded only where it is used

        sizes, axes = {axis.name: axis.size for axis in self.plan.program.mesh.axes}, self.pricer.names.axes()
        alone = {symbol: axis for axis, symbol in axes.items() if sizes.get(axis) == 1}
        return sweep(formulas, over, self.values, self.pricer.names, self.definitions(), alone)

    def crossover(self, variable: str) -> tuple[Crossover, ...]:
        """Return where one roof becomes the larger one, solved for a printed name or a ratio such as `B/X`.

        One object a pair of roofs and group of axes that share links, and where latency counts one for each
        collective: its latency against its bandwidth. None where the price does not depend on the variable. Raises
        `UnknownSymbolError` for a name that the plan does not have, `RatioError` for what is no ratio.
        """
        return self.solve(variable, self.compared())

    def solve(self, variable: str, pairs: Sequence[Pair]) -> tuple[Crossover, ...]:
        """Return where the first of each pair becomes the larger one, as `crossover` does for the roofs of the plan."""
        return solving.solve(self.question(variable), pairs, self.values)

    def uncrossed(self, variable: str, found: Sequence[Crossover]) -> tuple[Uncrossed, ...]:
        """Return the pairs that have no crossover among those `found` for the variable, with why."""
        return solving.uncrossed(self.question(variable), self.compared(), found, self.values)

    def question(self, variable: str) -> Question:
        """Return what crossovers are solved for, read. Raises as `crossover` does."""
        return solving.read_question(variable, self.pricer.names, self.definitions(), self.clock)

    def compared(self) -> tuple[Pair, ...]:
        """Return the pairs of times that have crossovers: roofs, then latency and bandwidth of each collective."""
        hop = self.pricer.rates.latency
        if hop is None or NETWORK not in self.roofs:
            return self._pairs()
        steps = (step for statement in self.statements for step in statement.steps)
        return (*self._pairs(), *latency_pairs(steps, hop))

    def conditions(self) -> tuple[tuple[tuple[str, str], Condition], ...]:
        """Return for each pair of roofs the condition under which the first is the larger one.

        With `math` first these are the conditions of being compute-bound; all of them together are needed. A
        pair has several where the second is itself a maximum (of bandwidth and latency).
        """
        sizes = self.pricer.size_symbols()
        pairs = ((pair.first, pair.second) for pair in self._pairs())
        parts = ((a, b, part) for a, b in pairs for part in (b.time.args if isinstance(b.time, Max) else (b.time,)))
        return tuple(((a.name, b.name), compare(a.time, part, *sizes)) for a, b, part in parts)

    def alternatives(self, index: int) -> tuple[AlternativeEstimate, ...]:
        """Return the other plans of statement `index` with their prices."""
        chosen = self.statements[index]
        if not chosen.plan.alternatives:
            return ()
        exact = self.pricer.exact()
        mine, sizes = self._seconds(chosen.plan.steps, exact), self.pricer.size_symbols()
        found = []
        for alternative in chosen.plan.alternatives:
            plan = chosen.plan._replace(steps=alternative.steps, alternatives=())
            prices = price_statement(plan, self.pricer, self.values)
            faster = wins_when(prices, chosen, *sizes)
            other = None if mine is None else self._seconds(alternative.steps, exact)
            here = None if mine is None or other is None else other < mine * (1 - 1e-12)
            wins = self._cheaper(plan, chosen.plan, exact, alternative.timed)
            if alternative.wins is not None:
                wins = exact_condition(alternative.wins, self.pricer.names)
            wins = self._short(wins)
            best = tuple(self._short(exact_condition(part, self.pricer.names)) for part in alternative.best)
            example, timed = alternative.example, alternative.timed
            found.append(AlternativeEstimate(alternative.name, prices, wins, best, example, faster, here, timed))
        return tuple(found)

    def _cheaper(self, plan: StatementPlan, other: StatementPlan, exact: Pricer, timed: bool) -> Condition:
        """Return when `plan` is the cheaper one, by what planning compares (time, else bytes) and in its exact form."""
        prices, others = (price_statement(one, exact, self.values) for one in (plan, other))
        sizes = self.pricer.size_symbols()
        if timed:
            return wins_when(prices, others, *sizes)
        received, more = (Add(*(step.bytes_received for step in one.steps)) for one in (prices, others))
        return compare(more, received, *sizes)

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
        """Return the symbols of dimensions, of mesh axes and of numbers of devices."""
        return self.pricer.size_symbols()[0].union(self.pricer.names.totals().values())

    def _short(self, condition: Condition) -> Condition:
        """Return a condition with the leading terms of both sides."""
        return condition._replace(left=self.pricer.short(condition.left), right=self.pricer.short(condition.right))

    def all_roofs(self) -> tuple[Roof, ...]:
        """Return the roofs that count and take time: arithmetic, each memory, and each group of links."""
        return counted_roofs(self, self.groups, self.roofs, self.comms == "sum")

    def _pairs(self) -> tuple[Pair, ...]:
        """Return the roofs to compare."""
        return pairs_of(self.all_roofs())

    def definitions(self) -> dict[Symbol, Expr]:
        """Return the sizes that the text gives in terms of others (`let F = 4*D`) as formulas."""
        return solving.definitions(self.pricer.program, self.pricer.names)


def counted_roofs(prices: Prices, groups: Sequence[Roof], counted: Sequence[str], added: bool) -> tuple[Roof, ...]:
    """Return the roofs of prices that count and take time. groups: of links; added: they are one roof, their sum."""
    found: list[Roof] = []
    for name in ROOFS:
        if name in counted and name == NETWORK and not added:
            found += groups
        elif name in counted:
            found.append(Roof(name, prices.times[name], ROOFS[name].field in prices.shortened))
    return tuple(roof for roof in found if roof.time != 0)


def pairs_of(roofs: Sequence[Roof]) -> tuple[Pair, ...]:
    """Return roofs in pairs to compare. Two memories move the same bytes: the slower one is so for all sizes."""
    math = [roof for roof in roofs if roof.name == MATH]
    networks = [roof for roof in roofs if roof_of(roof.name) == NETWORK]
    memories = [roof for roof in roofs if roof not in (*math, *networks)]
    first = [Pair(a, b) for a in math for b in (*networks, *memories)]
    return (*first, *(Pair(a, b) for a in memories for b in networks))


def estimate(
    plan: Plan,
    machine: Machine,
    *,
    model: str = "book",
    roofs: Sequence[str] = DEFAULT_ROOFS,
    comms: str = "max",
    latency: bool = False,
    reduce_dtype: str | None = None,
    uneven: bool = False,
    constants: Mapping[str, float] | None = None,
    assume: Sequence[str] = (),
    top_k: int | str | None = None,
    names: Names | None = None,
    clock: Clock = ENDLESS,
) -> Estimate:
    """Price a plan on a machine.

    model: `book` (without the factor (n-1)/n) or `exact`. roofs: those that count towards the bounds, of
    `pricing.roofs.ROOFS`. assume: texts such as `B << D, F`; formulas are then their leading terms (`cost.leading`;
    raises what `cost.assume.read_assumptions` does). comms: `max` or `sum` over groups of mesh axes that share no link. latency: count hops.
    top_k: how many parts each row of an AllToAll goes to, a number or what it is called; None for all of them.
    constants: numbers for symbols by name, before what sizes and hardware say. Formulas keep every symbol, also
    a size given in terms of others (`let F = 4*D` prints F); `Estimate.value` has the numbers. names: those of several
    plans that are compared, see `names_of`. Statements for which `clock` leaves no time cost nothing and have no steps,
    as refused ones.
    """
    program = plan.program
    names = names or names_of((plan, machine))
    pricer = Pricer(
        plan,
        names,
        machine,
        axes=_used_axes(plan, machine),
        model=model,
        latency=latency,
        roofs=tuple(roofs),
        reduce_dtype=reduce_dtype,
        uneven=uneven,
        top_k=top_k,
    )
    pricer.assumed = read_assumptions(assume, program, names)  # now that the plan's rates have symbols
    values, unused = known_values(program, names, machine.hardware, constants or {})
    if top_k is not None:
        stated = top_k if isinstance(top_k, int) else known_size(top_k, program)
        values |= {} if stated is None else {names.top_k(top_k): stated}
    statements = tuple(price_statements(plan.statements, pricer, values, clock))
    steps = [step for statement in statements for step in statement.steps]
    groups = link_roofs(steps, pricer)
    most = peak((s.plan for s in statements), pricer.bytes_of, values, *pricer.size_symbols())
    prices = total(statements, [group.time for group in groups], comms == "sum", pricer, most.bytes)
    if pricer.assumed is not None:
        most = most._replace(bytes=prices.memory, there=None if most.there is None else pricer.short(most.there))
    return Estimate(
        **prices.fields(),
        statements=statements,
        roofs=tuple(roofs),
        comms=comms,
        model=model,
        groups=groups,
        symbols=_occurring(names, prices, steps),
        values=values,
        assumptions=machine.assumptions if most.exact else (*machine.assumptions, _MEMORY_BOUND),
        unused=unused,
        missing_rates=_missing_rates(plan, names, machine, values),
        missing_figures=_missing_figures(names, machine, values, [prices.times[roof] for roof in roofs]),
        peak=most,
        pricer=pricer,
        plan=plan,
        again=partial(
            estimate,
            model=model,
            roofs=roofs,
            comms=comms,
            latency=latency,
            reduce_dtype=reduce_dtype,
            uneven=uneven,
            constants=constants,
            assume=assume,
            top_k=top_k,
            names=names,
        ),
    )


def names_of(*plans: tuple[Plan, Machine]) -> Names:
    """Return the symbols of plans on their machines: what has one name in several is one symbol."""
    dims = (dim for plan, _ in plans for value in plan_values(plan) for dim in value.type.dims if not is_literal(dim))
    axes = (axis for plan, _ in plans for axis in _axes(plan))
    dtypes: list[str] = []
    for plan, _ in plans:
        dtypes += computing_types(steps_of(plan), _plain(plan))
    return Names(dims, axes, dtypes)


def _plain(plan: Plan) -> Sizes:
    """Return the element types of a plan, without sizes."""
    return Sizes({}, {}, plan.program.dtype, declared=plan.program.declared_types)


def link_roofs(steps: Sequence[StepEstimate], pricer: Pricer) -> tuple[Roof, ...]:
    """Return the groups of links that steps load, with the seconds of each."""
    found = []
    for name, times in link_groups(steps, pricer.machine, tuple(pricer.names.axes())):
        whole = Add(*times)
        time = pricer.short(whole)
        found.append(Roof(name, time, time != whole or any("t_comms" in step.shortened for step in steps)))
    return tuple(found)


def _used_axes(plan: Plan, machine: Machine) -> list[str]:
    """Return the axes in use; where what an axis gets of its links depends on the others, all of the mesh."""
    used = {axis for value in plan_values(plan) for axis in value.type.sharding.used()}
    return [axis for axis in _axes(plan) if axis in used or machine.layered]


def _axes(plan: Plan) -> list[str]:
    """Return the axes of the mesh, then those that are in use without one."""
    used = dict.fromkeys(axis for value in plan_values(plan) for axis in value.type.sharding.used())
    in_order = [axis.name for axis in plan.program.mesh.axes]
    return [*in_order, *(axis for axis in used if axis not in in_order)]


def _occurring(names: Names, prices: Prices, steps: list[StepEstimate]) -> dict[str, SymbolInfo]:
    """Return the table of the symbols that occur in a formula, in the order in which they were named."""
    seen: set[str] = set()
    done: set[int] = set()
    totals = (prices.flops, *prices.times.values(), prices.memory)
    for expr in (*totals, *(e for s in steps for e in (s.bytes, s.bytes_received, s.flops, s.time))):
        if id(expr) not in done:
            done.add(id(expr))
            seen.update(symbol.name for symbol in expr.free_symbols)
    return {name: info for name, info in names.table.items() if name in seen}


def _missing_rates(plan: Plan, names: Names, machine: Machine, values: Values) -> dict[str, Span]:
    """Return the element types that the plan computes in, the hardware states no rate for and no constant sets (SL503)."""
    missing = {dtype for dtype in names.dtypes if names.flops(dtype) not in values} if machine.hardware else set()
    places: dict[str, Span] = {}
    for statement in plan.statements if missing else ():
        for dtype in computing_types(statement.steps, _plain(plan)):
            if dtype in missing:
                places.setdefault(dtype, statement.statement.span)
    return places


def _missing_figures(names: Names, machine: Machine, values: Values, times: Sequence[Expr]) -> tuple[str, ...]:
    """Return the bandwidths in times that the hardware does not state and no constant sets (SL506)."""
    if machine.hardware is None:
        return ()
    used = frozenset[Symbol]().union(*(time.free_symbols for time in times))
    rates = names.hardware().items()
    return tuple(name for name, symbol in rates if name.startswith("W_") and symbol in used and symbol not in values)
