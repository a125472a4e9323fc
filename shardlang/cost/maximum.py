"""Maxima of sums, written down without what another argument exceeds."""

from collections.abc import Mapping, Sequence

from sympy import Expr, Integer, Max

from shardlang.cost.text import formula

ZERO = Integer(0)


def maximum(*expressions: Expr) -> Expr:
    """Return the largest, without arguments that another one exceeds term by term whatever the sizes are.

    SymPy's own `Max` compares all arguments by their signs, which takes milliseconds each.
    """
    flat: dict[Expr, None] = {}
    for expr in expressions:
        flat.update(dict.fromkeys(expr.args if isinstance(expr, Max) else (expr,)))
    flat.pop(ZERO, None)
    best: dict[Expr, Expr] = {}  # by what is left without the coefficient
    for expr in flat:
        coefficient, rest = expr.as_coeff_Mul()
        if rest not in best or coefficient > best[rest]:
            best[rest] = coefficient
    kept = [coefficient * rest for rest, coefficient in best.items()]
    if any(expr.is_Add for expr in kept) and len(kept) <= _COMPARED:
        parts = [expr.as_coefficients_dict() for expr in kept]
        kept = [expr for expr, part in zip(kept, parts, strict=True) if not any(_exceeds(o, part) for o in parts)]
    if not kept:
        return ZERO
    return kept[0] if len(kept) == 1 else in_printed_order(kept)


def in_printed_order(arguments: Sequence[Expr], kind: type[Expr] = Max) -> Expr:
    """Return the `Max`, or `Min`, of arguments that differ, as SymPy has it, in the order in which they are printed.

    SymPy puts them in an order of its own, which takes longer than all else about a formula.
    """
    found = Expr.__new__(kind, *sorted(arguments, key=formula))
    found._argset = frozenset(arguments)
    return found


_COMPARED = 30  # more arguments are not compared: the maximum is right without


def _exceeds(large: Mapping[Expr, Expr], small: Mapping[Expr, Expr]) -> bool:
    """Say whether one sum has every term of another one, at least as often, and they differ. All terms are positive."""
    return large != small and all(large.get(base, 0) >= coefficient for base, coefficient in small.items())
