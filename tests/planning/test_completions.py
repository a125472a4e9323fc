"""Every minimal completion is found, and only those: against all sequences of few steps.

The sequences are tried one by one: any step on any array, typed by the rules of one step (`rules.collectives`), then
the operation, if it is local (`rules.local`), then steps on the result. What is minimal among them is decided here,
by the definition, with the bytes at sizes drawn at random. Nothing of the search or of its corners is used.
"""

from collections import Counter
from itertools import permutations, product
from math import prod
from random import Random

import pytest

from shardlang import check
from shardlang.planning.completions import completions, is_legal, moves_between
from shardlang.planning.context import Context, Goal, TextNames
from shardlang.planning.searches import Searches
from shardlang.planning.settings import Settings, sizes_of
from shardlang.planning.tree import Tables
from shardlang.pricing.collectives import bytes_received
from shardlang.rules.collectives import Request, StepProblem, apply_step
from shardlang.rules.local import local_result
from shardlang.rules.plan import COLLECTIVES, FREE_STEPS
from shardlang.rules.signature import signature_of
from shardlang.semantics import Options, resolve
from shardlang.semantics.program import Computation, Reshard
from shardlang.semantics.sharding import ArrayType, Sharding
from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.planning.helpers import plan_of

WIDTH = 2  # bytes of bf16


def resolved(text):
    module, _ = parse(SourceText(text))
    program, findings = resolve(module, Options())
    assert not [one for one in findings if one.severity == "error"]
    context = Context(
        program, Tables(sizes_of(program)), TextNames(program), Settings(), lambda _: "Tmp", Searches(), []
    )
    return context, program.statements[-1].body


def draws(dims, axes, count=300):
    """Sizes at random, from small to huge."""
    random = Random(7)
    for _ in range(count):
        mesh = {axis: random.choice((2, 3, 4, 8, 16)) for axis in axes}
        yield {dim: float(prod(mesh.values()) * 2 ** random.randint(0, 30)) for dim in dims}, mesh


def requests(axes, dims):
    """Every step that may be written: its kind, its axes in order, its dimension."""
    ordered = [order for count in range(1, len(axes) + 1) for order in permutations(axes, count)]
    for kind, order in product(("AllGather", "AllReduce", "Mask", "Pad", "Relabel"), ordered):
        if order == tuple(sorted(order)) and (kind in COLLECTIVES or len(order) == 1):
            yield kind, order, None
    for kind, order, dim in product(("ReduceScatter", "AllToAll", "Slice"), ordered, dims):
        if kind != "Slice" or len(order) == 1:
            yield kind, order, dim


def moves(dims, layout, axes, maskable):
    """Every step from a layout: kind, axes, dimensions that change, the layout after it."""
    array = ArrayType(dims, layout)
    for kind, order, dim in requests(axes, dims):
        if kind in ("Mask", "Pad", "Relabel") and not set(order) <= maskable:
            continue
        for stated in (Sharding(layout.axes, order, "max"), Sharding(layout.axes, order, "min"))[
            : 1 + (kind == "Relabel")
        ]:
            typed = apply_step(kind, array, Request(order, dim, ArrayType(dims, stated) if kind == "Relabel" else None))
            if not isinstance(typed, StepProblem):
                yield kind, order, typed.dims, typed.result
    for index, own in enumerate(layout.axes):
        for turned in permutations(own):
            if turned != own:
                lists = tuple(turned if at == index else there for at, there in enumerate(layout.axes))
                stated = ArrayType(dims, layout._replace(axes=lists))
                typed = apply_step("CollectivePermute", array, Request(None, None, stated))
                yield "CollectivePermute", typed.axes, typed.dims, typed.result


def sequences(name, dims, start, axes, maskable, length):
    """Every sequence of up to `length` steps on an array that never comes back to a layout: where it ends, the steps."""
    waiting = [((start,), ())]
    while waiting:
        layouts, steps = waiting.pop()
        yield layouts[-1], steps
        if len(steps) == length:
            continue
        for kind, order, changed, after in moves(dims, layouts[-1], axes, maskable):
            if after not in layouts:
                step = (name, kind, tuple(sorted(order)), changed, (dims, layouts[-1]))
                waiting.append(((*layouts, after), (*steps, step)))


class Way:
    """A completion found by brute force."""

    def __init__(self, result, steps, sizes):
        self.result = result
        self.collectives = Counter(step[:4] for step in steps if step[1] in COLLECTIVES)
        self.free = Counter(step[:4] for step in steps if step[1] in FREE_STEPS)
        self.count = self.collectives.total()
        taken = [step for step in steps if step[1] in COLLECTIVES]
        self.bytes = tuple(sum(received(step, *own) for step in taken) for own in sizes)

    def beats(self, other):
        """Fewer collectives or bytes at some sizes, more at none."""
        if self.count > other.count or any(a > b * (1 + 1e-9) for a, b in zip(self.bytes, other.bytes, strict=True)):
            return False
        return self.count < other.count or any(a < b * (1 - 1e-9) for a, b in zip(self.bytes, other.bytes, strict=True))


def received(step, sizes, mesh):
    _, kind, axes, _, (dims, layout) = step
    held = WIDTH * prod(sizes[dim] for dim in dims) / prod(mesh[axis] for own in layout.axes for axis in own)
    return bytes_received(kind, held, prod(mesh[axis] for axis in axes))


def all_ways(context, body, length, after):
    """Every completion with up to `length` steps on each operand and `after` on the result."""
    expr, target = body.expr, body.result.type.sharding if body.result is not None else None
    refs = expr.args
    used = sorted({axis for ref in refs for axis in ref.type.sharding.used()} | set(target.used() if target else ()))
    maskable = {axis for ref in refs for axis in ref.type.sharding.pending} | set(target.pending if target else ())
    signature = signature_of(expr.name, tuple(ref.type.dims for ref in refs), expr.dims, expr.contracted)
    sizes = list(draws({dim for ref in refs for dim in ref.type.dims}, used))
    choices = [list(sequences(ref.name, ref.type.dims, ref.type.sharding, used, maskable, length)) for ref in refs]
    tails = {}
    for chosen in product(*choices):
        formed = local_result(signature, tuple(layout for layout, _ in chosen))
        if not isinstance(formed, Sharding):
            continue
        before = tuple(step for _, steps in chosen for step in steps)
        if target is None:
            yield Way(formed, before, sizes)
            continue
        if formed not in tails:
            reached = sequences("C", expr.dims, formed, used, maskable, after)
            tails[formed] = [steps for layout, steps in reached if layout == target]
        for steps in tails[formed]:
            yield Way(target, (*before, *steps), sizes)


def minimal(ways):
    """The ways that the definition lets stand, as collectives and result."""
    kept = [way for way in ways if not any(other.result == way.result and other.beats(way) for other in ways)]
    return {(way.result, frozenset(way.collectives.items())) for way in kept}


def least(ways):
    """Of ways with an open result those of which no other takes a part only."""
    kept = []
    everything = list({(frozenset(w.collectives.items()), frozenset(w.free.items())): w for w in ways}.values())
    for way in ways:
        if any(
            other.collectives < way.collectives or (other.collectives == way.collectives and other.free < way.free)
            for other in everything
        ):
            continue
        if any(other.result == way.result and other.beats(way) for other in ways):
            continue
        kept.append(way)
    return {(way.result, frozenset(way.collectives.items())) for way in kept}


def listed(made):
    """What the search found, in the same form."""
    found = []
    for one in made.found:
        taken = Counter(
            (step.operands[0].name, step.kind, tuple(sorted(step.axes)), step.dims)
            for step in one.steps
            if step.kind in COLLECTIVES
        )
        found.append((one.value.type.sharding, frozenset(taken.items())))
    assert len(set(found)) == len(found)
    return set(found)


# Text, and the most steps on each operand and on the result that are tried.
STATED = [
    ("A[I, J_X] · B[J, K] -> C[I, K]", 2, 2),
    ("A[I, J_X] · B[J_X, K] -> C[I, K]", 2, 2),
    ("A[I, J_X] · B[J_X, K] -> C[I_X, K]", 2, 2),
    ("A[I_X, J] · B[J, K_X] -> C[I, K]", 2, 2),
    ("A[I, J]{U_X} · B[J, K]{U_X} -> C[I, K]", 2, 2),
    ("A[I, J]{U_X} · B[J_X, K] -> C[I, K_X]", 2, 2),
    ("A[I]{U_X} + B[I] -> C[I]", 2, 2),
    ("A[I, J]{U_X} + B[J] -> C[I, J]", 2, 2),
    ("A[I, J]{U_X} + B[J] -> C[I_X, J]", 2, 2),
    ("A[I]{U_X} + B[I]{max_X} -> C[I]", 2, 2),
    ("maximum(A[I]{max_X}, B[I]) -> C[I]", 2, 2),
    ("gelu(A[I, J]{U_X}) -> C[I, J]", 2, 2),
    ("gelu(A[I, J]{U_X}) -> C[I_X, J]", 2, 2),
    ("gelu(A[I]{U_{XY}}) -> C[I]", 2, 2),
    ("gelu(A[I]{U_{XY}}) -> C[I_X]", 2, 2),
    ("gelu(A[I_X]{U_Y}) -> C[I_Y]", 3, 2),
    ("sum_J A[I, J_X] -> C[I]", 2, 2),
    ("exp(A[I_{XY}]) -> C[I_Y]", 2, 2),
]


@pytest.mark.parametrize(("text", "length", "after"), STATED)
def test_completions_of_a_stated_result_are_the_minimal_ones(text, length, after):
    context, body = resolved(text)
    assert isinstance(body, Computation)
    made = completions(context, body.expr, Goal("C", "bf16", body.result.type.sharding))
    assert not made.more
    ways = list(all_ways(context, body, length, after))
    assert listed(made) == minimal(ways)
    assert all(is_legal(context, one.steps) for one in made.found)


OPEN = [
    ("A[I_X, J] · B[J, K_X]", 2),
    ("A[I, J]{U_X} · B[J, K]{U_X}", 2),
    ("A[I, J]{U_X} · B[J_X, K]", 2),
    ("A[I]{U_X} + B[I]{max_X}", 2),
    ("A[I]{U_X} ⊙ B[I]{U_X}", 2),
    ("A[I_X] ⊙ B[I_Y]", 2),
    ("gelu(A[I]{U_X})", 2),
    ("gelu(A[I, J]{U_X})", 2),
    ("gelu(A[I]{U_{XY}})", 2),
    ("exp(A[I]{U_X})", 2),
]


@pytest.mark.parametrize(("text", "length"), OPEN)
def test_completions_of_an_open_result_are_the_minimal_ones(text, length):
    context, body = resolved(text)
    made = completions(context, body.expr, Goal("C", "bf16", None))
    assert not made.more
    assert listed(made) == least(list(all_ways(context, body, length, 0)))


RESHARDS = [
    ("A[I_{XY}] -> A[I_Y]", 3),
    ("A[I, J]{U_X} -> A[I, J_X]", 3),
    ("A[I, J]{U_{XY}} -> A[I, J]", 3),
    ("A[I]{U_{XY}} -> A[I_X]", 3),
    ("A[I_X, J] -> A[I, J_X]", 3),
    ("A[I_X]{U_Y} -> A[I]", 3),
]


@pytest.mark.parametrize(("text", "length"), RESHARDS)
def test_ways_between_layouts_are_the_minimal_ones(text, length):
    context, body = resolved(text)
    assert isinstance(body, Reshard)
    source, target = body.operand.type, body.result.type.sharding
    made = moves_between(context, context.value(body.operand), target)
    axes = sorted({*source.sharding.used(), *target.used()})
    maskable = {*source.sharding.pending, *target.pending}
    sizes = list(draws(source.dims, axes))
    reached = sequences("A", source.dims, source.sharding, axes, maskable, length)
    ways = [Way(target, steps, sizes) for layout, steps in reached if layout == target]
    assert listed(made) == minimal(ways)


def test_a_completion_too_many_or_too_few_is_noticed():
    context, body = resolved("A[I, J_X] · B[J_X, K] -> C[I, K]")
    made = completions(context, body.expr, Goal("C", "bf16", body.result.type.sharding))
    right = minimal(list(all_ways(context, body, 2, 2)))
    assert listed(made._replace(found=made.found[1:])) != right
    gathered = (Sharding(((), ())), frozenset(Counter({("A", "AllGather", ("X",), ("J",)): 1}).items()))
    assert listed(made) | {gathered} != right


def test_a_step_that_the_rules_refuse_is_no_completion():
    context, body = resolved("A[I, J_X] · B[J_X, K] -> C[I, K]")
    (first, *_) = completions(context, body.expr, Goal("C", "bf16", body.result.type.sharding)).found
    assert is_legal(context, first.steps)
    local, reduced = first.steps
    scattered = reduced.result._replace(type=reduced.result.type._replace(sharding=Sharding((("X",), ()))))
    assert not is_legal(context, (local, reduced._replace(result=scattered)))
    claimed = local.result._replace(type=local.result.type._replace(sharding=Sharding(((), ()))))
    assert not is_legal(context, (local._replace(result=claimed),))


def test_a_bounded_search_says_so_and_has_the_plan():
    context, body = resolved("A[I_X, J_Y, L_Z] · B[J_X, K_Y, L_Z] -> C[I_X, K_Y]")
    made = completions(context, body.expr, Goal("C", "bf16", body.result.type.sharding))
    assert made.more
    assert made.found
    assert all(is_legal(context, one.steps) for one in made.found)
    assert {one.value.type.sharding for one in made.found} == {body.result.type.sharding}


def test_sizes_that_do_not_divide_leave_ways_out():
    text = "mesh X=4\nlet I = 6, J = 8\nexplicit\ngelu(A[I, J]{U_X})"
    context, body = resolved(text)
    made = completions(context, body.expr, Goal("C", "bf16", None))
    assert {layout for layout, _ in listed(made)} == {Sharding(((), ())), Sharding(((), ("X",)))}


def test_completions_that_end_in_one_layout_are_one_way_to_ask():
    text = "mesh X=3, Y=2\nlet I = 6, J = 1, K = 2, L = 18\nA[L_Y, J, I_X] ·_I B[K, L_X, I_Y]"
    (finding,) = plan_of(text).diagnostics
    assert finding.code == "SL309"
    assert len(finding.fixes) > 1
    assert len(set(finding.fixes)) == len(finding.fixes)


@pytest.mark.parametrize(
    "text",
    [
        "mesh X=4\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]",
        "mesh X=4\nexplicit\nA[I_X, J] -> A[I, J_X]",
        "mesh X=4, Y=2\nA[L_Y, J, I_X] ·_I B[K, L_X, I_Y]",
    ],
)
def test_without_ways_to_mend_it_a_statement_is_refused_all_the_same(text):
    whole, short = plan_of(text).diagnostics, plan_of(text, settings=Settings(ways=False)).diagnostics
    assert [(one.code, one.severity, one.span) for one in short] == [(o.code, o.severity, o.span) for o in whole]
    assert sum(len(one.fixes) for one in short) < sum(len(one.fixes) for one in whole)


def test_fixes_on_trial_are_given_none_themselves(monkeypatch):
    searched = []
    monkeypatch.setattr(
        "shardlang.planning.refusals.completions",
        lambda context, *rest: searched.append(context.settings.ways) or completions(context, *rest),
    )
    found = check("mesh X=4\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]\nexplicit\ngelu(S[I]{U_X}) -> T[I]").diagnostics
    assert [len(one.fixes) for one in found] == [5, 1]  # the second is refused still where only the first is mended
    assert searched.count(True) == 2
    assert False in searched
