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
    """Return the crossovers with what they require, and the conventions behind them."""
    if not report.crossovers:
        return f"No roof of this plan becomes larger than another as {variable} changes."
    estimate = report.cost.estimate
    printer = FormulaPrinter(symbol_kinds(estimate))
    conventions = Derivation(estimate, statement_texts(estimate), printer).conventions()
    return TextWriter(printer, paint, width).write([*_crossover_blocks(report), *conventions])


def _crossover_blocks(report: CrossoverReport) -> Iterator[Block]:
    for found in report.crossovers:
        first, second = found.between
        yield Heading((f"{_roof(first)} is longer than {_roof(second)} when",), 2)
        yield Table(tuple(_crossover(found)))


def _roof(name: str) -> str:
    """Return the words for a roof: `math`, `hbm`, `ici` (all links), `ici:X` (those of X)."""
    words = {"math": "T_math", "hbm": "T_hbm", "ici": "T_comms"}
    return words.get(name) or f"the time of {name}"


def _crossover(found: Crossover) -> Iterator[tuple[Line, ...]]:
    how = "exact" if found.exact else "numeric"
    if found.threshold is not None:
        number = "" if found.value is None else f"= {plain_number(found.value)}"
        yield (("",), (Math((found.variable, found.relation, found.threshold)),), (number,), (how,))
    for at, text in enumerate(found.requires):
        label = "and" if at or found.threshold is not None else ""
        yield ((label,), (text.replace("**", "^").replace("*", "·"),), ("",), ("",))
