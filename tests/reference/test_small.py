"""Sizes that a plan can be run with: everything divides, and what the steps need equal stays equal."""

from math import prod

import pytest

from shardlang.planning import Settings, plan
from shardlang.reference import run_plan, small_case
from shardlang.semantics import Options, resolve
from shardlang.source import SourceText
from shardlang.syntax import parse


def planned(text):
    module, _ = parse(SourceText(text))
    program, _ = resolve(module, Options())
    return plan(program, Settings())


@pytest.mark.parametrize(
    "text",
    [
        "A[I, J_X] · B[J_X, K] -> C[I, K]",
        "mesh X=16, Y=256\nlet I=8192, J=8192, K=65536\nA[I_X, J_Y] · B[J_X, K_Y] -> C[I_X, K_Y]",
        "mesh X=128, Y=128\nA[I_X, J] -> A[I_Y, J]",
        "mesh X=3, Y=2\nA[I_{XY}, J] -> A[I, J_{YX}]",
        "mesh X=1, Y=4\nA[I_X, J]{U_Y} -> A[I, J_Y]",
        "A[I, J_{XYZ}] · B[J_{ZYX}, K] -> C[I_Z, K]{U_X}",
        "A[4096_X, 8192] @ B[8192_X, 128] -> C[4096, 128]",
    ],
)
def test_the_plan_runs_with_small_sizes(text):
    made = planned(text)
    case = small_case(made)
    assert case is not None
    assert prod(case.mesh.values()) <= 64
    run = run_plan(made, case.mesh, case.sizes)
    assert run.failures == ()


def test_different_dimensions_get_different_sizes_where_they_can():
    case = small_case(planned("A[I, J_X] · B[J_X, K] -> C[I, K]"))
    assert len({case.sizes["I"], case.sizes["J"], case.sizes["K"]}) == 3


def test_a_mesh_that_cannot_shrink_is_not_guessed():
    made = planned("mesh X=1024, Y=32, Z=32\nA[I_X] -> A[I_{YZ}]")
    assert [step.kind for step in made.statements[0].steps] == ["CollectivePermute"]
    assert small_case(made) is None
