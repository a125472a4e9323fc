"""Findings about a computation that has no plan: what is open, what is not local, and what could be meant."""

from shardlang.diagnostics import Diagnostic, Edit, Fix
from shardlang.planning import tree
from shardlang.planning.computation import Unplanned, infer, whole
from shardlang.planning.context import Context, Goal
from shardlang.planning.optimum import Inferred, active_axes, expression_node, is_known
from shardlang.planning.reasons import spoken
from shardlang.planning.routes import route
from shardlang.planning.settings import objective_for
from shardlang.planning.space import TooLargeError
from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.plan import COLLECTIVES, LOCAL_STEPS, Value
from shardlang.rules.text import subscript_text, value_text
from shardlang.semantics.program import Computation, Op, Statement
from shardlang.semantics.sharding import ArrayType, Sharding, array_text, axes_text, dim_text
from shardlang.semantics.text import Printer
from shardlang.syntax import ast

CHOICES = 4
_DUE = {"sum": "sum", "max": "maximum", "min": "minimum"}
LOCAL, EXPLICIT = "`_LOCAL`", "`explicit`"


def refuse_unplanned(
    context: Context, statement: Statement, body: Computation, goal: Goal, made: Unplanned | None, forbidden: str
) -> Diagnostic:
    """Return the finding for a computation without a plan; `forbidden` is what forbids communication, if anything."""
    if isinstance(made, Unplanned):
        return refuse_open(context, statement, body, made, goal.name or "")
    if forbidden:
        return refuse_local(context, statement, body, goal, forbidden)
    return Diagnostic("SL404", "no sequence of steps leads from these operands to this result", statement.span)


def refuse_open(
    context: Context, statement: Statement, body: Computation, unplanned: Unplanned, name: str
) -> Diagnostic:
    """Return the finding for a result that the operands do not decide, with the layouts to choose from."""
    question, op = unplanned.question, unplanned.op
    axis = question.axis
    first = next(value for value in unplanned.operands if axis in value.type.sharding.used())
    if question.kind == "clash":
        dims = " and ".join(f"`{dim_text(dim)}`" for dim in question.dims)
        message = f"`{axis}` would shard both {dims} of the result: a mesh axis can be used once in an array"
    elif question.kind == "differ":
        ways = _ways(unplanned.operands, question.dims[0])
        message = (
            f"`{dim_text(question.dims[0])}` is sharded in two ways, {ways}: nothing says which the result is to have"
        )
    elif question.kind == "pending-partner":
        message = f"`{axis}` is pending in one operand and shards `{dim_text(question.dims[0])}` of the other"
    elif question.kind == "pending-product":
        message = _both_pending(op, axis)
    elif question.kind == "kinds":
        message = f"the operands are pending over `{axis}` in different ways: a sum and an extremum do not commute"
    else:
        message = f"{_not_passed(op, first, axis)}: the {_DUE[first.type.sharding.kind]} is due first"
    texts = choices(context, op, statement, name) if op is body.expr else []
    fixes = tuple(Fix(f"ask for `{text.rsplit(' -> ', 1)[1]}`", (Edit(statement.span, text),)) for text in texts)
    hint = "state the result: " + ", or ".join(f"`{text}`" for text in texts) if texts else None
    if hint is None:
        hint = "state the layout of this part as a statement of its own"
    return Diagnostic("SL309", message, op.span, (), hint, fixes)


def _both_pending(op: Op, axis: str) -> str:
    if op.name in ("contract", "hadamard"):
        return f"both operands are pending over `{axis}`: the product of two sums is not the sum of the products"
    return f"both operands are pending over `{axis}`, and `{op.name}` does not pass that on"


def _not_passed(op: Op, operand: Value, axis: str) -> str:
    quality = "linear" if operand.type.sharding.kind == "sum" else "certain to keep an order"
    return f"`{op.name}` is not {quality}, and `{value_text(operand)}` is pending over `{axis}`"


def _ways(operands: tuple[Value, ...], dim: str) -> str:
    found = [value.type.axes_of(dim) for value in operands if dim in value.type.dims]
    return " and ".join(f"`{dim_text(dim)}_{axes_text(axes)}`" if axes else f"`{dim_text(dim)}`" for axes in found)


def choices(context: Context, op: Op, statement: Statement, name: str) -> list[str]:
    """Return the statement with each layout of the result that few collectives lead to, cheapest first."""
    objective = objective_for(context.settings, context.sizes, is_known(context, op, None))
    active = active_axes(context, op, None)
    node = expression_node(context, op, context.program.dtype)
    try:
        search = tree.Search(active, context.tables, objective, tree.kinds_of(node, None), ())
        solved = tree.solve(node, search)
    except TooLargeError:
        made = infer(context, op, Goal(name, context.program.dtype, whole(op.dims)))
        formed = (
            [step.result.type.sharding for step in made.steps if step.kind in LOCAL_STEPS]
            if isinstance(made, Inferred)
            else []
        )
        return [_asking(context, op, statement, name, formed[-1])] if formed else []
    count = 1 if objective.price_first else 0
    costs = {sharding: reached.cost for sharding, reached in solved.reached.items()}
    least = min((cost[count] for cost in costs.values()), default=0)
    ranked = sorted((cost, sharding) for sharding, cost in costs.items() if cost[count] <= least + 1)
    return [_asking(context, op, statement, name, sharding) for _, sharding in ranked[:CHOICES]]


def _asking(context: Context, op: Op, statement: Statement, name: str, sharding: Sharding) -> str:
    return f"{source_text(context, statement)} -> {array_text(name, ArrayType(op.dims, sharding))}"


def refuse_local(context: Context, statement: Statement, body: Computation, goal: Goal, word: str) -> Diagnostic:
    """Return the finding for a computation that needs communication under `_LOCAL` or `explicit` (`word`)."""
    op, operands = _first_not_local(context, body.expr, word == EXPLICIT)
    signature = context.signature(op, goal.dtype if op is body.expr else context.program.dtype)
    problem = local_result(signature, tuple(value.type.sharding for value in operands))
    if isinstance(problem, Sharding):
        return _wrong_result(context, statement, body, goal, problem)
    code, message = _problem_message(problem, signature.additive, op, operands)
    made = infer(context, anywhere(body.expr), goal)
    if not isinstance(made, Inferred):
        return Diagnostic(code, f"{message} ({word} allows no communication)", op.span)
    needed = ", ".join(f"`{step.text}`" for step in made.steps if step.kind in COLLECTIVES)
    text = "\n".join(step.text for step in made.steps)
    fix = Fix("write the communication out", (Edit(statement.span, text),))
    return Diagnostic(code, f"{message} ({word} allows no communication)", op.span, (), f"it needs {needed}", (fix,))


def anywhere(op: Op) -> Op:
    """Return the expression with communication allowed in all of it."""
    args = tuple(anywhere(arg) if isinstance(arg, Op) else arg for arg in op.args)
    return op._replace(args=args, local=False)


def _first_not_local(context: Context, op: Op, explicit: bool) -> tuple[Op, tuple[Value, ...]]:
    """Return the innermost operation that is not local, or the outermost, with its operands."""
    operands = []
    for arg in op.args:
        if not isinstance(arg, Op):
            operands.append(context.value(arg))
            continue
        made = infer(context, arg, Goal(context.fresh(arg), context.program.dtype, None), explicit)
        if not isinstance(made, Inferred):
            return _first_not_local(context, arg, explicit)
        operands.append(made.value)
    return op, tuple(operands)


def _problem_message(problem: LocalProblem, additive: bool, op: Op, operands: tuple[Value, ...]) -> tuple[str, str]:
    axis, operand = problem.axis, operands[problem.operand]
    array = value_text(operand)
    dim = dim_text(problem.dim) if problem.dim is not None else ""
    if problem.kind == "order":
        ways = _ways(operands, problem.dim or "")
        return "SL308", f"the blocks of `{dim}` do not match: it is sharded {ways}, in different orders"
    if problem.kind == "unmatched":
        ways = _ways(operands, problem.dim or "")
        return "SL301", f"the operands do not lie alike on `{dim}`: {ways}"
    if problem.kind == "mixed":
        other = dim_text(problem.other or "")
        return "SL301", f"`{axis}` shards `{other}` of one operand and `{dim}` of the other"
    holders = [value for value in operands if axis in value.type.sharding.pending]
    if problem.kind == "pending" and len(holders) > 1:
        return "SL315", _both_pending(op, axis)
    if problem.kind == "pending" and additive and len(operands) > 1:
        rest = next(value for value in operands if axis not in value.type.sharding.pending)
        message = f"`{array}` is pending over `{axis}` and `{value_text(rest)}` is not: "
        if operand.type.sharding.kind == "sum":
            return "SL316", message + f"added as it stands, it would count `{axis}` times"
        return "SL316", message + f"the {_DUE[operand.type.sharding.kind]} is due first"
    if problem.kind == "pending" and len(operands) == 1:
        return "SL314", _not_passed(op, operand, axis)
    return "SL301", f"`{array}` is pending over `{axis}`, and the operation does not pass that on"


def _wrong_result(context: Context, statement: Statement, body: Computation, goal: Goal, made: Sharding) -> Diagnostic:
    assert body.result is not None
    right = array_text(goal.name, ArrayType(body.expr.dims, made))
    said = array_text(goal.name, body.result.type)
    local = source_text(context, statement)
    text = f"{local} -> {right}" if statement.form != "assign" else f"{right} = {local}"
    reshard = f"{right} -> {said}"
    missing = tuple(axis for axis in made.pending if axis not in body.result.type.sharding.used())
    code = "SL312" if missing else "SL317"
    message = f"the local operation gives `{right}`, not `{said}`"
    if missing:
        message += f": the sum over `{spoken(missing)}` is still due"
    kind = _single_collective(context, body, made)
    repair = f"{kind} {right} -> {said}" if kind else reshard
    fixes = (
        Fix(f"add what is missing: {repair}", (Edit(statement.span, f"{text}\n{repair}"),)),
        Fix(f"state what it gives: {right}", (Edit(statement.span, text),)),
    )
    return Diagnostic(code, message, body.result.span, (), f"write `{text}`, then `{repair}`", fixes)


def _single_collective(context: Context, body: Computation, made: Sharding) -> str | None:
    """Return the collective with its subscript if one alone leads from the local result to the stated one."""
    assert body.result is not None
    array = ArrayType(body.expr.dims, made, body.result.type.dtype)
    moves = route(context, array, body.result.type.sharding)
    if moves is None or len(moves) != 1:
        return None
    move = moves[0]
    return move.kind + subscript_text(move.kind, move.axes, move.dims, Value(None, array))


def source_text(context: Context, statement: Statement) -> str:
    """Return the canonical text of the left side of a statement."""
    assert isinstance(statement.node, ast.Formula)
    mesh = context.program.mesh
    return Printer(tuple(axis.name for axis in mesh.axes) if mesh.declared else None).expression(statement.node.expr)
