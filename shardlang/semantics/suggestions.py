"""Did-you-mean within bounds: a text with thousands of unknown words must not take minutes."""

from collections.abc import Collection

from shardlang.diagnostics import Edit, Fix, did_you_mean
from shardlang.source import Span

MOST_SUGGESTIONS = 100
MOST_CANDIDATES = 1000
LONGEST_WORD = 60


class Suggestions:
    """Makes at most `MOST_SUGGESTIONS` suggestions for one text."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MOST_SUGGESTIONS

    def suggest(self, word: str, candidates: Collection[str]) -> str | None:
        """Return the candidate closest to `word` by spelling, None if none is close or the bounds are reached."""
        if self._left <= 0 or len(word) > LONGEST_WORD or len(candidates) > MOST_CANDIDATES:
            return None
        self._left -= 1
        return did_you_mean(word, candidates)


def meant(word: str, span: Span) -> Fix:
    """Return the fix that puts the suggested `word` in the place of the unknown one."""
    return Fix(f"write `{word}`", (Edit(span, word),), safe=False)
