"""What is known of an array, a statement, a mesh axis, a dimension and a chip, as Markdown for a hover."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from shardlang.api.machines import hardware_of_text
from shardlang.pricing.hardware import Hardware, figure
from shardlang.reports.units import plain_number, quantity
from shardlang.rules.plan import COLLECTIVES, StatementPlan, Value
from shardlang.rules.text import value_text
from shardlang.semantics.program import BareArray, Program, Ref, Statement, refs_of
from shardlang.semantics.sharding import ArrayType, dim_text
from shardlang.semantics.text import size_text
from shardlang.syntax import ast

if TYPE_CHECKING:
    from shardlang.cost.estimate import Estimate
    from shardlang.tools.editor.analysis import Analysis

_PENDING = {"sum": "sum", "max": "maximum", "min": "minimum"}
_MOST_STEPS = 12


def array_facts(analysis: "Analysis", ref: Ref, statement: Statement) -> str:
    """Return the layout of an array: its block on one device, the bytes of that, and its state on every mesh axis."""
    program = analysis.planned.front.program
    dtype = ref.type.dtype or program.declared_types.get(ref.name or "", program.dtype)
    value = Value(ref.name, ref.type._replace(dtype=dtype), ref.constant)
    lines = [
        _notation(f"{value_text(value)}  # {dtype}"),
        f"Block of one device: `[{', '.join(_block(ref.type, program))}]`",
    ]
    made = StatementPlan(statement._replace(body=BareArray(ref)), value)
    priced = _estimate(analysis, made)
    lines.append(f"Bytes of one device: {_amount(priced, priced.memory, 'bytes')}")
    return "\n\n".join([*lines, "\n".join(_states(ref.type, program))])


def _block(array: ArrayType, program: Program) -> Iterator[str]:
    """Yield the length of each dimension of the block that one device holds, as a number where it is known."""
    for dim, axes in zip(array.dims, array.sharding.axes, strict=True):
        size = program.sizes.get(dim)
        text = dim_text(dim)
        length = int(text) if text.isdigit() else size.integer if size is not None else None
        counts = [program.mesh.size(axis) for axis in axes]
        known = [count for count in counts if count is not None]
        if length is not None and len(known) == len(counts):
            devices = 1
            for count in known:
                devices *= count
            yield str(-(-length // devices))
        else:
            below = "·".join(axes)
            yield text + (f"/({below})" if len(axes) > 1 else f"/{below}" if axes else "")


def _states(array: ArrayType, program: Program) -> Iterator[str]:
    """Yield a table of the state of the array on every mesh axis."""
    shards = {axis: dim for dim, axes in zip(array.dims, array.sharding.axes, strict=True) for axis in axes}
    yield "| mesh axis | size | state |"
    yield "|---|---|---|"
    for axis in program.mesh.axes:
        if axis.name in shards:
            state = f"sharded: blocks of `{dim_text(shards[axis.name])}`"
        elif axis.name in array.sharding.pending:
            state = f"unreduced: addends of a pending {_PENDING[array.sharding.kind]}"
        else:
            state = "replicated: identical copies"
        yield f"| `{axis.name}` | {'open' if axis.size is None else axis.size} | {state} |"


def statement_facts(analysis: "Analysis", statement: Statement) -> str | None:
    """Return the steps of a statement with their bytes and times, and what it costs; None of a declaration."""
    planned = analysis.plan_of(statement)
    if planned is None:
        return None
    if planned.output is None:
        return "Refused: this statement has no plan; see its findings."
    priced = _estimate(analysis, planned)
    one = priced.statements[0]
    rows = ["| step | receives | time |", "|---|---|---|"]
    for step in one.steps[:_MOST_STEPS]:
        received = _amount(priced, step.bytes_received, "bytes") if step.kind in COLLECTIVES else ""
        time = _amount(priced, step.time, "s") if step.time != 0 else "free"
        rows.append(f"| `{step.text}` | {received} | {time} |")
    if len(one.steps) > _MOST_STEPS:
        rows.append(f"| … {len(one.steps) - _MOST_STEPS} more | | |")
    costs = [
        f"{_amount(priced, one.flops, 'FLOPs')} of arithmetic" if one.flops != 0 else "no arithmetic",
        f"T_math {_amount(priced, one.t_math, 's')}" if one.t_math != 0 else "",
        f"T_comms {_amount(priced, one.t_comms, 's')}" if one.t_comms != 0 else "no communication",
        f"T_hbm {_amount(priced, one.t_hbm, 's')}" if one.t_hbm != 0 else "",
        f"{_amount(priced, one.memory, 'bytes')} of memory at its peak",
    ]
    parts = [_notation(value_text(planned.output)), "\n".join(rows) if one.steps else ""]
    parts.append("One device: " + "; ".join(cost for cost in costs if cost))
    return "\n\n".join(part for part in parts if part)


def axis_facts(analysis: "Analysis", axis: str) -> str:
    """Return the size of a mesh axis, its network, and what is sharded or pending over it."""
    program, machine = analysis.planned.front.program, analysis.planned.machine
    size = program.mesh.size(axis)
    lines = [f"**{axis}**: mesh axis, {'its size is open' if size is None else f'{size} devices'}"]
    if not program.mesh.declared:
        lines[0] += "; no mesh is declared"
    network = machine.network(axis)
    if machine.networks:
        why = f" ({network.why})" if network.why else ""
        lines.append(f"Network: {network.words}{why}")
    bandwidth = machine.bandwidth(axis)
    if bandwidth is not None and machine.hardware is not None:
        ways = "both directions" if machine.network(axis).kind in ("ring", "line") else "one way"
        lines.append(f"Bandwidth: {quantity(bandwidth, 'bytes/s')}, {ways}, on {machine.hardware.name}")
    return "\n\n".join(lines)


def dimension_facts(analysis: "Analysis", dim: str) -> str:
    """Return the size of a dimension, what it is defined as, and how arrays shard it."""
    program = analysis.planned.front.program
    known = program.sizes.get(dim)
    number = None if known is None else known.integer
    lines = [f"**{dim}**: dimension, {'its size is open' if number is None else f'size {plain(number)}'}"]
    bindings = (
        (word.text, size)
        for node in (statement.node for statement in program.statements)
        if isinstance(node, ast.LetDecl)
        for word, size in node.bindings
    )
    written = next((size_text(size) for name, size in bindings if name == dim), None)
    if written is not None:
        lines.append(f"`let {dim} = {written}`")
    layouts = dict.fromkeys(
        "".join(f"`{axis}`" for axis in ref.type.axes_of(dim))
        for statement in program.statements
        for ref in refs_of(statement.body)
        if ref.type.dims.count(dim) == 1
    )
    sharded = [axes for axes in layouts if axes]
    if sharded:
        lines.append(f"Sharded over {' or '.join(sharded)}" + (", and whole in some arrays" if "" in layouts else ""))
    return "\n\n".join(lines)


def hardware_facts(analysis: "Analysis", name: str) -> str | None:
    """Return the main figures of a chip of the project or the catalogue, None where there is none of that name."""
    request = analysis.request
    chip = hardware_of_text(name, request.name, request.chips)
    if not isinstance(chip, Hardware):
        return None
    rows = ["| | |", "|---|---|"]
    rows += [f"| {dtype} | {quantity(rate, 'FLOPs/s')} |" for dtype, rate in chip.flops.items()]
    if chip.hbm_bytes is not None:
        rows.append(f"| HBM | {quantity(chip.hbm_bytes, 'bytes')} |")
    for symbol, words in _RATES.items():
        rate = figure(chip, symbol)
        if rate is not None:
            rows.append(f"| `{symbol}`, {words} | {quantity(rate, 'bytes/s')} |")
    if chip.torus_axes is not None:
        rows.append(f"| torus | {chip.torus_axes} axes |")
    if chip.domain is not None:
        rows.append(f"| node | {chip.domain} devices |")
    source = [f"Source: {chip.source}"] if chip.source else []
    return "\n\n".join([f"**{chip.name}** (`{chip.id}`), per chip", "\n".join(rows), *source])


_RATES = {
    "W_hbm": "HBM",
    "W_ici": "one torus axis, both directions",
    "W_egress": "into the node, one way",
    "W_node": "out of a node, one way",
    "W_leaf": "out of a leaf, one way",
    "W_dcn": "between slices, one way",
    "W_pcie": "to the host, one way",
}


def plain(number: int) -> str:
    """Return a whole number in groups of three digits."""
    return f"{number:,}".replace(",", "\u202f") if number < 10**15 else plain_number(float(number))


def _estimate(analysis: "Analysis", planned: StatementPlan) -> "Estimate":
    """Return the price of one statement by itself, as `cost` has it."""
    from shardlang.api.priced import price_plan

    plan = analysis.planned.plan._replace(statements=(planned,))
    return price_plan(analysis.planned._replace(plan=plan), analysis.request)


def _amount(priced: "Estimate", expr: Any, unit: str) -> str:
    """Return a number with its unit where it is known, else the formula."""
    from shardlang.cost.text import formula

    value = priced.value(expr)
    return quantity(value, unit) if value is not None else f"`{formula(expr).replace('*', '·')}` {unit}"


def _notation(text: str) -> str:
    return f"```shard\n{text}\n```"
