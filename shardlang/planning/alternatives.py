"""Other correct plans of a statement, and when each wins: NOTATION section 5.

With a size open these are the plans of the search space that are best for some sizes, as far as `frontier` and
`winners` see; with all sizes known there is one best plan, and only what it is to be compared with is listed.
"""

from collections.abc import Iterable
from typing import NamedTuple

from shardlang.limits import WORK_A_PLAN, WORK_A_STATEMENT
from shardlang.planning.computation import infer
from shardlang.planning.context import Context, Goal
from shardlang.planning.exact import ExactPrices
from shardlang.planning.frontier import Frontier
from shardlang.planning.optimum import Inferred, active_axes, cost_of, emit, expression_node, is_known, resharded
from shardlang.planning.settings import objective_for
from shardlang.planning.winners import Race, Winner
from shardlang.rules.plan import COLLECTIVES, FREE_STEPS, LOCAL_STEPS, Alternative, Step
from shardlang.semantics.inequality import Condition, Inequality, implies, less, text
from shardlang.semantics.polynomial import Polynomial, TooManyTermsError
from shardlang.semantics.program import Op, Ref

MOST = 40
MOST_COMPARED = 48
MOST_JOINT = 8  # with more plans than that, being the best of all takes more conditions than anybody reads
BOUNDED = "the search for other plans"


class Priced(NamedTuple):
    """A plan with its exact price, and what it costs at nominal sizes: collectives, price, FLOPs, free steps."""

    steps: tuple[Step, ...]
    price: Polynomial
    nominal: tuple[int, float, float, int]


def alternatives(context: Context, expr: Op | Ref, goal: Goal, made: Inferred) -> tuple[Alternative, ...]:
    """Return the other plans of a computation or of the reshard of an array, fewest collectives and bytes first.

    Where axes that the statement leaves alone would make a known plan cheaper, the plan that uses them comes first.
    """
    goal = goal._replace(sharding=made.value.type.sharding)
    timed = context.settings.collective_time is not None
    usual = (Alternative("as with sizes open", made.usual, "never", timed=timed),) if made.usual else ()
    return (*_over_idle_axes(context, expr, goal, made), *usual, *_for_other_sizes(context, expr, goal, made))


def name_of(steps: tuple[Step, ...]) -> str:
    """Return a short name of a plan: its free steps and collectives in order."""
    texts = [step.text.split(" ->", 1)[0] for step in steps if step.kind in COLLECTIVES or step.kind == "Slice"]
    return ", then ".join(texts) or "no communication"


def _over_idle_axes(context: Context, expr: Op | Ref, goal: Goal, made: Inferred) -> tuple[Alternative, ...]:
    assert goal.sharding is not None
    if context.settings.idle_axes or not is_known(context, expr, goal.sharding):
        return ()
    wider = context._replace(settings=context.settings._replace(idle_axes=True))
    better = infer(wider, expr, goal) if isinstance(expr, Op) else resharded(wider, context.value(expr), goal)
    if not isinstance(better, Inferred) or better.steps == made.steps:
        return ()
    objective = objective_for(context.settings, context.sizes, known=True)
    if cost_of(context, better.steps, objective)[0] >= cost_of(context, made.steps, objective)[0]:
        return ()
    timed = context.settings.collective_time is not None
    return (Alternative(f"over idle axes: {name_of(better.steps)}", better.steps, "always", timed=timed),)


def _for_other_sizes(context: Context, expr: Op | Ref, goal: Goal, made: Inferred) -> tuple[Alternative, ...]:
    """Return the plans that are best for some of the open sizes."""
    assert goal.sharding is not None
    active = active_axes(context, expr, goal.sharding)
    left = context.others
    if left is None or is_known(context, expr, goal.sharding) or _cannot_be_beaten(made.steps, active):
        return ()
    if not left.left:
        context.bounded.append(BOUNDED)
        return ()
    work = left.part(WORK_A_STATEMENT)
    before = work.left
    prices = ExactPrices(context, active)
    frontier = Frontier(prices, expression_node(context, expr, goal.dtype), active, goal.sharding, work)
    plans = [made.steps]
    for plan in frontier.plans():
        steps: list[Step] = []
        emit(context, expr, plan, goal, None, steps)
        plans.append(tuple(steps))
    left.left = max(0, left.left - (before - work.left) - WORK_A_PLAN * min(len(plans), MOST_COMPARED))
    try:
        found, complete = Comparison(prices, plans).alternatives(frontier.meshes())
    except TooManyTermsError:
        found, complete = (), False
    if frontier.bounded or not complete:
        context.bounded.append(BOUNDED)
    return found


def _cannot_be_beaten(steps: tuple[Step, ...], active: tuple[str, ...]) -> bool:
    """Say whether nothing is moved, and every axis shares the arithmetic."""
    for step in steps:
        used = {axis for value in step.operands for axes in value.type.sharding.axes for axis in axes}
        if step.kind in COLLECTIVES or (step.kind in LOCAL_STEPS and not used.issuperset(active)):
            return False
    return True


class Comparison:
    """Compares plans of one statement, of which the first is the one that was chosen."""

    def __init__(self, prices: ExactPrices, plans: Iterable[tuple[Step, ...]]) -> None:
        self._prices = prices
        found = [self._priced(steps) for steps in {tuple(step.text for step in p): p for p in plans}.values()]
        self._chosen = found[0]
        self._complete = len(found) <= MOST_COMPARED
        self._equals: list[Priced] = []
        self._others: list[Priced] = []
        for priced in sorted(found[1:], key=lambda priced: priced.nominal)[:MOST_COMPARED]:
            if priced.price == self._chosen.price:
                self._equals.append(priced)
            elif all(priced.price != other.price for other in self._others):
                self._others.append(priced)

    def alternatives(self, meshes: list[dict[str, int]]) -> tuple[tuple[Alternative, ...], bool]:
        """Return the plans that are best for some sizes, and whether the list is complete."""
        plans = [self._chosen, *self._others]
        race = Race(self._prices, [plan.steps for plan in plans], [plan.price for plan in plans], meshes)
        winners = [winner for winner in race.winners() if winner.number]
        rivals = [0, *(winner.number for winner in winners)]
        shown = winners[:MOST]
        found = [self._alternative(plans, winner, rivals, race) for winner in shown]
        return (*self._ties(), *found), self._complete and len(shown) == len(winners)

    def _alternative(self, plans: list[Priced], winner: Winner, rivals: list[int], race: Race) -> Alternative:
        plan, names = plans[winner.number], self._prices.names

        def cheaper_than(other: int) -> Condition:
            bounds = self._prices.bounds((plan.steps, plans[other].steps))
            decided = False if race.undecided(winner.number, other) else None
            return less(plan.price, plans[other].price, bounds, decided)

        wins = cheaper_than(0)
        best: tuple[Inequality, ...] = ()
        best_when = None
        if len(rivals) <= MOST_JOINT + 1:
            best = _shortest(cheaper_than(other) for other in rivals if other != winner.number)
            best_when = " and ".join(text(condition, names) for condition in best) or "always"
        example = tuple((names(symbol), size) for symbol, size in sorted((winner.example or {}).items()))
        timed = self._prices.timed
        return Alternative(name_of(plan.steps), plan.steps, text(wins, names), wins, best_when, best, example, timed)

    def _ties(self) -> list[Alternative]:
        """Return the plans of the same price that have fewer collectives, or compute less for some sizes."""
        found = []
        for plan in self._equals:
            fewer = plan.nominal[0] - self._chosen.nominal[0]
            if fewer > 0:
                continue
            wins: Condition = True
            if not fewer:
                mine, theirs = self._prices.flops(plan.steps), self._prices.flops(self._chosen.steps)
                wins = less(mine, theirs, self._prices.bounds((plan.steps, self._chosen.steps)))
            if wins is not False:
                when = text(wins, self._prices.names)
                found.append(Alternative(name_of(plan.steps), plan.steps, when, wins, timed=self._prices.timed))
                break
        return found

    def _priced(self, steps: tuple[Step, ...]) -> Priced:
        price = self._prices.price(steps)
        self._prices.names.note(price)
        nominal = self._prices.nominal(price), self._prices.nominal(self._prices.flops(steps))
        collectives = sum(step.kind in COLLECTIVES for step in steps)
        return Priced(steps, price, (collectives, *nominal, sum(step.kind in FREE_STEPS for step in steps)))


def _shortest(conditions: Iterable[Condition]) -> tuple[Inequality, ...]:
    """Return those of some conditions that are not implied by others; one that always holds says nothing."""
    kept: list[Inequality] = []
    for condition in conditions:
        if isinstance(condition, bool) or any(implies(other, condition) for other in kept):
            continue
        kept = [other for other in kept if not implies(condition, other)]
        kept.append(condition)
    return tuple(kept)
