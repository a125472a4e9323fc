"""Statements parsed a second, against the lines that `ast.parse` reads: at least a quarter as many.

Both read the same number of lines in one text and take turns, so that a busy machine slows both; the median
of the ratios counts.
"""

import ast
import statistics
import sys
import time
from collections.abc import Callable

from shardlang import syntax
from shardlang.source import SourceText

LIMIT = 0.25
_LINES = 2000
_ROUNDS = 9


def main() -> int:
    """Measure, print, and return 0 if the ratio is within the limit."""
    python = "\n".join(f"C{i}[i, k] = dot(A{i}[i, j_x], B{i}[j_x, k])" for i in range(_LINES))
    notation = "\n".join(f"C{i}[I, K] = A{i}[I, J_X] · B{i}[J_X, K]" for i in range(_LINES))
    module, findings = syntax.parse(SourceText(notation))
    assert len(module.statements) == _LINES
    assert not findings
    pairs = [
        (_rate(lambda: ast.parse(python)), _rate(lambda: syntax.parse(SourceText(notation)))) for _ in range(_ROUNDS)
    ]
    ratio = statistics.median(mine / theirs for theirs, mine in pairs)
    theirs, mine = (statistics.median(rates) for rates in zip(*pairs, strict=True))
    print(
        f"shardlang: {mine:,.0f} statements/s; ast.parse: {theirs:,.0f} lines/s; ratio {ratio:.2f} (at least {LIMIT:g})"
    )
    return 0 if ratio >= LIMIT else 1


def _rate(read: Callable[[], object]) -> float:
    start = time.perf_counter()
    read()
    return _LINES / (time.perf_counter() - start)


if __name__ == "__main__":
    sys.exit(main())
