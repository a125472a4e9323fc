"""Findings and steps as HTML, Markdown and LaTeX, for notebooks."""

import re
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.reports.cells import safe
from shardlang.reports.colour import ansi
from shardlang.reports.findings import text_findings
from shardlang.reports.notation import latex_notation
from shardlang.source import SourceText

_STYLES = {
    "1;31": "color:#c5221f;font-weight:bold",
    "1;33": "color:#9a6700;font-weight:bold",
    "1;36": "color:#1a73e8;font-weight:bold",
    "1;32": "color:#188038;font-weight:bold",
    "1": "font-weight:bold",
    "34": "color:#5f6368",
    "2": "color:#5f6368",
}
_PAINTED = re.compile(r"\x1b\[([0-9;]+)m(.*?)\x1b\[0m", re.DOTALL)
_VERBATIM = "\\end{verbatim}"


class Shown(NamedTuple):
    """One statement as it is shown: its line, what it makes, and each step with the bytes received, in words."""

    line: int
    output: str | None
    steps: tuple[tuple[str, str], ...]


def findings_html(source: SourceText, findings: tuple[Diagnostic, ...]) -> str:
    """Return the findings drawn into the text; empty where there are none."""
    if not findings:
        return ""
    drawn = escape(text_findings(source, findings, paint=ansi, fold=True), quote=False)
    coloured = _PAINTED.sub(lambda match: f'<span style="{_STYLES[match[1]]}">{match[2]}</span>', drawn)
    # notebooks give the outputs of cells a font of their own, and break long words: marks would stand under other letters
    return f'<pre style="font-family:monospace;white-space:pre;overflow-x:auto;line-height:1.2">{coloured}</pre>'


def check_html(source: SourceText, findings: tuple[Diagnostic, ...], statements: Iterable[Shown]) -> str:
    """Return findings, and the steps of every statement as a list."""
    parts = [findings_html(source, findings)]
    for one in statements:
        made = f"<code>{_html(one.output)}</code>" if one.output is not None else "refused"
        steps = "".join(
            f"<li><code>{_html(text)}</code>{f' &nbsp; receives {_html(received)}' if received else ''}</li>"
            for text, received in one.steps
        )
        parts.append(f"<p>line {one.line}: {made}</p>" + (f"<ol>{steps}</ol>" if steps else ""))
    return "\n".join(part for part in parts if part)


def check_markdown(source: SourceText, findings: tuple[Diagnostic, ...], statements: Iterable[Shown]) -> str:
    """Return findings in a block, and the steps of every statement as a list."""
    parts = [findings_markdown(source, findings)]
    for one in statements:
        made = f"`{safe(one.output)}`" if one.output is not None else "refused"
        steps = [
            f"{number}. `{safe(text)}`" + (f" receives {received}" if received else "")
            for number, (text, received) in enumerate(one.steps, 1)
        ]
        parts.append("\n".join([f"line {one.line}: {made}", "", *steps]).rstrip())
    return "\n\n".join(part for part in parts if part) + "\n"


def findings_markdown(source: SourceText, findings: tuple[Diagnostic, ...]) -> str:
    """Return the findings drawn into the text, in a block; empty where there are none."""
    if not findings:
        return ""
    drawn = text_findings(source, findings, fold=True)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", drawn)), default=0))
    return f"{fence}text\n{drawn}\n{fence}"


def check_latex(source: SourceText, findings: tuple[Diagnostic, ...], statements: Iterable[Shown]) -> str:
    """Return findings as they are, and the steps of every statement as a list, for a document with amsmath."""
    parts = [findings_latex(source, findings)]
    for one in statements:
        made = f"${latex_notation(one.output)}$" if one.output is not None else "refused"
        steps = [f"  \\item ${latex_notation(text)}$" for text, _ in one.steps]
        listed = ["\\begin{enumerate}", *steps, "\\end{enumerate}"] if steps else []
        parts.append("\n".join([f"line {one.line}: {made}", *listed]))
    return "\n\n".join(part for part in parts if part) + "\n"


def findings_latex(source: SourceText, findings: tuple[Diagnostic, ...]) -> str:
    """Return the findings drawn into the text, verbatim; empty where there are none."""
    if not findings:
        return ""
    drawn = text_findings(source, findings, fold=True).replace(_VERBATIM, _VERBATIM.replace("\\", "\\ "))
    return f"\\begin{{verbatim}}\n{drawn}\n\\end{{verbatim}}"


def _html(text: str) -> str:
    return escape(safe(text), quote=False)
