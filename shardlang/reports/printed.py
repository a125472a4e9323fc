"""What of a price is printed, and what its statements and symbols are called."""

from typing import Protocol

from shardlang.cost.estimate import Estimate
from shardlang.reports.parsed import statement_dims
from shardlang.semantics.text import program_statement_text
from shardlang.source import SourceText


class Priced(Protocol):
    """What is shown of `shardlang.reports.costs.CostReport`."""

    @property
    def estimate(self) -> Estimate:
        """The prices."""

    @property
    def source(self) -> SourceText:
        """The text."""

    @property
    def lines(self) -> tuple[int, ...]:
        """The line of each statement."""

    @property
    def refused(self) -> int:
        """Statements whose prices are in no total."""


def symbol_kinds(estimate: Estimate) -> dict[str, str]:
    """Return the kind of every symbol by its printed name, dimensions in the order in which the text names them."""
    names = estimate.pricer.names
    dims = (dim for statement in estimate.pricer.program.statements for dim in statement_dims(statement))
    first = [names.dims()[dim].name for dim in dict.fromkeys(dims) if dim in names.dims()]
    return {name: names.table[name].kind for name in [*first, *(name for name in names.table if name not in first)]}


def statement_texts(estimate: Estimate) -> tuple[str, ...]:
    """Return the canonical text of every statement of the plan."""
    mesh = estimate.pricer.program.mesh
    return tuple(program_statement_text(statement.plan.statement, mesh) for statement in estimate.statements)
