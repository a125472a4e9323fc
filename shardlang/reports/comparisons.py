"""Conditions with the numbers of both sides: `B/X > C/W_ici`, `C/W_ici = 2550`, here `B/X = 2048`."""

from collections.abc import Iterator

from shardlang.cost.conditions import Condition
from shardlang.cost.estimate import Estimate
from shardlang.reports.document import Line, Math, Piece
from shardlang.reports.units import plain_number


def ratio(number: float) -> str:
    """Return a ratio of rates or sizes for people: `2550`, and `1/2550` for what is less than a tenth."""
    return f"1/{plain_number(1 / number)}" if 0 < number < 0.1 else plain_number(number)


CLOSED = {"<": "≤", ">": "≥"}
"""Of a relation the sign with which its end counts too: what has to fit may fill the memory."""


def condition_piece(condition: Condition, closed: bool = False) -> Piece:
    """Return a condition as one formula, or the word for one that does not depend on anything. closed: see `CLOSED`."""
    if condition.relation in ("always", "never"):
        return condition.relation
    return Math((condition.left, CLOSED[condition.relation] if closed else condition.relation, condition.right))


def _holds(estimate: Estimate, condition: Condition, closed: bool) -> bool | None:
    held = condition.holds(estimate.values)
    if closed and held is False and condition.relation in CLOSED:
        return estimate.value(condition.left) == estimate.value(condition.right)
    return held


def thresholds(estimate: Estimate, conditions: list[Condition]) -> Line:
    """Return the numbers of the right sides, which are rates, and sizes beside them only where those are known."""
    line: list[Piece] = []
    sizes = estimate.size_symbols()
    for right in dict.fromkeys(c.right for c in conditions if c.left.free_symbols <= sizes):
        number = estimate.value(right)
        if number is not None and right.free_symbols - sizes:
            line += [", "] if line else []
            line.append(Math((right, "=", ratio(number))))
    return tuple(line)


def here(estimate: Estimate, conditions: list[Condition], closed: bool = False) -> Iterator[tuple[Line, ...]]:
    """Yield a row with the numbers of the left sides and the verdict, where all of it is known. closed: see `CLOSED`."""
    holds = [_holds(estimate, condition, closed) for condition in conditions]
    line: list[Piece] = []
    for left in dict.fromkeys(condition.left for condition in conditions if condition.left.free_symbols):
        number = estimate.value(left)
        if number is not None:
            line += [", "] if line else []
            line.append(Math((left, "=", ratio(number))))
    if None not in holds and line:
        yield (("  here",), tuple(line), ("holds" if all(holds) else "does not hold",))
