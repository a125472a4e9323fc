"""What `shardlang.explain` gives back: the derivation of a plan, printed as text, Markdown, LaTeX or JSON."""

from typing import Any, NamedTuple

from shardlang.cost.estimate import AlternativeEstimate
from shardlang.cost.prices import StatementEstimate
from shardlang.reports.colour import Paint, plain
from shardlang.reports.costs import CostReport, texts_of
from shardlang.reports.derivation import Derivation
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.objects import Finding
from shardlang.reports.printed import statement_texts, symbol_kinds
from shardlang.reports.showing import count, in_short, printed
from shardlang.reports.shown import findings_html, findings_latex, findings_markdown
from shardlang.reports.snippet import DEFAULT_WIDTH

_OF_A_STEP = {"flops": "FLOPs", "bytes": "bytes", "bytes_received": "bytes", "time": "s"}
FORMS = ("text", "markdown", "latex", "html", "json")


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
        """Return findings and derivation as text."""
        return printed(texts_of(self.cost), self.render())

    def __repr__(self) -> str:
        cost = self.cost
        return in_short(self, cost.source, cost.findings, count(len(cost.statements), "statement"))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def render(self, form: str = "text", *, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
        """Return the derivation as `text`, `markdown`, `latex`, `html` or `json`. `width` is the columns of text."""
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
        if form == "html":
            from shardlang.reports.html import HtmlWriter

            return HtmlWriter(FormulaPrinter(kinds, latex=True)).write(blocks)
        raise ValueError(f"there is no form {form!r}; it is one of {', '.join(FORMS)}")

    def _repr_html_(self) -> str:
        return findings_html(self.cost.source, self.cost.findings) + self.render("html")

    def _repr_markdown_(self) -> str:
        return f"{findings_markdown(self.cost.source, self.cost.findings)}\n\n{self.render('markdown')}".lstrip()

    def _repr_latex_(self) -> str:
        return f"{findings_latex(self.cost.source, self.cost.findings)}\n\n{self.render('latex')}".lstrip()

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
