"""The options of everything that plans and prices, as words: for the command line, and for cells of a notebook."""

from shardlang.api.settings import SETTINGS, of_calls
from shardlang.api.settings import Setting as Flag

TEXT_FLAGS = of_calls("text")
MACHINE_FLAGS = of_calls("send")
PLAN_FLAGS = of_calls("send", "plan")
COST_FLAGS = of_calls("cost")


def chosen(given: dict[str, object]) -> dict[str, object]:
    """Return the keywords of options that were given: no empty ones, and what is joined as one text."""
    keywords = {name: value for name, value in given.items() if value is not None and value not in ((), [])}
    for setting in SETTINGS:
        words = keywords.get(setting.keyword)
        if setting.kind == "joined" and words is not None:
            assert isinstance(words, list | tuple)
            keywords[setting.keyword] = ",".join(map(str, words))
    return keywords


__all__ = ["COST_FLAGS", "MACHINE_FLAGS", "PLAN_FLAGS", "TEXT_FLAGS", "Flag", "chosen"]
