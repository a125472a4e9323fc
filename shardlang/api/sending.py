"""The stage after planning of `send`: the one array of a text, and what sending it takes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shardlang.api.arguments import OptionError
from shardlang.api.stages import Planned, rate_findings
from shardlang.diagnostics import Diagnostic
from shardlang.semantics.program import stands_alone
from shardlang.semantics.text import program_statement_text

if TYPE_CHECKING:
    from shardlang.cost.sending import Transfer


def sent(
    planned: Planned, source: Mapping[str, int], target: Mapping[str, int]
) -> tuple[str, "Transfer | None", tuple[Diagnostic, ...]]:
    """Return the array as text, the transfer (None where the text has errors), and findings on missing figures."""
    from shardlang.cost import FIGURE_MEANINGS
    from shardlang.cost.sending import price_transfer
    from shardlang.pricing.transfers import NoRouteError

    if any(finding.severity == "error" for finding in planned.findings):
        return "", None, ()
    arrays = [statement for statement in planned.plan.statements if stands_alone(statement.statement)]
    if len(arrays) != 1 or len(planned.plan.statements) != 1 or arrays[0].output is None:
        raise OptionError("text: expected one array, such as bf16[8, 128, 8192] or A[I_X, J].")
    try:
        values = planned.front.program.hardware_values
        found = price_transfer(planned.plan, planned.machine, source, target, values)
    except NoRouteError as problem:
        raise OptionError(f"source, target: {problem}; give them (mesh, slice), or each a mesh axis.") from None
    unknown = {name: FIGURE_MEANINGS[name] for name in found.missing_figures}
    text = program_statement_text(arrays[0].statement, planned.front.program.mesh)
    return text, found, rate_findings(planned.front, (), unknown, planned.machine)
