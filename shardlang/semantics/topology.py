"""How a mesh axis is wired: the words for it, wherever they come from.

`ring`, `ring:2`, `ring:M_X`, `line` are axes of a torus; `node`, `scale-out`, `spine` the levels of a tree of switches, from the
inside; `dcn` is the network between slices, `pcie` that between hosts' buses. `ring:one-way` has links in one direction
only, `node:sharp` reduces in the switches, `node+scale-out` is an axis that fills its node and goes on beyond it, and
`ring+dcn` one that fills its slice.
"""

import re
from typing import NamedTuple

RANKS = {"ring": 0, "line": 0, "node": 0, "scale-out": 1, "spine": 2, "dcn": 3, "pcie": 4}  # from the inside
KINDS = tuple(RANKS)
TORUS = ("ring", "line")
TREE = ("node", "scale-out", "spine")
_COUNTS = ("1", "2", "3")
_is_symbol = re.compile(r"M(?:_[A-Za-z0-9]+)*").fullmatch
_CHIPS = "M_slice"  # the symbol of another thing
_SHARP = "sharp"
_ONE_WAY = "one-way"


class Topology(NamedTuple):
    """kind: one of `KINDS`. physical: how many torus axes it spans, a number or a symbol such as `M_X`.

    reduces: whether switches of the level add up.
    beyond: the levels that the axis goes on over, from the inside, where one level does not hold it. one_way: a ring of
    links in one direction only.
    """

    kind: str
    physical: int | str = 1
    reduces: bool = False
    beyond: tuple["Topology", ...] = ()
    one_way: bool = False

    @property
    def text(self) -> str:
        """The topology as it is written: `ring`, `ring:2`, `ring:M_X`, `node:sharp+scale-out`."""
        word = self.kind if self.physical == 1 else f"{self.kind}:{self.physical}"
        word += f":{_SHARP}" if self.reduces else f":{_ONE_WAY}" if self.one_way else ""
        return "+".join((word, *(part.text for part in self.beyond)))

    @property
    def levels(self) -> tuple["Topology", ...]:
        """The levels one by one, each without what is beyond it."""
        return (self._replace(beyond=()), *self.beyond)


def parse_topology(text: str) -> Topology | None:
    """Return what `ring`, `ring:2`, `node+scale-out`, … says; None if it is none of them."""
    levels = [_parse_level(part) for part in text.strip().split("+")]
    known = [level for level in levels if level is not None]
    ranks = [RANKS[level.kind] for level in known]
    if len(known) < len(levels) or ranks != sorted(set(ranks)):
        return None
    return known[0]._replace(beyond=tuple(known[1:]))


def _parse_level(text: str) -> Topology | None:
    kind, colon, word = text.partition(":")
    if kind not in KINDS:
        return None
    if not colon:
        return Topology(kind)
    if kind in TORUS and word in _COUNTS:
        return Topology(kind, int(word))
    if kind == "ring" and word == _ONE_WAY:
        return Topology(kind, one_way=True)
    if kind in TORUS and _is_symbol(word) and word != _CHIPS:
        return Topology(kind, word)
    return Topology(kind, reduces=True) if kind in TREE and word == _SHARP else None
