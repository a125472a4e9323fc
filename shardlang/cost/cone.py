"""Whether a vector is a sum of some others, each as often as one likes but not less than no times: exact, in fractions.

The first half of the simplex method, with Bland's rule, which never goes round in circles.
"""

from collections.abc import Sequence
from fractions import Fraction

Vector = Sequence[Fraction | int]


def spans(strict: Sequence[Vector], weak: Sequence[Vector], wanted: Vector) -> bool:
    """Say whether `wanted` is a sum with factors of at least 0 of these vectors, one of `strict` with more than 0.

    Of a vector that is not zero and its multiples one is such a sum if it is; so the factors of `strict` are made to
    add up to 1, and the multiple of `wanted` is left open. Where the zero vector is such a sum the answer says nothing.
    """
    columns = [[*vector, 1] for vector in strict] + [[*vector, 0] for vector in weak]
    columns.append([*(-number for number in wanted), 0])
    return _feasible(columns, [0] * len(wanted) + [1])


def _feasible(columns: Sequence[Vector], right: Vector) -> bool:
    """Say whether factors of at least 0 of `columns` give `right`, which has no negative number."""
    rows = [[Fraction(column[at]) for column in columns] + [Fraction(right[at])] for at in range(len(right))]
    count = len(columns)
    basis = [count + at for at in range(len(rows))]  # a variable of its own for each row, to be got rid of
    missing = [sum((row[at] for row in rows), Fraction(0)) for at in range(count + 1)]
    while missing[count] > 0:
        enters = next((at for at in range(count) if missing[at] > 0), None)
        if enters is None:
            return False
        leaves = min(
            (at for at, row in enumerate(rows) if row[enters] > 0),
            key=lambda at: (rows[at][count] / rows[at][enters], basis[at]),
        )
        pivot = [number / rows[leaves][enters] for number in rows[leaves]]
        for at, row in enumerate(rows):
            if at != leaves and row[enters]:
                rows[at] = [a - row[enters] * b for a, b in zip(row, pivot, strict=True)]
        missing = [a - missing[enters] * b for a, b in zip(missing, pivot, strict=True)]
        rows[leaves], basis[leaves] = pivot, enters
    return True
