"""The hardware catalogue: chips by id, read from `hardware.toml` only when one is asked for.

Units are SI, per chip: FLOPs/s, bytes, bytes/s, seconds. Whatever a chip has no figure for is None (or
missing in `flops`) and stays a symbol in formulas.
"""

import os
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from shardlang.diagnostics import did_you_mean


class Hardware(NamedTuple):
    """One chip.

    kind: `tpu` (a torus of ICI links) or `gpu` (a tree of switches). flops: peak rate by element
    type. ici: bidirectional bandwidth of one torus axis (W_ici), twice the one-way figure of a link. torus_axes:
    2 or 3. wraparound: `cube`, every axis wraps when the slice is a multiple of the 4x4x4 cube; `pod`, an axis
    wraps at exactly 16; `always`; `never`. egress: one device's full-duplex bandwidth into its node, one
    direction (W_egress). domain: devices in a node (D_node). node_egress: what a node sends out of it, one direction
    (W_node). leaf: nodes under one leaf (D_leaf). leaf_egress: what a leaf sends to the spine (W_leaf). spine: leaves.
    dcn: one chip's egress between slices, one direction (W_dcn). pcie: one chip's rate to its host, one direction
    (W_pcie). latency: seconds a hop (T_min), dcn_latency: one between slices (T_dcn). vmem_bandwidth: of a TPU's on-chip
    memory (W_vmem), where it is stated. pod, host: chips along each axis of them. mesh: figures of the mesh rather than
    of the chip, which the text or an option gives by symbol: `M_X` torus axes along a mesh axis, `M_slice` chips in a slice.
    """

    id: str
    name: str
    kind: str
    flops: Mapping[str, float]
    hbm_bytes: float | None = None
    hbm_bandwidth: float | None = None
    ici: float | None = None
    torus_axes: int | None = None
    wraparound: str = "always"
    egress: float | None = None
    domain: int | None = None
    node_egress: float | None = None
    leaf: int | None = None
    leaf_egress: float | None = None
    spine: int | None = None
    dcn: float | None = None
    pcie: float | None = None
    latency: float | None = None
    dcn_latency: float | None = None
    pod: tuple[int, ...] = ()
    host: tuple[int, ...] = ()
    vmem_bandwidth: float | None = None
    source: str = ""
    mesh: Mapping[str, float] = MappingProxyType({})


FIGURES = {  # by the symbol that formulas have for it
    "W_hbm": "hbm_bandwidth",
    "M_hbm": "hbm_bytes",
    "W_ici": "ici",
    "W_egress": "egress",
    "W_node": "node_egress",
    "W_leaf": "leaf_egress",
    "W_dcn": "dcn",
    "W_pcie": "pcie",
    "D_node": "domain",
    "D_leaf": "leaf",
    "T_min": "latency",
    "T_dcn": "dcn_latency",
    "W_vmem": "vmem_bandwidth",
}


class Derived(NamedTuple):
    """A figure that follows from another one of the same chip where the chip states none: `times` that of `symbol`."""

    kind: str
    symbol: str
    times: float
    source: str


DERIVED = {
    "W_vmem": Derived("tpu", "W_hbm", 22, "chapter tpus, newest edition: VMEM bandwidth is about 22 times that of HBM"),
}


def figure(hardware: Hardware | None, symbol: str) -> float | None:
    """Return what a chip states for a symbol, or what follows from another figure of it (`DERIVED`); else None."""
    if hardware is None:
        return None
    found: float | None = getattr(hardware, FIGURES[symbol]) if symbol in FIGURES else hardware.mesh.get(symbol)
    rule = DERIVED.get(symbol)
    if found is not None or rule is None or hardware.kind != rule.kind:
        return found
    base = figure(hardware, rule.symbol)
    return None if base is None else rule.times * base


class HardwareProblem(NamedTuple):
    """Why there is no hardware to give: a code of the registry, the message, and a hint or None."""

    code: str
    message: str
    hint: str | None = None


Catalogue = dict[str, Hardware]

# Any machine's figures are in here, in SI units; what is not would leave the range of floats in quotients and products.
SMALLEST_FIGURE, LARGEST_FIGURE = 1e-30, 1e30


def shipped_text() -> str:
    """Return the catalogue that ships with the package, as TOML."""
    from importlib.resources import files  # costs start-up time that only a named chip should pay

    return (files("shardlang.pricing") / "hardware.toml").read_text("utf-8")


def load_catalogue() -> Catalogue:
    """Return the chips that ship with the package, by id."""
    return dict(_shipped())


@cache  # to read the file takes as long as to check fifty statements
def _shipped() -> Catalogue:
    chips = read_catalogue(shipped_text(), "hardware.toml")
    if isinstance(chips, HardwareProblem):
        raise ValueError(chips.message)  # the file ships with the package and a test reads it
    return chips


def names_file(name: str) -> bool:
    """Say whether a name of hardware is a file of the user's: `my.toml`, `my.toml:chip`."""
    return name.endswith(".toml") or ".toml:" in name


def beside(name: str, folder: str) -> str:
    """Return a name of hardware; one that is a file as a path from `folder`, where who names it is."""
    return os.path.join(folder, name) if names_file(name) else name


def find_hardware(name: str, extra: Mapping[str, Hardware] | None = None) -> Hardware | HardwareProblem:
    """Return the chip called `name` (its id, in any case), from `extra` first, then from the catalogue.

    A name that ends in `.toml` is a file of the user's: with one chip it is that chip, and
    `my.toml:chip` picks one of several. Problems: SL501 for a name that is not known, SL504 for a bad file.
    """
    path, _, picked = name.partition(".toml:")
    if names_file(name):
        return _find_in_file(name if not picked else f"{path}.toml", picked)
    wanted = name.strip().casefold()
    for chips in (extra or {}, load_catalogue()):
        if wanted in chips:
            return chips[wanted]
    return _unknown(name, {**load_catalogue(), **(extra or {})})


def read_catalogue(text: str, where: str) -> Catalogue | HardwareProblem:
    """Return the chips in a TOML text, one table each; `where` names the text in messages."""
    tables = read_tables(text, where)
    return tables if isinstance(tables, HardwareProblem) else build_catalogue(tables, where)


def read_tables(text: str, where: str) -> dict[str, Any] | HardwareProblem:
    """Return a TOML text as it stands; `where` names it in messages."""
    import tomllib  # costs start-up time that only a named chip should pay

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return HardwareProblem("SL504", f"{where} is not TOML: {error}")
    except RecursionError:
        return HardwareProblem("SL504", f"{where} is nested too deeply")
    except ValueError:  # more digits than Python reads
        return HardwareProblem("SL504", f"{where} has a number with too many digits")


def build_catalogue(tables: Mapping[str, Any], where: str) -> Catalogue | HardwareProblem:
    """Return the chips in tables that were read already (`[tool.shardlang.hardware]` of a `pyproject.toml`)."""
    chips: Catalogue = {}
    for key, table in tables.items():
        if not isinstance(table, Mapping):
            return HardwareProblem("SL504", f"{where}: `{key}` is not a table", f"[{key}]")
        base = table.get("same_chip_as")
        if isinstance(base, str) and isinstance(tables.get(base), Mapping):
            table = {**tables[base], **table}
        problems: list[str] = []
        chips[key.casefold()] = _read_chip(key, table, problems)
        if problems:
            return HardwareProblem("SL504", f"{where}: [{key}] {problems[0]}")
    return chips


def read_file(path: str) -> str | HardwareProblem:
    """Return the text of a hardware file of the user's. A pipe or a device is none: a text could name one that never ends."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        return HardwareProblem("SL504", f"cannot read the hardware file {path}: it is not a regular file")
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(1_000_000)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text file"
        return HardwareProblem("SL504", f"cannot read the hardware file {path}: {reason}")


def _find_in_file(path: str, picked: str) -> Hardware | HardwareProblem:
    text = read_file(path)
    chips = text if isinstance(text, HardwareProblem) else read_catalogue(text, path)
    if isinstance(chips, HardwareProblem):
        return chips
    if picked:
        return chips.get(picked.casefold()) or _unknown(picked, chips)
    if len(chips) == 1:
        return next(iter(chips.values()))
    if not chips:
        return HardwareProblem("SL504", f"{path} has no chip in it", '[my-chip]\nkind = "tpu"')
    return HardwareProblem("SL504", f"{path} has several chips: {', '.join(chips)}", f"{path}:{next(iter(chips))}")


def _unknown(name: str, chips: Mapping[str, Hardware]) -> HardwareProblem:
    names = {**{chip.name: key for key, chip in chips.items()}, **{key: key for key in chips}}
    short = {key.removeprefix("tpu-"): key for key in chips}
    close = did_you_mean(name, {**names, **short})
    suggestion = _of_generation(name, chips) or ({**short, **names}[close] if close else None)
    message = f"no hardware is called `{name}`"
    if suggestion is None:
        return HardwareProblem("SL501", f"{message}; known are {', '.join(sorted(chips))}")
    return HardwareProblem("SL501", f"{message}; did you mean `{suggestion}`?", suggestion)


def _of_generation(name: str, chips: Mapping[str, Hardware]) -> str | None:
    """Return the one TPU whose generation a name has, as `tpu-v7` that of `tpu7x`; None where there are several."""
    wanted = _generation(name)
    found = [key for key in chips if key.startswith("tpu") and _generation(key).startswith(wanted)]
    return found[0] if wanted[:1].isdecimal() and len(found) == 1 else None


def _generation(name: str) -> str:
    return name.strip().casefold().removeprefix("tpu").lstrip("- ").removeprefix("v")


def _read_chip(key: str, table: Mapping[str, Any], problems: list[str]) -> Hardware:
    kind = table.get("kind")
    if kind not in ("tpu", "gpu"):
        problems.append('needs kind = "tpu" or kind = "gpu"')
    ici, nvlink = _table(table, "ici", problems), _table(table, "nvlink", problems)
    tree, dcn = _table(table, "tree", problems), _table(table, "dcn", problems)
    two_way = _number(ici, "bidirectional_per_axis", problems)
    one_way = _number(ici, "one_way_per_link", problems)
    if two_way is None and one_way is not None:
        two_way = 2 * one_way
    if one_way is not None and two_way is not None and two_way != 2 * one_way:
        problems.append(f"ici: bidirectional_per_axis = {two_way:g} is not twice one_way_per_link = {one_way:g}")
    wraparound = table.get("wraparound", "always" if kind != "gpu" else "never")
    if wraparound not in ("cube", "pod", "always", "never"):
        problems.append('wraparound is one of "cube", "pod", "always", "never"')
    if not key.isprintable():
        problems.append(f"`{_shown(key)}` has a character that does not show")
    return Hardware(
        id=key.casefold(),
        name=_text(table, "name", problems) or _shown(key),
        kind=_text(table, "kind", problems),
        flops=_read_rates(_table(table, "flops", problems), problems),
        hbm_bytes=_number(table, "hbm_bytes", problems),
        hbm_bandwidth=_number(table, "hbm_bandwidth", problems),
        ici=two_way,
        torus_axes=_whole(ici, "torus_axes", problems),
        wraparound=wraparound if isinstance(wraparound, str) else "",
        egress=_number(nvlink, "egress", problems),
        domain=_whole(nvlink, "domain", problems),
        node_egress=_number(table, "node_egress", problems),
        leaf=_whole(tree, "leaf", problems),
        leaf_egress=_number(tree, "leaf_egress", problems),
        spine=_whole(tree, "spine", problems),
        dcn=_number(dcn, "per_chip", problems),
        pcie=_number(table, "pcie_per_chip", problems),
        latency=_number(table, "hop_latency_s", problems),
        dcn_latency=_number(dcn, "hop_latency_s", problems),
        pod=_shape(table.get("pod_shape")),
        host=_shape(table.get("host_shape")),
        vmem_bandwidth=_number(table, "vmem_bandwidth", problems),
        source=_text(table, "source", problems),
    )


def _read_rates(table: Mapping[str, Any], problems: list[str]) -> dict[str, float]:
    """Return the rate of each element type; a key such as `fp8_int8` stands for both."""
    rates: dict[str, float] = {}
    for key in table:
        rate = _number(table, key, problems)
        if rate is not None:
            for dtype in key.split("_"):
                if dtype != "vector" and not key.endswith("_vector"):
                    rates[dtype] = rate
    return rates


def _table(table: Mapping[str, Any], key: str, problems: list[str]) -> Mapping[str, Any]:
    value = table.get(key, {})
    if isinstance(value, Mapping):
        return value
    problems.append(f"{key} is not a table")
    return {}


def _shown(text: str) -> str:
    """Return a text for reports: what does not show, or moves the cursor, as its code point."""
    return "".join(char if char.isprintable() else f"U+{ord(char):04X}" for char in text)


def _text(table: Mapping[str, Any], key: str, problems: list[str]) -> str:
    value = table.get(key, "")
    if isinstance(value, str):
        return _shown(value)
    problems.append(f"{key} is not a text")
    return ""


def _number(table: Mapping[str, Any], key: str, problems: list[str]) -> float | None:
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        problems.append(f"{key} is not a positive number")
        return None
    if not SMALLEST_FIGURE <= value <= LARGEST_FIGURE:
        problems.append(f"{key} is not between {SMALLEST_FIGURE:g} and {LARGEST_FIGURE:g}")
        return None
    return float(value)


def _shape(sizes: Any) -> tuple[int, ...]:
    """Return the sizes of a pod or host, none where the file has words there."""
    whole = isinstance(sizes, list) and all(type(size) is int and 0 < size <= LARGEST_FIGURE for size in sizes)
    return tuple(sizes) if whole else ()


def _whole(table: Mapping[str, Any], key: str, problems: list[str]) -> int | None:
    value = _number(table, key, problems)
    if value is not None and value != int(value):
        problems.append(f"{key} is not a whole number")
    return None if value is None else int(value)
