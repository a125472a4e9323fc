r"""Texts made to take long: families that grow with a number, and how the time of each grows with its length.

`python -m tests.fuzz.families [LENGTH] [NAME …]` measures them at LENGTH characters (2000 if it is not given), twice, four and eight
times as many (a quarter of that where numbers are run and formulas solved), and prints a table: the stage that takes the longest for a character,
its seconds, the milliseconds a character, and the exponent of the growth between the first and the last.
"""

import math
import sys
import time
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from tests.fuzz.stages import Stage, check, edit, mend, parse, picture, price, run, services
from tests.fuzz.texts import Text

STAGES: dict[Stage, int] = {
    check: 1,
    parse: 1,
    services: 1,
    edit: 1,
    mend: 1,
    picture: 1,
    run: 4,
    price: 4,
}  # what the length is divided by
# The sizes that the exponent is taken between.
FACTORS = (1, 2, 4, 8)


class Family(NamedTuple):
    """Texts of one shape: `head`, then `unit` as often as it fits, `#` replaced by a number, `~` by the one before, then `tail`.

    document: the kind of document. glue: what stands between two units.
    """

    unit: str
    head: str = ""
    tail: str = ""
    document: str | None = None
    glue: str = ""

    def text(self, length: int) -> Text:
        """Return the text of about so many characters."""
        parts, size, number = [], len(self.head) + len(self.tail), 0
        while size < length:
            number += 1
            part = self.unit.replace("#", str(number)).replace("~", str(number - 1))
            parts.append(part)
            size += len(part) + len(self.glue)
        return Text(self.head + self.glue.join(parts) + self.tail, self.document)


FAMILIES: dict[str, Family] = {
    # many of one thing
    "statements": Family("A#[I_X, J] · B#[J, K_X] -> C#[I, K]\n", "mesh X=4, Y=2\n"),
    "statements that are equal": Family("A[I_X, J] · B[J, K_X] -> C[I, K]\n", "mesh X=4, Y=2\n"),
    "undeclared mesh axes": Family("A[I_{data#}, J] · B[J, K] -> C[I_{data#}, K]\n"),
    "declared mesh axes": Family("X#=2", "mesh ", "\nA[I_X1] -> A[I]\n", glue=", "),
    "axes of one dimension": Family("X#", "A[I_{", "}, J] -> A[I, J]", glue=","),
    "dimensions of one array": Family("I#_X", "A[", "] -> B[I1]", glue=", "),
    "dimensions": Family("A[I#, J] · B[J, K#] -> C[I#, K#]\n"),
    "layouts of one array": Family("A[I_X#, J] -> A[I, J]\n"),
    "searches": Family("A#[I_{XYZ}, J_{WVU}] -> A#[I_{UVW}, J_{ZYX}]\n"),
    "products of pending sums": Family("A#[I]{U_X} · B#[I]{U_X} -> C#[I_Y]\n", "mesh X=4, Y=2, Z=2\n"),
    "values that depend on one another": Family("A#[I, J_X] = A~[I, J_X] + B[I, J_X]\n", "mesh X=4\nA0[I, J_X]\n"),
    "values in other layouts": Family("A#[I, J_X] = A~[I_X, J] + B[I, J_X]\n", "mesh X=4\nA0[I_X, J]\n"),
    # one long statement
    "a chain": Family("W#[D#, D~]", "A[I, D1] · ", glue=" · "),
    "a chain of one dimension": Family("W#[D]", "A[D] · ", glue=" · "),
    "a sum": Family("A#[I_X]", "Z[I] = ", glue=" + "),
    "sums in brackets": Family("(A[I] + ", tail="B[I]"),
    "functions in one another": Family("gelu(", tail="A[I]"),
    "minus signs": Family("-", tail="A[I]"),
    "a long name": Family("abcdefghij", "A", "[I_X] -> B[I]"),
    "a long subscript": Family("XY", "mesh X=2, Y=2\nA[I_{", "}]"),
    "a long subscript that is no axis": Family("XY", "mesh X=2, Y=2\nA[I_", "Q]"),
    "underscores": Family("a_", "mesh a=2, b=2\nA[", "b]"),
    # findings, fixes, names that are nearly right
    "findings": Family("A[I_X, J_X]\n"),
    "findings without a statement": Family("A[I\n\n"),
    "fixes": Family("A#[I_X_Y] -> B#[I]\n"),
    "fixes of plans": Family("A#[I, J_X] · B#[J_X, K] -> C#[I, K] \nD#[I_X] + E#[I]{U_X} -> F#[I]\nG#[I_X] · H#[K_X]\n"),
    "names that are nearly right": Family("A[I_dato#]\n", "mesh data=2, model=4\n"),
    "pending sums that are not linear": Family("B# = gelu(A#[I]{U_X})\n"),
    "operations that are nearly right": Family("AllGathr_X A#[I_X]\n"),
    # declarations
    "sizes": Family("let D# = #\n"),
    "sizes of one declaration": Family("D#=#", "let ", glue=", "),
    "sizes that depend on one another": Family("let D# = D~ + 1\n", "let D0 = 1\n"),
    "sizes that depend on what follows": Family("let D~ = D# + 1\n"),
    "size arithmetic": Family("2", "let D = ", glue=" * "),
    "powers": Family("2", "let D = ", glue="**"),
    "meshes": Family("mesh X=2\n"),
    "rules": Family("batch# -> X", "rules ", glue=", "),
    "comments": Family("# nothing\n"),
    "ignores": Family("A[I_X, J_X]  # shardlang: ignore[SL201]\n"),
    "unused ignores": Family("# shardlang: ignore[SL201]\n"),
    # documents
    "formulas": Family("$A[I_X]$ and ", document="markdown"),
    "formulas that are not closed": Family("$A[I] ", document="latex"),
    "display formulas that are not closed": Family("\\[ A[I] ", document="latex"),
    "environments that are not closed": Family("\\begin{align} A[I] ", document="latex"),
    "fences that are not closed": Family("```shard\nA[I]\n", document="markdown"),
    "code spans that are not closed": Family("``a` ", document="markdown"),
    "backquotes": Family("`", document="markdown"),
    "backquotes, more each time": Family("` ``" , document="markdown"),
    "dollars": Family("$", document="markdown"),
    "tags": Family("<sub>", "A[I", document="html"),
    "tags that are not closed": Family("<p <code", document="html"),
    "HTML comments that are not closed": Family("<!-- A[I] ", document="html"),
    "prose": Family("A line of prose that is no statement at all.\n", document="text"),
    "prose that looks like statements": Family("A[I] -> B[I] is what we do\n", document="text"),
    "unread lines": Family("A[I_X] -> A[I]\n", document="markdown"),
    "docstrings": Family('def f#():\n    """x\n\n    ```shard\n    A[I_X] -> A[I]\n    ```\n    """\n', document="python"),
    "strings that are not closed": Family('"""', document="python"),
    "brackets of Python": Family("(", document="python"),
    # characters
    "blanks": Family(" ", "A[I]", "-> B[I]"),
    "line ends": Family("\n", "A[I]", "-> B[I]"),
    "invisible characters": Family("\u202e", "A[I]"),
    "marks in one word": Family("\u0316\u0301", "A[é", "]"),
    "marks outside words": Family("\u0301"),
    "unknown characters": Family("§ "),
    "letters that look alike": Family("А#[І] -> A#[I]\n"),
    "brackets": Family("["),
    "braces": Family("_{", "A[I"),
    "macros": Family("\\text{", "A"),
    "macros of colour": Family("\\color{red}{A}", "$", "$"),
    "entities": Family("&amp;"),
    "semicolons": Family(";"),
    "digits": Family("1_", "A[", "1]"),
    "quotes": Family("'", "Mesh(", ")"),
    "a word with hyphens": Family("all-"),
    "operators": Family("· "),
    "escaped brackets": Family("\\["),
    "numbers": Family("1e", "A[I] * "),
}  # fmt: skip


class Growth(NamedTuple):
    """seconds: of processor time for a text of each length. exponent: 1 is linear."""

    stage: str
    lengths: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def each(self) -> float:
        """Return the milliseconds a character of the longest."""
        return 1000 * self.seconds[-1] / self.lengths[-1]

    @property
    def exponent(self) -> float:
        """Return the exponent between the first length and the last; times below a hundredth of a second count as that."""
        first, last = max(self.seconds[0], 0.01), max(self.seconds[-1], 0.01)
        return math.log(last / first) / math.log(self.lengths[-1] / self.lengths[0])


def processor_time(stage: Stage, text: Text) -> float:
    """Return the seconds that a stage takes for a text."""
    start = time.thread_time()
    for _ in stage(text, Random(1)):
        pass
    return time.thread_time() - start


def calls(stage: Stage, text: Text) -> int:
    """Return how many functions a stage calls for a text: the same on every machine."""
    count = 0

    def note(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        for _ in stage(text, Random(1)):
            pass
    finally:
        sys.setprofile(None)
    return count


def growth(
    family: Family, stage: Stage, length: int, measure: Callable[[Stage, Text], float] = processor_time
) -> Growth:
    """Return what a stage takes for the texts of a family."""
    texts = [family.text(length * factor) for factor in FACTORS]
    return Growth(
        stage.__name__, tuple(len(text.text) for text in texts), tuple(measure(stage, text) for text in texts)
    )


def main(length: int, names: list[str]) -> None:
    """Print the table."""
    print("| family | stage | characters | seconds | ms a character | exponent |\n|---|---|---|---|---|---|")
    for name in names or FAMILIES:
        found = [growth(FAMILIES[name], stage, length // part) for stage, part in STAGES.items()]
        worst = max(found, key=lambda one: one.each)
        odd = [one for one in found if one is not worst and one.exponent > 1.3 and one.seconds[-1] > 0.3]
        for one in (worst, *odd):
            seconds = " ".join(f"{spent:.2f}" for spent in one.seconds)
            print(
                f"| {name} | {one.stage} | {one.lengths[-1]} | {seconds} | {one.each:.2f} | {one.exponent:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main(numbers[0] if numbers else 2_000, [word for word in sys.argv[1:] if not word.isdecimal()])
