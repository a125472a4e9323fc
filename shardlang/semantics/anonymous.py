"""Anonymous dimensions: literal sizes and `…`. They match no other, save in a matrix product of literal sizes."""

from shardlang.diagnostics import Label
from shardlang.semantics.arrays import resolve_array
from shardlang.semantics.program import Ref
from shardlang.semantics.scope import Scope
from shardlang.semantics.sharding import dim_text, is_anonymous
from shardlang.syntax import ast


def match_positions(node: ast.Formula, scope: Scope) -> bool:
    """Match the dimensions of `bf16[8, 128] @ bf16[128, 128] -> f32[8, 128]` by position, as a matrix product does.

    Anonymous dimensions anywhere else are refused (SL910). Returns whether the statement can go on.
    """
    if not any(is_anonymous(dim) for ref in scope.refs.values() for dim in ref.type.dims):
        return True
    sides = _literal_sides(node)
    if sides is None:
        _refuse(tuple(scope.refs.values()), scope)
        return False
    left, right = resolve_array(sides[0], scope), resolve_array(sides[1], scope)
    inner = left.type.dims[-1]
    if dim_text(inner) != dim_text(right.type.dims[0]):
        scope.report(
            "SL220",
            f"a matrix product contracts {dim_text(inner)} with {dim_text(right.type.dims[0])}: "
            "the two sizes must be the same",
            right.span,
            (Label(left.span, f"its last size is {dim_text(inner)}"),),
        )
        return False
    right = _renamed(right, (inner, *right.type.dims[1:]), scope)
    return node.result is None or _match_result(node.result, left.type.dims[:-1] + right.type.dims[1:], scope)


def _refuse(refs: tuple[Ref, ...], scope: Scope) -> None:
    """SL910: an operation over dimensions without a name."""
    places = (
        (dim, entry)
        for ref in refs
        for dim, entry in zip(ref.type.dims, ref.node.dims or (), strict=True)
        if is_anonymous(dim)
    )
    dim, entry = next(places)
    text = dim_text(dim)
    scope.report(
        "SL910",
        f"an operation over the anonymous dimension `{text}` is not supported yet",
        entry.span,
        hint=f"give it a name, such as `N={text}`" if text.isdecimal() else "name the dimensions that it stands for",
    )


def _match_result(node: ast.Array, outer: tuple[str, ...], scope: Scope) -> bool:
    result = resolve_array(node, scope)
    if [dim_text(dim) for dim in result.type.dims] == [dim_text(dim) for dim in outer]:
        _renamed(result, outer, scope)
        return True
    shape = ", ".join(dim_text(dim) for dim in outer)
    scope.report("SL213", f"the product of these arrays has the sizes [{shape}]", result.span)
    return False


def _renamed(ref: Ref, dims: tuple[str, ...], scope: Scope) -> Ref:
    renamed = ref._replace(type=ref.type._replace(dims=dims))
    scope.refs[id(ref.node)] = renamed
    return renamed


def _literal_sides(node: ast.Formula) -> tuple[ast.Array, ast.Array] | None:
    """Return the operands of a plain product of arrays whose sizes are all literal, None for anything else."""
    expr = node.expr
    if not isinstance(expr, ast.Product) or expr.dims is not None or expr.symbol != "·":
        return None
    left, right = expr.left, expr.right
    if not isinstance(left, ast.Array) or not isinstance(right, ast.Array):
        return None
    if not left.dims or not right.dims or len(right.dims) > 2:
        return None
    arrays = (left, right) if node.result is None else (left, right, node.result)
    literal = all(entry.kind == "literal" for array in arrays for entry in array.dims or ())
    return (left, right) if literal else None
