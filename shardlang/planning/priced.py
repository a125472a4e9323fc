"""What steps take, in words and numbers: their collectives, and the bytes that a device receives."""

from shardlang.diagnostics import Price
from shardlang.planning.context import Context
from shardlang.pricing import steps as pricing
from shardlang.rules.plan import COLLECTIVES, Step
from shardlang.rules.text import subscript_text, value_text
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.polynomial import Polynomial, common, lift
from shardlang.semantics.sharding import dim_text
from shardlang.semantics.size import Monomial, Symbol, axis_symbol, dim_symbol, of

_Term = tuple[tuple[tuple[Symbol, int], ...], tuple[str, ...]]  # the powers of a monomial; the axes of a factor n - 1


def price_of(context: Context, steps: tuple[Step, ...]) -> Price:
    """Return what `steps` take; the bytes are exact, of the device that receives most."""
    moved = [step for step in steps if step.kind in COLLECTIVES]
    terms: dict[_Term, Monomial] = {}
    for step in moved:
        received = lift(pricing.bytes_received(step, _sizes(context, step)))
        if not received.terms:  # over one device
            continue
        part, axes = _factored(received, step)
        key = (part.powers, axes)
        before = terms.get(key)
        terms[key] = part if before is None else _added(before, part)
    numbers = [_number(part, axes) for (_, axes), part in terms.items()]
    known = [number for number in numbers if number is not None]
    total = sum(known) if len(known) == len(numbers) else None
    formula = " + ".join(_text(context, part, axes) for (_, axes), part in terms.items()) or "0"
    return Price(tuple(map(short, moved)), formula, total, _seconds(context, moved) if total is not None else None)


def short(step: Step) -> str:
    """Return a collective in short: `AllGather_X W`."""
    array = step.operands[0]
    return step.kind + subscript_text(step.kind, step.axes, step.dims, array) + f" {array.name or value_text(array)}"


def _factored(received: Polynomial, step: Step) -> tuple[Monomial, tuple[str, ...]]:
    """Return the bytes of one collective as a monomial times n - 1, n the devices along the axes (none: no such factor)."""
    shared = common([received])
    ((powers, number),) = shared.terms.items()
    return Monomial(number, shared.denominator, powers), () if received == shared else step.axes


def _sizes(context: Context, step: Step) -> pricing.Sizes:
    known = {axis_symbol(name): Monomial(size) for name, size in context.sizes.axes.items()}
    dims = {dim_symbol(name): size.substitute(known) for name, size in context.program.sizes.items()}
    arrays = [value.type for value in (*step.operands, step.result)]
    axes = {axis for array in arrays for axis in array.sharding.used()} | set(step.axes)
    return pricing.Sizes(
        {dim: lift(_size(dim, dims)) for array in arrays for dim in array.dims},
        {axis: lift(of(axis_symbol(axis)).substitute(known)) for axis in axes},
        context.program.dtype,
        context.settings.reduce_dtype,
        width=lambda dtype: lift(dtype_bytes(dtype)),
        declared=context.program.declared_types,
    )


def _size(dim: str, known: dict[Symbol, Monomial]) -> Monomial:
    text = dim_text(dim)
    return Monomial(int(text)) if text.isdigit() else of(dim_symbol(dim)).substitute(known)


def _added(one: Monomial, other: Monomial) -> Monomial:
    """Return the sum of two monomials with the same powers."""
    above = one.numerator * other.denominator + other.numerator * one.denominator
    return Monomial(above) / Monomial(one.denominator * other.denominator) * Monomial(1, 1, one.powers)


def _number(part: Monomial, axes: tuple[str, ...]) -> float | None:
    return None if axes or part.powers else part.numerator / part.denominator


def _seconds(context: Context, moved: list[Step]) -> float | None:
    """Return the time of collectives one after the other on the hardware, None where it has no figures."""
    time = context.settings.collective_time
    if time is None:
        return None
    seconds = 0.0
    for step in moved:
        held = lift(pricing.operand_bytes(step, _sizes(context, step)))
        seconds += time(step.kind, held.number({}), step.axes)
    return seconds


def _text(context: Context, part: Monomial, axes: tuple[str, ...]) -> str:
    """Return `2·J·K·(X-1)/X`, dimensions before mesh axes."""
    names = context.names.all
    above = [str(part.numerator)] if part.numerator != 1 else []
    below = [str(part.denominator)] if part.denominator != 1 else []
    for symbol, power in sorted(part.powers, key=lambda item: (item[0].kind != "dim", item[0].name)):
        name = (names.dims if symbol.kind == "dim" else names.axes).get(symbol.name, symbol.name)
        (above if power > 0 else below).append(name if abs(power) == 1 else f"{name}^{abs(power)}")
    if axes:
        above.append(f"({'·'.join(names.axes[axis] for axis in axes)}-1)")
    bottom = "·".join(below)
    over = f"/({bottom})" if len(below) > 1 else f"/{bottom}" if below else ""
    return ("·".join(above) or "1") + over
