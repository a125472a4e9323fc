"""Other correct plans of a statement, and when each wins.

An alternative gives one operation of the expression another local form (gather or slice, before or after) and
is otherwise the best for that form. One that never moves fewer bytes nor computes less than the plan is left out.
"""

from collections.abc import Callable

from shardlang.planning import tree
from shardlang.planning.computation import infer
from shardlang.planning.context import Context, Goal
from shardlang.planning.optimum import Inferred, active_axes, cost_of, emit, expression_node, is_known
from shardlang.planning.search import Objective
from shardlang.planning.settings import objective_for
from shardlang.planning.space import TooLargeError
from shardlang.pricing import steps as pricing
from shardlang.rules.plan import COLLECTIVES, Alternative, Step
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.program import Op
from shardlang.semantics.sharding import Sharding
from shardlang.semantics.size import Monomial, axis_symbol, dim_symbol, of

MOST = 4
FORMS_AN_OPERATION = 8


def alternatives(context: Context, op: Op, goal: Goal, made: Inferred) -> tuple[Alternative, ...]:
    """Return up to `MOST` other plans of a computation, fewest collectives and bytes first.

    Where axes that the statement leaves alone would make a known plan cheaper, the plan that uses them comes first.
    """
    target = made.value.type.sharding
    goal = goal._replace(sharding=target)
    objective = objective_for(context.settings, context.sizes, known=False)
    active = active_axes(context, op, target)
    node = expression_node(context, op, goal.dtype)
    found: dict[tuple[str, ...], tuple[tuple[int, ...], tuple[Step, ...]]] = {}
    try:
        for branch in _branches(node):
            for form in _likely_forms(branch, active, context, objective, target):
                steps, cost = _forced(context, op, goal, node, branch, form, active, objective)
                found.setdefault(tuple(step.text for step in steps), (cost, steps))
    except TooLargeError:
        return ()
    found.pop(tuple(step.text for step in made.steps), None)
    price = Price(context)
    kept = [
        steps
        for _, steps in sorted(found.values(), key=lambda entry: entry[0])
        if steps and price.may_win(steps, made.steps)
    ]
    kept = [
        steps for index, steps in enumerate(kept) if not any(price.never_worse(other, steps) for other in kept[:index])
    ]
    others = tuple(Alternative(name_of(steps), steps, price.wins_when(steps, made.steps)) for steps in kept[:MOST])
    usual = (Alternative("as with sizes open", made.usual, "never"),) if made.usual else ()
    rest = tuple(other for other in others if other.steps != made.usual)
    return (*_over_idle_axes(context, op, goal, made), *usual, *rest)


def _over_idle_axes(context: Context, op: Op, goal: Goal, made: Inferred) -> tuple[Alternative, ...]:
    assert goal.sharding is not None
    if context.settings.idle_axes or not is_known(context, op, goal.sharding):
        return ()
    wider = context._replace(settings=context.settings._replace(idle_axes=True), routes={})
    better = infer(wider, op, goal)
    if not isinstance(better, Inferred) or better.steps == made.steps:
        return ()
    objective = objective_for(context.settings, context.sizes, known=True)
    if cost_of(context, better.steps, objective)[0] >= cost_of(context, made.steps, objective)[0]:
        return ()
    return (Alternative(f"over idle axes: {name_of(better.steps)}", better.steps, "always"),)


def _branches(node: tree.Leaf | tree.Branch) -> list[tree.Branch]:
    if isinstance(node, tree.Leaf):
        return []
    return [branch for child in node.children for branch in _branches(child)] + [node]


def _likely_forms(
    branch: tree.Branch, active: tuple[str, ...], context: Context, objective: Objective, target: Sharding
) -> list[tuple[Sharding, ...]]:
    """Return the forms of one operation that are cheapest to reach from its operands."""
    search = tree.Search(active, context.tables, objective, tree.kinds_of(branch, target), target.pending)
    children = [tree.solve(child, search) for child in branch.children]
    ranked = []
    for form in context.tables.forms(branch.signature, active):
        ways = [child.reached.get(sharding) for child, sharding in zip(children, form.operands, strict=True)]
        costs = [way.cost for way in ways if way is not None]
        if len(costs) == len(ways):
            ranked.append((tuple(map(sum, zip(*costs, strict=True))), form.operands))
    ranked.sort(key=lambda entry: entry[0])
    return [operands for _, operands in ranked[:FORMS_AN_OPERATION]]


def _forced(
    context: Context,
    op: Op,
    goal: Goal,
    node: tree.Leaf | tree.Branch,
    branch: tree.Branch,
    form: tuple[Sharding, ...],
    active: tuple[str, ...],
    objective: Objective,
) -> tuple[tuple[Step, ...], tuple[int, ...]]:
    """Return the best plan in which `branch` takes `form`, and its cost; no steps if there is none."""
    assert goal.sharding is not None
    forced = tree.Forced(branch, form)
    kinds = tree.kinds_of(node, goal.sharding)
    search = tree.Search(active, context.tables, objective, kinds, goal.sharding.pending, None, forced)
    solved = tree.solve(node, search, goal.sharding)
    if goal.sharding not in solved.reached:
        return (), ()
    steps: list[Step] = []
    emit(context, op, tree.chosen(node, solved, goal.sharding), goal, None, steps)
    return tuple(steps), solved.reached[goal.sharding].cost


def name_of(steps: tuple[Step, ...]) -> str:
    """Return a short name of a plan: its free steps and collectives in order."""
    texts = [step.text.split(" ->", 1)[0] for step in steps if step.kind in COLLECTIVES or step.kind == "Slice"]
    return ", then ".join(texts) or "no communication"


class Price:
    """Compares plans by bytes received (asymptotic) and FLOPs, as monomials of the open sizes."""

    def __init__(self, context: Context) -> None:
        known = {axis_symbol(name): Monomial(size) for name, size in context.sizes.axes.items()}
        dims = {dim_symbol(name): size for name, size in context.program.sizes.items()}
        self._sizes = pricing.Sizes(
            _Lookup(lambda name: of(dim_symbol(name)).substitute(dims)),
            _Lookup(lambda name: of(axis_symbol(name)).substitute(known)),
            context.program.dtype,
            context.settings.reduce_dtype,
            width=dtype_bytes,
        )

    def received(self, steps: tuple[Step, ...]) -> list[Monomial]:
        """Return the bytes that each collective brings to a device, without the factor (n-1)/n."""
        return [self._received(step) for step in steps if step.kind in COLLECTIVES]

    def _received(self, step: Step) -> Monomial:
        held: Monomial = pricing.operand_bytes(step, self._sizes)
        if step.kind == "AllGather":
            devices: Monomial = pricing.group_size(step.axes, self._sizes)
            return held * devices
        return 2 * held if step.kind == "AllReduce" else held

    def flops(self, steps: tuple[Step, ...]) -> list[Monomial]:
        """Return the FLOPs of each local operation on a device."""
        return [count * Monomial(1) for step in steps if (count := pricing.flops(step, self._sizes))]

    def may_win(self, steps: tuple[Step, ...], chosen: tuple[Step, ...]) -> bool:
        """Say whether `steps` can be cheaper than `chosen` for some sizes, as far as this decides."""
        return not self.never_worse(chosen, steps)

    def never_worse(self, first: tuple[Step, ...], second: tuple[Step, ...]) -> bool:
        """Say whether `first` certainly moves no more bytes and computes no more than `second`."""
        return _covers(self.received(first), self.received(second)) and _covers(self.flops(first), self.flops(second))

    def wins_when(self, steps: tuple[Step, ...], chosen: tuple[Step, ...]) -> str | None:
        """Return when `steps` move fewer bytes than `chosen`, None where arithmetic differs or sums must be compared."""
        if sorted(self.flops(steps)) != sorted(self.flops(chosen)):
            return None
        here, there = _without_common(self.received(steps), self.received(chosen))
        if not here:
            return "always" if there else None
        if not there:
            return "never"
        if len(here) > 1 or len(there) > 1:
            return None
        ratio = here[0] / there[0]
        if not ratio.powers:
            return "always" if ratio.numerator < ratio.denominator else "never"
        return f"{_side(ratio, 1)} < {_side(ratio, -1)}"


def _covers(small: list[Monomial], large: list[Monomial]) -> bool:
    """Say whether each of `small` is at most one of `large` of its own, for all sizes of at least one."""
    left = list(large)
    for monomial in small:
        match = next((other for other in left if _at_most(monomial, other)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _at_most(a: Monomial, b: Monomial) -> bool:
    ratio = a / b
    return ratio.numerator <= ratio.denominator and all(power < 0 for _, power in ratio.powers)


def _without_common(a: list[Monomial], b: list[Monomial]) -> tuple[list[Monomial], list[Monomial]]:
    rest = list(b)
    only = []
    for monomial in a:
        if monomial in rest:
            rest.remove(monomial)
        else:
            only.append(monomial)
    return only, rest


def _side(ratio: Monomial, sign: int) -> str:
    number = ratio.numerator if sign > 0 else ratio.denominator
    parts = [str(number)] if number != 1 else []
    for symbol, power in ratio.powers:
        if power * sign > 0:
            parts.append(symbol.name if abs(power) == 1 else f"{symbol.name}**{abs(power)}")
    return "*".join(parts) or "1"


class _Lookup(dict[str, Monomial]):
    """A mapping that asks a function for what it does not have."""

    def __init__(self, make: Callable[[str], Monomial]) -> None:
        super().__init__()
        self._make = make

    def get(self, name: str, default: object = None) -> Monomial:
        return self[name]

    def __missing__(self, name: str) -> Monomial:
        self[name] = self._make(name)
        return self[name]
