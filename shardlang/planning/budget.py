"""How much planning may look at: bounds that are counts, so that a plan does not depend on the speed of the machine."""

# A step takes some three microseconds to look at.
STEPS_A_STATEMENT = 150_000
STEPS_A_TEXT = 1_500_000

# The same for the other plans that are listed beside the one that is chosen.
WORK_A_STATEMENT = 200_000
WORK_A_TEXT = 3_000_000
WORK_A_PLAN = 2_000  # to price a plan and compare it with others


class TooLargeError(Exception):
    """The search space is larger than the bound, or the work for this statement is spent."""


class Budget:
    """How many steps searches may still look at: for the statement in work, and for the whole text."""

    def __init__(self) -> None:
        self._text = STEPS_A_TEXT
        self._statement = STEPS_A_STATEMENT

    def renew(self) -> None:
        """Begin a statement."""
        self._statement = STEPS_A_STATEMENT

    def spend(self, count: int) -> None:
        """Take note of `count` steps. Raises TooLargeError when nothing is left."""
        self._statement -= count
        self._text -= count
        if self._statement < 0 or self._text < 0:
            raise TooLargeError


class Work:
    """How many steps may still be looked at. Raises TooLargeError when nothing is left."""

    def __init__(self, most: int) -> None:
        self.left = most

    def spend(self, count: int) -> None:
        """Take note of `count` steps."""
        self.left -= count
        if self.left < 0:
            raise TooLargeError

    def part(self, most: int) -> "Work":
        """Return as much of it as `most` says, if that much is left; what is spent of it is to be taken off here too."""
        return Work(min(most, self.left))
