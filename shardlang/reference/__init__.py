"""What a plan means: run it on a simulated mesh and compare with the dense result."""

from shardlang.reference.execute import Failure, Ran, run_steps
from shardlang.reference.program import Run, run_plan
from shardlang.reference.small import Small, cases_for, small_case
from shardlang.reference.verdict import Verdict, verify_plan

__all__ = [
    "Failure",
    "Ran",
    "Run",
    "Small",
    "Verdict",
    "cases_for",
    "run_plan",
    "run_steps",
    "small_case",
    "verify_plan",
]
