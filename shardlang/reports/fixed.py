"""What `shardlang.fix` gives back: the mended text, what was changed, and what is left."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from shardlang.diagnostics import Diagnostic, Fix
from shardlang.reports.cells import safe, safe_name
from shardlang.reports.colour import Paint, plain
from shardlang.reports.corrections import full_title
from shardlang.reports.objects import CheckReport
from shardlang.reports.showing import count, in_short, printed
from shardlang.reports.summary import check_summary
from shardlang.source import SourceText

_OF_COMMENTS = "SL109"  # its fixes change no plan, so that it says nothing whether one was run


class ChangeReport(NamedTuple):
    """A fix that was made, or that was not since the text with it is wrong when run.

    line: of the finding, in the text as it was then. executed: true where the text was run on simulated meshes with
    the fix made and is right, false where it is wrong, None where it could not be run.
    """

    line: int
    code: str
    title: str
    executed: bool | None

    def to_dict(self) -> dict[str, Any]:
        """Return the change as an entry of `fixed` in the JSON."""
        return self._asdict()


class FixedReport(NamedTuple):
    """A text with its fixes made. `source` is the text as it was, `check` the report on the new one."""

    text: str
    fixed: tuple[ChangeReport, ...]
    wrong: tuple[ChangeReport, ...]
    check: CheckReport
    source: SourceText

    @property
    def ok(self) -> bool:
        """Whether no error is left."""
        return self.check.ok

    @property
    def changed(self) -> bool:
        """Whether the text is another."""
        return self.text != self.source.text

    def __str__(self) -> str:
        """Return what is left, the mended text, what was changed, and the verdict as text."""
        left = ((self.check.source, self.check.findings),)
        changes = "\n".join(part for part in (fixed_listing(self), check_summary(self.check)) if part)
        return printed(left, self.text, changes)

    def __repr__(self) -> str:
        return in_short(self, self.source, self.check.findings, count(len(self.fixed), "change"))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the report on the new text, that text and what was changed, as JSON values (`shardlang/schema/check.json`)."""
        fixed, wrong = ([change.to_dict() for change in changes] for changes in (self.fixed, self.wrong))
        return {**self.check.to_dict(), "fixed": fixed, "not_fixed": wrong, "texts": [{"text": self.text}]}


class Change(Protocol):
    """A fix with its finding, see `shardlang.api.mending`."""

    @property
    def finding(self) -> Diagnostic:
        """What it mends."""

    @property
    def fix(self) -> Fix:
        """The fix."""

    @property
    def line(self) -> int:
        """The line of the finding."""


def fixed_report(
    source: SourceText, text: str, made: Iterable[Change], wrong: Iterable[Change], check: CheckReport
) -> FixedReport:
    """Return the report on a mended text."""
    fixed = tuple(_change(one, one.fix.executed) for one in made)
    return FixedReport(text, fixed, tuple(_change(one, False) for one in wrong), check, source)


def _change(change: Change, executed: bool | None) -> ChangeReport:
    title = full_title(change.fix._replace(executed=None))
    return ChangeReport(change.line, change.finding.code, title, executed)


def fixed_listing(report: FixedReport, paint: Paint = plain, word: str = "fixed") -> str:
    """Return what was changed, a line each; `word` says so."""
    name = safe_name(report.source.name)
    ran = {
        True: "executed on simulated meshes: right",
        None: "not executed, as not every statement has a plan that can be run",
    }
    lines = [
        f"{name}:{one.line}: {paint(word, 'help')} {one.code}: {safe(one.title)}"
        + ("" if one.code == _OF_COMMENTS else f"; {ran[one.executed or None]}")
        for one in report.fixed
    ]
    lines += [
        f"{name}:{one.line}: {paint('not fixed', 'error')} {one.code}: {safe(one.title)}; wrong when executed"
        for one in report.wrong
    ]
    if (guesses := sum(_only_guesses(finding) for finding in report.check.findings)) > 0:
        lines.append(f"{name}: {guesses} more with --unsafe-fixes, which may change what is computed")
    if (kept := sum(_has_safe_fix(finding) for finding in report.check.findings)) > 0:
        lines.append(f"{name}: {kept} to be made by hand: written by --fix, the text around the statement would break")
    return "\n".join(lines)


def _has_safe_fix(finding: Diagnostic) -> bool:
    return finding.severity != "info" and any(fix.safe for fix in finding.fixes)


def _only_guesses(finding: Diagnostic) -> bool:
    return finding.severity != "info" and bool(finding.fixes) and not any(fix.safe for fix in finding.fixes)
