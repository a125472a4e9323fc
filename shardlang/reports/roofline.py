"""What `shardlang.roofline` gives back: intensity against every level, what the chip needs, and what binds where."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sympy import Expr, Max, Min

from shardlang.cost.conditions import Condition
from shardlang.cost.roofline import Level, Need, Range, Roofline
from shardlang.cost.text import formula
from shardlang.diagnostics import Diagnostic
from shardlang.reports.colour import Paint, plain
from shardlang.reports.comparisons import condition_piece, ratio
from shardlang.reports.costs import CostReport, texts_of
from shardlang.reports.derivation import Derivation, whole_plan
from shardlang.reports.document import Block, Code, Heading, Items, Line, Math, Piece, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.objects import SCHEMA, Finding
from shardlang.reports.pages import Page
from shardlang.reports.printed import statement_texts, symbol_kinds
from shardlang.reports.showing import count, in_short, printed
from shardlang.reports.snippet import DEFAULT_WIDTH
from shardlang.reports.text import TextWriter
from shardlang.reports.units import plain_number, quantity
from shardlang.rules.text import value_text

_LONGEST = 48  # columns of the formulas beside a range in numbers
_PER_BYTE = "FLOPs/byte"
_HEAD: tuple[Line, ...] = (
    ("level",),
    ("arithmetic intensity",),
    ("",),
    ("critical intensity",),
    ("",),
    ("time",),
    ("",),
)


class RooflineReport(NamedTuple):
    """The rooflines of a plan: `statements`, one each, and that of the plan, `total`. `str()` of it is the text.

    `variable` is what the ranges are along, None where none was asked for; `cost` is the estimate behind it.
    """

    ok: bool
    diagnostics: tuple[Finding, ...]
    statements: tuple[Roofline, ...]
    total: Roofline
    variable: str | None
    cost: CostReport

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The findings of the text, as renderers take them."""
        return self.cost.findings

    def __str__(self) -> str:
        """Return findings and rooflines as text."""
        return printed(texts_of(self.cost), roofline_text(self))

    def __repr__(self) -> str:
        return in_short(self, self.cost.source, self.findings, count(len(self.statements), "statement"))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return self._page().html()

    def _repr_markdown_(self) -> str:
        return self._page().markdown()

    def _repr_latex_(self) -> str:
        return self._page().latex()

    def _page(self) -> Page:
        kinds = symbol_kinds(self.cost.estimate)
        return Page(texts_of(self.cost), _blocks(self, FormulaPrinter(kinds)), kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/roofline.json`)."""
        cost = self.cost
        outputs = (None if s.plan.output is None else value_text(s.plan.output) for s in cost.statements)
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "partial": cost.refused > 0,
            "diagnostics": [finding.to_dict() for finding in self.diagnostics],
            "for": self.variable,
            "total": self._roofline(self.total),
            "statements": [
                {"line": line, "output": output, **self._roofline(found)}
                for line, output, found in zip(cost.lines, outputs, self.statements, strict=True)
            ],
            "symbols": {name: info.text for name, info in cost.estimate.symbols.items()},
            **cost.assumed,
        }

    def _roofline(self, found: Roofline) -> dict[str, Any]:
        return {
            "flops": self.cost.quantity(found.prices.flops, "FLOPs", "flops" in found.prices.shortened),
            "levels": [self._level(level, found.binds) for level in found.levels],
            "binds": found.binds,
            "when": [
                {"roof": roof, "conditions": [condition.text for condition in conditions]}
                for roof, conditions in found.when
            ],
            "ranges": [self._range(one) for one in found.ranges],
        }

    def _level(self, level: Level, binds: str | None) -> dict[str, Any]:
        return {
            "roof": level.roof,
            "intensity": self._ratio(level.intensity, level.shortened),
            "needed": self._ratio(level.needed, False),
            "time": self.cost.quantity(level.time, "s", level.shortened),
            "binds": None if binds is None else level.roof == binds,
        }

    def _ratio(self, expr: Expr | None, shortened: bool) -> dict[str, Any] | None:
        return None if expr is None else self.cost.quantity(expr, _PER_BYTE, shortened)

    def _range(self, found: Range) -> dict[str, Any]:
        return {
            "roof": found.roof,
            "from": _bound(found.lower, found.lower_value),
            "to": _bound(found.upper, found.upper_value),
            "exact": found.exact,
            "requires": [need.text for need in found.requires],
        }


def _bound(expr: Expr | None, value: float | None) -> dict[str, Any] | None:
    return None if expr is None else {"formula": formula(expr), "value": value}


def roofline_text(report: RooflineReport, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
    """Return a table of each statement and of the plan, where each roof binds, and the conventions."""
    printer = FormulaPrinter(symbol_kinds(report.cost.estimate))
    blocks = tuple(_blocks(report, printer))
    return TextWriter(printer, paint, width).write(blocks) if blocks else ""


def _blocks(report: RooflineReport, printer: FormulaPrinter) -> Iterator[Block]:
    """Yield the blocks of a report; none where all statements were refused."""
    if any(statement.plan.output is not None for statement in report.cost.statements):
        yield from _Rooflines(report, printer).blocks()


class _Rooflines:
    """The blocks of one report."""

    def __init__(self, report: RooflineReport, printer: FormulaPrinter) -> None:
        self._report, self._cost = report, report.cost
        self._texts = statement_texts(self._cost.estimate)
        self._printer = printer

    def blocks(self) -> Iterator[Block]:
        """Yield a table each, the whole plan last, and the conventions."""
        several = len(self._cost.statements) > 1 or self._cost.refused > 0
        rows = zip(self._texts, self._cost.statements, self._report.statements, strict=True)
        for text, statement, found in rows:
            yield Heading((Code(text),), 1)
            if statement.plan.output is None:
                yield Items((("refused: see the findings",),))
            else:
                yield from self._roofline(found)
        if several:
            yield Heading((whole_plan(self._cost),), 1)
            yield from self._roofline(self._report.total)
        yield from Derivation(self._cost, self._texts, self._printer).conventions()

    def _roofline(self, found: Roofline) -> Iterator[Block]:
        if not found.levels:
            yield Items((("nothing takes time on a roof that counts",),))
            return
        yield Heading((f"Roofs{self._flops(found)}",))
        yield Table((_HEAD, *(self._row(level, found) for level in found.levels)))
        if self._report.variable is not None:
            variable = _shown(self._report.variable)
            yield Heading((f"Along {variable}",))
            yield Table(tuple(self._ranges(found, variable)) or ((("no roof changes places",),),))
        elif found.when:
            yield Heading(("What binds",))
            yield Table(tuple(self._when(found)))

    def _flops(self, found: Roofline) -> str:
        value = self._cost.value(found.prices.flops)
        words = "" if not value else f", {quantity(value, 'FLOPs')} per device"
        return f"{words}; intensities in FLOPs/byte"

    def _row(self, level: Level, found: Roofline) -> tuple[Line, ...]:
        seconds = self._cost.value(level.time)
        time: Line = (Math(("≈", level.time) if level.shortened else (level.time,)),)
        return (
            (level.roof,),
            *self._ratio(level.intensity, level.shortened),
            *self._ratio(level.needed, False),
            time if seconds is None else (quantity(seconds, "s"),),
            ("binds" if level.roof == found.binds else "",),
        )

    def _ratio(self, expr: Expr | None, shortened: bool) -> tuple[Line, Line]:
        if expr is None:
            return ("",), ("",)
        value = self._cost.value(expr)
        number = "" if value is None or expr.is_number else f"{'≈' if shortened else '='} {plain_number(value)}"
        return (Math(("≈", expr) if shortened and not number else (expr,)),), (number,)

    def _when(self, found: Roofline) -> Iterator[tuple[Line, ...]]:
        for roof, conditions in found.when:
            yield from _rows(roof, [self._condition(condition) for condition in conditions])

    def _condition(self, condition: Condition) -> tuple[Line, Line]:
        """Return a condition, and the number of its right side where that is a ratio of rates."""
        value = self._cost.value(condition.right)
        known = value is not None and not condition.right.is_number
        return (condition_piece(condition),), (Math((condition.right, "=", ratio(value))),) if known and value else (
            "",
        )

    def _need(self, need: Need) -> tuple[Line, Line]:
        words, number = self._condition(need.condition)
        return ((*words, ", or ", condition_piece(need.opposite)), number) if need.opposite else (words, number)

    def _ranges(self, found: Roofline, variable: str) -> Iterator[tuple[Line, ...]]:
        """Yield the ranges: where they are numbers a row each, with the formulas of short ones; else what each roof takes."""
        said: set[Expr] = set()
        for one in found.ranges:
            ends = ((one.lower, one.lower_value), (one.upper, one.upper_value))
            if all(value is not None or bound is None for bound, value in ends) and not one.requires:
                low, high = (None if value is None else plain_number(value) for _, value in ends)
                yield ((one.roof,), (_between(variable, low, high),), self._formulas(one, said))
                continue
            parts: list[tuple[Line, Line]] = []
            for sign, bound in ((">", one.lower), ("<", one.upper)):
                for limit in () if bound is None else bound.args if isinstance(bound, Max | Min) else (bound,):
                    value = self._cost.value(limit)
                    parts.append(
                        ((Math((variable, sign, limit)),), ("" if value is None else f"= {plain_number(value)}",))
                    )
            yield from _rows(one.roof, [*parts, *map(self._need, one.requires)])

    def _formulas(self, found: Range, said: set[Expr]) -> Line:
        """Return the formulas of the ends that were not said before."""
        if not found.exact:
            return ("numeric",)
        ends = (bound for bound in (found.lower, found.upper) if bound is not None and not bound.is_number)
        bounds = [bound for bound in ends if bound not in said]
        said.update(bounds)
        if not bounds or sum(len(self._printer.formula(bound)) for bound in bounds) > _LONGEST:
            return ("",)
        line: list[Piece] = []
        for bound in bounds:
            line += [", "] if line else []
            line.append(Math((bound, "=", plain_number(self._cost.value(bound) or 0.0))))
        return tuple(line)


def _rows(roof: str, parts: Sequence[tuple[Line, Line]]) -> Iterator[tuple[Line, ...]]:
    """Yield a row for each thing that must hold, the first with the name of the roof."""
    for at, (words, number) in enumerate(parts or [(("always",), ("",))]):
        yield (("  and" if at else roof,), words, number)


def _between(variable: str, lower: str | None, upper: str | None) -> str:
    if lower is None:
        return f"every {variable}" if upper is None else f"{variable} < {upper}"
    return f"{variable} > {lower}" if upper is None else f"{lower} < {variable} < {upper}"


def _shown(variable: str) -> str:
    return variable.strip().replace("**", "^").replace("*", "·")


__all__ = ["RooflineReport", "roofline_text"]
