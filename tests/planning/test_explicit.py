"""Collectives that are written out: what is wrong with them, in the user's symbols, and statements that mend them."""

import pytest

from tests.planning.helpers import codes_of, plan_of

# text, code, what the message says, the fixes: every minimal way to what is stated, fewest bytes first, then what else
# may be meant. Each follows from NOTATION section 4: the steps are legal, and with fewer they would not lead there.
WRONG = [
    (
        "AllGather_X A[I_{XY}] -> B[I_Y]",
        "SL305",
        "`X` is not the minor-most axis of `I_{XY}`",
        [
            "CollectivePermute_{XY} A[I_{XY}] -> A[I_{YX}]\nAllGather_X A[I_{YX}] -> B[I_Y]",
            "AllGather_{XY} A[I_{XY}] -> A[I]\nSlice_Y A[I] -> B[I_Y]",
        ],
    ),
    (
        "AllGather_X A[I_{XY}] -> A[I_Y]",
        "SL305",
        "`X` is not the minor-most axis of `I_{XY}`",
        [
            "CollectivePermute_{XY} A[I_{XY}] -> A[I_{YX}]\nAllGather_X A[I_{YX}] -> A[I_Y]",
            "AllGather_{XY} A[I_{XY}] -> A[I]\nSlice_Y A[I] -> A[I_Y]",
        ],
    ),
    (
        "AllGather A[I_{XYZ}, J] -> A[I_{XZ}, J]",
        "SL305",
        "`Y` is not the minor-most axis of `I_{XYZ}`",
        [
            "CollectivePermute_{YZ} A[I_{XYZ}, J] -> A[I_{XZY}, J]\nAllGather_Y A[I_{XZY}, J] -> A[I_{XZ}, J]",
            "AllGather_{YZ} A[I_{XYZ}, J] -> A[I_X, J]\nSlice_{Z,I} A[I_X, J] -> A[I_{XZ}, J]",
        ],
    ),
    (
        "AllToAll_{X,J} A[I_{XY}, J] -> A[I_Y, J_X]",
        "SL305",
        "AllToAll would leave the blocks of `I` in strided order",
        [
            "AllToAll_{XY,J} A[I_{XY}, J] -> A[I, J_{XY}]\nAllToAll_{Y,I} A[I, J_{XY}] -> A[I_Y, J_X]",
            "CollectivePermute_{XY} A[I_{XY}, J] -> A[I_{YX}, J]\nAllToAll_{X,J} A[I_{YX}, J] -> A[I_Y, J_X]",
            "AllGather_{XY} A[I_{XY}, J] -> A[I, J]\nSlice_{X,J} A[I, J] -> A[I, J_X]\nSlice_{Y,I} A[I, J_X] -> A[I_Y, J_X]",
        ],
    ),
    (
        "AllGather_X A[I]{U_X} -> A[I]",
        "SL302",
        "`A[I]{U_X}` is unreduced over `X`, not sharded over it: AllGather cannot resolve a pending sum",
        ["AllReduce_X A[I]{U_X} -> A[I]"],
    ),
    (
        "AllToAll_{X,J} A[I, J]{U_X} -> A[I, J_X]",
        "SL302",
        "AllToAll cannot resolve",
        ["ReduceScatter_{X,J} A[I, J]{U_X} -> A[I, J_X]"],
    ),
    (
        "AllReduce_Y A[I]{U_X} -> A[I]",
        "SL304",
        "`A[I]{U_X}` is not unreduced over `Y`, only over `X`",
        ["AllReduce_X A[I]{U_X} -> A[I]"],
    ),
    (
        "ReduceScatter_{Y,J} A[I, J]{U_X} -> A[I, J_Y]",
        "SL304",
        "only over `X`",
        [
            "Slice_{Y,J} A[I, J]{U_X} -> A[I, J_Y]{U_X}\nAllReduce_X A[I, J_Y]{U_X} -> A[I, J_Y]",
            "ReduceScatter_{X,J} A[I, J]{U_X} -> A[I, J_X]",
        ],
    ),
    (
        "AllReduce_X A[I_X] -> B[I]",
        "SL304",
        "`A[I_X]` is not unreduced over `X`; `X` shards it",
        ["AllGather_X A[I_X] -> B[I]"],
    ),
    ("AllReduce_X A[I] -> A[I]", "SL304", "there is nothing to reduce", [""]),
    (
        "AllGather_Y A[I_X] -> A[I]",
        "SL303",
        "`Y` does not shard `A[I_X]`: there is nothing to gather",
        ["AllGather_X A[I_X] -> A[I]"],
    ),
    (
        "AllToAll_{Y,J} A[I_X, J] -> A[I, J_Y]",
        "SL303",
        "there is nothing to move",
        ["Slice_{Y,J} A[I_X, J] -> A[I_X, J_Y]\nAllGather_X A[I_X, J_Y] -> A[I, J_Y]"],
    ),
    (
        "Pad_Y A[I_X] -> A[I]{U_Y}",
        "SL303",
        "there is nothing to take off",
        [
            "Slice_Y A[I_X] -> A[I_{XY}]\nCollectivePermute_{XY} A[I_{XY}] -> A[I_{YX}]\nAllGather_X A[I_{YX}] -> A[I_Y]\nPad_Y A[I_Y] -> A[I]{U_Y}",
            "Mask_Y A[I_X] -> A[I_X]{U_Y}\nAllGather_X A[I_X]{U_Y} -> A[I]{U_Y}",
        ],
    ),
    ("AllGather_X A[I] -> A[I]", "SL303", "there is nothing to gather", [""]),
    (
        "Slice_X A[I]{U_X} -> A[I_X]",
        "SL307",
        "slicing it over `X` before the sum would add up different blocks",
        ["ReduceScatter_{X,I} A[I]{U_X} -> A[I_X]"],
    ),
    (
        "Slice_X A[I_X, J] -> A[I, J_X]",
        "SL307",
        "`X` already shards `I` of `A[I_X, J]`: Slice needs it replicated",
        ["AllToAll_{X,J} A[I_X, J] -> A[I, J_X]"],
    ),
    ("Mask_X A[I]{U_X} -> A[I]{U_X}", "SL307", "`A[I]{U_X}` is already unreduced over `X`", [""]),
    (
        "Mask_X A[I]{max_Y} -> A[I]{U_X}",
        "SL307",
        "its pending state is of another kind",
        ["Slice_X A[I]{max_Y} -> A[I_X]{max_Y}\nAllReduce_Y A[I_X]{max_Y} -> A[I_X]\nPad_X A[I_X] -> A[I]{U_X}"],
    ),
    ("Relabel_X A[I] -> A[I]{U_X}", "SL307", "Mask is meant", ["Mask_X A[I] -> A[I]{U_X}"]),
    (
        "AllToAll_{X,I} A[I_X, J] -> A[I, J_X]",
        "SL220",
        "`X` already shards `I`: an AllToAll moves it to another",
        ["AllToAll_{X,J} A[I_X, J] -> A[I, J_X]"],
    ),
    (
        "AllGather_X A[I_X, J_Y] -> A[I, J]",
        "SL306",
        "it gives `A[I, J_Y]`, not `A[I, J]` (`Y` would disappear without a gather)",
        ["AllGather_{XY} A[I_X, J_Y] -> A[I, J]", "AllGather_X A[I_X, J_Y] -> A[I, J_Y]"],
    ),
    (
        "AllToAll_{X,J} A[I_X, J_Y] -> A[I, J_{XY}]",
        "SL306",
        "it gives `A[I, J_{YX}]`, not `A[I, J_{XY}]`",
        [
            "AllToAll_{Y,I} A[I_X, J_Y] -> A[I_{XY}, J]\nAllToAll_{XY,J} A[I_{XY}, J] -> A[I, J_{XY}]",
            "AllToAll_{X,J} A[I_X, J_Y] -> A[I, J_{YX}]\nCollectivePermute_{YX} A[I, J_{YX}] -> A[I, J_{XY}]",
            "AllGather_{XY} A[I_X, J_Y] -> A[I, J]\nSlice_{X,J} A[I, J] -> A[I, J_X]\nSlice_{Y,J} A[I, J_X] -> A[I, J_{XY}]",
            "AllToAll_{X,J} A[I_X, J_Y] -> A[I, J_{YX}]",
        ],
    ),
    (
        "ReduceScatter_{XY,J} A[I, J]{U_{XY}} -> A[I, J_{YX}]",
        "SL306",
        "sums over `X` and `Y` and scatters the sum",
        [
            "ReduceScatter_{YX,J} A[I, J]{U_{XY}} -> A[I, J_{YX}]",
            "ReduceScatter_{XY,J} A[I, J]{U_{XY}} -> A[I, J_{XY}]",
        ],
    ),
    (
        "AllReduce_X A[I]{U_{XY}} -> A[I]",
        "SL306",
        "not `A[I]`",
        ["AllReduce_{XY} A[I]{U_{XY}} -> A[I]", "AllReduce_X A[I]{U_{XY}} -> A[I]{U_Y}"],
    ),
    ("Mask_X A[I] -> A[I]", "SL306", "it gives `A[I]{U_X}`", ["", "Mask_X A[I] -> A[I]{U_X}"]),
]


@pytest.mark.parametrize(("text", "code", "said", "fixes"), WRONG)
def test_what_is_wrong(text, code, said, fixes):
    made = plan_of(text)
    (finding,) = made.diagnostics
    assert finding.code == code
    assert said in finding.message
    assert made.statements[0].output is None
    edits = [edit for each in finding.fixes for edit in each.edits]
    assert [edit.text for edit in edits] == fixes
    for edit in edits:
        mended = text[: edit.span.start] + edit.text + text[edit.span.end :]
        assert codes_of(mended) == []
    if fixes[0]:
        assert finding.hint == f"write `{fixes[0].replace(chr(10), '; ')}`"


@pytest.mark.parametrize(
    ("text", "fixes"),
    [
        ("AllGather_X A[I_{XY}]", ["CollectivePermute_{XY} A[I_{XY}] -> A[I_{YX}]\nAllGather_X A[I_{YX}] -> A[I_Y]"]),
        ("AllGather_X A[I]{U_X}", ["AllReduce_X A[I]{U_X} -> A[I]"]),
        ("AllReduce_X A[I_X]", ["AllGather_X A[I_X] -> A[I]"]),
        ("Slice_X A[I_X]{U_Y}", [""]),
        (
            "ReduceScatter_X A[I, J]{U_X}",
            ["ReduceScatter_{X,I} A[I, J]{U_X} -> A[I_X, J]", "ReduceScatter_{X,J} A[I, J]{U_X} -> A[I, J_X]"],
        ),
        ("Slice_X A[I, J]", ["Slice_{X,I} A[I, J] -> A[I_X, J]", "Slice_{X,J} A[I, J] -> A[I, J_X]"]),
        ("AllGather_Y A[I_X]", [""]),
        ("AllReduce_X A[I]", [""]),
        ("AllGather_X A[I]", [""]),
        ("ReduceScatter_X A[]{U_X}", []),
        ("CollectivePermute A[I_X]", []),
        ("AllGather A[I]", []),
    ],
)
def test_without_a_result_the_axes_say_what_is_meant(text, fixes):
    (finding,) = plan_of(text).diagnostics
    found = [fix.edits[0].text for fix in finding.fixes]
    assert found[: len(fixes)] == fixes
    for each in found:
        assert codes_of(each) == []


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("AllGather_X A[I]", "leave the step out: `A[I]` is whole"),
        ("AllReduce_X A[I]", "leave the step out: `A[I]` is complete"),
        ("ReduceScatter_X A[]{U_X}", "a scalar can only be reduced whole: AllReduce"),
        ("CollectivePermute A[I_X]", None),
        ("AllGather A[I]", None),
    ],
)
def test_hints_without_a_way(text, hint):
    (finding,) = plan_of(text).diagnostics
    assert finding.hint == hint


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("AllGather_Y A[I_X] -> A[I]", "Y"),  # the subscript
        ("AllGather_X A[I]{U_X} -> A[I]", "A[I]{U_X}"),  # the operand
        ("AllGather_X A[I_X, J_Y] -> A[I, J]", "A[I, J]"),  # the stated result
    ],
)
def test_places(text, at):
    (finding,) = plan_of(text).diagnostics
    assert text[finding.span.start : finding.span.end].lstrip("_") == at


def test_a_permute_that_moves_nothing_is_a_warning():
    made = plan_of("CollectivePermute A[I_X] -> A[I_X]")
    assert [(finding.code, finding.severity) for finding in made.diagnostics] == [("SL310", "warning")]
    assert [step.kind for step in made.statements[0].steps] == ["CollectivePermute"]


@pytest.mark.parametrize(
    ("text", "mesh", "codes"),
    [
        ("CollectivePermute A[I_X] -> A[I_Y]", {"X": 4, "Y": 4}, []),
        ("CollectivePermute A[I_X] -> A[I_Y]", {"X": 4, "Y": 2}, ["SL307"]),
        ("CollectivePermute A[I_X] -> A[I_Y]", None, []),  # the sizes are open: they may be equal
        ("CollectivePermute A[I_X] -> A[I]", {"X": 4}, ["SL307"]),
        ("CollectivePermute A[I]{U_X} -> A[I]{U_Y}", {"X": 4, "Y": 4}, []),
        ("CollectivePermute A[I]{U_X} -> A[I]", {"X": 4}, ["SL307"]),
        ("CollectivePermute A[I]{max_X} -> A[I]{min_Y}", {"X": 4, "Y": 4}, ["SL307"]),
        ("CollectivePermute A[I_X, J_Y] -> A[I_Y, J_X]", {"X": 4, "Y": 4}, []),
        ("CollectivePermute A[I_{XY}] -> A[I_{YX}]", {"X": 4, "Y": 2}, []),
        ("CollectivePermute A[I_X]{U_Y} -> A[I_X]", None, ["SL307"]),  # no size makes these equal
        ("CollectivePermute A[I_X] -> A[I]", None, ["SL307"]),
        ("CollectivePermute A[I_X, J] -> A[I, J_X]", None, ["SL307"]),
        ("CollectivePermute A[I_X] -> A[I_{XY}]", None, ["SL307"]),
        ("CollectivePermute_Z A[I_{XY}] -> A[I_{YX}]", None, ["SL306"]),
        ("CollectivePermute_{YZ} A[I_{XYZ}] -> A[I_{XZY}]", None, []),  # X leads both: it stays
    ],
)
def test_a_permute_keeps_the_local_shape(text, mesh, codes):
    assert codes_of(text, mesh, I=16, J=16) == codes


def test_a_collective_carries_names_and_types():
    (entry,) = plan_of("AllGather_X A: f32[I_X] -> B: f32[I]").statements
    (step,) = entry.steps
    assert (step.text, step.axes, step.dims) == ("AllGather_X A[I_X] -> B[I]", ("X",), ("I",))
    assert (step.result.name, step.result.type.dtype) == ("B", "f32")
