"""A plan priced; its memory against the chip: the finding where it does not fit, and up to which size it does."""

from collections.abc import Callable
from dataclasses import replace
from math import ceil, gcd, prod

from shardlang.api.arguments import Request
from shardlang.api.stages import Planned, rate_findings
from shardlang.api.values import OptionError
from shardlang.cost.estimate import Estimate
from shardlang.cost.estimate import estimate as price
from shardlang.cost.fitting import Limit, Sizing, cuts_of, judge, limits, padded_estimate
from shardlang.cost.names import FIGURE_MEANINGS, NameClashError, Names, plan_values
from shardlang.cost.ratio import RatioError, UnknownSymbolError, read_ratio
from shardlang.cost.residence import ArrayMemory, Residence, residence
from shardlang.diagnostics import Diagnostic
from shardlang.limits import OutOfTimeError
from shardlang.reports.units import plain_number, quantity
from shardlang.rules.text import value_text
from shardlang.semantics.sharding import dim_text
from shardlang.source import Span


def price_plan(planned: Planned, request: Request, names: Names | None = None) -> Estimate:
    """Return the price of a plan as the request asks for it. names: those of several plans that are compared.

    Raises OptionError for an assumption that says nothing of the plan, and for a `top_k` that is a figure of the hardware.
    """
    try:
        return _priced(planned, request, names, request.assume)
    except NameClashError as problem:
        raise OptionError(f"top_k: {problem}.") from None
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
        clock=request.clock,
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
    """Return SL520 where the resident arrays, or else the peak, exceed the HBM of a chip."""
    hardware = planned.machine.hardware
    of_chip = f"of HBM of {hardware.name}" if hardware is not None else f"of {found.capacity.name}"
    for needed, start in ((found.resident.bytes, True), (found.most.bytes, False)):
        verdict = judge(needed, estimate)
        taken, room = estimate.value(needed), estimate.value(verdict.capacity)
        if verdict.fits is not False or taken is None or room is None:
            continue
        who = "the resident arrays take" if start else "at its peak the plan takes"
        times = f"{plain_number(taken / room)} times the {quantity(room, 'bytes')} {of_chip}"
        message = f"{who} {quantity(taken, 'bytes')} on each device, {times}"
        try:
            hint = _hint(planned, found, estimate, room, start)
        except OutOfTimeError:
            hint = None
        return (Diagnostic("SL520", message, _place(found, estimate, start), hint=hint),)
    return ()


def _place(found: Residence, estimate: Estimate, start: bool) -> Span:
    """Return the statement to look at: of the largest resident array, or that of the peak."""
    if not start and found.most.at is not None:
        return estimate.statements[found.most.at].plan.statement.span
    resident = [array for array in found.arrays if array.resident]
    return max(resident, key=lambda array: _taken(array, estimate)).statement.span if resident else Span(0, 0)


def _taken(array: ArrayMemory, estimate: Estimate) -> float:
    return estimate.value(array.amount.bytes) or 0.0


def _hint(planned: Planned, found: Residence, estimate: Estimate, room: float, start: bool) -> str | None:
    """Return on which mesh the resident arrays fit, or how many devices they need; of a peak what is largest then."""
    if not start:
        held = [(estimate.value(expr) or 0.0, value_text(value)) for value, expr in found.alive or ()]
        taken, text = max(held, default=(0.0, ""))
        return (
            f"the largest array then is `{text}`, {quantity(taken, 'bytes')}: shard it, or do it in parts"
            if held
            else None
        )
    larger = _larger_mesh(planned, found, estimate)
    if larger is not None:
        return larger
    whole, devices = estimate.value(found.resident.whole), estimate.value(found.devices)
    everywhere = estimate.value(found.resident.everywhere)
    if whole is None:
        return None
    least = _least_count(found, estimate, ceil(whole / room))
    if devices is not None and devices >= least and everywhere is not None and everywhere > whole:
        each = quantity(whole / devices, "bytes")
        return f"shard what is replicated: over all {plain_number(devices)} devices the arrays would take {each} each"
    return f"shard over at least {least} devices"


def _larger_mesh(planned: Planned, found: Residence, estimate: Estimate) -> str | None:
    """Return the mesh of the fewest devices on which the resident arrays fit, one axis larger and the rest as it is."""
    axes = {axis.name: axis.size for axis in planned.front.program.mesh.axes}
    meshes: list[tuple[int, str]] = []
    for axis, symbol in estimate.pricer.names.axes().items():
        if axis not in axes or symbol not in found.resident.bytes.free_symbols or None in axes.values():
            continue
        limit = next(iter(_limits(symbol.name, found, estimate, ("resident",))), None)
        least = None if limit is None else limit[1].whole if estimate.pricer.sizes.extent else limit[1].divisible
        if least is not None:
            sizes = {**axes, axis: least}
            text = ",".join(f"{name}={size}" for name, size in sizes.items())
            meshes.append((prod(size or 1 for size in sizes.values()), text))
    if not meshes:
        return None
    devices, text = min(meshes)
    return f"shard over at least {devices} devices: `--mesh {text}`"


def _least_count(found: Residence, estimate: Estimate, least: int) -> int:
    """Return the first number of devices from `least` on that cuts every resident array evenly; else `least`."""
    counts = [estimate.value(array.amount.elements) for array in found.arrays if array.resident]
    if not all(count is not None and count == int(count) for count in counts):
        return least
    whole = gcd(*(int(count or 0) for count in counts))
    return next((n for n in range(least, least + _MOST_COUNTS) if whole % n == 0), least)


_MOST_COUNTS = 4096


def limits_of(variable: str | None, found: Residence, estimate: Estimate) -> tuple[tuple[str, Limit], ...]:
    """Return for which values of a name or a ratio the peak fits, and the resident arrays where that is another sum.

    Raises RatioError for what is no ratio of symbols of the plan.
    """
    if variable is None:
        return ()
    estimate.clock.check()
    return _limits(variable, found, estimate, ("peak", "resident"))


def with_replanned(
    found: tuple[tuple[str, Limit], ...],
    planned: Planned,
    estimate: Estimate,
    request: Request,
    plan: Callable[[Request], Planned],
) -> tuple[tuple[str, Limit], ...]:
    """Return limits of the peak with the bytes of the plan that is chosen at the whole size, where that does not fit.

    plan: plans the text again, under another request. Raises OutOfTimeError.
    """
    checked = []
    for of, limit in found:
        whole = limit.tried(request.options.uneven)
        if of == "peak" and whole and request.slice is None:
            again = plan(_with_size(request, planned, estimate, limit.variable, whole))
            price = price_plan(again, request)
            request.clock.check()  # it may lack what there was no time for
            verdict = judge(residence(again.plan, price).most.bytes, price)
            taken = price.value(verdict.needed)
            limit = limit if verdict.fits is not False else limit._replace(replanned=taken)
        checked.append((of, limit))
    return tuple(checked)


def _with_size(request: Request, planned: Planned, estimate: Estimate, variable: str, whole: int) -> Request:
    """Return a request that gives a dimension or a mesh axis a size."""
    options, mesh = request.options, planned.front.program.mesh
    ((symbol, _),) = read_ratio(variable, estimate.pricer.names)
    axis = next((name for name, of in estimate.pricer.names.axes().items() if of == symbol), None)
    if axis is None:
        dim = next((name for name, of in estimate.pricer.names.dims().items() if of == symbol), symbol.name)
        options = options._replace(sizes={**(options.sizes or {}), dim_text(dim): whole})
    else:
        wired = {a.name: a.topology for a in mesh.axes if a.topology is not None}
        sizes = {**{a.name: a.size for a in mesh.axes}, axis: whole}
        options = options._replace(mesh=sizes, topology={**wired, **(options.topology or {})} or None)
    return request._replace(options=options)


def _limits(variable: str, found: Residence, estimate: Estimate, of: tuple[str, ...]) -> tuple[tuple[str, Limit], ...]:
    needs = {"peak": found.most.bytes, "resident": found.resident.bytes}
    if len(of) > 1 and needs["resident"] in (0, needs["peak"]):
        of = ("peak",)
    padded, plan = needs, estimate.pricer.plan
    if estimate.pricer.sizes.extent is not None:
        rounded = residence(plan, padded_estimate(estimate))
        padded = {"peak": rounded.most.bytes, "resident": rounded.resident.bytes}
    cuts = cuts_of(plan_values(plan), estimate)
    return tuple(
        (name, limit) for name in of for limit in limits(variable, needs[name], estimate, Sizing(padded[name], cuts))
    )
