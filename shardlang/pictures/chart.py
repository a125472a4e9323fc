"""A chart as data: axes, curves, points and marked places, in the units of the axes. Where they go is decided in `plotting`."""

from typing import NamedTuple


class Axis(NamedTuple):
    """A logarithmic axis. label: what it shows, with how it is counted. unit: as `reports.units.quantity` takes it.

    marked: the ticks with what they say, where they are not to be the round numbers.
    """

    label: str
    low: float
    high: float
    unit: str = ""
    marked: tuple[tuple[float, str], ...] = ()


class Curve(NamedTuple):
    """A named line through points, from left to right.

    main: drawn strong; the others belong to the one before. wide: a pale band below the lines, for what envelops them.
    plain: without a colour of its own, for what holds for all the others.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    main: bool = True
    note: str = ""
    wide: bool = False
    plain: bool = False


class Crossing(NamedTuple):
    """Where two curves meet: the place, and what is said of it."""

    x: float
    y: float
    name: str
    note: str = ""


class Spot(NamedTuple):
    """A place that belongs to a curve, by its number in the chart. name: what is said of it.

    strong: filled in the colour of the curve, else only edged with it.
    """

    x: float
    y: float
    curve: int
    name: str
    strong: bool = False


class Point(NamedTuple):
    """A numbered place with its name and what is said of it.

    spots: where it stands instead, once for each of several curves; x, y is then the first of them. Of several at one
    place only the first is drawn. curve: that it has the colour of.
    """

    x: float
    y: float
    name: str
    note: str = ""
    spots: tuple[Spot, ...] = ()
    curve: int | None = None


class Ridge(NamedTuple):
    """A place on a curve whose x is said above the chart, without a number."""

    x: float
    y: float
    name: str
    curve: int


class Chart(NamedTuple):
    """A chart. notes: the conventions that it was made under, a sentence each."""

    title: str
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    crossings: tuple[Crossing, ...] = ()
    points: tuple[Point, ...] = ()
    notes: tuple[str, ...] = ()
    ridges: tuple[Ridge, ...] = ()
