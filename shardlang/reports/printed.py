"""What the statements and the symbols of an estimate are called where they are printed."""

from shardlang.cost.estimate import Estimate
from shardlang.reports.parsed import statement_dims
from shardlang.semantics.text import program_statement_text


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
