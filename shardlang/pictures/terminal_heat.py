"""A heat map in a terminal: a table of times a panel, with what is marked below."""

from collections.abc import Iterator

from shardlang.pictures.heat import HeatMap, Panel
from shardlang.pictures.terminal_chart import notes_text
from shardlang.reports.cells import pad, width


def heat_text(picture: HeatMap, columns: int) -> str:
    """Return the heat map as text; the tables are as wide as they are, words at most `columns`."""
    out = [picture.title, "", *notes_text((picture.measure, picture.inside), columns)]
    for panel in picture.panels:
        out += ["", *_panel(picture, panel)]
    out.append("")
    for number, point in enumerate(picture.marked, 1):
        out += notes_text((f"  {number}  {point.name}   {point.note}",), columns)
    out += ["", *notes_text(picture.notes, columns)] if picture.notes else []
    return "\n".join(line.rstrip() for line in out) + "\n"


def _panel(picture: HeatMap, panel: Panel) -> Iterator[str]:
    across, down = (label.partition(":")[0] for label in (picture.across, picture.down))
    tiles = {(tile.column, tile.row): tile for tile in panel.tiles}
    cells = {place: f"{'1: ' if tile.best else ''}{', '.join(tile.lines)}" for place, tile in tiles.items()}
    columns, rows = (max(place[axis] for place in tiles) + 1 for axis in (0, 1))
    heads = [f"{across} = {size}" for size in picture.columns[:columns]]
    sides = [f"{down} = {size}" for size in picture.rows[:rows]]
    side = max(width(one) for one in sides)
    room = [
        max(width(head), *(width(cells.get((at, row), "")) for row in range(rows))) for at, head in enumerate(heads)
    ]
    if panel.heading:
        yield f"  {panel.heading}"
    yield "  " + " " * side + "   " + "   ".join(pad(head, one) for head, one in zip(heads, room, strict=True))
    for row, said in enumerate(sides):
        shown = (pad(cells.get((at, row), "·"), one) for at, one in enumerate(room))
        yield f"  {pad(said, side)}   " + "   ".join(shown)
