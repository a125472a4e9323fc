"""Formulas as text that SymPy would parse, in a fixed order: `2*B*D/(W_ici*X)`.

SymPy's own printer takes a quarter of a millisecond a formula; a long plan has tens of thousands.
"""

from functools import lru_cache

from sympy import Add, Expr, Function, Integer, Max, Min, Mul, Pow, Rational, Symbol


@lru_cache(maxsize=65536)
def formula(expr: Expr) -> str:
    """Return the formula of an expression: factors and addends by name, one fraction bar, negative addends last."""
    if isinstance(expr, Symbol | Integer):
        return str(expr)
    if isinstance(expr, Rational):
        return f"{expr.p}/{expr.q}"
    if isinstance(expr, Add):
        return _sum(expr)
    if isinstance(expr, Mul):
        return _product(expr)
    if isinstance(expr, Pow):
        return _product(expr) if expr.exp.is_negative else _power(expr.base, expr.exp)
    if isinstance(expr, Max | Min):
        return f"{type(expr).__name__}({', '.join(sorted(formula(arg) for arg in expr.args))})"
    return str(expr)


def _sum(expr: Expr) -> str:
    plus, minus = [], []
    for addend in expr.args:
        text = formula(addend)
        if text.startswith("-"):
            minus.append(text[1:])
        else:
            plus.append(text)
    plus.sort(key=_numbers_last)
    minus.sort(key=_numbers_last)
    head = " + ".join(plus) if plus else f"-{minus.pop(0)}"
    return "".join([head, *(f" - {text}" for text in minus)])


def _numbers_last(text: str) -> tuple[bool, str]:
    return text[0].isdigit() and text.replace("/", "").isdigit(), text.lstrip("0123456789*")


def _product(expr: Expr) -> str:
    coefficient, rest = expr.as_coeff_Mul()
    up, down = [], []
    for factor in Mul.make_args(rest):
        base, exponent = factor.as_base_exp()
        if exponent.is_Rational and exponent < 0:
            down.append(_power(base, -exponent))
        elif factor != 1:
            up.append(_power(base, exponent))
    if not coefficient.is_Rational:
        return str(expr)
    up.sort(key=_bare)
    down.sort(key=_bare)
    if abs(coefficient.p) != 1 or not up:
        up.insert(0, str(abs(coefficient.p)))
    if coefficient.q != 1:
        down.insert(0, str(coefficient.q))
    sign = "-" if coefficient < 0 else ""
    if not down:
        return sign + "*".join(up)
    below = down[0] if len(down) == 1 else f"({'*'.join(down)})"
    return f"{sign}{'*'.join(up)}/{below}"


def _bare(text: str) -> str:
    return text.lstrip("(")


def _power(base: Expr, exponent: Expr) -> str:
    if exponent == Rational(1, 2):
        return f"sqrt({formula(base)})"
    text = formula(base)
    if not isinstance(base, Symbol | Function | Max | Min):
        text = f"({text})" if not (isinstance(base, Integer) and base >= 0) else text
    if exponent == 1:
        return text
    power = formula(exponent)
    return f"{text}**{power if exponent.is_Integer and exponent > 0 else f'({power})'}"
