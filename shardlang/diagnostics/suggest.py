"""Did-you-mean."""

from collections.abc import Iterable


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate closest to `word` by spelling, or None if none is close.

    Case is worth less than a letter: `x` suggests `X` before `Y`.
    """
    from difflib import get_close_matches  # only on the way to a message: keeps start-up short

    names = sorted(set(candidates))
    for name in names:
        if name.casefold() == word.casefold():
            return name
    close = get_close_matches(word, names, n=1, cutoff=0.6)
    return close[0] if close else None
