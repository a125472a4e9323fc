"""What pictures of a plan's cost share: its times by roof, what they are called, and the conventions in words."""

from typing import NamedTuple

from sympy import Expr

from shardlang.cost.estimate import Estimate
from shardlang.cost.pricer import StepEstimate
from shardlang.pictures.problem import PictureError
from shardlang.planning.priced import short
from shardlang.pricing.roofs import NETWORK, ROOFS
from shardlang.reports.costs import CostReport
from shardlang.reports.derivation import Derivation
from shardlang.reports.document import Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.printed import statement_texts, symbol_kinds
from shardlang.reports.units import plain_number
from shardlang.rules.plan import COLLECTIVES

_LONGEST_FORMULA = 76
_MOST_COLLECTIVES = 6
_LONGEST_SIZES = 40


class Time(NamedTuple):
    """A time of a plan: its name, seconds, and whether it is a roof or only a part of the one before."""

    name: str
    seconds: Expr
    main: bool = True


class Words:
    """The words and formulas of one cost report."""

    def __init__(self, report: CostReport) -> None:
        self._report = report
        self._printer = FormulaPrinter(symbol_kinds(report.estimate))

    def formula(self, expr: Expr) -> str:
        """Return a formula as a note, empty where it is too long for one."""
        text = self._printer.formula(expr)
        return text if len(text) <= _LONGEST_FORMULA else ""

    def subject(self) -> str:
        """Return what is drawn: the statement, or how many there are."""
        texts = statement_texts(self._report.estimate)
        priced = [text for text, s in zip(texts, self._report.statements, strict=True) if s.plan.output is not None]
        return priced[0] if len(priced) == 1 else f"{len(priced)} statements of {self._report.source.name}"

    def title(self, what: str) -> str:
        """Return the title: what is drawn and of which statements, and under which assumptions, if any."""
        assumed = self._report.estimate.pricer.assumed
        cut = f", leading terms for {'; '.join(assumed.texts)}" if assumed is not None else ""
        return f"{what}: {self.subject()}{cut}"

    def conventions(self, swept: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return the conventions, a sentence each, and the sizes that are known, but for those of `swept`."""
        derivation = Derivation(self._report, statement_texts(self._report.estimate), self._printer)
        tables = (block for block in derivation.conventions(symbols=False) if isinstance(block, Table))
        rows = [_sentence(str(label[0]), str(words[0])) for table in tables for label, words in table.rows]
        sizes = _sizes(self._report.estimate, swept)
        lost = self._report.refused
        without = f" Without the {lost} refused statement{'s' if lost > 1 else ''}." if lost else ""
        return (f"Everything is per device.{without}", *((f"sizes: {sizes}",) if sizes else ()), *rows)


def _sentence(label: str, words: str) -> str:
    return f"{label} {words}" if words.startswith("of ") else f"{label}: {words}"


def _sizes(estimate: Estimate, without: tuple[str, ...]) -> str:
    table = estimate.symbols
    known = {symbol.name: number for symbol, number in estimate.values.items()}
    shown = [
        f"{name} = {plain_number(known[name])}"
        for name, info in table.items()
        if info.kind != "hardware" and name in known and name not in without
    ]
    more = f" and {len(shown) - _LONGEST_SIZES} more" if len(shown) > _LONGEST_SIZES else ""
    return ", ".join(shown[:_LONGEST_SIZES]) + more


def times(estimate: Estimate) -> tuple[Time, ...]:
    """Return the times that count: math, the memories, and each group of links with the collectives that load it."""
    counted = (roof for roof in ROOFS if roof in estimate.roofs and roof != NETWORK)
    found = [Time(ROOFS[roof].time, estimate.times[roof]) for roof in counted]
    if NETWORK in estimate.roofs:
        found += _networks(estimate)
    return tuple(time for time in found if time.seconds != 0)


def _networks(estimate: Estimate) -> list[Time]:
    steps = [step for statement in estimate.statements for step in statement.steps if step.kind in COLLECTIVES]
    found: list[Time] = []
    if estimate.comms == "sum" and len(estimate.groups) > 1:
        found.append(Time("T_comms, the sum", estimate.t_comms))
        return [*found, *_parts(steps)]
    for group in estimate.groups:
        axes = set(group.name.partition(":")[2].split(","))
        own = [step for step in steps if axes & set(step.step.axes)]
        parts = _parts(own)
        if len(parts) == 1 and parts[0].seconds == group.time:
            found.append(Time(f"T of {group.name}: {parts[0].name}", group.time))
        else:
            found += [Time(f"T of {group.name}", group.time), *parts]
    return found


def _parts(steps: list[StepEstimate]) -> list[Time]:
    """Return the collectives with a time each; those with the same time are one."""
    names: dict[Expr, list[str]] = {}
    for step in steps:
        names.setdefault(step.t_comms, []).append(short(step.step))
    return [Time(_joined(same), seconds, False) for seconds, same in list(names.items())[:_MOST_COLLECTIVES]]


def _joined(names: list[str]) -> str:
    unique = list(dict.fromkeys(names))
    return ", ".join(unique[:3]) + (f" and {len(unique) - 3} more" if len(unique) > 3 else "")


def priced(report: CostReport) -> Estimate:
    """Return the estimate of a report. Raises PictureError where no statement was priced."""
    if all(statement.plan.output is None for statement in report.statements):
        raise PictureError("there is no statement that can be priced", "A[I_X, J] · B[J, K] -> C[I_X, K]")
    return report.estimate
