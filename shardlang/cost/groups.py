"""Which collectives share links: those on one mesh axis, and all in one node."""

from collections.abc import Sequence

from sympy import Expr

from shardlang.cost.pricer import StepEstimate
from shardlang.pricing.collectives import NODE
from shardlang.pricing.machine import Machine
from shardlang.rules.plan import COLLECTIVES


def link_groups(steps: Sequence[StepEstimate], machine: Machine, axes: Sequence[str]) -> list[tuple[str, list[Expr]]]:
    """Return the groups of mesh axes that share links, each with the times of the collectives that load them.

    A collective over several axes loads the links of all of them. Groups that the very same collectives load
    are one. axes: the mesh axes in order, which is also that of the groups. Names: `ici:X`, `ici:X,Y`, `node:X,Y`.
    """
    loads: dict[tuple[str, ...], list[int]] = {}
    node = tuple(n.name for n in machine.networks if n.kind == NODE)
    for at, step in enumerate(steps):
        if step.kind in COLLECTIVES:
            for group in dict.fromkeys(node if axis in node else (axis,) for axis in step.step.axes):
                loads.setdefault(group, []).append(at)
    merged: dict[tuple[int, ...], list[str]] = {}
    for group in sorted(loads, key=lambda group: min(axes.index(axis) for axis in group if axis in axes)):
        merged.setdefault(tuple(loads[group]), []).extend(group)
    used = {axis for step in steps for axis in step.step.axes}
    return [
        (_label([axis for axis in group if axis in used], node), [steps[at].t_comms for at in load])
        for load, group in merged.items()
    ]


def _label(axes: list[str], node: tuple[str, ...]) -> str:
    kind = "node" if axes and all(axis in node for axis in axes) else "ici"
    return f"{kind}:{','.join(axes)}"
