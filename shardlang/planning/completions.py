"""Every minimal way to make a refused statement legal, cheapest first.

A *completion* of a statement adds steps to it, collectives and free steps, so that every operation is local on the
layouts that then exist (NOTATION section 3), every step is legal (section 4), and the stated result is reached, or any
result where none is stated. It is *minimal* if

* no other completion with the same result takes at most as many collectives and, for all sizes of the dimensions, at
  most as many bytes received, as far as the corners of the sizes say: see `corners`. Of completions that are equal in both, those with the same collectives count as one: the one that shares
  more of the arithmetic, then the one with fewer free steps.
* where no result is stated, no other completion takes only a part of its collectives, or the same collectives and
  only a part of its free steps.

A free step makes an axis pending only where it is so in an array of the statement, or may be so in an intermediate: it
shards a dimension there that is summed over. (By Pad and AllReduce any array could be gathered at twice the price.)
Sizes that are known decide which steps divide evenly and between which axes blocks may change places, and the
order. The completions come from one search over the layouts of the operands, of every intermediate and of the result, which
keeps for each layout all ways to it that none beats.
"""

from itertools import product
from typing import NamedTuple

from shardlang.planning import tree
from shardlang.planning.budget import TooLargeError, Work
from shardlang.planning.computation import infer, whole
from shardlang.planning.context import Context, Goal
from shardlang.planning.corners import Corners
from shardlang.planning.forms import Form
from shardlang.planning.fronts import START, Front, Label, Made, Steps, explore
from shardlang.planning.optimum import Inferred, active_axes, cost_of, emit, expression_node, is_known
from shardlang.planning.parts import Parts
from shardlang.planning.reasons import Purpose
from shardlang.planning.routes import follow, route
from shardlang.planning.search import Objective
from shardlang.planning.settings import objective_for
from shardlang.planning.space import Allowed, Move
from shardlang.rules.collectives import Request, StepProblem, apply_step
from shardlang.rules.local import local_result
from shardlang.rules.plan import LOCAL_STEPS, Step, Value
from shardlang.rules.signature import Signature, signature_of
from shardlang.semantics.program import Op
from shardlang.semantics.sharding import Sharding

MOST = 16
MOST_WORK = 4_000  # some 50 milliseconds; two operands on one mesh axis take a few hundred
_NEAR = 6


class Completions(NamedTuple):
    """The completions of a statement, cheapest first; `more` says that there may be others: a bound was met."""

    found: tuple[Inferred, ...]
    more: bool = False


def completions(context: Context, op: Op, goal: Goal) -> Completions:
    """Return every minimal completion of a computation, as steps that can be written out.

    goal: its layout is the stated one, None where the result is open.
    """
    if not context.settings.ways:
        return Completions(())
    node = expression_node(context, anywhere(op), goal.dtype)
    axes = active_axes(context, op, goal.sharding)
    kinds, maskable = tree.kinds_of(node, goal.sharding), _maskable(node, goal.sharding)
    search = _Search(context, axes, kinds, maskable, Corners(context.sizes, _dims(node), axes))
    found = []
    for label in search.root(node, goal.sharding):
        steps: list[Step] = []
        value = emit(context, op, _chosen(label), goal, None, steps)
        found.append(Inferred(tuple(steps), value))
    if search.bounded:
        found += _near(context, op, node, goal, tree.Search(axes, context.tables, *_compared(context, kinds, maskable)))
        found += _usual(context, anywhere(op), goal)
    objective = objective_for(context.settings, context.sizes, is_known(context, op, goal.sharding))
    return _ranked(context, found, objective, search.bounded)


def _compared(
    context: Context, kinds: tuple[str, ...], maskable: tuple[str, ...]
) -> tuple[Objective, tuple[str, ...], Allowed]:
    return objective_for(context.settings, context.sizes, known=False), kinds, Allowed(maskable=maskable)


def _near(context: Context, op: Op, node: tree.Leaf | tree.Branch, goal: Goal, search: tree.Search) -> list[Inferred]:
    """Return the plans with the fewest collectives: to the stated result, or to each of the nearest layouts of an open one."""
    context = context._replace(bounded=[])
    try:
        targets = [goal.sharding] if goal.sharding is not None else _nearest(tree.solve(node, search))
        plans = [plan for target in targets if (plan := tree.best(node, search, target)) is not None]
    except TooLargeError:
        return []
    found = []
    for plan in plans:
        steps: list[Step] = []
        value = emit(context, op, plan.plan, goal, None, steps)
        found.append(Inferred(tuple(steps), value))
    return found


def _nearest(solved: tree.Solved) -> list[Sharding]:
    """Return the layouts that the operation itself gives with at most one collective more than the least."""
    formed = sorted((cost, sharding) for sharding, cost in solved.formed().items())
    return [sharding for cost, sharding in formed if cost[0] <= formed[0][0][0] + 1][:_NEAR]


def _usual(context: Context, op: Op, goal: Goal) -> list[Inferred]:
    """Return the plan of a computation; where the result is open, as far as the operation in the plan for a whole one."""
    context = context._replace(bounded=[])  # what stopped at a bound is told with the completions
    made = infer(context, op, goal if goal.sharding is not None else goal._replace(sharding=whole(op.dims)))
    if not isinstance(made, Inferred):
        return []
    if goal.sharding is not None:
        return [made]
    last = max(at for at, step in enumerate(made.steps) if step.kind in LOCAL_STEPS)
    return [Inferred(made.steps[: last + 1], made.steps[last].result)]


def anywhere(op: Op) -> Op:
    """Return the expression with communication allowed in all of it."""
    args = tuple(anywhere(arg) if isinstance(arg, Op) else arg for arg in op.args)
    return op._replace(args=args, local=False)


def moves_between(context: Context, value: Value, target: Sharding) -> Completions:
    """Return every minimal way from the layout of an array to another, fewest bytes first; the steps keep its name."""
    if not context.settings.ways:
        return Completions(())
    axes = context.active((*value.type.sharding.used(), *target.used()))
    leaf = tree.Leaf(value.type.dims, value.type.sharding, context.width(value.type.dtype))
    kinds, maskable = tree.kinds_of(leaf, target), _maskable(leaf, target)
    search = _Search(context, axes, kinds, maskable, Corners(context.sizes, leaf.dims, axes))
    found = []
    for label in search.root(leaf, target):
        made, steps = follow(value, list(_moves(label)), Purpose("the result"))
        found.append(Inferred(tuple(steps), made))
    if search.bounded and (moves := route(context._replace(bounded=[]), value.type, target)) is not None:
        made, steps = follow(value, moves, Purpose("the result"))
        found.append(Inferred(tuple(steps), made))
    objective = objective_for(context.settings, context.sizes, context.known(leaf.dims, axes))
    return _ranked(context, found, objective._replace(price_first=True), search.bounded)


def _maskable(node: tree.Leaf | tree.Branch, target: Sharding | None, top: bool = True) -> tuple[str, ...]:
    """Return the axes that a free step may make pending: see the module."""
    found = set(target.pending) if target is not None else set()
    if isinstance(node, tree.Leaf):
        return tuple(sorted(found.union(node.sharding.pending)))
    for child in node.children:
        found.update(_maskable(child, None, False))
        if isinstance(child, tree.Leaf) and not top:
            axes = zip(child.dims, child.sharding.axes, strict=True)
            found.update(axis for dim, own in axes for axis in own if dim in node.signature.contracted)
    return tuple(sorted(found))


def _dims(node: tree.Leaf | tree.Branch) -> tuple[str, ...]:
    if isinstance(node, tree.Leaf):
        return node.dims
    return tuple(dict.fromkeys(dim for child in node.children for dim in _dims(child)))


def _ranked(context: Context, found: list[Inferred], objective: Objective, bounded: bool) -> Completions:
    """Return the completions that the rules accept, cheapest first, each once."""
    legal = {tuple(step.text for step in one.steps): one for one in found if is_legal(context, one.steps)}
    ranked = sorted(legal.items(), key=lambda item: (cost_of(context, item[1].steps, objective), item[0]))
    return Completions(tuple(one for _, one in ranked[:MOST]), bounded or len(ranked) > MOST)


def is_legal(context: Context, steps: tuple[Step, ...]) -> bool:
    """Say whether the rules accept every step as it is written, on operands in the layouts that they say."""
    return all(_local_holds(context, step) if step.kind in LOCAL_STEPS else _move_holds(step) for step in steps)


def _move_holds(step: Step) -> bool:
    operand, result = step.operands[0].type, step.result.type
    dim = step.dims[-1] if step.kind in ("ReduceScatter", "AllToAll", "Slice") and step.dims else None
    typed = apply_step(step.kind, operand, Request(step.axes, dim, result))
    return not isinstance(typed, StepProblem) and typed.result == result.sharding


def _local_holds(context: Context, step: Step) -> bool:
    shardings = tuple(value.type.sharding for value in step.operands)
    return bool(local_result(_signature(context, step), shardings) == step.result.type.sharding)


def _signature(context: Context, step: Step) -> Signature:
    operands = tuple(value.type.dims for value in step.operands)
    constants = tuple(value.constant for value in step.operands)
    narrows = False
    if step.op == "cast":
        before, after = (value.type.dtype or context.program.dtype for value in (step.operands[0], step.result))
        narrows = before != after and context.width(after) <= context.width(before)
    return signature_of(step.op, operands, step.result.type.dims, step.contracted, constants, narrows)


class _Search:
    """The ways to every layout of every part of one expression. bounded: they are not all."""

    def __init__(
        self,
        context: Context,
        axes: tuple[str, ...],
        kinds: tuple[str, ...],
        maskable: tuple[str, ...],
        corners: Corners,
    ) -> None:
        self.bounded = False
        self._work = Work(MOST_WORK, context.settings.clock)
        self._context, self._axes, self._kinds, self._maskable = context, axes, kinds, maskable
        self._corners = corners
        self._steps: dict[tuple[int, ...], Steps] = {}

    def root(self, node: tree.Leaf | tree.Branch, target: Sharding | None) -> list[Label]:
        """Return the ways to `target`; to any layout that the operation itself gives where it is None."""
        found = self._front()
        try:
            formed = self._formed(node, ())
            if target is None:
                return self._least(node, [label for labels in formed.ways.values() for label in labels])
            self._explore(node, (), formed, found, target)
        except TooLargeError:
            self.bounded = True
        self.bounded = self.bounded or found.bounded
        return found.ways.get(target, []) if target is not None else []

    def _least(self, node: tree.Leaf | tree.Branch, labels: list[Label]) -> list[Label]:
        assert isinstance(node, tree.Branch)
        return Parts(node, self._steps, self._context.tables, self._work, self._axes, self._kinds).least(labels)

    def _front(self) -> Front:
        return Front(self._work)

    def _explore(
        self,
        node: tree.Leaf | tree.Branch,
        place: tuple[int, ...],
        formed: Front,
        found: Front,
        target: Sharding | None,
    ) -> None:
        dims = node.dims if isinstance(node, tree.Leaf) else node.signature.result
        layouts = self._context.tables.layouts(dims, self._axes, self._kinds)
        steps = self._steps[place] = Steps(layouts, Allowed(maskable=self._maskable))
        width = self._corners.widths(node.element_bytes, self._context.settings.reduce_dtype)
        explore(steps, self._corners.array(dims, width), place, formed, found, target)

    def _reached(self, node: tree.Leaf | tree.Branch, place: tuple[int, ...]) -> Front:
        """Return the ways to every layout of an operand."""
        found = self._front()
        self._explore(node, place, self._formed(node, place), found, None)
        self.bounded = self.bounded or found.bounded
        return found

    def _formed(self, node: tree.Leaf | tree.Branch, place: tuple[int, ...]) -> Front:
        """Return the ways to the layouts in which a node is given, or in which its operation can give it."""
        front = self._front()
        if isinstance(node, tree.Leaf):
            front.add(START._replace(weight=self._corners.nothing, sharding=node.sharding))
            return front
        children = [self._reached(child, (*place, at)) for at, child in enumerate(node.children)]
        for form in self._context.tables.forms(node.signature, self._axes, self._kinds):
            ways = [child.ways.get(sharding, []) for child, sharding in zip(children, form.operands, strict=True)]
            for labels in product(*ways):
                front.add(_joined(form, labels, self._corners.nothing))
        self.bounded = self.bounded or front.bounded
        return front


def _joined(form: Form, labels: tuple[Label, ...], nothing: tuple[float, ...]) -> Label:
    """Return the way that makes every operand as its label says, and then the operation."""
    weight = nothing
    for label in labels:
        weight = tuple(a + b for a, b in zip(weight, label.weight, strict=True))
    return Label(
        sum(label.moves for label in labels),
        weight,
        sum(label.unshared for label in labels) - len(form.cut),
        sum(label.free for label in labels),
        tuple(sorted(taken for label in labels for taken in label.taken)),
        form.result,
        made=Made(form, labels),
    )


def _moves(label: Label) -> tuple[Move, ...]:
    moves: list[Move] = []
    while label.move is not None and label.before is not None:
        moves.append(label.move)
        label = label.before
    return tuple(moves[::-1])


def _chosen(label: Label) -> tree.Chosen:
    """Return a way as the plan of its node."""
    moves = _moves(label)
    while label.before is not None:
        label = label.before
    children = tuple(map(_chosen, label.made.labels)) if label.made is not None else ()
    return tree.Chosen(children, label.sharding, moves)
