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
    """

    name: str
    points: tuple[tuple[float, float], ...]
    main: bool = True
    note: str = ""
    wide: bool = False


class Crossing(NamedTuple):
    """Where two curves meet: the place, and what is said of it."""

    x: float
    y: float
    name: str
    note: str = ""


class Point(NamedTuple):
    """A single place with its name and what is said of it."""

    x: float
    y: float
    name: str
    note: str = ""


class Chart(NamedTuple):
    """A chart. notes: the conventions that it was made under, a sentence each."""

    title: str
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    crossings: tuple[Crossing, ...] = ()
    points: tuple[Point, ...] = ()
    notes: tuple[str, ...] = ()
