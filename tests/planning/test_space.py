"""Layouts of small arrays and the steps between them, counted and listed by hand from NOTATION section 4."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from shardlang.limits import STEPS_A_STATEMENT, STEPS_A_TEXT
from shardlang.planning.budget import Budget, TooLargeError
from shardlang.planning.sizes import Sizes, cuts_of
from shardlang.planning.space import (
    ANY_STEP,
    MOST_LAYOUTS,
    Allowed,
    Layouts,
    layout_count,
    layouts_of,
)
from shardlang.semantics.sharding import anonymous, array_text
from tests.rules.arrays import array, layout

OPEN = Sizes({}, {})


def space(dims, active, sizes=OPEN, kinds=("sum",)):
    return layouts_of(tuple(dims), tuple(active), sizes, kinds)


def steps(of, text, allowed=ANY_STEP):
    start = array(text)
    found = []
    for move in filter(allowed.allows, of.steps(start.sharding)):
        result = array_text("", start._replace(sharding=move.result)).replace(" ", "")
        found.append(f"{move.kind} {''.join(move.axes)} {''.join(start.dims[int(at)] for at in move.dims)} {result}")
    assert len(set(found)) == len(found)
    return set(found)


def lines(text):
    return {" ".join(line.split()) for line in text.strip().splitlines()}


def test_layouts_of_one_dimension_over_one_axis():
    assert set(space("I", "X").states()) == {layout(text) for text in ("[I]", "[I_X]", "[I]{U_X}")}


def test_layouts_of_one_dimension_over_two_axes():
    texts = "[I] [I_X] [I_Y] [I_XY] [I_YX] [I]{U_X} [I]{U_Y} [I]{U_XY} [I_X]{U_Y} [I_Y]{U_X}"
    assert set(space("I", "XY").states()) == set(map(layout, texts.split()))


def test_layouts_with_two_kinds_of_pending():
    texts = "[I] [I_X] [I]{U_X} [I]{max_X}"
    assert set(space("I", "X", kinds=("sum", "max")).states()) == set(map(layout, texts.split()))


@pytest.mark.parametrize(("dims", "axes", "count"), [("I", "X", 3), ("I", "XY", 12), ("IJ", "X", 4), ("", "X", 2)])
def test_the_count_of_layouts_is_an_upper_bound(dims, axes, count):
    assert layout_count(len(dims), len(axes)) == count
    assert len(list(space(dims, axes).states())) <= count


ONE_AXIS = {
    "[I]": """
        Slice X I [I_X]
        Mask X  [I]{U_X}
    """,
    "[I_X]": """
        Pad X I [I]{U_X}
        AllGather X I [I]
    """,
    "[I]{U_X}": """
        AllReduce X  [I]
        ReduceScatter X I [I_X]
    """,
}


def normal(text):
    return {" ".join(line.split()) for line in text}


@pytest.mark.parametrize(("start", "expected"), ONE_AXIS.items())
def test_every_step_over_one_axis(start, expected):
    assert normal(steps(space("I", "X"), start)) == lines(expected)


TWO_DIMENSIONS = {
    "[I,J]": """
        Slice X I [I_X,J]
        Slice X J [I,J_X]
        Mask X [I,J]{U_X}
    """,
    "[I_X,J]": """
        Pad X I [I,J]{U_X}
        AllGather X I [I,J]
        AllToAll X IJ [I,J_X]
    """,
    "[I,J_X]": """
        Pad X J [I,J]{U_X}
        AllGather X J [I,J]
        AllToAll X JI [I_X,J]
    """,
    "[I,J]{U_X}": """
        AllReduce X [I,J]
        ReduceScatter X I [I_X,J]
        ReduceScatter X J [I,J_X]
    """,
}


@pytest.mark.parametrize(("start", "expected"), TWO_DIMENSIONS.items())
def test_every_step_of_two_dimensions(start, expected):
    assert normal(steps(space("IJ", "X"), start)) == lines(expected)


TWO_AXES = {
    # two open axes: only the same ones in another order certainly have the same shape
    "[I_XY]": """
        Pad Y I [I_X]{U_Y}
        AllGather Y I [I_X]
        AllGather XY I [I]
        CollectivePermute XY I [I_YX]
    """,
    "[I_X]": """
        Slice Y I [I_XY]
        Mask Y [I_X]{U_Y}
        Pad X I [I]{U_X}
        AllGather X I [I]
    """,
    "[I]{U_XY}": """
        AllReduce X [I]{U_Y}
        AllReduce Y [I]{U_X}
        AllReduce XY [I]
        ReduceScatter X I [I_X]{U_Y}
        ReduceScatter Y I [I_Y]{U_X}
        ReduceScatter XY I [I_XY]
        ReduceScatter YX I [I_YX]
    """,
    "[I_X]{U_Y}": """
        Pad X I [I]{U_XY}
        AllGather X I [I]{U_Y}
        AllReduce Y [I_X]
        ReduceScatter Y I [I_XY]
    """,
}


@pytest.mark.parametrize(("start", "expected"), TWO_AXES.items())
def test_every_step_over_two_open_axes(start, expected):
    expected = expected.replace("XY}", "XY}")
    found = {step.replace("_{XY}", "_XY").replace("_{YX}", "_YX") for step in normal(steps(space("I", "XY"), start))}
    assert found == lines(expected)


def test_axes_of_equal_known_size_permute():
    found = steps(space("I", "XY", Sizes({"X": 2, "Y": 2}, {})), "[I_X]")
    assert "CollectivePermute XY I [I_Y]" in found
    found = steps(space("I", "XY", Sizes({"X": 2, "Y": 2}, {})), "[I]{U_X}")
    assert {step for step in found if "Permute" in step} == {"CollectivePermute XY  [I]{U_Y}"}
    found = steps(space("I", "XY", Sizes({"X": 2, "Y": 4}, {})), "[I_X]")
    assert not {step for step in found if "Permute" in step}
    found = steps(space("I", "XY", Sizes({"X": 8}, {})), "[I_X]")  # Y has that size only nominally
    assert not {step for step in found if "Permute" in step}


def test_a_permute_keeps_the_kind():
    found = steps(space("I", "XY", Sizes({"X": 2, "Y": 2}, {}), kinds=("sum", "max")), "[I]{max_X}")
    assert {step for step in found if "Permute" in step} == {"CollectivePermute XY  [I]{max_Y}"}


def test_free_steps_only():
    kinds = {step.split()[0] for step in steps(space("IJ", "XY"), "[I_X,J]", Allowed(free_only=True))}
    assert kinds == {"Slice", "Mask", "Pad"}


def test_extrema_are_relabelled_and_never_padded():
    assert normal(steps(space("I", "X", kinds=("max",)), "[I]")) == {"Slice X I [I_X]", "Relabel X [I]{max_X}"}
    assert normal(steps(space("I", "X", kinds=("max",)), "[I_X]")) == {"AllGather X I [I]"}
    both = normal(steps(space("I", "X", kinds=("sum", "min")), "[I]"))
    assert both == {"Slice X I [I_X]", "Mask X [I]{U_X}", "Relabel X [I]{min_X}"}


def test_what_is_pending_is_of_one_kind():
    of = space("I", "XY", kinds=("sum", "max"))
    kinds = {step.split()[0] for step in steps(of, "[I]{max_X}", Allowed(free_only=True))}
    assert kinds == {"Slice", "Relabel"}
    assert normal(steps(of, "[I_Y]{max_X}", Allowed(free_only=True))) == set()


def test_only_maskable_axes_become_pending():
    of, allowed = space("I", "XY"), Allowed(free_only=True, maskable=("Y",))
    assert normal(steps(of, "[I]", allowed)) == {"Slice X I [I_X]", "Slice Y I [I_Y]", "Mask Y [I]{U_Y}"}
    assert "Pad" not in {step.split()[0] for step in steps(of, "[I_X]", allowed)}


def test_an_axis_that_the_target_has_on_a_dimension_is_not_gathered():
    of, allowed = space("IJ", "XY"), Allowed(target=layout("[I,J_X]"))
    found = {step.split()[0] for step in steps(of, "[I_X,J]", allowed)}
    assert found == {"Slice", "Mask", "AllToAll"}
    assert not [step for step in steps(of, "[I,J]{U_X}", allowed) if "AllReduce" in step]
    assert not [step for step in steps(of, "[I,J_X]", allowed) if step.split()[0] in ("AllGather", "AllToAll", "Pad")]


def test_known_sizes_must_divide():
    of = space("I", "XY", Sizes({"X": 4, "Y": 3}, {"I": 12}))
    assert "Slice Y I [I_{XY}]" in steps(of, "[I_X]")
    of = space("I", "XY", Sizes({"X": 4, "Y": 3}, {"I": 8}))
    assert not [step for step in steps(of, "[I_X]") if "Slice" in step]
    assert not [step for step in steps(of, "[I]{U_Y}") if "ReduceScatter" in step]
    of = space("IJ", "X", Sizes({"X": 4}, {"I": 8, "J": 6}))
    assert not [step for step in steps(of, "[I_X,J]") if "AllToAll" in step]
    of = space("IJ", "X", Sizes({"X": 4}, {"I": 8, "J": 6}, uneven=True))
    assert [step for step in steps(of, "[I_X,J]") if "AllToAll" in step]


SIZES = Sizes({"X": 4, "Y": 2}, {"I": 12, "J": 6, "K": 40}, frozenset("K"))


@pytest.mark.parametrize(
    ("dim", "axes", "divides"),
    [
        ("I", "X", True),
        ("I", "Y", True),
        ("I", "XY", False),
        ("J", "X", False),
        ("J", "Y", True),
        ("J", "", True),
        ("K", "X", True),  # only nominal
        ("L", "X", True),
        ("J", "XZ", True),  # Z is open
        (anonymous(1, "8"), "XY", True),
        (anonymous(1, "9"), "Y", False),
        (anonymous(1, "…"), "X", True),
    ],
)
def test_divides(dim, axes, divides):
    axes = tuple(axes)
    assert SIZES.divides(dim, axes) is divides
    assert cuts_of(SIZES, (dim,), tuple("XYZ")).divides(dim, axes) is divides
    assert SIZES._replace(uneven=True).divides(dim, axes)
    assert cuts_of(SIZES._replace(uneven=True), (dim,), tuple("XYZ")).divides(dim, axes)


def test_sizes():
    assert (SIZES.axis("X"), SIZES.shards(("X", "Y")), SIZES.shards(())) == (4, 8, 1)
    assert (SIZES.dim("I"), SIZES.dim(anonymous(3, "128"))) == (12, 128)
    assert [SIZES.open_dim(dim) for dim in ("I", "K", "L", anonymous(1, "8"), anonymous(1, "…"))] == [
        False,
        True,
        True,
        False,
        True,
    ]
    assert [SIZES.open_axis(axis) for axis in "XZ"] == [False, True]


@pytest.mark.parametrize(
    ("start", "shards"), [("[I_X,J]", 4), ("[I_X,J_Y]", 8), ("[I,J]{U_XY}", 1), ("[I_X,J]{U_Y}", 4)]
)
def test_what_is_charged(start, shards):
    """A device holds the array divided by the axes that shard it; an addend is as large as its sum."""
    of = space("IJ", "XY", SIZES)
    charged = 0
    for _, _, number, move in of.out_of(of.number(layout(start))):
        if number >= 0:
            charge = of.charges[number]
            assert (charge.kind, set(charge.axes)) == (move.kind, set(move.axes))
            assert charge.shards(of.sizes) == shards
            assert charge.devices(of.sizes) == SIZES.shards(move.axes)
            charged += 1
    assert charged


def test_the_same_steps_lead_out_of_a_layout_and_into_another():
    of = space("IJ", "XY", Sizes({"X": 2, "Y": 2}, {}))
    of.lay_out()
    numbers = [of.number(sharding) for sharding in of.states()]
    out = {(here, there, move) for here in numbers for there, *_, move in of.out_of(here)}
    assert out == {(there, here, move) for here in numbers for there, *_, move in of.into(here)}
    assert len(out) > 100


def test_threads_may_share_layouts():
    """Whatever the order in which threads find the steps, each has the sort and the charge that its numbers say."""
    sizes, switch = Sizes({"X": 2, "Y": 2, "Z": 2}, {}), sys.getswitchinterval()
    assert space("IJ", "XY", sizes) is space("JK", "XY", sizes)
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(5):
            of = Layouts(2, cuts_of(sizes, ("0", "1"), ("X", "Y", "Z")), shared=True)
            with ThreadPoolExecutor(4) as threads:
                list(threads.map(lambda first, of=of: [*map(of.out_of, range(first, len(of.known)))], range(4)))
            for number in range(len(of.known)):
                for _, sort, charge, move in of.out_of(number):
                    assert of.sorts[sort] == (move.kind, move.axes, move.dims)
                    assert charge < 0 or of.charges[charge].kind == move.kind
            assert len(set(of.sorts)) == len(of.sorts)
            assert len(set(of.charges)) == len(of.charges)
    finally:
        sys.setswitchinterval(switch)


def test_steps_are_whole_while_another_thread_finds_them(monkeypatch):
    """A fix takes the steps of shared layouts as they are: what is found for the first time is never seen in part."""
    of = Layouts(1, cuts_of(Sizes({"X": 2, "Y": 2}, {}), ("0",), ("X", "Y")), shared=True)
    source = layout("[0_X]")
    found, shape = [], Layouts._shape

    def interrupted(self, sharding):
        if not found:
            found.append(None)
            found.append(list(self.steps(source)))  # what another thread would see at this point
        return shape(self, sharding)

    monkeypatch.setattr(Layouts, "_shape", interrupted)
    whole = list(of.steps(source))
    assert found[1] == whole
    assert any(move.kind == "CollectivePermute" for move in whole)


def test_the_bound_of_a_space():
    assert layout_count(4, 5) > MOST_LAYOUTS
    with pytest.raises(TooLargeError):
        space("IJKL", "VWXYZ")


def test_the_budget():
    budget = Budget()
    budget.spend(STEPS_A_STATEMENT)
    with pytest.raises(TooLargeError):
        budget.spend(1)
    budget.renew()
    budget.spend(1)


def test_the_budget_of_a_text_is_not_renewed():
    budget = Budget()
    for _ in range(STEPS_A_TEXT // STEPS_A_STATEMENT):
        budget.renew()
        budget.spend(STEPS_A_STATEMENT)
    budget.renew()
    with pytest.raises(TooLargeError):
        budget.spend(1)
