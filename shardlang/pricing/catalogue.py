"""Every figure of a chip with its unit, its convention and its source: what `shardlang hardware` shows.

`shardlang.pricing.hardware` has what formulas need; this has all that the catalogue says.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from shardlang.pricing.hardware import (
    DERIVED,
    FIGURES,
    LARGEST_FIGURE,
    HardwareProblem,
    find_hardware,
    read_file,
    read_tables,
    shipped_text,
)


class Figure(NamedTuple):
    """One figure. name: its place in the catalogue (`ici.one_way_per_link`). symbol: what formulas call it, or None.

    value: a number, a list of numbers, or words. unit: SI, empty for a count or words. convention: which direction a
    bandwidth counts and whose it is. source: where the figure is from.
    """

    name: str
    symbol: str | None
    value: Any
    unit: str
    convention: str
    source: str


class Chip(NamedTuple):
    """One chip of the catalogue. conflicts: what other passages of the sources print. notes: further figures of theirs.

    derived: what follows from the figures, with the formula as its source; see `shardlang.pricing.derived`.
    """

    id: str
    name: str
    kind: str
    vendor: str
    source: str
    figures: tuple[Figure, ...]
    conflicts: tuple[str, ...]
    notes: tuple[Figure, ...]
    derived: tuple[Figure, ...] = ()

    def figure(self, name: str) -> Figure | None:
        """Return the figure with a symbol (`W_ici`) or a name (`ici.one_way_per_link`), None where the chip has none.

        Derived ones too: `C_int8/W_hbm`, and `C/W_hbm`, which is that of bf16.
        """
        name = f"C_bf16{name[1:]}" if name.startswith("C/") else name
        return next((figure for figure in (*self.figures, *self.derived) if name in (figure.symbol, figure.name)), None)


class _Kind(NamedTuple):
    unit: str
    convention: str
    symbol: str | None = None


_ONE_WAY = "one way"
_KINDS = {
    "flops": _Kind("FLOP/s", "peak dense rate of a chip"),
    "hbm_bytes": _Kind("byte", "of a chip", "M_hbm"),
    "hbm_bandwidth": _Kind("byte/s", "of a chip, reads and writes together", "W_hbm"),
    "ici.torus_axes": _Kind("", "axes of the torus"),
    "ici.links_per_chip": _Kind("", "links of a chip"),
    "ici.one_way_per_link": _Kind("byte/s", "one way, one link", "W_uni"),
    "ici.bidirectional_per_axis": _Kind("byte/s", "both directions together, one axis", "W_ici"),
    "wraparound": _Kind("", "which axes are rings"),
    "vmem_bandwidth": _Kind("byte/s", "of a chip, reads and writes together", "W_vmem"),
    "pcie_per_chip": _Kind("byte/s", "one way, chip and host", "W_pcie"),
    "dcn.per_host": _Kind("byte/s", "one way, full duplex, one host"),
    "dcn.per_chip": _Kind("byte/s", "one way, full duplex, one chip", "W_dcn"),
    "dcn.hop_latency_s": _Kind("s", "one hop between slices", "T_dcn"),
    "pod_shape": _Kind("", "chips along each axis of a pod"),
    "host_shape": _Kind("", "chips along each axis of a host"),
    "tensorcores_per_chip": _Kind("", "of a chip"),
    "mxu": _Kind("", "rows and columns of a matrix unit"),
    "hop_latency_s": _Kind("s", "one hop", "T_min"),
    "price_usd_per_hour": _Kind("USD/h", "list price of a chip"),
    "generation": _Kind("", ""),
    "sms": _Kind("", "of a chip"),
    "clock": _Kind("Hz", "base and boost"),
    "smem_per_sm": _Kind("byte", "of one SM"),
    "tmem_per_sm": _Kind("byte", "of one SM"),
    "l2": _Kind("byte", "of a chip"),
    "l2_bandwidth": _Kind("byte/s", "of a chip"),
    "nvlink.gen": _Kind("", "generation"),
    "nvlink.per_link": _Kind("byte/s", "one way, one link"),
    "nvlink.links": _Kind("", "links of a GPU"),
    "nvlink.egress": _Kind("byte/s", "one way, full duplex, one GPU into its node", "W_egress"),
    "nvlink.domain": _Kind("", "GPUs in a node", "D_node"),
    "nvlink.switches": _Kind("", "of a node"),
    "nvlink.practical": _Kind("byte/s", "one way, as measured"),
    "nvlink.sharp_effective": _Kind(
        "byte/s", "array over the time of an AllReduce with in-network reduction, as measured"
    ),
    "node_egress": _Kind("byte/s", "one way, full duplex, one node into the scale-out network", "W_node"),
    "nic_per_gpu": _Kind("byte/s", "one way, one GPU's share of that"),
    "tree.leaf": _Kind("", "nodes under a leaf", "D_leaf"),
    "tree.leaf_egress": _Kind("byte/s", "one way, one leaf into the spine", "W_leaf"),
    "tree.spine": _Kind("", "leaves under the spine"),
    "gpus_per_host": _Kind("", ""),
    "superpod_gpus": _Kind("", "GPUs of the reference system"),
    "superpod.gpus": _Kind("", "GPUs of the reference system"),
    "superpod.ib_port": _Kind("byte/s", "one way, one port"),
    "superpod.ib_switch_ports": _Kind("", "of a switch"),
    "superpod.ag_bandwidth": _Kind("byte/s", "array over the time of an AllGather over all GPUs"),
    "superpod.sharp": _Kind("", "in-network reduction"),
}
_OF_LEVELS = {
    "degree": _Kind("", "parts that it joins"),
    "gpus": _Kind("", "GPUs below it"),
    "link_per_child": _Kind("byte/s", "one way, one part into it"),
    "cable": _Kind("byte/s", "one way, cables of one unit"),
    "switch": _Kind("byte/s", "one way, switches of one unit"),
    "switch_usable": _Kind("byte/s", "one way, switches of one unit, what the level uses"),
    "collective": _Kind("byte/s", "array over the time of a gather at this level"),
    "type": _Kind("", ""),
    "switches": _Kind("", "of one unit"),
}
_WRAPS = {
    "cube": "every axis, where the slice is a multiple of the 4x4x4 cube",
    "pod": "an axis of exactly 16",
    "always": "every axis",
    "never": "no axis",
}
_NO_FIGURES = ("name", "kind", "vendor", "source", "sources", "conflicts", "notes", "same_chip_as")
_UNITS = (  # of notes, by what their names have in them
    ("alpha", "FLOP/byte"),
    ("intensity", "FLOP/byte"),
    ("gib", "GiB"),
    ("over", ""),
    ("bandwidth", "byte/s"),
    ("bidirectional", "byte/s"),
    ("bytes", "byte"),
    ("clock", "Hz"),
    ("flops", "FLOP/s"),
)


def chips() -> tuple[Chip, ...]:
    """Return the chips that ship with the package."""
    tables = read_tables(shipped_text(), "hardware.toml")
    assert not isinstance(tables, HardwareProblem)
    return tuple(_chip(key, tables) for key in tables)


def own_chips(tables: Mapping[str, Any]) -> dict[str, Chip]:
    """Return the chips in tables that `build_catalogue` takes, by id."""
    return {key.casefold(): _chip(key, tables) for key in tables}


def find_chip(name: str, own: Mapping[str, Chip] | None = None) -> Chip | HardwareProblem:
    """Return the chip that `find_hardware` gives for a name or a file of the user's, with all its figures.

    own: chips by id that come before those of the catalogue.
    """
    wanted = name.strip().casefold()
    if own and wanted in own:
        return own[wanted]
    found = find_hardware(name)
    if isinstance(found, HardwareProblem):
        return found
    path, _, picked = name.partition(".toml:")
    file = name if name.endswith(".toml") else f"{path}.toml" if picked else None
    text = shipped_text() if file is None else read_file(file)
    tables = text if isinstance(text, HardwareProblem) else read_tables(text, file or "hardware.toml")
    if isinstance(tables, HardwareProblem):
        return tables
    return _chip(next(key for key in tables if key.casefold() == found.id), tables)


def _chip(key: str, tables: Mapping[str, Any]) -> Chip:
    own, base_key = tables[key], tables[key].get("same_chip_as")
    base = _table(tables, base_key) if isinstance(base_key, str) else {}
    sources = _table(own, "sources")
    figures = [*_figures(base, {}, str(base.get("source", ""))), *_figures(own, sources, str(own.get("source", "")))]
    last = {figure.name: figure for figure in figures}  # a chip's own figures come before those of its base
    conflicts = [text for table in (base, own) for text in _list(table.get("conflicts", []))]
    notes = [*_notes(base), *_notes(own)]
    text = {name: str({**base, **own}.get(name, "")) for name in ("name", "kind", "vendor", "source")}
    return Chip(
        id=key.casefold(),
        name=text["name"] or key,
        kind=text["kind"],
        vendor=text["vendor"],
        source=text["source"],
        figures=(*last.values(), *figures_that_follow(last, text["kind"])),
        conflicts=tuple(str(_plain(conflict)) for conflict in conflicts),
        notes=tuple(notes),
    )


def figures_that_follow(stated: Mapping[str, Figure], kind: str) -> Iterator[Figure]:
    """Yield the figures that follow from what a chip states, as `hardware.figure` has them."""
    by_symbol = {figure.symbol: figure for figure in stated.values()}
    for symbol, rule in DERIVED.items():
        base = by_symbol.get(rule.symbol)
        if kind == rule.kind and symbol not in by_symbol and base is not None and isinstance(base.value, int | float):
            name, value = FIGURES[symbol], rule.times * base.value
            convention = f"{_KINDS[name].convention}; derived, {rule.times:g} times {rule.symbol}"
            yield Figure(name, symbol, value, base.unit, convention, rule.source)


def _figures(table: Mapping[str, Any], sources: Mapping[str, str], source: str) -> Iterator[Figure]:
    for key, value in table.items():
        if key in _NO_FIGURES:
            continue
        where = str(sources.get(key, source))
        if key == "flops" and isinstance(value, Mapping):
            yield from (_rate(name, rate, str(sources.get(name, where))) for name, rate in value.items())
        elif key == "wraparound":
            yield Figure(key, None, _WRAPS.get(value, value), "", _KINDS[key].convention, where)
        elif isinstance(value, Mapping):
            yield from _inner(key, value, where)
        else:
            yield _figure(key, value, _KINDS.get(key), where)


def _inner(key: str, table: Mapping[str, Any], source: str) -> Iterator[Figure]:
    for name, value in table.items():
        if name == "levels" and isinstance(value, list):
            for level in (entry for entry in value if isinstance(entry, Mapping)):
                label = str(level.get("name", "")).partition(" ")[0]
                own = ((inner, found) for inner, found in level.items() if inner != "name")
                yield from (_figure(f"{key}.{label}.{n}", found, _OF_LEVELS.get(n), source) for n, found in own)
        else:
            yield _figure(f"{key}.{name}", value, _KINDS.get(f"{key}.{name}"), source)


def _figure(name: str, value: Any, kind: _Kind | None, source: str) -> Figure:
    kind = kind or _Kind("", "")
    return Figure(name, kind.symbol, _plain(value), kind.unit, kind.convention, source)


def _rate(name: str, value: Any, source: str) -> Figure:
    vector = name.endswith("_vector")
    convention = "peak rate of a chip's vector units" if vector else _KINDS["flops"].convention
    symbol = None if vector else ", ".join(f"C_{dtype}" for dtype in name.split("_"))
    return Figure(f"flops.{name}", symbol, value, "FLOP/s", convention, source)


def _notes(table: Mapping[str, Any]) -> Iterator[Figure]:
    source = str(table.get("source", ""))
    for key, value in _table(table, "notes").items():
        for name, found in value.items() if isinstance(value, Mapping) else (("", value),):
            label = f"{key}.{name}" if name else key
            unit = "" if isinstance(found, str) else next((u for word, u in _UNITS if word in label), "")
            yield Figure(label, None, _plain(found), unit, "", source)


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = table.get(key)
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain(value: Any) -> Any:
    """Return a value of a TOML file as JSON and people take it: a number, words, or a list of them."""
    if isinstance(value, list):
        plain = [_plain(item) for item in value]
        return plain if all(type(item) in (int, float) for item in plain) and plain else ", ".join(map(str, plain))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(item)}" for name, item in value.items())
    if type(value) in (int, float) and abs(value) <= LARGEST_FIGURE:
        return value
    return f"a number of {value.bit_length()} bits" if type(value) is int else str(value)
