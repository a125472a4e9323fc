"""The price of a plan as one table, and its crossovers as another, for notebooks."""

from collections.abc import Iterator, Sequence

from sympy import Expr

from shardlang.cost.crossover import Crossover
from shardlang.cost.estimate import Estimate
from shardlang.cost.prices import Prices
from shardlang.reports.document import Block, Code, Line, Math, Strong, Table
from shardlang.reports.units import plain_number, quantity
from shardlang.rules.text import value_text

_COLUMNS = (
    ("FLOPs", "flops", "FLOPs"),
    ("T_math", "t_math", "s"),
    ("T_comms", "t_comms", "s"),
    ("T_hbm", "t_hbm", "s"),
    ("memory", "memory", "bytes"),
)


def cost_blocks(estimate: Estimate, lines: Sequence[int]) -> Iterator[Block]:
    """Yield a row a statement and one of the plan: each price as a formula, with the number where it is known."""
    rows: list[tuple[Line, ...]] = [((Strong("line"),), (Strong("makes"),), *((Strong(c[0]),) for c in _COLUMNS))]
    for line, statement in zip(lines, estimate.statements, strict=True):
        output = statement.plan.output
        if output is None:
            rows.append(((str(line),), ("refused",)))
        else:
            rows.append(((str(line),), (Code(value_text(output)),), *_cells(estimate, statement)))
    if len(rows) > 2:
        rows.append((("",), ("the plan, per device",), *_cells(estimate, estimate)))
    yield Table(tuple(rows))


def crossover_blocks(crossovers: Sequence[Crossover]) -> Iterator[Block]:
    """Yield a row a pair of roofs: when the first is longer than the second, and what that requires besides."""
    rows: list[tuple[Line, ...]] = [tuple((Strong(name),) for name in ("roofs", "when", "number", "requires"))]
    for found in crossovers:
        when: Line = ("",) if found.threshold is None else (Math((found.variable, found.relation, found.threshold)),)
        number = "" if found.value is None else plain_number(found.value)
        requires = "; ".join(found.requires)
        rows.append(((f"{found.between[0]} > {found.between[1]}",), when, (number,), (requires,)))
    yield Table(tuple(rows))


def _cells(estimate: Estimate, prices: Prices) -> Iterator[Line]:
    for _, name, unit in _COLUMNS:
        yield _cell(estimate, getattr(prices, name), unit)


def _cell(estimate: Estimate, expr: Expr, unit: str) -> Line:
    value = estimate.value(expr)
    number = "" if value is None or expr == 0 else f" = {quantity(value, unit)}"
    return (Math((expr,)), number)
