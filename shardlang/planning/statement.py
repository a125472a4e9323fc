"""Planning one statement: its use of names, its steps, and what there is to say about them."""

from collections.abc import Iterator

from shardlang.diagnostics import Diagnostic, Label
from shardlang.limits import MOST_BITS_OF_A_STATEMENT, OutOfTimeError
from shardlang.planning.alternatives import alternatives
from shardlang.planning.build import delivered
from shardlang.planning.computation import infer
from shardlang.planning.context import Context, Goal
from shardlang.planning.explicit import check_collective
from shardlang.planning.names import Names
from shardlang.planning.nested import evaluate, lower
from shardlang.planning.optimum import Inferred
from shardlang.planning.reasons import Purpose, spoken
from shardlang.planning.refusals import EXPLICIT, LOCAL, refuse_reshard, refuse_unplanned
from shardlang.planning.routes import follow, route
from shardlang.rules.plan import COLLECTIVES, Alternative, StatementPlan, Step, Value
from shardlang.rules.text import subscript_text, value_text
from shardlang.semantics.program import (
    BareArray,
    Body,
    Collective,
    Computation,
    Declared,
    Op,
    Ref,
    Reshard,
    Statement,
    arrays_in,
    has_local,
    refs_of,
    result_of,
)
from shardlang.semantics.sharding import array_text


class Planner:
    """Plans the statements of a text one after the other. `findings` collects what there is to say."""

    def __init__(self, context: Context, taken: set[str]) -> None:
        self.context = context
        self.names = Names()
        self.findings: list[Diagnostic] = []
        self._taken = taken
        self._out_of_time = False
        self._bounds: dict[str, tuple[int, int]] = {}  # what stopped: where its finding is, and for how many statements

    def plan(self, statement: Statement) -> StatementPlan | None:
        """Return the plan of one statement, None for a declaration."""
        self.context.tables.budget.renew()
        self.context.bounded.clear()
        try:
            made = self._plan(statement)
        except OutOfTimeError:
            return self._late(statement)
        if self.context.bounded:
            self._note_bounds(" and ".join(dict.fromkeys(self.context.bounded)), statement)
        return made

    def _note_bounds(self, what: str, statement: Statement) -> None:
        """Say that a search stopped at its bound: once for all statements, for many do when the work on the text is spent."""
        at, count = self._bounds.get(what, (len(self.findings), 0))
        self._bounds[what] = at, count + 1
        message = f"{what} stopped at a bound: these steps are correct, and there may be cheaper ones"
        if count == 0:
            self.findings.append(Diagnostic("SL603", message, statement.span))
            return
        others = "another statement" if count == 1 else f"{count} other statements"
        label = Label(statement.span, "here too" if count == 1 else "the last of them")
        self.findings[at] = self.findings[at]._replace(
            message=f"{message}; the same holds for {others}", labels=(label,)
        )

    def _late(self, statement: Statement) -> StatementPlan:
        """Refuse a statement for which no time is left; the first of them says so for all."""
        if not self._out_of_time:
            message = self.context.settings.clock.message("this statement and those after it are not planned")
            self.findings.append(Diagnostic("SL607", message, statement.span))
        self._out_of_time = True
        self._forget(statement)
        return StatementPlan(statement, None)

    def _plan(self, statement: Statement) -> StatementPlan | None:
        body = statement.body
        if isinstance(body, Declared):
            if body.array is not None and statement.ok:
                self.names.declare(body.array)
            return None
        if statement.ok and body is not None and self._too_large(statement, body):
            statement = statement._replace(ok=False)
        if body is None or not statement.ok:
            self._forget(statement)
            return StatementPlan(statement, None)
        self.context.settings.clock.check()
        match body:
            case BareArray():
                return StatementPlan(statement, self.context.value(body.array))
            case Computation():
                made = self._computation(statement, body)
            case Collective():
                made = self._collective(statement, body)
            case Reshard():
                made = self._reshard(statement, body)
        if made is None:
            self._forget(statement)
            return StatementPlan(statement, None)
        return made

    def _too_large(self, statement: Statement, body: Body) -> bool:
        """Say whether the dimensions of a statement multiply to more than anything can hold, and report it."""
        bits = sum(
            self.context.sizes.dim(dim).bit_length() for dim in {d for ref in refs_of(body) for d in ref.type.dims}
        )
        if bits > MOST_BITS_OF_A_STATEMENT:
            message = f"the dimensions of this statement multiply to more than 2**{MOST_BITS_OF_A_STATEMENT}"
            self.findings.append(Diagnostic("SL606", message, statement.span))
        return bits > MOST_BITS_OF_A_STATEMENT

    def _forget(self, statement: Statement) -> None:
        result = result_of(statement.body)
        if result is not None:
            self.names.forget(result.name)

    def _uses(self, statement: Statement, refs: Iterator[Ref]) -> bool:
        """Note the use of every operand; return whether all of them may be used so."""
        fine = True
        for ref in refs:
            finding = self.names.use(ref, statement)
            if finding is not None:
                self.findings.append(finding)
                fine = fine and finding.severity != "error"
        return fine

    def _computation(self, statement: Statement, body: Computation) -> StatementPlan | None:
        if not self._uses(statement, arrays_in(body.expr)):
            return None
        goal = self._goal(body)
        forbidden = EXPLICIT if statement.explicit else LOCAL if has_local(body.expr) else ""
        lowered = lower(self.context, statement, body.expr, statement.explicit)
        if isinstance(lowered, Diagnostic):
            self.findings.append(lowered)
            return None
        assert isinstance(lowered.expr, Op)
        body = body._replace(expr=lowered.expr)
        made = infer(self.context, body.expr, goal, statement.explicit)
        if not isinstance(made, Inferred):
            finding = refuse_unplanned(self.context, statement, body, goal, made, forbidden, lowered.steps)
            self.findings.append(finding)
            return None
        if body.result is not None:
            self._warn_idle(body, body.result)
        self._tell_difference(statement, made, tuple(lowered.steps))
        name, span = made.value.name, body.result.span if body.result is not None else statement.span
        self.names.produce(name, made.value.type, span)
        others: tuple[Alternative, ...] = ()
        if self.context.settings.alternatives and not forbidden and not lowered.steps:
            others = alternatives(self.context, body.expr, goal, made)
        return StatementPlan(statement, made.value, (*lowered.steps, *made.steps), others)

    def _goal(self, body: Computation) -> Goal:
        if body.result is not None:
            dtype = self.context.dtype(body.result.name, body.result.type.dtype)
            return Goal(body.result.name, dtype, body.result.type.sharding)
        return Goal(self._result_name(body), self.context.program.dtype, None)

    def _result_name(self, body: Computation) -> str:
        """Return a name for a result that has none: the first capital letter from C on that no array has."""
        for letter in "CDEFGHIJKLMNOPQRSTUVWXYZAB":
            if letter not in self._taken:
                return letter
        return self.context.fresh(body.expr)

    def _warn_idle(self, body: Computation, result: Ref) -> None:
        used = {axis for ref in arrays_in(body.expr) for axis in ref.type.sharding.used()}
        for dim, axes in zip(result.type.dims, result.type.sharding.axes, strict=True):
            idle = tuple(axis for axis in axes if axis not in used)
            if idle:
                message = f"no operand uses `{spoken(idle)}`: the result is sliced over it, on `{dim}`, which is free"
                self.findings.append(Diagnostic("SL313", message, result.span))
        idle = tuple(axis for axis in result.type.sharding.pending if axis not in used)
        if idle:
            message = (
                f"no operand uses `{spoken(idle)}`: something is sliced or masked so that the result is pending over it"
            )
            self.findings.append(Diagnostic("SL313", message, result.span))

    def _tell_difference(self, statement: Statement, made: Inferred, before: tuple[Step, ...]) -> None:
        """Say so where the known sizes lead to other collectives than the rule for symbolic sizes."""
        here, there = _collectives(made.steps), _collectives(made.usual)
        if made.usual and here != there:
            what = "fewer bytes received" if self.context.settings.collective_time is None else "less T_math + T_comms"
            gain = f"{100 * made.gain:.3g}% {what}, in the exact form"
            if made.gain <= 0:
                gain = "at the same price fewer collectives or less arithmetic"
            message = f"with these sizes the plan has {_listed(here)} instead of {_listed(there)}: {gain}"
            written = "; ".join(step.text for step in (*before, *made.usual))
            hint = f"to price the plan as written, write its steps out: `{written}`"
            self.findings.append(Diagnostic("SL405", message, statement.span, hint=hint))

    def _collective(self, statement: Statement, body: Collective) -> StatementPlan | None:
        if not self._uses(statement, arrays_in(body.operand)):
            return None
        lowered = lower(self.context, statement, body.operand, statement.explicit)
        if isinstance(lowered, Diagnostic):
            self.findings.append(lowered)
            return None
        name = body.result.name if body.result is not None else None
        made = evaluate(self.context, statement, lowered, name, statement.explicit)
        if isinstance(made, Diagnostic):
            self.findings.append(made)
            return None
        operand, steps = made
        step, finding = check_collective(self.context, statement, body, operand)
        if finding is not None:
            # A fix writes the collective of a named array, and would lose the expression that it is applied to.
            self.findings.append(finding._replace(fixes=()) if steps else finding)
        if step is None:
            return None
        if steps:
            self.names.produce(step.result.name, step.result.type, statement.span)
            return StatementPlan(statement, step.result, (*steps, step))
        return self._layout_made(statement, operand, (step,), step.result)

    def _layout_made(
        self, statement: Statement, operand: Value, steps: tuple[Step, ...], result: Value
    ) -> StatementPlan:
        stated = result_of(statement.body)
        span = stated.span if stated is not None else statement.span
        self.names.add_layout(operand.name, result.name, result.type, span)
        return StatementPlan(statement, result, steps)

    def _reshard(self, statement: Statement, body: Reshard) -> StatementPlan | None:
        if not self._uses(statement, iter((body.operand,))):
            return None
        operand = self.context.value(body.operand)
        dims = body.operand.type.dims
        stated = body.result.type
        target = stated.sharding._replace(axes=tuple(stated.axes_of(dim) for dim in dims))
        moves = route(self.context, operand.type, target, free_only=statement.explicit)
        if moves is None:
            self.findings.append(self._refuse_reshard(statement, body, operand))
            return None
        value, steps = follow(operand, moves, Purpose(f"`{array_text(body.result.name, stated)}`"))
        self._note_permutes(statement, steps)
        result = Value(body.result.name, stated._replace(dtype=stated.dtype or operand.type.dtype))
        others: tuple[Alternative, ...] = ()
        if self.context.settings.alternatives and not statement.explicit:
            goal = Goal(None, result.type.dtype or self.context.program.dtype, target)
            others = tuple(
                other._replace(steps=delivered(other.steps[-1].result, other.steps, result))
                for other in alternatives(self.context, body.operand, goal, Inferred(tuple(steps), value))
                if other.steps
            )
        planned = self._layout_made(statement, operand, delivered(value, tuple(steps), result), result)
        return planned._replace(alternatives=others)

    def _refuse_reshard(self, statement: Statement, body: Reshard, operand: Value) -> Diagnostic:
        said = array_text(body.result.name, body.result.type)
        if statement.explicit:
            return refuse_reshard(self.context, statement, operand, Value(body.result.name, body.result.type))
        return Diagnostic(
            "SL404", f"no sequence of steps leads from `{value_text(operand)}` to `{said}`", statement.span
        )

    def _note_permutes(self, statement: Statement, steps: list[Step]) -> None:
        for step in steps:
            if step.kind == "CollectivePermute" and len(steps) > 1:
                message = (
                    f"`{step.text}` is inserted: only the minor-most axis of a dimension can be taken off in place"
                )
                self.findings.append(Diagnostic("SL311", message, statement.span))


def _collectives(steps: tuple[Step, ...]) -> list[str]:
    """Return each collective in short: `AllGather_X W`."""
    shorts = []
    for step in steps:
        if step.kind in COLLECTIVES:
            name = step.operands[0].name or value_text(step.operands[0])
            shorts.append(step.kind + subscript_text(step.kind, step.axes, step.dims, step.operands[0]) + f" {name}")
    return shorts


def _listed(shorts: list[str]) -> str:
    return ", ".join(f"`{short}`" for short in shorts) if shorts else "no communication"
