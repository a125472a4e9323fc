"""The JSON Schemas of the reports, which are in the package: `shardlang/schema/*.json`."""

from typing import Any

from shardlang.api.values import read_choice

_OF_PLANS = ("parse", "check", "explain", "cost", "memory", "crossover", "optimum", "roofline", "verify")
NAMES = (*_OF_PLANS, "send", "hardware", "code")
_SAME = {"fix": "check"}


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what `to_dict` of a report gives; `fix` has that of `check`, and `code` is for the page of a code.

    Raises OptionError, a ValueError, for a report that there is not.
    """
    name = read_choice("name", name, (*NAMES, *_SAME))
    name = _SAME.get(name, name)
    import json
    from importlib.resources import files

    found: dict[str, Any] = json.loads((files("shardlang") / "schema" / f"{name}.json").read_text("utf-8"))
    return found
