"""The exact conditions of planning, as SymPy has them."""

from sympy import Add, Expr, Integer, Mul, Pow, Symbol

from shardlang.cost.conditions import ALWAYS, NEVER, Condition
from shardlang.cost.maximum import maximum
from shardlang.cost.names import Names
from shardlang.semantics import inequality
from shardlang.semantics import size as sizes
from shardlang.semantics.polynomial import Polynomial, Powers


def exact_condition(found: inequality.Condition, names: Names) -> Condition:
    """Return a condition of planning with the symbols of a report."""
    if isinstance(found, bool):
        return ALWAYS if found else NEVER
    left, relation, right = inequality.shown(found)
    return Condition(_total(left, names), relation, _total(right, names))


def _total(products: tuple[inequality.Product, ...], names: Names) -> Expr:
    return Add(
        *(
            Mul(product.number, _powers(product.powers, names), *(_sum(s, names) for s in product.sums))
            for product in products
        )
    )


def _sum(polynomial: Polynomial, names: Names) -> Expr:
    return Add(*(number * _powers(powers, names) for powers, number in polynomial.terms.items()))


def _powers(powers: Powers, names: Names) -> Expr:
    return Mul(Integer(1), *(Pow(_symbol(symbol, names), power) for symbol, power in powers))


def _symbol(symbol: sizes.Symbol, names: Names) -> Expr:
    if symbol.kind == "dim" and symbol.name in names.dims():
        return names.dim(symbol.name)
    if symbol.kind == "axis" and symbol.name in names.axes():
        return names.axis(symbol.name)
    if symbol.kind == "hardware":
        dtype = symbol.name.removeprefix("C_")
        return names.rate(symbol.name) if dtype == symbol.name else names.flops(dtype)
    return _maximum(symbol.name) if symbol.kind == "max" else Symbol(symbol.name, positive=True)


def _maximum(text: str) -> Expr:
    """Return `Max(X, Y/2)`; what has sums or rates inside stays one symbol."""
    arguments = []
    for argument in text.removeprefix("Max(").removesuffix(")").split(", "):
        above, _, below = argument.partition("/")
        factors = above.split("*")
        if not all(factor.isidentifier() or factor.isdigit() for factor in factors) or not (below or "1").isdigit():
            return Symbol(text, positive=True)
        sizes = (Integer(f) if f.isdigit() else Symbol(f, positive=True) for f in factors)
        arguments.append(Mul(*sizes) / Integer(below or "1"))
    return maximum(*arguments)
