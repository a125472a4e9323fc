"""From a written expression to operations whose dimensions are all resolved."""

from shardlang.limits import DEEPEST_OPERATIONS
from shardlang.semantics.arrays import dim_places, resolve_array
from shardlang.semantics.collectives import resolve_collective
from shardlang.semantics.products import (
    Wanted,
    combine,
    contract,
    in_order,
    operand_text,
    warn_summed,
)
from shardlang.semantics.program import Constant, Expr, Op, arrays_in, dims_of
from shardlang.semantics.scope import Scope
from shardlang.syntax import ast
from shardlang.syntax.operations import BY_NAME, all_spellings

_BINARY = {"+": "add", "-": "subtract", "/": "divide"}


def resolve_expression(node: ast.Expr, wanted: Wanted, scope: Scope, depth: int = 0) -> Expr | None:
    """Return the resolved expression, None if it cannot be resolved (and a finding says why)."""
    if depth > DEEPEST_OPERATIONS:
        scope.report("SL602", f"operations are nested more than {DEEPEST_OPERATIONS} deep", node.span)
        return None
    match node:
        case ast.Array():
            return resolve_array(node, scope)
        case ast.Number():
            return Constant(node.text, node.span)
        case ast.Product():
            return _product(node, wanted, scope, depth + 1)
        case ast.Binary():
            return _binary(node, wanted, scope, depth + 1)
        case ast.Negate():
            return _negate(node, wanted, scope, depth + 1)
        case ast.Apply():
            return _apply(node, wanted, scope, depth + 1)


def dims_within(node: ast.Expr, scope: Scope) -> frozenset[str]:
    """Return the dimensions of all arrays of an expression."""
    found: set[str] = set()
    open_nodes: list[ast.Expr] = [node]
    while open_nodes:
        match open_nodes.pop():
            case ast.Array() as array:
                found.update(resolve_array(array, scope).type.dims)
            case ast.Product(left=left, right=right) | ast.Binary(left=left, right=right):
                open_nodes += (right, left)
            case ast.Negate(operand=operand):
                open_nodes.append(operand)
            case ast.Apply(args=args):
                open_nodes += args[::-1]
            case ast.Number():
                pass
    return frozenset(found)


def _product(node: ast.Product, wanted: Wanted, scope: Scope, depth: int) -> Expr | None:
    left = _factor(node.left, node.right, wanted, scope, depth)
    right = _factor(node.right, node.left, wanted, scope, depth)
    if left is None or right is None:
        return None
    return contract(node, (left, right), wanted, scope)


def _factor(node: ast.Expr, other: ast.Expr, wanted: Wanted, scope: Scope, depth: int) -> Expr | None:
    """Resolve one factor of a product. A factor without dimensions only scales: the pair beside it is the last."""
    if isinstance(node, ast.Array):
        return resolve_array(node, scope)
    others = dims_within(other, scope)
    if others:
        wanted = Wanted(None, wanted.others | others, False)
    return resolve_expression(node, wanted, scope, depth)


def _binary(node: ast.Binary, wanted: Wanted, scope: Scope, depth: int) -> Expr | None:
    left = resolve_expression(node.left, _beside(wanted, node.right, scope), scope, depth)
    right = resolve_expression(node.right, _beside(wanted, node.left, scope), scope, depth)
    if left is None or right is None:
        return None
    return _elementwise(_BINARY[node.op], (left, right), node, wanted)


def _beside(wanted: Wanted, other: ast.Expr, scope: Scope) -> Wanted:
    return wanted._replace(beside=wanted.beside | dims_within(other, scope))


def _elementwise(name: str, args: tuple[Expr, ...], node: ast.Expr, wanted: Wanted) -> Op:
    dims: tuple[str, ...] = ()
    for arg in args:
        dims = combine(dims, dims_of(arg))
    if wanted.final and wanted.output is not None:
        dims = in_order(dims, wanted.output)
    return Op(name, args, (), dims, False, node.span)


def _negate(node: ast.Negate, wanted: Wanted, scope: Scope, depth: int) -> Expr | None:
    operand = resolve_expression(node.operand, wanted, scope, depth)
    if isinstance(operand, Constant):
        return Constant(operand.text[1:] if operand.text.startswith("-") else f"-{operand.text}", node.span)
    return None if operand is None else _elementwise("negate", (operand,), node, wanted)


def _apply(node: ast.Apply, wanted: Wanted, scope: Scope, depth: int) -> Expr | None:
    operation = BY_NAME.get(node.op)
    kind = operation.kind if operation is not None else "unknown"
    if kind == "reduction":
        return _reduction(node, wanted, scope, depth)
    if operation is not None and kind == "function":
        return _function(node, operation.operands, wanted, scope, depth)
    if kind in ("collective", "free"):
        return _collective(node, wanted, scope, depth)
    for arg in node.args:
        resolve_expression(arg, Wanted(None, wanted.others, True), scope, depth)
    if kind == "normalisation":
        scope.report(
            "SL903",
            f"`{node.op}` is not supported yet",
            node.name.span,
            hint="write it out: `max_J`, an elementwise `exp`, `sum_J`, and a quotient",
        )
    elif kind == "lookup":
        scope.report(
            "SL902",
            "table look-up with `take` is not supported yet",
            node.name.span,
            hint="write the product with the one-hot matrix: `H[B, D] = OneHot[B, V] ·_V E[V, D]`",
        )
    else:
        close = scope.suggest(node.name.text, all_spellings())
        hint = f"did you mean `{close}`?" if close else "known are collectives, reductions and functions such as `gelu`"
        scope.report("SL219", f"`{node.name.text}` is not an operation", node.name.span, hint=hint)
    return None


def _collective(node: ast.Apply, wanted: Wanted, scope: Scope, depth: int) -> Expr | None:
    """Return a collective as an operand: it changes the layout of what it is applied to, not its value."""
    if len(node.args) != 1:
        scope.report("SL220", f"`{node.op}` takes one array, not {len(node.args)}", node.span)
        return None
    operand = resolve_expression(node.args[0], wanted, scope, depth)
    return None if operand is None else resolve_collective(node, operand, None, scope)


def _function(node: ast.Apply, need: int, wanted: Wanted, scope: Scope, depth: int) -> Expr | None:
    args = []
    for at, arg in enumerate(node.args):
        around = wanted
        for other in (*node.args[:at], *node.args[at + 1 :]):
            around = _beside(around, other, scope)
        args.append(resolve_expression(arg, around, scope, depth))
    if len(node.args) != need:
        scope.report(
            "SL220", f"`{node.op}` takes {need} operand{'s' if need != 1 else ''}, not {len(node.args)}", node.span
        )
        return None
    if node.subscript is not None:
        scope.report("SL220", f"`{node.op}` is elementwise and takes no subscript", node.subscript.span)
    resolved = tuple(arg for arg in args if arg is not None)
    return _elementwise(node.op, resolved, node, wanted) if len(resolved) == len(args) else None


def _reduction(node: ast.Apply, wanted: Wanted, scope: Scope, depth: int) -> Expr | None:
    if len(node.args) != 1:
        hint = "for the larger of two arrays write `maximum(A, B)`" if node.op in ("max", "min") else None
        scope.report("SL220", f"`{node.op}` reduces one array, not {len(node.args)}", node.span, hint=hint)
        return None
    named_dims = _subscript_dims(node)
    output = wanted.output
    inner = wanted._replace(others=wanted.others | frozenset(named_dims), keep=wanted.keep + named_dims)
    if output is not None and named_dims:
        inner = inner._replace(output=combine(output, named_dims))
    if isinstance(node.args[0], ast.Product) and node.args[0].symbol == "⊙" and not named_dims:
        inner = inner._replace(output=None)
    operand = resolve_expression(node.args[0], inner, scope, depth)
    if operand is None:
        return None
    reduced = _reduced_dims(node, operand, named_dims, wanted, scope)
    dims = tuple(dim for dim in dims_of(operand) if dim not in reduced)
    if wanted.final and output is not None:
        dims = in_order(dims, output)
    return Op(node.op, (operand,), reduced, dims, False, node.span)


def _subscript_dims(node: ast.Apply) -> tuple[str, ...]:
    if node.subscript is None:
        return ()
    return tuple(dict.fromkeys(part.text for part in node.subscript.parts))


def _reduced_dims(
    node: ast.Apply, operand: Expr, named_dims: tuple[str, ...], wanted: Wanted, scope: Scope
) -> tuple[str, ...]:
    """Return the dimensions that a reduction reduces: those in its subscript, else those that the result lacks."""
    have = dims_of(operand)
    errors = scope.errors
    if node.subscript is not None:
        for part in node.subscript.parts:
            if part.text not in have:
                _report_unknown_dim(node, part, have, operand, scope)
            elif wanted.demands(part.text):
                scope.report(
                    "SL216",
                    f"`{part.text}` is reduced by `{node.op}_{part.text}` and cannot be a dimension of the result",
                    part.span,
                    hint=f"take `{part.text}` from the result",
                )
    reduced = tuple(dim for dim in named_dims if dim in have)
    if wanted.final and wanted.output is not None:
        lost = tuple(dim for dim in have if dim not in wanted.output and dim not in reduced)
        if node.subscript is not None and scope.errors == errors:
            warn_summed(node, (operand,), lost, wanted.output, scope)
        reduced += lost
    if not reduced and scope.errors == errors:
        first = have[0] if have else "J"
        scope.report(
            "SL220",
            f"`{node.op}` does not say which dimension it reduces",
            node.name.span,
            hint=f"name it in the subscript, such as `{node.op}_{first}`",
        )
    return reduced


def _report_unknown_dim(node: ast.Apply, part: ast.Word, have: tuple[str, ...], operand: Expr, scope: Scope) -> None:
    """SL223: a reduction over a dimension that its operand does not have."""
    dim = part.text
    if len(dim) > 1 and all(letter in have for letter in dim):
        hint = f"write `{node.op}_{{{','.join(dim)}}}` to reduce several dimensions"
    else:
        close = scope.suggest(dim, have)
        listed = ", ".join(f"`{name}`" for name in have)
        hint = f"did you mean `{close}`?" if close else f"its dimensions are {listed}" if have else "it has none"
    scope.report("SL223", f"{operand_text(operand)} has no dimension `{dim}` to reduce", part.span, hint=hint)


def check_nothing_dropped(expr: Op, output: tuple[str, ...], scope: Scope) -> None:
    """SL224: elementwise operations keep every dimension of their operands."""
    for dim in expr.dims:
        if dim in output:
            continue
        places = [(ref, span) for ref in arrays_in(expr) for span in dim_places(ref, dim)]
        owner, span = places[0] if places else (None, expr.span)
        whose = f" of {operand_text(owner)}" if owner is not None else ""
        scope.report(
            "SL224",
            f"`{dim}`{whose} is not in the result, and an elementwise operation keeps every dimension",
            span,
            hint=f"add `{dim}` to the result, or write `sum_{dim}(…)` if it is to be summed over",
        )
