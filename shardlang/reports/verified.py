"""What `shardlang.verify` says of each statement: which steps ran, the first that broke, and the bytes beside the formulas.

The attributes and the JSON are a contract, as those of `shardlang.reports.objects` are; the JSON is described by
`shardlang/schema/verify.json`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from sympy import Expr

from shardlang.cost.text import formula
from shardlang.reference.layout import Holding
from shardlang.reference.verdict import Broken, Moved, StatementVerdict, StepVerdict, Verdict
from shardlang.rules.text import value_text
from shardlang.semantics.sharding import dim_text
from shardlang.source import SourceText


class CaseReport(NamedTuple):
    """One run: the sizes of the mesh axes and of the dimensions."""

    mesh: dict[str, int]
    sizes: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return the run as an entry of `cases` in the JSON."""
        return {"mesh": self.mesh, "sizes": {dim_text(dim): size for dim, size in self.sizes.items()}}


class DeviceBytes(NamedTuple):
    """The bytes that one device sent and received in a collective. device: its coordinate on each mesh axis."""

    device: dict[str, int]
    sent: float
    received: float

    def to_dict(self) -> dict[str, Any]:
        """Return the device as an entry of `devices` in the JSON."""
        return {"device": self.device, "sent": self.sent, "received": self.received}


class RunBytes(NamedTuple):
    """The bytes of a collective in one run. value: what the formula gives for one device with the sizes of the run."""

    case: int
    value: float
    devices: tuple[DeviceBytes, ...]

    @property
    def sent(self) -> float:
        """The most that one device sent."""
        return max(one.sent for one in self.devices)

    @property
    def received(self) -> float:
        """The most that one device received."""
        return max(one.received for one in self.devices)

    def to_dict(self) -> dict[str, Any]:
        """Return the run as an entry of `runs` in the JSON."""
        devices = [device.to_dict() for device in self.devices]
        return {
            "case": self.case,
            "sent": self.sent,
            "received": self.received,
            "value": self.value,
            "devices": devices,
        }


class VerifiedStep(NamedTuple):
    """One step. ok: true where it ran and gave what it should, None where it was not reached.

    received, sent: bytes, the most of one device in the first run; 0 for a step without communication, None
    where it was not reached. formula: what the cost model says that a device receives, in the exact form, as SymPy
    would parse it. runs: the bytes of a collective in every run.
    """

    kind: str
    text: str
    ok: bool | None
    received: float | None
    sent: float | None
    formula: str
    runs: tuple[RunBytes, ...]
    expression: Expr

    def to_dict(self) -> dict[str, Any]:
        """Return the step as an entry of `steps` in the JSON."""
        return {
            "kind": self.kind,
            "text": self.text,
            "ok": self.ok,
            "received": self.received,
            "sent": self.sent,
            "formula": self.formula,
            "runs": [run.to_dict() for run in self.runs],
        }


class BlockReport(NamedTuple):
    """What one device should hold and what it holds of an array, as `[0:4, :]`. holds: None for numbers that are no block of it."""

    device: dict[str, int]
    ok: bool
    should: str
    holds: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the device as an entry of `blocks` in the JSON."""
        return self._asdict()


class BrokenReport(NamedTuple):
    """The first failure of a statement.

    case: the number of the run. step: the number of the step from zero, None where all steps ran but do not give
    what the statement says. text: that step. alternative: the other plan that broke, from zero, None for the one that
    was chosen. array: what the step should make. blocks: device by device; empty where the step made no blocks.
    """

    case: int
    step: int | None
    text: str | None
    alternative: int | None
    message: str
    array: str | None
    blocks: tuple[BlockReport, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the failure as `broken` in the JSON."""
        return {**self._asdict(), "blocks": [block.to_dict() for block in self.blocks]}


class VerifiedStatement(NamedTuple):
    """One statement. ok: true where every run gave the dense result, None where it was not run, and `reason` says why.

    others: how many other correct plans were run besides.
    """

    line: int
    output: str | None
    ok: bool | None
    reason: str | None
    steps: tuple[VerifiedStep, ...]
    others: int
    broken: BrokenReport | None

    def to_dict(self) -> dict[str, Any]:
        """Return the statement as an entry of `statements` in the JSON."""
        return {
            "line": self.line,
            "output": self.output,
            "ok": self.ok,
            "reason": self.reason,
            "steps": [step.to_dict() for step in self.steps],
            "others": self.others,
            "broken": None if self.broken is None else self.broken.to_dict(),
        }


def verified_cases(verdict: Verdict) -> tuple[CaseReport, ...]:
    """Return the runs of a verdict."""
    return tuple(CaseReport(dict(case.mesh), dict(case.sizes)) for case in verdict.cases)


def verified_statements(
    source: SourceText, verdict: Verdict, formulas: Sequence[Sequence[Expr]]
) -> tuple[VerifiedStatement, ...]:
    """Return the verdict on each statement; `formulas` has the bytes that a device receives in each step of each."""
    axes = tuple(tuple(case.mesh) for case in verdict.cases)
    pairs = zip(verdict.statements, formulas, strict=True)
    return tuple(_statement(source, statement, own, axes) for statement, own in pairs)


def _statement(
    source: SourceText, verdict: StatementVerdict, formulas: Sequence[Expr], axes: tuple[tuple[str, ...], ...]
) -> VerifiedStatement:
    planned = verdict.planned
    line = source.position(planned.statement.span.start).line
    output = None if planned.output is None else value_text(planned.output)
    steps = tuple(_step(step, own, axes) for step, own in zip(verdict.steps, formulas, strict=False))
    broken = None if verdict.broken is None else _broken(verdict, verdict.broken)
    return VerifiedStatement(line, output, verdict.ok, verdict.reason, steps, verdict.others, broken)


def _step(verdict: StepVerdict, expression: Expr, axes: tuple[tuple[str, ...], ...]) -> VerifiedStep:
    runs = tuple(_run(moved, axes[moved.case]) for moved in verdict.moved)
    received, sent = (runs[0].received, runs[0].sent) if runs else (0.0, 0.0)
    reached = verdict.ok is True or bool(runs)
    return VerifiedStep(
        verdict.step.kind,
        verdict.step.text,
        verdict.ok,
        received if reached else None,
        sent if reached else None,
        formula(expression),
        runs,
        expression,
    )


def _run(moved: Moved, axes: tuple[str, ...]) -> RunBytes:
    devices = tuple(
        DeviceBytes(dict(zip(axes, device, strict=True)), float(sent), float(moved.received.get(device, Fraction(0))))
        for device, sent in moved.sent.items()
    )
    return RunBytes(moved.case, float(moved.said), devices)


def _broken(verdict: StatementVerdict, broken: Broken) -> BrokenReport:
    failure = broken.failure
    names = [other.name for other in verdict.planned.alternatives]
    return BrokenReport(
        broken.case,
        failure.step_number,
        None if failure.step is None else failure.step.text,
        None if failure.alternative is None else names.index(failure.alternative),
        failure.message,
        None if failure.step is None else value_text(failure.step.result),
        tuple(_block(held) for held in failure.held),
    )


def _block(held: Holding) -> BlockReport:
    return BlockReport(dict(held.device), held.ok, held.should, held.holds)
