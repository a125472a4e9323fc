"""The exact conditions of planning, as SymPy has them."""

from collections.abc import Mapping
from typing import TypeAlias

from sympy import Add, Expr, Integer, Mul, Pow, Symbol

from shardlang.cost.conditions import ALWAYS, NEVER, Condition
from shardlang.cost.maximum import maximum
from shardlang.cost.names import Names
from shardlang.semantics import inequality
from shardlang.semantics import size as sizes
from shardlang.semantics.polynomial import Polynomial, Powers

Maxima: TypeAlias = Mapping[sizes.Symbol, Expr]


def exact_condition(found: inequality.Condition, names: Names) -> Condition:
    """Return a condition of planning with the symbols of a report."""
    if isinstance(found, bool):
        return ALWAYS if found else NEVER
    left, relation, right = inequality.shown(found)
    maxima: dict[sizes.Symbol, Expr] = {}
    for symbol, arguments in found.maxima.items():
        maxima[symbol] = maximum(*(_sum(argument, names, maxima) for argument in arguments))
    return Condition(_total(left, names, maxima), relation, _total(right, names, maxima))


def _total(products: tuple[inequality.Product, ...], names: Names, maxima: Maxima) -> Expr:
    return Add(
        *(
            Mul(product.number, _powers(product.powers, names, maxima), *(_sum(s, names, maxima) for s in product.sums))
            for product in products
        )
    )


def _sum(polynomial: Polynomial, names: Names, maxima: Maxima) -> Expr:
    terms = (number * _powers(powers, names, maxima) for powers, number in polynomial.terms.items())
    return Add(*terms) / polynomial.denominator


def _powers(powers: Powers, names: Names, maxima: Maxima) -> Expr:
    return Mul(Integer(1), *(Pow(_symbol(symbol, names, maxima), power) for symbol, power in powers))


def _symbol(symbol: sizes.Symbol, names: Names, maxima: Maxima) -> Expr:
    if symbol in maxima:
        return maxima[symbol]
    if symbol.kind == "dim" and symbol.name in names.dims():
        return names.dim(symbol.name)
    if symbol.kind == "axis" and symbol.name in names.axes():
        return names.axis(symbol.name)
    if symbol.kind == "hardware":
        dtype = symbol.name.removeprefix("C_")
        return names.rate(symbol.name) if dtype == symbol.name else names.flops(dtype)
    return Symbol(symbol.name, positive=True)
