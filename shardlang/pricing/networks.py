"""The network along each mesh axis: what the text says of it, else the hardware's own rule; and the links that follow.

On a tree of switches axes are placed from the last one, which is the innermost: a node is filled first, then a leaf,
then the spine. Source: COST_MODEL sections 6, 8 and 9.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.pricing.collectives import NODE, NUMBERS, SPLIT, Link, Maths, Quantity
from shardlang.pricing.hardware import Hardware
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.semantics.topology import RANKS, TORUS, TREE, Topology
from shardlang.source import Span

_CAPACITY = {"node": "D_node", "scale-out": "D_leaf"}  # how many parts a level joins; the outermost takes the rest
_RATE = {"node": "W_egress", "scale-out": "W_node", "spine": "W_leaf", "dcn": "W_dcn", "pcie": "W_pcie"}


def rate_of(kind: str) -> str:
    """Return the symbol of the bandwidth of a level: `W_ici` of a torus, `W_egress` of a node, and so on."""
    return _RATE.get(kind, "W_ici")


class Part(NamedTuple):
    """What of a mesh axis runs over one level. degree: along how many parts; None for what fills it, or is left."""

    kind: str
    degree: int | None = None
    reduces: bool = False


class AxisNetwork(NamedTuple):
    """The network along one mesh axis.

    size: None while symbolic. kind: one of `topology.KINDS`, or `split` over the levels `parts`, from the inside.
    physical: the torus axes that it spans. why: how the kind was decided, as a phrase. reduces: whether switches add
    up. loose: it is taken to be inside a node, and may be larger.
    """

    name: str
    size: int | None
    kind: str
    physical: int = 1
    why: str = ""
    parts: tuple[Part, ...] = ()
    reduces: bool = False
    loose: bool = False

    @property
    def levels(self) -> tuple[Part, ...]:
        """The levels that it runs over, one or more."""
        return self.parts or (Part(self.kind, self.size, self.reduces),)

    @property
    def words(self) -> str:
        """How it is wired, in words."""
        if self.parts:
            return " and ".join(_words(part) for part in self.parts)
        return f"{self.kind} over {self.physical} physical axes" if self.physical > 1 else _words(self.levels[0], False)


def _words(part: Part, counted: bool = True) -> str:
    words = f"{part.kind} {part.degree}" if counted and part.degree else part.kind
    return f"{words} with in-network reduction" if part.reduces else words


def wire(
    mesh: Mesh, hardware: Hardware | None, span: Span, places: Mapping[str, Span]
) -> tuple[list[AxisNetwork], list[Diagnostic]]:
    """Return the network of each mesh axis in order, and what was wrong with those that were asked for."""
    findings: list[Diagnostic] = []
    found: dict[str, AxisNetwork] = {}
    tree = _Tree(hardware)
    for axis in reversed(mesh.axes):
        if axis.topology is not None and not _is_mixed(axis.topology):
            found[axis.name] = _as_asked(axis, axis.topology, tree)
        elif axis.topology is not None:
            findings.append(_mixed(axis, axis.topology, places.get(axis.name, span)))
    for axis in reversed(mesh.axes):
        if axis.name not in found:
            found[axis.name] = _by_rule(axis, mesh, hardware, tree)
    findings.reverse()
    return [found[axis.name] for axis in mesh.axes], findings


def make_link(network: AxisNetwork, size: Quantity, rate: Quantity) -> Link:
    """Return the `Link` of a mesh axis of a torus or a node, with size and bandwidth in the arithmetic of the caller."""
    odd = network.size % 2 if network.size is not None else 0
    return Link(size, network.kind, rate, network.physical, odd, network.reduces)


def make_links(
    networks: Sequence[AxisNetwork],
    sizes: Mapping[str, Quantity],
    figure: Callable[[str], Quantity],
    maths: Maths = NUMBERS,
) -> dict[str, Link]:
    """Return the `Link` of each mesh axis.

    sizes: of all mesh axes. figure: gives a symbol of the hardware (`W_node`, `D_node`) in the arithmetic of the caller.
    """
    degrees = _degrees(networks, sizes, figure)
    shares: dict[str, Quantity] = {}

    def share(kind: str) -> Quantity:
        if kind not in shares:
            shares[kind] = _share(kind, networks, degrees, figure, maths)
        return shares[kind]

    links = {}
    for network in networks:
        size = sizes[network.name]
        if network.kind in TORUS:
            links[network.name] = make_link(network, size, figure("W_ici"))
        elif network.kind != SPLIT:
            links[network.name] = make_link(network, size, share(network.kind))
        else:
            own = zip(network.parts, degrees[network.name], strict=True)
            parts = tuple(Link(d, part.kind, share(part.kind), reduces=part.reduces) for part, d in own)
            links[network.name] = Link(size, SPLIT, parts[0].bandwidth, parts=parts)
    return links


def symbols_of(networks: Iterable[AxisNetwork]) -> tuple[str, ...]:
    """Return the symbols of the hardware whose figures the links need."""
    networks = tuple(networks)
    kinds = dict.fromkeys(part.kind for network in networks for part in network.levels)
    found = [_RATE.get(kind, "W_ici") for kind in kinds]
    for network in networks:
        found += [_CAPACITY[part.kind] for part in network.parts[:-1] if part.degree is None]
    if any(network.loose for network in networks) and any(RANKS[kind] in (1, 2) for kind in kinds):
        found.append("D_node")
    if "dcn" in kinds and not _inside(networks, RANKS["dcn"]):
        found.append("M_slice")
    return tuple(dict.fromkeys(found))


def _degrees(
    networks: Sequence[AxisNetwork], sizes: Mapping[str, Quantity], figure: Callable[[str], Quantity]
) -> dict[str, tuple[Quantity, ...]]:
    """Return how many parts of each level an axis runs along, level by level."""
    used: dict[str, Quantity] = {}
    found: dict[str, tuple[Quantity, ...]] = {}
    inner_first = list(reversed(networks))
    inner_first.sort(key=lambda network: bool(network.parts))  # a split axis takes what the others leave
    for network in inner_first:
        left, degrees = sizes[network.name], []
        for part in network.parts or (Part(network.kind),):
            degree: Quantity = part.degree if network.parts else None
            if degree is None:
                fills = network.parts and part is not network.parts[-1]
                degree = figure(_CAPACITY[part.kind]) / used.get(part.kind, 1) if fills else left
            used[part.kind] = used[part.kind] * degree if part.kind in used else degree
            left = left / degree
            degrees.append(degree)
        found[network.name] = tuple(degrees)
    return found


def _share(
    kind: str,
    networks: Sequence[AxisNetwork],
    degrees: Mapping[str, tuple[Quantity, ...]],
    figure: Callable[[str], Quantity],
    maths: Maths,
) -> Quantity:
    """Return one device's share of what leaves the part below a level: of a node W_node over the devices in it."""
    rate = figure(_RATE[kind])
    if kind in (NODE, "pcie"):
        return rate
    if kind == "dcn":
        return rate if _inside(networks, RANKS[kind]) else figure("M_slice") * rate
    in_node: Quantity = 1
    beyond: Quantity = 1
    for network in networks:
        for part, degree in zip(network.levels, degrees[network.name], strict=True):
            if RANKS[part.kind] == 0:
                in_node = in_node * degree
            elif RANKS[part.kind] < RANKS[kind]:
                beyond = beyond * degree
    if any(network.loose for network in networks):
        in_node = maths.minimum(in_node, figure("D_node"))
    return rate / (in_node * beyond)


def _inside(networks: Iterable[AxisNetwork], rank: int) -> bool:
    """Say whether a mesh axis runs inside a level."""
    return any(RANKS[part.kind] < rank for network in networks for part in network.levels)


# -- what was asked for, and the rule ----------------------------------------------------------------


class _Tree:
    """The levels of a tree of switches, and how much of each the axes placed so far take."""

    def __init__(self, hardware: Hardware | None) -> None:
        gpu = hardware is not None and hardware.kind == "gpu"
        self.capacity = {"node": hardware.domain, "scale-out": hardware.leaf} if hardware is not None else {}
        self.has_rate = {"spine": gpu and hardware is not None and hardware.leaf is not None}
        self._used: dict[str, int] = {}

    def take(self, kind: str, size: int) -> None:
        """Note that an axis runs along `size` parts of a level."""
        self._used[kind] = self._used.get(kind, 1) * size

    def place(self, size: int, levels: Sequence[tuple[str, bool]]) -> tuple[Part, ...] | None:
        """Return over how many parts of each level an axis runs; None where a level says not how many it has.

        The last level takes what is left.
        """
        parts = []
        for at, (kind, reduces) in enumerate(levels):
            room = self.capacity.get(kind)
            if at == len(levels) - 1:
                degree = size
            elif room is None:
                return None
            else:
                free = room // self._used.get(kind, 1)
                degree = max(d for d in range(1, max(1, min(free, size)) + 1) if size % d == 0)
            size //= degree
            if degree > 1:
                parts.append(Part(kind, degree, reduces))
                self.take(kind, degree)
        return tuple(parts) or (Part(levels[0][0], 1, levels[0][1]),)


def _is_mixed(topology: Topology) -> bool:
    return bool(topology.beyond) and any(level.kind not in TREE for level in topology.levels)


def _mixed(axis: MeshAxis, topology: Topology, span: Span) -> Diagnostic:
    message = (
        f"topology `{topology.text}`, of mesh axis `{axis.name}`, is not supported yet; "
        "only the levels of a tree of switches, `node`, `scale-out` and `spine`, can share an axis"
    )
    hint = f"make two axes of it, one a level, and write both where it is meant: `I_{{PQ}}` for `I_{axis.name}`"
    return Diagnostic("SL911", message, span, hint=hint)


def _as_asked(axis: MeshAxis, topology: Topology, tree: _Tree) -> AxisNetwork:
    why = "as given"
    if not topology.beyond:
        if axis.size is not None:
            tree.take(topology.kind, axis.size)
        return AxisNetwork(axis.name, axis.size, topology.kind, topology.physical, why, reduces=topology.reduces)
    levels = [(level.kind, level.reduces) for level in topology.levels]
    parts = tree.place(axis.size, levels) if axis.size is not None else None
    return _over(axis, parts or tuple(Part(kind, None, reduces) for kind, reduces in levels), why)


def _over(axis: MeshAxis, parts: tuple[Part, ...], why: str) -> AxisNetwork:
    if len(parts) == 1:
        return AxisNetwork(axis.name, axis.size, parts[0].kind, 1, why, reduces=parts[0].reduces)
    return AxisNetwork(axis.name, axis.size, SPLIT, 1, why, parts)


def _by_rule(axis: MeshAxis, mesh: Mesh, hardware: Hardware | None, tree: _Tree) -> AxisNetwork:
    if hardware is None:
        outer = next((a.name for a in mesh.axes if a.topology is not None and a.topology.kind in TREE), None)
        if outer is None:
            return AxisNetwork(axis.name, axis.size, "ring", 1, "no hardware named")
        why = f"taken to be in one node, as {outer} is on a tree of switches"
        return AxisNetwork(axis.name, axis.size, NODE, 1, why, loose=True)
    if hardware.kind == "gpu":
        return _on_tree(axis, mesh, hardware, tree)
    wraps, why = _wraps(axis, mesh, hardware)
    return AxisNetwork(axis.name, axis.size, "ring" if wraps else "line", 1, why)


def _on_tree(axis: MeshAxis, mesh: Mesh, hardware: Hardware, tree: _Tree) -> AxisNetwork:
    node = f"one {hardware.name} node" + (f" of {hardware.domain}" if hardware.domain else "")
    kinds = TREE if tree.has_rate["spine"] else TREE[:2]
    parts = tree.place(axis.size, [(kind, False) for kind in kinds]) if axis.size is not None else None
    if parts is None or axis.size is None:
        return AxisNetwork(axis.name, axis.size, NODE, 1, f"taken to be in {node}", loose=True)
    known = all(a.size is not None for a in mesh.axes)
    if len(parts) == 1 and parts[0].kind == NODE:
        return _over(axis, parts, node if known else f"taken to be in {node}")
    inside = "" if known else "; axes of open size inside it are not counted"
    return _over(axis, parts, f"a node of {hardware.name} has {hardware.domain}{inside}")


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
    slice_axes = [a for a in mesh.axes if a.topology is None or a.topology.kind in TORUS]
    short = [f"{a.name}={a.size}" for a in slice_axes if a.size not in (None, 1) and a.size % 4]
    if short:
        return False, f"{', '.join(short)} makes no slice of 4x4x4 cubes, so nothing on {name} wraps around"
    if all(a.size is None for a in slice_axes):
        return True, f"slice taken as 4x4x4 cubes, on which {name} wraps around; no size is known"
    why = f"{name} wraps around on slices of 4x4x4 cubes, which the known sizes allow"
    named = sum(a.topology.physical if a.topology else 1 for a in slice_axes if a.size != 1)
    if hardware.torus_axes is not None and named < hardware.torus_axes:
        why += "; physical axes that no mesh axis names are taken to comply"
    return True, why


def too_large(networks: Sequence[AxisNetwork], hardware: Hardware | None, span: Span) -> list[Diagnostic]:
    """Return a warning for each network of the hardware that does not hold the axes that run over it."""
    if hardware is None:
        return []
    findings = []
    spanned = sum(n.physical for n in networks if n.kind in TORUS and n.size != 1)
    if hardware.torus_axes is not None and spanned > hardware.torus_axes:
        message = (
            f"the mesh spans {spanned} physical axes and the torus of {hardware.name} has {hardware.torus_axes}; "
            "times are as if each had links of its own"
        )
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
