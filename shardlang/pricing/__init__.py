"""Bytes, FLOPs and times of steps in plain arithmetic; the hardware catalogue and the machine.

No SymPy and no NumPy here, but both may go through: the formulas are generic.
"""

from shardlang.pricing.hardware import find_hardware
from shardlang.pricing.machine import Machine, machine_for

__all__ = ["Machine", "find_hardware", "machine_for"]
