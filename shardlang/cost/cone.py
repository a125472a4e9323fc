"""Whether a vector is a sum of some others, each as often as one likes but not less than no times: exact, in fractions.

The first half of the simplex method, with Bland's rule, which never goes round in circles.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

Vector: TypeAlias = Sequence[Fraction | int]
_Row: TypeAlias = dict[int, Fraction]


def spans(strict: Sequence[Vector], weak: Sequence[Vector], wanted: Vector) -> bool:
    """Say whether `wanted` is a sum with factors of at least 0 of these vectors, one of `strict` with more than 0.

    Of a vector that is not zero and its multiples one is such a sum if it is; so the factors of `strict` are made to
    add up to 1, and the multiple of `wanted` is left open. Where the zero vector is such a sum the answer says nothing.
    """
    columns = [[*vector, 1] for vector in strict] + [[*vector, 0] for vector in weak]
    columns.append([*(-number for number in wanted), 0])
    return _feasible(columns, [0] * len(wanted) + [1])


def _feasible(columns: Sequence[Vector], right: Vector) -> bool:
    """Say whether factors of at least 0 of `columns` give `right`, which has no negative number.

    A row has its numbers that are not zero, by column; the right side stands at `count`.
    """
    count = len(columns)
    rows = [
        {at: Fraction(column[row]) for at, column in enumerate(columns) if column[row]} for row in range(len(right))
    ]
    for row, number in zip(rows, right, strict=True):
        _add(row, {count: Fraction(number)}, Fraction(1))
    basis = [count + 1 + at for at in range(len(rows))]  # a variable of its own for each row, to be got rid of
    missing: _Row = {}
    for row in rows:
        _add(missing, row, Fraction(1))
    while missing.get(count, 0) > 0:
        enters = min((at for at, number in missing.items() if at < count and number > 0), default=None)
        if enters is None:
            return False
        leaves = min(
            (at for at, row in enumerate(rows) if row.get(enters, 0) > 0),
            key=lambda at: (rows[at].get(count, 0) / rows[at][enters], basis[at]),
        )
        pivot = {at: number / rows[leaves][enters] for at, number in rows[leaves].items()}
        for at, row in enumerate(rows):
            if at != leaves and enters in row:
                _add(row, pivot, -row[enters])
        _add(missing, pivot, -missing[enters])
        rows[leaves], basis[leaves] = pivot, enters
    return True


def _add(row: _Row, other: _Row, factor: Fraction) -> None:
    """Add a multiple of a row to another one."""
    for at, number in [*other.items()]:
        total = row.get(at, 0) + factor * number
        if total:
            row[at] = total
        elif at in row:
            del row[at]
