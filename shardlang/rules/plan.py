"""Step and Plan: what inference makes of a program.

The steps of a statement can be replayed in order: each operand is an input, or a value in a layout
that an earlier step or statement made under the same name.
"""

from collections.abc import Iterator
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.semantics.inequality import Condition, Inequality
from shardlang.semantics.program import Program, Statement
from shardlang.semantics.sharding import ArrayType
from shardlang.syntax.operations import COLLECTIVES as COLLECTIVES
from shardlang.syntax.operations import FREE_STEPS as FREE_STEPS

REDUCING = ("AllReduce", "ReduceScatter")
LOCAL_STEPS = ("Einsum", "Elementwise", "Reduce", "Reshape", "Take")


class Value(NamedTuple):
    """A named array in one layout; `constant` holds the text of a number that stands as operand."""

    name: str | None
    type: ArrayType
    constant: str | None = None


class Step(NamedTuple):
    """One collective, free step or local operation.

    kind: one of `COLLECTIVES`, `FREE_STEPS`, `LOCAL_STEPS` (those in `REDUCING` combine what is pending). axes: the mesh axes that take part, major first.
    dims: the dimensions whose sharding changes, lost before gained. op: for a local operation its name in
    `shardlang.syntax.operations` (`contract`, `gelu`, …), else the kind. contracted: the dimensions summed over.
    text: canonical text, which parses as a statement. why: a sentence on why the step is needed.
    """

    kind: str
    op: str
    operands: tuple[Value, ...]
    result: Value
    axes: tuple[str, ...] = ()
    dims: tuple[str, ...] = ()
    contracted: tuple[str, ...] = ()
    text: str = ""
    why: str = ""


class Alternative(NamedTuple):
    """Another correct sequence of steps.

    wins_when: the exact condition under which it is cheaper than the plan that was chosen, such as `2*K < J`, `always`
    or `never`; `wins` is the same as data. best_when, best: that it is cheaper than the chosen plan and all other
    alternatives, `... and ...`; None where those are too many. example: sizes at which it is the best of all, by
    symbol; empty where none are known. timed: cheaper is by T_math + T_comms on named hardware, else by bytes received;
    both with the factor (n-1)/n.
    """

    name: str
    steps: tuple[Step, ...]
    wins_when: str | None = None
    wins: Condition | None = None
    best_when: str | None = None
    best: tuple[Inequality, ...] = ()
    example: tuple[tuple[str, int], ...] = ()
    timed: bool = False


class StatementPlan(NamedTuple):
    """The steps of one statement, and the value it makes. Both empty for a refused statement."""

    statement: Statement
    output: Value | None
    steps: tuple[Step, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


class Plan(NamedTuple):
    """The plans of all statements that are operations or bare arrays, in order, with the findings of planning."""

    program: Program
    statements: tuple[StatementPlan, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def steps_of(plan: Plan) -> Iterator[Step]:
    """Yield every step of a plan, those of the alternatives too."""
    for planned in plan.statements:
        yield from planned.steps
        for other in planned.alternatives:
            yield from other.steps
