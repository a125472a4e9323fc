"""Where a logarithmic axis has its ticks, and what they say."""

import math

from shardlang.pictures.chart import Axis
from shardlang.reports.units import plain_number, quantity

_STEPS = ((1, 2, 5), (1, 3), (1,))
"""The first digits of ticks, from close together to far apart."""


_MOST_MARKED = 60


def ticks(axis: Axis, most: int) -> tuple[tuple[float, str], ...]:
    """Return the ticks of an axis with what they say: those that are marked, else at most `most` round numbers."""
    if axis.marked:
        return axis.marked[:: -(-len(axis.marked) // _MOST_MARKED)]
    return tuple((at, tick_text(axis, at)) for at in _round(axis, most))


def _round(axis: Axis, most: int) -> tuple[float, ...]:
    """Return at most `most` places of ticks between the ends of an axis: 1, 2, 5, 10, or only every few powers of ten."""
    first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
    for digits in _STEPS:
        found = tuple(digit * 10.0**power for power in range(first, last + 1) for digit in digits)
        inside = tuple(at for at in found if axis.low * (1 - 1e-9) <= at <= axis.high * (1 + 1e-9))
        if len(inside) <= most:
            return inside
    stride = 1
    while len(inside) > most:
        stride += 1
        inside = tuple(at for at in found[::stride] if axis.low * (1 - 1e-9) <= at <= axis.high * (1 + 1e-9))
    return inside


def tick_text(axis: Axis, at: float) -> str:
    """Return what a tick says: `10 µs`, `2000`, `3·10^7`."""
    if axis.unit:
        return quantity(at, axis.unit)
    if 1e-3 <= at < 1e5:
        return plain_number(at)
    digit, power = f"{at:.0e}".split("e")
    return f"10^{int(power)}" if digit == "1" else f"{digit}·10^{int(power)}"


def value_text(axis: Axis, value: float) -> str:
    """Return a value on an axis with four digits and its unit."""
    return quantity(value, axis.unit) if axis.unit else plain_number(value)


def place(axis: Axis, value: float) -> float:
    """Return where a value is on an axis, 0 at its low end and 1 at its high end; outside it may be less or more."""
    return math.log(value / axis.low) / math.log(axis.high / axis.low)
