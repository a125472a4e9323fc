"""Assumptions read: `B << D, F`, `B·Y << F`, `1 << X`, `B << D << F`.

Grammar: `text = chain ("," chain)*`, `chain = side ("<<" side)+`, `side = product ("," product)*`, where `product` is
that of `shardlang.cost.ratio`: a comma goes on with the side, unless a `<<` follows what comes after it and the side is
not the first of its chain; then it starts a chain of its own. `≪` is the same sign.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from sympy import Expr, Integer, Symbol

from shardlang.cost.crossover import definitions
from shardlang.cost.leading import Assumption, Exponents, Leading
from shardlang.cost.names import Names
from shardlang.cost.ratio import Powers, RatioError, Reader
from shardlang.semantics.program import Program

_FORM = "expected what is small beside what, such as `B << D, F` or `1 << X`"
_MOST = 24


def read_assumptions(texts: Sequence[str], program: Program, names: Names) -> Leading | None:
    """Return what the texts assume of the sizes of a plan, None where there are none.

    Raises UnknownSymbolError for a name that the plan does not have, RatioError for what is no assumption and for
    assumptions that contradict one another.
    """
    if not texts:
        return None
    found = [assumption for text in texts for assumption in _read(text, names)]
    if len(found) > _MOST:
        raise RatioError(f"these are more than {_MOST} pairs of products; give the assumptions that matter")
    axes = frozenset(names.axes().values())
    leading = Leading(
        [" ".join(text.replace("≪", "<<").split()) for text in texts],
        found,
        axes | frozenset(names.dims().values()),
        axes,
        [_quotient(symbol, size) for symbol, size in definitions(program, names).items()],
    )
    if leading.contradictory:
        shown = "; ".join(leading.texts)
        raise RatioError(
            f"`{shown}` contradicts itself, as sizes are at least 1: no product can be small beside itself"
        )
    return leading


def _read(text: str, names: Names) -> list[Assumption]:
    """Return the pairs that one text says, each product of a side with each one of the next."""
    reader = Reader(text, names, _FORM)
    found: list[Assumption] = []
    chain: list[list[Powers]] = [[reader.product()]]
    while not reader.done:
        if reader.take("<<"):
            chain.append([reader.product()])
        elif reader.take(","):
            other = reader.product()
            if len(chain) > 1 and reader.take("<<"):
                found += _pairs(chain)
                chain = [[other], [reader.product()]]
            else:
                chain[-1].append(other)
        else:
            raise reader.wrong()
    if len(chain) < 2:
        raise RatioError(f"`{text.strip()}` has no `<<`; {_FORM}")
    return found + _pairs(chain)


def _pairs(chain: list[list[Powers]]) -> list[Assumption]:
    sides = pairwise(chain)
    return [Assumption(_exact(a), _exact(b)) for small, large in sides for a in small for b in large]


def _exact(powers: Powers) -> Exponents:
    return {symbol: Integer(power) for symbol, power in powers.items() if power}


def _quotient(symbol: Symbol, size: Expr) -> Mapping[Expr, Expr]:
    """Return the powers of `size/symbol`, which is a number; `size` is a product of symbols."""
    powers = {base: power for base, power in size.as_powers_dict().items() if not base.is_number}
    return {**powers, symbol: powers.get(symbol, Integer(0)) - 1}
