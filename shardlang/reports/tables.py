"""The text of `cost` and `crossover`."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from shardlang.cost.conditions import Condition
from shardlang.cost.crossover import Bound, Crossover, Uncrossed
from shardlang.cost.estimate import Estimate
from shardlang.pricing.roofs import ROOFS
from shardlang.reports.colour import Paint, plain
from shardlang.reports.comparisons import condition_piece, here, thresholds
from shardlang.reports.derivation import Derivation, whole_plan
from shardlang.reports.document import Block, Code, Heading, Items, Line, Math, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.printed import Priced, statement_texts, symbol_kinds
from shardlang.reports.snippet import DEFAULT_WIDTH
from shardlang.reports.text import TextWriter
from shardlang.reports.units import plain_number

UNNAMED = "<against>"  # a plan that another one is compared with, and that came as a text


class Crossed(Protocol):
    """What is shown of `shardlang.reports.costs.CrossoverReport`."""

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""

    @property
    def partial(self) -> bool:
        """Whether statements were refused, or could not be read."""

    @property
    def variable(self) -> str:
        """What was solved for."""

    @property
    def crossovers(self) -> tuple[Crossover, ...]:
        """The answers."""

    @property
    def uncrossed(self) -> tuple[Uncrossed, ...]:
        """The pairs that have none."""

    @property
    def cost(self) -> Priced:
        """The prices of the plan."""

    @property
    def against(self) -> Priced | None:
        """Those of the other plan."""

    @property
    def of(self) -> str | None:
        """What the two are compared by."""


def cost_text(report: Priced, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
    """Return the price of each statement's steps, then the totals of the plan, per device."""
    printer = FormulaPrinter(symbol_kinds(report.estimate))
    blocks = Derivation(report, statement_texts(report.estimate), printer).blocks(reasons=False)
    return TextWriter(printer, paint, width).write(blocks)


def crossover_text(report: Crossed, paint: Paint = plain, width: int = DEFAULT_WIDTH) -> str:
    """Return the crossovers with what they require, and the conventions behind them."""
    cost = report.cost
    if report.against is not None and (report.partial or not report.ok):
        return "The two plans are not compared: see the findings."
    if not report.crossovers and report.against is None and not report.uncrossed:
        whole = "this plan" if not cost.refused else _lower(whole_plan(cost))
        return f"No roof of {whole} becomes larger than another as {report.variable} changes."
    printer = FormulaPrinter(symbol_kinds(cost.estimate))
    conventions = Derivation(cost, statement_texts(cost.estimate), printer).conventions()
    return TextWriter(printer, paint, width).write([*crossover_blocks(report), *conventions])


def crossover_blocks(report: Crossed, where: str = "") -> Iterator[Block]:
    """Yield each crossover, and then the pairs that have none. where: words for what the times are of."""
    estimate, other = report.cost.estimate, _name(report.against)
    if report.cost.refused:
        yield Heading((whole_plan(report.cost),), 1)
    said = set()
    for found in report.crossovers:
        again = "also " if (found.between, found.steps) in said else ""
        said.add((found.between, found.steps))
        yield Heading((*_longer(found.between, found.steps, report.of, other), f"{where} {again}when"), 2)
        yield Table(tuple(_crossover(found, estimate)))
        if found.besides:
            yield Items((("compute-bound also requires",),))
            yield Table(tuple(_besides(found, estimate)))
    shown = shown_variable(report.variable)
    if report.uncrossed:
        yield Heading((f"No crossover in {shown}",), 2)
        yield Items(tuple(_uncrossed(left, shown, report.of, other) for left in report.uncrossed))


def _name(other: Priced | None) -> str:
    """Return what another plan is called in text: by its file, where it has one."""
    name = other.source.name if other is not None else ""
    return "the other plan" if name == UNNAMED else name


def _uncrossed(left: Uncrossed, shown: str, of: str | None, other: str) -> Line:
    first, second = (_roof(name) for name in left.between)
    names: Line = ("The two plans",) if of else (f"{_sentence(first)} and {second}",)
    who, verb = ("first", "second"), "longer"
    if of:
        who, verb = ("plan", other.removeprefix("the ")), f"less {_QUANTITIES[of]}"
    elif left.steps:
        names = ("The latency and the bandwidth time of ", *_steps(left.steps))
        who = ("latency", "bandwidth time")
    has = "has" if of else "is"
    start: Line = (*names, f" do not cross in {shown}")
    if left.longer is None:
        known = ""
    else:
        known = "they are equal" if left.longer == 0 else f"the {who[left.longer < 0]} {has} {verb}"
    if left.when is None:
        return (*start, f" with these numbers{': ' if known else ''}{known}")
    if left.when.relation in ("always", "never"):
        return (*start, f": {known}, whatever the sizes are")
    line: Line = (*start, f": the {who[0]} {has} {verb} when ", condition_piece(left.when))
    return (*line, f"; with these numbers {known}") if known else line


def _steps(steps: tuple[str, ...]) -> Line:
    more = f" and {len(steps) - 1} more" if len(steps) > 1 else ""
    return (Code(steps[0]), *((more,) if more else ()))


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


_QUANTITIES = {
    "t_comms": "T_comms",
    "t_math": "T_math",
    "t_hbm": "T_hbm",
    "t_lower": "T_lower",
    "t_upper": "T_upper",
    "flops": "FLOPs",
    "memory": "memory",
}


def quantity_words(of: str) -> str:
    """Return what a quantity of a plan is called in text."""
    return _QUANTITIES[of]


def shown_variable(variable: str) -> str:
    """Return a name or a ratio as formulas print it."""
    return variable.strip().replace("**", "^").replace("*", "·")


def _longer(between: tuple[str, str], steps: tuple[str, ...], of: str | None, other: str) -> Line:
    """Return the words for the first of a pair being the larger one; of two plans, the second then is the cheaper."""
    first, second = between
    if of is not None:
        return (f"The plan has less {_QUANTITIES[of]} than {other}",)
    if steps:
        return ("The latency of ", *_steps(steps), " is longer than its bandwidth time")
    return (f"{_sentence(_roof(first))} is longer than {_roof(second)}",)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _roof(name: str) -> str:
    """Return the words for a roof: `math`, `hbm`, `ici` (all links), `ici:X` (those of X)."""
    return ROOFS[name].time if name in ROOFS else f"the time of {name}"


def _crossover(found: Crossover, estimate: Estimate) -> Iterator[tuple[Line, ...]]:
    """Yield the solution, and each thing that it requires with its numbers and whether it holds."""
    how = (
        "for other links"
        if not found.consistent
        else "numeric"
        if not found.exact
        else "leading terms"
        if found.shortened
        else "exact"
    )
    if found.assumes:
        how += (
            f" where {' and '.join(found.assumes)}".replace("ceiling", "ceil").replace("Min(", "min(").replace("*", "·")
        )
    if found.threshold is not None:
        yield (("",), (_within(found),), (_numbers(found) + how,))
        yield from _here(found)
    yield from _conditions(found.conditions, estimate, first="and" if found.threshold is not None else "")
    if found.alternative is not None:
        whatever = f"whatever {shown_variable(found.variable)} is, where "
        yield (("or",), (whatever, condition_piece(found.alternative)), ())


def _within(found: Crossover) -> Math:
    variable = shown_variable(found.variable)
    if found.threshold is not None and found.until is not None:
        return Math((found.threshold, "<", variable, "<", found.until))
    return Math((variable, found.relation, *([] if found.threshold is None else [found.threshold])))


def _numbers(found: Crossover) -> str:
    """Return the numbers of the ends of a solution."""
    if found.value is None or (found.until is not None and found.until_value is None):
        return ""
    ends = [found.value, *([] if found.until_value is None else [found.until_value])]
    return f"{'≈' if found.shortened else '='} {', '.join(map(plain_number, ends))}   "


def _here(found: Crossover) -> Iterator[tuple[Line, ...]]:
    """Yield a row with what the variable is, where it is known, and whether that lies in the range."""
    if found.here is not None and found.within is not None:
        variable = shown_variable(found.variable)
        yield (
            ("  here",),
            (f"{variable} = {plain_number(found.here)}",),
            ("holds" if found.within else "does not hold",),
        )


def _besides(found: Crossover, estimate: Estimate) -> Iterator[tuple[Line, ...]]:
    """Yield the conditions of the other links, each with the range of the variable that it comes to, where that is known."""
    for at, (condition, bounds) in enumerate(zip(found.besides, found.bounds, strict=True)):
        yield from _conditions([condition], estimate, first="and" if at else "")
        if bounds:
            yield (("  that is",), (" or ".join(bound_text(bound) for bound in bounds),), ())


def bound_text(bound: Bound) -> str:
    """Return a range as text: `Y < 14.55`, `2 < B < 9`."""
    variable, value = shown_variable(bound.variable), plain_number(bound.value)
    if bound.until is not None:
        return f"{value} < {variable} < {plain_number(bound.until)}"
    return f"{variable} {bound.relation} {value}"


def _conditions(conditions: Iterable[Condition], estimate: Estimate, first: str) -> Iterator[tuple[Line, ...]]:
    for at, condition in enumerate(conditions):
        yield (("and" if at else first,), (condition_piece(condition),), thresholds(estimate, [condition]))
        yield from here(estimate, [condition])
