"""The network along each mesh axis: what the text says of it, else the hardware's own rule; and the links that follow.

On a tree of switches axes are placed from the last one, which is the innermost: a node is filled first, then a leaf,
then the spine. Source: COST_MODEL sections 6, 8 and 9.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.pricing.collectives import NODE, NUMBERS, SPLIT, Link, Maths, Quantity
from shardlang.pricing.hardware import Hardware, figure
from shardlang.pricing.slices import Shape
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.semantics.topology import RANKS, TORUS, TREE, Topology
from shardlang.source import Span

_CAPACITY = {  # how many parts a level joins; the outermost takes the rest
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


def wire(
    mesh: Mesh,
    hardware: Hardware | None,
    span: Span,
    places: Mapping[str, Span],
    chips: int | None = None,
) -> tuple[list[AxisNetwork], list[Diagnostic]]:
    """Return the network of each mesh axis in order, and what was wrong with those that were asked for.

    chips: of a slice, where they are known.
    """
    findings: list[Diagnostic] = []
    found: dict[str, AxisNetwork] = {}
    tree = _Tree(hardware, chips)
    if hardware is None or hardware.kind == "tpu":
        for axis in mesh.axes:
            if axis.topology is None and axis.size is not None:
                tree.take("ring", axis.size)
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


def make_link(network: AxisNetwork, size: Quantity, rate: Quantity, physical: Quantity = None) -> Link:
    """Return the `Link` of a mesh axis of a torus or a node, with size and bandwidth in the arithmetic of the caller.

    physical: the torus axes that it spans, in that arithmetic too; None for the number that the network has.
    """
    odd = network.size % 2 if network.size is not None else 0
    shape = tuple(length * (size / size) for length in network.shape)  # in the arithmetic of the caller
    return Link(
        size,
        network.kind,
        rate,
        network.physical if physical is None else physical,
        odd,
        network.reduces,
        one_way=network.one_way,
        alone=network.size == 1,
        shape=shape,
    )


def make_links(
    networks: Sequence[AxisNetwork],
    sizes: Mapping[str, Quantity],
    figure: Callable[[str], Quantity],
    maths: Maths = NUMBERS,
    latency: bool = False,
) -> dict[str, Link]:
    """Return the `Link` of each mesh axis.

    sizes: of all mesh axes. figure: gives a symbol of the hardware (`W_node`, `D_node`) in the arithmetic of the caller.
    latency: whether hops are counted, and links have the seconds of those that are not T_min.
    """
    degrees = _degrees(networks, sizes, figure)
    shares: dict[str, Quantity] = {}

    def make(network: AxisNetwork, size: Quantity) -> Link:
        kind = network.kind
        if kind not in shares:
            shares[kind] = figure("W_ici") if kind in TORUS else _share(kind, networks, degrees, figure, maths)
        link = make_link(network, size, shares[kind], figure(network.spans) if network.spans else None)
        return link._replace(hop=figure(HOPS[kind])) if latency and kind in HOPS else link

    links = {}
    for network in networks:
        size = sizes[network.name]
        if network.kind != SPLIT:
            links[network.name] = make(network, size)
            continue
        own = zip(network.parts, degrees[network.name], strict=True)
        one = size / size  # in the arithmetic of the caller
        parts = tuple(make(_alone(network.name, part), degree * one) for part, degree in own)
        links[network.name] = Link(size, SPLIT, parts[0].bandwidth, parts=parts)
    return links


def _alone(name: str, part: Part) -> AxisNetwork:
    """Return one part of a split axis as an axis of its own."""
    kind, degree, reduces, physical, one_way, shape, spans = part
    return AxisNetwork(name, degree, kind, physical, reduces=reduces, one_way=one_way, shape=shape, spans=spans)


def symbols_of(networks: Iterable[AxisNetwork]) -> tuple[str, ...]:
    """Return the symbols of the hardware whose figures the links need."""
    networks = tuple(networks)
    kinds = dict.fromkeys(part.kind for network in networks for part in network.levels)
    found = [rate_of(kind) for kind in kinds]
    found += [part.spans for network in networks for part in network.levels if part.spans]
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
                degree = figure(_CAPACITY[part.kind]) / used.get(_level(part.kind), 1) if fills else left
            level = _level(part.kind)
            used[level] = used[level] * degree if level in used else degree
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
    rate = figure(BANDWIDTHS[kind])
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


def _level(kind: str) -> str:
    """Return what rings and lines of one slice have in common: they fill it together."""
    return TORUS[0] if kind in TORUS else kind


def _inside(networks: Iterable[AxisNetwork], rank: int) -> bool:
    """Say whether a mesh axis runs inside a level."""
    return any(RANKS[part.kind] < rank for network in networks for part in network.levels)


# -- what was asked for, and the rule ----------------------------------------------------------------


class _Tree:
    """The levels of a tree of switches, and how much of each the axes placed so far take."""

    def __init__(self, hardware: Hardware | None, chips: int | None) -> None:
        self.hardware = hardware
        gpu = hardware is not None and hardware.kind == "gpu"
        self.capacity = {"ring": chips}
        if hardware is not None:
            self.capacity |= {"node": hardware.domain, "scale-out": hardware.leaf}
        self.has_rate = {"spine": gpu and hardware is not None and hardware.leaf is not None}
        self._used: dict[str, int] = {}

    def take(self, kind: str, size: int) -> None:
        """Note that an axis runs along `size` parts of a level."""
        level = _level(kind)
        self._used[level] = self._used.get(level, 1) * size

    def place(self, size: int, levels: Sequence[Part]) -> tuple[Part, ...] | None:
        """Return over how many parts of each level an axis runs; None where a level says not how many it has.

        The last level takes what is left.
        """
        parts = []
        for at, level in enumerate(levels):
            kind = level.kind
            room = self.capacity.get(_level(kind))
            if at == len(levels) - 1:
                degree = size
            elif room is None:
                return None
            else:
                free = room // self._used.get(_level(kind), 1)
                degree = max(d for d in range(1, max(1, min(free, size)) + 1) if size % d == 0)
            size //= degree
            if degree > 1:
                parts.append(level._replace(degree=degree))
                self.take(kind, degree)
        return tuple(parts) or (levels[0]._replace(degree=1),)


def _is_mixed(topology: Topology) -> bool:
    kinds = [level.kind for level in topology.levels]
    in_slices = kinds[0] in TORUS and kinds[1:] == ["dcn"]
    return len(kinds) > 1 and not in_slices and any(kind not in TREE for kind in kinds)


def _mixed(axis: MeshAxis, topology: Topology, span: Span) -> Diagnostic:
    message = (
        f"topology `{topology.text}`, of mesh axis `{axis.name}`, is not supported yet; "
        "only the levels of a tree of switches, `node`, `scale-out` and `spine`, can share an axis, or a torus and `dcn`"
    )
    hint = f"make two axes of it, one a level, and write both where it is meant: `I_{{PQ}}` for `I_{axis.name}`"
    return Diagnostic("SL911", message, span, hint=hint)


def _part(level: Topology, hardware: Hardware | None) -> Part:
    """Return one level of what was asked for; physical axes by the number that is given for their symbol, 1 without one."""
    spans = level.physical if isinstance(level.physical, str) else ""
    physical = level.physical if isinstance(level.physical, int) else figure(hardware, spans) or 1
    return Part(level.kind, None, level.reduces, physical, level.one_way, spans=spans)


def _as_asked(axis: MeshAxis, topology: Topology, tree: _Tree) -> AxisNetwork:
    why = "as given"
    if not topology.beyond:
        if axis.size is not None:
            tree.take(topology.kind, axis.size)
        level = _part(topology, tree.hardware)
        return AxisNetwork(
            axis.name,
            axis.size,
            level.kind,
            level.physical,
            why,
            reduces=level.reduces,
            one_way=level.one_way,
            spans=level.spans,
        )
    levels = [_part(level, tree.hardware) for level in topology.levels]
    parts = tree.place(axis.size, levels) if axis.size is not None else None
    return _over(axis, parts or tuple(levels), why)


def _over(axis: MeshAxis, parts: tuple[Part, ...], why: str) -> AxisNetwork:
    if len(parts) == 1:
        return _alone(axis.name, parts[0])._replace(size=axis.size, why=why)
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
    parts = tree.place(axis.size, [Part(kind) for kind in kinds]) if axis.size is not None else None
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
    spanned = [a.topology.physical if a.topology else 1 for a in slice_axes if a.size != 1]
    named = sum(count if isinstance(count, int) else figure(hardware, count) or 1 for count in spanned)
    if hardware.torus_axes is not None and named < hardware.torus_axes:
        why += "; physical axes that no mesh axis names are taken to comply"
    return True, why


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
