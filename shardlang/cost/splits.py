"""A fixed number of devices over mesh axes, `X*Y = N`: how it is read, and the whole splits that there are."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from sympy import Expr, Integer, Symbol

from shardlang.cost.estimate import Estimate
from shardlang.cost.names import is_literal
from shardlang.cost.ratio import RatioError, read_ratio
from shardlang.cost.values import Values
from shardlang.semantics.sharding import dim_text

_NUMBER = re.compile(r"[0-9]{1,12}\Z")
_NAME = re.compile(r"[^\W\d]\w*\Z")
_FORM = "expected mesh axes and the devices on them together, such as `X*Y = N` or `X*Y = 64`"
_LARGEST = 10**7
_MOST_WAYS, _MOST_KEPT = 1_000, 200  # for each size of the axis that is solved for


class SplitError(RatioError):
    """A text that is no split of devices over mesh axes of the plan; the message says why."""


class Split(NamedTuple):
    """axes: mesh axes by their plain names. total: the number of devices as a formula, and as a number where it is known."""

    axes: Mapping[str, Symbol]
    total: Expr
    devices: int | None

    @property
    def text(self) -> str:
        """The split as it is printed: `X·Y = N`."""
        return f"{'·'.join(symbol.name for symbol in self.axes.values())} = {self.total}"


def read_split(text: str, estimate: Estimate) -> Split:
    """Return what `X*Y = N` says; without `= N` the sizes that the plan has for the axes say it.

    A name that the plan has already is that size. Raises SplitError, RatioError for what is no split of the plan's axes.
    """
    names = estimate.pricer.names
    left, equals, right = text.partition("=")
    powers = dict(read_ratio(left, names))
    axes = {name: symbol for name, symbol in names.axes().items() if symbol in powers}
    if len(axes) < len(powers) or any(power != 1 for power in powers.values()) or len(axes) < 2:
        wrong = next((s.name for s in powers if s not in axes.values()), None)
        raise SplitError(
            f"`{wrong}` is no mesh axis of the plan; {_FORM}" if wrong else f"{_FORM}, not `{text.strip()}`"
        )
    right = right.strip()
    if not equals:
        sizes = [estimate.values.get(symbol) for symbol in axes.values()]
        devices = math.prod(int(size) for size in sizes if size)
        if None in sizes:
            raise SplitError(f"how many devices there are is open; {_FORM}")
        return Split(axes, Integer(devices), devices)
    if _NUMBER.match(right) and int(right):
        return Split(axes, Integer(int(right)), int(right))
    if not _NAME.match(right):
        raise SplitError(f"`{right}` is no number of devices; {_FORM}")
    product = "·".join(symbol.name for symbol in axes.values())
    total = names.total(right, f"devices of {product}")
    if total in powers:
        raise SplitError(f"`{right}` is one of the axes; {_FORM}")
    return Split(axes, total, _devices(right, total, estimate))


def _devices(name: str, total: Symbol, estimate: Estimate) -> int | None:
    """Return the number that a name of devices has: of a size of the plan, or one that only the options or the text give."""
    program = estimate.pricer.program
    given = program.sizes.get(name)
    value = estimate.values.get(total) or (given.integer if given is not None else program.hardware_values.get(name))
    return int(value) if value and value == int(value) else None


class Way(NamedTuple):
    """Whole sizes of the axes. uneven: the dimensions that they do not divide."""

    sizes: Mapping[Symbol, int]
    uneven: tuple[str, ...]


def ways(split: Split, variable: Symbol, estimate: Estimate) -> tuple[Way, ...]:
    """Return the whole splits for each divisor of the number of devices that `variable` can have; none where they are too many.

    Of several axes beside it those whose sizes divide the plan's dimensions come first, then those that are alike; so
    many for each divisor.
    """
    count = split.devices
    if count is None or not 1 <= count <= _LARGEST:
        return ()
    others = [symbol for symbol in split.axes.values() if symbol != variable]
    sharded = _sharded(estimate)

    def best(size: int) -> list[Way]:
        rests = islice(_factored(count // size, others), _MOST_WAYS)
        here = [_way({variable: size, **rest}, sharded, estimate.values) for rest in rests]
        here.sort(key=lambda way: (len(way.uneven), max(way.sizes[axis] for axis in others)))
        return here[:_MOST_KEPT]

    return tuple(way for size in _divisors(count) for way in best(size))


def every_way(split: Split, estimate: Estimate, most: int, ones: bool = True) -> tuple[Way, ...] | None:
    """Return all whole splits; None where they are more than `most`, or too many to find. ones: also those with axes of one device."""
    count = split.devices
    if count is None or not 1 <= count <= _LARGEST:
        return None
    sharded = _sharded(estimate)
    found = islice(_factored(count, tuple(split.axes.values()), ones), most + 1)
    whole = tuple(_way(sizes, sharded, estimate.values) for sizes in found)
    return whole if len(whole) <= most else None


def _factored(count: int, axes: Sequence[Symbol], ones: bool = True) -> Iterator[dict[Symbol, int]]:
    """Yield the sizes of axes whose product is `count`; without `ones` each is at least 2."""
    if not ones and _prime_factors(count) < len(axes):
        return  # there is none, and to find that out by trying takes long
    if len(axes) == 1:
        yield {axes[0]: count}
        return
    for size in _divisors(count):
        if ones or size > 1:
            yield from ({axes[0]: size, **rest} for rest in _factored(count // size, axes[1:], ones))


@lru_cache(maxsize=4096)
def _prime_factors(number: int) -> int:
    """Return how many prime factors a number has, each as often as it divides."""
    found, factor = 0, 2
    while factor * factor <= number:
        while number % factor == 0:
            number, found = number // factor, found + 1
        factor += 1
    return found + (number > 1)


class _Sharded(NamedTuple):
    """A dimension whose length is known, and the axes that shard it."""

    dim: str
    length: float
    axes: tuple[Symbol, ...]


def _sharded(estimate: Estimate) -> tuple[_Sharded, ...]:
    """Return the dimensions of the plan that axes shard; none where dimensions are padded."""
    if estimate.pricer.sizes.extent is not None:
        return ()
    dims, axes = estimate.pricer.names.dims(), estimate.pricer.names.axes()
    found: dict[_Sharded, None] = {}
    plans = (statement.plan for statement in estimate.statements)
    values = (value for plan in plans for step in plan.steps for value in (*step.operands, step.result))
    for value in values:
        for dim, over in zip(value.type.dims, value.type.sharding.axes, strict=True):
            length = float(dim_text(dim)) if is_literal(dim) else estimate.values.get(dims[dim])
            if over and length:
                found[_Sharded(dim_text(dim), length, tuple(axes[axis] for axis in over))] = None
    return tuple(found)


def _way(sizes: Mapping[Symbol, int], sharded: Sequence[_Sharded], values: Values) -> Way:
    known = {**values, **sizes}
    wrong = (one.dim for one in sharded if one.length % math.prod(known.get(axis, 1) for axis in one.axes))
    return Way(sizes, tuple(dict.fromkeys(wrong)))


def _divisors(number: int) -> list[int]:
    small = [at for at in range(1, math.isqrt(number) + 1) if number % at == 0]
    return sorted({*small, *(number // at for at in small)})
