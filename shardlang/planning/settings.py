"""What a plan is made for: sizes as numbers for the search, prices, and what is allowed."""

from collections.abc import Callable
from math import prod
from typing import NamedTuple

from shardlang.limits import ENDLESS, Clock
from shardlang.planning.budget import Budget, Work
from shardlang.planning.search import Objective, whole
from shardlang.planning.searches import Searches
from shardlang.planning.sizes import NOMINAL_AXIS, NOMINAL_DIM, NOMINAL_MOST, Sizes
from shardlang.pricing.machine import Machine
from shardlang.semantics.dtypes import dtype_bytes
from shardlang.semantics.program import Program
from shardlang.semantics.size import Symbol, axis_symbol

FEMTOSECONDS = 1e15
_OPEN_AXES = 12  # more than any search goes over


class Settings(NamedTuple):
    """Options of planning.

    collective_time: seconds of a collective in the exact form, from (kind, operand bytes on a device, axes);
    math_rate: FLOPs/s by element type. Both None where no hardware is named: then bytes received are compared.
    machine: what plans for open sizes are timed on; None: bytes received are compared.
    alternatives: list other plans too, which takes longer. ways: look for the ways to mend what is refused; without
    them it is refused all the same. clock: the time of the call.
    searches: where what is searched is kept, and what was found before; for one text. budget, others: how much may be
    searched, for plans and for others beside them; that of a text, unless several share it.
    """

    collective_time: Callable[[str, float, tuple[str, ...]], float] | None = None
    math_rate: Callable[[str], float | None] | None = None
    machine: Machine | None = None
    idle_axes: bool = False
    alternatives: bool = False
    ways: bool = True
    uneven: bool = False
    reduce_dtype: str | None = None
    clock: Clock = ENDLESS
    searches: Searches | None = None
    budget: Budget | None = None
    others: Work | None = None


DEFAULTS = Settings()


def sizes_of(program: Program, uneven: bool = False) -> Sizes:
    """Return the sizes of a program as numbers, with nominal ones for what is open."""
    axes = {axis.name: axis.size for axis in program.mesh.axes if axis.size is not None}
    nominal: dict[Symbol, int] = {axis_symbol(name): size for name, size in axes.items()}
    dims: dict[str, int] = {}
    open_dims: set[str] = set()
    for name, size in program.sizes.items():
        if size.integer is not None:
            dims[name] = size.integer
            continue
        above, below = size.numerator, size.denominator
        for symbol, power in size.powers:
            factor = nominal.get(symbol, NOMINAL_AXIS if symbol.kind == "axis" else NOMINAL_DIM) ** abs(power)
            above, below = (above * factor, below) if power > 0 else (above, below * factor)
        dims[name] = min(max(1, above // below), NOMINAL_MOST)
        open_dims.add(name)
    return Sizes(axes, dims, frozenset(open_dims), uneven)


def objective_for(settings: Settings, sizes: Sizes, known: bool) -> Objective:
    """Return how plans are compared: time on the hardware if it is known, else bytes received.

    With a size open (`known` false) the number of collectives comes first.
    """
    reduced = dtype_bytes(settings.reduce_dtype).value if settings.reduce_dtype is not None else None
    if settings.collective_time is None or not known:
        devices: int = prod(sizes.axes.values()) * (1 if known else NOMINAL_AXIS**_OPEN_AXES)
        return Objective(None, known, devices**2, reduced)
    seconds = settings.collective_time

    def price(kind: str, operand_bytes: float, axes: tuple[str, ...]) -> int:
        return whole(seconds(kind, operand_bytes, axes) * FEMTOSECONDS)

    return Objective(price, known, 1, reduced)
