"""Tables of many formulas: those that would push the columns apart are left out, and said to be."""

from collections.abc import Callable, Iterable

from sympy import Expr

from shardlang.reports.cells import width
from shardlang.reports.document import Line, Math
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.text import TextWriter

LONGER = "…"
_LIMITS = (60, 40, 30, 24, 20, 17, 14, 11, 8)  # columns of a formula

Rows = list[tuple[Line, ...]]


def fitted_rows(rows: Callable[[int], Iterable[tuple[Line, ...]]], printer: FormulaPrinter, room: int) -> Rows:
    """Return the rows with as long formulas as the table has `room` for. rows: makes them, with formulas of at most so many columns."""
    writer = TextWriter(printer)
    for limit in _LIMITS[:-1]:
        found = _within(rows(limit), writer, room)
        if found is not None:
            return found
    return list(rows(_LIMITS[-1]))


def _within(rows: Iterable[tuple[Line, ...]], writer: TextWriter, room: int) -> Rows | None:
    """Return rows where they take no more than `room` columns; None from the first one on that is too much."""
    found: Rows = []
    widths: list[int] = []
    for row in rows:
        found.append(row)
        cells = [width(writer.line(cell)) for cell in row]
        widths = [max(pair) for pair in zip(widths, cells, strict=True)] if widths else cells
        if sum(widths) + 3 * len(widths) > room:
            return None
    return found


def short_formula(expr: Expr, printer: FormulaPrinter, limit: int) -> Line:
    """Return a formula as a cell, or a sign that stands for a longer one."""
    return (Math((expr,)),) if width(printer.formula(expr)) <= limit else (LONGER,)
