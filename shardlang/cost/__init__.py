"""Prices of plans as formulas: times, roofs, memory, crossovers. The only room at or below it with SymPy."""

from shardlang.cost.conditions import Condition, compare
from shardlang.cost.crossover import Crossover, Roof
from shardlang.cost.estimate import AlternativeEstimate, Estimate, estimate
from shardlang.cost.names import SymbolInfo
from shardlang.cost.pricer import StepEstimate
from shardlang.cost.prices import Prices, StatementEstimate, wins_when
from shardlang.cost.ratio import RatioError, UnknownSymbolError
from shardlang.cost.roofline import Level, Range, Roofline, rooflines
from shardlang.cost.text import formula

__all__ = [
    "AlternativeEstimate",
    "Condition",
    "Crossover",
    "Estimate",
    "Level",
    "Prices",
    "Range",
    "RatioError",
    "Roof",
    "Roofline",
    "StatementEstimate",
    "StepEstimate",
    "SymbolInfo",
    "UnknownSymbolError",
    "compare",
    "estimate",
    "formula",
    "rooflines",
    "wins_when",
]
