"""What `shardlang.cost` and `shardlang.crossover` give back: an estimate with the findings of the text, and its JSON."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sympy import Expr

from shardlang.cost.crossover import Crossover
from shardlang.cost.estimate import Estimate, Prices, StatementEstimate
from shardlang.cost.pricer import StepEstimate
from shardlang.cost.ratio import RatioError, UnknownSymbolError
from shardlang.cost.text import formula
from shardlang.diagnostics import Diagnostic
from shardlang.reports.document import Block
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.html import HtmlWriter
from shardlang.reports.latex import LatexWriter
from shardlang.reports.markdown import MarkdownWriter
from shardlang.reports.objects import SCHEMA, Finding
from shardlang.reports.printed import symbol_kinds
from shardlang.reports.shown import findings_html, findings_latex, findings_markdown
from shardlang.reports.totals import cost_blocks, crossover_blocks
from shardlang.rules.text import value_text
from shardlang.source import SourceText

UNITS = {
    "flops": "FLOPs",
    "t_math": "s",
    "t_comms": "s",
    "t_hbm": "s",
    "t_lower": "s",
    "t_upper": "s",
    "memory": "bytes",
}

_UNREAD = ("SL1", "SL6")  # findings of the parser, and of what is too large: their statements are not in the plan


class CostReport(NamedTuple):
    """The price of a plan, per device, as SymPy expressions: `flops`, `t_math`, … and `statements` with the same.

    `ok` is true where no finding is an error; a refused statement costs nothing and has no steps.
    """

    ok: bool
    diagnostics: tuple[Finding, ...]
    estimate: Estimate
    source: SourceText
    findings: tuple[Diagnostic, ...] = ()

    @property
    def refused(self) -> int:
        """Statements that were refused or could not be read: what they cost is in no total."""
        priced = [statement.plan.statement.span for statement in self.statements]
        lost = {
            self.source.position(finding.span.start).line
            for finding in self.findings
            if finding.severity == "error" and finding.code.startswith(_UNREAD)
            if not any(span.start <= finding.span.start < span.end for span in priced)
        }
        return sum(statement.plan.output is None for statement in self.statements) + len(lost)

    @property
    def lines(self) -> tuple[int, ...]:
        """The line of each statement."""
        return tuple(self.source.position(s.plan.statement.span.start).line for s in self.statements)

    @property
    def flops(self) -> Expr:
        """FLOPs of one device."""
        return self.estimate.flops

    @property
    def t_math(self) -> Expr:
        """Seconds of arithmetic."""
        return self.estimate.t_math

    @property
    def t_comms(self) -> Expr:
        """Seconds of communication."""
        return self.estimate.t_comms

    @property
    def t_hbm(self) -> Expr:
        """Seconds of reading and writing HBM."""
        return self.estimate.t_hbm

    @property
    def t_lower(self) -> Expr:
        """Lower bound of the time: the largest of the roofs that count."""
        return self.estimate.t_lower

    @property
    def t_upper(self) -> Expr:
        """Upper bound of the time: their sum."""
        return self.estimate.t_upper

    @property
    def memory(self) -> Expr:
        """Bytes: the most that is alive at once."""
        return self.estimate.memory

    @property
    def statements(self) -> tuple[StatementEstimate, ...]:
        """The price of each statement, with its `steps`."""
        return self.estimate.statements

    def value(self, expr: Expr) -> float | None:
        """Return the number of a formula, None while a size or the hardware is open."""
        return self.estimate.value(expr)

    def crossover(self, variable: str) -> tuple[Crossover, ...]:
        """Return where one roof becomes the larger one, for a printed name or a ratio such as `B/X`.

        One object a pair of roofs and group of axes that share links, with `between`, `relation`, `threshold`
        (SymPy), `value`, `exact`, `requires` and `requires_hold`. Raises ValueError for what is no ratio of
        symbols of the plan.
        """
        return self.estimate.crossover(variable)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/cost.json`)."""
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "partial": self.refused > 0,
            "diagnostics": [finding.to_dict() for finding in self.diagnostics],
            "total": self._prices(self.estimate),
            "statements": [self._statement(*pair) for pair in zip(self.lines, self.statements, strict=True)],
            "symbols": {name: info.text for name, info in self.estimate.symbols.items()},
        }

    def _repr_html_(self) -> str:
        return findings_html(self.source, self.findings) + HtmlWriter(self._printer()).write(self._blocks())

    def _repr_markdown_(self) -> str:
        found = findings_markdown(self.source, self.findings)
        return f"{found}\n\n{MarkdownWriter(self._printer()).write(self._blocks())}".lstrip()

    def _repr_latex_(self) -> str:
        found = findings_latex(self.source, self.findings)
        return f"{found}\n\n{LatexWriter(self._printer()).write(self._blocks())}".lstrip()

    def _blocks(self) -> Iterator[Block]:
        return cost_blocks(self.estimate, self.lines)

    def _printer(self) -> FormulaPrinter:
        return FormulaPrinter(symbol_kinds(self.estimate), latex=True)

    def _statement(self, line: int, statement: StatementEstimate) -> dict[str, Any]:
        output = statement.plan.output
        return {
            "line": line,
            "output": None if output is None else value_text(output),
            **self._prices(statement),
            "steps": [self._step(step) for step in statement.steps],
        }

    def _step(self, step: StepEstimate) -> dict[str, Any]:
        return {
            "kind": step.kind,
            "text": step.text,
            "bytes": self.quantity(step.bytes, "bytes"),
            "time": self.quantity(step.time, "s"),
        }

    def _prices(self, prices: Prices) -> dict[str, Any]:
        return {name: self.quantity(getattr(prices, name), unit) for name, unit in UNITS.items()}

    def quantity(self, expr: Expr, unit: str) -> dict[str, Any]:
        """Return a formula with its number and unit as the JSON has it."""
        return {"formula": formula(expr), "value": self.value(expr), "unit": unit}


class CrossoverReport(NamedTuple):
    """The crossovers of a plan for one symbol or ratio."""

    ok: bool
    diagnostics: tuple[Finding, ...]
    crossovers: tuple[Crossover, ...]
    cost: CostReport

    def _repr_html_(self) -> str:
        printer = FormulaPrinter(symbol_kinds(self.cost.estimate), latex=True)
        found = findings_html(self.cost.source, self.cost.findings)
        return found + HtmlWriter(printer).write(crossover_blocks(self.crossovers))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/crossover.json`)."""
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "partial": self.cost.refused > 0,
            "diagnostics": [finding.to_dict() for finding in self.diagnostics],
            "crossovers": [_crossover(found) for found in self.crossovers],
        }


def _crossover(found: Crossover) -> dict[str, Any]:
    return {
        "for": found.variable,
        "between": list(found.between),
        "relation": found.relation,
        "formula": None if found.threshold is None else formula(found.threshold),
        "value": found.value,
        "exact": found.exact,
        "requires": list(found.requires),
        "requires_hold": list(found.requires_hold),
    }


__all__ = ["UNITS", "CostReport", "CrossoverReport", "RatioError", "UnknownSymbolError"]
