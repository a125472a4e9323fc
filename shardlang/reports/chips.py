"""What `shardlang.hardware` gives back: chips with every figure, as JSON and as text."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from shardlang.pricing.catalogue import Chip, Figure
from shardlang.reports.cells import pad, safe, width
from shardlang.reports.colour import Paint, plain
from shardlang.reports.objects import SCHEMA
from shardlang.reports.showing import count
from shardlang.reports.units import plain_number, quantity

_PLURAL = {"byte": "bytes", "byte/s": "bytes/s", "FLOP/s": "FLOPs/s"}
_HEAD = ("id", "bf16", "HBM", "W_hbm", "network", "beyond it")


class HardwareReport(NamedTuple):
    """Chips of the catalogue, or the one that was asked for. `str()` of it is the text of the command."""

    chips: tuple[Chip, ...]
    single: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/hardware.json`)."""
        return {"schema": SCHEMA, "ok": True, "hardware": [_as_json(chip) for chip in self.chips]}

    def __str__(self) -> str:
        """Return the text of the command."""
        return hardware_text(self)

    def __repr__(self) -> str:
        return f"<HardwareReport: {safe(self.chips[0].id) if self.single else count(len(self.chips), 'chip')}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def hardware_text(report: HardwareReport, paint: Paint = plain) -> str:
    """Return one chip with every figure, or a table of several."""
    if report.single:
        return "\n".join(_chip_lines(report.chips[0], paint))
    return "\n".join(_table_lines(report.chips, paint))


def _as_json(chip: Chip) -> dict[str, Any]:
    return {
        "id": chip.id,
        "name": chip.name,
        "kind": chip.kind,
        "vendor": chip.vendor,
        "source": chip.source,
        "figures": [figure._asdict() for figure in chip.figures],
        "conflicts": list(chip.conflicts),
        "derived": [figure._asdict() for figure in chip.derived],
        "notes": [{"name": note.name, "value": note.value, "unit": note.unit} for note in chip.notes],
    }


def _table_lines(chips: tuple[Chip, ...], paint: Paint) -> Iterator[str]:
    rows = [_HEAD, *(_row(chip) for chip in chips)]
    yield from _aligned(rows, paint)
    yield ""
    yield "Per chip. ICI: both directions together, one axis of the torus. NVLink, DCN and a node's egress: one way."
    yield "`shardlang hardware NAME` shows every figure of a chip, its source, and what other passages print."


def _row(chip: Chip) -> tuple[str, ...]:
    ici, node = chip.figure("W_ici"), chip.figure("W_egress")
    network = beyond = ""
    if ici is not None:
        axes = chip.figure("ici.torus_axes")
        network = f"ICI {_shown(ici)}" + (f", {axes.value} axes" if axes else "")
    elif node is not None:
        domain = chip.figure("D_node")
        network = f"NVLink {_shown(node)}" + (f", node of {domain.value}" if domain else "")
    for symbol, words in (("W_dcn", "DCN"), ("W_node", "node")):
        found = chip.figure(symbol)
        beyond = f"{words} {_shown(found)}" if found is not None else beyond
    first = [chip.figure(name) for name in ("flops.bf16", "hbm_bytes", "W_hbm")]
    return (chip.id, *("" if figure is None else _shown(figure) for figure in first), network, beyond)


def _chip_lines(chip: Chip, paint: Paint) -> Iterator[str]:
    maker = f", {safe(chip.vendor)}" if chip.vendor else ""
    yield paint(safe(f"{chip.name} ({chip.id})"), "strong") + f"   {chip.kind.upper()}{maker}"
    yield ""
    rows: list[tuple[str, ...]] = [("figure", "value", "symbol", "convention")]
    rows += [(figure.name, _shown(figure), figure.symbol or "", figure.convention) for figure in chip.figures]
    yield from _aligned(rows, paint)
    if chip.derived:
        yield ""
        rows = [("derived", "value", "formula", "convention")]
        rows += [(figure.name, _shown(figure), figure.source, figure.convention) for figure in chip.derived]
        yield from _aligned(rows, paint)
    yield ""
    yield "Sources"
    yield f"  {safe(chip.source) or 'none given'}"
    others = [figure for figure in chip.figures if figure.source != chip.source]
    for source in dict.fromkeys(figure.source for figure in others):
        names = dict.fromkeys(_short(figure.name) for figure in others if figure.source == source)
        yield safe(f"  {', '.join(names)}: {source or 'none given'}")
    if chip.conflicts:
        yield ""
        yield "Conflicts between the sources"
        yield from (f"  {safe(conflict)}" for conflict in chip.conflicts)
    if chip.notes:
        yield ""
        yield "Also printed there"
        yield from (f"  {line}" for line in _aligned([(note.name, _shown(note)) for note in chip.notes], plain, False))


def _short(name: str) -> str:
    """Return the table of a figure that is one of many from the same place."""
    head = name.partition(".")[0]
    return head if head in ("superpod", "tree") else name


def _aligned(rows: list[tuple[str, ...]], paint: Paint, headed: bool = True) -> Iterator[str]:
    rows = [tuple(safe(cell) for cell in row) for row in rows]
    widths = [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]
    for at, row in enumerate(rows):
        line = "   ".join(pad(cell, columns) for cell, columns in zip(row, widths, strict=True)).rstrip()
        yield paint(line, "label") if headed and not at else line


def _shown(figure: Figure) -> str:
    """Return the value of a figure with its unit, as people write it."""
    value = figure.value
    if isinstance(value, list):
        shape = figure.name.endswith("shape")
        return (" x " if shape else ", ").join(_shown(figure._replace(value=item)) for item in value)
    if isinstance(value, str) or not isinstance(value, int | float):
        return str(value)
    if figure.unit in _PLURAL or figure.unit == "s":
        return quantity(value, _PLURAL.get(figure.unit, figure.unit))
    if figure.unit == "Hz":
        return f"{plain_number(value / 1e9)} GHz"
    return f"{plain_number(value)} {figure.unit}".rstrip()
