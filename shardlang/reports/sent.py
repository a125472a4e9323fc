"""What `shardlang.send` gives back: the time from one device to another, as JSON and as text."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sympy import Expr, Symbol

from shardlang.cost.sending import Transfer
from shardlang.cost.text import formula
from shardlang.diagnostics import Diagnostic
from shardlang.pricing.collectives import ICI
from shardlang.pricing.machine import Machine
from shardlang.pricing.transfers import Leg
from shardlang.reports.colour import Paint, plain
from shardlang.reports.document import Block, Code, Heading, Line, Math, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.objects import SCHEMA, Finding
from shardlang.reports.pages import Page
from shardlang.reports.showing import count, in_short, printed
from shardlang.reports.snippet import DEFAULT_WIDTH
from shardlang.reports.text import TextWriter
from shardlang.reports.units import quantity
from shardlang.source import SourceText

_ROUTE = "shortest, alone on its links; a chip of a torus sends on one link of each axis at once, W_ici/2 one way"
_WORDS = {
    "node": "through the switches of a node",
    "scale-out": "over the scale-out network, with a device's share of its node's link",
    "spine": "over the spine, with a device's share of its leaf's link",
    "dcn": "between slices",
    "pcie": "over PCIe",
}


class SendReport(NamedTuple):
    """A transfer between two devices. `transfer` is None where the text has errors, as the findings say.

    sender, receiver: coordinates by mesh axis. `bytes`, `hops`, `ports`, `first_byte`, `through` and `time` are those of the transfer.
    """

    ok: bool
    diagnostics: tuple[Finding, ...]
    array: str
    sender: dict[str, int]
    receiver: dict[str, int]
    transfer: Transfer | None
    machine: Machine
    source: SourceText
    findings: tuple[Diagnostic, ...] = ()

    @property
    def time(self) -> Expr | None:
        """Seconds until the last byte is there: `first_byte + through`."""
        return None if self.transfer is None else self.transfer.time

    @property
    def first_byte(self) -> Expr | None:
        """Seconds of the hops: the latency term."""
        return None if self.transfer is None else self.transfer.first_byte

    @property
    def through(self) -> Expr | None:
        """Seconds of the bytes, the bandwidth term, over the links that the sender uses at once."""
        return None if self.transfer is None else self.transfer.through

    @property
    def hops(self) -> int | None:
        """Links one after another."""
        return None if self.transfer is None else self.transfer.hops

    @property
    def ports(self) -> int | None:
        """Links that the sender uses at once."""
        return None if self.transfer is None else self.transfer.ports

    @property
    def bytes(self) -> Expr | None:
        """What one device holds of the array, which is sent."""
        return None if self.transfer is None else self.transfer.bytes

    def value(self, expr: Expr | None) -> float | None:
        """Return the number of a formula, None while a size or the hardware is open."""
        return None if self.transfer is None or expr is None else self.transfer.value(expr)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/send.json`)."""
        found = self.transfer
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "diagnostics": [finding.to_dict() for finding in self.diagnostics],
            "array": self.array,
            "from": self.sender,
            "to": self.receiver,
            "hops": self.hops,
            "ports": self.ports,
            "bytes": self._quantity(self.bytes, "bytes"),
            "first_byte": self._quantity(self.first_byte, "s"),
            "through": self._quantity(self.through, "s"),
            "time": self._quantity(self.time, "s"),
            "legs": [] if found is None else [self._leg(leg) for leg in found.legs],
            "assumptions": list(self.machine.assumptions),
            "symbols": {} if found is None else {name: info.text for name, info in found.symbols.items()},
        }

    def _leg(self, leg: Leg) -> dict[str, Any]:
        return {
            "network": leg.kind,
            "axes": list(leg.axes),
            "hops": leg.hops,
            "ports": leg.ports,
            "rate": self._quantity(leg.rate, "bytes/s"),
        }

    def _quantity(self, expr: Expr | None, unit: str) -> dict[str, Any] | None:
        return None if expr is None else {"formula": formula(expr), "value": self.value(expr), "unit": unit}

    def _repr_html_(self) -> str:
        return self._page().html()

    def _repr_markdown_(self) -> str:
        return self._page().markdown()

    def _repr_latex_(self) -> str:
        return self._page().latex()

    def _page(self) -> Page:
        kinds = _kinds(self.transfer)
        blocks = () if self.transfer is None else _blocks(self, self.transfer, FormulaPrinter(kinds))
        return Page(((self.source, self.findings),), blocks, kinds)

    def __str__(self) -> str:
        """Return findings, route and times as text."""
        return printed(((self.source, self.findings),), send_text(self))

    def __repr__(self) -> str:
        way = "" if self.transfer is None else count(self.transfer.hops, "hop")
        return in_short(self, self.source, self.findings, way)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def send_text(report: SendReport, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
    """Return the route, the times of hops and bytes, and what was assumed; nothing where the text has errors."""
    found = report.transfer
    if found is None:
        return ""
    printer = FormulaPrinter(_kinds(found))
    return TextWriter(printer, paint, width).write(_blocks(report, found, printer))


def _kinds(found: Transfer | None) -> dict[str, str]:
    return {} if found is None else {name: info.kind for name, info in found.symbols.items()}


def _blocks(report: SendReport, found: Transfer, printer: FormulaPrinter) -> Iterator[Block]:
    where = f"from {_place(report.sender)} to {_place(report.receiver)}"
    yield Heading((Code(report.array), f" {where}"), 1)
    yield Heading(("Route",))
    legs = [((leg.kind,), (f"{count(leg.hops, 'hop')}{_ports(leg)}",)) for leg in found.legs]
    yield Table(tuple(legs) or ((("none",), ("the two are one device",)),))
    yield Heading(("Time",))
    yield Table(
        (
            _row(report, "bytes", found.bytes, "bytes", "what the sender holds of the array"),
            _row(report, "latency", found.first_byte, "s", "of the hops, one after another"),
            _row(report, "bandwidth", found.through, "s", "all bytes over the narrowest part of the route"),
            _row(report, "T", found.time, "s", "their sum"),
        )
    )
    yield from _conventions(report)
    rows = []
    for name in printer.names:
        if name in found.symbols:
            info = found.symbols[name]
            value = next((v for symbol, v in found.values.items() if symbol.name == name), None)
            shown = "" if value is None else quantity(value, {"byte/s": "bytes/s"}.get(info.unit, info.unit))
            rows.append(((Math((Symbol(name),)),), (shown,), (info.meaning,)))
    if rows:
        yield Heading(("Symbols",))
        yield Table(tuple(rows))


def _conventions(report: SendReport) -> Iterator[Block]:
    rows: list[tuple[Line, ...]] = []
    hardware = report.machine.hardware
    if hardware is not None:
        rows.append((("hardware",), (f"{hardware.name} ({hardware.id})",)))
    for sentence in report.machine.assumptions:
        axis, _, words = sentence.partition(": ")
        rows.append(((f"axis {axis}",), (words,)))
    rows.append((("route",), (_ROUTE,)))
    yield Heading(("Conventions",))
    yield Table(tuple(rows))


def _row(report: SendReport, label: str, expr: Expr, unit: str, words: str) -> tuple[Line, ...]:
    value = report.value(expr)
    shown = "" if value is None or expr == 0 else quantity(value, unit)
    return ((label,), (Math(("=", expr)),), (shown,), (words,))


def _ports(leg: Leg) -> str:
    if leg.kind != ICI:
        return f" {_WORDS[leg.kind]}"
    return f" along {' and '.join(leg.axes)}, sent over {count(leg.ports, 'link')}"


def _place(place: dict[str, int]) -> str:
    return f"({', '.join(f'{axis}={number}' for axis, number in place.items())})"
