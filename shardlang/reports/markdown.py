"""Blocks as Markdown: statements in code spans, formulas as math."""

import re
from collections.abc import Iterable

from shardlang.reports.cells import safe
from shardlang.reports.document import Block, Code, Fact, Heading, Items, Line, Math, Piece, StepBlock, Strong, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.latex import latex_math

# What a browser would read in words: a name may have it.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?[A-Za-z0-9]+;)")


class MarkdownWriter:
    """Prints blocks as Markdown. `printer` prints formulas as LaTeX."""

    def __init__(self, printer: FormulaPrinter) -> None:
        self._printer = printer

    def write(self, blocks: Iterable[Block]) -> str:
        """Return the Markdown of all blocks."""
        out: list[str] = []
        for block in blocks:
            match block:
                case Heading():
                    out += [f"{'#' * (block.level + 1)} {self.line(block.line)}", ""]
                case StepBlock():
                    out += [f"{block.number}. `{block.code.text}`", *(self._fact(fact) for fact in block.facts), ""]
                case Table():
                    out += [*self._table(block), ""]
                case Items():
                    out += [*(f"- {self.line(line)}" for line in block.lines), ""]
        return "\n".join(out).rstrip() + "\n"

    def _fact(self, fact: Fact) -> str:
        label = "" if fact.label in ("why", "") else f"{fact.label}: "
        value = f" = {fact.value}" if fact.value else ""
        return f"   - {label}{self.line(fact.line)}{value}"

    def _table(self, table: Table) -> list[str]:
        columns = max((len(row) for row in table.rows), default=0)
        used = [at for at in range(columns) if any(self.line(row[at]) for row in table.rows if at < len(row))]
        rows = [[self.line(row[at]) if at < len(row) else "" for at in used] for row in table.rows]
        empty = "|" + " |" * len(used)
        return [empty, "|" + "---|" * len(used), *("| " + " | ".join(row) + " |" for row in rows)]

    def line(self, line: Line) -> str:
        """Return the Markdown of a line."""
        return "".join(self._piece(piece) for piece in line)

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, Math):
            return f"${latex_math(piece, self._printer)}$"
        if isinstance(piece, Code):
            return f"`{piece.text}`"
        if isinstance(piece, Strong):
            return f"**{piece.text}**"
        return _TAG.sub("&lt;", _ENTITY.sub("&amp;", safe(piece))).replace("|", "\\|")
