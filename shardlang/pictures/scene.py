"""What a picture consists of, once laid out: marks at places in pixels, y downward. Writers draw nothing else.

`role` says what a mark stands for (`device`, `curve`, `crossover`, …), `name` is said when a pointer rests on it.
"""

from typing import NamedTuple, TypeAlias

Place: TypeAlias = tuple[float, float]

SIZE = 12.0
"""The usual size of letters, in pixels."""

INK, MUTED, FAINT, PAPER = "#1a1a1a", "#5a5a5a", "#d0d0d0", "#ffffff"


class Box(NamedTuple):
    """A rectangle by its upper left corner. hatched: an addend only, not the value itself."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str
    role: str
    name: str = ""
    hatched: bool = False


class Path(NamedTuple):
    """Straight lines from place to place. dash: lengths of ink and gap, empty for a solid line."""

    places: tuple[Place, ...]
    stroke: str
    width: float
    role: str
    name: str = ""
    dash: tuple[float, ...] = ()


class Disc(NamedTuple):
    """A filled circle. width: of its edge."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str
    role: str
    name: str = ""
    width: float = 1.0


class Text(NamedTuple):
    """A line of text; x, y is its baseline at the `anchor`: `start`, `middle` or `end`. turned: read upward."""

    x: float
    y: float
    text: str
    role: str
    size: float = SIZE
    anchor: str = "start"
    colour: str = INK
    bold: bool = False
    turned: bool = False


Mark: TypeAlias = Box | Path | Disc | Text


class Scene(NamedTuple):
    """A picture, laid out. title, description: what somebody is told who cannot see it."""

    width: float
    height: float
    title: str
    description: str
    marks: tuple[Mark, ...]
