"""The machine that a plan is priced on: hardware, and the network along each mesh axis.

Nothing is assumed in silence: `Machine.assumptions` are sentences for the report.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.pricing.collectives import ICI, NODE, Link, product, time, time_exact, volume
from shardlang.pricing.hardware import Hardware, figure
from shardlang.pricing.links import make_link, make_links
from shardlang.pricing.networks import HOPS, AxisNetwork, symbols_of, too_large
from shardlang.pricing.slices import Placement, Shape, place_axes, pod_problem, shape_text, wraps
from shardlang.pricing.widths import rate_name
from shardlang.pricing.wiring import wire
from shardlang.semantics.program import Mesh
from shardlang.semantics.topology import TORUS
from shardlang.source import Span

__all__ = ["AxisNetwork", "Machine", "Timer", "collective_timer", "machine_for", "make_link", "math_rate"]

_NOWHERE = Span(0, 0)


class Machine(NamedTuple):
    """hardware: None for symbolic rates. networks: one entry a mesh axis, in order. assumptions: sentences.

    shape: of the slice that it is, and chips in it, where they are known. wired: false where a finding on the links of the
    mesh is an error: those of `networks` are then not what it has.
    """

    hardware: Hardware | None = None
    networks: tuple[AxisNetwork, ...] = ()
    assumptions: tuple[str, ...] = ()
    shape: Shape | None = None
    chips: int | None = None
    wired: bool = True

    def of(self, mesh: Mesh) -> "Machine":
        """Return the machine for a mesh of other sizes."""
        return machine_for(mesh, self.hardware, shape=self.shape, chips=self.chips)[0]

    def network(self, axis: str) -> AxisNetwork:
        """Return the network of a mesh axis; an axis that the machine does not know is a ring of open size."""
        return next((n for n in self.networks if n.name == axis), AxisNetwork(axis, None, "ring"))

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the mesh axes in groups that share links: each torus axis alone, those of a level of switches together."""
        shared = (group for network in self.networks for _, group in self.shared(network.name))
        return tuple(dict.fromkeys(shared))

    def shared(self, axis: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return for each level that an axis runs over its kind (`ici` for a torus) and the axes that share its links."""
        return tuple(
            (ICI, (axis,))
            if part.kind in TORUS
            else (part.kind, tuple(n.name for n in self.networks if any(p.kind == part.kind for p in n.levels)))
            for part in self.network(axis).levels
        )

    def sharing(self, axes: Iterable[str]) -> tuple[AxisNetwork, ...]:
        """Return the networks that the links of some mesh axes depend on.

        They are their own; all of the mesh where one runs beyond a torus or a node, as devices share the links there.
        """
        own = {axis: self.network(axis) for axis in axes}
        if any(part.kind not in (*TORUS, NODE) for network in own.values() for part in network.levels):
            own = {network.name: network for network in self.networks} | own
        return tuple(own.values())

    def figures(self, networks: Iterable[AxisNetwork]) -> dict[str, float] | None:
        """Return the figures of the hardware that the links of some networks need, by symbol; None if it lacks one."""
        found = {name: figure(self.hardware, name) for name in symbols_of(networks)}
        known = {name: value for name, value in found.items() if value is not None}
        return known if len(known) == len(found) else None

    @property
    def layered(self) -> bool:
        """Whether an axis runs beyond a torus or a node, where what one axis gets depends on the others."""
        return any(part.kind not in (*TORUS, NODE) for network in self.networks for part in network.levels)

    def bandwidth(self, axis: str) -> float | None:
        """Return W_ici or W_egress of an axis of a torus or a node in bytes/s (of one physical axis).

        None while symbolic, and for an axis that runs beyond them.
        """
        kind = self.network(axis).kind
        if kind in TORUS:
            return figure(self.hardware, "W_ici")
        return figure(self.hardware, "W_egress") if kind == NODE else None


def machine_for(
    mesh: Mesh,
    hardware: Hardware | None = None,
    span: Span = _NOWHERE,
    places: Mapping[str, Span] | None = None,
    shape: Shape | None = None,
    chips: int | None = None,
    free: Collection[str] = (),
) -> tuple[Machine, tuple[Diagnostic, ...]]:
    """Return the machine of a mesh, and findings at `span`; those on the topology of an axis where `places` says.

    What the mesh says of an axis comes before the hardware's own rule of wraparound. shape: the physical axes of the
    slice, which decide that rule where they are known. chips: in a slice, where only that is known. free: axes whose
    open size the slice does not decide. Source: COST_MODEL sections 6 and 9.
    """
    placed = place_axes(mesh, shape, span) if shape is not None else None
    chips = math.prod(shape) if shape is not None else chips
    networks, findings = wire(mesh, hardware, span, places or {}, chips)
    if shape is not None and hardware is not None and isinstance(placed, Placement):
        before = networks
        networks = [_in_slice(network, shape, placed, hardware, mesh, free) for network in before]
        pairs = zip(before, networks, strict=True)
        findings += [found for pair in pairs for found in _contradicted(*pair, shape, hardware, span)]
    findings += too_large(networks, hardware, span, in_slice=shape is not None)
    if shape is not None and hardware is not None:
        findings += pod_problem(shape, hardware, span)
    if isinstance(placed, Diagnostic):
        findings.append(placed)
    assumptions = tuple(f"{network.name}: {network.words} ({network.why})" for network in networks)
    wired = all(finding.severity != "error" for finding in findings)
    return Machine(hardware, tuple(networks), assumptions, shape, chips, wired), tuple(findings)


def _in_slice(
    network: AxisNetwork, shape: Shape, placement: Placement, hardware: Hardware, mesh: Mesh, free: Collection[str]
) -> AxisNetwork:
    """Return a network with the physical axes that it has in a slice, also where their number was open; a ring where all wrap around."""
    sizes = placement.physical.get(network.name)
    if sizes is None or (network.size is not None and network.size % math.prod(sizes)):
        return network  # beyond the slice, or, said to go on beyond it, smaller than what is left of it
    asked = next(a.topology for a in mesh.axes if a.name == network.name)
    rings = dict(zip(shape, wraps(hardware, shape), strict=True))
    short = [size for size in sizes if not rings[size]]
    kind = asked.kind if asked is not None else "line" if short else "ring"
    why = f"{shape_text(sizes) or 'none'} of slice {shape_text(shape)}"
    if network.name in free and network.size is None:
        why = f"taken to be {why} while its size is open"
    elif placement.several:
        why += ", in the order of the mesh"
    if asked is not None:
        why += "; as given"
    elif 0 < len(short) < len(sizes):
        why += f", as a line, since {shape_text(tuple(short))} does not wrap around"
    elif sizes:
        why += f", which {'does not wrap' if short else 'wraps'} around"
    spanned, several = max(1, len(sizes)), sizes if len(sizes) > 1 and network.name not in free else ()
    if network.parts:
        first = network.parts[0]._replace(degree=math.prod(sizes), physical=spanned, shape=several, spans="")
        return network._replace(parts=(first, *network.parts[1:]), why=why)
    return network._replace(kind=kind, physical=spanned, why=why, shape=several, spans="")


def _contradicted(
    asked: AxisNetwork, network: AxisNetwork, shape: Shape, hardware: Hardware, span: Span
) -> Iterator[Diagnostic]:
    """Yield a warning where a number is given for the physical axes of a mesh axis, and the slice says another."""
    for wanted, part in zip(asked.levels, network.levels, strict=True):
        given = figure(hardware, wanted.spans) if wanted.spans and not part.spans else None
        if given is not None and given != part.physical:
            message = (
                f"`{wanted.spans}` is {given:g}, and on the slice {shape_text(shape)} axis `{network.name}` spans {part.physical:g}; "
                "it is priced with those of the slice"
            )
            yield Diagnostic("SL507", message, span, hint=f"leave `{wanted.spans}` out: the slice decides it")


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

    sizes: those of the mesh axes. latency: count it, where the hardware states one. None where the hardware is not
    named or has no figure for its network, and where an open size decides what links an axis gets.
    """
    figures = machine.figures(machine.networks)
    known = {n.name: n.size or sizes.get(n.name) for n in machine.networks}
    networks = [network for network in machine.networks if known[network.name] is not None]
    if machine.hardware is None or figures is None or (machine.layered and None in known.values()):
        return None
    hop = machine.hardware.latency if latency else None
    figures |= {name: figure(machine.hardware, name) or 0.0 for name in HOPS.values()}
    return Timer(machine, make_links(networks, known, figures.__getitem__, latency=hop is not None), hop)
