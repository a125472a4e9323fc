"""When one price is larger than another, in the form that people write: `B/X > C/W_ici`."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from sympy import Expr, Integer, Max, Rational, Symbol

from shardlang.cost import terms as t
from shardlang.cost.signs import decide
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
def compare(larger: Expr, smaller: Expr, sizes: frozenset[Symbol], axes: frozenset[Symbol] = frozenset()) -> Condition:
    """Return the condition under which `larger > smaller`.

    sizes: the symbols of dimensions (at least 1) and mesh axes, which belong on the left. axes: those of mesh axes
    (at least 2).
    """
    positive, negative = difference(t.terms_of(larger), t.terms_of(smaller))
    return condition_of(positive, negative, sizes, axes)


def condition_of(
    positive: list[Term], negative: list[Term], sizes: frozenset[Symbol], axes: frozenset[Symbol] = frozenset()
) -> Condition:
    """Return `sum of positive > sum of negative` in readable form."""
    if not positive:
        return NEVER
    if not negative:
        return ALWAYS
    decided = decide(positive, negative, sizes, axes)
    if decided:
        return ALWAYS if decided == "always" else NEVER
    ratio = t.proportion(positive, negative)
    if ratio is not None:
        return _without_maximum(ratio) or _alone(_ratio(ratio, sizes))
    if len(positive) == 1:
        found = _sum(negative, positive[0], "<", sizes)
    elif len(negative) == 1:
        found = _sum(positive, negative[0], ">", sizes)
    else:
        found = _fraction(positive, negative, sizes)
    if not found.right.free_symbols <= sizes and found.left.free_symbols <= sizes:
        return found
    return _shortest([*_reciprocals(positive, negative, sizes, axes), found])


NAME = re.compile(r"[A-Za-z]\w*")
_COMPARED = 12  # a longer condition is not made shorter by another form of it


def _shortest(conditions: list[Condition]) -> Condition:
    """Return the condition that names the fewest symbols, each as often as it stands there; of equals the shortest."""

    def length(condition: Condition) -> tuple[int, int]:
        text = condition.text
        return len(NAME.findall(text)), len(text)

    return conditions[0] if len(conditions) == 1 else min(conditions, key=length)


def _reciprocals(
    positive: list[Term], negative: list[Term], sizes: frozenset[Symbol], axes: frozenset[Symbol]
) -> list[Condition]:
    """Return the forms of a comparison divided by one of its terms, or by what is like FLOPs if no rate is left.

    Like FLOPs is the product of all dimensions over all axes; divided by that, bytes become `X/B` and `Y/F`.
    """
    both = [*positive, *negative]
    if len(both) > _COMPARED:
        return []
    units = both
    if all(t.split(term, sizes)[1].powers == () for term in both):
        powers: dict[Expr, Rational] = {}
        for base, power in (item for term in both for item in term.powers):
            if base in sizes and base not in axes:
                powers[base] = max(power, powers.get(base, power))
        units = [Term(scale, t.pack(powers)) for scale in dict.fromkeys(term.coefficient for term in both)]
    forms = []
    for unit in units:
        left, right = (t.total(t.divided(term, unit) for term in side) for side in (positive, negative))
        forms.append(Condition(right, "<", left) if len(positive) == 1 else Condition(left, ">", right))
    return forms


def _fraction(positive: list[Term], negative: list[Term], sizes: frozenset[Symbol]) -> Condition:
    """Return `sum / sum > rates` where the rates can be taken out of both sums, else `sum > sum`.

    Both sums are divided by the largest size that a term above has, if that is shorter: bytes become `X/B`.
    """
    above, below = (t.common(t.split(term, sizes)[1] for term in side) for side in (positive, negative))
    over = [t.divided(term, above) for term in positive]
    under = [t.divided(term, below) for term in negative]
    if not above.powers or any(t.split(term, sizes)[1].powers for term in (*over, *under)):
        return Condition(t.total(positive), ">", t.total(negative))
    right = t.expression(t.divided(below, above))
    forms = [Condition(t.total(over) / t.total(under), ">", right)]
    if len(over) + len(under) <= _COMPARED:
        units = (Term(_ONE.coefficient, term.powers) for term in over)
        ratios = ([t.total(t.divided(term, unit) for term in side) for side in (over, under)] for unit in units)
        forms += [Condition(one / other, ">", right) for one, other in ratios]
    return _shortest(forms)


def _without_maximum(ratio: Term) -> Condition | None:
    """Return `Y > X` for `max(X, Y)/X > 1`, else None."""
    below = next((base for base, power in ratio.powers if power == -1), None)
    above = next((base for base, power in ratio.powers if power == 1), None)
    if ratio.coefficient != 1 or len(ratio.powers) != 2 or not isinstance(above, Max) or below not in above.args:
        return None
    rest = [arg for arg in above.args if arg != below]
    return Condition(rest[0], ">", below) if len(rest) == 1 else None


def _alone(condition: Condition) -> Condition:
    """Return `X > 3` for `X - 1 > 2`."""
    number = condition.left.as_coeff_Add()[0]
    if number == 0 or not condition.right.is_Rational:
        return condition
    return Condition(condition.left - number, condition.relation, condition.right - number)


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
    """Return `sum of many relation one`, with what the addends share in rates and numbers on the right.

    `B/X + B/(D*X) > rates` is solved for `B/X`.
    """
    ratios = [t.divided(term, one) for term in many]
    outside = t.common(t.split(ratio, sizes)[1] for ratio in ratios)
    left = [t.divided(ratio, outside) for ratio in ratios]
    right = t.divided(_ONE, outside)
    shared = _shared([t.split(term, sizes)[0] for term in left])
    if shared is None or not (right.powers or any(t.split(term, sizes)[1].powers for term in left)):
        return Condition(t.total(left), relation, t.expression(right))
    rest = t.total(t.divided(term, shared) for term in left)
    if relation == ">":
        return Condition(t.expression(shared), ">", t.expression(right) / rest)
    return Condition(t.expression(t.raised(shared, Integer(-1))), ">", rest / t.expression(right))


def _shared(parts: list[Term]) -> Term | None:
    """Return the shortest of some products of sizes if every other one is it times something else, else None."""
    shortest = min(parts, key=lambda part: len(part.powers))
    bases = {base for base, _ in shortest.powers}
    rest = (base for part in parts for base, _ in t.divided(part, shortest).powers)
    return shortest if bases and not bases.intersection(rest) else None
