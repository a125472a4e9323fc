"""What `shardlang.check` gives back: plain values, each with the JSON it stands for.

The attributes and the JSON are a contract with programs that embed shardlang: `"schema": 1`, described by
`shardlang/schema/*.json`. Fields may be added; none is renamed or removed within a schema.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from shardlang.diagnostics import Diagnostic, Fix
from shardlang.reports.corrections import corrected, full_title
from shardlang.reports.showing import count, in_short, printed
from shardlang.reports.units import quantity
from shardlang.source import SourceText, Span

if TYPE_CHECKING:
    from shardlang.reports.shown import Shown

SCHEMA = 1


class Place(NamedTuple):
    """Where a finding is: lines and columns count from one, in characters of the text as typed; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class FixReport(NamedTuple):
    """A fix that has been checked. `text`: the lines that it touches, as they then read; empty where it removes them.

    Of lines over 200 characters it is the statements instead, and where these have over 1,000 the part around the change, with `…`
    where it is cut.

    title: what it does, what the statement then takes, and whether that was run. collectives: in short, None where
    the fix is not about communication. bytes_received: by one device, at most, exact; None while a size is open.
    time: of the collectives one after another in seconds, None where the hardware or a size is open. executed: true
    where the text with the fix made was run on a simulated mesh and is right, None where it was not run.
    """

    title: str
    text: str
    collectives: tuple[str, ...] | None = None
    bytes_received: float | None = None
    time: float | None = None
    executed: bool | None = None
    safe: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return the fix as an entry of `fixes` in the JSON."""
        return {
            "title": self.title,
            "text": self.text,
            "collectives": None if self.collectives is None else list(self.collectives),
            "bytes_received": self.bytes_received,
            "time": self.time,
            "executed": self.executed,
            "safe": self.safe,
        }


class Finding(NamedTuple):
    """One finding. severity: `error`, `warning` or `info`.

    `fixes` have been checked, the best first. `hint` is the text of the first one, ready to paste; without a fix, or
    where that text is cut, it is advice in words, or None.
    """

    code: str
    severity: str
    message: str
    hint: str | None
    span: Place
    fixes: tuple[FixReport, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as the `diagnostics` entry of the JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
            "fixes": [fix.to_dict() for fix in self.fixes],
            **self.span._asdict(),
        }


class StepReport(NamedTuple):
    """One step of a plan. `bytes_received` is the most that one device receives, None while a size is open."""

    kind: str
    axes: tuple[str, ...]
    dims: tuple[str, ...]
    text: str
    bytes_received: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the step as an entry of `steps` in the JSON."""
        return {
            "kind": self.kind,
            "axes": list(self.axes),
            "dims": list(self.dims),
            "text": self.text,
            "bytes_received": self.bytes_received,
        }


class AlternativeReport(NamedTuple):
    """Another correct sequence of steps, and when it is cheaper than the plan and the best of all (see `rules.plan`).

    compared_by: `time` (T_math + T_comms) or `bytes` (those that a device receives): what cheaper means.
    """

    steps: tuple[StepReport, ...]
    wins_when: str | None
    best_when: str | None = None
    example: tuple[tuple[str, int], ...] = ()
    compared_by: str = "bytes"

    def to_dict(self) -> dict[str, Any]:
        """Return the alternative as an entry of `alternatives` in the JSON."""
        return {
            "steps": [step.to_dict() for step in self.steps],
            "wins_when": self.wins_when,
            "best_when": self.best_when,
            "example": dict(self.example),
            "compared_by": self.compared_by,
        }


class StatementReport(NamedTuple):
    """The plan of one statement. `output` is canonical text; None, with no steps, where the statement was refused.

    `span` is its place in the source, in characters; it is not in the JSON.
    """

    line: int
    output: str | None
    steps: tuple[StepReport, ...]
    alternatives: tuple[AlternativeReport, ...]
    span: Span = Span(0, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the statement as an entry of `statements` in the JSON."""
        return {
            "line": self.line,
            "output": self.output,
            "steps": [step.to_dict() for step in self.steps],
            "alternatives": [alternative.to_dict() for alternative in self.alternatives],
        }


class CheckReport(NamedTuple):
    """What `check` found. `ok` is true where no finding is an error.

    `statements` are the operations; `arrays` those that stand alone, which have no steps and are not in the JSON.
    `source` and `findings` are the text and the findings as data, for renderers that draw into the text.
    """

    ok: bool
    diagnostics: tuple[Finding, ...]
    statements: tuple[StatementReport, ...]
    source: SourceText
    findings: tuple[Diagnostic, ...] = ()
    arrays: tuple[StatementReport, ...] = ()

    def in_order(self) -> tuple[StatementReport, ...]:
        """Return operations and arrays that stand alone in the order of the text."""
        return tuple(sorted((*self.statements, *self.arrays), key=lambda one: (one.line, one.span.start)))

    def _shown(self) -> "tuple[Shown, ...]":
        from shardlang.reports.shown import Shown  # only a notebook asks for it

        return tuple(
            Shown(
                statement.line,
                statement.output,
                tuple(
                    (step.text, quantity(step.bytes_received, "bytes") if step.bytes_received else "")
                    for step in statement.steps
                ),
            )
            for statement in self.in_order()
        )

    def __str__(self) -> str:
        """Return findings, steps and the verdict as text."""
        from shardlang.reports.summary import check_summary, step_listing

        steps = "\n".join(part for part in (step_listing(self), check_summary(self)) if part)
        return printed(((self.source, self.findings),), steps)

    def __repr__(self) -> str:
        return in_short(self, self.source, self.findings, count(len(self.in_order()), "statement"))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        from shardlang.reports.shown import check_html

        return check_html(self.source, self.findings, self._shown())

    def _repr_markdown_(self) -> str:
        from shardlang.reports.shown import check_markdown

        return check_markdown(self.source, self.findings, self._shown())

    def _repr_latex_(self) -> str:
        from shardlang.reports.shown import check_latex

        return check_latex(self.source, self.findings, self._shown())

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/check.json`)."""
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "diagnostics": [finding.to_dict() for finding in self.diagnostics],
            "statements": [statement.to_dict() for statement in self.statements],
        }


def finding_report(source: SourceText, finding: Diagnostic) -> Finding:
    """Return the finding with its place as lines and columns."""
    start, end = source.position(finding.span.start), source.position(finding.span.end)
    place = Place(start.line, start.column, end.line, end.column)
    fixes = tuple(_fix_report(source, fix) for fix in finding.fixes)
    return Finding(finding.code, finding.severity, finding.message, finding.hint, place, fixes)


def _fix_report(source: SourceText, fix: Fix) -> FixReport:
    made = FixReport(full_title(fix), corrected(source, fix).text, executed=fix.executed, safe=fix.safe)
    if fix.price is None:
        return made
    price = fix.price
    return made._replace(collectives=price.collectives, bytes_received=price.bytes_received, time=price.seconds)


def finding_reports(source: SourceText, findings: tuple[Diagnostic, ...]) -> tuple[Finding, ...]:
    """Return all findings with their places."""
    return tuple(finding_report(source, finding) for finding in findings)
