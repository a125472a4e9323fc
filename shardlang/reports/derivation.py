"""The derivation of a plan: what `explain` says, as blocks."""

from collections.abc import Iterator

from sympy import Expr, Symbol

from shardlang.cost.conditions import Condition
from shardlang.cost.estimate import AlternativeEstimate, Estimate, Prices, StatementEstimate, is_bare
from shardlang.cost.pricer import StepEstimate
from shardlang.reports.document import Block, Code, Fact, Heading, Items, Line, Math, Piece, StepBlock, Strong, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.units import plain_number, quantity
from shardlang.rules.plan import COLLECTIVES, FREE_STEPS, Step
from shardlang.rules.text import value_text

_ROW = 44  # columns of conditions side by side
_READABLE = 80  # columns of one condition; a longer one says less than the words


class Derivation:
    """Writes the blocks of one estimate. `texts` has the canonical text of each statement, `printer` prints plain text."""

    def __init__(self, estimate: Estimate, texts: tuple[str, ...], printer: FormulaPrinter) -> None:
        self.estimate = estimate
        self.texts = texts
        self.printer = printer

    def blocks(self, *, reasons: bool = True) -> Iterator[Block]:
        """Yield the derivation from the first statement to the conventions.

        reasons: with why each step is needed, the other plans, and when the plan is compute-bound; without
        them it is the price list that `cost` prints.
        """
        estimate = self.estimate
        several = len(estimate.statements) > 1
        for index, statement in enumerate(estimate.statements):
            yield Heading((Code(self.texts[index]),), 1)
            if statement.plan.output is None:
                yield Items((("refused: see the findings",),))
                continue
            yield from self._steps(index, statement, reasons)
            if several:
                yield Heading(("This statement, per device",))
                yield Table(tuple(self._times(statement, short=True)))
            if reasons:
                yield from self._alternatives(index)
        if all(statement.plan.output is None for statement in estimate.statements):
            return
        if several:
            yield Heading(("The whole plan",), 1)
        yield from self._total()
        if reasons:
            yield from self._compute_bound()
        yield from self.conventions()

    def _steps(self, index: int, statement: StatementEstimate, reasons: bool) -> Iterator[Block]:
        inferred = value_text(statement.plan.output) if statement.plan.output is not None else ""
        if not is_bare(statement.plan) and inferred not in self.texts[index]:
            yield Items((("the result is ", Code(inferred)),))
        if statement.steps:
            yield Heading(("Steps",))
        for number, step in enumerate(statement.steps, 1):
            yield StepBlock(str(number), Code(step.text), tuple(self._facts(step, reasons)))

    def _facts(self, step: StepEstimate, reasons: bool) -> Iterator[Fact]:
        if step.step.why and reasons:
            yield Fact("why", (step.step.why,))
        if step.kind in COLLECTIVES:
            yield self._fact("bytes", step.bytes, "bytes")
            yield self._fact("time", step.t_comms, "s")
        elif step.kind not in FREE_STEPS and step.kind != "Reshape":
            yield self._fact("FLOPs", step.flops, "FLOPs")
            if "math" in self.estimate.roofs:
                yield self._fact("time", step.t_math, "s", "arithmetic")
            if "hbm" in self.estimate.roofs:
                yield self._fact("", step.t_hbm, "s", "memory")

    def _fact(self, label: str, expr: Expr, unit: str, words: str = "") -> Fact:
        line: Line = (Math((expr,)), f"  ({words})") if words else (Math((expr,)),)
        return Fact(label, line, self._value(expr, unit))

    def _times(self, prices: Prices, short: bool = False) -> Iterator[tuple[Line, ...]]:
        """Yield a row for each roof that counts; the bounds in terms of them."""
        roofs = {"math": prices.t_math, "ici": prices.t_comms, "hbm": prices.t_hbm}
        names = {"math": "T_math", "ici": "T_comms", "hbm": "T_hbm"}
        counted = [roof for roof in ("math", "ici", "hbm") if roof in self.estimate.roofs]
        for roof in counted:
            yield self._priced(names[roof], roofs[roof], "s")
        used = [Symbol(names[roof]) for roof in counted if roofs[roof] != 0]
        if len(used) > 1 and not short:
            yield self._bound("T_lower", "max", used, prices.t_lower, "everything overlaps")
            yield self._bound("T_upper", "sum", used, prices.t_upper, "nothing overlaps")

    def _bound(self, name: str, how: str, used: list[Symbol], expr: Expr, words: str) -> tuple[Line, ...]:
        parts: list[Expr | str] = [Symbol(name), "="]
        for at, symbol in enumerate(used):
            parts += [*(["+"] if at and how == "sum" else [","] if at else []), symbol]
        if how == "max":
            parts = [*parts[:2], "max(", *parts[2:], ")"]
        return ((Math(tuple(parts[:1])),), (Math(tuple(parts[1:])),), (self._value(expr, "s"),), (words,))

    def _priced(self, name: str, expr: Expr, unit: str) -> tuple[Line, ...]:
        return ((Math((Symbol(name),)),), (Math(("=", expr)),), (self._value(expr, unit),), ("",))

    def _total(self) -> Iterator[Block]:
        estimate = self.estimate
        yield Heading(("Per device",))
        memory = self._priced("memory", estimate.memory, "bytes")
        flops = self._priced("FLOPs", estimate.flops, "FLOPs")
        yield Table((*([flops] if estimate.flops != 0 else []), *self._times(estimate), memory))

    def _compute_bound(self) -> Iterator[Block]:
        rows = list(self._conditions())
        if rows:
            yield Heading(("Compute-bound when",))
            yield Table(tuple(rows))

    def _conditions(self) -> Iterator[tuple[Line, ...]]:
        """Yield the conditions against the network in one row, if they fit there, and the one against HBM in another."""
        against: dict[str, list[Condition]] = {}
        for (first, second), condition in self.estimate.conditions():
            if first == "math":
                kind = "HBM" if second == "hbm" else "network"
                against.setdefault(kind, []).append(condition)
        for at, (kind, conditions) in enumerate(against.items()):
            label = f"against {kind}" if not at else f"and against {kind}"
            for row in self._rows(_whole(conditions)):
                line: list[Piece] = []
                for condition in row:
                    line += ["  and  "] if line else []
                    line.append(_condition_piece(condition))
                yield ((label,), tuple(line), self._thresholds(row))
                label = "  and"
                holds = [condition.holds(self.estimate.values) for condition in row]
                lefts = self._lefts(row)
                if None not in holds and lefts:
                    yield (("  here",), (lefts,), ("holds" if all(holds) else "does not hold",))

    def _rows(self, conditions: list[Condition]) -> list[list[Condition]]:
        """Return all conditions as one row, or each as its own where that is too long to read."""
        written = (self.printer.formula(side) for c in conditions for side in (c.left, c.right))
        return [conditions] if sum(map(len, written)) <= _ROW else [[condition] for condition in conditions]

    def _thresholds(self, conditions: list[Condition]) -> Line:
        """Return the numbers of the right sides, which are rates, and sizes beside them only where those are known."""
        line: list[Piece] = []
        sizes = self.estimate.size_symbols()
        for right in dict.fromkeys(c.right for c in conditions if c.left.free_symbols <= sizes):
            number = self.estimate.value(right)
            if number is not None and right.free_symbols - sizes:
                line += [", "] if line else []
                line.append(Math((right, "=", ratio(number))))
        return tuple(line)

    def _lefts(self, conditions: list[Condition]) -> str:
        """Return the numbers of the left sides that are known."""
        lefts = dict.fromkeys(condition.left for condition in conditions if condition.left.free_symbols)
        known = [(self.printer.formula(left), self.estimate.value(left)) for left in lefts]
        return ", ".join(f"{text} = {ratio(number)}" for text, number in known if number is not None)

    def _alternatives(self, index: int) -> Iterator[Block]:
        found = self.estimate.alternatives(index)
        if found:
            yield Heading(("Other correct plans; each wins where its T_math + T_comms is the smaller",))
        for letter, alternative in zip("abcdefghijklmnopqrstuvwxyz", found, strict=False):
            yield from self._alternative(letter, alternative)

    def _alternative(self, letter: str, alternative: AlternativeEstimate) -> Iterator[Block]:
        steps: list[tuple[Line, ...]] = []
        for step in alternative.prices.steps:
            label: Line = () if steps else (Strong(f"{letter})"),)
            steps.append((label, (Code(step.text),), (self._step_words(step.step),)))
        yield Table(tuple(steps))
        yield Table((*self._times(alternative.prices, short=True), self._wins(alternative)), inner=True)

    def _step_words(self, step: Step) -> str:
        return "free" if step.kind in FREE_STEPS else ""

    def _wins(self, alternative: AlternativeEstimate) -> tuple[Line, ...]:
        condition, here = alternative.wins_when, alternative.wins_here
        if condition.relation in ("always", "never"):
            return (("wins",), (condition.relation,), ("",))
        verdict = "" if here is None else "here" if here else "not here"
        if here is not None and condition.holds(self.estimate.values) not in (here, None):
            verdict += ", by the factors (N-1)/N"
        line: Line = ("when ", _condition_piece(condition))
        if len(self.printer.formula(condition.left) + self.printer.formula(condition.right)) > _READABLE:
            line = ("where its T_math + T_comms is the smaller",)
        return (("wins",), line, (verdict,), self._thresholds([condition]))

    def conventions(self) -> Iterator[Block]:
        """Yield what was assumed, and what the symbols stand for."""
        estimate = self.estimate
        rows: list[tuple[str, str]] = []
        hardware = estimate.pricer.machine.hardware
        if hardware is not None:
            rows.append(("hardware", f"{hardware.name} ({hardware.id})"))
        for sentence in estimate.assumptions:
            about, _, words = sentence.partition(": ")
            rows.append((f"axis {about}" if about in estimate.pricer.names.axes() else about, words))
        if any(step.kind in COLLECTIVES for statement in estimate.statements for step in statement.steps):
            rows += self._network_words()
        if rows:
            yield Heading(("Conventions",))
            yield Table(tuple(((label,), (words,)) for label, words in rows))
        if estimate.symbols:
            yield Heading(("Symbols",))
            yield Table(tuple(self._symbol(name) for name in self.printer.names if name in estimate.symbols))

    def _network_words(self) -> list[tuple[str, str]]:
        rows = [
            ("bytes", "of a collective: V, the array on each device, not divided by the axes that take part"),
            ("time", f"of a collective: model {self.estimate.model}, that is {self._form()}"),
        ]
        if len(self.estimate.groups) > 1:
            how = "add up" if self.estimate.comms == "sum" else "overlap"
            within = "; those of one statement add up" if len(self.estimate.statements) > 1 and how == "overlap" else ""
            rows.append(("comms", f"{self.estimate.comms}: collectives on different links {how}{within}"))
        if any(statement.plan.alternatives for statement in self.estimate.statements):
            rows.append(("plans", "compared by T_math + T_comms, the steps of a statement one after another"))
        return rows

    def _form(self) -> str:
        """Return the form of the times of the collectives that there are, in words."""
        machine = self.estimate.pricer.machine
        steps = [step for statement in self.estimate.statements for step in statement.steps]
        used = {axis for step in steps if step.kind in COLLECTIVES for axis in step.step.axes}
        kinds = {step.kind for step in steps}
        networks = {machine.network(axis).kind for axis in used}
        words = "V/W with the factor (N-1)/N"
        if self.estimate.model == "book":
            words = "V/W, without the factor (N-1)/N" + (" but on a line" if "line" in networks else "")
        if "AllReduce" in kinds:
            words += "; AllReduce twice that"
        if "AllToAll" in kinds:
            words += "; AllToAll V/(N·W)" if networks == {"node"} else "; AllToAll V/(4·W)"
        return words

    def _symbol(self, name: str) -> tuple[Line, ...]:
        info = self.estimate.symbols[name]
        value = next((v for symbol, v in self.estimate.values.items() if symbol.name == name), None)
        unit = {"byte/s": "bytes/s", "FLOP/s": "FLOPs/s", "s": "s"}.get(info.unit, "")
        shown = "" if value is None else quantity(value, unit)
        return ((Math((Symbol(name),)),), (shown,), (info.meaning,))

    def _value(self, expr: Expr, unit: str) -> str:
        value = self.estimate.value(expr)
        return "" if value is None or (expr.is_number and value == 0) else quantity(value, unit)


def ratio(number: float) -> str:
    """Return a ratio of rates or sizes for people: `2550`, and `1/2550` for what is less than a tenth."""
    return f"1/{plain_number(1 / number)}" if 0 < number < 0.1 else plain_number(number)


def _whole(conditions: list[Condition]) -> list[Condition]:
    """Return the conditions that say something: `always` only where nothing else is left."""
    if any(condition.relation == "never" for condition in conditions):
        return [condition for condition in conditions if condition.relation == "never"][:1]
    said = [condition for condition in conditions if condition.relation != "always"]
    return list(dict.fromkeys(said)) or conditions[:1]


def _condition_piece(condition: Condition) -> Piece:
    if condition.relation in ("always", "never"):
        return condition.relation
    return Math((condition.left, condition.relation, condition.right))
