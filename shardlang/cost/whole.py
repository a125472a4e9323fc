"""The last whole size with which something fits, padding counted, and the nearest one that divides over the mesh."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import ceil, floor, gcd, isqrt, lcm
from typing import NamedTuple

from sympy import Expr, Symbol

from shardlang.cost.exceeding import replaced_in
from shardlang.cost.values import Values, evaluate

_NEAR = 1e-9  # a threshold as near to a whole number as that is meant to be it: floats round
LARGEST_WHOLE = 2**53  # a float counts no further
_MOST_TRIALS = 1_000_000  # divisors are tried up to here
_MOST_CANDIDATES = 10_000


class Cut(NamedTuple):
    """A dimension's length and the number of shards that it is cut into, as formulas."""

    length: Expr
    shards: Expr


class Fitting:
    """Says of whole sizes of one symbol whether what is needed fits, and whether everything divides."""

    def __init__(
        self,
        symbol: Symbol,
        needed: Expr,
        room: Expr,
        values: Values,
        definitions: dict[Symbol, Expr],
        cuts: Iterable[Cut],
    ) -> None:
        put_in = {name: expr for name, expr in definitions.items() if name != symbol}
        self._symbol, self._values = symbol, values
        self._needed, self._room = replaced_in(needed, put_in), evaluate(room, values)
        self._cuts = {Cut(replaced_in(cut.length, put_in), replaced_in(cut.shards, put_in)) for cut in cuts}
        self._cuts = {cut for cut in self._cuts if symbol in cut.length.free_symbols | cut.shards.free_symbols}

    def fits(self, number: int) -> bool | None:
        """Say whether it fits at a size, None while something is open."""
        needed = evaluate(self._needed, {**self._values, self._symbol: number})
        return None if needed is None or self._room is None else needed <= self._room * (1 + _NEAR)

    def divides(self, number: int) -> bool:
        """Say whether every dimension of known length is a multiple of its shards."""
        values = {**self._values, self._symbol: number}
        sizes = ((evaluate(cut.length, values), evaluate(cut.shards, values)) for cut in self._cuts)
        return all(length is None or shards is None or length % shards == 0 for length, shards in sizes)

    def last(self, threshold: float, upper: bool) -> int | None:
        """Return the largest size that fits (`upper`), 0 where not even 1 does, or the least; None where there is none."""
        if threshold > LARGEST_WHOLE:
            return None
        near = round(threshold)
        start = near if abs(near - threshold) <= _NEAR * threshold else floor(threshold) if upper else ceil(threshold)
        if self.fits(start) is None:
            return start
        if upper:
            return start if self.fits(start) else _boundary(0, start, lambda n: n > 0 and not self.fits(n)) - 1
        start = max(start, 1)
        step = 1
        while not self.fits(start + step - 1):
            step *= 2
            if start + step > LARGEST_WHOLE:
                return None
        return _boundary(start - 1, start + step - 1, lambda n: n >= start and bool(self.fits(n)))

    def dividing(self, last: int, upper: bool) -> int | None:
        """Return the size nearest to the last one that fits too and divides, None where none was found."""
        found = islice(self._candidates(last, upper), _MOST_CANDIDATES)
        return next((n for n in found if self.divides(n) and self.fits(n) is not False), None)

    def _candidates(self, last: int, upper: bool) -> Iterator[int]:
        """Yield sizes from the last one on, away from the threshold: multiples of all shards, or divisors of all lengths."""
        stride, parts = 1, 0
        for length, shards in self._cuts:
            if length == self._symbol and (known := evaluate(shards, self._values)) and known == int(known):
                stride = lcm(stride, int(known))
            rest = evaluate(shards, {**self._values, self._symbol: 1})
            whole = None if length.has(self._symbol) else evaluate(length, self._values)
            if whole is not None and rest is not None and whole % rest == 0:
                parts = gcd(parts, int(whole // rest))
        if parts and stride == 1:
            found = (n for n in divisors(parts) if (n <= last if upper else n >= last))
            yield from sorted(found, reverse=upper)
        elif upper:
            yield from range(last // stride * stride, 0, -stride)
        else:
            yield from range(-(-last // stride) * stride, LARGEST_WHOLE, stride)


def divisors(number: int) -> set[int]:
    """Return the divisors of a number; of a huge one those of which one factor of the pair is small."""
    small = [d for d in range(1, min(isqrt(number), _MOST_TRIALS) + 1) if number % d == 0]
    return {*small, *(number // d for d in small)}


def _boundary(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the first number above `low` of which something holds that holds of `high` and all from the first one on."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
