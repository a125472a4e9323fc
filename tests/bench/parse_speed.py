"""How many statements a second shardlang parses, beside how many lines `ast.parse` reads. Prints both and the ratio.

The target: at least a quarter as many. Both read the same number of lines in one run and take turns, so that a
busy machine slows both; the median of the ratios counts. Exits with 1 below the target.
"""

import ast
import statistics
import sys
import time
from collections.abc import Callable

from shardlang.source import SourceText
from shardlang.syntax import parse

TARGET = 0.25
LINES = 2_000
ROUNDS = 7


def seconds_a_line(read: Callable[[str], object], text: str) -> float:
    """Return the time that `read` takes for one line of `text`."""
    start = time.perf_counter()
    read(text)
    return (time.perf_counter() - start) / LINES


def main() -> int:
    """Measure, print, and return 0 if the ratio reaches the target."""
    python = "\n".join(f"C{line}[i, k] = dot(A{line}[i, j_x], B{line}[j_x, k])" for line in range(LINES))
    notation = "\n".join(f"C{line}[I, K] = A{line}[I, J_X] · B{line}[J_X, K]" for line in range(LINES))
    module, findings = parse(SourceText(notation))
    assert len(module.statements) == LINES
    assert not findings
    rounds = [
        (seconds_a_line(ast.parse, python), seconds_a_line(lambda text: parse(SourceText(text)), notation))
        for _ in range(ROUNDS)
    ]
    ratio = statistics.median(theirs / ours for theirs, ours in rounds)
    theirs, ours = (statistics.median(column) for column in zip(*rounds, strict=True))
    sys.stdout.write(
        f"ast.parse:  {1e6 * theirs:6.1f} us a line,      {1 / theirs:8.0f} lines a second\n"
        f"shardlang:  {1e6 * ours:6.1f} us a statement, {1 / ours:8.0f} statements a second\n"
        f"ratio:      {ratio:6.2f} (target: at least {TARGET})\n"
    )
    return 0 if ratio >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
