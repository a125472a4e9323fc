"""Sizes in planning: nominal ones where they are open, the least bytes where all are known (NOTATION section 5)."""

from itertools import product

import pytest

from shardlang.planning import Settings, search, space, tree
from shardlang.planning.forms import forms_of
from shardlang.planning.optimum import communicates
from shardlang.planning.search import FREE_STEP, NEVER, ZERO, Objective, Weights, add, explore, packing, ways
from shardlang.planning.settings import sizes_of
from shardlang.planning.sizes import NOMINAL_AXIS, NOMINAL_DIM, Cuts, Sizes
from shardlang.planning.space import Allowed, Charge, layouts_of
from shardlang.planning.tree import Branch, Leaf, cut_by, form_cost, kinds_of
from shardlang.pricing.collectives import bytes_received
from shardlang.reference.execute import run_steps
from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.signature import signature_of
from shardlang.semantics import Options, resolve
from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.planning.helpers import plan_of, steps_of
from tests.rules.arrays import layout


def test_a_reshard_of_known_sizes_takes_the_fewest_bytes():
    """X=4, Y=2: a gather over X brings 3/4 of I·J; of the block over Y half of that, and the permute at most 1/8."""
    text = "A[I_X, J] -> A[I_Y, J]"
    assert [step.split()[0] for step in steps_of(text)] == ["AllGather_X", "Slice_{Y,I}"]
    known = [step.split()[0] for step in steps_of(text, {"X": 4, "Y": 2}, I=64, J=64)]
    assert known == ["Slice_{Y,I}", "CollectivePermute_{XY}", "AllGather_X"]


def test_how_much_the_sizes_save():
    """Bytes received in bf16 over X=4: 3/4·2048 + 2·3/4·8192 = 13824 instead of 3·524288 + 3·2048 = 1579008: 99.1% fewer."""
    made = plan_of("A[I_X, J] · B[J_X, K] -> C[I, K]", {"X": 4}, I=4, J=1024, K=1024)
    (finding,) = made.diagnostics
    assert finding.code == "SL405"
    assert finding.message.endswith(": 99.1% fewer bytes received, in the exact form")
    assert "`AllToAll_{X,J} A`, `AllReduce_X C` instead of `AllGather_X B`, `AllGather_X C`" in finding.message


def nominal(text, mesh=None):
    module, _ = parse(SourceText(text))
    program, _ = resolve(module, Options(mesh=mesh))
    return sizes_of(program)


@pytest.mark.parametrize(
    ("size", "number"),
    [("4*D", 4 * NOMINAL_DIM), ("D/4", NOMINAL_DIM // 4), ("12", 12), ("D*E", NOMINAL_DIM**2)],
)
def test_the_nominal_size_of_a_declared_dimension(size, number):
    sizes = nominal(f"let F = {size}\nA[D, E] · B[E, F] -> C[D, F]")
    assert sizes.dim("F") == number
    assert sizes.open_dim("F") is (size != "12")


def test_nominal_sizes_of_what_is_not_declared():
    sizes = nominal("A[D_X] -> A[D]", {"X": None, "Y": 3})
    assert (sizes.dim("D"), sizes.axis("X"), sizes.axis("Y")) == (NOMINAL_DIM, NOMINAL_AXIS, 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A[I_X] -> A[I]", True),
        ("A[I] -> A[I_X]", False),
        ("A[I_X, J] · B[J, K] -> C[I_X, K]", False),
        ("A[I, J_X] · B[J_X, K] -> C[I, K]", True),
    ],
)
def test_which_steps_communicate(text, said):
    """NOTATION section 4: Slice, Mask, Pad and Relabel are free, as local operations are."""
    (entry,) = plan_of(text).statements
    assert communicates(entry.steps) is said
    assert not communicates(())


def test_both_sides_of_a_quotient_are_reduced():
    """NOTATION section 3: dividing by a pending sum is not linear."""
    steps = steps_of("A[I]{U_X} / B[I]{U_X} -> C[I]")
    assert "AllReduce_X B[I]{U_X} -> B[I]" in steps
    assert [step.split()[0] for step in steps] == ["AllReduce_X", "AllReduce_X"]


def test_costs_add_place_by_place():
    assert add((1, 20, 300, 4000), (5, 60, 700, 8000)) == (6, 80, 1000, 12000)


def test_a_way_adds_to_what_its_source_costs():
    """A gather and a free step from a source that has a price, collectives, FLOPs and free steps already."""
    assert (ZERO, FREE_STEP) == ((0, 0, 0, 0), (0, 0, 0, 1))
    layouts = layouts_of(("I",), ("X",), Sizes({"X": 4}, {"I": 8}), ("sum",))
    packed = packing(True, 0, 3)
    sources = {layouts.number(layout("[I_X]")): packed.pack(1, 2, 3, 4)}
    ways = explore(layouts, Weights(layouts, lambda charge: 100, packed), sources)
    assert packed.unpack(ways.cost(layouts.number(layout("[I]")))) == (101, 3, 3, 4)
    assert packed.unpack(ways.cost(layouts.number(layout("[I]{U_X}")))) == (1, 2, 3, 5)
    ways = explore(layouts, Weights(layouts, lambda charge: 100, packed), sources, allowed=Allowed(free_only=True))
    assert ways.cost(layouts.number(layout("[I]"))) == NEVER


@pytest.mark.parametrize("price_first", [True, False])
def test_the_parts_of_a_cost_keep_apart(price_first):
    packed = packing(price_first, 10**40, 10**30)
    for parts in ((0, 0, 0, 0), (10**40, 9, 10**30, 7), (3, 0, 10**30 - 1, 1)):
        compared = (parts[0], parts[1]) if price_first else (parts[1], parts[0])
        assert packed.unpack(packed.pack(*parts)) == (*compared, *parts[2:])
        assert packed.packed(packed.unpack(packed.pack(*parts))) == packed.pack(*parts)
    first, second = ((1, 0), (0, 1000)) if price_first else ((0, 1), (10**40, 0))
    assert packed.pack(*first) > packed.pack(*second, 10**30, 100)


@pytest.mark.parametrize("price_first", [True, False])
@pytest.mark.parametrize("backwards", [True, False])
@pytest.mark.parametrize("length", [2, 4])
def test_a_table_holds_for_every_number_of_elements(price_first, backwards, length):
    """Dijkstra on the array itself gives what the table of one element says, times the elements; its steps cost as much."""
    sizes = Sizes({"X": 2, "Y": length}, {"I": 48, "J": 80})
    layouts = layouts_of(("I", "J"), ("X", "Y"), sizes, ("sum",))
    objective = Objective(None, price_first, sizes.shards(("X", "Y")) ** 2, 4)
    packed = packing(price_first, 10**9)
    weights = Weights(layouts, lambda charge: objective.of(charge, layouts.sizes, 48 * 80, 2), packed)
    for end in range(len(layouts.known)):
        kept = ways(layouts, end, 2, 48 * 80, objective, packed, backwards=backwards)
        searched = explore(layouts, weights, {end: 0}, backwards=backwards)
        assert kept.costs() == searched.costs()
        for number in range(len(layouts.known)):
            here, moves = kept.way(number)
            assert here == end
            here, cost = (number, 0) if backwards else (end, 0)
            for move in moves:
                edges = {move: (there, charge) for there, _, charge, move in layouts.out_of(here)}
                here, charge = edges[move]
                price = objective.of(layouts.charges[charge], layouts.sizes, 48 * 80, 2) if charge >= 0 else 0
                cost += packed.pack(price, charge >= 0, 0, charge < 0)
            assert here == (end if backwards else number)
            assert cost == kept.cost(number)


def test_the_kinds_that_may_occur():
    array = Leaf(("I", "J"), layout("[I,J]{max_X}"), 2)
    assert kinds_of(array, None) == ("sum", "max")
    assert kinds_of(array._replace(sharding=layout("[I,J_X]")), None) == ("sum",)
    assert kinds_of(array._replace(sharding=layout("[I,J_X]")), layout("[I,J]{min_X}")) == ("sum", "min")
    assert kinds_of(Branch(signature_of("max", (("I", "J"),), ("I",), ("J",)), (array,), 2, 0), None) == ("sum", "max")


def test_an_extremum_may_be_turned():
    """`minimum(-a, -b)` is `-maximum(a, b)`: what is reduced late for the one is for the other."""
    node = Branch(signature_of("negate", (("I",),), ("I",)), (Leaf(("I",), layout("[I]{max_X}"), 2),), 2, 0)
    assert kinds_of(node, None) == ("sum", "min", "max")
    mesh = {"X": 2, "Y": 3}
    for text in ("minimum(-A[I_X, J]{max_Y}, -B[I_X, J]{max_Y})", "maximum(A[I_X, J]{max_Y}, B[I_X, J]{max_Y})"):
        found = steps_of(f"{text} -> C[I_Y, J]", mesh, I=36, J=36)
        assert len([step for step in found if step.split("_")[0] in ("ReduceScatter", "AllReduce")]) == 1


def test_nothing_depends_on_what_was_planned_before():
    """The middle one, with sizes open, looks at forms with an extremum that stands in neither of the others."""
    mesh = {"a": 2, "b": 2}
    last = "maximum(A[I_a, J]{max_b}, B[I_b, J]{max_a}) -> C[I, J]"
    alone = steps_of(last, mesh, I=8, J=8)
    for module in (space, tree, search):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
    assert steps_of("relu(A[I_a, J]{max_b}) -> C[I, J]", mesh, I=8, J=8)
    assert plan_of("-A[I, J_a]{max_b} -> C[I_a, J]", mesh, Settings(alternatives=True)).statements
    assert steps_of(last, mesh, I=8, J=8) == alone


def test_axes_of_one_length_may_be_wired_in_different_ways():
    """Y is a hundred times slower than X: the second reshard is not the first one with the axes changed."""

    def seconds(kind, operand_bytes, axes):
        n = 4 ** len(axes)
        return bytes_received(kind, operand_bytes, n) * (100 if "Y" in axes else 1) * 1e-9

    mesh, settings = {"X": 4, "Y": 4}, Settings(seconds, lambda _: 1e15)
    texts = ("A[I_X, J, K] -> A[I_Y, J_X, K]", "B[I_Y, J, K] -> B[I_X, J_Y, K]")
    sizes = {"I": 256, "J": 256, "K": 256}
    apart = [plan_of(text, mesh, settings, **sizes).statements[0].steps for text in texts]
    first, second = ([(step.kind, step.axes) for step in steps] for steps in apart)
    swapped = {"X": "Y", "Y": "X"}
    assert second != [(kind, tuple(swapped[axis] for axis in axes)) for kind, axes in first]
    together = plan_of("\n".join(texts), mesh, settings, **sizes).statements
    assert [entry.steps for entry in together] == apart


def test_flops():
    """A product of arrays takes two FLOPs for each I·J·K, a reduction one for each I·J, shared over the axes.

    They have a price only where time is the price: it is not to be added to bytes.
    """
    sizes, timed = Sizes({"X": 4}, {"I": 8, "J": 16, "K": 32}), Objective(lambda kind, size, axes: 0, True)
    product = Branch(signature_of("contract", (("I", "J"), ("J", "K")), ("I", "K"), ("J",)), (), 2, 0.5)
    total = Branch(signature_of("sum", (("I", "J"),), ("I",), ("J",)), (), 2, 0)
    assert form_cost(product, ("X",), sizes, timed) == (1024, 0, 2048, 0)
    assert form_cost(total, (), sizes, timed) == (0, 0, 128, 0)
    assert form_cost(product, ("X",), sizes, Objective(None, True, 16)) == (0, 0, 2048, 0)


def test_what_is_compared_first():
    """Known sizes: the price, then collectives, then FLOPs. Open ones: collectives, then the price, then FLOPs."""
    assert Objective(None, True).cost(60, 1, 7) == (60, 1, 7, 0)
    assert Objective(None, False).cost(60, 1, 7) == (1, 60, 7, 0)


@pytest.mark.parametrize(
    ("kind", "bits"),
    [("AllReduce", 2 * 32 * 3), ("ReduceScatter", 32 * 3), ("AllGather", 16 * 12), ("AllToAll", 16 * 3)],
)
def test_what_is_received(kind, bits):
    """A device has 4 of 8 elements; over 4 devices it receives 3/4 of them, in a gather three times as many."""
    charge = Charge(kind, ("X",), ("Y",))
    assert Objective(None, True, 8, reduce_bytes=4).of(charge, {"X": 4, "Y": 2}, 8, 2) == 8 * bits


@pytest.mark.parametrize(("kind", "price"), [("AllReduce", 12), ("ReduceScatter", 12), ("AllGather", 6)])
def test_sums_travel_in_their_own_type(kind, price):
    objective = Objective(lambda kind, size, axes: round(size), True, reduce_bytes=4)
    assert objective.of(Charge(kind, ("X",), ("Y",)), {"X": 2, "Y": 4}, 12, 2) == price


CUTS = Cuts((("X", None),), ())


def forms(signature):
    return [(form.operands, form.result, form.cut) for form in forms_of(signature, ("X",), CUTS)]


def test_the_forms_of_a_scalar():
    """NOTATION section 3: replicated, or pending where the operation passes it."""
    plain, summed = layout("[]"), layout("[]{U_X}")
    assert forms(signature_of("gelu", ((),), ())) == [((plain,), plain, ())]
    low, high = layout("[]{min_X}"), layout("[]{max_X}")
    expected = {((plain,), plain, ()), ((summed,), summed, ()), ((low,), high, ()), ((high,), low, ())}
    assert set(forms(signature_of("negate", ((),), ()))) == expected
    assert len(forms(signature_of("negate", ((),), ()))) == 4


def test_the_forms_of_a_product():
    """NOTATION section 3: replicated; sharding I, K or J; unreduced in one factor or the other."""
    product = signature_of("contract", (("I", "J"), ("J", "K")), ("I", "K"), ("J",))
    rows = {
        ("[I,J]", "[J,K]", "[I,K]", ""),
        ("[I_X,J]", "[J,K]", "[I_X,K]", "X"),
        ("[I,J]", "[J,K_X]", "[I,K_X]", "X"),
        ("[I,J_X]", "[J_X,K]", "[I,K]{U_X}", "X"),
        ("[I,J]{U_X}", "[J,K]", "[I,K]{U_X}", ""),
        ("[I,J]", "[J,K]{U_X}", "[I,K]{U_X}", ""),
    }
    assert set(forms(product)) == {((layout(a), layout(b)), layout(c), tuple(cut)) for a, b, c, cut in rows}


SIGNATURES = [
    signature_of("contract", (("I", "J"), ("J", "K")), ("I", "K"), ("J",)),
    signature_of("contract", (("B", "I"), ("B", "I")), ("B",), ("I",)),
    signature_of("hadamard", (("I", "J"), ("J",)), ("I", "J")),
    signature_of("add", (("I",), ("I",)), ("I",)),
    signature_of("subtract", (("I",), ()), ("I",), (), (None, "1")),
    signature_of("maximum", (("I",), ("I",)), ("I",)),
    signature_of("max", (("I", "J"),), ("I",), ("J",)),
    signature_of("negate", (("I",),), ("I",)),
    signature_of("gelu", (("I",),), ("I",)),
]


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda each: each.op)
def test_every_form_is_local_and_every_local_layout_is_a_form(signature):
    """Against the rule itself: for all layouts of the operands, it is a form if and only if the rule says what it gives."""
    kinds = ("sum", "max", "min")
    axes, sizes = ("X", "Y"), Sizes({"X": 2, "Y": 2}, {})
    made = {form.operands: form for form in forms_of(signature, axes, Cuts((("X", 2), ("Y", 2)), ()))}
    assert len(made) == len(forms_of(signature, axes, Cuts((("X", 2), ("Y", 2)), ())))
    spaces = [list(layouts_of(dims, axes, sizes, kinds).states()) for dims in signature.operands]
    local = 0
    for operands in product(*spaces):
        result = local_result(signature, operands)
        if isinstance(result, LocalProblem):
            assert operands not in made
        else:
            local += 1
            assert made[operands].result == result
            assert made[operands].cut == cut_by(operands)
    assert local == len(made)


def test_a_declared_element_type_is_kept():
    (entry,) = [each for each in plan_of("A: f32[I_X]\nA[I_X] -> A[I]").statements if each.steps]
    assert entry.steps[0].result.type.dtype == "f32"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A[I, J] · B[J, K] -> C[I, K]", "Einsum"),
        ("A[I] · B[K] -> C[I, K]", "Einsum"),
        ("sum_J A[I, J] -> C[I]", "Reduce"),
        ("max_J A[I, J] -> C[I]", "Reduce"),
        ("A[I] + B[I] -> C[I]", "Elementwise"),
        ("gelu(A[I]) -> C[I]", "Elementwise"),
        ("A[I, J] -> B[J, I]", "Reshape"),
    ],
)
def test_the_kind_of_a_local_step(text, kind):
    (entry,) = plan_of(text).statements
    assert [step.kind for step in entry.steps] == [kind]


def test_a_function_that_would_pass_an_extremum_on():
    """NOTATION section 3: relu passes a maximum on; where none stands in the expression, no form is pending in one."""
    mesh, sizes = {"X": 2, "Y": 2, "Z": 3}, {"I": 12, "J": 12, "K": 12}
    (entry,) = plan_of("relu(A[I, J_Z] ·_J B[J_Z, K] - C[K_{XZ}]) -> R[K_Z, I_X]", mesh, **sizes).statements
    assert entry.output is not None
    assert run_steps(entry.steps, mesh, sizes)[1] is None
