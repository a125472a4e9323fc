"""Defaults that a project keeps in its `pyproject.toml`, under `[tool.shardlang]`."""

import os
from typing import Any

from shardlang.api.arguments import OptionError

_KEYS = {"mesh": (dict, str), "hardware": (str,), "dtype": (str,), "sizes": (dict, str), "ignore": (list, str)}


def project_defaults(folder: str | None = None) -> dict[str, Any]:
    """Return `[tool.shardlang]` of the nearest `pyproject.toml` from `folder` upward, empty where there is none.

    folder: None for the working directory. A hardware file is found relative to the `pyproject.toml`. Raises
    OptionError for a table that cannot be used. A working directory that was deleted is in no project.
    """
    if folder is None:
        try:
            folder = os.getcwd()
        except OSError:
            return {}
    while True:
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path):
            return _read(path)
        parent = os.path.dirname(folder)
        if parent == folder:
            return {}
        folder = parent


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            raw = file.read(1_000_000)
    except OSError:
        return {}
    if b"tool.shardlang" not in raw:  # most projects: do not pay for a TOML parser
        return {}
    import tomllib

    try:
        table = tomllib.loads(raw.decode("utf-8")).get("tool", {}).get("shardlang", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError) as problem:
        raise OptionError(f"{path}: {problem}") from None
    except RecursionError:
        raise OptionError(f"{path}: nested too deeply.") from None
    except ValueError:  # the one error of tomllib that is none of TOML
        raise OptionError(f"{path}: a number has too many digits.") from None
    return _checked(table, path)


def _checked(table: Any, path: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise OptionError(f"{path}: [tool.shardlang] is not a table.")
    for key, value in table.items():
        if key not in _KEYS:
            from shardlang.diagnostics import did_you_mean

            close = did_you_mean(key, _KEYS)
            hint = f" Did you mean {close!r}?" if close else f" Known: {', '.join(_KEYS)}."
            raise OptionError(f"{path}: [tool.shardlang] has no setting {key!r}.{hint}")
        if not isinstance(value, _KEYS[key]):
            raise OptionError(f"{path}: [tool.shardlang] {key} has the wrong type.")
    settings: dict[str, Any] = dict(table)
    hardware = table.get("hardware", "")
    if hardware.endswith(".toml"):
        settings["hardware"] = os.path.join(os.path.dirname(path), hardware)
    return settings
