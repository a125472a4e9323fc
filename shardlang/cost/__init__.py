"""Prices of plans as formulas: times, roofs, memory, crossovers. The only room at or below it with SymPy."""

from shardlang.cost.conditions import Condition, compare
from shardlang.cost.crossover import Crossover, Roof
from shardlang.cost.estimate import AlternativeEstimate, Estimate, Prices, StatementEstimate, estimate, wins_when
from shardlang.cost.names import SymbolInfo
from shardlang.cost.pricer import StepEstimate
from shardlang.cost.ratio import RatioError, UnknownSymbolError
from shardlang.cost.text import formula
from shardlang.cost.values import SweepError

__all__ = [
    "AlternativeEstimate",
    "Condition",
    "Crossover",
    "Estimate",
    "Prices",
    "RatioError",
    "Roof",
    "StatementEstimate",
    "StepEstimate",
    "SweepError",
    "SymbolInfo",
    "UnknownSymbolError",
    "compare",
    "estimate",
    "formula",
    "wins_when",
]
