"""Bytes and times of collectives against a mesh on which they are carried out, and against how a ring works."""

import itertools

import pytest
import sympy

from shardlang.cost.estimate import estimate
from shardlang.pricing import find_hardware, machine_for
from shardlang.reference.execute import run_steps
from tests.cost.plans import plan

BYTES = 2  # of an element, bf16
MESHES = [{"X": x, "Y": y, "Z": z} for x, y, z in itertools.product((2, 3, 4), (2, 4), (1, 2))]
COLLECTIVES = [
    "AllGather X: A[I_X,J] -> A[I,J]",
    "AllGather Y: A[I_{XY},J_Z] -> A[I_X,J_Z]",
    "AllGather XY: A[I_{XY},J] -> A[I,J]",
    "AllGather XY: A[I_X,J_Y]{U_Z} -> A[I,J]{U_Z}",
    "AllGather XYZ: A[I_{XY},J_Z] -> A[I,J]",
    "ReduceScatter X: A[I,J]{U_X} -> A[I,J_X]",
    "ReduceScatter XY: A[I_Z,J]{U_XY} -> A[I_Z,J_{XY}]",
    "ReduceScatter Y: A[I_X,J]{max_Y} -> A[I_{XY},J]",
    "AllReduce X: A[I_Y,J]{U_X} -> A[I_Y,J]",
    "AllReduce XYZ: A[I,J]{U_XYZ} -> A[I,J]",
    "AllToAll X: A[I_X,J] -> A[I,J_X]",
    "AllToAll Y: A[I_{XY},J_Z] -> A[I_X,J_{ZY}]",
    "AllToAll XY: A[I_{XY},J] -> A[I,J_{XY}]",
]


@pytest.mark.parametrize("mesh", MESHES, ids=str)
@pytest.mark.parametrize("text", COLLECTIVES)
def test_bytes_received_are_those_of_the_busiest_device(text, mesh):
    extents = {"I": 48, "J": 96}
    made = plan(text, mesh=",".join(f"{axis}={size}" for axis, size in mesh.items()), sizes=extents)
    found = estimate(made, machine_for(made.program.mesh, None)[0])
    (step,) = found.statements[0].steps
    (ran,), fault = run_steps((step.step,), mesh, extents)
    assert fault is None
    assert found.value(step.bytes_received) == pytest.approx(BYTES * float(ran.received), rel=1e-12)


@pytest.mark.parametrize("mesh", MESHES, ids=str)
def test_a_permute_receives_at_most_the_local_shard(mesh):
    extents = {"I": 48, "J": 96}
    text = "CollectivePermute XY: A[I_{XY},J] -> A[I_{YX},J]"
    made = plan(text, mesh=",".join(f"{axis}={size}" for axis, size in mesh.items()), sizes=extents)
    found = estimate(made, machine_for(made.program.mesh, None)[0])
    (step,) = found.statements[0].steps
    (ran,), fault = run_steps((step.step,), mesh, extents)
    assert fault is None
    assert found.value(step.bytes_received) >= BYTES * float(ran.received) > 0


@pytest.mark.parametrize(
    "text", [text for text in COLLECTIVES if "AllToAll" not in text and "XY" not in text.split(":")[0]]
)
def test_a_ring_takes_what_is_received_at_the_bandwidth_of_both_directions(text):
    made = plan(text, mesh="X,Y,Z")
    (step,) = estimate(made, machine_for(made.program.mesh, None)[0], model="exact").statements[0].steps
    assert sympy.simplify(step.t_comms * sympy.Symbol("W_ici", positive=True) - step.bytes_received) == 0


@pytest.mark.parametrize("size", [2, 4, 6, 8, 16])
def test_an_exchange_on_a_ring_takes_what_its_busiest_link_carries(size):
    """Each device sends a block to each other one the shorter way round, half of what is opposite each way."""
    carried = [0.0] * size  # by the link from device i to i + 1
    for source, target in itertools.product(range(size), repeat=2):
        there = (target - source) % size
        for share, hops in ((1.0, there),) if there < size / 2 else ((0.5, there),) if there == size / 2 else ():
            for hop in range(hops):
                carried[(source + hop) % size] += share
    made = plan("AllToAll X: A[I_X,J] -> A[I,J_X]", mesh=f"X={size}", sizes={"I": 48 * size, "J": 16 * size})
    found = estimate(made, machine_for(made.program.mesh, None)[0], model="exact", constants={"W_ici": 2.0})
    block = BYTES * 48 * 16
    one_way = 1.0
    assert found.value(found.t_comms) == pytest.approx(max(carried) * block * size / size / one_way)


def test_the_time_of_a_node_is_what_one_device_receives_over_its_egress():
    for text in (
        "AllGather X: A[I_X,J] -> A[I,J]",
        "AllReduce X: A[I,J]{U_X} -> A[I,J]",
        "AllToAll X: A[I_X,J] -> A[I,J_X]",
    ):
        made = plan(text, mesh="X=8")
        found = estimate(made, machine_for(made.program.mesh, find_hardware("h100"))[0], model="exact")
        (step,) = found.statements[0].steps
        egress = sympy.Symbol("W_egress", positive=True)
        assert sympy.simplify(step.t_comms * egress - step.bytes_received) == 0
