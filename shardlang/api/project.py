"""What a project says for its texts: `[tool.shardlang]` of the nearest `pyproject.toml` that has such a table.

`settings_for` gives it as keywords for `shardlang.check` and the rest. It is the one place where shardlang reads a
file that nobody named; only the ways in (command line, pytest, editor, notebook) call it, and a program that wants what they do.
"""

import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from shardlang.api.arguments import COST_NAMES, DEFAULTS, read_chips, read_figures, read_request
from shardlang.api.settings import settings_in
from shardlang.api.values import OptionError, read_entries
from shardlang.diagnostics import did_you_mean
from shardlang.pricing.hardware import HardwareProblem, beside, find_hardware

_FILE = "pyproject.toml"
_LARGEST = 1_000_000  # bytes
_FOR_FILES = "per-file"
_TABLE = "[tool.shardlang]"
_TABLE_TEXT = re.compile(r"^\[tool\.shardlang\][^\n]*\n((?:(?!\[)[^\n]*\n?)*)", re.MULTILINE)
_NAMED = re.compile(r"^hardware\s*=\s*(\S.*?)\s*(?:#.*)?$", re.MULTILINE)
_OF_FILE: dict[str, tuple[type, ...]] = {setting.in_project: setting.types for setting in settings_in("project")}
_OF_PROJECT: dict[str, tuple[type, ...]] = {
    **_OF_FILE,
    "hardware": (str, dict),
    "include": (list, str),
    "exclude": (list, str),
    _FOR_FILES: (dict,),
}
_OF_NO_TEXT = ("include", "exclude", _FOR_FILES)
_INCLUDED = ("*.shard",)


def settings_for(path: "str | os.PathLike[str] | None" = None) -> dict[str, Any]:
    """Return what the project of a file says, as keywords: `shardlang.check(text, **settings_for(path))`.

    The text and other keywords come first: these are defaults. path: the file, which need not exist; None for a text that is in
    none, of the working directory. A hardware file is found relative to the `pyproject.toml`. Empty where no
    `pyproject.toml` upward has a `[tool.shardlang]`. Raises OptionError for a table that cannot be used.
    """
    try:
        here = os.getcwd() if path is None else os.path.abspath(path)
    except OSError:  # a working directory that was deleted is in no project
        return {}
    except ValueError:  # a name that no file can have
        return {}
    found = _nearest(here if path is None else os.path.dirname(here))
    if found is None:
        return {}
    folder, table = found
    settings = _merged(table, "" if path is None else os.path.relpath(here, folder))
    _require_hardware(settings)
    return {DEFAULTS: settings}


def _require_hardware(settings: dict[str, Any]) -> None:
    """Raise OptionError for hardware that is not known, or a file of it that cannot be used now, with where it is set."""
    for name, where in settings.pop("hardware_from", {}).items():
        problem = find_hardware(name, read_chips(settings))
        if isinstance(problem, HardwareProblem):
            raise OptionError(f"{where}: {problem.message}")


def included(folder: str) -> tuple[str, ...]:
    """Return the patterns of the files that the project of a directory includes. Raises OptionError as `settings_for` does."""
    found = _nearest(os.path.abspath(folder))
    return _INCLUDED if found is None else _patterns(found[1].get("include", _INCLUDED))


def included_names(folder: "str | os.PathLike[str]", names: Iterable[str]) -> list[str]:
    """Return those of the files of a directory that their project includes, and does not exclude.

    Raises OptionError as `settings_for` does.
    """
    folder = os.path.abspath(folder)
    root, table = _nearest(folder) or (folder, {})
    wanted, unwanted = _patterns(table.get("include", _INCLUDED)), _patterns(table.get("exclude", ()))
    below = [] if folder == root else os.path.relpath(folder, root).split(os.sep)
    return [name for name in names if _fits_any([*below, name], wanted) and not _fits_any([*below, name], unwanted)]


def _fits_any(parts: Sequence[str], patterns: Iterable[str]) -> bool:
    return any(fits(parts, pattern) for pattern in patterns)


def _patterns(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _nearest(folder: str) -> tuple[str, dict[str, Any]] | None:
    """Return the nearest directory upward with a `[tool.shardlang]`, and that table; None where there is none."""
    while True:
        table = _table(os.path.join(folder, _FILE))
        if table is not None:
            return folder, table
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _table(path: str) -> dict[str, Any] | None:
    """Return the checked `[tool.shardlang]` of a file, None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return _read(path, found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else None


@lru_cache(maxsize=64)
def _read(path: str, changed: int, size: int) -> dict[str, Any] | None:
    """Read a file once in the state that the other arguments tell; nobody changes what is given back."""
    try:
        with open(path, "rb") as file:
            raw = file.read(_LARGEST + 1)
    except OSError:
        return None
    if len(raw) > _LARGEST:
        raise OptionError(
            f"{path}: over {_LARGEST:,} bytes, which is more than shardlang reads of a project's settings."
        )
    if b"shardlang" not in raw:  # most projects: do not pay for a TOML parser
        return None
    import tomllib

    try:
        tool = tomllib.loads(raw.decode("utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise OptionError(f"{path}: {problem}{_both_hardwares(raw)}") from None
    except RecursionError:
        raise OptionError(f"{path}: nested too deeply.") from None
    except ValueError:  # the one error of tomllib that is none of TOML
        raise OptionError(f"{path}: a number has too many digits.") from None
    if not isinstance(tool, dict):
        raise OptionError(f"{path}: tool is not a table.")
    table = tool.get("shardlang")
    return None if table is None else _checked(table, path)


def _both_hardwares(raw: bytes) -> str:
    """Return what to write where a project names its hardware and has chips of its own, which TOML does not let it; else nothing."""
    text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
    table, chips = _TABLE_TEXT.search(text), re.search(r"^\[tool\.shardlang\.hardware[].]", text, re.MULTILINE)
    named = _NAMED.search(table[1]) if table is not None and chips is not None else None
    if named is None:
        return ""
    return f". With chips in [tool.shardlang.hardware] write default = {named[1]} there, and no hardware = {named[1]}."


def _checked(table: Any, path: str) -> dict[str, Any]:
    settings = _known(table, _OF_PROJECT, path, _TABLE)
    for key in ("include", "exclude"):
        if not all(isinstance(pattern, str) for pattern in settings.get(key, ())):
            raise OptionError(f"{path}: {_TABLE} {key} has a pattern that is no text.")
    for pattern, own in settings.get(_FOR_FILES, {}).items():
        name = f"[tool.shardlang.{_FOR_FILES}.{pattern!r}]"
        settings[_FOR_FILES] = {**settings[_FOR_FILES], pattern: _placed(_known(own, _OF_FILE, path, name), path, name)}
    return _placed(settings, path, _TABLE)


def _known(table: Any, known: dict[str, tuple[type, ...]], path: str, name: str) -> dict[str, Any]:
    """Return the settings of a table. Raises OptionError for one that there is not, or of the wrong type."""
    if not isinstance(table, dict):
        raise OptionError(f"{path}: {name} is not a table.")
    for key, value in table.items():
        if key not in known:
            close = did_you_mean(key, known)
            hint = f" Did you mean {close!r}?" if close else f" Known: {', '.join(known)}."
            raise OptionError(f"{path}: {name} has no setting {key!r}.{hint}")
        if not isinstance(value, known[key]):
            raise OptionError(f"{path}: {name} {key} has the wrong type.")
    return dict(table)


def _placed(settings: dict[str, Any], path: str, name: str) -> dict[str, Any]:
    """Return settings with `hardware` as a name, or as a path from anywhere, and the project's own chips in `chips`.

    Raises OptionError for a value that no call takes.
    """
    hardware = settings.get("hardware")
    if isinstance(hardware, dict):
        chips = {name: chip for name, chip in hardware.items() if name != "default"}
        chosen = hardware.get("default", next(iter(chips)) if len(chips) == 1 else None)
        if not isinstance(chosen, str | None):
            raise OptionError(f"{path}: [tool.shardlang.hardware] default has the wrong type.")
        settings = {**settings, "chips": chips, "chips_from": f"{path}: [tool.shardlang.hardware]"}
        if chosen is None:  # nothing is said: what an editor is set to counts
            del settings["hardware"]
        else:
            settings["hardware"] = chosen
    elif hardware is not None:
        settings = {**settings, "hardware": beside(hardware, os.path.dirname(path))}
    if settings.get("hardware") is not None:
        settings["hardware_from"] = {settings["hardware"]: f"{path}: {name} hardware"}
    given = {key.replace("-", "_"): value for key, value in settings.items()}
    try:
        read_request({key: value for key, value in given.items() if key in COST_NAMES}, COST_NAMES)
    except OptionError as problem:
        keyword, colon, more = str(problem).partition(":")
        setting = keyword.replace("_", "-") if keyword in COST_NAMES else keyword
        raise OptionError(f"{path}: {name} {setting}{colon}{more}") from None
    return settings


def _merged(table: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the settings of one file of a project: those of all files, then of each pattern that its name fits."""
    settings = {key.replace("-", "_"): value for key, value in table.items() if key not in _OF_NO_TEXT}
    parts = name.split(os.sep)
    for pattern, own in table.get(_FOR_FILES, {}).items():
        if not name or not fits(parts, pattern):
            continue
        settings = with_layer(settings, {key.replace("-", "_"): value for key, value in own.items()})
    return settings


def with_layer(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings, by keyword, with others over them: `ignore`, `sizes` and `topology` come together, the rest is replaced."""
    return {**below, **{key: _joined(key, below.get(key), value) for key, value in above.items()}}


def _joined(key: str, before: Any, value: Any) -> Any:
    if key == "ignore" and before is not None:
        words = (item.replace(",", " ").split() if isinstance(item, str) else item for item in (before, value))
        return [code for codes in words for code in codes]
    if key == "sizes" and before is not None:
        return {**read_figures(before), **read_figures(value)}
    if key == "topology" and before is not None:
        return {name: kind for given in (before, value) for name, kind in read_entries(key, given, "X=ring,Y=line")}
    return value


def fits(parts: Sequence[str], pattern: str) -> bool:
    """Say whether a path fits a pattern; one without a slash is for the file's name alone, `**` is any directories.

    A backslash is a slash: who writes a path on Windows has it so.
    """
    wanted = pattern.replace("\\", "/").removeprefix("./").split("/")
    return _fit(parts[-1:] if len(wanted) == 1 else parts, wanted)


def _fit(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    """Say whether directories and a name fit their patterns, in steps as many as the one times the other."""
    from fnmatch import fnmatchcase

    reached = {0}  # how many of `wanted` may be used up
    for part in parts:
        after: set[int] = set()
        for at in _past_any(reached, wanted):
            if at < len(wanted) and wanted[at] == "**":
                after.add(at)
            elif at < len(wanted) and fnmatchcase(part, wanted[at]):
                after.add(at + 1)
        reached = after
    return len(wanted) in _past_any(reached, wanted)


def _past_any(reached: set[int], wanted: Sequence[str]) -> set[int]:
    """Return the places reached, and those after each `**` there, which may be no directory at all."""
    found = set(reached)
    for at in reached:
        while at < len(wanted) and wanted[at] == "**" and at + 1 not in found:
            at += 1
            found.add(at)
    return found
