"""How much planning may look at: counts, so that a plan does not depend on the speed of the machine, and the time of a call."""

from shardlang.limits import ENDLESS, STEPS_A_STATEMENT, STEPS_A_TEXT, Clock


class TooLargeError(Exception):
    """The search space is larger than the bound, or the work for this statement is spent."""


class Budget:
    """How many steps searches may still look at: for the statement in work, and for the whole text."""

    def __init__(self, clock: Clock = ENDLESS) -> None:
        self._text = STEPS_A_TEXT
        self._statement = STEPS_A_STATEMENT
        self._clock = clock

    @property
    def left(self) -> int:
        """The steps that may still be looked at."""
        return min(self._statement, self._text)

    @property
    def spent(self) -> int:
        """The steps looked at so far, for the whole text."""
        return STEPS_A_TEXT - self._text

    def renew(self) -> None:
        """Begin a statement."""
        self._statement = STEPS_A_STATEMENT

    def spend(self, count: int) -> None:
        """Take note of `count` steps. Raises TooLargeError when nothing is left, OutOfTimeError when the time is used up."""
        self._clock.check()
        self.take(count)
        if self.left < 0:
            raise TooLargeError

    def take(self, count: int) -> None:
        """Take note of `count` steps that were looked at before, and are not again."""
        self._statement -= count
        self._text -= count


class Work:
    """How many steps may still be looked at. Raises TooLargeError when nothing is left, OutOfTimeError out of time."""

    def __init__(self, most: int, clock: Clock = ENDLESS) -> None:
        self.left = most
        self._clock = clock

    def spend(self, count: int) -> None:
        """Take note of `count` steps."""
        self._clock.check()
        self.left -= count
        if self.left < 0:
            raise TooLargeError

    def part(self, most: int) -> "Work":
        """Return as much of it as `most` says, if that much is left; what is spent of it is to be taken off here too."""
        return Work(min(most, self.left), self._clock)
