"""Latency against bandwidth: the two times of each collective of which the longer one counts."""

from collections.abc import Iterable

from sympy import Add, Expr, Max, Symbol

from shardlang.cost.crossover import Pair, Roof
from shardlang.cost.maximum import ZERO, maximum
from shardlang.cost.pricer import StepEstimate
from shardlang.pricing.collectives import ICI
from shardlang.rules.plan import COLLECTIVES


def latency_pairs(steps: Iterable[StepEstimate], hop: Symbol) -> tuple[Pair, ...]:
    """Return for each collective, and each level of links that it loads, its latency and its bandwidth: `latency:X`, `bandwidth:X`.

    A pair a step, as a group of links may carry a large array and a small one: their sum is neither bound by latency nor by
    bandwidth. Steps that compare the same times share a pair. hop: the symbol of the latency of one hop.
    """
    found: dict[tuple[str, Expr, Expr], list[str]] = {}
    for step in steps:
        if step.kind not in COLLECTIVES:
            continue
        for level, time in step.loads.items():
            wait, transfer = _parts(time, hop)
            if wait != 0 and transfer != 0:
                axes = ",".join(step.step.axes)
                label = axes if level == ICI else f"{level}:{axes}"
                found.setdefault((label, wait, transfer), []).append(step.text)
    return tuple(
        Pair(Roof(f"latency:{label}", wait), Roof(f"bandwidth:{label}", transfer), tuple(texts))
        for (label, wait, transfer), texts in found.items()
    )


def _parts(time: Expr, hop: Symbol) -> tuple[Expr, Expr]:
    """Return the latency and the bandwidth term: of a maximum, or of the sum that a point-to-point transfer takes."""
    join = maximum if isinstance(time, Max) else lambda *parts: Add(*parts)
    parts = Max.make_args(time) if isinstance(time, Max) else Add.make_args(time)
    wait = [part for part in parts if part.has(hop)]
    transfer = [part for part in parts if not part.has(hop)]
    return (join(*wait) if wait else ZERO), (join(*transfer) if transfer else ZERO)
