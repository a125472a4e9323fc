"""What `shardlang.explain` gives back: the derivation of a plan, printed as text, Markdown, LaTeX or JSON."""

from typing import Any, NamedTuple

from shardlang.cost.estimate import AlternativeEstimate, Estimate
from shardlang.cost.prices import StatementEstimate
from shardlang.reports.colour import Paint, plain
from shardlang.reports.costs import CostReport
from shardlang.reports.derivation import Derivation
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.objects import Finding
from shardlang.reports.parsed import statement_dims
from shardlang.reports.snippet import DEFAULT_WIDTH
from shardlang.semantics.text import program_statement_text

_OF_A_STEP = {"flops": "FLOPs", "bytes": "bytes", "bytes_received": "bytes", "time": "s"}
FORMS = ("text", "markdown", "latex", "json")


class Explanation(NamedTuple):
    """The derivation of a plan. `cost` is the estimate behind it."""

    cost: CostReport

    @property
    def ok(self) -> bool:
        """True where no finding is an error."""
        return self.cost.ok

    @property
    def diagnostics(self) -> tuple[Finding, ...]:
        """The findings of the text."""
        return self.cost.diagnostics

    def __str__(self) -> str:
        return self.render()

    def render(self, form: str = "text", *, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
        """Return the derivation as `text`, `markdown`, `latex` or `json`. `width` is the columns of text."""
        if form == "json":
            import json

            return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
        estimate = self.cost.estimate
        kinds = symbol_kinds(estimate)
        blocks = Derivation(self.cost, statement_texts(estimate), FormulaPrinter(kinds)).blocks()
        if form == "text":
            from shardlang.reports.text import TextWriter

            return TextWriter(FormulaPrinter(kinds), paint, width).write(blocks)
        if form == "markdown":
            from shardlang.reports.markdown import MarkdownWriter

            return MarkdownWriter(FormulaPrinter(kinds, latex=True)).write(blocks)
        if form == "latex":
            from shardlang.reports.latex import LatexWriter

            return LatexWriter(FormulaPrinter(kinds, latex=True)).write(blocks)
        raise ValueError(f"there is no form {form!r}; it is one of {', '.join(FORMS)}")

    def to_dict(self) -> dict[str, Any]:
        """Return the derivation as JSON values (`shardlang/schema/explain.json`): that of `cost`, and why."""
        cost = self.cost
        data = cost.to_dict()
        texts = statement_texts(cost.estimate)
        for index, (shown, statement) in enumerate(zip(data["statements"], cost.estimate.statements, strict=True)):
            shown["text"] = texts[index]
            shown["steps"] = self._steps(statement)
            shown["alternatives"] = [self._alternative(other) for other in cost.estimate.alternatives(index)]
        data["conditions"] = [
            {"between": list(between), "condition": condition.text, "holds": condition.holds(cost.estimate.values)}
            for between, condition in cost.estimate.conditions()
        ]
        data["conventions"] = {
            "model": cost.estimate.model,
            "roofs": list(cost.estimate.roofs),
            "comms": cost.estimate.comms,
            "axes": list(cost.estimate.assumptions),
        }
        return data

    def _steps(self, statement: StatementEstimate) -> list[dict[str, Any]]:
        return [
            {
                "kind": step.kind,
                "text": step.text,
                "why": step.step.why,
                **{
                    name: self.cost.quantity(getattr(step, name), unit, name in step.shortened)
                    for name, unit in _OF_A_STEP.items()
                },
            }
            for step in statement.steps
        ]

    def _alternative(self, other: AlternativeEstimate) -> dict[str, Any]:
        prices = other.prices
        return {
            "name": other.name,
            "compared_by": "time" if other.timed else "bytes",
            "wins_when": other.wins_when.text,
            "best_when": [condition.text for condition in other.best_when],
            "faster_when": other.faster_when.text,
            "example": dict(other.example),
            **self.cost.seconds(prices),
            "steps": self._steps(prices),
        }


def symbol_kinds(estimate: Estimate) -> dict[str, str]:
    """Return the kind of every symbol by its printed name, dimensions in the order in which the text names them."""
    names = estimate.pricer.names
    dims = (dim for statement in estimate.pricer.program.statements for dim in statement_dims(statement))
    first = [names.dims()[dim].name for dim in dict.fromkeys(dims) if dim in names.dims()]
    return {name: names.table[name].kind for name in [*first, *(name for name in names.table if name not in first)]}


def statement_texts(estimate: Estimate) -> tuple[str, ...]:
    """Return the canonical text of every statement of the plan."""
    mesh = estimate.pricer.program.mesh
    return tuple(program_statement_text(statement.plan.statement, mesh) for statement in estimate.statements)
