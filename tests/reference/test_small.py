"""Sizes that a plan can be run with: everything divides, and what the steps need equal stays equal."""

from math import prod

import pytest

from shardlang.planning import Settings, plan
from shardlang.reference import small
from shardlang.reference.program import run_plan
from shardlang.reference.small import cases_for, small_case
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


def test_equal_counts_stay_equal():
    made = planned("mesh X=1024, Y=512, Z=2\nA[I_X] -> A[I_{YZ}]")
    assert [step.kind for step in made.statements[0].steps] == ["CollectivePermute"]
    for case in cases_for(made):
        assert case.mesh["X"] == case.mesh["Y"] * case.mesh["Z"]
        assert run_plan(made, case.mesh, case.sizes).ok


def test_a_mesh_that_cannot_shrink_is_not_guessed(monkeypatch):
    monkeypatch.setattr(small, "DEVICES", 15)  # X = Y·Z takes at least 4·2·2 devices
    assert small_case(planned("mesh X=1024, Y=1024\nA[I_X] -> A[I_Y]")) is not None
    made = planned("mesh X=1024, Y=32, Z=32\nA[I_X] -> A[I_{YZ}]")
    assert small_case(made) is None
    assert cases_for(made) == ()


def test_many_axes_have_two_devices_each():
    made = planned("A[I_{STUVWXYZ}] -> A[I]")
    (case,) = cases_for(made)
    assert set(case.mesh.values()) == {2}
    assert run_plan(made, case.mesh, case.sizes).ok


def test_there_are_meshes_of_twos_of_threes_and_mixed_ones():
    text = "A[I_X, J_Y] · B[J_Y, K] -> C[I, K_X]"
    for given in (text, f"mesh X=256, Y=64\nlet I=65536\n{text}"):
        meshes = [tuple(case.mesh.values()) for case in cases_for(planned(given))]
        assert {(2, 2), (3, 3), (4, 4)} < set(meshes)
        assert any(x != y for x, y in meshes)
        assert len(set(meshes)) == len(meshes)


def test_an_axis_of_size_one_stays_so():
    assert {case.mesh["X"] for case in cases_for(planned("mesh X=1, Y=4\nA[I_X, J_Y] -> A[I, J]"))} == {1}


def test_sizes_that_are_known_and_small_are_used_as_they_are():
    text = "mesh X=4, Y=2\nlet I=8, J=12\nA[I_X, J] -> A[I, J_X]"
    assert [(case.mesh, case.sizes) for case in cases_for(planned(text))] == [({"X": 4, "Y": 2}, {"I": 8, "J": 12})]
    assert len(cases_for(planned(text.replace("J=12", "J=1200000")))) > 1
    assert len(cases_for(planned(text.replace("X=4", "X")))) > 1


@pytest.mark.parametrize("text", ["A[I, J_X] · B[J_X, K] -> C[I, K]", "A[I, J_{XY}] · B[J_{XY}, K_Z] -> C[I, K_Z]"])
def test_dimensions_differ_and_pieces_of_an_all_reduce_are_equal(text):
    for case in cases_for(planned(text)):
        assert len(set(case.sizes.values())) == len(case.sizes)
        parts = prod(case.mesh.values())
        assert case.sizes["I"] * case.sizes["K"] % parts == 0
