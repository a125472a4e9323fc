"""The machine that a plan is priced on: hardware, and the network along each mesh axis.

Nothing is assumed in silence: `Machine.assumptions` are sentences for the report.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.pricing.collectives import NODE, Link, Quantity, product, time, time_exact, volume
from shardlang.pricing.hardware import Hardware
from shardlang.pricing.widths import rate_name
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.source import Span

KINDS = ("ring", "line", "node")
LATER_KINDS = ("scale-out", "dcn", "pcie")
_NOWHERE = Span(0, 0)


class AxisNetwork(NamedTuple):
    """The network along one mesh axis.

    size: None while symbolic. kind: one of `KINDS`. physical: the torus axes that it spans. why: how the kind
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
    overrides: Mapping[str, str] | None = None,
    span: Span = _NOWHERE,
    places: Mapping[str, Span] | None = None,
) -> tuple[Machine, tuple[Diagnostic, ...]]:
    """Return the machine of a mesh, and findings at `span`; those on the topology of an axis where `places` says.

    overrides: topology by mesh axis (`ring`, `ring:2`, `line`, `node`), before what the mesh declares, before the
    hardware's own rule of wraparound. Source: COST_MODEL sections 6 and 9.
    """
    findings: list[Diagnostic] = []
    networks: list[AxisNetwork] = []
    for axis in mesh.axes:
        asked = (overrides or {}).get(axis.name) or axis.topology
        network = _as_asked(axis, asked, findings, (places or {}).get(axis.name, span)) if asked else None
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


def collective_timer(
    machine: Machine, sizes: Mapping[str, int], latency: bool = False
) -> Callable[[str, float, tuple[str, ...]], float] | None:
    """Return a function from (kind, operand bytes on one device, axes) to seconds in the exact form.

    sizes: those of the mesh axes. latency: count it, where the hardware states one. None where the hardware is not named or has no figure for its network.
    """
    links: dict[str, Link] = {}
    for network in machine.networks:
        rate, size = machine.bandwidth(network.name), network.size or sizes.get(network.name)
        if rate is None:
            return None
        if size is not None:
            links[network.name] = make_link(network, size, rate)

    def seconds(kind: str, operand_bytes: float, axes: tuple[str, ...]) -> float:
        used = [links[axis] for axis in axes]
        if hop is None:
            return float(time_exact(kind, operand_bytes, used))
        return float(time(kind, volume(kind, operand_bytes, product(used)), used, "exact", hop))

    hardware = machine.hardware
    hop = hardware.latency if hardware is not None and latency else None
    return seconds if hardware is not None else None


def split_topology(text: str) -> tuple[str, int] | None:
    """Return the kind and the number of physical axes of `ring`, `ring:2`, `line`, …; None if it is none of them."""
    kind, colon, count = text.strip().partition(":")
    if kind not in KINDS + LATER_KINDS or (colon and (kind not in ("ring", "line") or count not in ("1", "2", "3"))):
        return None
    return kind, int(count) if colon else 1


def _as_asked(axis: MeshAxis, asked: str, findings: list[Diagnostic], span: Span) -> AxisNetwork | None:
    split = split_topology(asked)
    if split is None:
        message = (
            f"`{asked}` is not a topology; mesh axis `{axis.name}` may be `ring`, `ring:2`, `ring:3`, `line` or `node`"
        )
        findings.append(Diagnostic("SL505", message, span, hint=f"{axis.name}=ring"))
        return None
    kind, physical = split
    if kind in LATER_KINDS:
        message = f"topology `{kind}`, of mesh axis `{axis.name}`, is not supported yet; `ring`, `line` and `node` are"
        findings.append(Diagnostic("SL911", message, span))
        return None
    return AxisNetwork(axis.name, axis.size, kind, physical, "as given")


def _by_rule(axis: MeshAxis, mesh: Mesh, hardware: Hardware | None) -> AxisNetwork:
    if hardware is None:
        return AxisNetwork(axis.name, axis.size, "ring", 1, "no hardware named")
    if hardware.kind == "gpu":
        why = f"one {hardware.name} node" + (f" of {hardware.domain}" if hardware.domain else "")
        return AxisNetwork(axis.name, axis.size, NODE, 1, why)
    wraps, why = _wraps(axis, mesh, hardware)
    return AxisNetwork(axis.name, axis.size, "ring" if wraps else "line", 1, why)


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
    return True, f"{name} wraps around on slices of 4x4x4 cubes, which the known sizes allow"


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
            f"the mesh has {devices} devices in a node and a node of {hardware.name} has {hardware.domain}; "
            "networks between nodes are not supported yet, so times are those of one large node"
        )
        findings.append(Diagnostic("SL502", message, span))
    return findings


def _assumptions(networks: list[AxisNetwork]) -> tuple[str, ...]:
    sentences = []
    for n in networks:
        kind = f"{n.kind} over {n.physical} physical axes" if n.physical > 1 else n.kind
        sentences.append(f"{n.name}: {kind} ({n.why})")
    return tuple(sentences)
