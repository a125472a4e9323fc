"""What a test may say of a plan that a program has written."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from shardlang import api
from shardlang.reports.objects import CheckReport, StepReport
from shardlang.reports.summary import step_listing
from shardlang.reports.units import quantity
from shardlang.rules.plan import COLLECTIVES

if TYPE_CHECKING:
    from typing import Unpack

    from shardlang.api.keywords import CheckKeywords

_ONE_AXIS = re.compile(r"_\{([^{},]+)\}")


class PlanError(AssertionError):
    """A plan is not what a test says of it; the message shows the plan."""


def assert_plan(
    text: str,
    *,
    collectives: Iterable[str] | None = None,
    output: str | None = None,
    bytes_at_most: float | None = None,
    **keywords: "Unpack[CheckKeywords]",
) -> CheckReport:
    """Check a plan, and what it comes to; return the report.

    collectives: those of all statements in order, each as a kind (`AllGather`), with axes (`AllGather_X`), with the
    array (`AllGather_X W`), or as the whole step. output: the layout of the last statement, in any spelling.
    bytes_at_most: what one device receives in all steps together. keywords: those of `shardlang.check`. Raises
    PlanError, an AssertionError, for a plan with an error, or another than that.
    """
    __tracebackhide__ = True
    given: Any = {"alternatives": False, **keywords}
    report = api.check(text, **given)
    if not report.ok:
        from shardlang.reports.findings import text_findings

        errors = [finding for finding in report.findings if finding.severity == "error"]
        raise PlanError("the plan has errors\n\n" + text_findings(report.source, errors))
    if collectives is not None:
        _check_collectives(report, collectives)
    if output is not None:
        _check_output(report, output, keywords)
    if bytes_at_most is not None:
        _check_bytes(report, bytes_at_most)
    return report


class Plans:
    """`check` and `assert_plan` with the settings of a project: what the fixture `shardlang` is."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings

    def check(self, text: str, **keywords: "Unpack[CheckKeywords]") -> CheckReport:
        """Return the report of `shardlang.check`."""
        given: Any = {**self._settings, **keywords}
        return api.check(text, **given)

    def assert_plan(
        self,
        text: str,
        *,
        collectives: Iterable[str] | None = None,
        output: str | None = None,
        bytes_at_most: float | None = None,
        **keywords: "Unpack[CheckKeywords]",
    ) -> CheckReport:
        """Check a plan, and what it comes to: see `assert_plan`."""
        __tracebackhide__ = True
        given: Any = {**self._settings, **keywords}
        return assert_plan(text, collectives=collectives, output=output, bytes_at_most=bytes_at_most, **given)


def _check_collectives(report: CheckReport, expected: Iterable[str]) -> None:
    __tracebackhide__ = True
    wanted = [expected] if isinstance(expected, str) else list(expected)
    steps = [step for statement in report.statements for step in statement.steps if step.kind in COLLECTIVES]
    if len(wanted) == len(steps) and all(map(_is, steps, wanted)):
        return
    found = ", ".join(_short(step) for step in steps) or "none"
    raise _error(report, f"the plan has other collectives\nexpected: {', '.join(wanted) or 'none'}\nfound:    {found}")


def _is(step: StepReport, wanted: str) -> bool:
    """Say whether a step is the one that is meant: by its kind, with its axes, with its array, or by all of its text."""
    name = _plain(wanted)
    return name in (step.kind, _plain(_short(step).partition(" ")[0]), _plain(_short(step)), _plain(step.text))


def _short(step: StepReport) -> str:
    return step.text.partition("[")[0].strip()


def _plain(text: str) -> str:
    return _ONE_AXIS.sub(r"_\1", " ".join(text.replace("→", "->").split()))


def _check_output(report: CheckReport, expected: str, keywords: Mapping[str, Any]) -> None:
    __tracebackhide__ = True
    found = report.statements[-1].output if report.statements else None
    mesh = keywords.get("mesh")
    try:
        wanted = api.format_text(expected, mesh=mesh).strip()
    except ValueError as problem:
        raise PlanError(f"output: {expected!r} is no array: {problem}") from None
    if found is None or api.format_text(found, mesh=mesh).strip() != wanted:
        raise _error(report, f"the plan has another result\nexpected: {wanted}\nfound:    {found or 'none'}")


def _check_bytes(report: CheckReport, most: float) -> None:
    __tracebackhide__ = True
    received = [step.bytes_received for statement in report.statements for step in statement.steps]
    known = [number for number in received if number is not None]
    if len(known) < len(received):
        raise _error(report, "the bytes received are open: give all sizes, `mesh={'X': 4}`, `sizes={'B': 1024}`")
    if sum(known) > most:
        total, limit = quantity(sum(known), "bytes"), quantity(most, "bytes")
        raise _error(report, f"a device receives more than that\nexpected: at most {limit}\nfound:    {total}")


def _error(report: CheckReport, message: str) -> PlanError:
    return PlanError(f"{message}\n\n{step_listing(report)}")
