"""The text of `cost --summary`: a row a statement."""

from collections.abc import Iterator

from sympy import Expr

from shardlang.cost.estimate import Prices
from shardlang.reports.cells import width
from shardlang.reports.colour import Paint, plain
from shardlang.reports.costs import UNITS, CostReport
from shardlang.reports.derivation import Derivation, whole_plan
from shardlang.reports.document import Block, Code, Items, Line, Math, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.printed import statement_texts, symbol_kinds
from shardlang.reports.snippet import DEFAULT_WIDTH
from shardlang.reports.text import TextWriter
from shardlang.reports.units import quantity
from shardlang.rules.text import value_text

_COLUMNS = {"flops": "FLOPs", "t_math": "T_math", "t_comms": "T_comms", "t_hbm": "T_hbm", "memory": "memory"}
_ROOFS = {"t_math": "math", "t_comms": "ici", "t_hbm": "hbm"}
_LIMITS = (60, 40, 30, 24, 20, 17, 14, 11, 8)  # columns of a formula; a longer one would push the table apart
_LONGER = "…"


def cost_summary(report: CostReport, paint: Paint = plain, room: int = DEFAULT_WIDTH) -> str:
    """Return one row a statement, then the totals and the conventions: numbers where they are known, else short formulas.

    Nothing where no statement has a price.
    """
    if all(statement.plan.output is None for statement in report.statements):
        return ""
    printer = FormulaPrinter(symbol_kinds(report.estimate))
    return TextWriter(printer, paint, room).write(_blocks(report, printer, room))


def _blocks(report: CostReport, printer: FormulaPrinter, room: int) -> Iterator[Block]:
    writer = TextWriter(printer)
    for limit in _LIMITS:
        rows = list(_rows(report, printer, limit))
        widths = [max(width(writer.line(cell)) for cell in column) for column in zip(*rows, strict=True)]
        if sum(widths) + 3 * len(widths) <= room:
            break
    yield Table(tuple(rows))
    lower, upper = (report.value(bound) for bound in (report.t_lower, report.t_upper))
    if lower and upper:
        words = f"T between {quantity(lower, 's')}, if everything overlaps, and {quantity(upper, 's')}, if nothing does"
        yield Items((("",), (words,)))
    if any(cell == (_LONGER,) for row in rows for cell in row):
        yield Items((("",), (f"{_LONGER} a longer formula, which is printed without --summary",)))
    yield from Derivation(report, statement_texts(report.estimate), printer).conventions(symbols=False)


def _rows(report: CostReport, printer: FormulaPrinter, limit: int) -> Iterator[tuple[Line, ...]]:
    """Yield the table: a heading, the statements, the plan. Formulas of more than `limit` columns are left out."""
    shown = [name for name in _COLUMNS if name not in _ROOFS or _ROOFS[name] in report.estimate.roofs]

    def cells(prices: Prices) -> Iterator[Line]:
        return (_cell(getattr(prices, name), UNITS[name], report, printer, limit) for name in shown)

    yield (("line",), ("makes",), *((_COLUMNS[name],) for name in shown))
    for line, statement in zip(report.lines, report.statements, strict=True):
        output = statement.plan.output
        if output is None:
            yield ((str(line),), ("refused",), *((),) * len(shown))
        else:
            yield ((str(line),), (Code(value_text(output)),), *cells(statement))
    if len(report.statements) > 1 or report.refused:
        yield (("",), (whole_plan(report),), *cells(report.estimate))


def _cell(expr: Expr, unit: str, report: CostReport, printer: FormulaPrinter, limit: int) -> Line:
    value = report.value(expr)
    if expr == 0:
        return ("0",)
    if value is not None:
        return (quantity(value, unit),)
    return (Math((expr,)),) if width(printer.formula(expr)) <= limit else (_LONGER,)
