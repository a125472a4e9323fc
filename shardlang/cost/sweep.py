"""Formulas over arrays of any of their symbols: what goes in is checked here, `cost.lowering` and `cost.kernel` do the work."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from sympy import Expr, Symbol

from shardlang.cost.kernel import Floats, Numbers, Operand, Register
from shardlang.cost.lowering import Lowering
from shardlang.cost.names import Names
from shardlang.cost.ratio import read_symbol
from shardlang.cost.values import SweepError, Values


def sweep(
    formulas: Sequence[Expr],
    over: Mapping[str, ArrayLike],
    values: Values,
    names: Names,
    defined: Mapping[Symbol, Expr],
    alone: Mapping[Symbol, str] = MappingProxyType({}),
) -> tuple[Floats, ...]:
    """Return each formula at every point of the arrays, in the shape that these broadcast to.

    over: arrays by the name of a symbol. values: the numbers of the other symbols. defined: sizes in terms of others,
    which follow what is swept. alone: mesh axes of size 1, by symbol, over which nothing is sent, so that the formulas are those of
    no other size. Where a formula has no finite value there is NaN. Raises SweepError for arrays that do
    not fit or are not of positive numbers, for other sizes of such axes, and where a number is missing; UnknownSymbolError for a name that is none.
    """
    for formula in formulas:
        if not isinstance(formula, Expr):
            raise SweepError(
                f"expected a formula of this estimate, such as its `t_lower`, not {type(formula).__name__}"
            )
    given = _given(over, names)
    _refuse_other_sizes(given, alone)
    shape = _shape(given)
    follows = _following(set(given), defined)
    known = {symbol: value for symbol, value in values.items() if symbol not in follows}
    known.update((symbol, float(array.flat[0])) for symbol, array in given.items() if array.size == 1)
    arrays = {symbol: array for symbol, array in given.items() if array.size != 1}
    _require(formulas, {*known, *arrays}, follows)
    lowering = Lowering(tuple(arrays), known, follows)
    results = [lowering.operand(formula) for formula in formulas]
    if not any(isinstance(result, Register) for result in results):
        return tuple(np.full(shape, _finite(result)) for result in results)
    flat = [np.broadcast_to(array, shape).reshape(-1) for array in arrays.values()]
    return tuple(found.reshape(shape) for found in lowering.kernel.run(flat, results))


def _finite(result: Operand) -> float:
    return result if isinstance(result, float) and math.isfinite(result) else math.nan


def _given(over: Mapping[str, ArrayLike], names: Names) -> dict[Symbol, Numbers]:
    """Return the arrays by symbol."""
    if not isinstance(over, Mapping):
        raise SweepError(f"expected arrays by the name of a symbol, such as {{'B': [1, 2]}}, not {type(over).__name__}")
    given: dict[Symbol, Numbers] = {}
    for name, numbers in over.items():
        symbol = read_symbol(name, names)
        if symbol in given:
            raise SweepError(f"`{name}` is `{symbol.name}` by another name, which is swept already")
        given[symbol] = _numbers(name, numbers)
    return given


def _numbers(name: str, given: ArrayLike) -> Numbers:
    try:
        numbers: Numbers = np.asarray(given)
        if numbers.dtype.kind == "O":  # whole numbers of any length
            numbers = numbers.astype(np.float64)
        if numbers.dtype.kind not in "iuf":
            raise TypeError
    except (ValueError, TypeError, OverflowError):
        raise SweepError(f"`{name}` must be swept over an array of numbers") from None
    if numbers.size and not numbers.min() > 0:
        raise SweepError(f"`{name}` must be positive at every point; the least of its numbers is {numbers.min():g}")
    return numbers


def _refuse_other_sizes(given: Mapping[Symbol, Numbers], alone: Mapping[Symbol, str]) -> None:
    for symbol, numbers in given.items():
        if symbol in alone and (numbers != 1).any():
            raise SweepError(
                f"`{symbol.name}` is 1 in this mesh, and what goes over an axis of one device was priced as nothing: "
                f"leave its size open to sweep over it (mesh={alone[symbol]!r})"
            )


def _shape(given: Mapping[Symbol, Numbers]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(array.shape for array in given.values()))
    except ValueError:
        shapes = ", ".join(f"{array.shape} of `{symbol.name}`" for symbol, array in given.items())
        raise SweepError(f"the shapes of the arrays do not broadcast: {shapes}") from None


def _following(swept: set[Symbol], defined: Mapping[Symbol, Expr]) -> dict[Symbol, Expr]:
    """Return the sizes that follow the swept ones by their definitions."""
    follows: dict[Symbol, Expr] = {}
    for _ in range(len(defined)):  # a definition may use another
        moving = {*swept, *follows}
        more = {s: expr for s, expr in defined.items() if s not in moving and expr.free_symbols & moving}
        if not more:
            break
        follows.update(more)
    return follows


def _require(formulas: Sequence[Expr], known: set[Symbol], follows: Mapping[Symbol, Expr]) -> None:
    needed: set[Symbol] = set().union(*(formula.free_symbols for formula in formulas))
    for symbol, expr in reversed(list(follows.items())):  # each comes after those that it is made of
        needed |= expr.free_symbols if symbol in needed else set()
    missing = sorted(symbol.name for symbol in needed - known - set(follows))
    if missing:
        *others, last = (f"`{name}`" for name in missing)
        listed = f"{', '.join(others)} and {last}" if others else last
        verb, them = ("are", "them") if others else ("is", "it")
        raise SweepError(
            f"a sweep needs numbers, and {listed} {verb} open: sweep over {them} too, or give {them} a value"
        )
