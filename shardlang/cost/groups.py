"""Which collectives share links: those on one mesh axis of a torus, and all on one level of switches."""

from collections.abc import Sequence

from sympy import Expr

from shardlang.cost.pricer import StepEstimate
from shardlang.pricing.machine import Machine
from shardlang.rules.plan import COLLECTIVES


def link_groups(steps: Sequence[StepEstimate], machine: Machine, axes: Sequence[str]) -> list[tuple[str, list[Expr]]]:
    """Return the groups of mesh axes that share links, each with the times of the collectives that load them.

    A collective over several axes loads the links of all of them, over several levels those of each for its own time.
    Groups that the very same collectives load for the same times are one. axes: the mesh axes in order, which is also
    that of the groups. Names: `ici:X`, `ici:X,Y`, `node:X,Y`, `scale-out:X`.
    """
    loads: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for at, step in enumerate(steps):
        if step.kind in COLLECTIVES and step.t_comms != 0:
            for group in dict.fromkeys(group for axis in step.step.axes for group in machine.shared(axis)):
                loads.setdefault(group, []).append(at)
    merged: dict[tuple[tuple[int, ...], tuple[Expr, ...]], list[tuple[str, tuple[str, ...]]]] = {}
    for group in sorted(loads, key=lambda group: min(axes.index(axis) for axis in group[1] if axis in axes)):
        times = tuple(steps[at].loads.get(group[0], steps[at].t_comms) for at in loads[group])
        merged.setdefault((tuple(loads[group]), times), []).append(group)
    used = {axis for step in steps for axis in step.step.axes}
    return [(_label(groups, used), list(times)) for (_, times), groups in merged.items()]


def _label(groups: list[tuple[str, tuple[str, ...]]], used: set[str]) -> str:
    kinds = dict.fromkeys(kind for kind, _ in groups)
    axes = dict.fromkeys(axis for _, group in groups for axis in group if axis in used)
    return f"{'+'.join(kinds)}:{','.join(axes)}"
