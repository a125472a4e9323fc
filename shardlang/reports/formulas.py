"""SymPy expressions as a person writes them: `2·B·D/(X·W_ici)`, and the same in LaTeX.

Factors stand in the order of the notation (numbers, dimensions, mesh axes, rates), where SymPy's own
printers have the alphabet.
"""

from collections.abc import Mapping

from sympy import Add, Expr, Function, Integer, Max, Min, Mul, Pow, Rational, Symbol, ceiling, log

from shardlang.cost.text import formula as plain_formula
from shardlang.reports.units import plain_number

_RANK = {"dimension": 0, "mesh axis": 1, "hardware": 2}
_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_LN2 = log(2)
_HALVES = (Rational(1, 2), Rational(-1, 2))


class _Log2(Function):  # type: ignore[misc]
    """The logarithm to base 2, which SymPy has as a quotient."""


class FormulaPrinter:
    """Prints expressions. `kinds` has the kind of each symbol (`dimension`, `mesh axis`, `hardware`) by its name."""

    def __init__(self, kinds: Mapping[str, str], latex: bool = False) -> None:
        self.names = tuple(kinds)
        self._latex = latex
        self._keys: dict[Expr, tuple[object, ...]] = {}
        self._texts: dict[Expr, tuple[str, int]] = {}
        self._order = {name: (_RANK.get(kind, 0), at) for at, (name, kind) in enumerate(kinds.items())}

    def formula(self, expr: Expr, level: int = _SUM) -> str:
        """Return `expr` as text, in parentheses if it binds less tightly than `level`."""
        if expr not in self._texts:
            self._texts[expr] = self._formula(expr)  # a table prints the same formula many times
        text, own = self._texts[expr]
        return self._group(text) if own < level else text

    def _formula(self, expr: Expr) -> tuple[str, int]:
        if isinstance(expr, Symbol):
            return self._name(expr.name), _ATOM
        if isinstance(expr, Add):
            return self._sum(expr), _SUM
        if isinstance(expr, Mul | Pow | Rational):
            return self._product(expr)
        if isinstance(expr, Max | Min | ceiling | log | _Log2):
            return self._call(expr), _ATOM
        if expr.is_number:
            return plain_number(float(expr)), _ATOM
        return str(expr), _SUM

    def _sum(self, expr: Add) -> str:
        first, *rest = sorted(
            expr.args, key=lambda addend: (addend.could_extract_minus_sign(), addend.is_number, self._key(addend))
        )
        text = self.formula(first, _SUM)
        for addend in rest:
            minus = addend.could_extract_minus_sign()
            text += (" - " if minus else " + ") + self.formula(-addend if minus else addend, _PRODUCT)
        return text

    def _product(self, expr: Expr) -> tuple[str, int]:
        expr = _with_log2(expr)
        if isinstance(expr, _Log2):
            return self._call(expr), _ATOM
        if expr.could_extract_minus_sign():
            return f"-{self.formula(-expr, _PRODUCT)}", _SUM
        roots = [factor for factor in Mul.make_args(expr) if factor.as_base_exp()[1] in _HALVES]
        if len(roots) > 1:
            return self._rooted(expr, roots)
        above, below = _parts(expr)
        if not below:
            return self._factors(above)
        top, bottom = self._factors(above)[0], self._factors(below)
        if self._latex:
            return f"\\frac{{{top}}}{{{bottom[0]}}}", _PRODUCT
        if len(above) == 1 and isinstance(above[0], Add):
            top = self._group(top)
        many = bottom[1] < _POWER
        return f"{top}/{self._group(bottom[0]) if many else bottom[0]}", _PRODUCT

    def _rooted(self, expr: Expr, roots: list[Expr]) -> tuple[str, int]:
        """Return a product with its square roots under one sign."""
        inside = self.formula(Mul(*(root**2 for root in roots)))
        root = f"\\sqrt{{{inside}}}" if self._latex else f"sqrt({inside})"
        rest = Mul(*(factor for factor in Mul.make_args(expr) if factor not in roots))
        if rest == 1:
            return root, _ATOM
        above, below = _parts(rest)
        top = f"{self._factors(above)[0]}{' ' if self._latex else '·'}{root}" if above else root
        if len(above) == 1 and isinstance(above[0], Add):
            top = f"{self._group(self.formula(above[0]))}{' ' if self._latex else '·'}{root}"
        if not below:
            return top, _PRODUCT
        bottom, own = self._factors(below)
        if self._latex:
            return f"\\frac{{{top}}}{{{bottom}}}", _PRODUCT
        return f"{top}/{self._group(bottom) if own < _POWER else bottom}", _PRODUCT

    def _factors(self, unordered: list[Expr]) -> tuple[str, int]:
        """Return the product of factors without denominators."""
        factors = sorted(unordered, key=self._key)
        if not factors:
            return "1", _ATOM
        if len(factors) == 1:
            return self._number(factors[0]) if isinstance(factors[0], Rational) else self._power(factors[0])
        dot = (
            r" \cdot "
            if self._latex and any(factor.is_number for factor in factors[1:])
            else " "
            if self._latex
            else "·"
        )
        return dot.join(self._factor(factor) for factor in factors), _PRODUCT

    def _factor(self, expr: Expr) -> str:
        text, own = self._factors([expr])
        return self._group(text) if own < _PRODUCT else text

    def _power(self, expr: Expr) -> tuple[str, int]:
        base, exponent = expr.as_base_exp()
        if exponent == 1:
            return self._formula(base)
        if exponent == Rational(1, 2):
            inner = self.formula(base)
            return (f"\\sqrt{{{inner}}}" if self._latex else f"sqrt({inner})"), _ATOM
        inner, power = self.formula(base, _ATOM), self.formula(exponent, _SUM if self._latex else _ATOM)
        return (f"{inner}^{{{power}}}" if self._latex else f"{inner}^{power}"), _POWER

    def _number(self, expr: Rational) -> tuple[str, int]:
        return (str(expr.p), _ATOM) if abs(expr.p) < 10**15 else (plain_number(float(expr)), _ATOM)

    def _call(self, expr: Expr) -> str:
        names = {Max: "max", Min: "min", ceiling: "ceil", log: "ln", _Log2: "log2"}
        name = next(text for kind, text in names.items() if isinstance(expr, kind))
        arguments = ", ".join(self.formula(argument) for argument in sorted(expr.args, key=self._key))
        if not self._latex:
            return f"{name}({arguments})"
        if name == "ceil":
            return f"\\lceil {arguments} \\rceil"
        name = "log_2" if name == "log2" else name
        return f"\\{name}\\left({arguments}\\right)"

    def _name(self, name: str) -> str:
        if not self._latex:
            return name
        stem, _, tail = name.partition("_")
        shown = stem if len(stem) == 1 else f"\\text{{{stem}}}"
        tail = tail.replace("_", r"\_")
        return f"{shown}_{{\\text{{{tail}}}}}" if tail else shown

    def _group(self, text: str) -> str:
        return f"\\left({text}\\right)" if self._latex else f"({text})"

    def _key(self, expr: Expr) -> tuple[object, ...]:
        """Order factors and addends: numbers, then by the kinds of their symbols and the order in which these came up."""
        if expr not in self._keys:
            self._keys[expr] = self._new_key(expr)
        return self._keys[expr]

    def _new_key(self, expr: Expr) -> tuple[object, ...]:
        if expr.is_number:
            return (-1, (), "")
        ranks = sorted(self._order.get(symbol.name, (0, len(self._order))) for symbol in expr.free_symbols)
        kind = 0 if isinstance(expr, Symbol | Pow) else 2 if isinstance(expr, Max | Min) else 1
        return (kind, tuple(ranks), plain_formula(expr))


def _with_log2(expr: Expr) -> Expr:
    """Return a product with `log(X)/log(2)`, or one over it, as one logarithm to base 2."""
    factors = dict(factor.as_base_exp() for factor in Mul.make_args(expr))
    power = factors.pop(_LN2, None)
    found = (
        next((base for base, other in factors.items() if isinstance(base, log) and other == -power), None)
        if power
        else None
    )
    if found is None:
        return expr
    del factors[found]
    return Mul(*(Pow(base, other) for base, other in factors.items()), Pow(_Log2(*found.args), -power))


def _parts(expr: Expr) -> tuple[list[Expr], list[Expr]]:
    """Return the factors above and below the bar. SymPy's own `fraction` multiplies a number into a sum: `2·X - 2`."""
    coefficient, rest = expr.as_coeff_Mul()
    above, below = [coefficient], []
    if isinstance(coefficient, Rational):
        above, below = [Integer(coefficient.p)], [Integer(coefficient.q)]
    for factor in Mul.make_args(rest):
        base, exponent = factor.as_base_exp()
        if exponent.is_Rational and exponent < 0:
            below.append(Pow(base, -exponent))
        else:
            above.append(factor)
    return [factor for factor in above if factor != 1], [factor for factor in below if factor != 1]
