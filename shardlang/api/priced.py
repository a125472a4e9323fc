"""A plan priced; its memory against the chip: the finding where it does not fit, and up to which size it does."""

from dataclasses import replace
from math import ceil

from shardlang.api.arguments import OptionError, Request
from shardlang.api.stages import Planned, rate_findings
from shardlang.cost import FIGURE_MEANINGS, RatioError, UnknownSymbolError
from shardlang.cost import estimate as price
from shardlang.cost.estimate import Estimate
from shardlang.cost.fitting import Limit, judge, limits
from shardlang.cost.names import Names
from shardlang.cost.residence import ArrayMemory, Residence, residence
from shardlang.diagnostics import Diagnostic
from shardlang.reports.units import plain_number, quantity
from shardlang.rules.text import value_text
from shardlang.source import Span


def price_plan(planned: Planned, request: Request, names: Names | None = None) -> Estimate:
    """Return the price of a plan as the request asks for it. names: those of several plans that are compared.

    Raises OptionError for an assumption that says nothing of the plan.
    """
    try:
        return _priced(planned, request, names, request.assume)
    except RatioError as problem:
        refused = any(finding.severity == "error" for finding in planned.findings)
        if not isinstance(problem, UnknownSymbolError) or not refused:
            hint = f" Did you mean {problem.hint}?" if problem.hint else ""
            raise OptionError(f"assume: {problem}.{hint}") from None
    return _priced(planned, request, names, ())  # the symbol may have gone with a statement that was refused


def _priced(planned: Planned, request: Request, names: Names | None, assume: tuple[str, ...]) -> Estimate:
    found = price(
        planned.plan,
        planned.machine,
        model=request.model,
        roofs=request.roofs,
        comms=request.comms,
        latency=request.latency,
        reduce_dtype=request.reduce_dtype,
        uneven=request.options.uneven,
        constants=planned.front.program.hardware_values,
        assume=assume,
        top_k=request.top_k,
        names=names,
    )
    sizes = {found.pricer.names.axis(axis): size for axis, size in planned.opened.items()}
    return replace(found, values={**found.values, **sizes}) if sizes else found


def missing_findings(planned: Planned, estimate: Estimate) -> tuple[Diagnostic, ...]:
    """Return a warning for each figure that the price needs and the hardware does not state."""
    unknown = {name: FIGURE_MEANINGS[name] for name in estimate.missing_figures}
    return rate_findings(planned.front, estimate.missing_rates, unknown, planned.machine)


def size_findings(planned: Planned, estimate: Estimate) -> tuple[Diagnostic, ...]:
    """Return SL520 where the chip and all sizes are known and the plan does not fit, else nothing."""
    if estimate.value(estimate.pricer.capacity) is None:
        return ()
    return fit_findings(planned, estimate, residence(planned.plan, estimate))


def fit_findings(planned: Planned, estimate: Estimate, found: Residence) -> tuple[Diagnostic, ...]:
    """Return SL520 where the arrays that are there from the start, or else the peak, exceed the HBM of a chip."""
    hardware = planned.machine.hardware
    of_chip = f"of HBM of {hardware.name}" if hardware is not None else f"of {found.capacity.name}"
    for needed, start in ((found.resident.bytes, True), (found.most.bytes, False)):
        verdict = judge(needed, estimate)
        taken, room = estimate.value(needed), estimate.value(verdict.capacity)
        if verdict.fits is not False or taken is None or room is None:
            continue
        who = "the arrays that are there from the start take" if start else "at its peak the plan takes"
        times = f"{plain_number(taken / room)} times the {quantity(room, 'bytes')} {of_chip}"
        message = f"{who} {quantity(taken, 'bytes')} on each device, {times}"
        return (Diagnostic("SL520", message, _place(found, estimate, start), hint=_hint(found, estimate, room, start)),)
    return ()


def _place(found: Residence, estimate: Estimate, start: bool) -> Span:
    """Return the statement to look at: of the largest array that is there from the start, or that of the peak."""
    if not start and found.most.at is not None:
        return estimate.statements[found.most.at].plan.statement.span
    resident = [array for array in found.arrays if array.resident]
    return max(resident, key=lambda array: _taken(array, estimate)).statement.span if resident else Span(0, 0)


def _taken(array: ArrayMemory, estimate: Estimate) -> float:
    return estimate.value(array.amount.bytes) or 0.0


def _hint(found: Residence, estimate: Estimate, room: float, start: bool) -> str | None:
    """Return on how many devices one copy of the arrays would fit if all were sharded over them; of a peak what is largest then."""
    if not start:
        held = [(estimate.value(expr) or 0.0, value_text(value)) for value, expr in found.alive or ()]
        taken, text = max(held, default=(0.0, ""))
        return (
            f"the largest array then is `{text}`, {quantity(taken, 'bytes')}: shard it, or do it in parts"
            if held
            else None
        )
    whole, devices = estimate.value(found.resident.whole), estimate.value(found.devices)
    if whole is None:
        return None
    least = ceil(whole / room)
    if devices is not None and devices >= least:
        each = quantity(whole / devices, "bytes")
        return f"shard what is replicated: over all {plain_number(devices)} devices the arrays would take {each} each"
    return f"shard over at least {least} devices"


def limits_of(variable: str | None, found: Residence, estimate: Estimate) -> tuple[tuple[str, Limit], ...]:
    """Return for which values of a name or a ratio the peak fits, and the arrays of the start where that is another sum.

    Raises RatioError for what is no ratio of symbols of the plan.
    """
    if variable is None:
        return ()
    needs = {"peak": found.most.bytes}
    if found.resident.bytes not in (0, found.most.bytes):
        needs["resident"] = found.resident.bytes
    return tuple((of, limit) for of, needed in needs.items() for limit in limits(variable, needed, estimate))
