"""What `shardlang.memory` gives back: the arrays of a text, the peak, whether it fits, and its JSON."""

from typing import Any, NamedTuple

from sympy import Expr, Max

from shardlang.cost.fitting import Limit, Verdict, judge
from shardlang.cost.names import SymbolInfo
from shardlang.cost.residence import Amount, ArrayMemory, Residence
from shardlang.cost.text import formula
from shardlang.diagnostics import Diagnostic
from shardlang.reports.costs import CostReport, texts_of
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.objects import SCHEMA, Finding
from shardlang.reports.pages import Page
from shardlang.reports.printed import symbol_kinds
from shardlang.reports.showing import count, in_short, printed
from shardlang.rules.text import value_text
from shardlang.source import SourceText

_UNITS = {
    "elements": "elements",
    "local_elements": "elements",
    "bytes": "bytes",
    "whole": "bytes",
    "everywhere": "bytes",
}
_ROOM = 1_000  # columns: a notebook breaks the lines of a table itself
_KEYS = {  # of the JSON, which has to say what an attribute is of
    "elements": "elements",
    "local_elements": "elements_per_device",
    "bytes": "bytes_per_device",
    "whole": "bytes_one_copy",
    "everywhere": "bytes_all_devices",
}


class MemoryReport(NamedTuple):
    """The memory of a plan: `arrays`, `resident`, `peak`, as SymPy expressions; `fits` and `limits` against the chip.

    `ok` is true where no finding is an error. `cost` is the estimate behind it; limits: by what they are of, `peak` and
    (where it is another formula) `resident`; empty where no variable was given.
    """

    ok: bool
    diagnostics: tuple[Finding, ...]
    cost: CostReport
    residence: Residence
    findings: tuple[Diagnostic, ...] = ()
    variable: str | None = None
    limits: tuple[tuple[str, Limit], ...] = ()

    @property
    def source(self) -> SourceText:
        """The text."""
        return self.cost.source

    @property
    def arrays(self) -> tuple[ArrayMemory, ...]:
        """The arrays that the text declares, lists, uses as inputs or makes, in its order; each has `amount`, `shape`, `pieces`."""
        return self.residence.arrays

    @property
    def resident(self) -> Amount:
        """All that is there before the first statement: elements and bytes."""
        return self.residence.resident

    @property
    def peak(self) -> Expr:
        """Bytes of one device: the most that is there at once."""
        return self.residence.most.bytes

    @property
    def fits(self) -> bool | None:
        """Whether the peak fits into the HBM of a chip; None while a size or the chip is open."""
        return self.verdict.fits

    @property
    def verdict(self) -> Verdict:
        """The peak against the HBM of a chip; where statements were refused, it is known only that too much does not fit."""
        found = judge(self.peak, self.cost.estimate)
        return found._replace(fits=None, share=None) if self.cost.refused and found.fits else found

    @property
    def symbols(self) -> dict[str, SymbolInfo]:
        """The symbols that occur, by printed name."""
        amounts = [self.resident, *(array.amount for array in self.arrays)]
        formulas = [
            self.peak,
            self.residence.devices,
            self.residence.capacity,
            *(expr for amount in amounts for expr in amount),
        ]
        formulas += [limit.threshold for _, limit in self.limits if limit.threshold is not None]
        seen = {symbol.name for expr in formulas for symbol in expr.free_symbols}
        return {name: info for name, info in self.cost.estimate.pricer.names.table.items() if name in seen}

    def value(self, expr: Expr) -> float | None:
        """Return the number of a formula, None while a size is open."""
        return self.cost.value(expr)

    def line(self, array: ArrayMemory) -> int:
        """Return the line where an array stands first."""
        return self.source.position(array.statement.span.start).line

    @property
    def peak_place(self) -> tuple[int, int] | None:
        """The line of the statement at the peak, and the number of its step from one (also of one without steps); None where no statement has steps."""
        at, step = self.residence.most.at, self.residence.most.step
        return None if at is None or step is None else (self.cost.lines[at], step + 1)

    @property
    def several_peaks(self) -> bool:
        """Whether open sizes decide which step is the largest."""
        return self.residence.alive is None and self.peak.has(Max)

    def __str__(self) -> str:
        """Return findings, arrays, peak and what fits as text."""
        from shardlang.reports.memory_text import memory_text

        return printed(texts_of(self.cost), memory_text(self))

    def __repr__(self) -> str:
        return in_short(self, self.source, self.findings, count(len(self.arrays), "array"))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return self._page().html()

    def _repr_markdown_(self) -> str:
        return self._page().markdown()

    def _repr_latex_(self) -> str:
        return self._page().latex()

    def _page(self) -> Page:
        from shardlang.reports.memory_text import memory_blocks  # only a notebook asks for it

        kinds = symbol_kinds(self.cost.estimate)
        return Page(texts_of(self.cost), memory_blocks(self, FormulaPrinter(kinds), _ROOM), kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/memory.json`)."""
        verdict = self.verdict
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "partial": self.cost.refused > 0,
            "diagnostics": [finding.to_dict() for finding in self.diagnostics],
            "arrays": [self._array(array) for array in self.arrays],
            "resident": self._amount(self.resident),
            "peak": self._peak(),
            "devices": self.cost.quantity(self.residence.devices, ""),
            "capacity": self.cost.quantity(verdict.capacity, "bytes"),
            "fits": verdict.fits,
            "share": verdict.share,
            "limits": [self._limit(of, limit) for of, limit in self.limits],
            "symbols": {name: info.text for name, info in self.symbols.items()},
        }

    def _array(self, array: ArrayMemory) -> dict[str, Any]:
        return {
            "line": self.line(array),
            "array": value_text(array.value),
            "name": array.value.name,
            "dtype": array.dtype,
            "role": array.role,
            "resident": array.resident,
            "local_shape": [self.cost.quantity(length, "elements") for length in array.shape],
            "pieces": self.cost.quantity(array.pieces, ""),
            **self._amount(array.amount),
        }

    def _amount(self, amount: Amount) -> dict[str, Any]:
        return {_KEYS[name]: self.cost.quantity(getattr(amount, name), unit) for name, unit in _UNITS.items()}

    def _peak(self) -> dict[str, Any]:
        alive, place = self.residence.alive, self.peak_place
        return {
            **self.cost.quantity(self.peak, "bytes"),
            "line": None if place is None else place[0],
            "step": None if place is None else self.peak_step,
            "alive": None
            if alive is None
            else [
                {"array": value_text(value), "bytes_per_device": self.cost.quantity(held, "bytes")}
                for value, held in alive
            ],
        }

    @property
    def peak_step(self) -> str | None:
        """The step at the peak as canonical text, None where there is no such step: a statement may have nothing to do."""
        at, step = self.residence.most.at, self.residence.most.step
        steps = () if at is None else self.cost.statements[at].steps
        return steps[step].text if step is not None and step < len(steps) else None

    def _limit(self, of: str, limit: Limit) -> dict[str, Any]:
        return {
            "for": limit.variable,
            "of": of,
            "relation": limit.relation,
            "formula": None if limit.threshold is None else formula(limit.threshold),
            "value": limit.value,
            "whole": limit.whole,
            "divisible": limit.divisible,
            "replanned_bytes": limit.replanned,
            "exact": limit.exact,
            "requires": [condition.text for condition in limit.requires],
            "requires_hold": [condition.holds(self.cost.estimate.values) for condition in limit.requires],
        }
