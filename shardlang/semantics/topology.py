"""How a mesh axis is wired: the words for it, wherever they come from."""

from typing import NamedTuple

KINDS = ("ring", "line", "node")
LATER_KINDS = ("scale-out", "dcn", "pcie")
_TORUS = ("ring", "line")
_COUNTS = ("1", "2", "3")


class Topology(NamedTuple):
    """kind: one of `KINDS`, or of `LATER_KINDS`, which cannot be priced yet. physical: how many torus axes it spans."""

    kind: str
    physical: int = 1

    @property
    def text(self) -> str:
        """The topology as it is written: `ring`, `ring:2`."""
        return self.kind if self.physical == 1 else f"{self.kind}:{self.physical}"


def parse_topology(text: str) -> Topology | None:
    """Return what `ring`, `ring:2`, `line`, … says; None if it is none of them."""
    kind, colon, count = text.strip().partition(":")
    if not colon:
        return Topology(kind) if kind in KINDS + LATER_KINDS else None
    return Topology(kind, int(count)) if kind in _TORUS and count in _COUNTS else None
