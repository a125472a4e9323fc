"""Collectives inside an expression: each is carried out where it stands, and its result takes its place."""

from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.planning.computation import infer
from shardlang.planning.context import Context, Goal
from shardlang.planning.explicit import check_collective
from shardlang.planning.optimum import Inferred
from shardlang.planning.refusals import EXPLICIT, refuse_unplanned
from shardlang.rules.plan import Step, Value
from shardlang.semantics.program import Collective, Computation, Constant, Expr, Op, Ref, Statement, holds_collective
from shardlang.syntax import ast


class Lowered(NamedTuple):
    """An expression in which no collective is left, and the steps that come before it."""

    expr: Expr
    steps: tuple[Step, ...]


def lower(context: Context, statement: Statement, expr: Expr, free_only: bool) -> Lowered | Diagnostic:
    """Return `expr` without collectives, or what is wrong with one of them."""
    if isinstance(expr, Op):
        return _lower_operands(context, statement, expr, free_only)
    if not isinstance(expr, Collective):
        return Lowered(expr, ())
    inner = lower(context, statement, expr.operand, free_only)
    if isinstance(inner, Diagnostic):
        return inner
    made = evaluate(context, statement, inner, None, free_only)
    if isinstance(made, Diagnostic):
        return made
    value, steps = made
    step, finding = check_collective(context, statement, expr, value)
    if step is None:
        assert finding is not None
        return finding._replace(fixes=())  # they would replace the whole statement
    return Lowered(_leaf(step.result, expr), (*steps, step))


def evaluate(
    context: Context, statement: Statement, lowered: Lowered, name: str | None, free_only: bool
) -> tuple[Value, tuple[Step, ...]] | Diagnostic:
    """Return the value of an operand, called `name` if it has to be computed, and the steps that make it."""
    expr = lowered.expr
    if isinstance(expr, Ref | Constant):
        return context.value(expr), lowered.steps
    assert isinstance(expr, Op)
    goal = Goal(name or context.fresh(expr), context.program.dtype, None)
    made = infer(context, expr, goal, free_only)
    if not isinstance(made, Inferred):
        body = Computation("elementwise", expr, None)
        finding = refuse_unplanned(context, statement, body, goal, made, EXPLICIT if free_only else "")
        return finding._replace(fixes=(), hint="give this part a statement of its own, with the layout that is meant")
    return made.value, (*lowered.steps, *made.steps)


def _lower_operands(context: Context, statement: Statement, op: Op, free_only: bool) -> Lowered | Diagnostic:
    if not holds_collective(op):
        return Lowered(op, ())
    args: list[Expr] = []
    steps: tuple[Step, ...] = ()
    for arg in op.args:
        lowered = lower(context, statement, arg, free_only)
        if isinstance(lowered, Diagnostic):
            return lowered
        args.append(lowered.expr)
        steps += lowered.steps
    return Lowered(op._replace(args=tuple(args)), steps)


def _leaf(value: Value, expr: Collective) -> Expr:
    if value.constant is not None and not value.type.sharding.pending:
        return Constant(value.constant, expr.span)
    unwritten = ast.Array(None, None, (), None, expr.span)
    return Ref(value.name, value.type, expr.span, unwritten, value.constant)
