"""A sweep of one plan over a million points, beside one `numpy.multiply` of the same arrays: at most 20 times its time.

`T_lower` needs everything but FLOPs and memory: arithmetic, HBM and each group of links. The seven totals of the plan at
once are told apart, as most of their time is the memory of seven results. Both sides run in turn, in one thread; the
median of the ratios of its CPU time counts. The multiplication makes a new array each time, as the sweep does. Exits
with 1 above the limit.
"""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import shardlang

LIMIT = 20.0
POINTS = 1_000_000
ROUNDS = 15

MLP = """
In[B_X, D_Y] · W_in[D_X, F_Y] -> H[B_X, F_Y]
Z[B_X, F_Y] = gelu(H[B_X, F_Y])
Z[B_X, F_Y] · W_out[F_Y, D_X] -> Out[B_X, D_Y]
"""
SIZES = {"B": 4096, "D": 8192, "F": 32768}
TPU: dict[str, Any] = {"hardware": "tpu-v5p", "mesh": {"X": 16, "Y": 4}, "sizes": SIZES}
GPU: dict[str, Any] = {"hardware": "h100", "mesh": {"X": 64, "Y": 4}, "sizes": {**SIZES, "T_min": 1e-6}}
FULL = {"model": "exact", "latency": True}
PLANS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("one product, v5p", "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]", TPU),
    ("MLP, v5p", MLP, TPU),
    ("MLP, v5p, exact, latency", MLP, {**TPU, **FULL}),
    ("MLP, h100, X over two levels", MLP, GPU),
    ("MLP, h100, exact, latency", MLP, {**GPU, **FULL}),
)
SWEPT = ("B", "B X", "B X Y")


def arrays() -> dict[str, np.ndarray[Any, Any]]:
    """Return a million numbers of each symbol, as floats."""
    random = np.random.default_rng(0)
    return {
        "B": random.integers(1, 1_000_000, POINTS).astype(np.float64),
        "X": np.exp2(random.integers(1, 9, POINTS)),
        "Y": np.exp2(random.integers(1, 6, POINTS)),
    }


def seconds(work: Callable[[], object]) -> float:
    """Return how long a call keeps this thread busy, without what other programs take from it."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def ratio(work: Callable[[], object], one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Return the median ratio to the multiplication, and the median seconds of that."""
    pairs = [(seconds(work), seconds(lambda: np.multiply(one, other))) for _ in range(ROUNDS + 2)][2:]
    return statistics.median(mine / theirs for mine, theirs in pairs), statistics.median(t for _, t in pairs)


def main() -> int:
    """Measure, print, and return 0 if every sweep of `T_lower` is within the limit."""
    numbers = arrays()
    worst = 0.0
    for name, text, keywords in PLANS:
        plan = shardlang.cost(text, **keywords)
        assert plan.ok
        for swept in SWEPT:
            over = {symbol: numbers[symbol] for symbol in swept.split()}
            pair = (numbers["B"], numbers["X" if len(over) > 1 else "B"])
            lower, base = ratio(lambda plan=plan, over=over: plan.sweep(plan.t_lower, over), *pair)
            totals, _ = ratio(lambda plan=plan, over=over: plan.sweep(plan.totals, over), *pair)
            worst = max(worst, lower)
            sys.stdout.write(
                f"T_lower {lower:5.1f}, all {len(plan.totals)} totals {totals:5.1f} ({totals / len(plan.totals):4.1f} each) "
                f"times numpy.multiply ({1e3 * base:.2f} ms)   {name}, over {swept.replace(' ', ', ')}\n"
            )
    sys.stdout.write(f"T_lower at {POINTS:,} points: {worst:.1f} multiplications at worst (limit {LIMIT:g})\n")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
