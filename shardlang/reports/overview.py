"""The text of `cost --summary`: a row a statement."""

from collections.abc import Iterator

from sympy import Expr

from shardlang.cost.prices import Prices
from shardlang.pricing.roofs import NETWORK, ROOFS
from shardlang.reports.colour import Paint, plain
from shardlang.reports.costs import CostReport
from shardlang.reports.derivation import Derivation, whole_plan
from shardlang.reports.document import Block, Code, Items, Line, Table
from shardlang.reports.fitted import LONGER, fitted_rows, short_formula
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.printed import statement_texts, symbol_kinds
from shardlang.reports.snippet import DEFAULT_WIDTH
from shardlang.reports.text import TextWriter
from shardlang.reports.units import quantity
from shardlang.rules.text import value_text

_LIMITS = (60, 40, 30, 24, 20, 17, 14, 11, 8)  # columns of a formula; a longer one would push the table apart

_SERIAL = "T_comms_sum adds up the collectives; T_comms is of the whole plan, where those on different links overlap"


def cost_summary(report: CostReport, paint: Paint = plain, room: int = DEFAULT_WIDTH) -> str:
    """Return one row a statement, then the totals and the conventions: numbers where they are known, else short formulas.

    Nothing where no statement has a price.
    """
    if all(statement.plan.output is None for statement in report.statements):
        return ""
    printer = FormulaPrinter(symbol_kinds(report.estimate))
    return TextWriter(printer, paint, room).write(_blocks(report, printer, room))


def _blocks(report: CostReport, printer: FormulaPrinter, room: int) -> Iterator[Block]:
    rows = fitted_rows(lambda limit: _rows(report, printer, limit), printer, room)
    yield Table(tuple(rows))
    if _overlaps(report):
        yield Items((("",), (_SERIAL,)))
    lower, upper = (report.value(bound) for bound in (report.t_lower, report.t_upper))
    if lower and upper:
        words = f"T between {quantity(lower, 's')}, if everything overlaps, and {quantity(upper, 's')}, if nothing does"
        if report.refused:
            words = f"{whole_plan(report)}: {words}"
        yield Items((("",), (words,)))
    if any(cell == (LONGER,) for row in rows for cell in row):
        yield Items((("",), (f"{LONGER} a longer formula, which is printed without --summary",)))
    yield from Derivation(report, statement_texts(report.estimate), printer).conventions(symbols=False)


def _rows(report: CostReport, printer: FormulaPrinter, limit: int) -> Iterator[tuple[Line, ...]]:
    """Yield the table: a heading, the statements, the plan. Formulas of more than `limit` columns are left out."""
    shown = [roof for roof in ROOFS if roof in report.estimate.roofs]
    overlaps = _overlaps(report)

    def times(prices: Prices, whole: bool) -> Iterator[Line]:
        for roof in shown:
            if roof != NETWORK or not overlaps:
                yield _cell(prices.times[roof], "s", report, printer, limit)
                continue
            yield _cell(prices.t_comms_sum, "s", report, printer, limit)
            yield _cell(prices.times[roof], "s", report, printer, limit) if whole else ()

    def cells(prices: Prices, whole: bool = False) -> Iterator[Line]:
        yield _cell(prices.flops, "FLOPs", report, printer, limit)
        yield from times(prices, whole)
        yield _cell(prices.memory, "bytes", report, printer, limit)

    named = [ROOFS[roof].time for roof in shown]
    if overlaps:
        named.insert(shown.index(NETWORK), f"{ROOFS[NETWORK].time}_sum")
    heads = ("FLOPs", *named, "memory")
    yield (("line",), ("makes",), *((head,) for head in heads))
    for line, statement in zip(report.lines, report.statements, strict=True):
        output = statement.plan.output
        if output is None:
            yield ((str(line),), ("refused",), *((),) * len(heads))
        else:
            yield ((str(line),), (Code(value_text(output)),), *cells(statement))
    if len(report.statements) > 1 or report.refused or overlaps:
        yield (("",), (whole_plan(report),), *cells(report.estimate, whole=True))


def _overlaps(report: CostReport) -> bool:
    """Say whether collectives of the plan run on different links at once, so that their times do not add up."""
    return NETWORK in report.estimate.roofs and report.t_comms != report.t_comms_sum


def _cell(expr: Expr, unit: str, report: CostReport, printer: FormulaPrinter, limit: int) -> Line:
    value = report.value(expr)
    if expr == 0:
        return ("0",)
    return (quantity(value, unit),) if value is not None else short_formula(expr, printer, limit)
