"""The one place where text becomes a SymPy expression, which runs it as Python code.

Only formulas that are committed here or that shardlang printed go in, to be compared by meaning; the package itself
never reads a formula this way.
"""

from collections.abc import Iterable
from typing import Any

import sympy


def read_formula(text: str, names: Iterable[str]) -> Any:
    """Return `text` as SymPy reads it, with `names` as positive symbols (also `N`, `S`, `I`, which SymPy has itself)."""
    return sympy.sympify(text, locals={name: sympy.Symbol(name, positive=True) for name in names})
