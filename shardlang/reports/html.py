"""Blocks as HTML for a notebook: statements as code, formulas between dollars for MathJax."""

from collections.abc import Iterable
from html import escape

from shardlang.reports.cells import safe
from shardlang.reports.document import Block, Code, Fact, Heading, Items, Line, Math, Piece, StepBlock, Strong, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.latex import latex_math


class HtmlWriter:
    """Prints blocks as HTML. `printer` prints formulas as LaTeX."""

    def __init__(self, printer: FormulaPrinter) -> None:
        self._printer = printer

    def write(self, blocks: Iterable[Block]) -> str:
        """Return the HTML of all blocks."""
        out: list[str] = []
        for block in blocks:
            match block:
                case Heading():
                    out.append(f"<h{block.level + 3}>{self.line(block.line)}</h{block.level + 3}>")
                case StepBlock():
                    facts = "".join(f"<li>{self._fact(fact)}</li>" for fact in block.facts)
                    out.append(f"<p>{_text(block.number)}. {self._piece(block.code)}</p><ul>{facts}</ul>")
                case Table():
                    out.append(self._table(block))
                case Items():
                    out.append("<ul>" + "".join(f"<li>{self.line(line)}</li>" for line in block.lines) + "</ul>")
        return "\n".join(out)

    def _fact(self, fact: Fact) -> str:
        label = "" if fact.label in ("why", "") else f"{_text(fact.label)}: "
        value = f" = {_text(fact.value)}" if fact.value else ""
        return f"{label}{self.line(fact.line)}{value}"

    def _table(self, table: Table) -> str:
        rows = ("".join(f'<td style="text-align:left">{self.line(cell)}</td>' for cell in row) for row in table.rows)
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"

    def line(self, line: Line) -> str:
        """Return the HTML of a line."""
        return "".join(self._piece(piece) for piece in line)

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, Math):
            return f"${_text(latex_math(piece, self._printer))}$"
        if isinstance(piece, Code):
            return f"<code>{_text(piece.text)}</code>"
        if isinstance(piece, Strong):
            return f"<strong>{_text(piece.text)}</strong>"
        return _text(piece)


def _text(text: str) -> str:
    return escape(safe(text), quote=False)
