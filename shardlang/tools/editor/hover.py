"""What an editor shows where the mouse rests."""

from typing import NamedTuple

from shardlang.semantics.dtypes import canonical_dtype, dtype_bytes
from shardlang.semantics.program import Ref, Statement, refs_of
from shardlang.source import Span
from shardlang.syntax.operations import BY_NAME
from shardlang.tools.editor.analysis import Analysis
from shardlang.tools.editor.facts import (
    array_facts,
    axis_facts,
    dimension_facts,
    hardware_facts,
    statement_facts,
)
from shardlang.tools.editor.names import Name

STEPS = {
    "AllGather": "removes a mesh axis from a dimension: every device gets the blocks of the others",
    "ReduceScatter": "adds up what is pending over a mesh axis, and leaves each device a block of a dimension",
    "AllReduce": "adds up what is pending over a mesh axis, on every device",
    "AllToAll": "moves a mesh axis from one dimension to another",
    "CollectivePermute": "sends whole blocks from device to device; the local shape stays",
    "Slice": "free: each device keeps its block of what is replicated",
    "Mask": "free: one device keeps the value, the others zero, so that the sum over the axis is the array",
    "Pad": "free: each device keeps its block in an array of zeros, a pending sum",
    "Relabel": "free: what is replicated is its own maximum and minimum",
}


class Hover(NamedTuple):
    """Markdown, and the place that it is about."""

    text: str
    span: Span


def hover(analysis: Analysis, offset: int) -> Hover | None:
    """Return what is to be said about the place at an offset, None where that is nothing."""
    analysis = analysis.at(offset)
    name = analysis.name_at(offset)
    statement = analysis.statement_at(offset)
    text = _of_name(analysis, name) if name is not None else None
    if name is not None and text is not None:
        return Hover(text, name.span)
    if statement is None:
        return None
    facts = statement_facts(analysis, statement)
    return None if facts is None else Hover(facts, statement.span)


def _of_name(analysis: Analysis, name: Name) -> str | None:
    statement = analysis.planned.front.program.statements[name.statement]
    match name.kind:
        case "array":
            ref = ref_at(statement, name.span)
            return None if ref is None else array_facts(analysis, ref, statement)
        case "axis":
            return axis_facts(analysis, name.name)
        case "dimension":
            return dimension_facts(analysis, name.name)
        case "hardware":
            return hardware_facts(analysis, name.name)
        case "dtype":
            return _dtype_facts(name.name)
        case "collective":
            return _operation_facts(analysis, name, statement)
        case _:
            return None


def ref_at(statement: Statement, span: Span) -> Ref | None:
    """Return the array of a statement whose name stands at a place."""
    return next((ref for ref in refs_of(statement.body) if ref.span.start <= span.start < ref.span.end), None)


def _dtype_facts(name: str) -> str | None:
    canonical = canonical_dtype(name)
    if canonical is None:
        return None
    width = dtype_bytes(canonical)
    size = str(width.numerator) if width.denominator == 1 else f"{width.numerator}/{width.denominator}"
    return f"**{canonical}**: element type, {size} byte{'' if size == '1' else 's'} an element"


def _operation_facts(analysis: Analysis, name: Name, statement: Statement) -> str | None:
    operation = BY_NAME.get(name.name)
    head = f"**{name.name}** {STEPS[name.name]}" if operation is not None and name.name in STEPS else None
    return "\n\n".join(part for part in (head, statement_facts(analysis, statement)) if part) or None
