"""The roofs of a plan: resources of a device that it keeps busy, each for a time of its own.

A plan computes, communicates, and streams its arrays from a memory: whichever of these takes longest binds. A memory
is known by the rate at which arrays stream from it; the bytes are the same for all of them. Source: COST_MODEL section 9.
"""

from collections.abc import Mapping
from typing import NamedTuple

MATH, NETWORK, HBM = "math", "ici", "hbm"


class RoofKind(NamedTuple):
    """time: what formulas call its seconds. words: what it is. beside: what stands with the time of a step.

    rate: of a memory, the symbol of its bandwidth, else None.
    """

    time: str
    words: str
    beside: str
    rate: str | None = None

    @property
    def field(self) -> str:
        """The name of its seconds in reports: `t_hbm`."""
        return self.time.lower()


ROOFS: Mapping[str, RoofKind] = {
    MATH: RoofKind("T_math", "arithmetic", "arithmetic"),
    NETWORK: RoofKind("T_comms", "the network", "communication"),
    HBM: RoofKind("T_hbm", "HBM", "memory", "W_hbm"),
    "vmem": RoofKind("T_vmem", "VMEM", "VMEM", "W_vmem"),
    "pcie": RoofKind("T_pcie", "PCIe", "PCIe", "W_pcie"),
}
DEFAULT_ROOFS = (MATH, NETWORK, HBM)
"""Those that count where nothing is said, and whose times every report has."""


SPLIT_TIMES = ("t_comms", "t_lower", "t_upper")
"""The times that a split of devices can make least."""
QUANTITIES = ("t_comms", "t_math", "t_hbm", "t_lower", "t_upper", "flops", "memory")
"""What two plans can be compared by."""


def known_roofs(counted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the roofs that a report has times of, in the order of the table: the usual ones, and what is asked for besides."""
    return tuple(roof for roof in ROOFS if roof in DEFAULT_ROOFS or roof in counted)


def roof_of(name: str) -> str:
    """Return the roof that a name is about: groups of links (`ici:X`, `node:X,Y`, `pcie:X`) are the network."""
    return NETWORK if ":" in name else name
