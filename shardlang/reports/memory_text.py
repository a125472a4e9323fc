"""The text of `memory`: the arrays, what is resident, the peak, the chip, and up to which size it fits."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from sympy import Add, Expr, Max

from shardlang.cost.fitting import Limit, Verdict, judge
from shardlang.cost.names import SymbolInfo
from shardlang.cost.residence import Amount, ArrayMemory, Residence
from shardlang.reports.colour import Paint, plain
from shardlang.reports.comparisons import CLOSED, condition_piece, here
from shardlang.reports.costs import CostReport
from shardlang.reports.derivation import symbol_table, whole_plan
from shardlang.reports.document import Block, Code, Heading, Items, Line, Math, Piece, Table
from shardlang.reports.fitted import LONGER, fitted_rows, short_formula
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.printed import symbol_kinds
from shardlang.reports.snippet import DEFAULT_WIDTH
from shardlang.reports.text import TextWriter
from shardlang.reports.units import plain_number, quantity
from shardlang.rules.text import value_text

_HEAD = ("line", "array", "role", "type", "elements", "shards", "shard shape", "per device", "global", "all devices")
_SUMS = 4  # arguments of a maximum; more are counted, not printed
_LARGEST_WHOLE = 1e15
_LEAST_SHARE = 0.1  # per cent
_OF = {"peak": "The peak", "resident": "What is resident"}


class Memory(Protocol):
    """What is shown of `shardlang.reports.memory.MemoryReport`, which has these in words."""

    @property
    def cost(self) -> CostReport:
        """The estimate behind it."""

    @property
    def residence(self) -> Residence:
        """The arrays, what is resident, and the peak."""

    @property
    def limits(self) -> tuple[tuple[str, Limit], ...]:
        """Up to which value what fits."""

    @property
    def arrays(self) -> tuple[ArrayMemory, ...]:
        """The arrays in the order of the text."""

    @property
    def resident(self) -> Amount:
        """What is there before the first statement."""

    @property
    def peak(self) -> Expr:
        """The most that is there at once."""

    @property
    def verdict(self) -> Verdict:
        """The peak against the chip."""

    @property
    def symbols(self) -> Mapping[str, SymbolInfo]:
        """The symbols that occur."""

    @property
    def peak_place(self) -> tuple[int, int] | None:
        """Line and step of the peak."""

    @property
    def peak_step(self) -> str | None:
        """The step at the peak, as text."""

    @property
    def several_peaks(self) -> bool:
        """Whether open sizes decide the peak."""

    def value(self, expr: Expr) -> float | None:
        """Return the number of a formula."""

    def line(self, array: ArrayMemory) -> int:
        """Return the line of an array."""


def memory_text(report: Memory, paint: Paint = plain, room: int = DEFAULT_WIDTH) -> str:
    """Return the memory of a text; nothing where it has no array."""
    printer = FormulaPrinter(symbol_kinds(report.cost.estimate))
    blocks = tuple(memory_blocks(report, printer, room))
    return TextWriter(printer, paint, room).write(blocks) if blocks else ""


def memory_blocks(report: Memory, printer: FormulaPrinter, room: int = DEFAULT_WIDTH) -> Iterator[Block]:
    """Yield the blocks of a report, tables cut to `room` columns; none where the text has no array."""
    if report.arrays:
        yield from _MemoryText(report, printer, room).blocks()


class _MemoryText:
    """Writes the blocks of one report."""

    def __init__(self, report: Memory, printer: FormulaPrinter, room: int) -> None:
        self._report = report
        self._printer = printer
        self._room = room

    def blocks(self) -> Iterator[Block]:
        """Yield the report from the arrays to the symbols."""
        report = self._report
        rows = fitted_rows(self._rows, self._printer, self._room)
        if report.cost.refused:
            yield Heading((whole_plan(report.cost),), 1)
        if any(cell == (LONGER,) for row in rows for cell in row):
            yield from self._one_by_one()
        else:
            yield Heading(("Arrays",))
            yield Table(tuple(rows))
        yield from self._start()
        yield from self._peak()
        yield from self._chip()
        for of, limit in report.limits:
            yield from self._limit(of, limit)
        yield from self._conventions()

    def _rows(self, limit: int) -> Iterator[tuple[Line, ...]]:
        report = self._report
        yield tuple((word,) for word in _HEAD)
        for array in report.arrays:
            number, code = (str(report.line(array)),), (Code(value_text(array.value)),)
            pieces = self._count(array.pieces, limit)
            yield (number, code, (array.role,), (array.dtype,), *self._cells(array, pieces, limit))

    def _one_by_one(self) -> Iterator[Block]:
        """Yield the arrays each by itself, for formulas that are too long for the columns of a table."""
        report = self._report
        for array in report.arrays:
            yield Heading(
                (f"Line {report.line(array)}, {array.role}: ", Code(value_text(array.value)), f" in {array.dtype}")
            )
            pieces = f"one of {self._text(array.pieces)} shards" if array.pieces != 1 else "not sharded"
            block: tuple[Line, ...] = (("shard shape",), (self._shape(array),), (pieces,))
            yield Table((block, *self._amounts(array.amount)))

    def _text(self, expr: Expr) -> str:
        value = self._report.value(expr)
        return self._printer.formula(expr) if value is None else _whole(value)

    def _amounts(self, amount: Amount) -> Iterator[tuple[Line, ...]]:
        """Yield a row for each amount, the formula and its number."""
        elements = self._report.value(amount.elements)
        count = "" if elements is None else f"= {_whole(elements)}"
        yield (("elements",), (Math((amount.elements,)),), (count,))
        bytes_ = {"per device": amount.bytes, "global": amount.whole, "all devices": amount.everywhere}
        for name, expr in bytes_.items():
            yield ((name,), (Math((expr,)),), (self._value(expr),))

    def _shape(self, array: ArrayMemory) -> str:
        return f"[{', '.join(self._text(length) for length in array.shape)}]"

    def _cells(self, array: ArrayMemory, pieces: Line, limit: int) -> tuple[Line, ...]:
        elements = self._count(array.amount.elements, limit)
        return (elements, pieces, self._block(array, limit), *self._bytes(array.amount, limit))

    def _bytes(self, amount: Amount, limit: int) -> tuple[Line, ...]:
        return tuple(self._size(expr, limit) for expr in (amount.bytes, amount.whole, amount.everywhere))

    def _size(self, expr: Expr, limit: int) -> Line:
        value = self._report.value(expr)
        return (quantity(value, "bytes"),) if value is not None else short_formula(expr, self._printer, limit)

    def _count(self, expr: Expr, limit: int) -> Line:
        value = self._report.value(expr)
        return (_whole(value),) if value is not None else short_formula(expr, self._printer, limit)

    def _block(self, array: ArrayMemory, limit: int) -> Line:
        text = self._shape(array)
        return (text,) if len(text) <= max(limit, 20) else (LONGER,)

    def _start(self) -> Iterator[Block]:
        """Yield the sums over what is there before the first statement."""
        resident, counted = self._report.resident, [array for array in self._report.arrays if array.resident]
        if not counted:
            return
        several = f", {len(counted)} arrays" if len(counted) > 1 else ""
        yield Heading((f"Resident{several}",))
        yield Table(tuple(self._amounts(resident)))

    def _peak(self) -> Iterator[Block]:
        """Yield the peak where it is another sum than that of the resident arrays, with what is there then."""
        report = self._report
        step, place = report.peak_step, report.peak_place
        if place is None and not report.several_peaks:
            return
        yield Heading(("Peak of a device",))
        yield Table((self._peak_row(),))
        if step is not None and place is not None:
            yield Items((("reached at line ", str(place[0]), ", step ", str(place[1]), ": ", Code(step)),))
        elif place is not None:
            yield Items((("reached at line ", str(place[0]), ", which has nothing to do"),))
        if report.residence.alive is not None:
            held = [(value_text(value), expr) for value, expr in report.residence.alive]
            yield Table(
                tuple(((Code(text),), (Math((expr,)),), (self._value(expr),)) for text, expr in held), inner=True
            )

    def _peak_row(self) -> tuple[Line, ...]:
        """Return the formula of the peak; of many sums their number."""
        report, most = self._report, self._report.residence.most
        if report.residence.alive is not None and most.there is not None:
            return (("",), (Math((most.there,)),), (self._value(most.there),))
        largest = next((arg for arg in Add.make_args(most.bytes) if isinstance(arg, Max)), None)
        if largest is not None and len(largest.args) > _SUMS:
            return (("",), (f"the largest of {len(largest.args)} sums; sizes decide which, and JSON has them all",))
        return (("",), (Math((most.bytes,)),), (self._value(most.bytes),))

    def _value(self, expr: Expr) -> str:
        value = self._report.value(expr)
        return "" if value is None else f"= {quantity(value, 'bytes')}"

    def _chip(self) -> Iterator[Block]:
        report = self._report
        verdict = report.verdict
        taken, room = report.value(verdict.needed), report.value(verdict.capacity)
        yield Heading(("Against the chip",))
        if report.cost.refused and taken is not None and room is not None and verdict.fits is None:
            count = report.cost.refused
            left = f"{count} statements are refused" if count > 1 else "1 statement is refused"
            yield Items(
                ((f"not known: at least {quantity(taken, 'bytes')} of {quantity(room, 'bytes')} HBM; {left}",),)
            )
            return
        if taken is None or room is None or verdict.share is None:
            known = "" if room is None else f"{verdict.capacity.name} = {quantity(room, 'bytes')}"
            yield Table(((("fits when",), (Math((self._needed(), CLOSED["<"], verdict.capacity)),), (known,)),))
            return
        word = "fits" if verdict.fits else "does not fit"
        share = _share(verdict.share) if verdict.fits else f"{plain_number(verdict.share)} times"
        yield Items(((f"{word}: {quantity(taken, 'bytes')} of {quantity(room, 'bytes')} HBM ({share})",),))
        start = judge(report.resident.bytes, report.cost.estimate)
        if not verdict.fits and start.fits and start.share is not None:
            held = quantity(start.share * room, "bytes")
            yield Items(((f"what is resident fits: {held}",),))

    def _needed(self) -> Expr | str:
        """Return the peak, or a word for it where its formula stands above already."""
        return "the peak" if self._report.several_peaks or self._report.peak_place is not None else self._report.peak

    def _limit(self, of: str, limit: Limit) -> Iterator[Block]:
        variable = limit.variable.strip().replace("**", "^").replace("*", "·")
        subject = _OF[of] if len({name for name, _ in self._report.limits}) > 1 else "It"
        if limit.relation == "never":
            yield Heading((f"{subject} does not fit for any {variable}",))
            return
        if limit.relation == "always":
            yield Heading((f"{subject} does not change with {variable}",))
        else:
            yield Heading((f"{subject} fits when",))
        yield Table(tuple(self._limit_rows(variable, limit)))

    def _limit_rows(self, variable: str, limit: Limit) -> Iterator[tuple[Line, ...]]:
        how = "exact" if limit.exact else "numeric"
        padded = self._report.cost.estimate.pricer.sizes.extent is not None
        if limit.threshold is not None:
            number = "" if limit.value is None else f"= {plain_number(limit.value)}   "
            yield (
                ("",),
                (Math((variable, CLOSED[limit.relation], limit.threshold)),),
                (number + how + _whole_words(limit, padded),),
            )
        if limit.replanned is not None:
            size, taken = limit.tried(padded), quantity(limit.replanned, "bytes")
            yield (
                ("but",),
                (f"with {variable} = {size} another plan is chosen, which takes {taken} and does not fit",),
            )
        for at, condition in enumerate(limit.requires):
            piece: Piece = condition_piece(condition, closed=True)
            yield (("and" if at or limit.threshold is not None else "",), (piece,))
            yield from here(self._report.cost.estimate, [condition], closed=True)

    def _conventions(self) -> Iterator[Block]:
        report = self._report
        estimate = report.cost.estimate
        hardware = estimate.pricer.machine.hardware
        rows: list[tuple[Line, ...]] = []
        if report.value(report.resident.bytes) or report.value(report.residence.capacity):
            rows.append((("GB",), ("10^9 bytes",)))
        if hardware is not None:
            rows.append((("hardware",), (f"{hardware.name} ({hardware.id}); nothing of its HBM is put aside",)))
        devices, number = report.residence.devices, report.value(report.residence.devices)
        if devices != 1:
            known = "" if number is None else f" = {_whole(number)}"
            words = f"{self._printer.formula(devices)}{known} on the mesh; an array counts once on each that holds it"
            rows.append((("all devices",), (words,)))
        if report.peak_place is not None or report.several_peaks:
            words = "an input stays until its last use, what no statement uses throughout"
            rows.append((("peak",), (words if report.residence.most.exact else f"an upper bound; {words}",)))
        if estimate.pricer.sizes.extent is not None:
            words = "counted where sizes are known, and in whole limits; formulas of open sizes are without"
            rows.append((("padding",), (words,)))
        if rows:
            yield Heading(("Conventions",))
            yield Table(tuple(rows))
        if report.symbols:
            yield Heading(("Symbols",))
            yield symbol_table(estimate, report.symbols, self._printer)


def _share(share: float) -> str:
    """Return a part of a whole in per cent, two digits."""
    percent = 100 * share
    return f"{plain_number(float(f'{percent:.2g}'))} %" if percent >= _LEAST_SHARE else f"less than {_LEAST_SHARE} %"


def _whole_words(limit: Limit, padded: bool) -> str:
    """Return the last whole size; without padding also the nearest that divides, where that is another one."""
    if limit.whole is None:
        return ""
    if limit.whole == 0:
        return "; not even 1"
    words = f"; {'at most' if limit.relation == '<' else 'at least'} {limit.whole}"
    if padded or limit.divisible == limit.whole:
        return words
    return f"{words}; {'none' if limit.divisible is None else limit.divisible} divides"


def _whole(value: float) -> str:
    """Return a count in full: a number of parameters is compared to the last digit."""
    return str(int(value)) if value == int(value) and value < _LARGEST_WHOLE else plain_number(value)
