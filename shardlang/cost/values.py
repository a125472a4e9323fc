"""Numbers for formulas: what is known of each symbol, and evaluation in floating point."""

import math
from collections.abc import Mapping

from sympy import Add, Expr, Integer, Max, Min, Mod, Mul, Pow, Rational, Symbol, ceiling, log

from shardlang.cost.names import RATE_NAMES, Names
from shardlang.pricing.hardware import Hardware, figure
from shardlang.semantics.program import Program
from shardlang.semantics.size import Monomial

Values = dict[Symbol, float]


class SweepError(ValueError):
    """Arrays that formulas cannot be evaluated over; the message says which symbol is at fault."""


def exact_number(value: float) -> Rational:
    """Return a number as SymPy has it, without rounding."""
    if value == int(value):
        return Integer(int(value))
    return Rational(*float(value).as_integer_ratio())


def evaluate(expr: Expr, values: Mapping[Symbol, float]) -> float | None:
    """Return the number of an expression, None while a symbol of it is open or where it has no finite real value."""
    try:
        return _evaluate(expr, values)
    except (KeyError, OverflowError, ZeroDivisionError, ValueError):
        return None


def _evaluate(expr: Expr, values: Mapping[Symbol, float]) -> float:
    if isinstance(expr, Symbol):
        return values[expr]
    if isinstance(expr, Integer):
        return int(expr)
    if isinstance(expr, Mul):
        return _evaluate_product(expr, values)
    if isinstance(expr, Add):
        return sum(_evaluate(arg, values) for arg in expr.args)
    if isinstance(expr, Pow):
        base, exponent = _evaluate(expr.base, values), _evaluate(expr.exp, values)
        return math.pow(base, exponent) if exponent % 1 else float(base ** int(exponent))
    if isinstance(expr, Max):
        return max(_evaluate(arg, values) for arg in expr.args)
    if isinstance(expr, Min):
        return min(_evaluate(arg, values) for arg in expr.args)
    if isinstance(expr, ceiling):
        return math.ceil(_evaluate(expr.args[0], values))
    if isinstance(expr, log):
        return math.log(_evaluate(expr.args[0], values))
    if isinstance(expr, Mod):
        return _evaluate(expr.args[0], values) % _evaluate(expr.args[1], values)
    if expr.is_real is False:  # the root of what is negative for these numbers
        raise ValueError(expr)
    return float(expr)


def _evaluate_product(expr: Expr, values: Mapping[Symbol, float]) -> float:
    """Return a product, divided once at the end: what divides evenly stays whole, and is not rounded up to the next."""
    above: float = 1
    below: float = 1
    for factor in expr.args:
        if isinstance(factor, Rational):
            above, below = above * factor.p, below * factor.q
        elif isinstance(factor, Pow) and isinstance(factor.exp, Integer) and factor.exp < 0:
            below = below * _evaluate(factor.base, values) ** -int(factor.exp)
        else:
            above = above * _evaluate(factor, values)
    return above if below == 1 else above / below


def known_values(
    program: Program, names: Names, hardware: Hardware | None, constants: Mapping[str, float]
) -> tuple[Values, tuple[str, ...]]:
    """Return what is known of the symbols, and those of `constants` that name none of them.

    constants: numbers by printed name or usual name (`W_uni` sets `W_ici` to twice of it), before what the
    program and the hardware say.
    """
    values: Values = {}
    axes = {axis.name: axis.size for axis in program.mesh.axes}
    for axis, symbol in names.axes().items():
        if (size := axes.get(axis)) is not None:
            values[symbol] = size
    for dim, symbol in names.dims().items():
        size_of_dim = known_size(dim, program)
        if size_of_dim is not None:
            values[symbol] = size_of_dim
    for name, symbol in names.hardware().items():
        stated = _figure(name, names, hardware)
        if stated is not None:
            values[symbol] = stated
    unused = _apply_constants(values, names, constants)
    return values, unused


def known_size(dim: str, program: Program) -> float | None:
    """Return the size of a dimension as a number, following sizes that are given in terms of others."""
    axes = {axis.name: axis.size for axis in program.mesh.axes}
    open_sizes: list[tuple[Monomial, int]] = [(program.sizes[dim], 1)] if dim in program.sizes else []
    if not open_sizes:
        return None
    numerator, denominator = 1, 1
    for _ in range(10_000):  # a size in terms of itself never gets here; the bound is for certainty
        if not open_sizes:
            return numerator / denominator if numerator % denominator else numerator // denominator
        size, power = open_sizes.pop()
        up, down = (size.numerator, size.denominator) if power > 0 else (size.denominator, size.numerator)
        numerator, denominator = numerator * up ** abs(power), denominator * down ** abs(power)
        for symbol, exponent in size.powers:
            if symbol.kind == "dim" and symbol.name in program.sizes and symbol.name != dim:
                open_sizes.append((program.sizes[symbol.name], power * exponent))
            elif symbol.kind == "axis" and (known := axes.get(symbol.name)) is not None:
                open_sizes.append((Monomial(known), power * exponent))
            else:
                return None
    return None


def _figure(name: str, names: Names, hardware: Hardware | None) -> float | None:
    if hardware is None:
        return None
    if name == "C":
        return hardware.flops.get(names.dtypes[0]) if names.dtypes else None
    if name.startswith("C_"):
        return hardware.flops.get(name[2:])
    return figure(hardware, name)


def _apply_constants(values: Values, names: Names, constants: Mapping[str, float]) -> tuple[str, ...]:
    by_name: dict[str, Symbol] = {}
    rates = names.hardware()
    for group in (rates, names.axes(), names.dims()):
        by_name.update(group)
    by_name.update({symbol.name: symbol for symbol in by_name.values()})
    if len(names.dtypes) == 1 and "C" in rates:
        by_name.setdefault(f"C_{names.dtypes[0]}", rates["C"])
    elif names.dtypes and f"C_{names.dtypes[0]}" in rates:
        by_name.setdefault("C", rates[f"C_{names.dtypes[0]}"])
    unused = []
    for name, value in constants.items():
        if name == "W_uni" and "W_uni" not in by_name:
            if "W_ici" in rates:
                values[rates["W_ici"]] = constants.get("W_ici", 2 * value)
        elif name in by_name:
            values[by_name[name]] = value
        elif name not in _USUAL:
            unused.append(name)
    return tuple(unused)


_USUAL = ("C", "W_uni", *RATE_NAMES)
