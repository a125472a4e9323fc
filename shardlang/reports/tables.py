"""The text of `cost` and `crossover`."""

from collections.abc import Iterator

from shardlang.cost.crossover import Crossover
from shardlang.reports.colour import Paint, plain
from shardlang.reports.comparisons import condition_piece, here, thresholds
from shardlang.reports.costs import CostReport, CrossoverReport
from shardlang.reports.derivation import Derivation, whole_plan
from shardlang.reports.document import Block, Heading, Line, Math, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.printed import statement_texts, symbol_kinds
from shardlang.reports.snippet import DEFAULT_WIDTH
from shardlang.reports.text import TextWriter
from shardlang.reports.units import plain_number


def cost_text(report: CostReport, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
    """Return the price of each statement's steps, then the totals of the plan, per device."""
    printer = FormulaPrinter(symbol_kinds(report.estimate))
    blocks = Derivation(report, statement_texts(report.estimate), printer).blocks(reasons=False)
    return TextWriter(printer, paint, width).write(blocks)


def crossover_text(report: CrossoverReport, variable: str, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
    """Return the crossovers with what they require, and the conventions behind them."""
    cost = report.cost
    if not report.crossovers:
        whole = "this plan" if not cost.refused else _lower(whole_plan(cost))
        return f"No roof of {whole} becomes larger than another as {variable} changes."
    printer = FormulaPrinter(symbol_kinds(cost.estimate))
    conventions = Derivation(cost, statement_texts(cost.estimate), printer).conventions()
    return TextWriter(printer, paint, width).write([*_crossover_blocks(report), *conventions])


def _crossover_blocks(report: CrossoverReport) -> Iterator[Block]:
    if report.cost.refused:
        yield Heading((whole_plan(report.cost),), 1)
    for found in report.crossovers:
        first, second = found.between
        yield Heading((f"{_roof(first)} is longer than {_roof(second)} when",), 2)
        yield Table(tuple(_crossover(found, report)))


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


def _roof(name: str) -> str:
    """Return the words for a roof: `math`, `hbm`, `ici` (all links), `ici:X` (those of X)."""
    words = {"math": "T_math", "hbm": "T_hbm", "ici": "T_comms"}
    return words.get(name) or f"the time of {name}"


def _crossover(found: Crossover, report: CrossoverReport) -> Iterator[tuple[Line, ...]]:
    """Yield the solution, and each thing that it requires with its numbers and whether it holds."""
    how = "exact" if found.exact else "numeric"
    if found.threshold is not None:
        number = "" if found.value is None else f"= {plain_number(found.value)}   "
        variable = found.variable.strip().replace("**", "^").replace("*", "·")
        yield (("",), (Math((variable, found.relation, found.threshold)),), (number + how,))
    for at, condition in enumerate(found.conditions):
        label = "and" if at or found.threshold is not None else ""
        yield ((label,), (condition_piece(condition),), thresholds(report.cost.estimate, [condition]))
        yield from here(report.cost.estimate, [condition])
