"""What a test may say of a plan that a program has written."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from shardlang import api
from shardlang.api.values import quoted, real_number
from shardlang.diagnostics import did_you_mean
from shardlang.reports.objects import CheckReport, StepReport
from shardlang.reports.summary import step_listing
from shardlang.reports.units import quantity
from shardlang.rules.plan import COLLECTIVES

if TYPE_CHECKING:
    from typing import Unpack

    from shardlang.api.keywords import CheckKeywords

_ONE_AXIS = re.compile(r"_\{([^{},]+)\}")
_STEP = re.compile(r"(?P<kind>[A-Za-z]+)(?:_(?P<subscript>\{[^{}]*\}|[^\s\[{]+))?(?:\s+(?P<operand>\S.*))?")


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
    PlanError, an AssertionError, for a plan with an error, with a refused statement (also where its error is ignored),
    or another than that; OptionError where it is not said in texts.
    """
    __tracebackhide__ = True
    given: Any = {"alternatives": False, **keywords}
    report = api.check(text, **given)
    if not report.ok:
        from shardlang.reports.findings import text_findings

        errors = [finding for finding in report.findings if finding.severity == "error"]
        raise PlanError("the plan has errors\n\n" + text_findings(report.source, errors))
    if any(statement.output is None for statement in report.in_order()):
        raise _error(report, "a statement was refused, and its error is ignored: what it takes is not known")
    if not report.in_order():
        raise PlanError("the text has no statement: there is no plan in it")
    if collectives is not None:
        _check_collectives(report, collectives)
    if output is not None:
        _check_output(report, output, keywords)
    if bytes_at_most is not None:
        _check_bytes(report, bytes_at_most, text, keywords)
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
    for one in wanted:
        _require_collective(one)
    steps = [step for statement in report.statements for step in statement.steps if step.kind in COLLECTIVES]
    if len(wanted) == len(steps) and all(map(_is, steps, wanted)):
        return
    found = ", ".join(_short(step) for step in steps) or "none"
    raise _error(report, f"the plan has other collectives\nexpected: {', '.join(wanted) or 'none'}\nfound:    {found}")


def _require_collective(said: object) -> None:
    """Raise OptionError for what names no kind of collective: a word that is mistyped could never be found."""
    if not isinstance(said, str):
        raise api.OptionError(f"collectives: expected texts such as 'AllGather_X', not {type(said).__name__}.")
    kind = re.split(r"[\s_\[{]", said.strip(), maxsplit=1)[0]
    if kind not in COLLECTIVES:
        close = did_you_mean(kind, COLLECTIVES)
        raise api.OptionError(
            f"collectives: there is no collective {kind!r}."
            + (f" Did you mean {close!r}?" if close else f" Known: {', '.join(COLLECTIVES)}.")
        )


def _is(step: StepReport, wanted: str) -> bool:
    """Say whether a step is the one that is meant: of its kind, and with the axes, the array or the layouts that are said."""
    said, made = _STEP.fullmatch(wanted.strip()), _STEP.fullmatch(step.text)
    if said is None or made is None or said["kind"] != step.kind:
        return False
    if said["subscript"] is not None and not _has_subscript(step, said["subscript"]):
        return False
    if said["operand"] is None:
        return True
    operand = _plain(made["operand"])
    return _plain(said["operand"]) in (operand, operand.partition("[")[0])


def _has_subscript(step: StepReport, subscript: str) -> bool:
    """Say whether a subscript names the axes of a step, with or without commas, and the dimension that gets them if any."""
    names = [name for name in re.split(r"[\s,]+|->|→", subscript.strip("{}")) if name]
    axes = list(step.axes), ["".join(step.axes)]
    return any(names in (said, [*said, *step.dims[-1:]]) for said in axes)


def _short(step: StepReport) -> str:
    return step.text.partition("[")[0].strip()


def _plain(text: str) -> str:
    return _ONE_AXIS.sub(r"_\1", "".join(text.replace("→", "->").split()))


def _check_output(report: CheckReport, expected: str, keywords: Mapping[str, Any]) -> None:
    __tracebackhide__ = True
    everything = report.in_order()
    found = everything[-1].output if everything else None
    mesh = keywords.get("mesh")
    try:
        wanted = api.format_text(expected, mesh=mesh).strip()
    except ValueError as problem:
        raise PlanError(f"output: {expected!r} is no array: {problem}") from None
    if found is None or api.format_text(found, mesh=mesh).strip() != wanted:
        raise _error(report, f"the plan has another result\nexpected: {wanted}\nfound:    {found or 'none'}")


def _check_bytes(report: CheckReport, most: float, text: str, keywords: Mapping[str, Any]) -> None:
    __tracebackhide__ = True
    if not _is_number(most):
        raise api.OptionError(f"bytes_at_most: expected a number, not {quoted(most)}.")
    received = [step.bytes_received for statement in report.statements for step in statement.steps]
    known = [number for number in received if number is not None]
    if len(known) < len(received):
        names = ", ".join(_open_sizes(text, keywords))
        raise _error(
            report,
            f"the bytes received are open: the size of {names} is not given, as in mesh={{'X': 4}}, sizes={{'B': 1024}}",
        )
    if sum(known) > most:
        total, limit = quantity(sum(known), "bytes"), quantity(most, "bytes")
        raise _error(report, f"a device receives more than that\nexpected: at most {limit}\nfound:    {total}")


def _open_sizes(text: str, keywords: Mapping[str, Any]) -> list[str]:
    """Return the names of dimensions and mesh axes that the bytes received depend on, and that have no size."""
    given: Any = {name: value for name, value in keywords.items() if name != "alternatives"}
    priced = api.cost(text, **given)
    received = (step.bytes_received for statement in priced.statements for step in statement.steps)
    symbols = {symbol for formula in received for symbol in formula.free_symbols}
    return sorted(str(symbol) for symbol in symbols if priced.value(symbol) is None)


def _is_number(value: Any) -> bool:
    try:
        number = real_number(value)
    except (TypeError, ValueError, ArithmeticError):
        return False
    return number == number and not isinstance(value, bool)  # NaN: nothing is above it


def _error(report: CheckReport, message: str) -> PlanError:
    return PlanError(f"{message}\n\n{step_listing(report)}")
