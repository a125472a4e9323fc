"""Which dimensions a product contracts, and what a result may name (NOTATION, end of section 2)."""

from typing import NamedTuple

from shardlang.diagnostics import Edit, Fix, Label
from shardlang.semantics.arrays import dim_places, named
from shardlang.semantics.program import Constant, Expr, Op, Ref, arrays_in, dims_of
from shardlang.semantics.scope import Scope
from shardlang.semantics.sharding import axes_text
from shardlang.semantics.text import Printer
from shardlang.source import Span
from shardlang.syntax import ast


class Wanted(NamedTuple):
    """What stands around an operation.

    output: the dimensions of the stated result that bear on it, None if none is stated; others: the dimensions
    that occur elsewhere in the statement, the result included; final: no further product follows; keep: the
    dimensions that a reduction around it names; beside: those of the arrays that stand beside it in an elementwise
    operation, which the result may have from there.
    """

    output: tuple[str, ...] | None
    others: frozenset[str]
    final: bool
    keep: tuple[str, ...] = ()
    beside: frozenset[str] = frozenset()

    def demands(self, dim: str) -> bool:
        """Say whether the stated result has `dim`, and only from here."""
        return self.final and self.output is not None and dim in self.output and dim not in self.beside


def combine(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    """Return the dimensions of both operands in order of appearance."""
    return left + tuple(dim for dim in right if dim not in left)


def contract(node: ast.Product, operands: tuple[Expr, Expr], wanted: Wanted, scope: Scope) -> Op:
    """Return the product with its contracted dimensions resolved."""
    left, right = dims_of(operands[0]), dims_of(operands[1])
    union = combine(left, right)
    shared = tuple(dim for dim in left if dim in right)
    if node.dims is not None:
        contracted = _named_dims(node, operands, shared, wanted, scope)
    elif node.symbol == "⊙" and wanted.output is None:
        contracted = ()
    elif not wanted.final:
        contracted = _intermediate(node, operands, shared, wanted, scope)
    elif wanted.output is None:
        contracted = tuple(dim for dim in shared if dim not in wanted.keep)
    else:
        contracted = tuple(dim for dim in union if dim not in wanted.output)
        if len(contracted) > len(shared) or any(dim not in shared for dim in contracted):
            warn_summed(node, operands, tuple(dim for dim in contracted if dim not in shared), wanted.output, scope)
    kept = tuple(dim for dim in union if dim not in contracted)
    if wanted.final and wanted.output is not None:
        kept = in_order(kept, wanted.output)
    name = "contract" if contracted or not _elementwise(node, operands, left, right) else "hadamard"
    return Op(name, operands, contracted, kept, node.local, node.span)


def in_order(dims: tuple[str, ...], output: tuple[str, ...]) -> tuple[str, ...]:
    """Return `dims` in the order of `output`, the ones that it lacks last."""
    return tuple(dim for dim in output if dim in dims) + tuple(dim for dim in dims if dim not in output)


def _elementwise(node: ast.Product, operands: tuple[Expr, Expr], left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Say whether a product that contracts nothing is a Hadamard product and not an outer one."""
    if node.symbol == "⊙" or isinstance(operands[0], Constant) or isinstance(operands[1], Constant):
        return True
    return set(left) <= set(right) or set(right) <= set(left)


def _named_dims(
    node: ast.Product, operands: tuple[Expr, Expr], shared: tuple[str, ...], wanted: Wanted, scope: Scope
) -> tuple[str, ...]:
    assert node.dims is not None
    contracted: list[str] = []
    errors = scope.errors
    for part in node.dims.parts:
        dim = part.text
        if dim not in shared:
            _report_missing(part, operands, shared, scope)
        elif wanted.demands(dim):
            _report_kept(part, scope)
        elif dim not in contracted:
            contracted.append(dim)
    if wanted.final and wanted.output is not None:
        union = combine(dims_of(operands[0]), dims_of(operands[1]))
        lost = tuple(dim for dim in union if dim not in wanted.output and dim not in contracted)
        if scope.errors == errors:
            warn_summed(node, operands, lost, wanted.output, scope)
        contracted.extend(lost)
    return tuple(contracted)


def _report_missing(part: ast.Word, operands: tuple[Expr, Expr], shared: tuple[str, ...], scope: Scope) -> None:
    """SL214: a contracted dimension that one of the operands does not have."""
    dim = part.text
    if len(dim) > 1 and all(letter in shared for letter in dim):
        hint = f"write `·_{{{','.join(dim)}}}` to contract {_listed(tuple(dim))}"
        scope.report("SL214", f"`{dim}` is not a dimension of the operands", part.span, hint=hint)
        return
    lacking = [operand for operand in operands if dim not in dims_of(operand)]
    where = " and not of ".join(operand_text(operand) for operand in lacking)
    if len(lacking) == 2:
        where = f"{operand_text(lacking[0])} nor of {operand_text(lacking[1])}"
    having = next((operand for operand in operands if dim in dims_of(operand)), None)
    labels = tuple(Label(span, f"{operand_text(having)} has it") for span in _places(having, dim)[:1]) if having else ()
    choice = scope.suggest(dim, shared)
    if choice is None and len(shared) == 1:
        choice = shared[0]
    hint = (
        f"both operands have `{choice}`: write `·_{choice}`" if choice else f"the operands share {_shared_text(shared)}"
    )
    scope.report("SL214", f"`·_{dim}` contracts `{dim}`, which is not a dimension of {where}", part.span, labels, hint)


def _report_kept(part: ast.Word, scope: Scope) -> None:
    """SL216: a dimension is both contracted and kept."""
    dim = part.text
    scope.report(
        "SL216",
        f"`{dim}` is contracted by `·_{dim}` and cannot be a dimension of the result",
        part.span,
        hint=f"take `{dim}` from the result, or write `·` and it is a batch dimension",
    )


def _intermediate(
    node: ast.Product, operands: tuple[Expr, Expr], shared: tuple[str, ...], wanted: Wanted, scope: Scope
) -> tuple[str, ...]:
    """Contract what a pair before the last shares and nothing else needs; if that is nothing, the only shared one."""
    contracted = tuple(dim for dim in shared if dim not in wanted.others)
    if contracted or not shared or node.symbol == "⊙":
        return contracted
    pair = f"{operand_text(operands[0])} and {operand_text(operands[1])}"
    if len(shared) == 1:
        scope.report(
            "SL222",
            f"the product of {pair} contracts `{shared[0]}`, the only dimension they share",
            node.symbol_span,
            hint=f"write `·_{shared[0]}` to say so",
            fixes=(Fix(f"write `·_{shared[0]}`", (Edit(node.symbol_span, _mark(node, shared[0])),)),),
        )
        return shared
    choices = " or ".join(f"`·_{dim}`" for dim in shared) + f" or `·_{{{','.join(shared)}}}`"
    scope.report(
        "SL217",
        f"the product of {pair} could contract {_listed(shared, 'or')}: both share them, and all occur again later",
        node.symbol_span,
        hint=f"write {choices}",
        fixes=tuple(
            Fix(f"contract `{dim}`", (Edit(node.symbol_span, _mark(node, dim)),), safe=False) for dim in shared
        ),
    )
    return ()


def _mark(node: ast.Product, dim: str) -> str:
    return f"·_{{LOCAL,{dim}}}" if node.local else f"·_{dim}" if dim.isalnum() else f"·_{{{dim}}}"


def warn_summed(
    node: ast.Product | ast.Array | ast.Apply,
    operands: tuple[Expr, ...],
    dims: tuple[str, ...],
    output: tuple[str, ...],
    scope: Scope,
) -> None:
    """SL215: dimensions that the result lacks and nobody asked to contract. A stray letter in the result says it better."""
    known = {dim for operand in operands for dim in dims_of(operand)}
    if not dims or any(dim not in known for dim in output):
        return
    for dim in dims:
        owners = [operand for operand in operands if dim in dims_of(operand)]
        places = [span for owner in owners for span in _places(owner, dim)]
        where = " and ".join(operand_text(owner) for owner in owners)
        scope.report(
            "SL215",
            f"`{dim}` of {where} is not in the result and is summed over",
            places[0] if places else node.span,
            hint=f"write `sum_{dim}` if that is meant, or add `{dim}` to the result",
        )


def check_result_dims(
    node: ast.Formula, expr: Expr, refs: tuple[Ref, ...], result: Ref, scope: Scope, told: bool = False
) -> None:
    """SL213: a dimension of the result must come from an operand. SL216 if it does, and was contracted on the way.

    `told` says that the expression has errors already, of which the latter may be one.
    """
    have = dims_of(expr)
    known = {dim for ref in refs for dim in ref.type.dims}
    for dim in result.type.dims:
        if dim in have:
            continue
        span = next(dim_places(result, dim), result.span)
        if dim in known and told:
            continue
        if dim in known:
            scope.report(
                "SL216",
                f"`{dim}` is a dimension of the result, but the operations before have already summed over it",
                span,
                hint=f"take `{dim}` from the result, or name what each product contracts with `·_…`",
            )
        else:
            _report_stray(node, dim, span, (have, refs, result), scope)


def _report_stray(
    node: ast.Formula, dim: str, span: Span, context: tuple[tuple[str, ...], tuple[Ref, ...], Ref], scope: Scope
) -> None:
    have, refs, result = context
    lost = [d for d in dict.fromkeys(d for ref in refs for d in ref.type.dims) if d not in result.type.dims]
    free = [d for d in lost if sum(d in ref.type.dims for ref in refs) == 1]
    fixes: list[Fix] = []
    texts: list[str] = []
    for other in free[:3]:
        owner = next(ref for ref in refs if other in ref.type.dims)
        for title, ref, old, new in (
            (f"rename the dimension of {named(owner)} to `{dim}`", owner, other, dim),
            (f"rename the dimension of the result to `{other}`", result, dim, other),
        ):
            fix, text = _rename(node, ref, (old, new), title, scope)
            fixes.append(fix)
            texts.append(text)
    labels = tuple(
        Label(place, f"`{other}` is not in the result")
        for other in free[:3]
        for ref in refs
        if other in ref.type.dims
        for place in list(dim_places(ref, other))[:1]
    )
    if texts:
        hint = "did you mean " + " or ".join(f"`{text}`" for text in texts) + "?"
    else:
        close = scope.suggest(dim, [d for d in have if d not in result.type.dims])
        given = f"{result.node.name.text if result.node.name else ''}[{', '.join(have)}]"
        hint = (
            f"did you mean `{close}`?"
            if close
            else f"the operands give `{given}`; one of them would have to have `{dim}`"
        )
    operands = " or ".join(dict.fromkeys(named(ref) for ref in refs)) or "the expression, which has no array"
    where = f"`{Printer(scope.axes).array(result.node)}`"
    scope.report(
        "SL213", f"`{dim}` of the result {where} is not a dimension of {operands}", span, labels, hint, tuple(fixes)
    )


def _rename(node: ast.Formula, ref: Ref, change: tuple[str, str], title: str, scope: Scope) -> tuple[Fix, str]:
    """Return the fix that renames a dimension of one array, and the statement with it."""
    old, new = change
    renames: dict[Span, str] = {}
    edits: list[Edit] = []
    for name, axes, entry in zip(ref.type.dims, ref.type.sharding.axes, ref.node.dims or (), strict=True):
        if name != old or entry.word is None:
            continue
        renames[entry.word.span] = new
        span = entry.word.span
        if span.end - span.start == len(entry.word.text):
            edits.append(Edit(Span(span.start, span.start + len(old)), new))
        else:
            edits.append(Edit(entry.span, new + (f"_{axes_text(axes)}" if axes else "")))
    text = Printer(scope.axes, renames).statement(node)
    return Fix(title, tuple(edits), safe=False), text


def operand_text(expr: Expr) -> str:
    """Return how a message calls an operand."""
    if isinstance(expr, Ref):
        return named(expr)
    return f"`{expr.text}`" if isinstance(expr, Constant) else "the subresult"


def _places(expr: Expr | None, dim: str) -> list[Span]:
    return [span for ref in arrays_in(expr) for span in dim_places(ref, dim)] if expr is not None else []


def _shared_text(shared: tuple[str, ...]) -> str:
    return _listed(shared) if shared else "no dimension"


def _listed(dims: tuple[str, ...], word: str = "and") -> str:
    quoted = [f"`{dim}`" for dim in dims]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {word} {quoted[-1]}"
