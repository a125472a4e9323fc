"""Formulas with other symbols in them, as if they had been made with these.

A long plan repeats a few kinds of statement and of array, with other dimensions in each layer. To put other symbols into a
formula takes a small part of the time of making it.
"""

from collections.abc import Mapping
from functools import cmp_to_key

from sympy import Add, Basic, Expr, Max, Mul, Symbol

from shardlang.cost.maximum import in_printed_order


class Renaming:
    """Puts other symbols in the place of those of dimensions. Each part of a formula is made once."""

    def __init__(self, symbols: Mapping[Symbol, Symbol]) -> None:
        self._done: dict[Expr, Expr] = {old: new for old, new in symbols.items() if old != new}
        self._changes = bool(self._done)

    def of(self, expr: Expr) -> Expr:
        """Return a formula with the other symbols, in the form that pricing gives it."""
        if not self._changes:
            return expr
        found = self._done.get(expr)
        if found is None:
            found = self._done[expr] = self._made(expr)
        return found

    def _made(self, expr: Expr) -> Expr:
        args = [self.of(arg) for arg in expr.args]
        if all(new is old for new, old in zip(args, expr.args, strict=True)):
            return expr
        if isinstance(expr, Max):
            return in_printed_order(args)
        return _in_order(expr, args) if isinstance(expr, Add | Mul) else expr.func(*args)


def _in_order(expr: Expr, args: list[Expr]) -> Expr:
    """Return a sum or a product: what differed still does, so that there is nothing to collect, and only the order changes."""
    numbers = 1 if args[0].is_Number else 0
    return expr.func._from_args([*args[:numbers], *sorted(args[numbers:], key=_ORDER)], is_commutative=True)


_ORDER = cmp_to_key(Basic.compare)  # that of SymPy's own sums and products
