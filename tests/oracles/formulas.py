"""Formulas as text, compared by value: equal at many points in exact arithmetic means equal."""

import random
import re
from collections.abc import Iterable, Mapping
from typing import Any

import sympy

from tests import symbolic

_WORD = re.compile(r"[^\W\d]\w*")
_FUNCTIONS = {"Max", "Min", "ceiling", "floor", "sqrt", "log", "Abs"}
_POINTS = 6


def read_formula(text: str) -> Any:
    """Read a formula that SymPy prints. Every word but a function becomes a positive symbol (also `N`, `S`, `I`).

    The peak rate is `C` however it is printed (`C_flops`, `C_bf16`), the size of an axis `X` even as `n_X`, and a
    one-way bandwidth is half of the bidirectional one.
    """
    names = set(_WORD.findall(text)) - _FUNCTIONS
    formula = symbolic.read_formula(text, names)
    return formula.subs({sympy.Symbol(name, positive=True): _meaning(name) for name in names})


def _meaning(name: str) -> Any:
    if name == "W_uni":
        return sympy.Symbol("W_ici", positive=True) / 2
    if re.fullmatch(r"C_\w+", name):
        name = "C"
    return sympy.Symbol(name.removeprefix("n_"), positive=True)


def renamed(formula: Any, names: Mapping[str, str]) -> Any:
    """Return a formula with other names, or formulas, for some of its symbols."""
    other = {sympy.Symbol(name, positive=True): read_formula(text) for name, text in names.items()}
    return formula.subs(other, simultaneous=True)


def same_formula(one: Any, other: Any, known: Mapping[str, int] | None = None) -> bool:
    """Say whether two formulas agree where the sizes in `known` have their values and the other symbols any."""
    values = {sympy.Symbol(name, positive=True): value for name, value in (known or {}).items()}
    difference = (one - other).subs(values)
    symbols = sorted(difference.free_symbols, key=str)
    draw = random.Random(20)
    return all(difference.subs(_point(symbols, draw)) == 0 for _ in range(_POINTS))


def _point(symbols: Iterable[Any], draw: random.Random) -> dict[Any, int]:
    return {symbol: draw.randint(2, 10**6) for symbol in symbols}


def grows_with(formula: Any, symbol: str) -> bool:
    """Say whether a formula that is monotone in `symbol` increases with it, at a point of positive values."""
    draw = random.Random(20)
    point = _point(sorted(formula.free_symbols, key=str), draw)
    at = sympy.Symbol(symbol, positive=True)
    return bool(formula.subs({**point, at: 20}) > formula.subs({**point, at: 10}))
