"""Prices of plans as formulas: times, roofs, memory, crossovers. The only room at or below it with SymPy."""

from shardlang.cost.conditions import Condition, compare
from shardlang.cost.crossover import Crossover, Pair, Roof, Uncrossed
from shardlang.cost.estimate import AlternativeEstimate, Estimate, estimate, names_of
from shardlang.cost.names import FIGURE_MEANINGS, SymbolInfo
from shardlang.cost.pricer import StepEstimate
from shardlang.cost.prices import Prices, StatementEstimate, wins_when
from shardlang.cost.ratio import RatioError, UnknownSymbolError
from shardlang.cost.roofline import Level, Range, Roofline, rooflines
from shardlang.cost.text import formula
from shardlang.cost.values import SweepError

__all__ = [
    "FIGURE_MEANINGS",
    "AlternativeEstimate",
    "Condition",
    "Crossover",
    "Estimate",
    "Level",
    "Pair",
    "Prices",
    "Range",
    "RatioError",
    "Roof",
    "Roofline",
    "StatementEstimate",
    "StepEstimate",
    "SweepError",
    "SymbolInfo",
    "Uncrossed",
    "UnknownSymbolError",
    "compare",
    "estimate",
    "formula",
    "names_of",
    "rooflines",
    "wins_when",
]
