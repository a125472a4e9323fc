"""Planning: from a resolved program to steps. The front function is `plan`."""

from itertools import count

from shardlang.limits import WORK_A_TEXT
from shardlang.planning.budget import Budget, Work
from shardlang.planning.context import Context, TextNames
from shardlang.planning.searches import Searches
from shardlang.planning.settings import DEFAULTS, Settings, sizes_of
from shardlang.planning.statement import Planner
from shardlang.planning.tree import Tables
from shardlang.rules.plan import Plan
from shardlang.semantics.program import Op, Program, refs_of

__all__ = ["Budget", "Searches", "Settings", "Work", "plan"]


def plan(program: Program, settings: Settings = DEFAULTS) -> Plan:
    """Return the plan of every operation and bare array of `program`, in order, with the findings.

    Source: NOTATION sections 1 (names), 3 (local operations), 4 (steps) and 5 (inference).
    """
    refs = [ref for statement in program.statements for ref in refs_of(statement.body)]
    taken = {ref.name for ref in refs if ref.name is not None}
    spoken = {dim for ref in refs for dim in ref.type.dims} | {axis.name for axis in program.mesh.axes}
    numbers = count(1)
    made: dict[int, tuple[Op, str]] = {}  # with the operation, so that its number is not given to another one

    def fresh(op: Op) -> str:
        if id(op) not in made:  # every attempt at a plan gives an intermediate the same name
            names = ("Tmp" if number == 1 else f"Tmp{number}" for number in numbers)
            made[id(op)] = op, next(name for name in names if name not in taken)
        return made[id(op)][1]

    tables = Tables(sizes_of(program, settings.uneven), settings.budget or Budget(settings.clock))
    others = settings.others or Work(WORK_A_TEXT, settings.clock)
    context = Context(program, tables, TextNames(program), settings, fresh, settings.searches or Searches(), [], others)
    planner = Planner(context, taken | spoken)
    plans = [entry for statement in program.statements if (entry := planner.plan(statement)) is not None]
    return Plan(program, tuple(plans), tuple(planner.findings))
