"""Explicit collectives and free steps: which part of the subscript is mesh axes, which a dimension."""

from shardlang.semantics.arrays import named, resolve_array
from shardlang.semantics.program import Collective, Constant, Ref
from shardlang.semantics.scope import Scope
from shardlang.semantics.words import split_axes
from shardlang.syntax import ast
from shardlang.syntax.operations import BY_NAME


def resolve_collective(node: ast.Apply, result: Ref | None, scope: Scope) -> Collective | None:
    """Return the collective, None if its operand is not one array or constant (and a finding says so)."""
    operand = _operand(node, result, scope)
    if operand is None:
        return None
    if node.subscript is None:
        return Collective(node.op, None, None, operand, result, None)
    axes, dim = _read_subscript(node.op, node.subscript, (operand, result), scope)
    return Collective(node.op, axes, dim, operand, result, node.subscript.span)


def _operand(node: ast.Apply, result: Ref | None, scope: Scope) -> Ref | Constant | None:
    if len(node.args) != 1:
        scope.report("SL220", f"`{node.op}` takes one array, not {len(node.args)}", node.span)
        return None
    arg = node.args[0]
    if isinstance(arg, ast.Array):
        ref = resolve_array(arg, scope)
        return ref._replace(name=result.name) if ref.name is None and result is not None else ref
    if isinstance(arg, ast.Number):
        return Constant(arg.text, arg.span)
    return None


def _read_subscript(
    op: str, subscript: ast.Subscript, sides: tuple[Ref | Constant, Ref | None], scope: Scope
) -> tuple[tuple[str, ...] | None, str | None]:
    operand = sides[0]
    dims = operand.type.dims if isinstance(operand, Ref) else ()
    parts = subscript.parts
    last = subscript.target
    if last is None and parts and BY_NAME[op].takes_dimension and _is_dimension(op, parts, sides, scope):
        last, parts = parts[-1], parts[:-1]
    if last is not None and last.text not in dims:
        _report_no_dimension(op, last, operand, scope)
    axes = tuple(axis for part in parts for axis in scope.split_part(part))
    if len(set(axes)) != len(axes):
        again = next(axis for at, axis in enumerate(axes) if axis in axes[:at])
        scope.report("SL201", f"`{again}` is named twice in the subscript of `{op}`", subscript.span)
    return (axes or None), (last.text if last is not None else None)


def _is_dimension(op: str, parts: tuple[ast.Word, ...], sides: tuple[Ref | Constant, Ref | None], scope: Scope) -> bool:
    """Say whether the last part is a dimension: of several, if the operand has it; a single one, if it is no axis."""
    operand, result = sides
    if isinstance(operand, Constant):
        return False
    text = parts[-1].text
    has_it = text in operand.type.dims
    always = op in ("ReduceScatter", "AllToAll")  # their dimension is part of what they are
    if len(parts) > 1 and has_it and (always or op == "Slice"):
        return True
    if not has_it and not (always and len(parts) > 1):
        return False
    names, unknown = split_axes(text, scope.axes)
    if scope.axes is None:
        used = operand.type.sharding.used() + (result.type.sharding.used() if result is not None else ())
        unknown = tuple(name for name in names if name not in used)
    return bool(unknown)


def _report_no_dimension(op: str, word: ast.Word, operand: Ref | Constant, scope: Scope) -> None:
    """SL223: the dimension in a collective's subscript must be one of its operand."""
    dims = operand.type.dims if isinstance(operand, Ref) else ()
    whose = named(operand) if isinstance(operand, Ref) else f"`{operand.text}`"
    close = scope.suggest(word.text, dims)
    listed = ", ".join(f"`{dim}`" for dim in dims) or "none"
    scope.report(
        "SL223",
        f"`{op}` names the dimension `{word.text}`, which {whose} does not have",
        word.span,
        hint=f"did you mean `{close}`?" if close else f"the dimensions of {whose} are {listed}",
    )
