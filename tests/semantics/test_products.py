"""Which dimensions a product contracts: NOTATION, end of section 2."""

import pytest

from tests.semantics.helpers import resolved


def contracted(op):
    """The contracted dimensions of the products of an expression, innermost left first."""
    inner = [dims for arg in op.args if hasattr(arg, "args") for dims in contracted(arg)]
    return [*inner, op.contracted] if op.name in ("contract", "hadamard") else inner


@pytest.mark.parametrize(
    ("text", "expected", "dims"),
    [
        # Those that are named; else, with an output, the shared ones that it lacks; with none, every shared one.
        ("A[I, J] · B[J, K] -> C[I, K]", ("J",), ("I", "K")),
        ("A[I, J] ·_J B[J, K] -> C[I, K]", ("J",), ("I", "K")),
        ("A[I, J] · B[J, K] -> C[K, I]", ("J",), ("K", "I")),
        ("A[I, J] · B[J, K]", ("J",), ("I", "K")),
        ("A[B, I, J] · W[B, J, K] -> C[B, I, K]", ("J",), ("B", "I", "K")),
        ("A[B, I, J] · W[B, J, K]", ("B", "J"), ("I", "K")),
        ("A[B, I, J] ·_J W[B, J, K]", ("J",), ("B", "I", "K")),
        ("A[B, N, H] ·_{N,H} W[N, H, D]", ("N", "H"), ("B", "D")),
        ("A[I, J] · B[I, J]", ("I", "J"), ()),
        ("A[I] · B[K] -> C[I, K]", (), ("I", "K")),
        # The Hadamard product keeps every dimension where no output says otherwise.
        ("A[I, J] ⊙ B[J, K]", (), ("I", "J", "K")),
        ("A[I, J] ⊙ B[J, K] -> C[I, K]", ("J",), ("I", "K")),
        ("A[I, J] * B[I, J] -> C[I, J]", (), ("I", "J")),
    ],
)
def test_the_contracted_dimensions_of_a_pair(text, expected, dims):
    found = resolved(text)
    assert found.codes == []
    assert (found.op.contracted, found.op.dims) == (expected, dims)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A[I, J] · B[J, K] -> C[I, K]", "contract"),
        ("A[I] · B[K] -> C[I, K]", "contract"),
        ("A[I, J] * B[I, J] -> C[I, J]", "hadamard"),
        ("A[I, J] ⊙ B[J, K]", "hadamard"),
        ("2 * A[I]", "hadamard"),
        ("A[I, J] * s[I] -> C[I, J]", "hadamard"),
    ],
)
def test_a_product_that_contracts_nothing_may_be_elementwise(text, name):
    assert resolved(text).op.name == name


@pytest.mark.parametrize(
    ("text", "pairs", "codes"),
    [
        ("A[I, J] · B[J, K] · C[K, L] -> D[I, L]", [("J",), ("K",)], []),
        ("In[B, D] · W_in[D, F] · W_out[F, D] -> Out[B, D]", [("D",), ("F",)], ["SL222"]),
        ("In[B, D] ·_D W_in[D, F] ·_F W_out[F, D] -> Out[B, D]", [("D",), ("F",)], []),
        ("A[I, J] · (B[J, K] · C[K, L]) -> D[I, L]", [("K",), ("J",)], []),
        ("A[B, I] · B[B, I, J] · C[B, J] -> D[B]", [("I",), ("J",)], []),
        # A factor without dimensions only scales.
        ("B[I] * C[I] * 2 -> Z[I]", [(), ()], []),
        ("2 * B[I] * C[I] -> Z[I]", [(), ()], []),
        ("A[I, J] · B[J, K] · s[] -> C[I, K]", [("J",), ()], []),
        ("A[I, J] · B[J, K] * 2", [("J",), ()], []),
    ],
)
def test_a_chain_is_a_sequence_of_pairs(text, pairs, codes):
    found = resolved(text)
    assert contracted(found.op) == pairs
    assert found.codes == codes
    assert found.last.ok


def test_the_advice_for_a_chain_is_a_fix():
    text = "In[B, D] · W_in[D, F] · W_out[F, D] -> Out[B, D]"
    assert resolved(text).fixed("SL222") == ["In[B, D] ·_D W_in[D, F] · W_out[F, D] -> Out[B, D]"]


def test_an_ambiguous_chain_lists_the_choices():
    found = resolved("A[I, J, K] · B[J, K, L] · C[L, J, K] -> D[I, J, K]")
    assert "SL217" in found.codes
    assert found.finding("SL217").hint == "write `·_J` or `·_K` or `·_{J,K}`"
    assert not found.last.ok


def test_a_stray_letter_in_the_result_gets_both_fixes():
    found = resolved("A[I,J_X] · B[J_X,L] -> C[I,K]")
    assert found.codes == ["SL213"]
    assert found.under("SL213") == "K"
    assert found.labelled("SL213") == ["L"]
    assert found.fixed("SL213") == ["A[I,J_X] · B[J_X,K] -> C[I,K]", "A[I,J_X] · B[J_X,L] -> C[I,L]"]
    assert found.finding("SL213").hint == (
        "did you mean `A[I, J_X] · B[J_X, K] -> C[I, K]` or `A[I, J_X] · B[J_X, L] -> C[I, L]`?"
    )


def test_a_stray_letter_in_latex_is_found_at_its_place():
    found = resolved(r"A[I, J_X] \cdot_{LOCAL} B[J_X, L] \rightarrow C[I, K]\{U_X\}")
    assert found.codes == ["SL213"]
    assert found.under("SL213") == "K"
    assert resolved(found.fixed("SL213")[0]).codes == []


def test_a_result_dimension_that_no_operand_has():
    found = resolved("dW_in[D,F] = dTmp[B,F] ·_B Tmp[B,F]")
    assert found.codes == ["SL213"]
    assert found.finding("SL213").message == "`D` of the result `dW_in[D, F]` is not a dimension of `dTmp` or `Tmp`"
    assert "`dW_in[F]`" in found.finding("SL213").hint


@pytest.mark.parametrize(
    ("text", "code", "under"),
    [
        ("A[I,J] ·_J B[L,K] -> C[I,K]", "SL214", "J"),
        ("A[I, J] ·_J B[J, K] -> C[I, J, K]", "SL216", "J"),
        ("A[I, J] ·_Q B[J, K] -> C[I, K]", "SL214", "Q"),
        ("A[B, N, H] ·_{NH} W[N, H, D] -> C[B, D]", "SL214", "NH"),
    ],
)
def test_named_dimensions_that_cannot_be_contracted(text, code, under):
    found = resolved(text)
    assert found.codes == [code]
    assert found.under(code).strip("·_{}") == under
    assert not found.last.ok


def test_the_hint_names_what_both_sides_have():
    assert resolved("A[I, J] ·_Q B[J, K]").finding("SL214").hint == "both operands have `J`: write `·_J`"


@pytest.mark.parametrize(
    ("text", "dim"),
    [
        ("A[I, J, M] · B[J, K] -> C[I, K]", "M"),
        ("A[I, J] -> C[I]", "J"),
        ("A[I, J, B] ·_J W[J, K, B] -> C[I, K]", "B"),
        ("2 * A[I, J] -> C[I]", "J"),
    ],
)
def test_a_dimension_that_is_lost_is_summed_over_with_a_warning(text, dim):
    found = resolved(text)
    assert found.codes == ["SL215"]
    assert found.under("SL215") == dim
    assert dim in found.op.contracted
    assert found.last.ok


def test_an_arrow_that_loses_a_dimension_is_a_sum():
    found = resolved("A[I, J, K] -> C[K, I]")
    assert (found.op.name, found.op.contracted, found.op.dims) == ("sum", ("J",), ("K", "I"))
    assert found.last.body.kind == "reduction"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("bf16[8,128] @ bf16[128,128] -> f32[8,128]", None),
        ("int8[8, 16] @ int8[16, 4]", None),
        ("X[32, 1024, 64] · W[64, 128]", None),
        ("int8[8, 16] @ int8[8, 4]", "SL220"),
        ("int8[8, 16] @ int8[16, 4] -> int8[8, 5]", "SL213"),
        ("A[128, D] · W[D, F] -> H[128, F]", "SL910"),
        ("A[I, ...] + B[I, ...] -> C[I, ...]", "SL910"),
    ],
)
def test_anonymous_dimensions_match_only_by_position(text, code):
    found = resolved(text)
    assert found.codes == ([code] if code else [])
    if code is None:
        assert len(found.op.contracted) == 1
        assert len(found.op.dims) >= 2


def test_a_result_of_constants_has_no_dimension():
    found = resolved("Z[I] = 2 * 3").finding("SL213")
    assert found.message == "`I` of the result `Z[I]` is not a dimension of the expression, which has no array"
