"""The JSON Schemas of the reports, which are in the package: `shardlang/schema/*.json`."""

from typing import Any

from shardlang.api.values import OptionError
from shardlang.diagnostics import did_you_mean

_OF_PLANS = ("parse", "check", "explain", "cost", "memory", "crossover", "optimum", "roofline", "verify")
NAMES = (*_OF_PLANS, "send", "hardware", "code")
_SAME = {"fix": "check"}


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what `to_dict` of a report gives; `fix` has that of `check`, and `code` is for the page of a code.

    Raises OptionError, a ValueError, for a report that there is not.
    """
    name = _SAME.get(name, name)
    if name not in NAMES:
        close = did_you_mean(str(name), NAMES)
        hint = f" Did you mean {close!r}?" if close else f" There are {', '.join(NAMES)}."
        raise OptionError(f"there is no schema {name!r}.{hint}")
    import json
    from importlib.resources import files

    found: dict[str, Any] = json.loads((files("shardlang") / "schema" / f"{name}.json").read_text("utf-8"))
    return found
