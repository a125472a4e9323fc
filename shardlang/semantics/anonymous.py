"""Anonymous dimensions: literal sizes and `…`. They match no other, save in a matrix product of literal sizes."""

from shardlang.diagnostics import Label
from shardlang.semantics.arrays import resolve_array
from shardlang.semantics.program import Ref
from shardlang.semantics.scope import Scope
from shardlang.semantics.sharding import dim_text, is_anonymous
from shardlang.source import Span
from shardlang.syntax import ast


def check_anonymous(node: ast.Formula, refs: tuple[Ref, ...], scope: Scope) -> None:
    """SL910: an operation over dimensions without a name, unless `match_positions` has matched them."""
    if scope.anonymous_count == 0 or _is_positional(node, scope):
        return
    for ref in refs:
        for dim, entry in zip(ref.type.dims, ref.node.dims or (), strict=True):
            if is_anonymous(dim):
                scope.report(
                    "SL910",
                    f"an operation over the anonymous dimension `{dim_text(dim)}` is not supported yet",
                    entry.span,
                    hint=f"give it a name: `N={dim_text(dim)}`" if dim_text(dim).isdecimal() else "name the dimensions",
                )
                return


def match_positions(node: ast.Formula, scope: Scope) -> None:
    """Match the dimensions of `bf16[8, 128] @ bf16[128, 128] -> f32[8, 128]` by position, as a matrix product does."""
    if scope.anonymous_count == 0 or not _is_positional(node, scope):
        return
    assert isinstance(node.expr, ast.Product)
    left, right = (
        resolve_array(side, scope) for side in (node.expr.left, node.expr.right) if isinstance(side, ast.Array)
    )
    inner = left.type.dims[-1]
    if dim_text(inner) != dim_text(right.type.dims[0]):
        _report_mismatch((inner, right.type.dims[0]), left.span, right.span, scope)
        return
    right = _renamed(right, (inner, *right.type.dims[1:]), scope)
    if node.result is None:
        return
    result = resolve_array(node.result, scope)
    outer = left.type.dims[:-1] + right.type.dims[1:]
    if [dim_text(dim) for dim in result.type.dims] == [dim_text(dim) for dim in outer]:
        _renamed(result, outer, scope)
        return
    shape = ", ".join(dim_text(dim) for dim in outer)
    scope.report("SL213", f"the product of these arrays has the sizes [{shape}]", result.span)


def _report_mismatch(dims: tuple[str, str], left: Span, right: Span, scope: Scope) -> None:
    scope.report(
        "SL220",
        f"a matrix product contracts {dim_text(dims[0])} with {dim_text(dims[1])}: the two sizes must be the same",
        right,
        (Label(left, f"its last size is {dim_text(dims[0])}"),),
    )


def _renamed(ref: Ref, dims: tuple[str, ...], scope: Scope) -> Ref:
    renamed = ref._replace(type=ref.type._replace(dims=dims))
    scope.refs[id(ref.node)] = renamed
    return renamed


def _is_positional(node: ast.Formula, scope: Scope) -> bool:
    expr = node.expr
    if not isinstance(expr, ast.Product) or expr.dims is not None or expr.symbol != "·":
        return False
    sides = [side for side in (expr.left, expr.right, node.result) if side is not None]
    for side in sides:
        if not isinstance(side, ast.Array) or not 1 <= len(side.dims or ()) <= 2:
            return side is node.result and not node.result.dims
        if any(entry.kind != "literal" for entry in side.dims or ()):
            return False
    return True
