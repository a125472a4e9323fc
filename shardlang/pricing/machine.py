"""The machine that a plan is priced on: hardware, and the network along each mesh axis.

Nothing is assumed in silence: `Machine.assumptions` are sentences for the report.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.pricing.collectives import NODE, Link, Quantity, product, time, time_exact, volume
from shardlang.pricing.hardware import Hardware
from shardlang.pricing.widths import rate_name
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.semantics.topology import LATER_KINDS, Topology
from shardlang.source import Span

_NOWHERE = Span(0, 0)


class AxisNetwork(NamedTuple):
    """The network along one mesh axis.

    size: None while symbolic. kind: one of `topology.KINDS`. physical: the torus axes that it spans. why: how the kind
    was decided, as a phrase.
    """

    name: str
    size: int | None
    kind: str
    physical: int = 1
    why: str = ""


class Machine(NamedTuple):
    """hardware: None for symbolic rates. networks: one entry a mesh axis, in order. assumptions: sentences."""

    hardware: Hardware | None = None
    networks: tuple[AxisNetwork, ...] = ()
    assumptions: tuple[str, ...] = ()

    def network(self, axis: str) -> AxisNetwork:
        """Return the network of a mesh axis; an axis that the machine does not know is a ring of open size."""
        return next((n for n in self.networks if n.name == axis), AxisNetwork(axis, None, "ring"))

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the mesh axes in groups that share links: each torus axis alone, the axes of a node together."""
        node = tuple(n.name for n in self.networks if n.kind == NODE)
        alone = tuple((n.name,) for n in self.networks if n.kind != NODE)
        return (*alone, node) if node else alone

    def bandwidth(self, axis: str) -> float | None:
        """Return W_ici or W_egress of a mesh axis in bytes/s (of one physical axis), None while symbolic."""
        if self.hardware is None:
            return None
        return self.hardware.egress if self.network(axis).kind == NODE else self.hardware.ici


def machine_for(
    mesh: Mesh,
    hardware: Hardware | None = None,
    span: Span = _NOWHERE,
    places: Mapping[str, Span] | None = None,
) -> tuple[Machine, tuple[Diagnostic, ...]]:
    """Return the machine of a mesh, and findings at `span`; those on the topology of an axis where `places` says.

    What the mesh says of an axis comes before the hardware's own rule of wraparound. Source: COST_MODEL sections 6
    and 9.
    """
    findings: list[Diagnostic] = []
    networks: list[AxisNetwork] = []
    for axis in mesh.axes:
        network = None
        if axis.topology is not None:
            network = _as_asked(axis, axis.topology, findings, (places or {}).get(axis.name, span))
        networks.append(network or _by_rule(axis, mesh, hardware))
    findings.extend(_too_large(tuple(networks), hardware, span))
    return Machine(hardware, tuple(networks), _assumptions(networks)), tuple(findings)


def make_link(network: AxisNetwork, size: Quantity, rate: Quantity) -> Link:
    """Return the `Link` of a mesh axis with the size and the bandwidth in the arithmetic of the caller."""
    odd = network.size % 2 if network.size is not None else 0
    return Link(size, network.kind, rate, network.physical, odd)


def math_rate(machine: Machine, dtype: str) -> float | None:
    """Return the FLOPs/s of arithmetic on `dtype`, None where no hardware is named or it states no such rate."""
    return None if machine.hardware is None else machine.hardware.flops.get(rate_name(dtype))


class Timer:
    """Seconds of a collective in the exact form, from (kind, operand bytes on one device, axes): what plans are chosen by.

    machine: whose figures they are. hop: seconds of latency that each hop counts, None where latency is left out.
    """

    def __init__(self, machine: Machine, links: Mapping[str, Link], hop: float | None) -> None:
        self.machine, self.hop = machine, hop
        self._links = links

    def __call__(self, kind: str, operand_bytes: float, axes: tuple[str, ...]) -> float:
        """Return the seconds of one collective over `axes`."""
        used = [self._links[axis] for axis in axes]
        if self.hop is None:
            return float(time_exact(kind, operand_bytes, used))
        return float(time(kind, volume(kind, operand_bytes, product(used)), used, "exact", self.hop))


def collective_timer(machine: Machine, sizes: Mapping[str, int], latency: bool = False) -> Timer | None:
    """Return the seconds of collectives on a machine.

    sizes: those of the mesh axes. latency: count it, where the hardware states one. None where the hardware is not named or has no figure for its network.
    """
    links: dict[str, Link] = {}
    for network in machine.networks:
        rate, size = machine.bandwidth(network.name), network.size or sizes.get(network.name)
        if rate is None:
            return None
        if size is not None:
            links[network.name] = make_link(network, size, rate)
    if machine.hardware is None:
        return None
    return Timer(machine, links, machine.hardware.latency if latency else None)


def _as_asked(axis: MeshAxis, topology: Topology, findings: list[Diagnostic], span: Span) -> AxisNetwork | None:
    if topology.kind in LATER_KINDS:
        message = (
            f"topology `{topology.text}`, of mesh axis `{axis.name}`, is not supported yet; "
            "`ring`, `line` and `node` are"
        )
        findings.append(Diagnostic("SL911", message, span))
        return None
    return AxisNetwork(axis.name, axis.size, topology.kind, topology.physical, "as given")


def _by_rule(axis: MeshAxis, mesh: Mesh, hardware: Hardware | None) -> AxisNetwork:
    if hardware is None:
        return AxisNetwork(axis.name, axis.size, "ring", 1, "no hardware named")
    if hardware.kind == "gpu":
        return AxisNetwork(axis.name, axis.size, NODE, 1, _node_words(mesh, hardware))
    wraps, why = _wraps(axis, mesh, hardware)
    return AxisNetwork(axis.name, axis.size, "ring" if wraps else "line", 1, why)


def _node_words(mesh: Mesh, hardware: Hardware) -> str:
    """Return the words for the node of a mesh on GPUs, and how large it would have to be where it is too small."""
    devices = math.prod(a.size or 1 for a in mesh.axes if a.topology is None or a.topology.kind == NODE)
    if hardware.domain is not None and devices > hardware.domain:
        return f"priced as one large node of {devices}; a node of {hardware.name} has {hardware.domain}"
    node = f"one {hardware.name} node" + (f" of {hardware.domain}" if hardware.domain else "")
    return node if all(a.size is not None for a in mesh.axes) else f"taken to be in {node}"


def _wraps(axis: MeshAxis, mesh: Mesh, hardware: Hardware) -> tuple[bool, str]:
    """Say whether an axis has wraparound by the hardware's own rule, and how that was decided."""
    name = hardware.name
    if hardware.wraparound in ("always", "never"):
        return hardware.wraparound == "always", f"{name} {hardware.wraparound} wraps around"
    if hardware.wraparound == "pod":
        if axis.size is None:
            return True, f"size open; {name} wraps around at exactly 16"
        return (
            axis.size == 16,
            f"{name} wraps around at exactly 16, not at {axis.size}" if axis.size != 16 else f"16 on {name}",
        )
    short = [f"{a.name}={a.size}" for a in mesh.axes if a.size not in (None, 1) and a.size % 4]
    if short:
        return False, f"{', '.join(short)} makes no slice of 4x4x4 cubes, so nothing on {name} wraps around"
    if all(axis.size is None for axis in mesh.axes):
        return True, f"slice taken as 4x4x4 cubes, on which {name} wraps around; no size is known"
    why = f"{name} wraps around on slices of 4x4x4 cubes, which the known sizes allow"
    named = sum(a.topology.physical if a.topology else 1 for a in mesh.axes if a.size != 1)
    if hardware.torus_axes is not None and named < hardware.torus_axes:
        why += "; physical axes that no mesh axis names are taken to comply"
    return True, why


def _too_large(networks: tuple[AxisNetwork, ...], hardware: Hardware | None, span: Span) -> list[Diagnostic]:
    if hardware is None:
        return []
    findings = []
    spanned = sum(n.physical for n in networks if n.kind != NODE and n.size != 1)
    if hardware.torus_axes is not None and spanned > hardware.torus_axes:
        message = (
            f"the mesh spans {spanned} physical axes and the torus of {hardware.name} has {hardware.torus_axes}; "
            "times are as if each had links of its own"
        )
        findings.append(Diagnostic("SL502", message, span))
    devices = 1
    for network in networks:
        devices *= network.size or 1 if network.kind == NODE else 1
    if hardware.domain is not None and devices > hardware.domain:
        message = (
            f"the mesh has {devices} devices and a node of {hardware.name} has {hardware.domain}; it is priced as "
            "one large node, as networks across nodes are not supported yet"
        )
        findings.append(Diagnostic("SL502", message, span))
    return findings


def _assumptions(networks: list[AxisNetwork]) -> tuple[str, ...]:
    sentences = []
    for n in networks:
        kind = f"{n.kind} over {n.physical} physical axes" if n.physical > 1 else n.kind
        sentences.append(f"{n.name}: {kind} ({n.why})")
    return tuple(sentences)
