"""Plans that are right, or wrong in one known way, because of how they are built.

The builders know NOTATION sections 3 and 4 and nothing of the rules: a right plan is accepted as it stands and gives
the dense result when it is run; a wrong one is refused with the code of what was broken.
"""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlang.planning import Settings, plan
from shardlang.reference.program import run_plan
from shardlang.rules.plan import COLLECTIVES, FREE_STEPS
from shardlang.semantics import Options, resolve
from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.property.cases import Array
from tests.property.strategies import LENGTHS, MESH, calm

HEAD = f"mesh {', '.join(f'{axis}={size}' for axis, size in MESH.items())}\nlet " + ", ".join(
    f"{dim} = {size}" for dim, size in LENGTHS.items()
)
randoms = st.randoms(use_true_random=False)


def findings_of(text: str):
    """Return the plan of a text, and its findings above the severity of an info."""
    module, first = parse(SourceText(text))
    program, second = resolve(module, Options())
    planned = plan(program, Settings())
    return planned, [one for one in (*first, *second, *planned.diagnostics) if one.severity != "info"]


# --- right by construction -------------------------------------------------------------------------------------------


def draw_array(random: Random, dims: tuple[str, ...], pending: float = 0.25, kinds=("sum", "max", "min")) -> Array:
    lists: dict[str, list[str]] = {dim: [] for dim in dims}
    held: list[str] = []
    for axis in random.sample(sorted(MESH), len(MESH)):
        if random.random() < pending:
            held.append(axis)
        elif random.random() < 0.7:
            lists[random.choice(dims)].append(axis)
    own = tuple((dim, tuple(axes)) for dim, axes in lists.items())
    return Array("A", own, tuple(sorted(held)), random.choice(kinds) if held else "sum")


def idle(array: Array) -> list[str]:
    used = {axis for _, axes in array.dims for axis in axes} | set(array.pending)
    return [axis for axis in MESH if axis not in used]


def some(random: Random, axes) -> tuple[str, ...]:
    return tuple(random.sample(list(axes), random.randint(1, len(axes))))


def with_axes(array: Array, changes: dict[str, tuple[str, ...]]) -> Array:
    return array._replace(dims=tuple((dim, changes.get(dim, axes)) for dim, axes in array.dims))


def with_pending(array: Array, pending, kind: str) -> Array:
    return array._replace(pending=tuple(sorted(pending)), kind=kind if pending else "sum")


def right_steps(random: Random, array: Array) -> list[tuple[str, Array]]:
    """Every kind of step that can be taken from here, each with what it gives: the table of NOTATION section 4."""
    found: list[tuple[str, Array]] = []
    sharded = [(dim, axes) for dim, axes in array.dims if axes]
    if sharded:
        dim, axes = random.choice(sharded)
        minor = axes[random.randrange(len(axes)) :]
        left = axes[: len(axes) - len(minor)]
        others = [(other, own) for other, own in array.dims if other != dim]
        found.append((f"AllGather_{{{','.join(minor)}}}", with_axes(array, {dim: left})))
        if others:
            to, there = random.choice(others)
            order = tuple(random.sample(minor, len(minor)))
            moved = with_axes(array, {dim: left, to: there + order})
            found.append((f"AllToAll_{{{','.join(order)},{to}}}", moved))
        if not array.pending or array.kind == "sum":
            padded = with_pending(with_axes(array, {dim: left}), (*array.pending, *minor), "sum")
            found.append((f"Pad_{{{','.join(minor)}}}", padded))
        turned = tuple(random.sample(axes, len(axes)))
        if turned != axes:
            found.append(("CollectivePermute", with_axes(array, {dim: turned})))
    if array.pending:
        chosen = some(random, array.pending)
        left = [axis for axis in array.pending if axis not in chosen]
        to, there = random.choice(array.dims)
        found.append((f"AllReduce_{{{','.join(chosen)}}}", with_pending(array, left, array.kind)))
        scattered = with_pending(with_axes(array, {to: there + chosen}), left, array.kind)
        found.append((f"ReduceScatter_{{{','.join(chosen)},{to}}}", scattered))
    if idle(array):
        chosen = some(random, idle(array))
        to, there = random.choice(array.dims)
        subscript = ",".join(chosen) + (f",{to}" if len(array.dims) > 1 else "")
        found.append((f"Slice_{{{subscript}}}", with_axes(array, {to: there + chosen})))
        if not array.pending or array.kind == "sum":
            found.append((f"Mask_{{{','.join(chosen)}}}", with_pending(array, (*array.pending, *chosen), "sum")))
        if not array.pending or array.kind != "sum":
            kind = array.kind if array.pending else random.choice(("max", "min"))
            found.append((f"Relabel_{{{','.join(chosen)}}}", with_pending(array, (*array.pending, *chosen), kind)))
    return found


@calm
@given(randoms)
def test_a_text_of_right_steps_is_accepted_and_right(random):
    here = draw_array(random, tuple(sorted(random.sample("IJK", random.randint(1, 3)))))
    lines = []
    for _ in range(random.randint(1, 5)):
        step, there = random.choice(right_steps(random, here) or [("", here)])
        if step:
            lines.append(f"{step} {here} -> {there}")
        here = there
    text = "\n".join([HEAD, "explicit", *lines])
    planned, findings = findings_of(text)
    assert findings == [], text
    assert [len(entry.steps) for entry in planned.statements] == [1] * len(lines)
    assert run_plan(planned, MESH, LENGTHS).ok, text


OPERATIONS = {
    " ·_J ": (("I", "J"), ("J", "K"), ("I", "K")),
    " ⊙ ": (("I", "J"), ("J",), ("I", "J")),
    " + ": (("I", "J"), ("I", "J"), ("I", "J")),
    " / ": (("I", "J"), ("J",), ("I", "J")),
}


def local_form(random: Random, sign: str, lacking: str | None = None) -> tuple[Array, Array, Array]:
    """Operands and a result that are local: for each axis one of the states of NOTATION section 3."""
    first, second, result = OPERATIONS[sign]
    lists: dict[str, list[str]] = {dim: [] for dim in sorted({*first, *second})}
    pending: tuple[list[str], list[str]] = ([], [])
    for axis in random.sample(sorted(MESH), len(MESH)):
        state = random.choice([*lists, "pending", "replicated"])
        if state in lists:
            lists[state].append(axis)
        elif state == "pending":
            for at in {" + ": (0, 1), " / ": (0,)}.get(sign, (random.randrange(2),)):
                pending[at].append(axis)
    left = sorted({*pending[0], *pending[1], *(axis for dim in lists if dim not in result for axis in lists[dim])})

    def array(name: str, dims: tuple[str, ...], held: list[str]) -> Array:
        return Array(name, tuple((dim, tuple(lists[dim])) for dim in dims), tuple(sorted(held)))

    return array("A", first, pending[0]), array("B", second, pending[1]), array("C", result, left)


@calm
@given(randoms, st.sampled_from(list(OPERATIONS)), st.sampled_from(["", "explicit\n"]))
def test_operands_that_match_need_no_step(random, sign, mode):
    a, b, c = local_form(random, sign)
    text = f"{HEAD}\n{mode}{a}{sign}{b} -> {c}"
    planned, findings = findings_of(text)
    assert [one for one in findings if one.code != "SL215"] == [], text
    (entry,) = planned.statements
    assert run_plan(planned, MESH, LENGTHS).ok, text
    assert not [step for step in entry.steps if step.kind in COLLECTIVES], text
    if mode:
        assert not [step for step in entry.steps if step.kind in FREE_STEPS], text


# --- wrong by construction -------------------------------------------------------------------------------------------


def until(random: Random, draw, fits):
    """Return the first that fits of what is drawn."""
    return next(found for found in (draw(random) for _ in range(1000)) if fits(found))


def planar(random: Random) -> Array:
    return draw_array(random, ("I", "J"))


def _major(random: Random) -> tuple[Array, str, str]:
    """An array, and a dimension of it with an axis that is not minor-most."""
    array = until(random, planar, lambda each: any(len(axes) > 1 for _, axes in each.dims))
    dim, axes = next((dim, axes) for dim, axes in array.dims if len(axes) > 1)
    return array, dim, random.choice(axes[:-1])


def gather_of_a_major_axis(random):
    array, dim, axis = _major(random)
    kept = tuple(own for own in dict(array.dims)[dim] if own != axis)
    return f"AllGather_{axis} {array} -> {with_axes(array, {dim: kept})}"


def exchange_of_a_major_axis(random):
    array, dim, axis = _major(random)
    other = "J" if dim == "I" else "I"
    return f"AllToAll_{{{axis},{other}}} {array}"


def gather_of_a_pending_axis(random):
    array = until(random, planar, lambda each: each.pending)
    axis = random.choice(array.pending)
    return f"AllGather_{axis} {array}"


def gather_of_an_axis_that_is_not_there(random):
    array = until(random, planar, idle)
    return f"AllGather_{random.choice(idle(array))} {array}"


def reduction_of_what_is_not_pending(random):
    array = until(random, planar, idle)
    return f"AllReduce_{random.choice(idle(array))} {array}"


def reduction_of_a_sharded_axis(random):
    array = until(random, planar, lambda each: dict(each.dims)["I"])
    return f"ReduceScatter_{{{dict(array.dims)['I'][0]},J}} {array}"


def slice_of_a_used_axis(random):
    array = until(random, planar, lambda each: len(idle(each)) < len(MESH))
    axis = random.choice([axis for axis in MESH if axis not in idle(array)])
    return f"Slice_{{{axis},J}} {array}"


def mask_of_an_extremum(random):
    array = until(random, planar, lambda each: each.pending and each.kind != "sum" and idle(each))
    return f"Mask_{idle(array)[0]} {array}"


def relabelling_as_a_sum(random):
    array = until(random, planar, lambda each: not each.pending and idle(each))
    axis = idle(array)[0]
    return f"Relabel_{axis} {array} -> {with_pending(array, (axis,), 'sum')}"


def another_result(random):
    array = until(random, planar, lambda each: each.pending and idle(each))
    axis = random.choice(array.pending)
    wrong = with_pending(array, [own for own in array.pending if own != axis], array.kind)
    dim, axes = random.choice(wrong.dims)
    return f"AllReduce_{axis} {array} -> {with_axes(wrong, {dim: (*axes, idle(array)[0])})}"


def product_of_two_pending_sums(random):
    axis = random.choice(sorted(MESH))
    return f"explicit\nA[I, J]{{U_{axis}}} ·_J B[J, K]{{U_{axis}}} -> C[I, K]{{U_{axis}}}"


def function_of_a_pending_sum(random):
    array = until(random, planar, lambda each: each.pending and each.kind == "sum")
    return f"explicit\ngelu({array}) -> {array._replace(name='B', pending=())}"


def sum_that_is_not_stated(random):
    a, b, c = until(random, lambda random: local_form(random, " ·_J "), lambda form: form[2].pending)
    return f"explicit\n{a} ·_J {b} -> {c._replace(pending=())}"


def operand_that_must_be_gathered(random):
    x, y, _ = random.sample(sorted(MESH), 3)
    return f"A[I, J_{x}] ·_{{LOCAL,J}} B[J_{y}, K] -> C[I, K]"


def axis_used_twice(random):
    array = until(random, planar, lambda each: dict(each.dims)["I"])
    return f"{array._replace(pending=())} -> {with_axes(array, {'J': dict(array.dims)['I']})._replace(pending=())}"


def axis_sharding_and_pending(random):
    axis = random.choice(sorted(MESH))
    return f"A[I_{axis}, J]{{U_{axis}}} -> A[I, J]"


def axis_that_the_mesh_lacks(random):
    dim = random.choice("IJ")
    return f"A[{dim}_{{W}}] -> A[{dim}]"


def dimension_twice(random):
    return f"A[{(dim := random.choice('IJ'))}, {dim}] -> B[{dim}, {dim}]"


def size_that_does_not_divide(random):
    return f"let L = {random.choice((5, 7, 11))}\nA[L_{random.choice(sorted(MESH))}] -> A[L]"


def dimension_from_nowhere(random):
    a, b, _ = local_form(random, " ·_J ")
    return f"{a} ·_J {b} -> C[I, L]"


def layout_that_nobody_made(random):
    array = until(random, planar, lambda each: idle(each) and not each.pending)
    changed = with_axes(array, {"I": (*dict(array.dims)["I"], idle(array)[0])})
    return f"relu(A[I, J]) -> {array._replace(name='B')}\nexp({changed._replace(name='B')}) -> C[I, J]"


def other_dimensions(random):
    array = until(random, planar, lambda each: not each.pending)
    return f"relu(A[I, J]) -> {array._replace(name='B')}\nexp(B[I, K]) -> C[I, K]"


def axis_on_two_kept_dimensions(random):
    axis = random.choice(sorted(MESH))
    return f"A[I_{axis}, J] ·_J B[J, K_{axis}]"


def batch_in_two_ways(random):
    x, y = random.sample(sorted(MESH), 2)
    return f"A[I_{x}, J] ⊙ B[I_{y}, J]"


WRONG = {
    gather_of_a_major_axis: "SL305",
    exchange_of_a_major_axis: "SL305",
    gather_of_a_pending_axis: "SL302",
    gather_of_an_axis_that_is_not_there: "SL303",
    reduction_of_what_is_not_pending: "SL304",
    reduction_of_a_sharded_axis: "SL304",
    slice_of_a_used_axis: "SL307",
    mask_of_an_extremum: "SL307",
    relabelling_as_a_sum: "SL307",
    another_result: "SL306",
    product_of_two_pending_sums: "SL315",
    function_of_a_pending_sum: "SL314",
    sum_that_is_not_stated: "SL312",
    operand_that_must_be_gathered: "SL301",
    axis_used_twice: "SL201",
    axis_sharding_and_pending: "SL202",
    axis_that_the_mesh_lacks: "SL203",
    dimension_twice: "SL204",
    size_that_does_not_divide: "SL205",
    dimension_from_nowhere: "SL213",
    layout_that_nobody_made: "SL401",
    other_dimensions: "SL402",
    axis_on_two_kept_dimensions: "SL309",
    batch_in_two_ways: "SL309",
}


@pytest.mark.parametrize("breaks", WRONG, ids=lambda breaks: breaks.__name__)
def test_what_is_broken_is_what_is_found(breaks):
    @settings(calm, max_examples=20)
    @given(randoms)
    def law(random):
        text = f"{HEAD}\n{breaks(random)}"
        planned, findings = findings_of(text)
        errors = [one.code for one in findings if one.severity == "error"]
        assert errors, text
        assert set(errors) == {WRONG[breaks]}, f"{text}\n{findings}"
        assert planned.statements[-1].output is None

    law()


@pytest.mark.parametrize("breaks", WRONG, ids=lambda breaks: breaks.__name__)
def test_a_wrong_statement_hides_nothing_that_follows(breaks):
    text = f"{HEAD}\n{breaks(Random(breaks.__name__))}\nAllReduce_X Z[I] -> Z[I]\n"
    _, findings = findings_of(text)
    assert [one.code for one in findings if one.severity == "error"][-1] == "SL304"
