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

_SIGNS = {"max(": r"\max\left(", ")": r"\right)", "≈": r"\approx"}


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
                    command = "subsection*" if block.level == 1 else "subsubsection*"
                    out.append(f"\\{command}{{{self.line(block.line)}}}")
                case StepBlock():
                    steps.append(block)
                case Table():
                    out.append(self._table(block))
                case Items():
                    out += [self.line(line) + "\n" for line in block.lines]
                case None:
                    pass
        return "\n".join(out).rstrip() + "\n"

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
        rows = [[self.line(cell) for cell in row] for row in table.rows]
        used = [at for at in range(max(map(len, rows), default=0)) if any(row[at] for row in rows if at < len(row))]
        lines = [" & ".join(row[at] if at < len(row) else "" for at in used) + r" \\" for row in rows]
        return "\n".join(
            [f"\\begin{{tabular}}{{{'l' * len(used)}}}", *(f"  {row}" for row in lines), "\\end{tabular}\n"]
        )

    def line(self, line: Line) -> str:
        """Return the LaTeX of a line."""
        return "".join(self._piece(piece) for piece in line)

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, Math):
            return f"\\({latex_math(piece, self._printer)}\\)"
        if isinstance(piece, Code):
            return f"${latex_notation(piece.text)}$"
        if isinstance(piece, Strong):
            return f"\\textbf{{{_escape(piece.text)}}}"
        return _escape(piece)


def _escape(text: str) -> str:
    return re.sub("|".join(map(re.escape, _SPECIAL)), lambda match: _SPECIAL[match[0]], text)


def latex_math(piece: Math, printer: FormulaPrinter) -> str:
    """Return the formulas and signs of `piece` as LaTeX math."""
    text = ""
    for part in piece.parts:
        shown = _SIGNS.get(part, part) if isinstance(part, str) else printer.formula(part)
        text += shown if not text or text.endswith("(") or part in (",", ")") else f" {shown}"
    return text
