"""Blocks as LaTeX: a fragment for a document with amsmath, which `shardlang check` reads back."""

import re
from collections.abc import Iterable

from shardlang.reports.document import Block, Code, Fact, Heading, Items, Line, Math, Piece, StepBlock, Strong, Table
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.notation import latex_notation

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "·": r"\(\cdot\)",
    "µ": r"\(\mu\)",
    "×": r"\(\times\)",
}
_SIGNS = {"when": r"\text{when } ", "max(": r"\max(", "->": r"\rightarrow"}


class LatexWriter:
    """Prints blocks as LaTeX. `printer` prints formulas as LaTeX."""

    def __init__(self, printer: FormulaPrinter) -> None:
        self._printer = printer

    def write(self, blocks: Iterable[Block]) -> str:
        """Return the LaTeX of all blocks."""
        out: list[str] = []
        steps: list[StepBlock] = []
        for block in [*blocks, None]:
            if steps and not isinstance(block, StepBlock):
                out.append(self._steps(steps))
                steps = []
            match block:
                case Heading():
                    command = "subsection*" if block.level == 1 else "paragraph*"
                    out.append(f"\\{command}{{{self._heading(block.line)}}}")
                case StepBlock():
                    steps.append(block)
                case Table():
                    out.append(self._table(block))
                case Items():
                    out += [self.line(line) + "\n" for line in block.lines]
                case None:
                    pass
        return "\n".join(out).rstrip() + "\n"

    def _heading(self, line: Line) -> str:
        return self.line(line)

    def _steps(self, steps: list[StepBlock]) -> str:
        items = []
        for step in steps:
            facts = "".join(f"\\\\\n    {self._fact(fact)}" for fact in step.facts)
            items.append(f"  \\item ${latex_notation(step.code.text)}${facts}")
        return "\n".join(["\\begin{enumerate}", *items, "\\end{enumerate}"])

    def _fact(self, fact: Fact) -> str:
        label = "" if fact.label in ("why", "") else f"{fact.label}: "
        value = f" \\(=\\) {_escape(fact.value)}" if fact.value else ""
        return f"{label}{self.line(fact.line)}{value}"

    def _table(self, table: Table) -> str:
        columns = max((len(row) for row in table.rows), default=1)
        rows = [" & ".join(self.line(cell) for cell in row) + r" \\" for row in table.rows]
        return "\n".join([f"\\begin{{tabular}}{{{'l' * columns}}}", *(f"  {row}" for row in rows), "\\end{tabular}\n"])

    def line(self, line: Line) -> str:
        """Return the LaTeX of a line."""
        return "".join(self._piece(piece) for piece in line)

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, Math):
            parts = [_SIGNS.get(p, p) if isinstance(p, str) else self._printer.formula(p) for p in piece.parts]
            return f"\\({' '.join(parts)}\\)"
        if isinstance(piece, Code):
            return f"${latex_notation(piece.text)}$"
        if isinstance(piece, Strong):
            return f"\\textbf{{{_escape(piece.text)}}}"
        return _escape(piece)


def _escape(text: str) -> str:
    return re.sub("|".join(map(re.escape, _SPECIAL)), lambda match: _SPECIAL[match[0]], text)
