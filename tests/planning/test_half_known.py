"""Statements of which some sizes are known, operations marked `_LOCAL` inside expressions, pending extrema, casts."""

import pytest

from shardlang.planning.settings import sizes_of
from shardlang.planning.sizes import NOMINAL_AXIS
from tests.planning.helpers import codes_of, plan_of, steps_of


@pytest.mark.parametrize("idle", [False, True])
def test_an_axis_of_open_size_keeps_the_symbolic_rule(idle: bool) -> None:
    """NOTATION section 5: a size or more symbolic, mesh known or not; Y of the output is open here."""
    from shardlang.planning import Settings

    text = "A[I_X, J] · B[J, K] -> C[I, K_Y]"
    settings = Settings(idle_axes=idle, alternatives=True)
    (entry,) = plan_of(text, {"X": 64, "Y": None}, settings, I=6400, J=64, K=6400).statements
    kinds = [step.text for step in entry.steps if step.kind == "AllGather"]
    assert kinds == ["AllGather_X C[I_X, K_Y] -> C[I, K_Y]"]


@pytest.mark.parametrize(
    "text",
    [
        "Z[I, K] = gelu(A[I_X, J] ·_LOCAL B[J, K_X])",
        "(A[I_X, J] ·_LOCAL B[J, K_X]) + D[I, K] -> E[I, K]",
        "A[I_X, J] ·_LOCAL B[J, K_X] · D[K, L] -> E[I, L]",
    ],
)
def test_local_holds_inside_an_expression(text: str) -> None:
    assert "SL301" in codes_of(text)


def test_local_leaves_the_rest_of_an_expression_free() -> None:
    steps = steps_of("Z[I, K] = gelu(A[I, J_X] ·_LOCAL B[J_X, K])")
    assert steps == ["AllReduce_X Tmp[I, K]{U_X} -> Tmp[I, K]"]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("other", ["B[I]", "0"])
def test_a_replicated_array_is_relabelled_for_a_maximum(other: str, known: bool) -> None:
    """NOTATION section 3: a replicated array may be relabelled `{max_X}` for free."""
    text = f"C[I]{{max_X}} = maximum(A[I]{{max_X}}, {other})"
    name = other if other == "0" else "B[I]"
    assert steps_of(text, {"X": 4} if known else None, **({"I": 8} if known else {})) == [
        f"Relabel_X {name} -> {name}{{max_X}}"
    ]


def test_a_cast_passes_a_sum_only_to_a_wider_type() -> None:
    """NOTATION section 3: a linear function is a cast to a wider type; rounding addends is not rounding the sum."""
    assert steps_of("C: f32[I]{U_X} = cast(A[I]{U_X})") == []
    assert steps_of("C: int8[I] = cast(A[I]{U_X})") == ["AllReduce_X A[I]{U_X} -> A[I]"]
    assert steps_of("C: f16[I] = cast(A[I]{U_X})") == ["AllReduce_X A[I]{U_X} -> A[I]"]  # as wide, and no wider
    assert steps_of("A: int8[I]{U_X}\nC[I]{U_X} = cast(A[I]{U_X})") == []
    assert steps_of("A: f32[I]{U_X}\nC[I] = cast(A[I]{U_X})") == ["AllReduce_X A[I]{U_X} -> A[I]"]


def test_the_nominal_size_of_a_dimension_in_axes():
    """A known axis counts with its size, an open one with the nominal one."""
    program = plan_of("let F = X*Y, G = 6*X/Y\nA[F, G] -> A[F, G]", {"X": 16, "Y": None}).program
    sizes = sizes_of(program)
    assert (sizes.dim("F"), sizes.dim("G")) == (16 * NOMINAL_AXIS, 6 * 16 // NOMINAL_AXIS)
    assert sizes.open_dim("F")
    assert sizes.open_dim("G")
