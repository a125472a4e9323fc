"""From what was written to what it means: `resolve`, and the rules a statement goes through."""

from itertools import islice

from shardlang.diagnostics import Diagnostic, Label
from shardlang.limits import ENDLESS, MOST_AXES, MOST_DIMENSIONS, MOST_MESH_AXES, Clock
from shardlang.semantics.anonymous import match_positions
from shardlang.semantics.arrays import named, resolve_array
from shardlang.semantics.collectives import resolve_collective
from shardlang.semantics.declarations import gather
from shardlang.semantics.divisibility import check_divides
from shardlang.semantics.expressions import check_nothing_dropped, dims_within, resolve_expression
from shardlang.semantics.options import NO_OPTIONS, Options
from shardlang.semantics.products import Wanted, check_result_dims, in_order, warn_summed
from shardlang.semantics.program import (
    BareArray,
    Body,
    Collective,
    Computation,
    Constant,
    Declared,
    Expr,
    Mesh,
    MeshAxis,
    Op,
    Program,
    Ref,
    Reshard,
    Statement,
    arrays_in,
    dims_of,
)
from shardlang.semantics.run_together import check_run_together
from shardlang.semantics.scope import Scope
from shardlang.semantics.sizes import refused_by, settle
from shardlang.semantics.suggestions import Suggestions
from shardlang.syntax import ast
from shardlang.syntax.operations import BY_NAME, REDUCTIONS

_NOTHING: frozenset[str] = frozenset()
_SUMMING = ("contract", *REDUCTIONS)


def resolve(
    module: ast.Module, options: Options = NO_OPTIONS, clock: Clock = ENDLESS
) -> tuple[Program, tuple[Diagnostic, ...]]:
    """Give every word of a text its meaning.

    Comes in: the parsed text, and options that replace what it declares. Goes out: the program, with a
    statement for each one of the text (refused ones with `ok=False`), and all findings in the order of the
    text. Never raises on any parsed text. Layouts of names over statements are checked in planning. Statements for which
    `clock` leaves no time are refused.
    """
    findings: list[Diagnostic] = []
    suggestions = Suggestions()
    declarations = gather(module, options, findings, suggestions)
    axes = tuple(options.mesh) if options.mesh is not None else None
    if axes is None and declarations.mesh is not None:
        axes = tuple(dict.fromkeys(axis.name.text for axis in declarations.mesh))
    let_names = frozenset(binding.name for binding in declarations.lets) | frozenset(options.sizes or ())
    scope = Scope(axes, let_names, suggestions, options.uneven, options.explicit)
    scope.findings = findings
    statements: list[Statement] = []
    arrays: list[tuple[Ref, ...]] = []
    was_late = False
    for index, node in enumerate(module.statements):
        scope.refs = {}
        errors = scope.errors
        late = clock.over()
        if late and not was_late:
            scope.report("SL607", clock.message("this statement and those after it are not checked"), node.span)
        was_late = late
        body = None if late else _resolve_statement(node, scope)
        if axes is None and len(scope.used_axes) > MOST_MESH_AXES:
            body = _within_mesh(node, body, scope)
        ok = body is not None and scope.errors == errors and index not in declarations.refused
        form = node.form if isinstance(node, ast.Formula) else "bare"
        statements.append(Statement(body, form, ok, scope.explicit, node, node.span))
        arrays.append(tuple(scope.refs.values()))
    if axes is None:
        scope.used_axes = dict.fromkeys(_first_axes(scope))
    before = len(findings)
    sizes = settle(declarations, options, scope)
    if any(sizes.axes.values()) and sizes.dims:
        good: set[tuple[str, tuple[str, ...]]] = set()
        for refs in arrays:
            for ref in refs:
                check_divides(ref, sizes, good, scope)
    for index in refused_by(findings[before:], module):
        statements[index] = statements[index]._replace(ok=False)
    mesh = Mesh(
        tuple(MeshAxis(name, size, declarations.topology.get(name)) for name, size in sizes.axes.items()),
        axes is not None,
    )
    program = Program(
        mesh,
        sizes.dims,
        declarations.dtype,
        declarations.hardware,
        scope.declared_types,
        tuple(statements),
        sizes.hardware,
        options.uneven,
    )
    return program, tuple(sorted(findings, key=lambda finding: finding.span.start))


def _first_axes(scope: Scope) -> tuple[str, ...]:
    """Return the axes of a mesh that is not declared: the first ones of the text, as many as a declared one may have."""
    return tuple(islice(scope.used_axes, MOST_MESH_AXES))


def _within_mesh(node: ast.Statement, body: Body | None, scope: Scope) -> Body | None:
    """SL604: formulas hold every axis of the mesh, so that it has a bounded number of them where it is not declared too."""
    axes = set(_first_axes(scope))
    if all(axis in axes for ref in scope.refs.values() for axis in ref.type.sharding.used()):
        return body
    message = f"the text uses {len(scope.used_axes)} mesh axes up to here; the limit is {MOST_MESH_AXES}"
    scope.report("SL604", message, node.span)
    return None


def _resolve_statement(node: ast.Statement, scope: Scope) -> Body | None:
    if isinstance(node, ast.Formula):
        return _resolve_formula(node, scope)
    if isinstance(node, ast.ArrayDecl):
        return _resolve_declared(node.array, scope)
    if isinstance(node, ast.ExplicitDecl):
        scope.explicit = True
    if isinstance(node, ast.RulesDecl):
        scope.report(
            "SL905",
            "logical-axis rules are not supported yet",
            node.span,
            hint="write the mesh axes in the arrays: `In[batch_X, D]`",
        )
    return Declared()


def _resolve_declared(node: ast.Array, scope: Scope) -> Declared:
    """Return the declaration of an input's type. SL206 if the input has another element type already."""
    ref = resolve_array(node, scope)
    dtype = ref.type.dtype
    if ref.name is None or dtype is None:
        return Declared(ref)
    first, place = scope.declared_arrays.setdefault(ref.name, (dtype, ref.span))
    if first != dtype:
        scope.report(
            "SL206",
            f"{named(ref)} is declared as `{dtype}`, and before as `{first}`",
            ref.span,
            (Label(place, "declared here first"),),
            hint="keep one of the declarations",
        )
    scope.declared_types[ref.name] = first
    return Declared(ref)


def _resolve_formula(node: ast.Formula, scope: Scope) -> Body | None:
    expr = node.expr
    unsupported = scope.unsupported
    _resolve_arrays(node, scope)
    if scope.run_together:
        check_run_together(tuple(scope.refs.values()), scope)
    if isinstance(expr, ast.Array) and node.result is None:
        return BareArray(resolve_array(expr, scope))
    if scope.unsupported == unsupported:
        _check_extent(node, tuple(scope.refs.values()), scope)
    if scope.unsupported > unsupported or (scope.anonymous_count and not match_positions(node, scope)):
        return None
    result = resolve_array(node.result, scope) if node.result is not None else None
    if isinstance(expr, ast.Apply) and _is_step(expr):
        return _resolve_step(expr, result, scope)
    if isinstance(expr, ast.Array):
        assert result is not None
        return _resolve_reshard(node, resolve_array(expr, scope), result, scope)
    return _resolve_computation(node, result, scope)


def _resolve_arrays(node: ast.Formula, scope: Scope) -> None:
    """Resolve all arrays of a statement in the order of the text, which is the order of the axes of an open mesh."""
    if node.result is not None and node.form == "assign":
        resolve_array(node.result, scope)
    dims_within(node.expr, scope)
    if node.result is not None:
        resolve_array(node.result, scope)


def _is_step(expr: ast.Apply) -> bool:
    operation = BY_NAME.get(expr.op)
    return operation is not None and operation.kind in ("collective", "free")


def _resolve_step(expr: ast.Apply, result: Ref | None, scope: Scope) -> Collective | None:
    if len(expr.args) != 1:
        scope.report("SL220", f"`{expr.op}` takes one array, not {len(expr.args)}", expr.span)
        return None
    output = result.type.dims if result is not None else None
    operand = resolve_expression(expr.args[0], Wanted(output, frozenset(output or ()), True), scope)
    if operand is None:
        return None
    if isinstance(operand, Ref) and operand.name is None and result is not None:
        operand = operand._replace(name=result.name)
    step = resolve_collective(expr, operand, result, scope)
    if result is not None and not isinstance(operand, Constant):
        _check_same_dims(expr.op, operand, result, scope)
    return step


def _check_same_dims(op: str, operand: Expr, result: Ref, scope: Scope) -> None:
    """SL213: a collective keeps the dimensions of its operand."""
    if set(dims_of(operand)) == set(result.type.dims):
        return
    ours, theirs = ", ".join(dims_of(operand)), ", ".join(result.type.dims)
    whose = named(operand) if isinstance(operand, Ref) else "it"
    scope.report(
        "SL213",
        f"`{op}` keeps the dimensions of its operand: {whose} has [{ours}], the result [{theirs}]",
        result.span,
        (Label(operand.span, "the operand"),),
    )


def _resolve_reshard(node: ast.Formula, operand: Ref, result: Ref, scope: Scope) -> Body | None:
    """Return a reshard, which keeps the dimensions; an arrow that loses one sums over it, as einsum does."""
    have, want = operand.type.dims, result.type.dims
    if set(have) == set(want):
        return Reshard(operand, result)
    check_result_dims(node, operand, (operand,), result, scope)
    lost = tuple(dim for dim in have if dim not in want)
    if any(dim not in have for dim in want):
        return None
    assert isinstance(node.expr, ast.Array)
    warn_summed(node.expr, (operand,), lost, want, scope)
    kept = in_order(tuple(dim for dim in have if dim in want), want)
    return Computation("reduction", Op("sum", (operand,), lost, kept, False, node.expr.span), result)


def _resolve_computation(node: ast.Formula, result: Ref | None, scope: Scope) -> Computation | None:
    output = result.type.dims if result is not None else None
    others = frozenset(output) if output is not None else _NOTHING
    errors = scope.errors
    expr = resolve_expression(node.expr, Wanted(output, others, True), scope)
    if isinstance(expr, Constant):
        scope.report(
            "SL220",
            f"`{expr.text}` alone is not an operation on an array",
            expr.span,
            hint="a constant stands beside an array: `A[I] + 1`, `2 * A[I]`",
        )
        return None
    if not isinstance(expr, Op):
        return None
    if result is not None and output is not None:
        refs = tuple(arrays_in(expr))
        check_result_dims(node, expr, refs, result, scope, told=scope.errors > errors)
        if expr.name not in _SUMMING and all(dim in expr.dims for dim in output):
            check_nothing_dropped(expr, output, scope)
    return Computation(_kind(expr), expr, result)


def _kind(expr: Op) -> str:
    if expr.name == "contract":
        return "contraction"
    return "reduction" if expr.name in REDUCTIONS else "elementwise"


def _check_extent(node: ast.Formula, refs: tuple[Ref, ...], scope: Scope) -> None:
    """SL604: planning is exponential in dimensions and axes, so a statement has a bounded number of them."""
    if sum(len(ref.type.dims) for ref in refs) <= MOST_AXES:
        return
    dims = {dim for ref in refs for dim in ref.type.dims}
    axes = {axis for ref in refs for axis in ref.type.sharding.used()}
    if len(dims) > MOST_DIMENSIONS or len(axes) > MOST_AXES:
        scope.report(
            "SL604",
            f"this statement uses {len(dims)} dimensions and {len(axes)} mesh axes; "
            f"the limits are {MOST_DIMENSIONS} and {MOST_AXES}",
            node.span,
            hint="split it into several statements",
        )
