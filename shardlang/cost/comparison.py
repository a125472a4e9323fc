"""Two plans side by side: what has one name in both is one size."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sympy import Expr, Symbol

from shardlang.cost.crossover import Crossover, Pair, Question, Roof, Uncrossed, read_question, solve, uncrossed
from shardlang.cost.estimate import Estimate

OTHER, MINE = "against", "plan"


def together(mine: Estimate, other: Estimate) -> Estimate:
    """Return the first estimate with what is known and assumed of both; its prices stay its own."""
    assumptions = tuple(dict.fromkeys((*mine.assumptions, *other.assumptions)))
    values = {**other.values, **mine.values}
    return replace(mine, values=values, assumptions=assumptions, symbols={**mine.symbols, **other.symbols})


def contradictions(mine: Estimate, other: Estimate) -> Iterator[tuple[Symbol, float, float]]:
    """Yield what has another number in the other plan."""
    for symbol, value in mine.values.items():
        if other.values.get(symbol, value) != value:
            yield symbol, value, other.values[symbol]


def defined_in(*estimates: Estimate) -> dict[Symbol, Expr]:
    """Return the sizes that the texts give in terms of others as formulas; what the first says holds."""
    return {symbol: expr for estimate in reversed(estimates) for symbol, expr in estimate.definitions().items()}


def cheaper_when(
    mine: Estimate, other: Estimate, of: str, variable: str
) -> tuple[tuple[Crossover, ...], tuple[Uncrossed, ...]]:
    """Return where `mine` becomes the cheaper one of two estimates with shared names, and the pair if there is none.

    of: what is compared, one of `pricing.roofs.QUANTITIES`. Raises `RatioError` for what is no name or ratio of symbols of the two.
    """
    question = read_question(variable, mine.pricer.names, defined_in(mine, other), mine.clock)
    theirs, own = (Roof(name, getattr(one, of), of in one.shortened) for name, one in ((OTHER, other), (MINE, mine)))
    pair = Pair(theirs, own)
    return crossings(question, (pair,), together(mine, other))


def crossings(
    question: Question, pairs: Sequence[Pair], known: Estimate
) -> tuple[tuple[Crossover, ...], tuple[Uncrossed, ...]]:
    """Return the crossovers of pairs, and those without."""
    found = solve(question, pairs, known.values)
    return found, uncrossed(question, pairs, found, known.values)
