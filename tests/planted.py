"""A planner with a bug, for tests of what finds it."""

from shardlang import planning
from shardlang.rules.text import move_text

_RIGHT = planning.plan


def plan_without_permutes(*arguments):
    """Plan, and leave out every permute before a gather, as if any axis could be gathered in place."""
    made = _RIGHT(*arguments)
    statements = []
    for statement in made.statements:
        steps = list(statement.steps)
        for at in range(len(steps) - 1, 0, -1):
            permute, gather = steps[at - 1 : at + 1]
            if (permute.kind, gather.kind) == ("CollectivePermute", "AllGather"):
                text = move_text("AllGather", gather.axes, (), permute.operands[0], gather.result)
                steps[at - 1 : at + 1] = [gather._replace(operands=permute.operands, text=text)]
        statements.append(statement._replace(steps=tuple(steps)))
    return made._replace(statements=tuple(statements))
