"""Findings about a computation that has no plan: what is open, what is not local, and what could be meant."""

from shardlang.diagnostics import Diagnostic, Edit, Fix
from shardlang.planning.build import delivered
from shardlang.planning.completions import completions, moves_between
from shardlang.planning.computation import Unplanned, infer
from shardlang.planning.context import Context, Goal
from shardlang.planning.optimum import Inferred, cost_of, is_known
from shardlang.planning.priced import price_of, short
from shardlang.planning.reasons import spoken
from shardlang.planning.search import Cost
from shardlang.planning.settings import objective_for
from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.plan import COLLECTIVES, Step, Value
from shardlang.rules.text import value_text
from shardlang.semantics.program import Computation, Op, Statement
from shardlang.semantics.sharding import ArrayType, Sharding, array_text, axes_text, dim_text
from shardlang.semantics.text import Printer
from shardlang.syntax import ast

_DUE = {"sum": "sum", "max": "maximum", "min": "minimum"}
LOCAL, EXPLICIT = "`_LOCAL`", "`explicit`"


def refuse_unplanned(
    context: Context,
    statement: Statement,
    body: Computation,
    goal: Goal,
    made: Unplanned | None,
    forbidden: str,
    before: tuple[Step, ...] = (),
) -> Diagnostic:
    """Return the finding for a computation without a plan.

    forbidden: what forbids communication, if anything. before: the steps of collectives inside the expression.
    """
    if isinstance(made, Unplanned):
        return refuse_open(context, statement, body, made, goal, before, bool(forbidden or before))
    if forbidden:
        return refuse_local(context, statement, body, goal, forbidden, before)
    return Diagnostic("SL404", "no sequence of steps leads from these operands to this result", statement.span)


def refuse_open(
    context: Context,
    statement: Statement,
    body: Computation,
    unplanned: Unplanned,
    goal: Goal,
    before: tuple[Step, ...],
    written: bool,
) -> Diagnostic:
    """Return the finding for a result that the operands do not decide, with every minimal completion."""
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
    fixes, more = _ways_to_say(context, statement, body, goal, before, written)
    texts = [fix.edits[0].text for fix in fixes if "\n" not in fix.edits[0].text]
    hint = "state the result: " + ", or ".join(f"`{text}`" for text in texts) if texts else None
    if hint is None:
        hint = "state the layout of this part as a statement of its own"
    return Diagnostic("SL309", said_more(message, more), op.span, (), hint, fixes)


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


def _ways_to_say(
    context: Context, statement: Statement, body: Computation, goal: Goal, before: tuple[Step, ...], written: bool
) -> tuple[tuple[Fix, ...], bool]:
    """Return the statement with each minimal completion of a result that is open, cheapest first; whether there are more.

    `written`: the steps are written out in any case, as where communication may not be inferred; else the layout is
    stated where that is enough. That is where it leads to the same collectives, or with sizes known to cheaper ones
    that are not those of another completion.
    """
    found, more = completions(context, body.expr, goal)
    others = [_collectives(one.steps) for one in found]
    ways = []
    for at, one in enumerate(found):
        asked = None if written else _planned(context, body.expr, goal, one)
        if asked is not None and _collectives(asked.steps) not in (*others[:at], *others[at + 1 :]):
            ways.append((_cost(context, body.expr, asked), at, _asking(context, body.expr, statement, goal, asked)))
        else:
            ways.append((_cost(context, body.expr, one), at, written_out(context, statement, (*before, *one.steps))))
    # completions that end in the same layout are one when that is asked for
    return tuple(dict.fromkeys(fix for _, _, fix in sorted(ways))), more


def _cost(context: Context, op: Op, one: Inferred) -> Cost:
    objective = objective_for(context.settings, context.sizes, is_known(context, op, one.value.type.sharding))
    return cost_of(context, one.steps, objective)


def _planned(context: Context, op: Op, goal: Goal, one: Inferred) -> Inferred | None:
    """Return the plan for the layout of a completion, None where that takes other collectives and is not cheaper."""
    layout = one.value.type.sharding
    made = infer(context, op, goal._replace(sharding=layout))
    if not isinstance(made, Inferred) or _collectives(made.steps) == _collectives(one.steps):
        return made if isinstance(made, Inferred) else None
    cheaper = is_known(context, op, layout) and _cost(context, op, made) < _cost(context, op, one)
    return made if cheaper else None


def _asking(context: Context, op: Op, statement: Statement, goal: Goal, made: Inferred) -> Fix:
    """Return the statement with the layout of a plan stated."""
    result = array_text(goal.name, ArrayType(op.dims, made.value.type.sharding))
    text = f"{source_text(context, statement)} -> {result}"
    return Fix(f"ask for `{result}`", (Edit(statement.span, text),), price_of(context, made.steps))


def _collectives(steps: tuple[Step, ...]) -> list[str]:
    return sorted(short(step) for step in steps if step.kind in COLLECTIVES)


def written_out(context: Context, statement: Statement, steps: tuple[Step, ...]) -> Fix:
    """Return the statement as its steps, a line each, with what they take."""
    text = "\n".join(step.text for step in steps)
    price = price_of(context, steps)
    title = "write the communication out" if price.collectives else "write the free steps out"
    return Fix(title, (Edit(statement.span, text),), price)


def hint_of(fixes: tuple[Fix, ...]) -> str | None:
    """Return the text of the first fix in one line, None where it removes something or there is none."""
    text = fixes[0].edits[0].text if fixes else ""
    return f"write `{text.replace(chr(10), '; ')}`" if text else None


def said_more(message: str, more: bool) -> str:
    """Return a message that says so where there may be more completions than its fixes."""
    return f"{message} (the search for ways to mend it stopped at a bound: there may be others)" if more else message


def refuse_local(
    context: Context, statement: Statement, body: Computation, goal: Goal, word: str, before: tuple[Step, ...] = ()
) -> Diagnostic:
    """Return the finding for a computation that needs communication under `_LOCAL` or `explicit` (`word`)."""
    op, operands = _first_not_local(context, body.expr, word == EXPLICIT)
    signature = context.signature(op, goal.dtype if op is body.expr else context.program.dtype)
    problem = local_result(signature, tuple(value.type.sharding for value in operands))
    found, more = completions(context, body.expr, goal)
    fixes = tuple(written_out(context, statement, (*before, *one.steps)) for one in found)
    if isinstance(problem, Sharding):
        return _wrong_result(context, statement, body, goal, problem, fixes, more)
    code, message = _problem_message(problem, signature.additive, op, operands)
    message = said_more(f"{message} ({word} allows no communication)", more)
    hint = f"it needs {_quoted(fixes[0])}" if fixes else None
    return Diagnostic(code, message, op.span, (), hint, fixes)


def _quoted(fix: Fix) -> str:
    taken = fix.price.collectives if fix.price is not None else ()
    return ", ".join(f"`{one}`" for one in taken) or "free steps only"


def refuse_reshard(context: Context, statement: Statement, operand: Value, result: Value) -> Diagnostic:
    """Return the finding for a reshard under `explicit`: it takes communication that is to be written out."""
    target = result.type.sharding._replace(axes=tuple(result.type.axes_of(dim) for dim in operand.type.dims))
    found, more = moves_between(context, operand, target)
    fixes = tuple(written_out(context, statement, delivered(one.value, one.steps, result)) for one in found)
    message = f"`{value_text(operand)}` becomes `{value_text(result)}` only with communication, and `explicit` wants it written out"
    return Diagnostic("SL301", said_more(message, more), statement.span, (), hint_of(fixes), fixes)


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


def _wrong_result(
    context: Context,
    statement: Statement,
    body: Computation,
    goal: Goal,
    made: Sharding,
    ways: tuple[Fix, ...],
    more: bool,
) -> Diagnostic:
    assert body.result is not None
    right = array_text(goal.name, ArrayType(body.expr.dims, made))
    said = array_text(goal.name, body.result.type)
    local = source_text(context, statement)
    text = f"{local} -> {right}" if statement.form != "assign" else f"{right} = {local}"
    missing = tuple(axis for axis in made.pending if axis not in body.result.type.sharding.used())
    code = "SL312" if missing else "SL317"
    message = f"the local operation gives `{right}`, not `{said}`"
    if missing:
        message += f": the sum over `{spoken(missing)}` is still due"
    stated = Fix(f"state what it gives: {right}", (Edit(statement.span, text),), price_of(context, ()), safe=False)
    hint = f"it needs {_quoted(ways[0])}" if ways else f"write `{text}`"
    return Diagnostic(code, said_more(message, more), body.result.span, (), hint, (*ways, stated))


def source_text(context: Context, statement: Statement) -> str:
    """Return the canonical text of the left side of a statement."""
    assert isinstance(statement.node, ast.Formula)
    mesh = context.program.mesh
    return Printer(tuple(axis.name for axis in mesh.axes) if mesh.declared else None).expression(statement.node.expr)
