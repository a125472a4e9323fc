"""Explicit collectives and free steps: which part of the subscript is mesh axes, which a dimension."""

from shardlang.semantics.arrays import named
from shardlang.semantics.program import Collective, Constant, Expr, Ref, arrays_in, dims_of
from shardlang.semantics.scope import Scope
from shardlang.semantics.words import split_axes
from shardlang.syntax import ast
from shardlang.syntax.operations import BY_NAME


def resolve_collective(node: ast.Apply, operand: Expr, result: Ref | None, scope: Scope) -> Collective:
    """Return the collective of a resolved operand; what is wrong with its subscript is reported in `scope`."""
    if node.subscript is None:
        return Collective(node.op, None, None, operand, result, None, node.span)
    axes, dim = _read_subscript(node.op, node.subscript, (operand, result), scope)
    return Collective(node.op, axes, dim, operand, result, node.subscript.span, node.span)


def _read_subscript(
    op: str, subscript: ast.Subscript, sides: tuple[Expr, Ref | None], scope: Scope
) -> tuple[tuple[str, ...] | None, str | None]:
    operand = sides[0]
    dims = dims_of(operand)
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


def _is_dimension(op: str, parts: tuple[ast.Word, ...], sides: tuple[Expr, Ref | None], scope: Scope) -> bool:
    """Say whether the last part is a dimension: of several, if the operand has it; a single one, if it is no axis."""
    operand, result = sides
    if isinstance(operand, Constant):
        return False
    text = parts[-1].text
    has_it = text in dims_of(operand)
    always = BY_NAME[op].needs_dimension
    if len(parts) > 1 and has_it and (always or op == "Slice"):
        return True
    if not has_it and not (always and len(parts) > 1):
        return False
    names, unknown = split_axes(text, scope.axes)
    if scope.axes is None:
        refs = (*arrays_in(operand), *((result,) if result is not None else ()))
        used = {axis for ref in refs for axis in ref.type.sharding.used()}
        unknown = tuple(name for name in names if name not in used)
    return bool(unknown)


def _report_no_dimension(op: str, word: ast.Word, operand: Expr, scope: Scope) -> None:
    """SL223: the dimension in a collective's subscript must be one of its operand."""
    dims = dims_of(operand)
    whose = named(operand) if isinstance(operand, Ref) else "its operand"
    close = scope.suggest(word.text, dims)
    listed = ", ".join(f"`{dim}`" for dim in dims) or "none"
    scope.report(
        "SL223",
        f"`{op}` names the dimension `{word.text}`, which {whose} does not have",
        word.span,
        hint=f"did you mean `{close}`?" if close else f"the dimensions of {whose} are {listed}",
    )
