"""The keywords of `check`, `cost` and the rest, read into one request.

A value may come from Python (a mapping, a number) or from the command line (the text `X=4,Y=2`). What cannot
be read is an `OptionError`, which says what was expected; it never has to do with the text that is checked.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from shardlang.api.keywords import CheckKeywords, CostKeywords, PlanKeywords, SendKeywords, TextKeywords
from shardlang.api.selection import Selection
from shardlang.diagnostics import CODES, did_you_mean
from shardlang.limits import NO_LIMITS, Clock, Limits
from shardlang.pricing.hardware import Hardware, HardwareProblem, build_catalogue
from shardlang.pricing.roofs import DEFAULT_ROOFS, ROOFS
from shardlang.semantics.dtypes import DTYPE_NAMES, canonical_dtype
from shardlang.semantics.options import Options
from shardlang.semantics.topology import KINDS, Topology, parse_topology

_NAME = re.compile(r"[^\W\d]\w*['′]*\Z")
_WHOLE = re.compile(r"[0-9](?:_?[0-9]){0,29}\Z")
_DECIMAL = re.compile(r"[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,3})?\Z")

_SMALLEST_SIZE, _LARGEST_SIZE = 1e-60, 1e60
_LONGEST_QUOTE, _MOST_DIGITS = 60, 30
_MOST_SLICE_AXES, _LARGEST_SLICE = 3, 1_000_000


class OptionError(ValueError):
    """A keyword or an option has a value that cannot be used."""


class Request(NamedTuple):
    """Everything that a caller set, as values. `options` goes to semantics; the rest to planning and costs.

    varied: the caller set what findings depend on, beside what the project says. clock: runs from here on. names: sizes
    that the call has a use for beside the text, such as those of another plan. opened: mesh axes whose sizes are
    what is asked for, so that the plan, its links and its formulas are those of any size; no slice decides them.
    """

    options: Options
    defaults: Options
    idle_axes: bool
    latency: bool
    reduce_dtype: str | None
    selection: Selection
    chips: Mapping[str, Hardware]
    model: str
    roofs: tuple[str, ...]
    comms: str
    assume: tuple[str, ...]
    varied: bool
    limits: Limits
    clock: Clock
    slice: tuple[int, ...] | None = None
    top_k: int | str | None = None
    names: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


_UNVARYING = ("name", "document", "select", "ignore", "limits")
TEXT_NAMES = tuple(TextKeywords.__annotations__)
PLAN_NAMES = tuple(PlanKeywords.__annotations__)
SEND_NAMES = tuple(SendKeywords.__annotations__)
CHECK_NAMES = tuple(CheckKeywords.__annotations__)
COST_NAMES = tuple(CostKeywords.__annotations__)
_VARYING = tuple(name for name in PlanKeywords.__annotations__ if name not in _UNVARYING)
DEFAULTS = "_defaults"  # what a project says for its texts; of the command line, and no public keyword


def read_request(given: Mapping[str, Any], known: tuple[str, ...]) -> Request:
    """Return the request of the keywords `given`; `known` are the names of those that there are.

    Raises OptionError for a value that cannot be used, TypeError for a keyword that there is not.
    """
    for name in given:
        if name not in known and name != DEFAULTS:
            close = did_you_mean(name, known)
            raise TypeError(f"there is no keyword {name!r}." + (f" Did you mean {close!r}?" if close else ""))
    if not isinstance(given.get("name") or "", str):
        raise OptionError(f"name: expected what findings call the text, not {_quoted(given['name'])}.")
    if given.get("document") is not None:
        _choice("document", given["document"], ("markdown", "latex", "html", "rst", "text", "python"))
    default = given.get(DEFAULTS) or {}
    options, defaults, limits = _options(given), _options(default), _limits(given.get("limits"))
    return Request(
        options=options._replace(
            uneven=options.uneven or defaults.uneven, explicit=options.explicit or defaults.explicit
        ),
        defaults=defaults,
        idle_axes=bool(given.get("idle_axes") or default.get("idle_axes")),
        latency=bool(given.get("latency") or default.get("latency")),
        reduce_dtype=_dtype("reduce_dtype", given.get("reduce_dtype") or default.get("reduce_dtype")),
        selection=_selection(given, default),
        chips=_chips(default),
        model=_choice("model", given.get("model") or "book", ("book", "exact")),
        roofs=DEFAULT_ROOFS if given.get("roofs") is None else _roofs(given["roofs"]),
        comms=_choice("comms", given.get("comms") or "max", ("max", "sum")),
        slice=read_shape(given.get("slice")),
        top_k=_top_k(given.get("top_k")),
        assume=_assumptions(given.get("assume")),
        limits=limits,
        clock=Clock(limits.max_time),
        varied=any(given.get(name) for name in _VARYING),
    )


def _options(given: Mapping[str, Any]) -> Options:
    return Options(
        mesh=_mesh(given.get("mesh")),
        sizes=_sizes(given.get("sizes")),
        hardware=_word("hardware", given.get("hardware")),
        dtype=_dtype("dtype", given.get("dtype")),
        topology=_topology(given.get("topology")),
        uneven=bool(given.get("uneven")),
        explicit=bool(given.get("explicit")),
    )


def _mesh(value: Any) -> dict[str, int | None] | None:
    if value is None:
        return None
    mesh: dict[str, int | None] = {}
    for name, size in _entries("mesh", value, "X=4,Y=2"):
        if name in mesh:
            raise OptionError(f"mesh: the axis {name} is given twice.")
        number = None if size is None else _number("mesh", name, size)
        if number is not None and (not isinstance(number, int) or number < 1):
            raise OptionError(f"mesh: the size of {name} is {_quoted(number)}; it must be a positive whole number.")
        mesh[name] = number
    if not mesh:
        raise OptionError("mesh: no axis is given; write it as X=4,Y=2.")
    return mesh


def _sizes(value: Any) -> dict[str, int | float] | None:
    if value is None:
        return None
    sizes: dict[str, int | float] = {}
    for name, size in _entries("sizes", value, "B=1024,D=8192"):
        if size is None:
            raise OptionError(f"sizes: {name} has no value; write it as {name}=1024.")
        if name in sizes:
            raise OptionError(f"sizes: {name} is given twice.")
        sizes[name] = _number("sizes", name, size)
    return sizes


def _topology(value: Any) -> dict[str, Topology] | None:
    if value is None:
        return None
    topology: dict[str, Topology] = {}
    for name, kind in _entries("topology", value, "X=ring,Y=line"):
        if name in topology:
            raise OptionError(f"topology: the axis {name} is given twice.")
        links = parse_topology(kind) if isinstance(kind, str) else None
        if links is None:
            close = did_you_mean(kind, KINDS) if isinstance(kind, str) else None
            more = (
                f" Did you mean {close}?"
                if close
                else f" It is one of {', '.join(KINDS)}, ring:2 or ring:M_X for several physical axes, ring:one-way, "
                "or levels such as node+scale-out."
            )
            raise OptionError(f"topology: {name} cannot be {_quoted(kind)}.{more}")
        topology[name] = links
    return topology


def read_shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape of a slice, from a tuple or a text such as `16x20x28`. Raises OptionError for what is none."""
    if value is None:
        return None
    parts = value.lower().replace("×", "x").split("x") if isinstance(value, str) else value
    if not isinstance(parts, Iterable) or isinstance(parts, bytes | Mapping):
        raise OptionError(f"slice: expected a shape such as '16x20x28', not {_quoted(value)}.")
    sizes = list(islice(parts, _MOST_SLICE_AXES + 1))
    numbers = [int(size) if isinstance(size, str) and _WHOLE.match(size.strip()) else size for size in sizes]
    if not 1 <= len(numbers) <= _MOST_SLICE_AXES or not all(_is_whole(n) and n <= _LARGEST_SLICE for n in numbers):
        raise OptionError(
            f"slice: {_quoted(value)} is no shape; write the sizes of one to three physical axes, as in 16x20x28."
        )
    return tuple(int(number) for number in numbers)


def _is_whole(value: Any) -> bool:
    return not isinstance(value, bool) and hasattr(value, "__index__") and int(value) > 0


def _top_k(value: Any) -> int | str | None:
    if isinstance(value, str) and _NAME.match(value.strip()) and len(value) <= 100:
        return value.strip()
    if value is None:
        return None
    number = _number("top_k", "k", value)
    if not isinstance(number, int):
        raise OptionError(f"top_k: {_quoted(value)} is neither a whole number nor a name.")
    return number


def read_place(what: str, value: Any, axes: Mapping[str, int | None]) -> dict[str, int]:
    """Return the coordinates of a device by mesh axis, from a tuple, a mapping, or a text: `0,3` or `X=0,Y=3`.

    axes: those of the mesh with their sizes. An axis that a mapping does not name has the coordinate 0. Raises
    OptionError for what is no device of the mesh.
    """
    place = dict.fromkeys(axes, 0)
    if isinstance(value, Mapping) or (isinstance(value, str) and "=" in value):
        given = _entries(what, value, "X=0,Y=3")
    else:
        parts = value.strip().strip("()").split(",") if isinstance(value, str) else value
        if isinstance(parts, bytes) or not isinstance(parts, Iterable):
            raise OptionError(f"{what}: expected coordinates such as '0,3', not {_quoted(value)}.")
        numbers = list(islice((part for part in parts if part != ""), len(axes) + 1))
        if len(numbers) != len(axes):
            one_each = ", ".join(axes) or "none"
            raise OptionError(f"{what}: {_quoted(value)} needs one coordinate for each mesh axis ({one_each}).")
        given = list(zip(axes, numbers, strict=True))
    twice = next((axis for at, (axis, _) in enumerate(given) if axis in dict(given[:at])), None)
    if twice is not None:
        raise OptionError(f"{what}: the coordinate along {twice} is given twice.")
    for axis, number in given:
        if isinstance(number, str) and _WHOLE.match(number.strip()):
            number = int(number)
        size = axes.get(axis)
        if axis not in axes:
            raise OptionError(f"{what}: the mesh has no axis {axis}.")
        if isinstance(number, bool) or not hasattr(number, "__index__") or not 0 <= int(number) < (size or 10**9):
            most = f"0 to {size - 1}" if size is not None else "whole numbers from 0 on"
            raise OptionError(f"{what}: {_quoted(number)} is no coordinate along {axis}, which has {most}.")
        place[axis] = int(number)
    return place


def read_figures(value: Any) -> dict[str, int | float]:
    """Return hardware figures by symbol, as in `W_hbm=3.35e12`. Raises OptionError for what is none."""
    return _sizes(value) or {}


def _entries(what: str, value: Any, example: str) -> list[tuple[str, Any]]:
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
        raise OptionError(f"{what}: expected a mapping or a text such as {example!r}, not {_quoted(value)}.")
    entries: list[tuple[str, Any]] = []
    for entry in given:
        name, *rest = entry or (None,)
        if len(rest) != 1 or not isinstance(name, str) or not _NAME.match(name) or len(name) > 100:
            raise OptionError(f"{what}: {_quoted(name)} is not a name; write it as {example}.")
        entries.append((name, rest[0]))
    return entries


def _pair(part: str) -> tuple[str, str | None]:
    name, equals, value = part.partition("=" if "=" in part else ":")
    return name.strip().strip("'\""), value.strip() if equals else None


def _number(what: str, name: str, value: Any) -> int | float:
    if isinstance(value, bool):
        raise OptionError(f"{what}: {name} is {value}; a size is a number.")
    if isinstance(value, str):
        if _WHOLE.match(value):
            value = int(value)
        elif _DECIMAL.match(value):
            value = float(value)
    elif not isinstance(value, int | float) and hasattr(value, "__index__"):
        value = int(value)  # a NumPy integer
    elif not isinstance(value, int | float) and hasattr(value, "__float__"):
        value = _real(value)
    if not isinstance(value, int | float) or not _SMALLEST_SIZE < value < _LARGEST_SIZE:
        limits = f" between {_SMALLEST_SIZE:g} and {_LARGEST_SIZE:g}" if _is_positive(value) else ""
        if isinstance(value, str) and value.isdecimal():
            limits = f" of at most {_MOST_DIGITS} digits, and this has {len(value)}"
        raise OptionError(f"{what}: {name} is {_quoted(value)}; a size is a positive number{limits}.")
    return int(value) if value == int(value) else value


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and 0 < value < float("inf")


def _real(value: Any) -> Any:
    """Return a number of another library as a float, or the value itself where it is none that a float can hold."""
    try:
        return float(value)
    except (TypeError, ValueError, ArithmeticError):
        return value


def _quoted(value: Any) -> str:
    """Return a value as messages show it: short, and in words where it cannot be printed."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # more digits than Python prints, or nested too deeply
        return f"a number of {value.bit_length()} bits" if isinstance(value, int) else f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"


def _word(what: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str | bytes) and hasattr(value, "__fspath__"):
        value = value.__fspath__()
    if not isinstance(value, str) or not value.strip():
        raise OptionError(f"{what}: expected a name, not {_quoted(value)}.")
    return value.strip()


def read_word(what: str, value: Any) -> str:
    """Return a name or a path as text. Raises OptionError for what is neither."""
    word = _word(what, value)
    if word is None:
        raise OptionError(f"{what}: expected a name, not None.")
    return word


def _dtype(what: str, value: Any) -> str | None:
    word = _word(what, value)
    if word is None:
        return None
    known = canonical_dtype(word)
    if known is None:
        close = did_you_mean(word, DTYPE_NAMES)
        raise OptionError(
            f"{what}: unknown element type {_quoted(word)}." + (f" Did you mean {close}?" if close else "")
        )
    return known


def _roofs(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",")]
    elif not isinstance(value, Iterable) or isinstance(value, bytes):
        raise OptionError(f"roofs: expected names such as 'math,ici', not {_quoted(value)}.")
    names = list(value)
    if not names:
        raise OptionError(f"roofs: no roof is given; they are {', '.join(ROOFS)}.")
    for name in names:
        _choice("roofs", name, tuple(ROOFS))
    return tuple(dict.fromkeys(names))


def _assumptions(value: Any) -> tuple[str, ...]:
    """Return what is assumed as it was written; what the names in it mean only a plan says."""
    if isinstance(value, str):
        value = [value]
    elif value is not None and (not isinstance(value, Iterable) or isinstance(value, bytes)):
        raise OptionError(f"assume: expected texts such as 'B << D, F', not {_quoted(value)}.")
    texts = tuple(value or ())
    for text in texts:
        if not isinstance(text, str):
            raise OptionError(f"assume: expected texts such as 'B << D, F', not {_quoted(text)}.")
    return texts


def _choice(what: str, value: Any, known: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in known:
        close = did_you_mean(value, known) if isinstance(value, str) else None
        hint = f"Did you mean {close}?" if close else f"It is one of {', '.join(known)}."
        raise OptionError(f"{what} cannot be {_quoted(value)}. {hint}")
    return value


def _limits(value: Any) -> Limits:
    """Return the limits of a call, from `Limits` or a mapping with some of its names."""
    if value is None:
        return NO_LIMITS
    if isinstance(value, Limits):
        value = value._asdict()
    if not isinstance(value, Mapping):
        raise OptionError(f"limits: expected shardlang.Limits or a mapping, not {_quoted(value)}.")
    for name, limit in value.items():
        _choice("limits", name, Limits._fields)
        if not _is_limit(name, limit):
            raise OptionError(
                f"limits: {name} is {_quoted(limit)}; expected {'a bool' if name == 'files' else 'a number'}."
            )
    return Limits(**value)


def _is_limit(name: str, value: Any) -> bool:
    if name == "files" or isinstance(value, bool):
        return name == "files" and isinstance(value, bool)
    if value is None:
        return name != "max_chars"
    return isinstance(value, (int, float) if name == "max_time" else int) and value >= 0


def _chips(default: Mapping[str, Any]) -> Mapping[str, Hardware]:
    """Return the chips that a project defines."""
    if not default.get("chips"):
        return {}
    found = build_catalogue(default["chips"], default["chips_from"])
    if isinstance(found, HardwareProblem):
        raise OptionError(f"hardware: {found.message}")
    return found


def _selection(given: Mapping[str, Any], default: Mapping[str, Any]) -> Selection:
    select = _codes("select", given.get("select")) or _codes("select", default.get("select"))
    ignore = (*_codes("ignore", given.get("ignore")), *_codes("ignore", default.get("ignore")))
    return Selection(select, ignore)


def _codes(what: str, value: Any) -> tuple[str, ...]:
    """Return codes, or beginnings of codes, each of which there is."""
    if isinstance(value, str):
        value = value.replace(",", " ").split()
    elif value is not None and (not isinstance(value, Iterable) or isinstance(value, bytes)):
        raise OptionError(f"{what}: expected codes such as ['SL201', 'SL3'], not {_quoted(value)}.")
    codes = tuple(value or ())
    for code in codes:
        if not isinstance(code, str) or not code or not any(known.startswith(code) for known in CODES):
            raise OptionError(f"{what}: there is no code {_quoted(code)}.")
    return codes
