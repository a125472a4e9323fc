"""Edits that bring one text to another: they do, and touch no line that stays."""

import itertools
import random
import sys
from collections.abc import Callable

import pytest

from shardlang.api.rewriting import changed_lines
from shardlang.diagnostics import Fix
from shardlang.reports.corrections import apply_fix
from shardlang.source import Span

LINES = ("A[I,J]\n", "A[I, J]\n", "B[K]\n", "\n", "# a note\n", "C[I] -> C[I_X]\n", "  A[I,J]\n", "D\r\n")


def steps_of(call: Callable[[], object]) -> int:
    """Return how many lines and calls of Python a call takes."""
    count = 0

    def step(*_arguments: object) -> object:
        nonlocal count
        count += 1
        return step

    sys.settrace(step)  # type: ignore[arg-type]
    try:
        call()
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("seed", range(200))
def test_the_edits_make_the_other_text(seed):
    draw = random.Random(seed)
    before, after = ("".join(draw.choices(LINES, k=draw.randrange(0, 90))) for _ in range(2))
    if seed % 2:  # a text with some lines changed, dropped and added
        after = "".join(
            line for old in before.splitlines(True) for line in draw.choice(([old],) * 8 + ([], [old, "\n"]))
        )
    edits = changed_lines(before, after)
    assert apply_fix(before, Fix("", edits)) == after
    assert all(one.span.end <= two.span.start for one, two in itertools.pairwise(edits))


@pytest.mark.parametrize(
    ("before", "after", "spans"),
    [
        ("A[I,J]\n\nB[K]\n", "A[I, J]\n\nB[K]\n", [Span(0, 7)]),
        ("A\n\n\n\nB[I,J]\nC\n", "A\n\nB[I, J]\nC\n", [Span(3, 5), Span(5, 12)]),
        ("A[I]; B[J]\nC\nD\n", "A[I]\nB[J]\nC\nD\n", [Span(0, 11)]),
        ("A[I,\nJ]\nC\n", "A[I, J]\nC\n", [Span(0, 8)]),
        ("A\nA\nB\n", "A\nB\n", [Span(2, 4)]),
    ],
)
def test_only_lines_that_differ_are_touched(before, after, spans):
    assert [edit.span for edit in changed_lines(before, after)] == spans


@pytest.mark.parametrize("line", ["A{}[I,J]\n\n", "A[I,J]\n\n", "A{}[I,J]\n\n\n", "A[I,J]\n\n\nA[I]; B[J]\n"])
def test_it_takes_steps_as_the_lines_grow(line):
    def steps(lines: int) -> int:
        before = "".join(line.format(number) for number in range(lines))
        after = before.replace(",J", ", J").replace("; ", "\n").replace("\n\n\n", "\n\n")
        return steps_of(lambda: changed_lines(before, after))

    assert steps(600) < 3 * steps(300)
