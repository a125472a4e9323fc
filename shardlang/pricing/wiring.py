"""Which network each mesh axis gets: what the text says of it, else the hardware's own rule.

On a tree of switches axes are placed from the last one, which is the innermost: a node is filled first, then a leaf,
then the spine. Source: COST_MODEL sections 6, 8 and 9.
"""

from collections.abc import Mapping, Sequence

from shardlang.diagnostics import Diagnostic
from shardlang.pricing.collectives import NODE, SPLIT
from shardlang.pricing.hardware import Hardware, figure
from shardlang.pricing.networks import AxisNetwork, Part, alone, level_of
from shardlang.semantics.program import Mesh, MeshAxis
from shardlang.semantics.topology import TORUS, TREE, Topology
from shardlang.source import Span


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
    tree = Tree(hardware, chips)
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


class Tree:
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
        level = level_of(kind)
        self._used[level] = self._used.get(level, 1) * size

    def place(self, size: int, levels: Sequence[Part]) -> tuple[Part, ...] | None:
        """Return over how many parts of each level an axis runs; None where a level says not how many it has.

        The last level takes what is left.
        """
        parts = []
        for at, level in enumerate(levels):
            kind = level.kind
            room = self.capacity.get(level_of(kind))
            if at == len(levels) - 1:
                degree = size
            elif room is None:
                return None
            else:
                free = room // self._used.get(level_of(kind), 1)
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


def _as_asked(axis: MeshAxis, topology: Topology, tree: Tree) -> AxisNetwork:
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
        return alone(axis.name, parts[0])._replace(size=axis.size, why=why)
    return AxisNetwork(axis.name, axis.size, SPLIT, 1, why, parts)


def _by_rule(axis: MeshAxis, mesh: Mesh, hardware: Hardware | None, tree: Tree) -> AxisNetwork:
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


def _on_tree(axis: MeshAxis, mesh: Mesh, hardware: Hardware, tree: Tree) -> AxisNetwork:
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
