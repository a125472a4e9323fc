"""How many statements a second shardlang parses, beside how many lines `ast.parse` reads. Prints both and the ratio.

The target: at least a quarter as many. Run as `python tests/bench/parse_speed.py`; exits with 1 below it.
"""

import ast
import gc
import sys
import time

from shardlang.source import SourceText
from shardlang.syntax import parse

PYTHON_LINE = "C[i, k] = dot(A[i, j_x], B[j_x, k])"
STATEMENT = "C[I, K] = A[I, J_X] · B[J_X, K]"
LINES = 2_000
ROUNDS = 5
TARGET = 0.25


def seconds_a_line(read: object, text: str) -> float:
    """Return the least time that `read` takes for one line of `text`, over a few rounds."""
    assert callable(read)
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        start = time.perf_counter()
        read(text)
        times.append((time.perf_counter() - start) / LINES)
    return min(times)


def measure() -> tuple[float, float]:
    """Return the seconds a line of `ast.parse` and of shardlang, measured in one run."""
    python = seconds_a_line(ast.parse, "\n".join([PYTHON_LINE] * LINES))
    shard = seconds_a_line(lambda text: parse(SourceText(text)), "\n".join([STATEMENT] * LINES))
    return python, shard


def main() -> int:
    python, shard = measure()
    ratio = python / shard
    sys.stdout.write(
        f"ast.parse:  {1e6 * python:6.1f} us a line,      {1 / python:8.0f} lines a second\n"
        f"shardlang:  {1e6 * shard:6.1f} us a statement, {1 / shard:8.0f} statements a second\n"
        f"ratio:      {ratio:6.2f} (target: at least {TARGET})\n"
    )
    return 0 if ratio >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
