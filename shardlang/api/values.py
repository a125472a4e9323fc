"""One value of a keyword, from Python or as the text of the command line: names, numbers, mappings, choices.

What cannot be read is an `OptionError`, which says what was expected.
"""

import re
from collections.abc import Iterable, Mapping
from operator import index
from typing import Any

from shardlang.diagnostics import did_you_mean

NAME = re.compile(r"[^\W\d]\w*['′]*\Z")
WHOLE = re.compile(r"[0-9](?:_?[0-9]){0,29}\Z")
_DECIMAL = re.compile(r"[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,3})?\Z")

_SMALLEST_SIZE, _LARGEST_SIZE = 1e-60, 1e60
_LONGEST_QUOTE, _MOST_DIGITS = 60, 30


class OptionError(ValueError):
    """A keyword or an option has a value that cannot be used."""


def read_entries(what: str, value: Any, example: str) -> list[tuple[str, Any]]:
    """Return the entries of a mapping, of pairs, or of the text `X=4,Y=2`."""
    given: list[tuple[Any, ...]]
    if isinstance(value, str):
        parts = [part.strip() for part in value.strip().strip("{}").split(",")]
        given = [_pair(part) for part in parts if part]
    elif isinstance(value, Mapping):
        given = list(value.items())
    elif isinstance(value, Iterable) and not isinstance(value, bytes):
        given = [tuple(entry) if isinstance(entry, tuple | list) else (entry, None) for entry in value]
    else:
        raise OptionError(f"{what}: expected a mapping or a text such as {example!r}, not {quoted(value)}.")
    entries: list[tuple[str, Any]] = []
    for entry in given:
        name, *rest = entry or (None,)
        if len(rest) != 1 or not isinstance(name, str) or not NAME.match(name) or len(name) > 100:
            raise OptionError(f"{what}: {quoted(name)} is not a name; write it as {example}.")
        entries.append((name, rest[0]))
    return entries


def _pair(part: str) -> tuple[str, str | None]:
    name, equals, value = part.partition("=" if "=" in part else ":")
    return name.strip().strip("'\""), value.strip() if equals else None


def read_number(what: str, name: str, value: Any) -> int | float:
    """Return the number called `name`, from a number of any library or a text. Raises OptionError for what is none."""
    if isinstance(value, bool):
        raise OptionError(f"{what}: {name} is {value}; a size is a number.")
    if isinstance(value, str):
        if WHOLE.match(value):
            value = int(value)
        elif _DECIMAL.match(value):
            value = float(value)
    elif not isinstance(value, int | float) and hasattr(value, "__index__"):
        value = _whole(value)  # a NumPy integer
    elif not isinstance(value, int | float) and hasattr(value, "__float__"):
        value = _real(value)
    if not isinstance(value, int | float) or not _SMALLEST_SIZE < value < _LARGEST_SIZE:
        limits = f" between {_SMALLEST_SIZE:g} and {_LARGEST_SIZE:g}" if _is_positive(value) else ""
        if isinstance(value, str) and value.isdecimal():
            limits = f" of at most {_MOST_DIGITS} digits, and this has {len(value)}"
        raise OptionError(f"{what}: {name} is {quoted(value)}; a size is a positive number{limits}.")
    return int(value) if value == int(value) else value


def real_number(value: Any) -> float:
    """Return a number of any library as a float. Raises TypeError, ValueError or ArithmeticError for what is none."""
    if isinstance(value, str | bytes):
        raise TypeError
    return float(value)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and 0 < value < float("inf")


def _real(value: Any) -> Any:
    """Return a number of another library as a float, or the value itself where it is none that a float can hold."""
    try:
        return float(value)
    except (TypeError, ValueError, ArithmeticError):
        return value


def _whole(value: Any) -> Any:
    """Return an integer of another library, or the value itself where it is none, such as an array of NumPy."""
    try:
        return index(value)
    except TypeError:
        return value


def quoted(value: Any) -> str:
    """Return a value as messages show it: short, and in words where it cannot be printed."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # more digits than Python prints, or nested too deeply
        return f"a number of {value.bit_length()} bits" if isinstance(value, int) else f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"


def read_optional_word(what: str, value: Any) -> str | None:
    """Return a name or a path as text, None for None. Raises OptionError for what is neither."""
    if value is None:
        return None
    if not isinstance(value, str | bytes) and hasattr(value, "__fspath__"):
        value = value.__fspath__()
    if not isinstance(value, str) or not value.strip():
        raise OptionError(f"{what}: expected a name, not {quoted(value)}.")
    return value.strip()


def read_word(what: str, value: Any) -> str:
    """Return a name or a path as text. Raises OptionError for what is neither."""
    word = read_optional_word(what, value)
    if word is None:
        raise OptionError(f"{what}: expected a name, not None.")
    return word


def read_choice(what: str, value: Any, known: tuple[str, ...]) -> str:
    """Return a word that is one of those known. Raises OptionError for another one, with what it may mean."""
    if not isinstance(value, str) or value not in known:
        close = did_you_mean(value, known) if isinstance(value, str) else None
        hint = f"Did you mean {close}?" if close else f"It is one of {', '.join(known)}."
        raise OptionError(f"{what}: cannot be {quoted(value)}. {hint}")
    return value
