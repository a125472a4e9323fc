"""What searches have found, so that each is made once: in a text, and in those that it is changed into."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from shardlang.planning.budget import Budget, TooLargeError

_T = TypeVar("_T")


class Outcome(NamedTuple):
    """What a search found and the steps that it looked at.

    left: of a search that was given up, the steps that were left when it began; None of one that came to its end.
    """

    found: Any
    spent: int
    left: int | None = None


class Searches:
    """The searches of one text, by what they are about under names of their own (`canonical`).

    environment: all that a search depends on besides: what prices are, and which axes may be used. before: the searches
    of a text that this one was changed from; they count if their environment is the same. A search of `before` takes
    from the budget what it took then, so that a plan is the same with it and without it. One text is
    planned in one thread; what it found may be read from several.
    """

    __slots__ = ("_before", "_outcomes", "environment")

    def __init__(self, environment: object = None, before: "Searches | None" = None) -> None:
        self.environment = environment
        self._outcomes: dict[object, Outcome] = {}
        same = before is not None and before.environment == environment
        self._before: dict[object, Outcome] = before._outcomes if before is not None and same else {}

    def once(self, key: object, search: Callable[[], _T], budget: Budget) -> _T:
        """Return what `search` finds, without making it where it was made. Raises TooLargeError where it does."""
        outcome = self._outcomes.get(key)
        if outcome is None or outcome.left is not None:
            outcome = self._outcomes[key] = self._again(outcome or self._before.get(key), search, budget)
        if outcome.left is not None:
            raise TooLargeError
        found: _T = outcome.found
        return found

    def _again(self, outcome: Outcome | None, search: Callable[[], Any], budget: Budget) -> Outcome:
        left = budget.left
        # With other steps left it might be given up where it was not, or elsewhere.
        if outcome is not None and (outcome.spent <= left if outcome.left is None else outcome.left == left):
            budget.take(outcome.spent)
            return outcome
        spent = budget.spent
        try:
            return Outcome(search(), budget.spent - spent)
        except TooLargeError:
            return Outcome(None, budget.spent - spent, left)
