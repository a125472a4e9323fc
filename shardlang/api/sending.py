"""The stage after planning of `send`: the one array of a text, and what sending it takes."""

from typing import TYPE_CHECKING, Any, NamedTuple

from shardlang.api.devices import read_place
from shardlang.api.stages import Planned, rate_findings
from shardlang.api.values import OptionError
from shardlang.diagnostics import Diagnostic
from shardlang.semantics.program import stands_alone
from shardlang.semantics.text import program_statement_text

if TYPE_CHECKING:
    from shardlang.cost.sending import Transfer


class Sent(NamedTuple):
    """The array as text, where it goes from and to, the transfer (None where the text has errors), and its findings."""

    array: str
    sender: dict[str, int]
    receiver: dict[str, int]
    transfer: "Transfer | None"
    findings: tuple[Diagnostic, ...] = ()


def sent(planned: Planned, source: Any, target: Any) -> Sent:
    """Return what sending the one array of a text takes. Raises OptionError for devices and texts that there are not."""
    from shardlang.cost.names import FIGURE_MEANINGS
    from shardlang.cost.sending import price_transfer
    from shardlang.pricing.transfers import NoRouteError

    mesh = planned.front.program.mesh
    axes = {axis.name: axis.size for axis in mesh.axes}
    sender, receiver = read_place("source", source, axes), read_place("target", target, axes)
    if any(finding.severity == "error" for finding in planned.findings):
        return Sent("", sender, receiver, None)
    arrays = [statement for statement in planned.plan.statements if stands_alone(statement.statement)]
    if len(arrays) != 1 or len(planned.plan.statements) != 1 or arrays[0].output is None:
        raise OptionError("text: expected one array, such as bf16[8, 128, 8192] or A[I_X, J].")
    try:
        values = planned.front.program.hardware_values
        found = price_transfer(planned.plan, planned.machine, sender, receiver, values)
    except NoRouteError as problem:
        raise OptionError(f"source, target: {problem}; give them (mesh, slice), or each a mesh axis.") from None
    unknown = {name: FIGURE_MEANINGS[name] for name in found.missing_figures}
    text = program_statement_text(arrays[0].statement, mesh)
    return Sent(text, sender, receiver, found, rate_findings(planned.front, {}, unknown, planned.machine))
