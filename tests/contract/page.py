"""The tables of `docs/contract.md`, which says what is stable, read."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_CODE = re.compile(r"`([^`]+)`")


def tables(heading: str) -> list[dict[str, list[str]]]:
    """Return the tables under a heading: their rows by the first cell, each with its other cells; without the head."""
    page = (ROOT / "docs" / "contract.md").read_text("utf-8")
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()[2:]]
        found.append({row[0].replace("`", ""): row[1:] for row in rows})
    return found


def names(cell: str) -> list[str]:
    """Return the names in a cell."""
    return _CODE.findall(cell)


def resolved(rows: dict[str, list[str]], group: str) -> list[str]:
    """Return the names of a group, with those of the group that it starts from (`those of plans, and …`)."""
    (cell, *_) = rows[group]
    first = re.match(r"those of (\w+), and", cell)
    return [*(resolved(rows, f"of {first[1]}") if first else []), *names(cell)]
