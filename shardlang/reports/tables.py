"""The text of `cost` and `crossover`."""

from collections.abc import Iterator

from shardlang.cost.crossover import Crossover
from shardlang.reports.colour import Paint, plain
from shardlang.reports.costs import CostReport, CrossoverReport
from shardlang.reports.derivation import Derivation
from shardlang.reports.document import Block, Heading, Line, Math, Table
from shardlang.reports.explanation import statement_texts, symbol_kinds
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.snippet import DEFAULT_WIDTH
from shardlang.reports.text import TextWriter
from shardlang.reports.units import plain_number

def cost_text(report: CostReport, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
    """Return the price of each statement's steps, then the totals of the plan, per device."""
    estimate = report.estimate
    printer = FormulaPrinter(symbol_kinds(estimate))
    blocks = Derivation(estimate, statement_texts(estimate), printer).blocks(reasons=False)
    return TextWriter(printer, paint, width).write(blocks)


def crossover_text(report: CrossoverReport, variable: str, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
    """Return the crossovers, one a line, with what they require."""
    printer = FormulaPrinter(symbol_kinds(report.cost.estimate))
    if not report.crossovers:
        return f"No roof of this plan becomes larger than another as {variable} changes."
    return TextWriter(printer, paint, width).write(_crossover_blocks(report))


def _crossover_blocks(report: CrossoverReport) -> Iterator[Block]:
    for found in report.crossovers:
        first, second = found.between
        yield Heading((f"{first} is longer than {second} when",), 2)
        yield Table((_crossover(found),))
        if found.requires:
            yield Table(tuple((("and" if at else "requires",), (text,)) for at, text in enumerate(found.requires)))


def _crossover(found: Crossover) -> tuple[Line, ...]:
    words = "exact" if found.exact else "numeric"
    if found.threshold is None:
        return ((f"{found.variable}: no formula",), (words,))
    number = "" if found.value is None else plain_number(found.value)
    return ((Math((found.variable, found.relation, found.threshold)),), (number,), (words,))
