"""Sums of monomials taken apart and put together: what conditions and crossovers are made of.

Prices are sums of terms with positive coefficients. A term is a coefficient and whole powers of bases; a
base is a symbol, or something that is not taken apart (`X - 1`, a maximum). This is all the algebra that
comparing two prices needs, and it is linear in the number of terms, which `simplify` is not.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import gcd
from typing import NamedTuple, TypeAlias

from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol, expand

_ZERO = Integer(0)

Powers: TypeAlias = tuple[tuple[Expr, Rational], ...]


class Term(NamedTuple):
    """coefficient · Π base^power, powers sorted by base and never zero."""

    coefficient: Rational
    powers: Powers

    def power(self, base: Expr) -> Rational:
        """Return the power of `base`, zero if it does not occur."""
        return next((power for other, power in self.powers if other == base), Integer(0))


def term_of(expr: Expr) -> Term:
    """Return one addend as a term."""
    coefficient, rest = expr.as_coeff_Mul()
    powers: dict[Expr, Rational] = {}
    for factor in Mul.make_args(rest):
        base, exponent = factor.as_base_exp()
        if factor == 1:
            continue
        if not exponent.is_Rational:
            base, exponent = factor, Integer(1)
        powers[base] = powers.get(base, Integer(0)) + exponent
    return Term(coefficient, pack(powers))


def pack(powers: Mapping[Expr, Rational]) -> Powers:
    """Return powers sorted by base, without zeros."""
    return tuple(sorted(((b, p) for b, p in powers.items() if p != 0), key=lambda item: item[0].sort_key()))


@lru_cache(maxsize=64)
def terms_of(expr: Expr) -> tuple[Term, ...]:
    """Return the addends of a sum as terms; like ones are put together.

    A factor that is a sum of positive addends (`(B*D + D*F)/W_hbm`) is multiplied out; `X - 1` is not.
    """
    addends = (addend for part in Add.make_args(expr) for addend in _addends(part))
    return tuple(collect(term_of(addend) for addend in addends if addend != 0))


def _addends(product: Expr) -> list[Expr]:
    sums = [factor for factor in Mul.make_args(product) if factor.is_Add and _all_positive(factor)]
    if not sums:
        return [product]
    rest = Mul(*(factor for factor in Mul.make_args(product) if factor not in sums))
    return [part for addend in sums[0].args for part in _addends(Mul(rest, addend, *sums[1:]))]


def _all_positive(expr: Expr) -> bool:
    return all(addend.as_coeff_Mul()[0] > 0 for addend in expr.args)


def collect(terms: Iterable[Term]) -> list[Term]:
    """Return the terms with like ones added up, without those that cancel."""
    sums: dict[Powers, Rational] = {}
    for term in terms:
        sums[term.powers] = sums.get(term.powers, Integer(0)) + term.coefficient
    return [Term(coefficient, powers) for powers, coefficient in sums.items() if coefficient != 0]


def expression(term: Term) -> Expr:
    """Return a term as SymPy has it."""
    return Mul(term.coefficient, *(Pow(base, power) for base, power in term.powers))


def total(terms: Iterable[Term]) -> Expr:
    """Return the sum of terms as SymPy has it."""
    return Add(*(expression(term) for term in terms))


def times(term: Term, other: Term) -> Term:
    """Return the product of two terms."""
    powers = dict(term.powers)
    for base, power in other.powers:
        powers[base] = powers.get(base, Integer(0)) + power
    return Term(term.coefficient * other.coefficient, pack(powers))


def raised(term: Term, exponent: Rational) -> Term:
    """Return a term to a power."""
    return Term(term.coefficient**exponent, tuple((base, power * exponent) for base, power in term.powers))


def divided(term: Term, other: Term) -> Term:
    """Return the quotient of two terms."""
    return times(term, raised(other, Integer(-1)))


def common(terms: Iterable[Term]) -> Term:
    """Return the largest term that divides all: the least power of each base, the common factor of the coefficients."""
    first, *rest = terms
    powers, up, down = dict(first.powers), abs(first.coefficient.p), first.coefficient.q
    for term in rest:
        others = dict(term.powers)
        shared = {base: min(power, others.get(base, _ZERO)) for base, power in powers.items()}
        shared.update((base, power) for base, power in others.items() if power < 0 and base not in powers)
        powers = {base: power for base, power in shared.items() if power != 0}
        up, down = gcd(up, abs(term.coefficient.p)), down * term.coefficient.q // gcd(down, term.coefficient.q)
    return Term(Rational(up, down), pack(powers))


def split(term: Term, inside: frozenset[Symbol]) -> tuple[Term, Term]:
    """Return the part of a term that is made of symbols `inside`, without its coefficient, and the rest with it.

    A root of a number belongs to the coefficient.
    """
    taken: list[tuple[Expr, Rational]] = []
    left: list[tuple[Expr, Rational]] = []
    for item in term.powers:
        symbols = _symbols_of(item[0])
        (taken if symbols and symbols <= inside else left).append(item)
    return Term(Integer(1), tuple(taken)), Term(term.coefficient, tuple(left))


@lru_cache(maxsize=4096)
def _symbols_of(base: Expr) -> frozenset[Symbol]:
    """Return the symbols in a base; SymPy collects them anew each time, and a root may have hundreds."""
    return frozenset(base.free_symbols)


def opened(terms: Iterable[Term], symbol: Symbol) -> list[Term] | None:
    """Return the terms with every base that has `symbol` inside multiplied out; None where that cannot be done."""
    flat: list[Term] = []
    for term in terms:
        inner = [(base, power) for base, power in term.powers if base != symbol and base.has(symbol)]
        if not inner:
            flat.append(term)
            continue
        if any(not base.is_Add or power != int(power) or power < 0 for base, power in inner):
            return None
        flat.extend(term_of(addend) for addend in Add.make_args(expand(expression(term))))
    return collect(flat)


def coefficients(terms: Iterable[Term], symbol: Symbol) -> dict[Rational, list[Term]]:
    """Return the terms by their power of `symbol`, divided by it."""
    by_power: dict[Rational, list[Term]] = {}
    for term in terms:
        power = term.power(symbol)
        rest = Term(term.coefficient, tuple(item for item in term.powers if item[0] != symbol))
        by_power.setdefault(power, []).append(rest)
    return by_power


def proportion(over: Sequence[Term], under: Sequence[Term]) -> Term | None:
    """Return r where the sum of `over` is r times that of `under`, term by term; None too where they are many."""
    if len(over) != len(under) or len(over) > _COMPARED:
        return None
    for other in under:
        ratio = divided(over[0], other)
        if {times(term, ratio) for term in under} == set(over):
            return ratio
    return None


_COMPARED = 12


def quotient(above: Expr, below: Expr) -> Expr:
    """Return a quotient of sums of monomials with the factors that all addends share cancelled, and sums that are alike."""
    over, under = terms_of(above), terms_of(below)
    ratio = proportion(over, under)
    if ratio is not None:
        return expression(ratio)
    shared = common((*over, *under))
    upper = [divided(term, shared) for term in over]
    lower = [divided(term, shared) for term in under]
    return Mul(total(upper), Pow(total(lower), -1))
