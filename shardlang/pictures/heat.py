"""A heat map as data: a time for each whole split of devices over three axes or more, with what is marked."""

from math import log
from typing import NamedTuple

from shardlang.pictures.chart import Point


class Tile(NamedTuple):
    """One split. column, row: of the sizes of the map. value: what its colour shows, in seconds.

    lines: what it says, the most important first; name: all that is known of it. best: no other one is better.
    """

    column: int
    row: int
    value: float
    lines: tuple[str, ...]
    name: str
    best: bool = False


class Panel(NamedTuple):
    """The tiles for one choice of the axes that are neither across nor down, nor follow; the heading says it."""

    heading: str
    tiles: tuple[Tile, ...]


class HeatMap(NamedTuple):
    """Tiles over the sizes of two axes, those of a third one follow. across, down: what the axes are; columns, rows: their sizes.

    measure: what colours show; inside: what tiles say. best: the best split, by the size of the axis across. guide: where on that axis
    something is least though no split is there, None where nothing is. notes: the conventions, a sentence each.
    """

    title: str
    across: str
    down: str
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    panels: tuple[Panel, ...]
    measure: str
    inside: str
    best: Point
    guide: Point | None
    notes: tuple[str, ...]

    @property
    def marked(self) -> tuple[Point, ...]:
        """The places with numbers, from 1."""
        return (self.best, *(() if self.guide is None else (self.guide,)))

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value of a tile."""
        values = [tile.value for panel in self.panels for tile in panel.tiles]
        return min(values), max(values)

    def column_of(self, value: float) -> float:
        """Return where a size is among the columns, by its logarithm: 0 in the middle of the first one."""
        at = max(number for number, size in enumerate(self.columns) if size <= value)
        if at == len(self.columns) - 1:
            return float(at)
        low, high = self.columns[at], self.columns[at + 1]
        return at + log(value / low) / log(high / low)
