"""Why a statement is refused and what mends it, in the user's symbols; fixes follow from NOTATION sections 3 to 5."""

import pytest

from tests.planning.helpers import codes_of, plan_of

# text, code, what the message says, the first fix
NOT_LOCAL = [
    (
        "A[I_X, J] ·_LOCAL B[J, K_X] -> C[I, K]",
        "SL301",
        "`X` shards `I` of one operand and `K` of the other",
        "AllGather_X B[J, K_X] -> B[J, K]\nA[I_X, J] ·_LOCAL B[J, K] -> C[I_X, K]\nAllGather_X C[I_X, K] -> C[I, K]",
    ),
    (
        "A[I, J_X] ·_LOCAL B[J, K] -> C[I, K]",
        "SL301",
        "the operands do not lie alike on `J`: `J_X` and `J`",
        "AllGather_X A[I, J_X] -> A[I, J]\nA[I, J] ·_LOCAL B[J, K] -> C[I, K]",
    ),
    (
        "A[I, J_{XY}] ·_LOCAL B[J_{YX}, K] -> C[I, K]{U_{XY}}",
        "SL308",
        "it is sharded `J_{XY}` and `J_{YX}`, in different orders",
        "CollectivePermute_{YX} B[J_{YX}, K] -> B[J_{XY}, K]\nA[I, J_{XY}] ·_LOCAL B[J_{XY}, K] -> C[I, K]{U_{XY}}",
    ),
    (
        "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]",
        "SL312",
        "the local operation gives `C[I, K]{U_X}`, not `C[I, K]`: the sum over `X` is still due",
        "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}\nAllReduce_X C[I, K]{U_X} -> C[I, K]",
    ),
    (
        "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I_X, K]",
        "SL317",
        "the local operation gives `C[I, K]{U_X}`, not `C[I_X, K]`",
        "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}\nReduceScatter_{X,I} C[I, K]{U_X} -> C[I_X, K]",
    ),
    (
        # no single collective leads there: a reshard arrow does
        "A[I_{XY}, J] ·_LOCAL B[J, K] -> C[I_Y, K]",
        "SL317",
        "the local operation gives `C[I_{XY}, K]`, not `C[I_Y, K]`",
        "A[I_{XY}, J] ·_LOCAL B[J, K] -> C[I_{XY}, K]\nC[I_{XY}, K] -> C[I_Y, K]",
    ),
    (
        "explicit\nA[I]{U_X} + b[I] -> C[I]",
        "SL316",
        "`A[I]{U_X}` is pending over `X` and `b[I]` is not: added as it stands, it would count `X` times",
        "AllReduce_X A[I]{U_X} -> A[I]\nA[I] + b[I] -> C[I]",
    ),
    (
        "explicit\ngelu(A[I]{U_X}) -> C[I]",
        "SL314",
        "`gelu` is not linear, and `A[I]{U_X}` is pending over `X`",
        "AllReduce_X A[I]{U_X} -> A[I]\ngelu(A[I]) -> C[I]",
    ),
    (
        "explicit\nA[I, J]{U_X} · B[J, K]{U_X} -> C[I, K]",
        "SL315",
        "both operands are pending over `X`",
        (
            "AllReduce_X A[I, J]{U_X} -> A[I, J]\nA[I, J] ·_LOCAL B[J, K]{U_X} -> C[I, K]{U_X}\n"
            "AllReduce_X C[I, K]{U_X} -> C[I, K]"
        ),
    ),
]


@pytest.mark.parametrize(("text", "code", "said", "fix"), NOT_LOCAL)
def test_what_is_not_local(text, code, said, fix):
    (finding,) = plan_of(text).diagnostics
    assert finding.code == code
    assert said in finding.message
    (edit,) = finding.fixes[0].edits
    assert edit.text == fix
    for each in finding.fixes:
        (edit,) = each.edits
        mended = text[: edit.span.start] + edit.text + text[edit.span.end :]
        assert "error" not in {one.severity for one in plan_of(mended).diagnostics}


OPEN = [
    ("A[I_X, J] · B[J, K_X]", "`X` would shard both `I` and `K` of the result"),
    ("A[I_X] ⊙ B[I_Y]", "`I` is sharded in two ways, `I_X` and `I_Y`"),
    ("A[I, J]{U_X} · B[J_X, K]", "`X` is pending in one operand and shards `J` of the other"),
    ("A[I, J]{U_X} · B[J, K]{U_X}", "both operands are pending over `X`"),
    ("A[I]{U_X} + B[I]{max_X}", "the operands are pending over `X` in different ways"),
    ("gelu(A[I]{U_X})", "`gelu` is not linear, and `A[I]{U_X}` is pending over `X`: the sum is due first"),
    ("gelu(A[I]{max_X})", "the maximum is due first"),
]


@pytest.mark.parametrize(("text", "said"), OPEN)
def test_what_the_operands_leave_open(text, said):
    (finding,) = plan_of(text).diagnostics
    assert finding.code == "SL309"
    assert said in finding.message
    asked = [fix.edits[0].text for fix in finding.fixes]
    assert len(set(asked)) == len(asked) > 0
    assert finding.hint == "state the result: " + ", or ".join(f"`{text}`" for text in asked)
    for each in asked:
        assert each.startswith(text + " -> C[")
        assert codes_of(each) == []
