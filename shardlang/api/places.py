"""Where a text says what: its hardware, its links, its sizes."""

from shardlang.source import Span
from shardlang.syntax import ast


def hardware_span(module: ast.Module) -> Span:
    """Return where the text names its hardware; the start where it does not."""
    found = (s.name.span for s in module.statements if isinstance(s, ast.HardwareDecl))
    return next(found, Span(0, 0))


def topology_places(module: ast.Module) -> dict[str, Span]:
    """Return where the text says how a mesh axis is wired."""
    axes = (axis for s in module.statements if isinstance(s, ast.MeshDecl) for axis in s.axes)
    return {axis.name.text: axis.topology.span for axis in axes if axis.topology is not None}


def size_places(module: ast.Module) -> dict[str, Span]:
    """Return where the text declares each mesh axis, and where a `let` gives each other name its size."""
    axes = (axis.name for s in module.statements if isinstance(s, ast.MeshDecl) for axis in s.axes)
    bound = (name for s in module.statements if isinstance(s, ast.LetDecl) for name, _ in s.bindings)
    found: dict[str, Span] = {}
    for name in (*axes, *bound):
        found.setdefault(name.text, name.span)
    return found
