"""What `shardlang.verify` gives back, and its text: verdicts, bytes beside formulas, a picture of the mesh."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.reports.cells import pad, safe, safe_name, width
from shardlang.reports.colour import Paint, plain
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.objects import SCHEMA, Finding
from shardlang.reports.showing import count, in_short, printed
from shardlang.reports.summary import count_text
from shardlang.reports.units import plain_number
from shardlang.reports.verified import (
    BlockReport,
    BrokenReport,
    CaseReport,
    RunBytes,
    VerifiedStatement,
    VerifiedStep,
)
from shardlang.source import SourceText

_MARKS = {True: ("ok", "help"), False: ("breaks", "error"), None: ("-", "dim")}
_GAP = "   "
_MOST_LISTED = 8
_WIDEST = 120


class VerifyReport(NamedTuple):
    """What `verify` found. `ok` is true where no finding is an error and every statement that was not refused was run and is right.

    `source` and `findings` are the text and the findings as data, `kinds` the kind of each symbol of the formulas,
    for renderers.
    """

    ok: bool
    diagnostics: tuple[Finding, ...]
    cases: tuple[CaseReport, ...]
    statements: tuple[VerifiedStatement, ...]
    source: SourceText
    findings: tuple[Diagnostic, ...]
    kinds: Mapping[str, str]

    def __str__(self) -> str:
        """Return findings, verdicts and runs as text."""
        return printed(((self.source, self.findings),), verify_text(self))

    def __repr__(self) -> str:
        right = sum(statement.ok is True for statement in self.statements)
        return in_short(
            self, self.source, self.findings, f"{right} of {count(len(self.statements), 'statement')} right"
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values (`shardlang/schema/verify.json`)."""
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "diagnostics": [finding.to_dict() for finding in self.diagnostics],
            "cases": [case.to_dict() for case in self.cases],
            "statements": [statement.to_dict() for statement in self.statements],
        }


def verify_text(report: VerifyReport, paint: Paint = plain, *, count_bytes: bool = False) -> str:
    """Return the steps of every statement with what came of them, and the closing lines.

    count_bytes: under each collective what the devices sent and received in every run, beside the formula.
    """
    out: list[str] = []
    for statement in report.statements:
        out += _statement(statement, report, paint, count_bytes)
    out.append(_summary(report, paint))
    ran = any(statement.ok is not None for statement in report.statements)
    out += [f"  {line}" for line in _case_lines(report.cases)] if ran else []
    return "\n".join(line.rstrip() for line in out)


def _statement(statement: VerifiedStatement, report: VerifyReport, paint: Paint, count_bytes: bool) -> list[str]:
    head = f"line {statement.line}: {safe(statement.output or 'refused')}"
    if statement.ok is None:
        return [paint(head, "strong") + ("" if statement.output is None else f"  not run: {statement.reason}")]
    out = [paint(head, "strong")]
    for step in statement.steps:
        word, style = _MARKS[step.ok]
        out.append(f"  {paint(f'{word:<6}', style)}  {safe(step.text)}")
        if count_bytes and step.runs:
            out += [f"            {line}" for line in _bytes(step, report)]
    if statement.broken is not None:
        out += _broken(statement.broken, statement, report, paint)
    elif statement.others:
        plans = f"{statement.others} other plan{'s' if statement.others > 1 else ''} of it"
        out.append(f"  {paint('ok    ', 'help')}  {plans}")
    return out


def _bytes(step: VerifiedStep, report: VerifyReport) -> list[str]:
    formula = FormulaPrinter(report.kinds).formula(step.expression)
    meshes = [_sizes_text(report.cases[run.case].mesh) for run in step.runs]
    sent = [_range([device.sent for device in run.devices]) for run in step.runs]
    received = [_range([device.received for device in run.devices]) for run in step.runs]
    columns = [max(map(len, texts)) for texts in (meshes, sent, received)]
    rows = zip(meshes, sent, received, step.runs, strict=True)
    return [
        f"{mesh:<{columns[0]}}  sends {out:>{columns[1]}} B  receives {got:>{columns[2]}} B  "
        f"{formula} = {plain_number(run.value)} B{_mean(run)}"
        for mesh, out, got, run in rows
    ]


def _range(counts: list[float]) -> str:
    least, most = plain_number(min(counts)), plain_number(max(counts))
    return most if least == most else f"{least} to {most}"


def _mean(run: RunBytes) -> str:
    """Return the mean where devices differ: an AllReduce of a block that does not divide gives the formula on average."""
    counts = [device.received for device in run.devices]
    return "" if min(counts) == max(counts) else f"  (mean {plain_number(sum(counts) / len(counts))} B)"


def _broken(broken: BrokenReport, statement: VerifiedStatement, report: VerifyReport, paint: Paint) -> list[str]:
    case = report.cases[broken.case]
    where = f"with {_sizes_text(case.mesh)}" if case.mesh else "on one device"
    if broken.alternative is not None:
        where = f"in the other plan {broken.alternative + 1}, {where}"
    out = [f"  {paint('differs', 'error')}  {where}: {safe(broken.message)}"]
    if broken.alternative is not None and broken.text is not None:
        out.append(f"           at {safe(broken.text)}")
    if broken.blocks:
        out += ["", f"    {safe(broken.array or '')} on {_sizes_text(case.mesh) or 'one device'}"]
        out += [f"    {line}" for line in _picture(broken.blocks, case)] + [""]
    return out


def _picture(blocks: tuple[BlockReport, ...], case: CaseReport) -> list[str]:
    """Return the mesh as a grid, the first axis down and the second across; with more axes, the devices that differ."""
    axes = tuple(axis for axis, size in case.mesh.items() if size > 1)
    if len(axes) > 2:
        return _listing(blocks)
    down, across = (axes[0], axes[1]) if len(axes) == 2 else (None, axes[0] if axes else None)
    rows = [[""] + ([f"{across}={at}" for at in range(case.mesh[across])] if across else [])]
    for at in range(case.mesh[down] if down else 1):
        own = [block for block in blocks if down is None or block.device[down] == at]
        cells = [_cell(block) for block in own]
        for line in range(max(map(len, cells))):
            lead = f"{down}={at}" if down and line == 0 else ""
            rows.append([lead, *(cell[line] if line < len(cell) else "" for cell in cells)])
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))] if across else [0]
    if sum(widths) + len(_GAP) * len(widths) > _WIDEST:
        return _listing(blocks)
    return ["".join(pad(cell, size) + _GAP for cell, size in zip(row, widths, strict=False)) for row in rows]


def _cell(block: BlockReport) -> list[str]:
    if block.ok:
        return ["ok", f"holds  {block.should}"]
    return ["differs", f"should {block.should}", f"holds  {block.holds or 'other numbers'}"]


def _listing(blocks: tuple[BlockReport, ...]) -> list[str]:
    wrong = [block for block in blocks if not block.ok]
    lines = [
        f"{_sizes_text(block.device)}: should hold {block.should}, holds {block.holds or 'other numbers'}"
        for block in wrong[:_MOST_LISTED]
    ]
    more = len(wrong) - len(lines)
    return [*lines, *([f"and {more} more of {len(blocks)} devices"] if more else [])]


def _summary(report: VerifyReport, paint: Paint) -> str:
    verdict = paint("ok", "help") if report.ok else paint("failed", "error")
    wrong = sum(statement.ok is False for statement in report.statements)
    right = sum(statement.ok is True for statement in report.statements)
    left = len(report.statements) - wrong - right
    counted = [
        count_text(report.findings),
        f"{right} statement{'s' if right != 1 else ''} right when run",
        f"{wrong} wrong" if wrong else "",
        f"{left} not run" if left else "",
    ]
    return f"{safe_name(report.source.name)}: {verdict}: " + "; ".join(part for part in counted if part)


def _case_lines(cases: tuple[CaseReport, ...]) -> list[str]:
    meshes = [_sizes_text(case.mesh) or "one device" for case in cases]
    column = max(map(len, meshes), default=0)
    data = [case.to_dict()["sizes"] for case in cases]
    return [f"on {mesh:<{column}}  with {_sizes_text(sizes)}" for mesh, sizes in zip(meshes, data, strict=True)]


def _sizes_text(sizes: dict[str, int]) -> str:
    return ", ".join(f"{name}={size}" for name, size in sizes.items())
