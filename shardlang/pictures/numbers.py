"""Numbers for curves: a plan's formulas at many values of one symbol, with the sizes that follow from it."""

from collections.abc import Iterator, Mapping, Sequence

from sympy import Expr, Symbol

from shardlang.cost.crossover import definitions
from shardlang.cost.estimate import Estimate
from shardlang.cost.values import Values, evaluate
from shardlang.limits import Clock
from shardlang.pictures.problem import PictureError

POINTS = 121


def spread(low: float, high: float, points: int = POINTS) -> tuple[float, ...]:
    """Return numbers from `low` to `high`, each the same multiple of the one before."""
    step = (high / low) ** (1 / (points - 1))
    return (*(low * step**at for at in range(points - 1)), high)


def values_with(estimate: Estimate, given: Mapping[Symbol, float]) -> Values:
    """Return what is known once the symbols of `given` have these numbers.

    A size that the text defines by others (`let F = 4*D`) follows them, unless it is itself in `given`.
    """
    values: Values = {**estimate.values, **given}
    defined = definitions(estimate.pricer.program, estimate.pricer.names)
    for _ in range(len(defined)):  # a definition may use another
        before = dict(values)
        for symbol, expr in defined.items():
            number = evaluate(expr, values) if symbol not in given else None
            if number is not None:
                values[symbol] = number
        if values == before:
            break
    return values


def curve(expr: Expr, ways: Sequence[tuple[float, Values]], clock: Clock) -> tuple[tuple[float, float], ...]:
    """Return the points of a formula, (x, number) for each of `ways` at which it has a positive number.

    Raises OutOfTimeError when the time of `clock` is used up.
    """
    found = []
    for x, values in ways:
        clock.check()
        y = evaluate(expr, values)
        if y is not None and y > 0:
            found.append((x, y))
    return tuple(found)


def require(estimate: Estimate, formulas: Iterator[Expr] | Sequence[Expr], values: Values, what: str) -> None:
    """Raise PictureError where a formula has a symbol without a number; it says which, and how to give them."""
    open_names = {symbol.name for formula in formulas for symbol in formula.free_symbols - set(values)}
    if not open_names:
        return
    table = estimate.pricer.names.table
    ordered = [name for name in table if name in open_names]
    rates = [name for name in ordered if table[name].kind == "hardware"]
    sizes = [name for name in ordered if table[name].kind != "hardware"]
    shown = " and ".join(", ".join(f"`{name}`" for name in names) for names in (sizes, rates) if names)
    ways = [f"--set {','.join(f'{name}=…' for name in sizes)}"] if sizes else []
    if rates:
        known = estimate.pricer.machine.hardware is not None
        ways.append(f"--set {','.join(f'{name}=…' for name in rates)}" if known else "--hw tpu-v5p")
    raise PictureError(f"{what} needs numbers, and {shown} {'is' if len(ordered) == 1 else 'are'} open", " ".join(ways))
