"""Random plans: what `plan` makes of a text is run on a simulated mesh and must give the dense result.

`python -m tests.property.random_plans N SEED` does the same for as many as you like, with minimal examples.
"""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from shardlang.planning import Settings, plan
from shardlang.rules.plan import Step
from tests.property.cases import draw_case, draw_collective
from tests.property.judge import judge, judge_collective, program_of
from tests.property.strategies import cases, collectives

CALM = settings(
    max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.mark.parametrize("seed", range(250))
def test_random_plans_give_the_dense_result_in_the_stated_layout(seed):
    case = draw_case(Random(f"plans {seed}"))
    assert judge(case).problem is None, case.text


@pytest.mark.parametrize("seed", range(40))
def test_random_plans_with_idle_axes_in_use(seed):
    case = draw_case(Random(f"idle {seed}"))
    assert judge(case, idle_axes=True).problem is None, case.text


@CALM
@given(cases)
def test_drawn_plans_give_the_dense_result(case):
    assert judge(case).problem is None, case.text


@pytest.mark.parametrize("seed", range(250))
def test_explicit_collectives_are_allowed_if_and_only_if_they_are_right(seed):
    case = draw_collective(Random(f"collectives {seed}"))
    assert judge_collective(case) is None, case.text


@CALM
@given(collectives)
def test_drawn_collectives_are_allowed_if_and_only_if_they_are_right(case):
    assert judge_collective(case) is None, case.text


@pytest.mark.parametrize("seed", range(120))
def test_the_steps_of_a_plan_written_out_are_that_plan(seed):
    case = draw_case(Random(f"replay {seed}"))
    case = case._replace(lines=case.lines[:1])
    program, _ = program_of(case.text)
    steps = plan(program, Settings()).statements[0].steps
    head = [line for line in case.text.splitlines() if line.startswith(("mesh", "let"))]
    text = "\n".join([*head, "explicit", *(step.text for step in steps)]) + "\n"
    again, errors = program_of(text)
    assert not errors, text
    replanned = plan(again, Settings())
    assert [one.message for one in replanned.diagnostics if one.severity == "error"] == [], text
    assert [same_step(step) for plan in replanned.statements for step in plan.steps] == list(map(same_step, steps)), (
        text
    )


def same_step(step: Step) -> tuple[object, ...]:
    """What tells steps apart: everything but the reason and the order of the dimensions summed over."""
    return (step.kind, step.op, step.operands, step.result, step.axes, step.dims, sorted(step.contracted), step.text)
