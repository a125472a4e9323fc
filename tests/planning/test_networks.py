"""Plans on networks beyond a torus or a node, by times worked out by hand (COST_MODEL sections 7 and 8)."""

import pytest

from shardlang.planning import Settings
from shardlang.pricing import find_hardware, machine_for
from shardlang.pricing.machine import collective_timer, math_rate
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.semantics.size import Symbol, axis_symbol, dim_symbol
from shardlang.semantics.topology import Topology
from tests.planning.helpers import plan_of

SUM = "A[I, J_X] · B[J, K] -> C[I, K]"
REDUCE = "Slice_{X,J} B[J, K], then AllReduce_X C[I, K]{U_X}"
OVER_NODES = Topology("node", beyond=(Topology("scale-out"),))
SHARP = Topology("node", reduces=True)


def machine_of(chip, **axes):
    mesh = Mesh(tuple(MeshAxis(name, size, topology) for name, (size, topology) in axes.items()), True)
    return machine_for(mesh, find_hardware(chip))[0]


def listed(machine, text=SUM):
    settings = Settings(math_rate=lambda dtype: math_rate(machine, dtype), machine=machine, alternatives=True)
    (entry,) = plan_of(text, {n.name: n.size for n in machine.networks}, settings).statements
    return {other.name: other for other in entry.alternatives}


# Gather A and multiply, 2·IJ·t + 2·IJK/C, against AllReduce of C, 4·IK·t + 2·IJK/(XC), t the seconds of a byte gathered.
CONDITIONS = [
    # between slices, t = (X-1)/(X·W_dcn), whatever Y is; both differences have the factor 2·I·(X-1)/X
    (("tpu-v5p", {"X": (None, Topology("dcn")), "Y": (None, Topology("ring"))}), "2*K*C/W_dcn < J*K + J*C/W_dcn"),
    # between nodes, whose link Y devices share: t = Y·(X-1)/(X·W_node)
    (
        ("h100", {"X": (None, Topology("scale-out")), "Y": (None, Topology("node"))}),
        "2*K*Y*C/W_node < J*K + J*Y*C/W_node",
    ),
    # with nothing of the mesh inside a node one device has all of its link
    (("h100", {"X": (4, Topology("scale-out"))}), "2*K*C/W_node < J*K + J*C/W_node"),
    # two GPUs in each of 32 nodes of H100: t = max(1/(2·W_egress), 31·8/(32·W_node)), the second; the rest 63/64
    (("h100", {"X": (64, None), "Y": (4, None)}), "496*K*C/W_node < 63*J*K + 248*J*C/W_node"),
    # switches that add up take IK/W for 2·IK·7/8/W
    (("h100", {"X": (8, SHARP)}), "8*K*C/W_egress < 7*J*K + 7*J*C/W_egress"),
]


@pytest.mark.parametrize(("where", "condition"), CONDITIONS)
def test_the_condition_on_the_true_network(where, condition):
    chip, axes = where
    other = listed(machine_of(chip, **axes))[REDUCE]
    assert other.timed
    assert other.wins_when == condition


def test_the_slower_of_two_levels_depends_on_an_open_size():
    """An axis over nodes of 8: t = max(7/(8·W_egress), (X-8)/(X·W_node))."""
    other = listed(machine_of("h100", X=(None, OVER_NODES)))[REDUCE]
    rates = {"C_bf16": 990 * 10**12, "W_egress": 450 * 10**9, "W_node": 400 * 10**9}
    known = {Symbol("hardware", name): rate for name, rate in rates.items()}
    held = set()
    for x in (16, 24, 64, 512):
        t = max(7 / (8 * rates["W_egress"]), (x - 8) / (x * rates["W_node"]))
        for j, k in ((2048, 16384), (65536, 1024), (4096, 3072), (8192, 8000)):
            gather, reduce = 2 * j * t + 2 * j * k / rates["C_bf16"], 4 * k * t + 2 * j * k / (x * rates["C_bf16"])
            values = known | {axis_symbol("X"): x, dim_symbol("J"): j, dim_symbol("K"): k, dim_symbol("I"): 64}
            assert other.wins.holds(values) == (reduce < gather), (x, j, k)
            held.add(reduce < gather)
    assert held == {True, False}


def test_bytes_are_compared_where_an_open_size_decides_which_links_an_axis_gets():
    """Y is taken to be inside a node, and has min(Y, 8) of its devices: of an axis between nodes nothing more is known."""
    other = listed(machine_of("h100", X=(None, Topology("scale-out")), Y=(None, None)))[REDUCE]
    assert (other.timed, other.wins_when) == (False, "2*K < J")


def test_that_is_no_matter_where_all_of_a_node_is_taken():
    """Of min(8·Y, 8) devices in a node it is 8 whatever Y is; in that node X has 8 and the rest of it between nodes."""
    other = listed(machine_of("h100", X=(64, None), Y=(None, None)))[REDUCE]
    assert other.timed
    # t = max(7/(8·W_egress), 7·8/(8·8·W_node)) is the second
    assert other.wins_when == "16*K*C/W_node < 9*J*K + 8*J*C/W_node"


def test_a_figure_that_is_not_known_leaves_bytes():
    assert find_hardware("tpu-v3").dcn is None
    other = listed(machine_of("tpu-v3", X=(None, Topology("dcn")), Y=(None, Topology("ring"))))[REDUCE]
    assert (other.timed, other.wins_when) == (False, "2*K < J")


def chosen(topology, j, k):
    """The collectives of the best plan in a node of 8 GPUs, with arithmetic for nothing."""
    machine = machine_of("h100", X=(8, topology))
    settings = Settings(collective_timer(machine, {"X": 8}), lambda dtype: 1e30)
    (entry,) = plan_of(SUM, {"X": 8}, settings, I=1024, J=j, K=k).statements
    return [step.kind for step in entry.steps if step.axes and not step.kind.startswith(("Slice", "Einsum"))]


@pytest.mark.parametrize(
    ("j", "k", "plain", "sharp"),
    [
        # by 2·I/W: an AllReduce K·7/4, or K where switches add up; an exchange of A and a gather of C J·7/64 + K·7/8
        (1024, 512, ["AllToAll", "AllGather"], ["AllReduce"]),
        (1024, 64, ["AllReduce"], ["AllReduce"]),
        (1024, 960, ["AllGather"], ["AllGather"]),  # of A: J·7/8
    ],
)
def test_a_reduction_in_the_switches_is_planned_for(j, k, plain, sharp):
    assert chosen(Topology("node"), j, k) == plain
    assert chosen(SHARP, j, k) == sharp
    bytes_received = plan_of(SUM, {"X": 8}, I=1024, J=j, K=k).statements[0].steps
    assert [step.kind for step in bytes_received if step.kind.startswith("All")] == plain


@pytest.mark.parametrize("size", [3, 5, 6, 7, 8, 48])
@pytest.mark.parametrize("topology", [Topology("ring"), Topology("line"), Topology("node"), SHARP, Topology("dcn")])
def test_one_allreduce_is_no_dearer_than_its_two_halves(topology, size):
    """Rounding must not make two collectives out of one that takes as long."""
    machine = machine_of("h100" if topology.kind == "node" else "tpu-v5e", X=(size, topology), Y=(1, Topology("ring")))
    settings = Settings(collective_timer(machine, {"X": size, "Y": 1}), lambda dtype: 1e15)
    for length in (size, 7 * size, 1001 * size, 123457 * size):
        (entry,) = plan_of("A[I]{U_X} -> A[I]", {"X": size}, settings, I=length).statements
        assert [step.kind for step in entry.steps] == ["AllReduce"]
