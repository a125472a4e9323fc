"""What a plan means: run it on a simulated mesh and compare with the dense result."""

from shardlang.reference.execute import Failure, Ran, run_steps
from shardlang.reference.program import Run, run_plan

__all__ = ["Failure", "Ran", "Run", "run_plan", "run_steps"]
