"""Bytes, FLOPs and times of steps in plain arithmetic; the hardware catalogue and the machine.

No SymPy and no NumPy here, but both may go through: the formulas are generic.
"""

from shardlang.pricing.collectives import NUMBERS, Link, Maths, bytes_received, time, time_exact, volume
from shardlang.pricing.hardware import Hardware, HardwareProblem, find_hardware, load_catalogue
from shardlang.pricing.machine import AxisNetwork, Machine, collective_timer, machine_for, make_link, math_rate
from shardlang.pricing.steps import Cost, Rates, Sizes, cost, flops, hbm_bytes, local_bytes, local_elements

__all__ = [
    "NUMBERS",
    "AxisNetwork",
    "Cost",
    "Hardware",
    "HardwareProblem",
    "Link",
    "Machine",
    "Maths",
    "Rates",
    "Sizes",
    "bytes_received",
    "collective_timer",
    "cost",
    "find_hardware",
    "flops",
    "hbm_bytes",
    "load_catalogue",
    "local_bytes",
    "local_elements",
    "machine_for",
    "make_link",
    "math_rate",
    "time",
    "time_exact",
    "volume",
]
