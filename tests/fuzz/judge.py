"""One text put through the stages: what raised, how long it took, what came out."""

import hashlib
import time
import traceback
from random import Random
from typing import NamedTuple

from tests.fuzz.stages import run_stages
from tests.fuzz.texts import Text, numbered

# Past a constant the time is linear in the text. The constant is what the searches of a text may take, one statement after
# the other (`shardlang.limits`: STEPS_A_TEXT, WORK_A_TEXT): up to 14 s were seen on a core that other work shared. The
# slope is what reading and drawing take; where numbers are run or formulas solved it is more.
SECONDS = 15.0
SECONDS_OF = {
    "price": 30.0
}  # 17 s for a line of 75 characters on three axes, with every plan that is best for some sizes
SECONDS_A_CHARACTER = {"price": 0.005, "run": 0.003, "stop": 0.003}
SECONDS_A_CHARACTER_ELSE = 0.001
# So is what is printed, in all forms of a stage together. The slope is what one character can be worth, a finding with its
# fixes, each with the text around it as far as that is shown (`shardlang.limits`: LONGEST_SHOWN_LINES, LONGEST_SHOWN_FIX),
# where the character is written as six in JSON; the services are nine forms, prices fourteen. JUnit draws each finding by itself.
PRINTED = 300_000
PRINTED_A_CHARACTER = {"services": 6_000, "price": 4_500}
PRINTED_A_CHARACTER_ELSE = 500


def printable(stage: str, characters: int) -> int:
    """Return the characters that a stage may print for a text."""
    return PRINTED + PRINTED_A_CHARACTER.get(stage, PRINTED_A_CHARACTER_ELSE) * characters


def allowed(stage: str, characters: int) -> float:
    """Return the seconds of processor time that a stage may take for a text."""
    return SECONDS_OF.get(stage, SECONDS) + SECONDS_A_CHARACTER.get(stage, SECONDS_A_CHARACTER_ELSE) * characters


class Outcome(NamedTuple):
    """problems: what must not be. seconds: of processor time, by stage. digest: of all that was printed."""

    problems: tuple[str, ...]
    seconds: dict[str, float]
    digest: bytes


def judge(text: Text, key: object = 0) -> Outcome:
    """Put a text through the stages that are drawn from `key`."""
    problems: list[str] = []
    seconds: dict[str, float] = {}
    digest = hashlib.sha256()
    for name, work in run_stages(text, Random(f"stages {key}")):
        start, printed = time.thread_time(), 0
        try:
            for part in work():
                printed += len(part)
                digest.update(part.encode("utf-8", "surrogatepass"))
        except Exception:
            problems.append(f"{name}: " + traceback.format_exc(limit=-4))
        seconds[name] = time.thread_time() - start
        if seconds[name] > allowed(name, len(text.text)):
            problems.append(f"{name}: {seconds[name]:.1f} s for {len(text.text)} characters")
        if printed > printable(name, len(text.text)):
            problems.append(f"{name}: {printed} characters printed for {len(text.text)}")
    return Outcome(tuple(problems), seconds, digest.digest())


class Tally:
    """What came of many texts."""

    def __init__(self) -> None:
        self.texts = self.characters = self.problems = 0
        self.seconds: dict[str, float] = {}
        self.slowest: dict[str, tuple[float, float, str]] = {}  # seconds a character, seconds, which
        self.longest: dict[str, tuple[float, int, str]] = {}  # seconds, characters, which
        self.digest = hashlib.sha256()

    def add(self, seed: int, number: int) -> Outcome:
        """Draw and judge the text with this number."""
        text = numbered(seed, number)
        outcome = judge(text, f"{seed}/{number}")
        self.texts += 1
        self.characters += len(text.text)
        self.problems += len(outcome.problems)
        self.digest.update(outcome.digest)
        for name, seconds in outcome.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
            each = (seconds / max(len(text.text), 1), seconds, f"{seed}/{number}")
            self.slowest[name] = max(self.slowest.get(name, each), each)
            whole = (seconds, len(text.text), f"{seed}/{number}")
            self.longest[name] = max(self.longest.get(name, whole), whole)
        return outcome
