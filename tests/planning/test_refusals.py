"""Why a statement is refused and what mends it, in the user's symbols; fixes follow from NOTATION sections 3 to 5."""

import pytest

from tests.planning.helpers import codes_of, plan_of

# text, code, what the message says, the first fix
NOT_LOCAL = [
    (
        "A[I_X, J] ·_LOCAL B[J, K_X] -> C[I, K]",
        "SL301",
        "`X` shards `I` of one operand and `K` of the other",
        "AllGather_X A[I_X, J] -> A[I, J]\nA[I, J] ·_LOCAL B[J, K_X] -> C[I, K_X]\nAllGather_X C[I, K_X] -> C[I, K]",
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
        "CollectivePermute_{XY} A[I, J_{XY}] -> A[I, J_{YX}]\nA[I, J_{YX}] ·_LOCAL B[J_{YX}, K] -> C[I, K]{U_{XY}}",
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
        # one collective and a free step; with the permute before the gather there are fewer bytes and two collectives
        "A[I_{XY}, J] ·_LOCAL B[J, K] -> C[I_Y, K]",
        "SL317",
        "the local operation gives `C[I_{XY}, K]`, not `C[I_Y, K]`",
        (
            "A[I_{XY}, J] ·_LOCAL B[J, K] -> C[I_{XY}, K]\nAllGather_{XY} C[I_{XY}, K] -> C[I, K]\n"
            "Slice_{Y,I} C[I, K] -> C[I_Y, K]"
        ),
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
    ways = [fix.edits[0].text for fix in finding.fixes]
    assert len(set(ways)) == len(ways) > 0
    asked = [way for way in ways if way.startswith(text + " -> C[")]
    assert asked
    assert finding.hint == "state the result: " + ", or ".join(f"`{way}`" for way in asked)
    for way in ways:
        assert codes_of(way) == []


# What NOTATION sections 3 and 5 name: text, the collectives of each way, those with the fewest collectives first.
WAYS = [
    ("explicit\nA[I]{U_X} + b[I] -> C[I]", ["AllReduce_X A", "AllReduce_X C"]),  # reduce first, or mask and reduce last
    ("explicit\nA[I]{U_X} + b[I] -> C[I_X]", ["ReduceScatter_{X,I} A", "ReduceScatter_{X,I} C"]),
    ("explicit\nA[I]{U_X} + 1 -> C[I]", ["AllReduce_X A", "AllReduce_X C"]),
    ("explicit\ngelu(A[I, J]{U_X}) -> C[I, J]", ["AllReduce_X A"]),
    ("explicit\ngelu(A[I, J]{U_X}) -> C[I_X, J]", ["ReduceScatter_{X,I} A"]),
    ("explicit\ngelu(A[I, J]{U_X})", ["ReduceScatter_{X,I} A", "ReduceScatter_{X,J} A", "AllReduce_X A"]),
    (
        "A[I, J]{U_X} ·_LOCAL B[J, K]{U_X} -> C[I, K]{U_X}",
        ["AllReduce_X A", "AllReduce_X B", "ReduceScatter_{X,J} A, ReduceScatter_{X,J} B"],
    ),
    ("explicit\nA[I]{U_{XY}} -> A[I]", ["AllReduce_{XY} A"]),  # axis by axis moves more
    (
        "explicit\nA[I]{U_{XY}} -> A[I_X]",
        [
            "ReduceScatter_{X,I} A, AllReduce_Y A",
            "ReduceScatter_{XY,I} A, AllGather_Y A",
            "AllReduce_{XY} A",
        ],
    ),
    (
        "A[I_X, J] · B[J, K_X]",
        ["AllGather_X A", "AllGather_X B", "AllToAll_{X,J} A, AllToAll_{X,J} B"],
    ),
]


@pytest.mark.parametrize(("text", "ways"), WAYS)
def test_every_way_is_listed(text, ways):
    finding = next(one for one in plan_of(text).diagnostics if one.severity == "error")
    taken = [", ".join(fix.price.collectives) for fix in finding.fixes]
    assert sorted(taken) == sorted(ways)


def test_prices_are_exact_and_in_the_order_of_the_list():
    text = "A[I_X, J] · B[J, K_X]"
    (finding,) = plan_of(text).diagnostics
    assert [fix.price.formula for fix in finding.fixes[:2]] == ["2·I·J·(X-1)/X", "2·J·K·(X-1)/X"]
    assert {fix.price.bytes_received for fix in finding.fixes} == {None}
    (finding,) = plan_of(text, {"X": 4}, I=64, J=16, K=8).diagnostics
    # gather B: 2·16·8·3/4; then exchange C: 2·64·8·(3/4)/4 more; exchange A and B: 2·(64·16 + 16·8)·(3/4)/4
    assert [fix.price.bytes_received for fix in finding.fixes] == [192, 384, 432]
