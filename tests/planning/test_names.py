"""What a name stands for. Expected values: NOTATION section 1 (reshards add a layout, other statements rebind)."""

import pytest

from shardlang.planning.names import Names
from shardlang.semantics.program import Ref, Statement
from shardlang.source import Span
from tests.planning.helpers import codes_of, plan_of
from tests.rules.arrays import array

HERE, LATER = Span(0, 5), Span(20, 25)
STATEMENT = Statement(None, "", True, False, None, Span(10, 40))


def use(names, name, text, span=LATER):
    return names.use(Ref(name, array(text), span, None), STATEMENT)


def test_an_input_may_be_used_again_as_it_was():
    names = Names()
    assert use(names, "A", "[I_X,J]", HERE) is None
    assert use(names, "A", "[I_X,J]") is None


def test_an_input_in_a_new_layout_warns_once():
    names = Names()
    use(names, "A", "[I_X,J]", HERE)
    finding = use(names, "A", "[I,J]")
    assert (finding.code, finding.severity, finding.span) == ("SL403", "warning", LATER)
    assert finding.message == "the input `A` was used as `A[I_X, J]` before and is used as `A[I, J]` here"
    assert [(label.span, label.message) for label in finding.labels] == [(HERE, "used as `A[I_X, J]` here")]
    assert finding.hint == "if one array is meant, reshard it in between; if two, give them two names"
    assert use(names, "A", "[I,J]") is None
    assert use(names, "A", "[I_X,J]") is None  # both layouts stand


def test_an_input_with_other_dimensions_warns_and_replaces():
    names = Names()
    use(names, "A", "[I_X,J]", HERE)
    assert use(names, "A", "[K]").code == "SL403"
    assert use(names, "A", "[K]") is None
    assert use(names, "A", "[I_X,J]").code == "SL403"


def test_a_declared_input():
    names = Names()
    names.declare(Ref("A", array("[I_X]"), HERE, None))
    assert use(names, "A", "[I_X]") is None
    finding = use(names, "A", "[I]")
    assert (finding.code, finding.labels[0].span) == ("SL403", HERE)


def test_a_value_in_a_layout_that_nobody_made():
    names = Names()
    names.produce("C", array("[I,K]"), HERE)
    finding = use(names, "C", "[I,K_X]")
    assert (finding.code, finding.severity, finding.span) == ("SL401", "error", LATER)
    assert finding.message == "`C[I, K_X]` is a layout that nobody made: `C` exists as `C[I, K]`"
    assert finding.hint == "put `C[I, K] -> C[I, K_X]` before this statement"
    assert finding.labels[0].message == "made as `C[I, K]` here"
    ((edit,),) = (fix.edits for fix in finding.fixes)
    assert edit == (Span(10, 10), "C[I, K] -> C[I, K_X]\n")
    assert finding.fixes[0].title == "reshard before: C[I, K] -> C[I, K_X]"
    assert use(names, "C", "[I,K_X]").code == "SL401"  # a wrong use makes no layout
    assert use(names, "C", "[I,K]") is None


def test_a_pending_state_is_part_of_the_layout():
    names = Names()
    names.produce("C", array("[I]{U_X}"), HERE)
    assert use(names, "C", "[I]{U_X}") is None
    assert use(names, "C", "[I]").code == "SL401"
    assert use(names, "C", "[I]{max_X}").code == "SL401"


def test_a_value_with_other_dimensions():
    names = Names()
    names.produce("C", array("[I,K]"), HERE)
    finding = use(names, "C", "[I,L]")
    assert (finding.code, finding.severity) == ("SL402", "error")
    assert finding.message == "`C` was made with the dimensions [I, K]: `C[I, K]`, not `C[I, L]`"
    assert [(label.span, label.message) for label in finding.labels] == [(HERE, "made as `C[I, K]` here")]
    assert not finding.fixes


def test_a_value_with_its_dimensions_in_another_order():
    names = Names()
    names.produce("C", array("[I,K_X]"), HERE)
    finding = use(names, "C", "[K_X,I]")
    assert finding.code == "SL402"
    assert finding.message == "`C` was made with its dimensions in another order: `C[I, K_X]`, not `C[K_X, I]`"


def test_a_reshard_adds_a_layout():
    names = Names()
    names.produce("C", array("[I,K]"), HERE)
    names.add_layout("C", "C", array("[I,K_X]"), LATER)
    assert use(names, "C", "[I,K]") is None
    assert use(names, "C", "[I,K_X]") is None
    finding = use(names, "C", "[I_X,K]")
    assert "exists as `C[I, K_X]`" in finding.message  # the last one made
    assert finding.labels[0].span == LATER


def test_a_layout_of_an_input_leaves_it_an_input():
    names = Names()
    use(names, "A", "[I_X]", HERE)
    names.add_layout("A", "A", array("[I]"), HERE)
    assert use(names, "A", "[I]") is None
    assert use(names, "A", "[I_Y]").code == "SL403"


def test_a_reshard_under_another_name_makes_a_value():
    names = Names()
    use(names, "A", "[I_X]", HERE)
    names.add_layout("A", "B", array("[I]"), HERE)
    assert use(names, "B", "[I]") is None
    assert use(names, "B", "[I_X]").code == "SL401"
    assert use(names, "A", "[I]").code == "SL403"


def test_a_reshard_that_turns_the_dimensions_replaces_the_layouts():
    names = Names()
    names.produce("A", array("[I,J]"), HERE)
    names.add_layout("A", "A", array("[J,I]"), HERE)
    assert use(names, "A", "[J,I]") is None
    assert use(names, "A", "[I,J]").code == "SL402"


def test_a_turned_layout_beside_the_first_one():
    """The layouts of other dimensions are gone, not kept under the new ones: `A[I_X,J]` is no `A[J_X,I]`."""
    names = Names()
    names.produce("A", array("[I_X,J]"), HERE)
    names.add_layout("A", "A", array("[J,I_X]"), LATER)
    assert use(names, "A", "[J,I_X]") is None
    finding = use(names, "A", "[J_X,I]")
    assert finding.code == "SL401"
    assert finding.labels[0].span == LATER


def test_a_reshard_under_a_name_that_exists_rebinds_it():
    names = Names()
    names.produce("B", array("[K]"), HERE)
    use(names, "A", "[I_X]", HERE)
    names.add_layout("A", "B", array("[I]"), LATER)
    assert use(names, "B", "[I]") is None
    finding = use(names, "B", "[K]")
    assert (finding.code, finding.labels[0].span) == ("SL402", LATER)


def test_a_reshard_under_another_name_makes_a_name_known_that_was_not():
    names = Names()
    names.forget("B")
    names.add_layout("A", "B", array("[I]"), HERE)
    assert use(names, "B", "[I_X]").code == "SL401"


def test_the_first_layout_of_a_name_is_a_value_in_the_reshard_too():
    """A collective of an array that no statement used before: its name is an input still."""
    names = Names()
    names.add_layout("A", "A", array("[I]"), HERE)
    finding = use(names, "A", "[I_Y]")
    assert (finding.code, finding.labels[0].span) == ("SL403", HERE)


def test_a_statement_rebinds_a_name():
    names = Names()
    names.produce("C", array("[I,K]"), HERE)
    names.produce("C", array("[M_X]"), LATER)
    assert use(names, "C", "[M_X]") is None
    assert use(names, "C", "[I,K]").code == "SL402"


def test_nothing_is_said_of_a_forgotten_name():
    names = Names()
    names.produce("C", array("[I,K]"), HERE)
    names.forget("C")
    assert use(names, "C", "[I,K_X]") is None
    assert use(names, "C", "[M]") is None
    names.add_layout("C", "C", array("[I]"), HERE)
    assert use(names, "C", "[M]") is None  # another layout of an unknown value is unknown too
    names.produce("C", array("[I]"), HERE)
    assert use(names, "C", "[M]").code == "SL402"


def test_an_array_without_a_name_is_never_wrong():
    names = Names()
    assert use(names, None, "[I_X]") is None
    assert use(names, None, "[I]") is None
    names.produce(None, array("[I]"), HERE)
    names.forget(None)
    names.add_layout(None, None, array("[I]"), HERE)


PRODUCT = "A[I, J] · B[J, K] -> C[I, K]\n"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (PRODUCT + "C[I, K_X] · D[K_X, L] -> E[I, L]{U_X}", ["SL401"]),
        (PRODUCT + "C[I, K] -> C[I, K_X]\nC[I, K_X] · D[K_X, L] -> E[I, L]{U_X}", []),
        (PRODUCT + "C[I, K] -> C[I, K_X]\nC[I, K] · D[K, L] -> E[I, L]", []),
        (PRODUCT + "C[K, I] · D[I, L] -> E[K, L]", ["SL402"]),
        (PRODUCT + "A[I_X, J] · B[J, K] -> E[I_X, K]", ["SL403"]),
        (PRODUCT + "A[I, J] -> A[I_X, J]\nA[I_X, J] · B[J, K] -> E[I_X, K]", []),
        # rebound: the later layout counts
        (PRODUCT + "A[I, J] ⊙ A[I, J] -> C[I, J]\nC[I, J] · B[J, K] -> E[I, K]", []),
        # the first of two wrong uses is reported, and nothing follows from it
        (PRODUCT + "C[I, K_X] · D[K_X, L] -> E[I, L]{U_X}\ngelu(E[I_X, L]) -> F[I_X, L]", ["SL401"]),
        # a refused statement leaves its result unknown, not undefined
        ("AllGather_X A[I] -> C[I]\nC[J_Y] -> C[J]\ngelu(C[K]) -> D[K]", ["SL303"]),
        ("explicit\nA[I, J_X] · B[J, K] -> C[I, K]\nC[I_X, K] ⊙ C[I_X, K] -> D[I_X, K]", ["SL301"]),
    ],
)
def test_texts(text, codes):
    assert codes_of(text) == codes


def test_the_fix_of_a_layout_that_nobody_made_mends_the_text():
    text = PRODUCT + "C[I, K_X] · D[K_X, L] -> E[I, L]{U_X}"
    (finding,) = plan_of(text).diagnostics
    (edit,) = finding.fixes[0].edits
    assert codes_of(text[: edit.span.start] + edit.text + text[edit.span.end :]) == []
