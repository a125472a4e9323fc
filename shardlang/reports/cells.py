"""How text looks in a terminal: how wide each character is, and what must not be shown as it stands.

A character that is invisible, moves the cursor or changes the reading direction is shown as its code
point, `<U+202E>`, so that a finding can point at it and a text cannot disguise itself. So are marks that would
pile up over other lines.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from shardlang.source import Span
from shardlang.syntax.tokens import BLANK_LETTERS

TAB_WIDTH = 4
_MOST_MARKS = 4  # on one letter; Vietnamese takes two, Hebrew with accents four
_COMMANDS = ("::", "##[")  # how a line starts that GitHub Actions runs


class Cell(NamedTuple):
    """What is shown for one character, and how many columns that takes."""

    shown: str
    width: int


def cells(text: str) -> list[Cell]:
    """Return one cell for each character of `text`, which is the start of a line (for tab stops)."""
    found: list[Cell] = []
    column = 0
    for char, cell in _run(text):
        if char == "\t":
            cell = _tab(column)
        found.append(cell)
        column += cell.width
    return found


def safe(text: str) -> str:
    """Return `text` with line ends kept and every other unsafe character shown as its code point."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char == "\n" else " " if char == "\t" else cell.shown for char, cell in _run(text))


def safe_name(name: str) -> str:
    """Return the name of a file for the start of a line: safe, on one line, and no command to a CI system that reads it."""
    shown = safe(name).replace("\n", "<U+000A>")
    return f"./{shown}" if shown.lstrip().startswith(_COMMANDS) else shown


def width(text: str) -> int:
    """Return how many columns `text` takes."""
    if text.isascii():
        return len(text)
    return sum(cell.width for _, cell in _run(text))


def pad(text: str, columns: int) -> str:
    """Return `text` with blanks added on the right up to `columns` columns."""
    return text + " " * (columns - width(text))


def _run(text: str) -> Iterator[tuple[str, Cell]]:
    """Yield every character with its cell."""
    marks = 0
    for char in text:
        cell = _cell(char)
        marks = marks + 1 if cell.width == 0 else 0
        yield char, cell if marks <= _MOST_MARKS else _code(char)


def _tab(column: int) -> Cell:
    blanks = TAB_WIDTH - column % TAB_WIDTH
    return Cell(" " * blanks, blanks)


@lru_cache(maxsize=1024)
def _cell(char: str) -> Cell:
    if " " <= char <= "~":
        return Cell(char, 1)
    import unicodedata  # only for texts that are not plain ASCII: keeps start-up short

    category = unicodedata.category(char)
    if char in BLANK_LETTERS:
        return _code(char)
    if category in ("Mn", "Me") or char == "\u200d":
        return Cell(char, 0)
    if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return _code(char)
    if category == "Zs":
        return Cell(" ", 1)
    return Cell(char, 2 if unicodedata.east_asian_width(char) in "WF" else 1)


def _code(char: str) -> Cell:
    shown = f"<U+{ord(char):04X}>"
    return Cell(shown, len(shown))


def clip(line: str, focus: Span, room: int) -> tuple[int, list[Cell], bool, bool]:
    """Return the part of `line` around `focus` (columns from zero) that fits in `room` columns.

    The result is the column at which the part starts, its cells, and whether text is left out before
    and after. Looks at no more of the line than can be shown, however long it is.
    """
    reach = max(room, 20)
    if len(line) <= reach:
        whole = cells(line)
        if sum(cell.width for cell in whole) <= room:
            return 0, whole, False, False
    start = max(0, min(focus.start, len(line)) - reach // 2)
    tail = line[start : start + 2 * reach]
    shown = cells(tail)
    # The focus decides: what is before it may take a third of the room, the rest goes to what follows.
    before = focus.start - start
    while before > 0 and sum(cell.width for cell in shown[:before]) > room // 3 and _total(shown) > room:
        shown, start, before = shown[1:], start + 1, before - 1
    columns, kept = 0, 0
    for cell in shown:
        if columns + cell.width > room:
            break
        columns, kept = columns + cell.width, kept + 1
    while kept < len(shown) and shown[kept].width == 0:
        kept += 1
    return start, shown[:kept], start > 0, start + kept < len(line)


def _total(shown: list[Cell]) -> int:
    return sum(cell.width for cell in shown)
