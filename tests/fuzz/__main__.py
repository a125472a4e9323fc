"""`python -m tests.fuzz N SEED [FIRST]`: N characters of random texts from the one with number FIRST on.

Prints each problem with its text, then how many characters and exceptions there were, and the slowest text of each
stage. `--text NUMBER SEED` prints a text and its problems, `--digest N SEED` only the hash of all that was printed.
Exit status 1 if there was a problem.
"""

import resource
import sys
import time

from tests.fuzz.judge import Tally, allowed, judge
from tests.fuzz.texts import numbered

_MOST_SHOWN = 30


def main(arguments: list[str]) -> int:
    """Run what the command line asks for; return the exit status."""
    flags = [word for word in arguments if word.startswith("--")]
    count, seed, first = ([*map(int, (word for word in arguments if not word.startswith("--"))), 0, 0, 0])[:3]
    if flags == ["--text"]:
        text = numbered(seed, count)
        print(text)
        outcome = judge(text, f"{seed}/{count}")
        print(*outcome.problems, outcome.seconds, sep="\n")
        return bool(outcome.problems)
    tally, number, started = Tally(), first, time.monotonic()
    memory = shown = 0
    while tally.characters < count:
        outcome = tally.add(seed, number)
        for problem in outcome.problems:
            shown += 1
            if shown <= _MOST_SHOWN and not flags:
                print(f"--- {seed}/{number} {ascii(numbered(seed, number))[:400]}\n{problem}", flush=True)
        number += 1
        if number - first == 2_000:
            memory = _memory()
    if flags == ["--digest"]:
        print(tally.digest.hexdigest())
        return bool(tally.problems)
    print(f"seed {seed}, texts {first} to {number - 1}: {tally.characters} characters, {tally.problems} exceptions")
    print(f"{time.monotonic() - started:.0f} s; {_memory()} MB at most, {memory} MB after the first 2000 texts")
    for name, spent in sorted(tally.seconds.items(), key=lambda item: -item[1]):
        each, seconds, which = tally.slowest[name]
        constant = allowed(name, 0)
        slope = 1000 * (allowed(name, 1) - constant)
        longest, length, where = tally.longest[name]
        print(
            f"{name:9} {spent:8.1f} s in all; longest {longest:6.2f} s for {length} characters ({where}); "
            f"slowest {1000 * each:.2f} ms a character, {seconds:.2f} s ({which}); stated {constant:g} s + {slope:g} ms a character"
        )
    return bool(tally.problems)


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
