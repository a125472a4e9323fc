"""What `shardlang.cost` and `shardlang.crossover` give back: an estimate with the findings of the text, and its JSON."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, overload

from sympy import Expr

from shardlang.cost.crossover import Crossover, Uncrossed
from shardlang.cost.estimate import Estimate
from shardlang.cost.pricer import StepEstimate
from shardlang.cost.prices import Prices, StatementEstimate
from shardlang.cost.ratio import RatioError, UnknownSymbolError
from shardlang.cost.text import formula
from shardlang.diagnostics import Diagnostic
from shardlang.pricing.roofs import ROOFS
from shardlang.reports.objects import SCHEMA, Finding, finding_reports
from shardlang.reports.pages import Page
from shardlang.reports.printed import symbol_kinds
from shardlang.reports.showing import count, in_short, printed
from shardlang.reports.totals import cost_blocks, crossover_blocks
from shardlang.rules.text import value_text
from shardlang.semantics.program import Declared
from shardlang.source import SourceText, Span

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from shardlang.cost.kernel import Floats

_BOUNDS = ("t_lower", "t_upper")

_TIMES = {"time", *(kind.field for kind in ROOFS.values())}

_UNREAD = ("SL1", "SL6")  # findings of the parser, and of what is too large: their statements are not in the plan


class Keeps(Protocol):
    """Says which of some findings on a text are shown."""

    def __call__(self, findings: tuple[Diagnostic, ...], /) -> tuple[Diagnostic, ...]: ...


class Notes(NamedTuple):
    """How findings on an answer come into a report. places: where the text declares each mesh axis or other size. keep: those not ignored."""

    places: Mapping[str, Span] = {}
    keep: Keeps = tuple


class CostReport(NamedTuple):
    """The price of a plan, per device, as SymPy expressions: `flops`, `t_math`, … and `statements` with the same.

    `ok` is true where no finding is an error; a refused statement costs nothing and has no steps.
    """

    ok: bool
    diagnostics: tuple[Finding, ...]
    estimate: Estimate
    source: SourceText
    findings: tuple[Diagnostic, ...] = ()
    notes: Notes = Notes()

    def noting(self, found: tuple[Diagnostic, ...]) -> "CostReport":
        """Return the report with further findings, on what was asked of it."""
        if not (kept := self.notes.keep(found)):
            return self
        findings = tuple(dict.fromkeys((*self.findings, *kept)))
        ok = self.ok and all(finding.severity != "error" for finding in kept)
        return self._replace(ok=ok, findings=findings, diagnostics=finding_reports(self.source, findings))

    def place(self, names: Iterable[str]) -> Span:
        """Return where the text declares the first of these mesh axes or sizes that it does."""
        return next((self.notes.places[name] for name in names if name in self.notes.places), Span(0, 0))

    @property
    def refused(self) -> int:
        """Statements, also declarations of arrays, that were refused or could not be read: what they cost is in no total."""
        priced = [statement.plan.statement.span for statement in self.statements]
        lost = {
            self.source.position(finding.span.start).line
            for finding in self.findings
            if finding.severity == "error" and finding.code.startswith(_UNREAD)
            if not any(span.start <= finding.span.start < span.end for span in priced)
        }
        arrays = (s for s in self.estimate.plan.program.statements if not s.ok and isinstance(s.body, Declared))
        undeclared = sum(statement.body.array is not None for statement in arrays)  # type: ignore[union-attr]
        return sum(statement.plan.output is None for statement in self.statements) + undeclared + len(lost)

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
    def times(self) -> Mapping[str, Expr]:
        """Seconds by roof: `math`, `ici`, `hbm`, and `vmem` and `pcie` where they count."""
        return self.estimate.times

    @property
    def t_comms_sum(self) -> Expr:
        """Seconds of communication where no two collectives overlap."""
        return self.estimate.t_comms_sum

    @property
    def t_lower(self) -> Expr:
        """Lower bound of the time: the largest of the roofs that count."""
        return self.estimate.t_lower

    @property
    def t_upper(self) -> Expr:
        """Upper bound of the time: nothing overlaps, their sum with `t_comms_sum`."""
        return self.estimate.t_upper

    @property
    def memory(self) -> Expr:
        """Bytes: the most that is alive at once."""
        return self.estimate.memory

    @property
    def totals(self) -> dict[str, Expr]:
        """The formulas of the whole plan by name: `flops`, `t_math`, `t_comms`, `t_hbm`, `t_comms_sum`, `t_lower`, `t_upper`, `memory`."""
        prices = self.estimate
        times = {ROOFS[roof].field: seconds for roof, seconds in prices.times.items()}
        bounds = {name: getattr(prices, name) for name in ("t_comms_sum", *_BOUNDS)}
        return {"flops": prices.flops, **times, **bounds, "memory": prices.memory}

    @property
    def statements(self) -> tuple[StatementEstimate, ...]:
        """The price of each statement, with its `steps`."""
        return self.estimate.statements

    def value(self, expr: Expr) -> float | None:
        """Return the number of a formula, None while a size or the hardware is open."""
        return self.estimate.value(expr)

    @overload
    def sweep(self, formulas: Mapping[str, Expr], over: "Mapping[str, ArrayLike]") -> "dict[str, Floats]": ...
    @overload
    def sweep(
        self, formulas: list[Expr] | tuple[Expr, ...], over: "Mapping[str, ArrayLike]"
    ) -> "tuple[Floats, ...]": ...
    @overload
    def sweep(self, formulas: Expr, over: "Mapping[str, ArrayLike]") -> "Floats": ...
    def sweep(
        self, formulas: Expr | Mapping[str, Expr] | list[Expr] | tuple[Expr, ...], over: "Mapping[str, ArrayLike]"
    ) -> "Floats | dict[str, Floats] | tuple[Floats, ...]":
        """Return `value` of formulas at every point: an array for one formula, a tuple for several, a dictionary for `totals`.

        over: arrays of positive numbers by the name of a symbol, as the formulas print it (`{"B": [128, 256], "W_ici":
        …}`): sizes of dimensions and mesh axes, rates. They broadcast, and so do the results: NumPy arrays of float64.
        All other symbols keep their numbers; a size that is given in terms of others (`let F = 4*D`) follows them. The
        plan stays the one that was chosen. Where a formula has no finite value there is NaN. Several formulas at once
        share their work. Raises ValueError for a name that is no symbol of the plan, for arrays that are not of positive
        numbers or do not broadcast, for other sizes of a mesh axis that is 1 here (nothing goes over it, and so its formulas
        are without it), and where a number is missing; it says which.
        """
        if isinstance(formulas, Mapping):
            return dict(zip(formulas, self.estimate.sweep(tuple(formulas.values()), over), strict=True))
        if isinstance(formulas, list | tuple):
            return self.estimate.sweep(formulas, over)
        return self.estimate.sweep((formulas,), over)[0]

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
            **self.assumed,
        }

    @property
    def assumed(self) -> dict[str, Any]:
        """What is assumed, for the JSON of every report; nothing where nothing is."""
        leading = self.estimate.pricer.assumed
        return {} if leading is None else {"assume": list(leading.texts)}

    def __str__(self) -> str:
        """Return findings and prices as text."""
        from shardlang.reports.tables import cost_text

        return printed(texts_of(self), cost_text(self))

    def __repr__(self) -> str:
        return in_short(self, self.source, self.findings, count(len(self.statements), "statement"))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return self._page().html()

    def _repr_markdown_(self) -> str:
        return self._page().markdown()

    def _repr_latex_(self) -> str:
        return self._page().latex()

    def _page(self) -> Page:
        texts = ((self.source, self.findings),)
        return Page(texts, cost_blocks(self.estimate, self.lines), symbol_kinds(self.estimate))

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
            "bytes": self.quantity(step.bytes, "bytes", "bytes" in step.shortened),
            "time": self.quantity(step.time, "s", bool(step.shortened & _TIMES)),
        }

    def _prices(self, prices: Prices) -> dict[str, Any]:
        return {
            "flops": self.quantity(prices.flops, "FLOPs", "flops" in prices.shortened),
            **self.seconds(prices),
            "t_comms_sum": self.quantity(prices.t_comms_sum, "s", "t_comms_sum" in prices.shortened),
            **{name: self.quantity(getattr(prices, name), "s", name in prices.shortened) for name in _BOUNDS},
            "memory": self.quantity(prices.memory, "bytes", "memory" in prices.shortened),
        }

    def seconds(self, prices: Prices) -> dict[str, Any]:
        """Return the seconds of each roof as the JSON has them: `t_math`, `t_comms` and so on."""
        fields = {roof: ROOFS[roof].field for roof in prices.times}
        return {name: self.quantity(prices.times[roof], "s", name in prices.shortened) for roof, name in fields.items()}

    def quantity(self, expr: Expr, unit: str, shortened: bool = False) -> dict[str, Any]:
        """Return a formula with its number and unit as the JSON has it. shortened: these are the leading terms only."""
        found = {"formula": formula(expr), "value": self.value(expr), "unit": unit}
        return {**found, "shortened": True} if shortened else found


class CrossoverReport(NamedTuple):
    """The crossovers of a plan for one symbol or ratio, the `variable`.

    uncrossed: the pairs that have none. against: the other plan, where two are compared, and `of` what by; then `cost` has
    the prices of the first with what is known of both.
    """

    ok: bool
    diagnostics: tuple[Finding, ...]
    crossovers: tuple[Crossover, ...]
    cost: CostReport
    uncrossed: tuple[Uncrossed, ...] = ()
    against: CostReport | None = None
    of: str | None = None
    variable: str = ""

    @property
    def partial(self) -> bool:
        """Whether statements were refused, or could not be read."""
        return self.cost.refused > 0 or (self.against is not None and self.against.refused > 0)

    def __str__(self) -> str:
        """Return findings and crossovers as text."""
        from shardlang.reports.tables import crossover_text

        return printed(texts_of(self.cost, self.against), crossover_text(self))

    def __repr__(self) -> str:
        found = self.cost.findings if self.against is None else (*self.cost.findings, *self.against.findings)
        return in_short(self, self.cost.source, found, f"{count(len(self.crossovers), 'crossover')} in {self.variable}")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return self._page().html()

    def _repr_markdown_(self) -> str:
        return self._page().markdown()

    def _repr_latex_(self) -> str:
        return self._page().latex()

    def _page(self) -> Page:
        texts = texts_of(self.cost, self.against)
        return Page(texts, crossover_blocks(self.crossovers), symbol_kinds(self.cost.estimate))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/crossover.json`)."""
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "partial": self.partial,
            "diagnostics": diagnostics_of(self.diagnostics, self.against),
            "crossovers": [crossover_dict(found) for found in self.crossovers],
            "uncrossed": [uncrossed_dict(left) for left in self.uncrossed],
            **({"of": self.of} if self.of else {}),
            **self.cost.assumed,
        }


def texts_of(
    cost: CostReport, against: CostReport | None = None
) -> tuple[tuple[SourceText, tuple[Diagnostic, ...]], ...]:
    """Return the text of a price with its findings, and that of the plan that it is compared with."""
    return tuple((report.source, report.findings) for report in (cost, against) if report is not None)


def diagnostics_of(findings: tuple[Finding, ...], against: CostReport | None) -> list[dict[str, Any]]:
    """Return findings as JSON values, with those of the other text, which say so."""
    found = [finding.to_dict() for finding in findings]
    if against is not None:
        found += [{**finding.to_dict(), "file": against.source.name} for finding in against.diagnostics]
    return found


def uncrossed_dict(left: Uncrossed) -> dict[str, Any]:
    """Return a pair without a crossover as JSON values."""
    when = left.when
    return {
        "between": list(left.between),
        "when": None if when is None else when.text,
        "holds": left.holds,
        "longer": None if left.longer is None else ("equal", "first", "second")[left.longer],
        "steps": list(left.steps),
    }


def crossover_dict(found: Crossover) -> dict[str, Any]:
    """Return a crossover as JSON values."""
    return {
        "for": found.variable,
        "between": list(found.between),
        "relation": found.relation,
        "formula": None if found.threshold is None else formula(found.threshold),
        "value": found.value,
        **_until(found),
        "exact": found.exact,
        "here": found.here,
        "holds_here": found.holds_here,
        "requires": list(found.requires),
        "requires_hold": list(found.requires_hold),
        "requires_for": ["compute-bound"] * len(found.besides) + ["pair"] * len(found.conditions),
        **({"requires_bounds": _bounds(found)} if any(found.bounds) else {}),
        **({"otherwise": found.otherwise} if found.conditions else {}),
        "steps": list(found.steps),
        "assumes": list(found.assumes),
        "consistent": found.consistent,
        **({"shortened": True} if found.shortened else {}),
    }


def _until(found: Crossover) -> dict[str, Any]:
    return {} if found.until is None else {"until": {"formula": formula(found.until), "value": found.until_value}}


def _bounds(found: Crossover) -> list[list[dict[str, Any]]]:
    """Return for each thing that is required the ranges of the variable in which it holds."""
    own = [
        [{"relation": one.relation, "value": one.value, "until": one.until} for one in bounds]
        for bounds in found.bounds
    ]
    return own + [[] for _ in found.conditions]


__all__ = ["CostReport", "CrossoverReport", "RatioError", "UnknownSymbolError"]
