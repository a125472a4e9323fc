"""What `shardlang.optimum` gives back: the best split of devices over mesh axes, as text and JSON."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sympy import Expr, Symbol

from shardlang.cost.splitting import Optimum, WholeSplit
from shardlang.cost.text import formula
from shardlang.cost.wiring import axis_words
from shardlang.reports.colour import Paint, plain
from shardlang.reports.comparisons import condition_piece, here, thresholds
from shardlang.reports.costs import (
    CostReport,
    CrossoverReport,
    crossover_dict,
    diagnostics_of,
    texts_of,
    uncrossed_dict,
)
from shardlang.reports.derivation import Derivation
from shardlang.reports.document import Block, Heading, Items, Line, Math, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.objects import SCHEMA, Finding
from shardlang.reports.pages import Page
from shardlang.reports.printed import statement_texts, symbol_kinds
from shardlang.reports.showing import in_short, printed
from shardlang.reports.snippet import DEFAULT_WIDTH
from shardlang.reports.tables import crossover_blocks, quantity_words
from shardlang.reports.text import TextWriter
from shardlang.reports.units import plain_number, quantity

_SHOWN = 5


class OptimumReport(NamedTuple):
    """The best split of devices: `optimum.place`, `.formula`, `.objective`, `.whole`, …; None where the text has errors.

    cost: the prices of the plan, with what is known. against: the other plan, where two are compared.
    """

    ok: bool
    diagnostics: tuple[Finding, ...]
    optimum: Optimum | None
    cost: CostReport
    against: CostReport | None = None

    @property
    def partial(self) -> bool:
        """Whether statements were refused, or could not be read."""
        return self.cost.refused > 0 or (self.against is not None and self.against.refused > 0)

    def __str__(self) -> str:
        """Return findings and the best split as text."""
        return printed(texts_of(self.cost, self.against), optimum_text(self))

    def __repr__(self) -> str:
        found = self.cost.findings if self.against is None else (*self.cost.findings, *self.against.findings)
        return in_short(
            self, self.cost.source, found, "" if self.optimum is None else f"split for {self.optimum.variable.name}"
        )

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
        return Page(texts_of(self.cost, self.against), _page_blocks(self, FormulaPrinter(kinds)), kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/optimum.json`)."""
        data = {
            "schema": SCHEMA,
            "ok": self.ok,
            "partial": self.partial,
            "diagnostics": diagnostics_of(self.diagnostics, self.against),
            "optimum": None,
            "splits": [],
            "slower_than": None,
            "left_out": [],
            "not_priced": 0,
            "crossovers": [],
            "uncrossed": [],
        }
        if self.optimum is None:
            return data
        found, values = self.optimum, self.cost.estimate.values
        return {
            **data,
            **self.cost.assumed,
            "for": found.variable.name,
            "split": {
                "axes": [axis.name for axis in found.split.axes.values()],
                "devices": {"formula": formula(found.split.total), "value": found.split.devices},
            },
            "of": found.of,
            "optimum": None if found.place is None else _place(found),
            "problem": found.problem or None,
            "assumes": list(found.assumes),
            "conditions": [
                {"between": list(between), "condition": condition.text, "holds": condition.holds(values)}
                for between, condition in found.conditions
            ],
            "splits": [_whole(one) for one in found.whole],
            "slower_than": (found.existing.slower_than or None) if found.whole else None,
            "left_out": [{axis.name: size for axis, size in sizes.items()} for sizes in found.existing.left_out],
            "not_priced": found.existing.passed,
            "crossovers": [crossover_dict(one) for one in found.crossovers],
            "uncrossed": [uncrossed_dict(one) for one in found.uncrossed],
        }


def _place(found: Optimum) -> dict[str, Any]:
    assert found.place is not None
    place = found.place
    rest = "*".join(axis.name for axis in found.rest)
    return {
        "kind": place.kind,
        "formula": _text(place.formula),
        "value": place.value,
        "exact": place.exact,
        "clipped": place.clipped,
        "by_numbers": place.numbers,
        **({"shortened": True} if found.shortened else {}),
        "rest": {"of": rest, "formula": _text(found.rest_formula), "value": found.rest_value},
        "objective": {"formula": _text(found.objective), "value": found.seconds, "unit": "s"},
    }


def _text(expr: Expr | None) -> str | None:
    return None if expr is None else formula(expr)


def _whole(one: WholeSplit) -> dict[str, Any]:
    return {
        "sizes": {axis.name: size for axis, size in one.sizes.items()},
        "value": one.value,
        "slower": one.slower,
        "uneven": list(one.uneven),
        "wiring": dict(one.wiring),
        "formula": one.formula,
        "agrees": one.agrees,
    }


def optimum_text(report: OptimumReport, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
    """Return the best split, what holds there, and the whole splits next to it."""
    if report.optimum is None:
        return "There is no split to find while the text has errors: see the findings."
    printer = FormulaPrinter(symbol_kinds(report.cost.estimate))
    return TextWriter(printer, paint, width).write(_page_blocks(report, printer))


def _page_blocks(report: OptimumReport, printer: FormulaPrinter) -> Iterator[Block]:
    """Yield the blocks of a report; none while the text has errors."""
    if report.optimum is not None:
        yield from _blocks(report.optimum, report)
        yield from Derivation(report.cost, statement_texts(report.cost.estimate), printer).conventions()


def _blocks(found: Optimum, report: OptimumReport) -> Iterator[Block]:
    time = quantity_words(found.of)
    if found.place is None:
        yield Heading((f"{time} has no best split {_given(found)}",), 2)
        yield Items(((found.problem,),))
        yield from _existing(found, time)
        return
    yield Heading((f"{time} is least {_given(found)} at",), 2)
    yield Table(tuple(_sizes(found)))
    yield Items(tuple(_remarks(found)))
    if found.conditions:
        yield Heading(("Compute-bound there when",), 2)
        yield Table(tuple(_conditions(found, report)))
    yield from _existing(found, time)
    if found.crossovers or found.uncrossed:
        of = found.of if report.against is not None else None
        answer = CrossoverReport(
            True, (), found.crossovers, report.cost, found.uncrossed, report.against, of, found.asked
        )
        yield from crossover_blocks(answer, " at the best split")


def _existing(found: Optimum, time: str) -> Iterator[Block]:
    """Yield the splits that exist, and what is said of those that are not there."""
    whole = found.existing
    if whole.splits:
        yield Heading((f"Whole splits of {found.split.devices} devices, the best first",), 2)
        yield Table(tuple(_row(one, time, whole.slower_than) for one in _shown(whole.splits)))
    words: list[Line] = []
    if whole.passed:
        words.append((f"{whole.passed} further splits are not priced, as they are too many",))
    if whole.left_out:
        count = len(whole.left_out)
        some = f"{count} splits take" if count > 1 else "1 split takes"
        words.append((f"{some} part of a physical axis of the slice, or not its axes as they are asked for: SL912",))
    if words:
        yield Items(tuple(words))


def _given(found: Optimum) -> str:
    return f"for {found.split.text}"


def _product(symbols: tuple[Symbol, ...]) -> str:
    return "·".join(symbol.name for symbol in symbols)


def _sizes(found: Optimum) -> Iterator[tuple[Line, ...]]:
    """Yield the rows of the axis, of what is left for the others, and of the time there."""
    place = found.place
    assert place is not None
    sign = "≈" if found.shortened else "="
    at, rest = place.value, found.rest_value
    yield _equation(found.variable.name, found.formula, at, "" if at is None else plain_number(at), sign)
    yield _equation(_product(found.rest), found.rest_formula, rest, "" if rest is None else plain_number(rest), sign)
    shown = "" if found.seconds is None else quantity(found.seconds, "s")
    yield _equation(quantity_words(found.of), found.objective, found.seconds, shown, sign)


def _equation(name: str, expr: Expr | None, value: float | None, shown: str, sign: str) -> tuple[Line, ...]:
    if expr is None:
        return ((name,), (f"{sign} {shown}",), ("",))
    said = expr.is_number and value is not None and expr == value
    return ((name,), (f"{sign} ", Math((expr,))), (f"{sign} {shown}" if shown and not said else "",))


def _remarks(found: Optimum) -> Iterator[Line]:
    place, name = found.place, found.variable.name
    assert place is not None
    words = {
        "stationary": f"exact: what falls with {name} and what rises balance there; the time is convex in log {name}",
        "crossing": f"exact: what falls with {name} and what rises cross there",
        "end": f"the time only rises or only falls with {name}: an end of 1 ≤ {name} ≤ {found.split.total}",
        "search": f"numeric: searched over 1 ≤ {name} ≤ {found.split.total}",
    }
    yield (
        words[place.kind]
        if place.exact or place.kind == "search"
        else f"numeric: {words[place.kind].removeprefix('exact: ')}",
    )
    if place.clipped and place.formula is not None:
        yield ("clipped to the range: ", Math((place.formula,)), " lies beyond it")
    if place.numbers:
        yield ("which times are the longest there is decided by the sizes: the formula holds near them",)
    if found.assumes:
        yield (
            f"taking {' and '.join(found.assumes)}".replace("ceiling", "ceil")
            .replace("Min(", "min(")
            .replace("*", "·"),
        )
    if any(one.agrees is False and one.wiring for one in found.whole):
        yield ("for the links under Conventions; each whole split is priced on those that its sizes have",)
    if found.problem:
        yield (found.problem,)


def _conditions(found: Optimum, report: OptimumReport) -> Iterator[tuple[Line, ...]]:
    estimate = report.cost.estimate
    for at, (_, condition) in enumerate(found.conditions):
        yield (("and" if at else "",), (condition_piece(condition),), thresholds(estimate, [condition]))
        yield from here(estimate, [condition])


def _shown(whole: tuple[WholeSplit, ...]) -> list[WholeSplit]:
    """Return the best splits, and the best one that divides every dimension if it is not among them."""
    shown = list(whole[:_SHOWN])
    if all(one.uneven for one in shown):
        shown += next(([one] for one in whole if not one.uneven), [])
    return shown


def _row(one: WholeSplit, time: str, slower_than: str) -> tuple[Line, ...]:
    sizes = ", ".join(f"{axis.name} = {size}" for axis, size in one.sizes.items())
    value = "" if one.value is None else f"{time} = {quantity(one.value, 's')}"
    even = "as fast" if slower_than == "optimum" else "the least"
    slower = "" if one.slower is None else _slower(one.slower) if one.slower > 1e-9 else even
    uneven = f"{', '.join(one.uneven)} not divisible: needs padding" if one.uneven else ""
    return ((sizes,), (value,), (slower,), (axis_words(one.wiring),), (uneven,))


def _slower(fraction: float) -> str:
    return (
        f"{100 * fraction:.1f} % slower" if fraction < 1 else f"{plain_number(round(1 + fraction, 2))} times the time"
    )
