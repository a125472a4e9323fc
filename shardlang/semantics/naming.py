"""What sizes and rates are called in formulas: a dimension by its name, a mesh axis too unless a dimension has it.

Source: NOTATION section 1. `X` is a dimension or an axis, `n_X` the axis where both exist; a rate gets out of the way
of either (`C_flops`).
"""

import keyword
from collections.abc import Iterable

from shardlang.semantics.sharding import dim_text


class SizeNames:
    """The names of dimensions and mesh axes in the formulas of one plan. `taken` holds what no other symbol may be called."""

    def __init__(self, dims: Iterable[str], axes: Iterable[str]) -> None:
        self.taken: set[str] = set()
        self._rates: dict[str, str] = {}
        self.dims = {dim: self.new(printable(dim)) for dim in dict.fromkeys(dims)}
        self.axes: dict[str, str] = {}
        for axis in dict.fromkeys(axes):
            name = printable(axis)
            self.axes[axis] = self.new(name if name not in self.taken else f"n_{name}")

    def rate(self, name: str) -> str:
        """Return what a rate is called: its usual name, `C_flops` or `W_ici_hw` where a size has that."""
        if name not in self._rates:
            other = f"{name}_flops" if name.partition("_")[0] == "C" else f"{name}_hw"
            self._rates[name] = self.new(name if name not in self.taken else other)
        return self._rates[name]

    def new(self, name: str) -> str:
        """Take a name, with underscores after it while it is taken."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


def printable(name: str) -> str:
    """Return the name as SymPy would parse it back: primes spelled out, no braces, no word of Python."""
    text = dim_text(name)
    if not text.isidentifier():
        text = text.replace("'", "_prime").replace("′", "_prime").replace("…", "rest").replace("...", "rest")
        text = "".join(c if c.isidentifier() or c.isdigit() else "_" for c in text).strip("_") or "rest"
        text = text if text.isidentifier() else f"n_{text}"
    return f"{text}_" if keyword.iskeyword(text) else text
