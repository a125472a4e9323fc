"""The keywords of `check`, `cost` and the rest, read into one request.

A value may come from Python (a mapping, a number) or from the command line (the text `X=4,Y=2`). What cannot
be read is an `OptionError`, which says what was expected; it never has to do with the text that is checked.
"""

from collections.abc import Iterable, Mapping
from operator import index
from typing import Any, NamedTuple

from shardlang.api.devices import read_shape
from shardlang.api.keywords import CheckKeywords, CostKeywords, PlanKeywords, SendKeywords, TextKeywords
from shardlang.api.selection import Selection, begins_code
from shardlang.api.settings import choices_of
from shardlang.api.values import (
    NAME,
    OptionError,
    quoted,
    read_choice,
    read_entries,
    read_number,
    read_optional_word,
    real_number,
)
from shardlang.diagnostics import did_you_mean
from shardlang.limits import NO_LIMITS, Clock, Limits
from shardlang.pricing.hardware import Hardware, HardwareProblem, build_catalogue
from shardlang.pricing.roofs import DEFAULT_ROOFS, ROOFS
from shardlang.semantics.dtypes import DTYPE_NAMES, canonical_dtype
from shardlang.semantics.options import Options
from shardlang.semantics.topology import KINDS, Topology, parse_topology
from shardlang.syntax.kinds import DOCUMENTS


class Request(NamedTuple):
    """Everything that a caller set, as values. `options` goes to semantics; the rest to planning and costs.

    name, document: what findings call the text, and its kind. alternatives: list, or run, other correct plans too.
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
    name: str = "<text>"
    document: str | None = None
    alternatives: bool = True
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
    given = {name: _without_numpy(value) for name, value in given.items()}
    if not isinstance(given.get("name") or "", str):
        raise OptionError(f"name: expected what findings call the text, not {quoted(given['name'])}.")
    if given.get("document") is not None:
        read_choice("document", given["document"], DOCUMENTS)
    default = given.get(DEFAULTS) or {}
    options, defaults, limits = _options(given), _options(default), _limits(given.get("limits"))
    return Request(
        options=options._replace(
            uneven=_switch("uneven", given, defaults.uneven), explicit=_switch("explicit", given, defaults.explicit)
        ),
        defaults=defaults,
        idle_axes=_switch("idle_axes", given, _switch("idle_axes", default)),
        latency=_switch("latency", given, _switch("latency", default)),
        reduce_dtype=_dtype("reduce_dtype", given.get("reduce_dtype") or default.get("reduce_dtype")),
        selection=_selection(given, default),
        chips=read_chips(default),
        model=read_choice("model", given.get("model") or default.get("model") or "book", choices_of("model")),
        roofs=_roofs(next((by["roofs"] for by in (given, default) if by.get("roofs") is not None), DEFAULT_ROOFS)),
        comms=read_choice("comms", given.get("comms") or default.get("comms") or "max", choices_of("comms")),
        slice=read_shape(given.get("slice")),
        top_k=_top_k(given.get("top_k")),
        assume=_assumptions(given.get("assume")),
        limits=limits,
        clock=Clock(limits.max_time),
        name=given.get("name") or "<text>",
        document=given.get("document"),
        alternatives=_switch("alternatives", given, True),
        varied=any(given.get(name) or (given.get(name) is False and default.get(name)) for name in _VARYING),
    )


def _without_numpy(value: Any) -> Any:
    """Return what is an array or a number of NumPy as lists and numbers of Python; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") and not isinstance(value, type) else value


def _options(given: Mapping[str, Any]) -> Options:
    return Options(
        mesh=_mesh(given.get("mesh")),
        sizes=_sizes(given.get("sizes")),
        hardware=read_optional_word("hardware", given.get("hardware")),
        dtype=_dtype("dtype", given.get("dtype")),
        topology=_topology(given.get("topology")),
        uneven=_switch("uneven", given),
        explicit=_switch("explicit", given),
    )


def _switch(name: str, given: Mapping[str, Any], default: bool = False) -> bool:
    """Return what is on or off. Raises OptionError for anything else: the text `false` would be true."""
    value = given.get(name)
    if not isinstance(value, bool | None):
        raise OptionError(f"{name}: expected True or False, not {quoted(value)}.")
    return default if value is None else value


def _mesh(value: Any) -> dict[str, int | None] | None:
    if value is None:
        return None
    mesh: dict[str, int | None] = {}
    for name, size in read_entries("mesh", value, "X=4,Y=2"):
        if name in mesh:
            raise OptionError(f"mesh: the axis {name} is given twice.")
        number = None if size is None else read_number("mesh", name, size)
        if number is not None and (not isinstance(number, int) or number < 1):
            raise OptionError(f"mesh: the size of {name} is {quoted(number)}; it must be a positive whole number.")
        mesh[name] = number
    if not mesh:
        raise OptionError("mesh: no axis is given; write it as X=4,Y=2.")
    return mesh


def _sizes(value: Any) -> dict[str, int | float] | None:
    if value is None:
        return None
    sizes: dict[str, int | float] = {}
    for name, size in read_entries("sizes", value, "B=1024,D=8192"):
        if size is None:
            raise OptionError(f"sizes: {name} has no value; write it as {name}=1024.")
        if name in sizes:
            raise OptionError(f"sizes: {name} is given twice.")
        sizes[name] = read_number("sizes", name, size)
    return sizes


def _topology(value: Any) -> dict[str, Topology] | None:
    if value is None:
        return None
    topology: dict[str, Topology] = {}
    for name, kind in read_entries("topology", value, "X=ring,Y=line"):
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
            raise OptionError(f"topology: {name} cannot be {quoted(kind)}.{more}")
        topology[name] = links
    return topology


def _top_k(value: Any) -> int | str | None:
    if isinstance(value, str) and NAME.match(value.strip()) and len(value) <= 100:
        return value.strip()
    if value is None:
        return None
    number = read_number("top_k", "k", value)
    if not isinstance(number, int):
        raise OptionError(f"top_k: {quoted(value)} is neither a whole number nor a name.")
    return number


def read_figures(value: Any) -> dict[str, int | float]:
    """Return hardware figures by symbol, as in `W_hbm=3.35e12`. Raises OptionError for what is none."""
    return _sizes(value) or {}


def _dtype(what: str, value: Any) -> str | None:
    word = read_optional_word(what, value)
    if word is None:
        return None
    known = canonical_dtype(word)
    if known is None:
        close = did_you_mean(word, DTYPE_NAMES)
        raise OptionError(
            f"{what}: unknown element type {quoted(word)}." + (f" Did you mean {close}?" if close else "")
        )
    return known


def _roofs(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",")]
    elif not isinstance(value, Iterable) or isinstance(value, bytes):
        raise OptionError(f"roofs: expected names such as 'math,ici', not {quoted(value)}.")
    names = list(value)
    if not names:
        raise OptionError(f"roofs: no roof is given; they are {', '.join(ROOFS)}.")
    for name in names:
        read_choice("roofs", name, tuple(ROOFS))
    return tuple(dict.fromkeys(names))


def _assumptions(value: Any) -> tuple[str, ...]:
    """Return what is assumed as it was written; what the names in it mean only a plan says."""
    if isinstance(value, str):
        value = [value]
    elif value is not None and (not isinstance(value, Iterable) or isinstance(value, bytes)):
        raise OptionError(f"assume: expected texts such as 'B << D, F', not {quoted(value)}.")
    texts = tuple(value or ())
    for text in texts:
        if not isinstance(text, str):
            raise OptionError(f"assume: expected texts such as 'B << D, F', not {quoted(text)}.")
    return texts


def _limits(value: Any) -> Limits:
    """Return the limits of a call, from `Limits` or a mapping with some of its names."""
    if value is None:
        return NO_LIMITS
    if isinstance(value, Limits):
        value = value._asdict()
    if not isinstance(value, Mapping):
        raise OptionError(f"limits: expected shardlang.Limits or a mapping, not {quoted(value)}.")
    read: dict[str, Any] = {}
    for name, limit in value.items():
        read_choice("limits", name, Limits._fields)
        try:
            read[name] = _limit(name, limit)
        except (TypeError, ValueError, ArithmeticError):
            raise OptionError(f"limits: {name} is {quoted(limit)}; expected {_LIMITS_EXPECT[name]}.") from None
    return Limits(**read)


_LIMITS_EXPECT = {
    "max_chars": "a whole number that is not negative",
    "max_statements": "a whole number that is not negative, or None",
    "max_time": "a number of seconds that is not negative, or None",
    "files": "True or False",
}


def _limit(name: str, value: Any) -> Any:
    """Return one limit, of a number of any library. Raises TypeError, ValueError or ArithmeticError for what is none."""
    if name == "files" or isinstance(value, bool):
        if name != "files" or not isinstance(value, bool):
            raise TypeError
        return value
    if value is None and name != "max_chars":
        return None
    number: float = real_number(value) if name == "max_time" else index(value)
    if not number >= 0:
        raise ValueError
    return number


def read_chips(default: Mapping[str, Any]) -> Mapping[str, Hardware]:
    """Return the chips that a project defines. Raises OptionError for a table that is none."""
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
        raise OptionError(f"{what}: expected codes such as ['SL201', 'SL3'], not {quoted(value)}.")
    codes = tuple(value or ())
    for code in codes:
        if not isinstance(code, str) or not begins_code(code):
            raise OptionError(f"{what}: there is no code {quoted(code)}.")
    return codes
