"""Times as the largest of several sums of powers of one symbol, with what fixes the others put in.

A price is a sum, or a maximum of sums, of products of sizes and rates: of posynomials. Once all but one of the sizes that
are asked for are put in, each is a sum of powers of that one.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from sympy import Add, Expr, Integer, Max, Mul, Pow, Rational, Symbol, ceiling, expand

from shardlang.cost import terms as t
from shardlang.cost.maximum import maximum
from shardlang.cost.terms import Term
from shardlang.cost.text import formula

Part: TypeAlias = tuple[Term, ...]
_MOST_PARTS = 64


class Largest(NamedTuple):
    """A time: the largest of `parts`. assumes: what was taken for granted to write it so, in formulas."""

    parts: tuple[Part, ...]
    assumes: tuple[str, ...] = ()

    def at(self, symbol: Symbol, place: Expr, crossing: bool = False) -> Expr:
        """Return the time with `place` for `symbol`. crossing: all sums that change with it are the same there."""
        times = [Add(*(_put(term, symbol, place) for term in part)) for part in self.parts]
        if crossing:
            changing = [at for at, part in enumerate(self.parts) if slopes(part, symbol)]
            shortest = min(changing, key=lambda at: len(formula(times[at])))
            times = [time for at, time in enumerate(times) if at == shortest or at not in changing]
        return maximum(*times)


def _put(term: Term, symbol: Symbol, place: Expr) -> Expr:
    rest = Term(term.coefficient, tuple(item for item in term.powers if item[0] != symbol))
    return Mul(t.expression(rest), Pow(place, term.power(symbol)))


def in_powers(time: Expr, symbol: Symbol, fixed: Mapping[Symbol, Expr]) -> Largest | None:
    """Return a time in powers of `symbol`; None where it is no maximum of sums of them.

    fixed: what stands for other symbols, each a product of powers. An axis in a number of hops counts X/2, not ceil(X/2).
    """
    found = _parts(time)
    if found is None:
        return None
    assumes: dict[str, None] = {}
    parts = [_in_powers(part, symbol, fixed, assumes) for part in found]
    if any(part is None for part in parts):
        return None
    return Largest(tuple(dict.fromkeys(part for part in parts if part)), tuple(assumes))


def _parts(time: Expr) -> list[Expr] | None:
    """Return the sums that a time is the largest of: a maximum inside a sum or a product is taken out of it."""
    if isinstance(time, Max):
        inner = [_parts(arg) for arg in time.args]
        flat = [part for parts in inner if parts is not None for part in parts]
        return flat if None not in inner and len(flat) <= _MOST_PARTS else None
    if not isinstance(time, Add | Mul) or not time.has(Max):
        return [time]
    whole = [Integer(0) if isinstance(time, Add) else Integer(1)]
    plain = type(time)(*(arg for arg in time.args if not arg.has(Max)))
    for arg in (arg for arg in time.args if arg.has(Max)):
        parts = _parts(arg) if isinstance(arg, Max | Add | Mul) else None
        if parts is None or len(whole) * len(parts) > _MOST_PARTS:
            return None
        whole = [type(time)(one, part) for one in whole for part in parts]
    return [type(time)(plain, one) for one in whole]


def _in_powers(time: Expr, symbol: Symbol, fixed: Mapping[Symbol, Expr], assumes: dict[str, None]) -> Part | None:
    terms: list[Term] = []
    for term in t.terms_of(time):
        powers: dict[Expr, Rational] = {}
        inner: list[Expr] = []
        for base, power in term.powers:
            if isinstance(base, ceiling) and base.free_symbols & {symbol, *fixed}:
                assumes[f"{formula(base)} = {formula(base.args[0])}"] = None
                base = base.args[0]
            base = _fixed(base, fixed)
            if base.is_Add and base.has(symbol):
                inner.append(Pow(base, power))
            else:
                factor = t.term_of(Pow(base, power))
                inner += [factor.coefficient] if factor.coefficient != 1 else []
                for under, exponent in factor.powers:
                    powers[under] = powers.get(under, Integer(0)) + exponent
        whole = Mul(term.coefficient, *(Pow(b, p) for b, p in powers.items()), *inner)
        terms += [t.term_of(a) for a in Add.make_args(expand(whole) if any(f.is_Add for f in inner) else whole)]
    found = tuple(t.collect(terms))
    composite = any(base != symbol and base.has(symbol) for term in found for base, _ in term.powers)
    return None if composite else found


def _fixed(base: Expr, fixed: Mapping[Symbol, Expr]) -> Expr:
    for _ in range(len(fixed)):  # one may use another
        if not base.free_symbols & set(fixed):
            break
        base = base.xreplace(dict(fixed))
    return base


def slopes(part: Part, symbol: Symbol) -> set[int]:
    """Return the signs of how a sum changes with `symbol`, term by term: {1} rises throughout, {-1, 1} may do both."""
    return {1 if term.power(symbol) * term.coefficient > 0 else -1 for term in part if term.power(symbol) != 0}


def is_convex(part: Part, symbol: Symbol) -> bool:
    """Say whether a sum is surely convex in log X: c X^p is where c is not negative, as its second derivative c p² X^p."""
    return all(term.coefficient > 0 for term in part if term.power(symbol) != 0)
