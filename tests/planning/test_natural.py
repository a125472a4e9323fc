"""Expressions without an output whose intermediates have no natural layout (NOTATION section 5).

"Intermediates of a chain follow the rule for no output; where that has none, the fewest collectives over the whole
chain." Every plan is run.
"""

import pytest

from shardlang.planning.optimum import communicates
from shardlang.reference.execute import run_steps
from shardlang.rules.plan import COLLECTIVES
from shardlang.semantics.sharding import array_text
from tests.planning.helpers import plan_of

SIZES = {"I": 8, "J": 16, "K": 24, "L": 32, "B": 40}

CHAINS = {
    # the clash of the first pair is none of the whole chain: K is contracted, and sharded in one operand
    "A[I_X, J] · B[J, K_X] · C[K, L]": ("D[I_X, L]", ["AllGather_X B[J, K_X] -> B[J, K]"]),
    "A[I, J] · B[J_X, K] · C[K, L_X]": ("D[I, L_X]", ["AllGather_X B[J_X, K] -> B[J, K]"]),
    # what is pending, and what becomes pending, is so in the whole chain
    "A[I_X, J]{U_Y} · B[J, K_X] · C[K, L]": ("D[I_X, L]{U_Y}", ["AllGather_X B[J, K_X] -> B[J, K]"]),
    "A[I_X, J_Y] · B[J_Y, K_X] · C[K, L]": ("D[I_X, L]{U_Y}", ["AllGather_X B[J_Y, K_X] -> B[J_Y, K]"]),
    "(A[I_X, J] · B[J, K_X]) · (C[K, L] · D[L, B])": ("E[I_X, B]", ["AllGather_X B[J, K_X] -> B[J, K]"]),
    # a dimension in three operands: nothing like a product of two
    "A[I_X, J, K] · B[J, K, L_X] · C[J, L]": ("D[I_X]", ["AllGather_X B[J, K, L_X] -> B[J, K, L]"]),
    "A[B_X, I_Y, J] · W[B_X, J, K_Y] · V[B, K, L]": (
        "C[I_Y, L]{U_X}",
        ["AllGather_Y W[B_X, J, K_Y] -> W[B_X, J, K]", "Slice_{X,B} V[B, K, L] -> V[B_X, K, L]"],
    ),
    # no common prefix of K_{XY} and K_Y: whole in both
    "A[I_X, J] · B[J, K_{XY}] · C[K, L]": ("D[I_X, L]", ["AllGather_{XY} B[J, K_{XY}] -> B[J, K]"]),
    # not a chain of products
    "gelu(A[I_X, J] · B[J, K_X])": ("C[I, K_X]", ["AllGather_X A[I_X, J] -> A[I, J]"]),
    "gelu(A[I]{U_X}) ⊙ B[I_X]": ("C[I_X]", ["ReduceScatter_{X,I} A[I]{U_X} -> A[I_X]"]),
    "gelu(gelu(A[]{U_X}))": ("C[]", ["AllReduce_X A[]{U_X} -> A[]"]),
    "gelu(A[I_X]{U_Y}) + B[I_X]": ("C[I_{XY}]", None),  # a ReduceScatter is the cheaper collective
}


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("text", "expected"), CHAINS.items())
def test_what_the_whole_expression_leads_to(text, expected, known):
    output, moves = expected
    dims = {dim: size for dim, size in SIZES.items() if any(f"{dim}{end}" in text for end in "_,]")}
    made = plan_of(text, {"X": 2, "Y": 2}, **dims) if known else plan_of(text)
    (entry,) = made.statements
    assert [finding.message for finding in made.diagnostics if finding.severity == "error"] == []
    assert run_steps(entry.steps, {"X": 2, "Y": 2}, SIZES)[1] is None
    if known:
        return  # other steps may be better, for the chains to the same layout
    assert [step.kind in COLLECTIVES for step in entry.steps].count(True) == 1
    assert array_text(entry.output.name, entry.output.type) == output
    if moves is not None:
        assert [step.text for step in entry.steps if step.kind in (*COLLECTIVES, "Slice", "Mask", "Pad")] == moves


OPEN = [
    ("A[I, J_X] · B[J, K]{U_X} · C[K, L]", "`X` is pending in one operand and shards `J` of the other"),
    ("A[I, J]{U_X} · B[J, K]{U_X} · C[K, L]", "both operands are pending over `X`"),
    ("A[I_X, J] · B[J, K_X] · C[K, L_X]", "`X` would shard both `I` and `L` of the result"),
]


@pytest.mark.parametrize(("text", "said"), OPEN)
def test_what_the_whole_chain_leaves_open(text, said):
    made = plan_of(text)
    (finding,) = [finding for finding in made.diagnostics if finding.severity == "error"]
    assert finding.code == "SL309"
    assert said in finding.message
    for fix in finding.fixes:
        steps = [step for again in plan_of(fix.edits[0].text).statements for step in again.steps]
        assert run_steps(steps, {"X": 2}, SIZES)[1] is None


@pytest.mark.parametrize(
    ("text", "free"),
    [("A[I, J_X] · B[J, K] · C[K_X, L]", False), ("A[I, J_X] · B[J_X, K] · C[K, L]", True)],
)
def test_explicit_slices_a_chain_or_refuses_it(text, free):
    (entry,) = plan_of("explicit\n" + text).statements
    assert (entry.output is not None) is free
    assert not communicates(entry.steps)


@pytest.mark.parametrize("sizes", [(8, 64, 4096, 65536), (65536, 4096, 64, 8), (64, 8, 8, 8)])
@pytest.mark.parametrize(
    "text",
    [
        "gelu(A[I, J]{U_{XY}} · B[J, K]{U_{XY}})",
        "gelu(A[I_Y, J] · B[J, K_X]{U_Y}) · W[K, L_{XY}]",
        "gelu(A[I_{XY}, J] · B[J_Y, K]{U_X})",
        "gelu(A[I_{YX}, J] · B[J, K_X])",
        "gelu(A[I_X, J]{U_Y} · B[J, K_{XY}]) · W[K_Y, L]{U_X}",
    ],
)
def test_known_sizes_change_the_steps_and_not_the_layout(text, sizes):
    """NOTATION section 5: "This rule fixes the layout; with all sizes known the steps are the best ones for that layout." """
    dims = {dim: size for dim, size in zip("IJKL", sizes, strict=True) if dim in text}
    (still_open,), (known,) = plan_of(text).statements, plan_of(text, {"X": 2, "Y": 4}, **dims).statements
    assert known.output.type.sharding == still_open.output.type.sharding
    assert run_steps(known.steps, {"X": 2, "Y": 4}, dict.fromkeys("IJKL", 16))[1] is None


def test_a_layout_that_does_not_divide_is_none():
    """With I open the sum is scattered over it."""
    text = "gelu(gelu(A[I]{U_X}))"
    outputs = (plan_of(text).statements, plan_of(text, {"X": 2}, I=7).statements)
    assert [array_text(None, entry.output.type) for (entry,) in outputs] == ["[I_X]", "[I]"]
