"""Every bound that keeps any input from taking more than its share of time and memory, in one place.

`Limits` are those that a caller may set. The others are counts, so that what is found does not depend on the speed of
the machine; each is far beyond what a person writes. What hits one is a finding: SL601 to SL607.
"""

from time import monotonic
from typing import NamedTuple

# -- A text and its parts: SL601, SL602, SL604, SL605 ------------------------------------------------

LONGEST_TEXT = 2_000_000  # characters
LONGEST_NUMBER = 40  # digits
MOST_MARKS = (
    30  # on a letter: as in the stream-safe form of UAX #15, since sorting them takes the square of their number
)
MOST_TOKENS = 20_000  # of a statement
MOST_OPERATIONS = 100  # of a statement, that nest without a bracket
DEEPEST_BRACKETS = 64
DEEPEST_OPERATIONS = 200
MOST_FINDINGS = 1_000
MOST_DIMENSIONS = 32  # of a statement
MOST_AXES = 16  # of a statement
MOST_MESH_AXES = 64

# -- Sizes: SL207, SL606 -----------------------------------------------------------------------------

MOST_BITS_OF_A_SIZE = 256
# Prices are compared as numbers: twice this, and times and rates, must stay within what a float can hold.
MOST_BITS_OF_A_STATEMENT = 800

# -- Searches: SL603. A step takes some three microseconds to look at. --------------------------------

STEPS_A_STATEMENT = 150_000
STEPS_A_TEXT = 1_500_000
# The same for the other plans that are listed beside the one that is chosen.
WORK_A_STATEMENT = 200_000
WORK_A_TEXT = 3_000_000
# Of a document of several texts these two are for all of them. Statements of a docstring that others see, times those:
MOST_SEEN_AGAIN = 20_000
WORK_A_PLAN = 2_000  # to price a plan and compare it with others

# -- Fixes -------------------------------------------------------------------------------------------

# Checking a text again costs its length, some 100,000 characters a second: when this many in all were read again, what
# is left goes unshown, and so do the fixes of a longer text.
LONGEST_FIXED_TEXT = 200_000
MOST_READ_AGAIN = 200_000


# What a report shows of the text with a fix made: whole lines while they are short, else the statements that the fix
# touches, else so many characters around the change. A line with many findings would be repeated for each of them.
LONGEST_SHOWN_LINES = 200
LONGEST_SHOWN_FIX = 1_000


class Limits(NamedTuple):
    """What one call may take; for a server, where texts come from anybody.

    max_chars: characters of the text. max_statements: statements of it, read or not; None for as many as there are. Over either the
    text is not checked at all, and SL601 says so. max_time: seconds; None for as long as it takes. When they are used up
    what is done stands, and SL607 says from where on nothing was done. It is looked at between small pieces of work.
    files: the text may name a hardware file (`hardware my.toml`), which is then read; a call without limits allows it.
    """

    max_chars: int = LONGEST_TEXT
    max_statements: int | None = None
    max_time: float | None = None
    files: bool = False


NO_LIMITS = Limits(files=True)


class OutOfTimeError(Exception):
    """The time of a call is used up."""


class Clock:
    """Says when the time of a call is used up; of one without a limit, only when it is stopped."""

    __slots__ = ("_end", "_over", "seconds")

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        self._end = None if seconds is None else monotonic() + seconds
        self._over = False

    def stop(self) -> None:
        """Let the time be used up now, whatever its limit: nobody waits any more. May be called from another thread."""
        self._end = 0.0

    def over(self) -> bool:
        """Say whether the time is used up; from then on it is."""
        if self._end is not None and not self._over:
            self._over = monotonic() >= self._end
        return self._over

    def check(self) -> None:
        """Raise OutOfTimeError when the time is used up."""
        if self._end is not None and self.over():
            raise OutOfTimeError

    def message(self, what: str) -> str:
        """Return the message of SL607; `what` says what was not done."""
        if self.seconds is None:
            return f"the call was stopped: {what}"
        return f"the time limit of {self.seconds:g} s is used up: {what}"


ENDLESS = Clock()
