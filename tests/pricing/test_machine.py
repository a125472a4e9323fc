"""Topology of mesh axes by the hardware's own rule: COST_MODEL sections 6 and 9."""

import pytest

from shardlang.pricing.hardware import find_hardware
from shardlang.pricing.machine import collective_timer, machine_for, make_link, math_rate
from shardlang.pricing.networks import symbols_of
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.semantics.topology import Topology


def mesh(**sizes):
    return Mesh(tuple(MeshAxis(name, size) for name, size in sizes.items()), True)


def kinds(machine):
    return {network.name: network.kind for network in machine.networks}


@pytest.mark.parametrize(
    ("chip", "sizes", "expected"),
    [
        (None, {"X": 3, "Y": None}, "ring ring"),
        ("tpu-v5p", {"X": 4, "Y": 8}, "ring ring"),
        ("tpu-v5p", {"X": 4, "Y": None}, "ring ring"),
        ("tpu-v5p", {"X": 4, "Y": 1}, "ring ring"),
        ("tpu-v5p", {"X": 4, "Y": 2}, "line line"),  # the rule is one of the slice, not of the axis
        ("tpu-v4p", {"X": 6}, "line"),
        ("tpu7x", {"X": 4}, "ring"),
        ("tpu-v5e", {"X": 16, "Y": 8}, "ring line"),
        ("tpu-v6e", {"X": 32, "Y": None}, "line ring"),
        ("tpu-v2", {"X": 16}, "ring"),
        ("tpu-v3", {"X": 4}, "line"),
        ("h100", {"X": 4, "Y": 2}, "node node"),
        ("h100", {"X": None}, "node"),
    ],
)
def test_wraparound_by_the_rule_of_the_hardware(chip, sizes, expected):
    machine, findings = machine_for(mesh(**sizes), find_hardware(chip) if chip else None)
    assert " ".join(kinds(machine).values()) == expected
    assert findings == ()


def test_every_assumption_is_said():
    machine, _ = machine_for(mesh(X=16, Y=None), None)
    assert machine.assumptions == ("X: ring (no hardware named)", "Y: ring (no hardware named)")
    machine, _ = machine_for(mesh(X=8), find_hardware("tpu-v5e"))
    assert machine.assumptions == ("X: line (TPU v5e wraps around at exactly 16, not at 8)",)


def test_no_size_is_said_to_allow_what_is_assumed():
    assert machine_for(mesh(X=None), find_hardware("tpu-v5p"))[0].assumptions == (
        "X: ring (slice taken as 4x4x4 cubes, on which TPU v5p wraps around; no size is known)",
    )
    known = "TPU v5p wraps around on slices of 4x4x4 cubes, which the known sizes allow"
    machine, _ = machine_for(mesh(X=4, Y=None, Z=4), find_hardware("tpu-v5p"))
    assert machine.assumptions == tuple(f"{axis}: ring ({known})" for axis in "XYZ")


@pytest.mark.parametrize("sizes", [{"X": 4, "Y": 4}, {"X": 64}, {"X": 4, "Y": 4, "Z": 1}])
def test_physical_axes_that_no_mesh_axis_names_are_said_to_be_taken_to_comply(sizes):
    """X=4, Y=4 are 16 chips, and a cube has 64: COST_MODEL section 9."""
    for sentence in machine_for(mesh(**sizes), find_hardware("tpu-v5p"))[0].assumptions:
        assert sentence.endswith("; physical axes that no mesh axis names are taken to comply)")


def test_a_mesh_axis_may_name_two_physical_axes():
    axes = (MeshAxis("X", 16, Topology("ring", 2)), MeshAxis("Y", 4))
    machine, _ = machine_for(Mesh(axes, True), find_hardware("tpu-v5p"))
    assert "no mesh axis names" not in machine.assumptions[1]


def test_a_mesh_that_is_larger_than_a_node_goes_on_over_the_scale_out_network():
    machine, findings = machine_for(mesh(X=16, Y=8), find_hardware("h100"))
    assert findings == ()
    assert machine.assumptions == (
        "X: scale-out (a node of H100 has 8)",
        "Y: node (one H100 node of 8)",
    )
    assert machine_for(mesh(X=4, Y=2), find_hardware("h100"))[0].assumptions[0] == "X: node (one H100 node of 8)"
    open_sizes, _ = machine_for(mesh(X=None), find_hardware("h100"))
    assert open_sizes.assumptions == ("X: node (taken to be in one H100 node of 8)",)


def test_what_is_asked_for_comes_first():
    asked = (Topology("ring"), Topology("ring"), Topology("ring", 2))
    axes = tuple(map(MeshAxis, "XYZ", (16, 4, 4), asked))
    machine, findings = machine_for(Mesh(axes, True), find_hardware("tpu-v5e"))
    assert kinds(machine) == {"X": "ring", "Y": "ring", "Z": "ring"}
    assert machine.network("Z").physical == 2
    assert "X: ring (as given)" in machine.assumptions
    assert "Z: ring over 2 physical axes (as given)" in machine.assumptions
    assert [finding.code for finding in findings] == ["SL502"]  # 4 physical axes on a torus of 2


def test_a_mesh_axis_may_span_an_open_number_of_physical_axes():
    """Its bandwidth is M_X·W_ici; with M_X open nothing can be timed."""
    chip = find_hardware("tpu-v5p")
    spanned = Mesh((MeshAxis("X", 16, Topology("ring", "M_X")),), True)
    machine, _ = machine_for(spanned, chip)
    assert machine.assumptions == ("X: ring over M_X physical axes (as given)",)
    assert symbols_of(machine.networks) == ("W_ici", "M_X")
    assert collective_timer(machine, {"X": 16}) is None
    known, findings = machine_for(spanned, chip._replace(mesh={"M_X": 2}))
    seconds = collective_timer(known, {"X": 16})
    assert findings == ()
    assert seconds("AllGather", 1e6, ("X",)) == pytest.approx(15e6 / (2 * 1.8e11))
    assert [f.code for f in machine_for(spanned, chip._replace(mesh={"M_X": 4}))[1]] == ["SL502"]


def test_a_topology_that_is_not_supported():
    asked = Topology("ring", beyond=(Topology("pcie"),))
    machine, findings = machine_for(Mesh((MeshAxis("X", 4, asked),), True), find_hardware("tpu-v5p"))
    assert [finding.code for finding in findings] == ["SL911"]
    assert kinds(machine) == {"X": "ring"}


def test_more_axes_than_the_torus_has_and_more_gpus_than_a_node_has():
    four = machine_for(mesh(X=4, Y=4, Z=4, T=4), find_hardware("tpu-v5p"))[1]
    assert [finding.code for finding in four] == ["SL502"]
    assert machine_for(mesh(X=4, Y=4, Z=4, T=1), find_hardware("tpu-v5p"))[1] == ()
    assert machine_for(mesh(X=8, Y=2), find_hardware("h100"))[1] == ()
    wide = Mesh((MeshAxis("X", 16, Topology("node")),), True)
    (finding,) = machine_for(wide, find_hardware("h100"))[1]
    assert (finding.code, finding.message) == (
        "SL502",
        "the mesh has 16 devices in a node and H100 has 8; it is priced as one large level",
    )
    (finding,) = machine_for(mesh(X=2048), find_hardware("h100"))[1]
    assert "8 leaves under its spine and H100 has 4" in finding.message
    assert machine_for(mesh(X=36, Y=2), find_hardware("gb200-nvl72"))[1] == ()


def test_axes_of_a_node_share_links_and_axes_of_a_torus_do_not():
    assert machine_for(mesh(X=4, Y=2), find_hardware("h100"))[0].groups() == (("X", "Y"),)
    assert machine_for(mesh(X=4, Y=4), find_hardware("tpu-v5p"))[0].groups() == (("X",), ("Y",))


def test_what_planning_compares():
    machine, _ = machine_for(mesh(X=4, Y=8), find_hardware("tpu-v5p"))
    seconds = collective_timer(machine, {"X": 4, "Y": 8})
    assert seconds("AllGather", 1e6, ("Y",)) == pytest.approx(7e6 / 1.8e11)
    assert seconds("AllGather", 1e6, ("X", "Y")) == pytest.approx(31e6 / 3.6e11)
    slow = collective_timer(machine, {"X": 4, "Y": 8}, latency=True)
    assert slow("AllGather", 1, ("Y",)) == pytest.approx(4e-6)
    assert math_rate(machine, "bf16") == 4.59e14
    assert math_rate(machine, "f32") is None
    nameless, _ = machine_for(mesh(X=4), None)
    assert collective_timer(nameless, {"X": 4}) is None
    assert math_rate(nameless, "bf16") is None
    assert collective_timer(machine_for(mesh(X=4), find_hardware("v100"))[0], {"X": 4}) is None


def test_a_link_knows_whether_its_size_is_odd():
    machine, _ = machine_for(mesh(X=5, Y=None), None)
    assert make_link(machine.network("X"), 5, 1.0).odd == 1
    assert make_link(machine.network("Y"), 4, 1.0).odd == 0
