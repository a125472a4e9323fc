"""Layouts in a terminal: tables with lines around them."""

from collections.abc import Iterator

from shardlang.pictures.mesh import MeshPicture
from shardlang.pictures.tables import Grid, Panel
from shardlang.pictures.terminal_chart import notes_text
from shardlang.reports.cells import pad, width

_MARGIN = "  "


def mesh_text(picture: MeshPicture, columns: int) -> str:
    """Return the picture as text; panels stand side by side while `columns` allow it."""
    out = [picture.title]
    for shown in picture.arrays:
        out += ["", shown.layout.text, *(f"{_MARGIN}{words}" for words in shown.layout.words())]
        out += _grid(shown.devices, columns) + _grid(shown.blocks, columns)
    out += ["", *notes_text(picture.notes, columns)] if picture.notes else []
    return "\n".join(line.rstrip() for line in out) + "\n"


def _grid(grid: Grid, columns: int) -> list[str]:
    out = ["", f"{_MARGIN}{grid.title}"]
    waiting: list[list[str]] = []
    for panel in grid.panels:
        lines = list(_panel(panel))
        if waiting and sum(_width(one) + 3 for one in (*waiting, lines)) > columns:
            out += _beside(waiting)
            waiting = []
        waiting.append(lines)
    return out + _beside(waiting)


def _width(lines: list[str]) -> int:
    return max(map(width, lines))


def _beside(blocks: list[list[str]]) -> list[str]:
    """Return blocks of lines side by side."""
    height = max(map(len, blocks))
    filled = [[pad(line, _width(block)) for line in (*block, *[""] * (height - len(block)))] for block in blocks]
    return [_MARGIN + "   ".join(row) for row in zip(*filled, strict=True)]


def _panel(panel: Panel) -> Iterator[str]:
    rows = [(said, [_cell(cell.lines) for cell in row]) for said, row in panel.rows]
    texts = [*panel.columns, *(text for _, row in rows for text in row)]
    inner = max(map(width, texts), default=1) + 2
    label = max((width(said) for said, _ in rows), default=0)
    count = max(len(panel.columns), 1)
    if panel.heading:
        yield " " * (label + 2) + panel.heading
    if any(panel.columns):
        yield " " * (label + 2) + " ".join(_centred(said, inner) for said in panel.columns)
    edge = "─" * inner
    for at, (said, row) in enumerate(rows):
        left, middle, right = "┌┬┐" if at == 0 else "├┼┤"
        yield " " * (label + 1) + left + middle.join([edge] * count) + right
        yield pad(said, label + 1) + "│" + "│".join(_centred(text, inner) for text in row) + "│"
    if rows:
        yield " " * (label + 1) + "└" + "┴".join([edge] * count) + "┘"


def _cell(lines: tuple[str, ...]) -> str:
    return " ".join(line for line in lines if line)


def _centred(text: str, columns: int) -> str:
    left = (columns - width(text)) // 2
    return pad(" " * left + text, columns)
