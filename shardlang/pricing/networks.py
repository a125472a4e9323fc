"""The network along a mesh axis: the levels that it runs over, the figures of the hardware that they need, and whether they fit.

Source: COST_MODEL sections 6, 8 and 9.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.pricing.hardware import Hardware
from shardlang.pricing.slices import Shape
from shardlang.semantics.topology import RANKS, TORUS
from shardlang.source import Span

CAPACITY = {  # how many parts a level joins; the outermost takes the rest
    "ring": "M_slice",
    "line": "M_slice",
    "node": "D_node",
    "scale-out": "D_leaf",
}
BANDWIDTHS = {"node": "W_egress", "scale-out": "W_node", "spine": "W_leaf", "dcn": "W_dcn", "pcie": "W_pcie"}
HOPS = {"dcn": "T_dcn", "pcie": "T_pcie"}  # seconds of a hop; over any other network it is T_min


def rate_of(kind: str) -> str:
    """Return the symbol of the bandwidth of a level: `W_ici` of a torus, `W_egress` of a node, and so on."""
    return BANDWIDTHS.get(kind, "W_ici")


class Part(NamedTuple):
    """What of a mesh axis runs over one level. degree: along how many parts; None for what fills it, or is left.

    physical: of a torus, the axes that it spans; spans: the symbol of their number, where it has one. one_way: its links have one direction. shape: the sizes of several
    physical axes, where they are known.
    """

    kind: str
    degree: int | None = None
    reduces: bool = False
    physical: float = 1
    one_way: bool = False
    shape: Shape = ()
    spans: str = ""


class AxisNetwork(NamedTuple):
    """The network along one mesh axis.

    size: None while symbolic. kind: one of `topology.KINDS`, or `split` over the levels `parts`, from the inside.
    physical: the torus axes that it spans; where that is a symbol, `spans`, its number, or 1 while it is open. why: how
    the kind was decided, as a phrase. reduces: whether switches add up. loose: it is taken to be inside a node, and may
    be larger. one_way: a ring of links in one direction. shape: the sizes of several physical axes, where they are known.
    """

    name: str
    size: int | None
    kind: str
    physical: float = 1
    why: str = ""
    parts: tuple[Part, ...] = ()
    reduces: bool = False
    loose: bool = False
    one_way: bool = False
    shape: Shape = ()
    spans: str = ""

    @property
    def levels(self) -> tuple[Part, ...]:
        """The levels that it runs over, one or more."""
        return self.parts or (
            Part(self.kind, self.size, self.reduces, self.physical, self.one_way, self.shape, self.spans),
        )

    @property
    def words(self) -> str:
        """How it is wired, in words."""
        if self.parts:
            return " and ".join(_words(part) for part in self.parts)
        return _words(self.levels[0], False)


def _words(part: Part, counted: bool = True) -> str:
    words = f"{part.kind} {part.degree}" if counted and part.degree else part.kind
    words = f"one-way {words}" if part.one_way else words
    count = part.spans or (f"{part.physical:g}" if part.physical > 1 else "")
    words = f"{words} over {count} physical axes" if count else words
    return f"{words} with in-network reduction" if part.reduces else words


def alone(name: str, part: Part) -> AxisNetwork:
    """Return one part of a split axis as an axis of its own."""
    kind, degree, reduces, physical, one_way, shape, spans = part
    return AxisNetwork(name, degree, kind, physical, reduces=reduces, one_way=one_way, shape=shape, spans=spans)


def level_of(kind: str) -> str:
    """Return what rings and lines of one slice have in common: they fill it together."""
    return TORUS[0] if kind in TORUS else kind


def runs_inside(networks: Iterable[AxisNetwork], rank: int) -> bool:
    """Say whether a mesh axis runs inside a level."""
    return any(RANKS[part.kind] < rank for network in networks for part in network.levels)


def symbols_of(networks: Iterable[AxisNetwork]) -> tuple[str, ...]:
    """Return the symbols of the hardware whose figures the links need."""
    networks = tuple(networks)
    kinds = dict.fromkeys(part.kind for network in networks for part in network.levels)
    found = [rate_of(kind) for kind in kinds]
    found += [part.spans for network in networks for part in network.levels if part.spans]
    for network in networks:
        found += [CAPACITY[part.kind] for part in network.parts[:-1] if part.degree is None]
    if any(network.loose for network in networks) and any(RANKS[kind] in (1, 2) for kind in kinds):
        found.append("D_node")
    if "dcn" in kinds and not runs_inside(networks, RANKS["dcn"]):
        found.append("M_slice")
    return tuple(dict.fromkeys(found))


def too_large(
    networks: Sequence[AxisNetwork], hardware: Hardware | None, span: Span, in_slice: bool = False
) -> list[Diagnostic]:
    """Return a warning for each network of the hardware that does not hold the axes that run over it.

    in_slice: the shape of the slice is given, and compared with the pod elsewhere.
    """
    if hardware is None:
        return []
    findings = []
    spanned = sum(part.physical for n in networks for part in n.levels if part.kind in TORUS and part.degree != 1)
    if hardware.torus_axes is not None and spanned > hardware.torus_axes:
        message = (
            f"the mesh spans {spanned:g} physical axes and the torus of {hardware.name} has {hardware.torus_axes}; "
            "times are as if each had links of its own"
        )
        findings.append(Diagnostic("SL502", message, span))
    chips = math.prod(part.degree or 1 for n in networks for part in n.levels if part.kind in TORUS)
    pod = math.prod(hardware.pod)
    if hardware.pod and chips > pod and not in_slice:
        message = f"the mesh has {chips} chips on the torus and a pod of {hardware.name} has {pod}; it is priced as if it fitted"
        findings.append(Diagnostic("SL502", message, span))
    for kind, most, what in (
        ("node", hardware.domain, "devices in a node"),
        ("scale-out", hardware.leaf, "nodes under a leaf"),
        ("spine", hardware.spine, "leaves under its spine"),
    ):
        taken = math.prod(part.degree or 1 for n in networks for part in n.levels if part.kind == kind)
        if most is not None and taken > most:
            message = f"the mesh has {taken} {what} and {hardware.name} has {most}; it is priced as one large level"
            findings.append(Diagnostic("SL502", message, span))
    return findings
