"""A report as a notebook shows it: the findings drawn into their texts, then its blocks, as HTML, Markdown or LaTeX."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.reports.document import Block
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.html import HtmlWriter
from shardlang.reports.latex import LatexWriter
from shardlang.reports.markdown import MarkdownWriter
from shardlang.reports.shown import findings_html, findings_latex, findings_markdown
from shardlang.source import SourceText


class Page(NamedTuple):
    """What is shown. texts: each with its findings. kinds: of each symbol by its name, as `FormulaPrinter` takes them."""

    texts: tuple[tuple[SourceText, tuple[Diagnostic, ...]], ...]
    blocks: Iterable[Block]
    kinds: Mapping[str, str]

    def html(self) -> str:
        """Return the page as HTML, formulas between dollars."""
        found = "".join(findings_html(*text) for text in self.texts)
        return found + HtmlWriter(self._printer()).write(self.blocks)

    def markdown(self) -> str:
        """Return the page as Markdown."""
        found = (findings_markdown(*text) for text in self.texts)
        return _joined((*found, MarkdownWriter(self._printer()).write(self.blocks)))

    def latex(self) -> str:
        """Return the page as LaTeX, for a document with amsmath."""
        found = (findings_latex(*text) for text in self.texts)
        return _joined((*found, LatexWriter(self._printer()).write(self.blocks)))

    def _printer(self) -> FormulaPrinter:
        return FormulaPrinter(self.kinds, latex=True)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)
