"""What planning says about a statement, and the steps of reshards. Expected values: NOTATION sections 1, 2, 4 and 5."""

import pytest

from shardlang.limits import MOST_BITS_OF_A_STATEMENT as MOST_BITS
from shardlang.planning import Settings, statement
from shardlang.planning.build import local_step
from shardlang.rules.plan import Step, Value
from shardlang.rules.signature import signature_of
from shardlang.source import Span
from tests.planning.helpers import codes_of, plan_of
from tests.rules.arrays import array


def steps_with_reasons(text):
    (entry,) = plan_of(text).statements
    return [(step.text, step.why) for step in entry.steps]


PRODUCT = "A[I, J] · B[J, K] -> "


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("C[I_X, K]", "no operand uses `X`: the result is sliced over it, on `I`, which is free"),
        ("C[I, K_{XY}]", "no operand uses `XY`: the result is sliced over it, on `K`, which is free"),
        ("C[I, K]{U_X}", "no operand uses `X`: something is sliced or masked so that the result is pending over it"),
        (
            "C[I, K]{U_{XY}}",
            "no operand uses `XY`: something is sliced or masked so that the result is pending over it",
        ),
    ],
)
def test_an_axis_that_only_the_result_has_is_a_warning(result, message):
    (finding,) = plan_of(PRODUCT + result).diagnostics
    assert (finding.code, finding.severity, finding.message) == ("SL313", "warning", message)
    assert finding.span == Span(len(PRODUCT), len(PRODUCT + result))


def test_an_axis_of_the_result_that_an_operand_has_is_none():
    assert codes_of("A[I, J_X] · B[J, K] -> C[I_X, K]") == []
    assert codes_of("A[I, J]{U_X} · B[J, K] -> C[I_X, K]") == []
    assert codes_of("A[I, J_X] · B[J, K] -> C[I, K]{U_X}") == []


def test_each_warning_stands_for_itself():
    codes = [(one.code, one.message.split("`")[1]) for one in plan_of(PRODUCT + "C[I_X, K_Y]{U_Z}").diagnostics]
    assert codes == [("SL313", "X"), ("SL313", "Y"), ("SL313", "Z")]


RESHARDS = {
    # a reshard under another name: the last step makes it, or a step that moves nothing
    "A[I_Y] -> B[I_X]": ["AllGather_Y A[I_Y] -> A[I]", "Slice_X A[I] -> B[I_X]"],
    "A[I_X, J] -> B[I, J]": ["AllGather_X A[I_X, J] -> B[I, J]"],
    "A[I_{XY}] -> B[I_Y]": ["CollectivePermute_{XY} A[I_{XY}] -> A[I_{YX}]", "AllGather_X A[I_{YX}] -> B[I_Y]"],
    "A[I_X] -> B[I_X]": ["A[I_X] -> B[I_X]"],
    "A[I_X] -> A[I_X]": [],
    # dimensions in another order: a transpose, free
    "A[I_X, J] -> T[J, I_X]": ["A[I_X, J] -> T[J, I_X]"],
    "A[I_X, J] -> A[J, I_X]": ["A[I_X, J] -> A[J, I_X]"],
    "A[I_X, J] -> T[J, I]": ["AllGather_X A[I_X, J] -> A[I, J]", "A[I, J] -> T[J, I]"],
    "A[I_X, J] -> A[J_X, I]": ["AllToAll_{X,J} A[I_X, J] -> A[I, J_X]", "A[I, J_X] -> A[J_X, I]"],
}


@pytest.mark.parametrize(("text", "expected"), RESHARDS.items())
def test_the_steps_of_a_reshard(text, expected):
    (entry,) = plan_of(text).statements
    assert [step.text for step in entry.steps] == expected
    assert entry.output == (entry.steps[-1].result if expected else Value("A", array("[I_X]")._replace(dtype="bf16")))
    before = entry.statement.body.operand.type
    for step in entry.steps:  # each step takes what the one before made
        assert step.operands[0].type.sharding == before.sharding
        before = step.result.type


def test_a_step_that_only_renames_or_turns():
    for text, why in [
        ("A[I_X] -> B[I_X]", "free: the same blocks under another name"),
        ("A[I_X, J] -> T[J, I_X]", "free: the dimensions change order in place"),
    ]:
        (entry,) = plan_of(text).statements
        source, target = entry.statement.body.operand, entry.statement.body.result
        operand, result = Value("A", source.type._replace(dtype="bf16")), Value(target.name, target.type)
        result = result._replace(type=result.type._replace(dtype="bf16"))
        assert entry.steps == (Step("Reshape", "transpose", (operand,), result, text=text, why=why),)


def test_a_reshard_keeps_the_element_type_unless_another_is_written():
    (_, entry) = [None, *plan_of("A: f32[I_X]\nA[I_X] -> B[I]").statements][-2:]
    assert entry.output.type.dtype == "f32"
    (entry,) = plan_of("A: f32[I_X]\nA[I_X] -> B: f32[I]").statements[-1:]
    assert entry.output.type.dtype == "f32"


def test_a_permute_that_a_gather_needs_is_told():
    (finding,) = plan_of("A[I_{XY}] -> A[I_Y]").diagnostics
    assert (finding.code, finding.severity, finding.span) == ("SL311", "info", Span(0, 19))
    assert finding.message == (
        "`CollectivePermute_{XY} A[I_{XY}] -> A[I_{YX}]` is inserted: only the minor-most axis of a dimension can be "
        "taken off in place"
    )
    assert codes_of("A[I_{XY}] -> A[I_{YX}]") == []  # it is all that is asked for


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("A[I_X, J] -> A[I, J]", "A[I, J]", "write `AllGather_X A[I_X, J] -> A[I, J]`"),
        ("A[I_X] -> B[I]", "B[I]", "write `AllGather_X A[I_X] -> B[I]`"),
        (
            "A[I_{XY}] -> A[I_Y]",
            "A[I_Y]",
            "write `CollectivePermute_{XY} A[I_{XY}] -> A[I_{YX}]; AllGather_X A[I_{YX}] -> A[I_Y]`",
        ),
    ],
)
def test_a_reshard_that_is_to_be_written_out(text, said, hint):
    made = plan_of("explicit\n" + text)
    (finding,) = made.diagnostics
    assert (finding.code, finding.severity, finding.hint) == ("SL301", "error", hint)
    assert finding.message == (
        f"`{text.split(' -> ')[0]}` becomes `{said}` only with communication, and `explicit` wants it written out"
    )
    assert finding.span == Span(9, 9 + len(text))
    assert finding.labels == ()
    assert hint == f"write `{finding.fixes[0].edits[0].text.replace(chr(10), '; ')}`"
    assert made.statements[0].output is None


def test_a_free_reshard_may_be_left_to_inference():
    assert codes_of("explicit\nA[I] -> A[I_X]") == []


@pytest.mark.parametrize("prefix", ["", "explicit\n"])
def test_no_way_between_two_layouts_is_a_finding(monkeypatch, prefix):
    """There always is one; should the search fail, nobody sees a traceback."""
    monkeypatch.setattr(statement, "route", lambda *arguments, **options: None)
    (finding,) = plan_of(prefix + "A[I_X] -> B[I]").diagnostics
    assert finding.span == Span(len(prefix), len(prefix) + 14)
    if prefix:
        assert (finding.code, finding.hint) == ("SL301", "write `AllGather_X A[I_X] -> B[I]`")
    else:
        assert finding.code == "SL404"
        assert finding.message == "no sequence of steps leads from `A[I_X]` to `B[I]`"


def test_after_a_refused_statement_its_result_is_unknown():
    text = "explicit\nA[I_X] -> B[I]\ngelu(B[K]) -> C[K]"
    assert codes_of(text) == ["SL301"]


def test_a_new_layout_is_labelled_where_it_was_stated():
    (finding,) = plan_of("A[I_X] -> B[I]\ngelu(B[I_Y]) -> C[I_Y]").diagnostics
    assert [(label.span, label.message) for label in finding.labels] == [(Span(10, 14), "made as `B[I]` here")]
    (finding,) = plan_of("AllGather_X A[I_X]\ngelu(A[I_Y]) -> C[I_Y]").diagnostics  # nothing is stated
    assert [label.span for label in finding.labels] == [Span(0, 18)]


def test_with_hardware_time_is_what_is_saved():
    settings = Settings(collective_time=lambda kind, size, axes: size * 1e-9, math_rate=lambda dtype: 1e15)
    (finding,) = plan_of("A[I_X, J] · B[J_X, K] -> C[I, K]", {"X": 4}, settings, I=4, J=1024, K=1024).diagnostics
    assert finding.code == "SL405"
    assert "less T_math + T_comms, in the exact form" in finding.message


def test_a_statement_too_large_for_a_number():
    length = 2 ** (MOST_BITS // 2)  # a bit more than half of what two dimensions may have
    made = plan_of("A[I_X, J] -> A[I, J]", I=length, J=length)
    (finding,) = made.diagnostics
    assert (finding.code, finding.span) == ("SL606", Span(0, 20))
    assert finding.message == f"the dimensions of this statement multiply to more than 2**{MOST_BITS}"
    assert made.statements[0].output is None
    assert plan_of("A[I_X, J] -> A[I, J]", I=length - 1, J=length - 1).diagnostics == ()
    assert plan_of("A[I_X, J] -> A[I, J]", I=2 ** (MOST_BITS - 2), J=1).diagnostics == ()


def test_a_name_for_a_result_that_has_none():
    """The first capital letter from C on that stands for nothing yet."""
    for text, name in [
        ("A[I] + B[I]", "C"),
        ("A[I] + C[I]", "D"),
        ("C[I] + D[I]", "E"),
        ("C[I, D] · B[D, K]", "E"),  # not `D[I, K]`, beside a dimension `D`
        ("C[I_D, J] · B[J, E]", "F"),
        (" + ".join(f"{letter}[I]" for letter in "CDEFGHIJKLMNOPQRSTUVWXYZ"), "A"),
    ]:
        (entry,) = plan_of(text).statements
        assert entry.output.name == name


def test_a_name_for_a_result_when_all_letters_are_taken():
    (entry,) = plan_of(" + ".join(f"{letter}[I]" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")).statements
    names = [step.result.name for step in entry.steps]
    assert entry.output.name == names[-1]
    assert len(set(names)) == len(names) == 25


SLOW = Settings(collective_time=lambda kind, size, axes: size * 1e-12, math_rate=lambda dtype: 1e3)


def test_arithmetic_that_is_shared_may_be_worth_communication():
    """Slow arithmetic: every device would multiply all of `A{U_X}`; scattered over X=4, each has a quarter, 75% less."""
    text = "A[I, J]{U_X} · B[J, K] -> C[I, K]{U_X}"
    (finding,) = plan_of(text, {"X": 4}, SLOW, I=64, J=64, K=64).diagnostics
    assert (finding.code, finding.span) == ("SL405", Span(0, len(text)))
    assert finding.message == (
        "with these sizes the plan has `ReduceScatter_{X,J} A` instead of no communication: "
        "75% less T_math + T_comms, in the exact form"
    )


def test_fewer_collectives_at_the_same_price():
    """The block of C that X shards arrives either in B, before, or in C: 4·64 elements both times, I being J."""
    text = "A[I, J_X] · B[J_Y, K_X] -> C[I, K]"
    (finding,) = plan_of(text, {"X": 4, "Y": 2}, I=4, J=4, K=64).diagnostics
    assert finding.code == "SL405"
    assert finding.message == (
        "with these sizes the plan has `AllGather_X A`, `AllGather_{YX} B` instead of "
        "`AllGather_X A`, `AllGather_Y B`, `AllGather_X C`: "
        "at the same price fewer collectives or less arithmetic"
    )


def test_shared_arithmetic_without_communication_is_left_as_it_is():
    """Nothing is moved, and every axis shares the arithmetic, though it is slow."""
    made = plan_of("A[I_X, J] · B[J, K_Y] -> C[I_X, K_Y]", {"X": 4, "Y": 2}, SLOW, I=64, J=64, K=64)
    assert made.diagnostics == ()
    assert [step.kind for step in made.statements[0].steps] == ["Einsum"]


VALUE = "relu(A[I]) -> B[I]\n"


@pytest.mark.parametrize("rest", ["AllGather_X B[I_X] -> D[I]", "B[I_X] -> D[I]", "exp(B[I_X]) -> D[I_X]"])
def test_a_layout_that_nobody_made_is_mended_before_the_statement(rest):
    (finding,) = plan_of(VALUE + rest).diagnostics
    assert (finding.code, finding.labels[0].span) == ("SL401", Span(14, 18))
    ((edit,),) = (fix.edits for fix in finding.fixes)
    assert edit == (Span(len(VALUE), len(VALUE)), "B[I] -> B[I_X]\n")


def test_a_value_without_a_stated_result_is_labelled_with_its_statement():
    (finding,) = plan_of("relu(A[I])\nexp(A[I_X]) -> B[I_X]").diagnostics
    assert finding.code == "SL403"  # an input in a new layout
    text = "C[I] -> C[I]\nC[I_X] -> C[I_X]"
    assert codes_of(text) == ["SL403"]


def test_element_types_of_results():
    """The declared type, else that of the plan; intermediates have that of the plan."""
    for text, types in [
        ("gelu(A[I] + B[I]) -> C[I]", ["bf16", "bf16"]),
        ("dtype f32\ngelu(A[I] + B[I]) -> C[I]", ["f32", "f32"]),
        ("dtype f32\ngelu(A[I] + B[I])", ["f32", "f32"]),
        ("gelu(A[I] + B[I]) -> C: f32[I]", ["bf16", "f32"]),
        ("C: f32[I]\ngelu(A[I] + B[I]) -> C[I]", ["bf16", "f32"]),
    ]:
        entry = plan_of(text).statements[-1]
        assert [step.result.type.dtype for step in entry.steps] == types
        assert entry.output == entry.steps[-1].result


def test_a_step_in_full():
    (entry,) = plan_of("sum_J A[I, J_X] -> s[I]").statements
    before, pending, after = (array(text)._replace(dtype="bf16") for text in ("[I,J_X]", "[I]{U_X}", "[I]"))
    local, reduced = entry.steps
    assert (local.kind, local.op, local.operands, local.result) == (
        "Reduce",
        "sum",
        (Value("A", before),),
        Value("s", pending),
    )
    assert (local.axes, local.dims, local.contracted) == ((), (), ("J",))
    assert local.text == "sum_J A[I, J_X] -> s[I]{U_X}"
    assert (reduced.kind, reduced.op, reduced.operands, reduced.result) == (
        "AllReduce",
        "AllReduce",
        (Value("s", pending),),
        Value("s", after),
    )
    assert (reduced.axes, reduced.dims, reduced.contracted) == (("X",), (), ())


def test_operands_that_do_not_match_make_no_step():
    program = plan_of("A[I] + B[I] -> C[I]").program
    op = next(one.body.expr for one in program.statements if one.body is not None)
    signature = signature_of("add", (("I",), ("I",)), ("I",))
    operands = (Value("A", array("[I]{U_X}")), Value("B", array("[I]")))
    with pytest.raises(ValueError, match="operands of add do not match"):
        local_step(op, signature, operands, "C", "bf16")
