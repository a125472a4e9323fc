"""Plan and run N random cases: `python -m tests.property.random_plans N [SEED [FIRST]]`.

Prints the seed, each failure with a minimal text, and counts of findings and steps. Exit status 1 if any failed.
Every case has a number of its own, so that the work can be done in chunks: `10000 7 0`, `10000 7 10000`, … Every
fourth case is planned with idle axes in use, every tenth is one explicit collective.
"""

import re
import sys
import traceback
from collections import Counter
from random import Random

from tests.property.cases import Case, draw_case, draw_collective
from tests.property.judge import Verdict, judge, judge_collective, minimal


def draw(seed: int, number: int) -> Case:
    """Return the case with this number."""
    random = Random(f"{seed}/{number}")
    return draw_collective(random) if _is_collective(number) else draw_case(random)


def verdict(case: Case, number: int) -> Verdict:
    """Return the verdict, with a traceback as a problem like any other."""
    try:
        if _is_collective(number):
            return Verdict(judge_collective(case), Counter(), Counter())
        return judge(case, idle_axes=number % 4 == 3)
    except Exception:  # a crash of the compiler is what this looks for
        return Verdict("crash: " + traceback.format_exc(limit=-3), Counter(), Counter())


def _is_collective(number: int) -> bool:
    return number % 10 == 9


def problem_kind(problem: str | None) -> str:
    """Return what identifies a problem: its first words without names and numbers."""
    if problem is None:
        return ""
    last = problem.strip().splitlines()[-1]
    return re.sub(r"`[^`]*`|\[.*\]|\(.*?\)|\b[A-Z]\w*\d+\b|\d+", "", last)[:70].strip()


def main(count: int, seed: int, first: int = 0) -> int:
    """Run the cases from `first` and print what came of them. Returns the number of failures."""
    codes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    print(f"seed {seed}, {count} plans from number {first}", flush=True)
    for number in range(first, first + count):
        case = draw(seed, number)
        found = verdict(case, number)
        codes += found.codes
        kinds += found.kinds
        if found.problem is None:
            continue
        kind = problem_kind(found.problem)
        seen[kind] += 1
        if seen[kind] <= 3:
            small = minimal(case, lambda other, kind=kind, at=number: problem_kind(verdict(other, at).problem) == kind)
            print(f"--- {seed}/{number}\n{small.text}{verdict(small, number).problem}", flush=True)
    print("failures:", sum(seen.values()), dict(seen))
    print("findings:", dict(codes.most_common()))
    print("steps:", dict(kinds.most_common()))
    return sum(seen.values())


if __name__ == "__main__":
    arguments = [*map(int, sys.argv[1:]), *(0, 0)[len(sys.argv) - 2 :]]
    sys.exit(1 if main(*arguments) else 0)
