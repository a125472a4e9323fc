"""When one price is larger than another, in the form that people write: `B/X > C/W_ici`."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from sympy import Expr, Integer, Symbol

from shardlang.cost import terms as t
from shardlang.cost.terms import Term
from shardlang.cost.text import formula
from shardlang.cost.values import evaluate

_ONE = Term(Integer(1), ())
FLIPPED = {">": "<", "<": ">"}


class Condition(NamedTuple):
    """`left relation right`: sizes on the left, numbers and rates of the hardware on the right.

    relation: `>`, `<`, or `always` / `never` where the comparison does not depend on anything.
    """

    left: Expr
    relation: str
    right: Expr

    @property
    def text(self) -> str:
        """The condition as text, every side as SymPy would parse it."""
        if self.relation in ("always", "never"):
            return self.relation
        return f"{formula(self.left)} {self.relation} {formula(self.right)}"

    def holds(self, values: Mapping[Symbol, float]) -> bool | None:
        """Say whether the condition is true of these numbers; None while a symbol is open."""
        if self.relation in ("always", "never"):
            return self.relation == "always"
        left, right = evaluate(self.left, values), evaluate(self.right, values)
        if left is None or right is None:
            return None
        return left > right if self.relation == ">" else left < right


ALWAYS = Condition(Integer(0), "always", Integer(0))
NEVER = Condition(Integer(0), "never", Integer(0))


def difference(larger: Sequence[Term], smaller: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """Return the terms of `larger - smaller` that are positive, and those that are negative, with their signs taken off.

    What both have in common is cancelled, and so is every factor that all terms share.
    """
    rest = t.collect([*larger, *(Term(-term.coefficient, term.powers) for term in smaller)])
    if rest:
        shared = t.common(rest)
        rest = [t.divided(term, shared) for term in rest]
    positive = [term for term in rest if term.coefficient > 0]
    negative = [Term(-term.coefficient, term.powers) for term in rest if term.coefficient < 0]
    return positive, negative


@lru_cache(maxsize=64)
def compare(larger: Expr, smaller: Expr, sizes: frozenset[Symbol]) -> Condition:
    """Return the condition under which `larger > smaller`; `sizes` are the symbols that belong on the left."""
    positive, negative = difference(t.terms_of(larger), t.terms_of(smaller))
    return condition_of(positive, negative, sizes)


def condition_of(positive: list[Term], negative: list[Term], sizes: frozenset[Symbol]) -> Condition:
    """Return `sum of positive > sum of negative` in readable form."""
    if not positive:
        return NEVER
    if not negative:
        return ALWAYS
    if len(positive) == 1 and len(negative) == 1:
        return _ratio(t.divided(positive[0], negative[0]), sizes)
    if len(positive) == 1:
        return _sum(negative, positive[0], "<", sizes)
    if len(negative) == 1:
        return _sum(positive, negative[0], ">", sizes)
    return _fraction(positive, negative, sizes)


def _fraction(positive: list[Term], negative: list[Term], sizes: frozenset[Symbol]) -> Condition:
    """Return `sum / sum > rates` where the rates can be taken out of both sums, else `sum > sum`."""
    above, below = (t.common(t.split(term, sizes)[1] for term in side) for side in (positive, negative))
    over = [t.divided(term, above) for term in positive]
    under = [t.divided(term, below) for term in negative]
    if not above.powers or any(t.split(term, sizes)[1].powers for term in (*over, *under)):
        return Condition(t.total(positive), ">", t.total(negative))
    return Condition(t.total(over) / t.total(under), ">", t.expression(t.divided(below, above)))


def _ratio(ratio: Term, sizes: frozenset[Symbol]) -> Condition:
    """Return `ratio > 1` with the sizes on the left."""
    left, rest = t.split(ratio, sizes)
    if not left.powers:
        up = Term(Integer(1), tuple((b, p) for b, p in rest.powers if p > 0))
        return Condition(t.expression(up), ">", t.expression(t.divided(up, rest)))
    right = t.raised(rest, Integer(-1))
    degrees = {abs(power) for _, power in left.powers}
    if len(degrees) == 1 and degrees != {Integer(1)}:
        root = 1 / degrees.pop()
        left, right = t.raised(left, root), t.raised(right, root)
    falls = [power < 0 for _, power in left.powers]
    below = [str(base) for base, power in right.powers if power < 0]
    if all(falls) or (any(falls) and any(name.startswith("C") for name in below)):  # as C/W_ici, the usual intensity
        return Condition(t.expression(t.raised(left, Integer(-1))), "<", t.expression(t.raised(right, Integer(-1))))
    return Condition(t.expression(left), ">", t.expression(right))


def _sum(many: list[Term], one: Term, relation: str, sizes: frozenset[Symbol]) -> Condition:
    """Return `sum of many relation one`, with what the addends share in rates and numbers on the right."""
    ratios = [t.divided(term, one) for term in many]
    outside = t.common(t.split(ratio, sizes)[1] for ratio in ratios)
    left = t.total(t.divided(ratio, outside) for ratio in ratios)
    return Condition(left, relation, t.expression(t.divided(_ONE, outside)))
