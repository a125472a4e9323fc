"""The derivation of a plan: what `explain` says, as blocks."""

from collections.abc import Iterator, Mapping

from sympy import Add, Expr, Max, Symbol

from shardlang.cost.conditions import Condition
from shardlang.cost.estimate import AlternativeEstimate, Estimate, link_roofs
from shardlang.cost.names import SymbolInfo
from shardlang.cost.pricer import StepEstimate
from shardlang.cost.prices import Prices, StatementEstimate, is_bare
from shardlang.pricing.collectives import NODE
from shardlang.pricing.hardware import DERIVED
from shardlang.pricing.networks import HOPS, Part
from shardlang.pricing.roofs import DEFAULT_ROOFS, NETWORK, ROOFS, roof_of
from shardlang.reports.comparisons import condition_piece, here, thresholds
from shardlang.reports.document import Block, Code, Fact, Heading, Items, Line, Math, Piece, StepBlock, Strong, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.printed import Priced
from shardlang.reports.units import quantity
from shardlang.rules.plan import COLLECTIVES, FREE_STEPS, Step
from shardlang.rules.text import value_text
from shardlang.semantics.topology import TORUS

_ROW = 44  # columns of conditions side by side
_SUMS = 4  # arguments of a maximum; more are counted, not printed
_SHOWN = 4  # other plans of a statement in print
_SERIAL = Symbol("T_comms_sum")
_READABLE = 80  # columns of one condition; a longer one says less than the words


class Derivation:
    """Writes the blocks of one report. `texts` has the canonical text of each statement, `printer` prints plain text."""

    def __init__(self, cost: Priced, texts: tuple[str, ...], printer: FormulaPrinter) -> None:
        self.cost = cost
        self.estimate = cost.estimate
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
                if NETWORK in estimate.roofs and len(link_roofs(statement.steps, estimate.pricer)) > 1:
                    yield Items((("T_comms: its collectives one after another",),))
            if reasons:
                yield from self._alternatives(index)
        if all(statement.plan.output is None for statement in estimate.statements):
            return
        if several or self.cost.refused:
            yield Heading((whole_plan(self.cost),), 1)
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
            yield self._fact("bytes", step.bytes, "bytes", "", "bytes" in step.shortened)
            yield self._fact("time", step.t_comms, "s", "", "t_comms" in step.shortened)
        elif step.kind not in FREE_STEPS and step.kind != "Reshape":
            yield self._fact("FLOPs", step.flops, "FLOPs", "", "flops" in step.shortened)
            label = "time"
            for roof, seconds in step.times.items():
                if roof in self.estimate.roofs:
                    kind = ROOFS[roof]
                    yield self._fact(label, seconds, "s", kind.beside, kind.field in step.shortened)
                    label = ""

    def _fact(self, label: str, expr: Expr, unit: str, words: str = "", shortened: bool = False) -> Fact:
        piece = Math(("≈", expr) if shortened else (expr,))
        return Fact(label, (piece, f"  ({words})") if words else (piece,), self._value(expr, unit))

    def _times(self, prices: Prices, short: bool = False) -> Iterator[tuple[Line, ...]]:
        """Yield a row for each roof that counts; the bounds in terms of them.

        short: of a statement or another plan for one, whose collectives come one after another.
        """
        counted = [roof for roof in ROOFS if roof in self.estimate.roofs]
        apart = NETWORK in counted and prices.t_comms != prices.t_comms_sum
        words = {NETWORK: "different links overlap"} if apart else {}
        used: dict[str, Symbol] = {}
        for roof in counted:
            kind, seconds = ROOFS[roof], prices.times[roof]
            yield self._priced(kind.time, seconds, "s", kind.field in prices.shortened, words.get(roof, ""))
            if seconds != 0:
                used[roof] = Symbol(kind.time)
            if roof == NETWORK and apart:
                rough = "t_comms_sum" in prices.shortened
                yield self._priced(_SERIAL.name, prices.t_comms_sum, "s", rough, "one collective after another")
        if not short and (len(used) > 1 or apart):
            serial = [_SERIAL if roof == NETWORK and apart else symbol for roof, symbol in used.items()]
            yield self._bound("T_lower", "max", list(used.values()), prices.t_lower, "everything overlaps")
            yield self._bound("T_upper", "sum", serial, prices.t_upper, "nothing overlaps")

    def _bound(self, name: str, how: str, used: list[Symbol], expr: Expr, words: str) -> tuple[Line, ...]:
        parts: list[Expr | str] = [Symbol(name), "="]
        for at, symbol in enumerate(used):
            parts += [*(["+"] if at and how == "sum" else [","] if at else []), symbol]
        if how == "max" and len(used) > 1:
            parts = [*parts[:2], "max(", *parts[2:], ")"]
        return ((Math(tuple(parts[:1])),), (Math(tuple(parts[1:])),), (self._value(expr, "s"),), (words,))

    def _priced(self, name: str, expr: Expr, unit: str, shortened: bool = False, words: str = "") -> tuple[Line, ...]:
        sign = "≈" if shortened else "="
        return ((Math((Symbol(name),)),), (Math((sign, expr)),), (self._value(expr, unit),), (words,))

    def _total(self) -> Iterator[Block]:
        estimate = self.estimate
        yield Heading(("Per device",))
        flops = self._priced("FLOPs", estimate.flops, "FLOPs", "flops" in estimate.shortened)
        yield Table((*([flops] if estimate.flops != 0 else []), *self._times(estimate), self._memory()))

    def _memory(self) -> tuple[Line, ...]:
        """Return the row of the memory: what is alive at its largest where that is known, else the maximum over steps."""
        most, shortened = self.estimate.peak, "memory" in self.estimate.shortened
        largest = next((arg for arg in Add.make_args(most.bytes) if isinstance(arg, Max)), None)
        several = len(self.estimate.statements) > 1
        if most.at is not None and most.step is not None and most.there is not None and largest is not None:
            name, row, value, _ = self._priced("memory", most.there, "bytes", shortened)
            place = f"line {self.cost.lines[most.at]}" if several else f"step {most.step + 1}"
            return (name, row, value, (f"the largest, at {place}",))
        if largest is None or len(largest.args) <= _SUMS or not several:
            return self._priced("memory", most.bytes, "bytes", shortened)
        words = f"the largest of {len(largest.args)} sums; sizes decide which, and JSON has them all"
        return ((Math((Symbol("memory"),)),), (words,))

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
                kind = ROOFS[roof_of(second)].words.removeprefix("the ")
                against.setdefault(kind, []).append(condition)
        for at, (kind, conditions) in enumerate(against.items()):
            label = f"against {kind}" if not at else f"and against {kind}"
            for row in self._rows(_whole(conditions)):
                line: list[Piece] = []
                for condition in row:
                    line += ["  and  "] if line else []
                    line.append(condition_piece(condition))
                yield ((label,), tuple(line), thresholds(self.estimate, row))
                label = "  and"
                yield from here(self.estimate, row)

    def _rows(self, conditions: list[Condition]) -> list[list[Condition]]:
        """Return all conditions as one row, or each as its own where that is too long to read."""
        written = (self.printer.formula(side) for c in conditions for side in (c.left, c.right))
        return [conditions] if sum(map(len, written)) <= _ROW else [[condition] for condition in conditions]

    def _alternatives(self, index: int) -> Iterator[Block]:
        found = self.estimate.alternatives(index)
        if found:
            price = "its T_math + T_comms is the smaller" if found[0].timed else "a device receives fewer bytes"
            serial = ", its collectives one after another" if found[0].timed else ""
            yield Heading((f"Other correct plans; each wins where {price}{serial}",))
        for letter, alternative in zip("abcdefghijklmnopqrstuvwxyz"[:_SHOWN], found, strict=False):
            yield from self._alternative(letter, alternative)
        if len(found) > _SHOWN:
            rest = len(found) - _SHOWN
            yield Items(((f"and {rest} more, each for other sizes: --format json has all of them",),))

    def _alternative(self, letter: str, alternative: AlternativeEstimate) -> Iterator[Block]:
        steps: list[tuple[Line, ...]] = []
        for step in alternative.prices.steps:
            label: Line = () if steps else (Strong(f"{letter})"),)
            steps.append((label, (Code(step.text),), (self._step_words(step.step),)))
        yield Table(tuple(steps))
        yield Table((*self._times(alternative.prices, short=True), *self._verdicts(alternative)), inner=True)

    def _step_words(self, step: Step) -> str:
        return "free" if step.kind in FREE_STEPS else ""

    def _verdicts(self, alternative: AlternativeEstimate) -> Iterator[tuple[Line, ...]]:
        """Yield when it wins, when it is the best of all where that says more, and when it is faster."""
        yield self._wins(alternative)
        best = alternative.best_when
        if not alternative.example and best:
            yield (("best",), ("no sizes are known at which it is, nor a proof that there are none",), ("",))
        elif best and best != (alternative.wins_when,):
            line: list[Piece] = ["when "]
            for at, condition in enumerate(best):
                line += [" and ", condition_piece(condition)] if at else [condition_piece(condition)]
            if sum(self._length(condition) for condition in best) > _READABLE:
                line = ["where it is cheaper than every other plan here"]
            yield (("best",), tuple(line), ("",))
        if not alternative.timed and alternative.faster_when != alternative.wins_when:
            yield self._condition("faster", alternative.faster_when, "where its T_math + T_comms is the smaller")

    def _wins(self, alternative: AlternativeEstimate) -> tuple[Line, ...]:
        condition, wins = alternative.wins_when, alternative.wins_here
        verdict = "" if wins is None else "here" if wins else "not here"
        if wins is not None and condition.holds(self.estimate.values) not in (wins, None):
            verdict += " in the exact form"
        return self._condition("wins", condition, "where it is cheaper than the plan above", verdict)

    def _condition(self, label: str, condition: Condition, words: str, verdict: str = "") -> tuple[Line, ...]:
        if condition.relation in ("always", "never"):
            return ((label,), (condition.relation,), ("",))
        line: Line = ("when ", condition_piece(condition))
        if self._length(condition) > _READABLE:
            line = (words,)
        return ((label,), line, (verdict,), thresholds(self.estimate, [condition]))

    def _length(self, condition: Condition) -> int:
        return len(self.printer.formula(condition.left) + self.printer.formula(condition.right))

    def conventions(self, symbols: bool = True) -> Iterator[Block]:
        """Yield what was assumed, and what the symbols stand for (`symbols`)."""
        estimate = self.estimate
        rows: list[tuple[str, str]] = []
        hardware = estimate.pricer.machine.hardware
        if hardware is not None:
            rows.append(("hardware", f"{hardware.name} ({hardware.id})"))
        axes = [network.name for network in estimate.pricer.machine.networks]
        for sentence in estimate.assumptions:
            about, _, words = sentence.partition(": ")
            rows.append((f"axis {about}" if about in axes else about, words))
        if any(step.kind in COLLECTIVES for statement in estimate.statements for step in statement.steps):
            rows += self._network_words()
        rows += self._roof_words()
        if rows:
            yield Heading(("Conventions",))
            yield Table(tuple(((label,), (words,)) for label, words in rows))
        if estimate.symbols and symbols:
            yield Heading(("Symbols",))
            yield symbol_table(estimate, estimate.symbols, self.printer)

    def _network_words(self) -> list[tuple[str, str]]:
        rows = [
            ("bytes", "of a collective: V, the array on each device, not divided by the axes that take part"),
            ("time", f"of a collective: model {self.estimate.model}, that is {self._form()}"),
        ]
        if self.estimate.pricer.machine.layered:
            rows.append(
                ("levels", "devices share the link of the node or slice that they are in; the slowest level counts")
            )
        rows += self._latency_words()
        rows += self._sparse_words()
        if len(self.estimate.groups) > 1:
            how = "add up" if self.estimate.comms == "sum" else "overlap"
            parts = len(self.estimate.statements) > 1 or any(s.plan.alternatives for s in self.estimate.statements)
            within = "; those of one statement add up" if parts and how == "overlap" else ""
            rows.append(("comms", f"{self.estimate.comms}: collectives on different links {how}{within}"))
        compared = {other.timed for statement in self.estimate.statements for other in statement.plan.alternatives}
        rows += [("plans", self._plan_words(timed)) for timed in sorted(compared, reverse=True)]
        return rows

    def _roof_words(self) -> Iterator[tuple[str, str]]:
        """Yield what is said of the roofs that are not the usual ones, and of what is assumed."""
        hardware = self.estimate.pricer.machine.hardware
        for roof in self.estimate.roofs:
            kind = ROOFS[roof]
            if roof in DEFAULT_ROOFS or kind.rate is None:
                continue
            words, rule = (
                f"arrays stream from or to {kind.words}: the bytes of T_hbm, at {kind.rate}",
                DERIVED.get(kind.rate),
            )
            if hardware is not None and rule is not None and rule.kind == hardware.kind:
                words += f", which is {rule.times:g} times {rule.symbol} where nothing else is said"
            yield (kind.time, words)
        if (assumed := self.estimate.pricer.assumed) is not None:
            yield ("assuming", f"{'; '.join(assumed.texts)}: only leading terms")

    def _plan_words(self, timed: bool) -> str:
        if timed:
            return "compared by T_math + T_comms with the factor (N-1)/N, the steps of a statement one after another"
        words = "compared by the bytes that a device receives, with the factor (N-1)/N; then by collectives and FLOPs"
        machine = self.estimate.pricer.machine
        if machine.hardware is None:
            return words
        known = machine.figures(machine.networks) is not None
        why = "an open size decides which links an axis gets" if known else f"{machine.hardware.name} lacks a figure"
        return f"{words}; not by time, as {why}"

    def _latency_words(self) -> list[tuple[str, str]]:
        found = self.estimate.pricer.names.hardware()
        names = ((name, found[name]) for name in ("T_min", *HOPS.values()) if name in found)
        hops = [(name, symbol) for name, symbol in names if symbol.name in self.estimate.symbols]
        if not hops:
            return []
        named = " or ".join(symbol.name for _, symbol in hops)
        words = f"{named} for each hop to the farthest device, where that is longer than V/W"
        hardware = self.estimate.pricer.machine.hardware
        whose = f" of {hardware.name}" if hardware is not None else ""
        for name, symbol in hops:
            if self.estimate.value(symbol) is None:
                which = symbol.name if len(hops) > 1 else "it"
                words += f"; no figure{whose} is known, so {which} stays a symbol (--set {name}=1e-6 gives one)"
        return [("latency", words)]

    def _sparse_words(self) -> list[tuple[str, str]]:
        top_k = self.estimate.pricer.rates.top_k
        steps = (step for statement in self.estimate.statements for step in statement.steps)
        if top_k is None or all(step.kind != "AllToAll" for step in steps):
            return []
        k = top_k.name
        words = f"each row goes to {k} of the N parts of a level: an AllToAll takes min({k}/N, 1) of the time of the dense V"
        return [("top-k", f"{words}; plans are chosen by the dense one")]

    def _form(self) -> str:
        """Return the form of the times of the collectives that there are, in words."""
        steps = [step for statement in self.estimate.statements for step in statement.steps if step.kind in COLLECTIVES]
        kinds = {step.kind for step in steps}
        levels = [self._levels(step.step) for step in steps]
        used = {part.kind for parts in levels for part in parts}
        words = "V/W with the factor (N-1)/N"
        if self.estimate.model == "book" and used != {NODE}:
            several = any(len({part.kind for part in parts} - set(TORUS)) > 1 for parts in levels)
            places = [place for kind, place in (("line", "on a line"), (NODE, "in a node")) if kind in used]
            places += ["over several levels"] * several
            words = "V/W, without the factor (N-1)/N" + (f" but {' and '.join(places)}" if places else "")
        if "AllReduce" in kinds:
            words += "; AllReduce twice that"
            words += ", but once that where switches add up" if any(p.reduces for ps in levels for p in ps) else ""
        if "AllToAll" in kinds:
            words += "; AllToAll V/(4·W)" if used & set(TORUS) else "; AllToAll V/(N·W) with it"
        return words

    def _levels(self, step: Step) -> list[Part]:
        """Return the levels that a collective runs over."""
        machine = self.estimate.pricer.machine
        return [part for axis in step.axes for part in machine.network(axis).levels]

    def _value(self, expr: Expr, unit: str) -> str:
        value = self.estimate.value(expr)
        return "" if value is None or (expr.is_number and value == 0) else quantity(value, unit)


def symbol_table(estimate: Estimate, symbols: Mapping[str, SymbolInfo], printer: FormulaPrinter) -> Table:
    """Return the table of some symbols: name, value where it is known, meaning."""
    values = {symbol.name: value for symbol, value in estimate.values.items()}
    rows = []
    for name in (name for name in printer.names if name in symbols):
        unit = {"byte/s": "bytes/s", "FLOP/s": "FLOPs/s", "s": "s", "byte": "bytes"}.get(symbols[name].unit, "")
        shown = quantity(values[name], unit) if name in values else ""
        rows.append(((Math((Symbol(name),)),), (shown,), (symbols[name].meaning,)))
    return Table(tuple(rows))


def whole_plan(cost: Priced) -> str:
    """Return the heading of the totals; it says so where they leave statements out."""
    if not cost.refused:
        return "The whole plan"
    return f"The plan without the {cost.refused} refused statement{'s' if cost.refused > 1 else ''}"


def _whole(conditions: list[Condition]) -> list[Condition]:
    """Return the conditions that say something: `always` only where nothing else is left."""
    if any(condition.relation == "never" for condition in conditions):
        return [condition for condition in conditions if condition.relation == "never"][:1]
    said = [condition for condition in conditions if condition.relation != "always"]
    return list(dict.fromkeys(said)) or conditions[:1]
