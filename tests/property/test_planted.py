"""Bugs planted in every rule, each found by a judge that is named: the tests of a rule, a law, or a random plan that is run.

One entry for each rule of NOTATION sections 3 (local operations), 4 (steps) and 5 (what inference chooses). A judge
that finds nothing where nothing is planted, and the bug where one is, is a judge.
"""

import importlib
import pkgutil
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, NamedTuple

import pytest

from shardlang import planning
from shardlang.planning import choose
from shardlang.planning.space import Layouts, Move
from shardlang.pricing import collectives as prices
from shardlang.rules import collectives, local, signature
from shardlang.rules.collectives import Typed
from shardlang.semantics.sharding import Sharding
from tests.planning import test_choose
from tests.property import test_laws, test_local_rules, test_optimum, test_space
from tests.property.cases import draw_case
from tests.property.judge import judge
from tests.rules import test_collectives, test_local


def _forget() -> None:
    for module in pkgutil.iter_modules(planning.__path__, "shardlang.planning."):
        for value in vars(importlib.import_module(module.name)).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@pytest.fixture(autouse=True)
def _nothing_remembered():
    """Forget what the planner keeps over texts, so that a planted rule is asked, and is forgotten again."""
    _forget()
    yield
    _forget()


# --- judges ----------------------------------------------------------------------------------------------------------


def run_plans(count: int) -> None:
    """Random plans are run."""
    for seed in range(count):
        case = draw_case(Random(f"planted {seed}"))
        assert judge(case).problem is None, case.text


def run_steps_of(kind: str) -> None:
    """Steps that the rules allow are run."""
    test_laws.test_what_the_rules_allow_is_right_when_run(kind)


def every_state_of(*names: str) -> None:
    """Every state of one axis is run through a local operation."""
    for op, operands, contracted, dims in test_local_rules.OPERATIONS:
        if op in names:
            test_local_rules.test_one_axis_every_state(op, operands, contracted, dims)


def run_moves(kinds: tuple[str, ...] = ("sum",)) -> None:
    """Every step that the planner may take is run."""
    for mesh in test_space.MESHES:
        for kind in kinds:
            test_space.test_every_move_preserves_the_array_and_costs_what_it_says(mesh, kind)


def rows_of(test: Callable[..., None], rows: list[tuple[Any, ...]]) -> None:
    """A table of expected values."""
    for row in rows:
        test(*row)


step_rows = partial(rows_of, test_collectives.test_gives, test_collectives.GIVES)
refused_products = partial(rows_of, test_local.test_refused_products, test_local.REFUSED_PRODUCTS)
refused_steps = partial(rows_of, test_collectives.test_refuses, test_collectives.REFUSES)
contractions = partial(rows_of, test_choose.test_contraction, test_choose.CONTRACTION)
batches = partial(rows_of, test_choose.test_batch_dimensions, test_choose.BATCH)
elementwise = partial(rows_of, test_choose.test_elementwise, test_choose.ELEMENTWISE)
no_output = partial(rows_of, test_choose.test_no_output, test_choose.NATURAL)
open_questions = partial(rows_of, test_choose.test_no_natural_answer, test_choose.OPEN)
least_bytes = test_optimum.test_no_right_sequence_of_steps_reshards_with_fewer_bytes


# --- bugs ------------------------------------------------------------------------------------------------------------


class Bug(NamedTuple):
    """rule: the rule of the notation that is broken. owner, name: what is replaced (an attribute, or a key). bug: the
    replacement, from what was there. judge: what must find it."""

    rule: str
    owner: Any
    name: str
    bug: Callable[[Any], Any]
    judge: Callable[[], None]


def passes(*entries: tuple[tuple[int, ...], str, str]) -> Callable[[Any], Any]:
    """More pending states pass than the rule says."""
    return lambda right: (*right, *entries)


def loses(at: int) -> Callable[[Any], Any]:
    """One of the pending states that pass is missing."""
    return lambda right: tuple(entry for index, entry in enumerate(right) if index != at)


def agrees_with_the_first(right):
    """The axes of the first operand that has the dimension count, whatever the others have."""

    def agreed(signature, shardings, dim):
        index = local._holder(signature, dim)
        return shardings[index].axes[signature.operands[index].index(dim)]

    return agreed


def agrees_in_any_order(right):
    def agreed(signature, shardings, dim):
        found = right(signature, shardings, dim)
        return (
            found
            if not isinstance(found, local.LocalProblem) or found.kind != "order"
            else tuple(sorted(shardings[found.operand].axes[signature.operands[found.operand].index(dim)]))
        )

    return agreed


def agrees_on_a_prefix(right):
    """A longer list of axes is taken for the shorter one."""

    def agreed(signature, shardings, dim):
        lists = [
            sharding.axes[dims.index(dim)]
            for dims, sharding in zip(signature.operands, shardings, strict=True)
            if dim in dims
        ]
        shortest = min(lists, key=len, default=())
        return shortest if all(own[: len(shortest)] == shortest for own in lists) else right(signature, shardings, dim)

    return agreed


def no_clash(right):
    return lambda shardings, lists: None


def result_with(change: Callable[[Typed], Typed]) -> Callable[[Any], Any]:
    """A step gives something else."""

    def bug(right):
        def rule(operand, request):
            typed = right(operand, request)
            return change(typed) if isinstance(typed, Typed) else typed

        return rule

    return bug


def _turned(typed: Typed) -> Typed:
    """The axes that were put on a dimension come to be major instead of minor-most."""
    axes = tuple(
        (*(a for a in own if a in typed.axes), *(a for a in own if a not in typed.axes)) for own in typed.result.axes
    )
    return typed._replace(result=typed.result._replace(axes=axes))


def _backwards(typed: Typed) -> Typed:
    """Several axes are put on a dimension minor first."""
    axes = tuple(
        (*(a for a in own if a not in typed.axes), *reversed([a for a in own if a in typed.axes]))
        for own in typed.result.axes
    )
    return typed._replace(result=typed.result._replace(axes=axes))


def _still_pending(typed: Typed) -> Typed:
    return typed._replace(result=typed.result._replace(pending=tuple(sorted({*typed.result.pending, *typed.axes}))))


def _not_pending(typed: Typed) -> Typed:
    return typed._replace(result=Sharding(typed.result.axes))


def _as_a_sum(typed: Typed) -> Typed:
    return typed._replace(result=typed.result._replace(kind="sum"))


def _as_a_maximum(typed: Typed) -> Typed:
    return typed._replace(result=typed.result._replace(kind="max"))


def takes_any_axis(right):
    """Axes need not be minor-most to be taken off."""

    def take_off(operand, axes):
        changes = {dim: tuple(a for a in operand.axes_of(dim) if a not in axes) for dim in operand.dims}
        changes = {dim: left for dim, left in changes.items() if left != operand.axes_of(dim)}
        return changes if changes else right(operand, axes)

    return take_off


def reduces_anything(right):
    """What is not pending is reduced too."""

    def reduced(operand, axes):
        left = tuple(axis for axis in operand.sharding.pending if axis not in axes)
        return Sharding(operand.sharding.axes, left, operand.sharding.kind if left else "sum")

    return reduced


def never_used(right):
    """A free step takes an operand that is not replicated on the axis."""
    return lambda operand, axes: None


def no_axis_stays(right):
    """A permute is said to go over every axis of both sides."""
    return lambda old, new: tuple(dict.fromkeys((*old.used(), *new.used())))


def moves_with(kind: str, change: Callable[[Layouts, Move], Sharding]) -> Callable[[Any], Any]:
    """A move of the planner leads to another layout than it should."""

    def bug(right):
        def moves(self, *arguments):
            for move in right(self, *arguments):
                yield move._replace(result=change(self, move)) if move.kind == kind else move

        return moves

    return bug


def major_gathers(right):
    def gathers(self, sharding):
        for index, axes in enumerate(sharding.axes):
            if axes:
                changed = tuple(own[1:] if at == index else own for at, own in enumerate(sharding.axes))
                yield Move("AllGather", axes[:1], (self.dims[index],), sharding._replace(axes=changed))

    return gathers


def major_exchanges(right):
    def exchanges(self, sharding):
        for move in right(self, sharding):
            source = self.dims.index(move.dims[0])
            taken = sharding.axes[source][: len(move.axes)]
            left = sharding.axes[source][len(move.axes) :]
            target = self.dims.index(move.dims[1])
            axes = list(sharding.axes)
            axes[source], axes[target] = left, axes[target] + taken
            yield Move("AllToAll", taken, move.dims, sharding._replace(axes=tuple(axes)))

    return exchanges


def _first_axis_major(self: Layouts, move: Move) -> Sharding:
    axes = tuple(
        (*(a for a in own if a in move.axes), *(a for a in own if a not in move.axes)) for own in move.result.axes
    )
    return move.result._replace(axes=axes)


def _without_pending(self: Layouts, move: Move) -> Sharding:
    return Sharding(move.result.axes)


def _on_the_other_dimension(self: Layouts, move: Move) -> Sharding:
    return move.result._replace(axes=move.result.axes[::-1])


def _of_the_other_kind(self: Layouts, move: Move) -> Sharding:
    return move.result._replace(kind={"max": "min", "min": "max"}[move.result.kind])


def permutes_of_any_shape(right):
    return lambda self, sharding: tuple(len(axes) for axes in (*sharding.axes, sharding.pending))


def nothing(right):
    return lambda self, sharding: iter(())


def settles_nothing(right):
    return lambda *arguments: None


def forgetful(right):
    """What is pending is forgotten."""

    def result(signature, shardings):
        made = right(signature, shardings)
        return made._replace(pending=(), kind="sum") if isinstance(made, Sharding) else made

    return result


PASSAGES = signature._PASSAGES
RULES = collectives._RULES
SUM_OF = {0: ((0,), "sum", "sum"), 1: ((1,), "sum", "sum"), 2: ((0, 1), "sum", "sum")}

LOCAL = [
    Bug("a dimension is sharded alike in every operand that has it", local, "_agreed", agrees_with_the_first, partial(every_state_of, "contract")),
    Bug("... on the same axes, not on a prefix of them", local, "_agreed", agrees_on_a_prefix, partial(every_state_of, "hadamard")),
    Bug("... in the same order", local, "_agreed", agrees_in_any_order, refused_products),
    Bug("one axis shards one dimension", local, "_clash", no_clash, partial(every_state_of, "contract")),
    Bug("a sharded contracted dimension leaves a sum", signature._LEAVES_PENDING, "contract", lambda right: "max", partial(every_state_of, "contract")),
    Bug("sum over a sharded dimension gives {U_X}", signature._LEAVES_PENDING, "sum", lambda right: "max", partial(every_state_of, "sum")),
    Bug("mean over a sharded dimension gives {U_X}", signature._LEAVES_PENDING, "mean", lambda right: "min", partial(every_state_of, "mean")),
    Bug("max over a sharded dimension gives {max_X}", signature._LEAVES_PENDING, "max", lambda right: "sum", partial(every_state_of, "max")),
    Bug("min over a sharded dimension gives {min_X}", signature._LEAVES_PENDING, "min", lambda right: "max", partial(every_state_of, "min")),
    Bug("unreduced in one factor: linear in the first", PASSAGES, "contract", loses(0), partial(every_state_of, "contract")),
    Bug("unreduced in one factor: linear in the second", PASSAGES, "contract", loses(1), partial(every_state_of, "contract")),
    Bug("unreduced in two factors is not local", PASSAGES, "contract", passes(SUM_OF[2]), partial(every_state_of, "contract")),
    Bug("a Hadamard product follows the contraction rule", PASSAGES, "hadamard", passes(SUM_OF[2]), partial(every_state_of, "hadamard")),
    Bug("dividing a pending sum is linear", PASSAGES, "divide", loses(0), partial(every_state_of, "divide")),
    Bug("dividing by a pending sum is not", PASSAGES, "divide", passes(SUM_OF[1]), partial(every_state_of, "divide")),
    Bug("+ passes two pending sums", PASSAGES, "add", loses(0), partial(every_state_of, "add")),
    Bug("pending + replicated would count the replicated one", PASSAGES, "add", passes(SUM_OF[0]), partial(every_state_of, "add")),
    Bug("- passes two pending sums", PASSAGES, "subtract", loses(0), partial(every_state_of, "subtract")),
    Bug("replicated - pending would count the replicated one", PASSAGES, "subtract", passes(SUM_OF[1]), partial(every_state_of, "subtract")),
    Bug("+ passes no maxima", PASSAGES, "add", passes(((0, 1), "max", "max")), partial(every_state_of, "add")),
    Bug("maximum passes two maxima", PASSAGES, "maximum", loses(0), partial(every_state_of, "maximum")),
    Bug("maximum passes no sums", PASSAGES, "maximum", passes(SUM_OF[2]), partial(every_state_of, "maximum")),
    Bug("maximum passes no minima", PASSAGES, "maximum", passes(((0, 1), "min", "min")), partial(every_state_of, "maximum")),
    Bug("minimum passes two minima", PASSAGES, "minimum", loses(0), partial(every_state_of, "minimum")),
    Bug("negation passes a sum", PASSAGES, "negate", loses(0), partial(every_state_of, "negate")),
    Bug("negation swaps maximum and minimum", PASSAGES, "negate", lambda right: (*right[:1], *signature._ORDER_KEPT), partial(every_state_of, "negate")),
    Bug("sum passes a sum", PASSAGES, "sum", loses(0), partial(every_state_of, "sum")),
    Bug("sum passes no maximum", PASSAGES, "sum", passes(((0,), "max", "max")), partial(every_state_of, "sum")),
    Bug("mean passes a sum", PASSAGES, "mean", loses(0), partial(every_state_of, "mean")),
    Bug("max passes a maximum", PASSAGES, "max", loses(0), partial(every_state_of, "max")),
    Bug("max passes no sum", PASSAGES, "max", passes(SUM_OF[0]), partial(every_state_of, "max")),
    Bug("min passes no maximum", PASSAGES, "min", passes(((0,), "max", "max")), partial(every_state_of, "min")),
    Bug("a non-linear function passes no sum", signature, "_function_passages", lambda right: lambda op: (signature._FIRST[0], *right(op)), partial(every_state_of, "relu", "exp")),
    Bug("a monotone function passes a maximum", signature, "_function_passages", lambda right: lambda op: (), partial(every_state_of, "relu", "exp")),
    Bug("a monotone function keeps the order", signature, "_ORDER_KEPT", lambda right: signature._ORDER_TURNED, partial(every_state_of, "relu", "exp")),
    Bug("a negative factor turns the order", signature, "_scaled", lambda right: lambda op, constant, factor: right(op, constant, abs(factor)), partial(every_state_of, "hadamard")),
    Bug("a number over a pending sum is not linear", signature, "_scaled", lambda right: lambda op, constant, factor: right("hadamard", constant, factor), partial(every_state_of, "divide")),
    Bug("what is pending stays in the result", local, "local_result", forgetful, partial(run_plans, 60)),
]  # fmt: skip

STEPS = [
    Bug("AllGather takes minor-most axes", collectives, "_take_off", takes_any_axis, partial(run_steps_of, "AllGather")),
    Bug("AllGather leaves what is pending", RULES, "AllGather", result_with(_not_pending), partial(run_steps_of, "AllGather")),
    Bug("AllGather removes the axis", RULES, "AllGather", result_with(lambda typed: typed._replace(result=typed.result._replace(axes=((),) * len(typed.result.axes)))), partial(run_steps_of, "AllGather")),
    Bug("AllReduce needs a pending axis", collectives, "_reduced", reduces_anything, refused_steps),
    Bug("AllReduce resolves the axis", RULES, "AllReduce", result_with(_still_pending), partial(run_steps_of, "AllReduce")),
    Bug("AllReduce leaves the other pending axes", RULES, "AllReduce", result_with(_not_pending), partial(run_steps_of, "AllReduce")),
    Bug("AllReduce of a maximum leaves a maximum", RULES, "AllReduce", result_with(_as_a_sum), step_rows),
    Bug("ReduceScatter makes the axis minor-most", RULES, "ReduceScatter", result_with(_turned), partial(run_steps_of, "ReduceScatter")),
    Bug("ReduceScatter takes several axes major first", RULES, "ReduceScatter", result_with(_backwards), step_rows),
    Bug("ReduceScatter resolves the axis", RULES, "ReduceScatter", result_with(_not_pending), partial(run_steps_of, "ReduceScatter")),
    Bug("AllToAll takes minor-most axes", collectives, "_take_off", takes_any_axis, partial(run_steps_of, "AllToAll")),
    Bug("AllToAll makes the axis minor-most", RULES, "AllToAll", result_with(_turned), partial(run_steps_of, "AllToAll")),
    Bug("AllToAll takes several axes major first", RULES, "AllToAll", result_with(_backwards), step_rows),
    Bug("AllToAll leaves what is pending", RULES, "AllToAll", result_with(_not_pending), step_rows),
    Bug("CollectivePermute moves among devices alike on the rest", collectives, "moved_axes", no_axis_stays, step_rows),
    Bug("CollectivePermute leads to the stated result", RULES, "CollectivePermute", result_with(_not_pending), step_rows),
    Bug("Slice makes the axis minor-most", RULES, "Slice", result_with(_turned), partial(run_steps_of, "Slice")),
    Bug("Slice needs a replicated operand", collectives, "_idle", never_used, refused_steps),
    Bug("Slice leaves what is pending", RULES, "Slice", result_with(_not_pending), partial(run_steps_of, "Slice")),
    Bug("Mask makes a pending sum", RULES, "Mask", result_with(_not_pending), partial(run_steps_of, "Mask")),
    Bug("Mask makes a sum, no maximum", RULES, "Mask", result_with(_as_a_maximum), partial(run_steps_of, "Mask")),
    Bug("Pad takes minor-most axes", collectives, "_take_off", takes_any_axis, partial(run_steps_of, "Pad")),
    Bug("Pad makes a pending sum", RULES, "Pad", result_with(_not_pending), partial(run_steps_of, "Pad")),
    Bug("Pad makes a sum, no maximum", RULES, "Pad", result_with(_as_a_maximum), partial(run_steps_of, "Pad")),
    Bug("Relabel never makes a sum", RULES, "Relabel", result_with(_as_a_sum), step_rows),
    Bug("Relabel makes it pending", RULES, "Relabel", result_with(_not_pending), step_rows),
    Bug("an AllGather undoes a Slice", RULES, "Slice", result_with(_turned), test_laws.test_an_all_gather_undoes_a_slice),
    Bug("an AllReduce is a ReduceScatter and an AllGather", RULES, "ReduceScatter", result_with(_backwards), test_laws.test_an_all_reduce_is_a_reduce_scatter_and_an_all_gather),
    Bug("AllToAll there and back", RULES, "AllToAll", result_with(_turned), test_laws.test_an_all_to_all_there_and_back_is_the_identity),
]  # fmt: skip

MOVES = [
    Bug("the planner gathers minor-most axes", Layouts, "_gathers", major_gathers, run_moves),
    Bug("the planner gathers minor-most axes: seen in plans", Layouts, "_gathers", major_gathers, partial(run_plans, 150)),
    Bug("the planner exchanges minor-most axes", Layouts, "_exchanges", major_exchanges, run_moves),
    Bug("the planner puts exchanged axes minor-most", Layouts, "_exchanges", moves_with("AllToAll", _first_axis_major), run_moves),
    Bug("the planner scatters to minor-most", Layouts, "_reductions", moves_with("ReduceScatter", _first_axis_major), run_moves),
    Bug("the planner scatters onto the dimension that it says", Layouts, "_reductions", moves_with("ReduceScatter", _on_the_other_dimension), run_moves),
    Bug("the planner leaves the other pending axes", Layouts, "_reductions", moves_with("AllReduce", _without_pending), run_moves),
    Bug("the planner permutes within a local shape", Layouts, "_shape", permutes_of_any_shape, run_moves),
    Bug("the planner slices to minor-most", Layouts, "_free", moves_with("Slice", _first_axis_major), run_moves),
    Bug("the planner masks into a pending sum", Layouts, "_free", moves_with("Mask", _without_pending), run_moves),
    Bug("the planner pads into a pending sum", Layouts, "_free", moves_with("Pad", _without_pending), run_moves),
    Bug("the planner relabels into the kind that is pending", Layouts, "_free", moves_with("Relabel", _of_the_other_kind), partial(run_moves, ("max", "min"))),
    Bug("the cheapest way may exchange", Layouts, "_exchanges", nothing, least_bytes),
    Bug("the cheapest way may permute", Layouts, "_permutes", nothing, least_bytes),
    Bug("the cheapest way may gather", Layouts, "_gathers", nothing, least_bytes),
    Bug("bytes are counted", prices, "bytes_received", lambda right: lambda kind, held, n: right(kind, held, n) * (2 if kind == "AllReduce" else 1), partial(run_plans, 60)),
]  # fmt: skip

CHOICES = [
    Bug("a one-sided contracted axis goes where the output wants it", choose, "_place_excess", settles_nothing, contractions),
    Bug("both sides of a contracted dimension are brought together", choose, "_settle_contracted", settles_nothing, contractions),
    Bug("only the excess over a common prefix is gathered", choose, "_common", lambda right: lambda first, second: 0, contractions),
    Bug("a batch dimension is brought together", choose, "_settle_kept", settles_nothing, batches),
    Bug("the axes that the output asks for stay", choose, "_favoured", lambda right: lambda draft, dim, lists: lists[0], batches),
    Bug("one axis on two kept dimensions is settled", choose, "_settle_clashes", settles_nothing, contractions),
    Bug("the later operand is gathered if the output asks for neither", choose, "_earlier", lambda right: lambda draft, axis, dims: dims[-1], contractions),
    Bug("a pending sum is settled", choose, "_settle_pending", settles_nothing, elementwise),
    Bug("a reduction is scattered to where the axis is needed", choose, "_reduce", lambda right: lambda draft, axis, holders, place: right(draft, axis, holders, None), contractions),
    Bug("of two pending factors the earlier is reduced", choose, "_settle_factor", lambda right: lambda draft, axis, holders, sharded: choose._reduce(draft, axis, holders, None), contractions),
    Bug("pending + replicated is masked", choose, "_settle_addends", lambda right: lambda draft, axis, kind, holders, others, sharded: choose._reduce(draft, axis, holders, None), no_output),
    Bug("what nobody uses and the output asks for is sliced before", choose, "_slice_idle", settles_nothing, contractions),
    Bug("one axis on two kept dimensions is no natural answer", choose, "_kept_twice", settles_nothing, open_questions),
    Bug("a product of two pending sums is no natural answer", choose, "_settle_factor", settles_nothing, open_questions),
]  # fmt: skip

BUGS = [*LOCAL, *STEPS, *MOVES, *CHOICES]


def plant(monkeypatch, bug: Bug) -> None:
    if isinstance(bug.owner, dict):
        monkeypatch.setitem(bug.owner, bug.name, bug.bug(bug.owner[bug.name]))
        return
    right = getattr(bug.owner, bug.name)
    wrong = bug.bug(right)
    monkeypatch.setattr(bug.owner, bug.name, wrong)
    for module in ("tree", "computation", "build", "space"):  # where it was imported by name
        holder = f"shardlang.planning.{module}.{bug.name}"
        if bug.owner in (local, collectives):
            monkeypatch.setattr(holder, wrong, raising=False)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.rule)
def test_it_is_found(bug, monkeypatch):
    plant(monkeypatch, bug)
    with pytest.raises((AssertionError, ValueError, KeyError)):
        bug.judge()


def test_no_plan_is_wrong_where_nothing_is_planted():
    run_plans(60)


def test_every_step_and_every_operation_has_a_bug():
    """The tables of the rules are covered, entry by entry."""
    assert {bug.name for bug in LOCAL if bug.owner is PASSAGES} == set(PASSAGES)
    assert {bug.name for bug in LOCAL if bug.owner is signature._LEAVES_PENDING} == set(signature._LEAVES_PENDING)
    assert {bug.name for bug in STEPS if bug.owner is RULES} == set(RULES)
