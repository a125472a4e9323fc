"""Plan and run N random cases: `python -m tests.property.random_plans N [SEED]`.

Prints the seed, each failure with a minimal text, and counts of findings and steps. Exit status 1 if any failed.
"""

import re
import sys
import traceback
from collections import Counter
from random import Random

from tests.property.cases import Case, draw_case
from tests.property.judge import Verdict, judge, minimal


def verdict(case: Case) -> Verdict:
    """Return the verdict, with a traceback as a problem like any other."""
    try:
        return judge(case)
    except Exception:  # a crash of the compiler is what this looks for
        return Verdict("crash: " + traceback.format_exc(limit=-3), Counter(), Counter())


def problem_kind(problem: str | None) -> str:
    """Return what identifies a problem: its first words without names and numbers."""
    if problem is None:
        return ""
    last = problem.strip().splitlines()[-1]
    return re.sub(r"`[^`]*`|\[.*\]|\(.*?\)|\b[A-Z]\w*\d+\b|\d+", "", last)[:70].strip()


def main(count: int, seed: int) -> int:
    """Run `count` cases and print what came of them. Returns the number of failures."""
    codes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    print(f"seed {seed}, {count} plans")
    for number in range(count):
        case = draw_case(Random(f"{seed}/{number}"))
        found = verdict(case)
        codes += found.codes
        kinds += found.kinds
        if found.problem is None:
            continue
        kind = problem_kind(found.problem)
        seen[kind] += 1
        if seen[kind] <= 3:
            small = minimal(case, lambda other, kind=kind: problem_kind(verdict(other).problem) == kind)
            print(f"--- {seed}/{number}\n{small.text}{verdict(small).problem}")
    print("failures:", sum(seen.values()), dict(seen))
    print("findings:", dict(codes.most_common()))
    print("steps:", dict(kinds.most_common()))
    return sum(seen.values())


if __name__ == "__main__":
    arguments = [*map(int, sys.argv[1:]), 0]
    sys.exit(1 if main(arguments[0], arguments[1]) else 0)
