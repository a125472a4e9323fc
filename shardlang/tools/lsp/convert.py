"""From what `tools.editor` says to the types of the protocol."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from lsprotocol import types

from shardlang.diagnostics import CODES, Diagnostic, Edit
from shardlang.source import Span
from shardlang.tools.editor.analysis import Analysis
from shardlang.tools.editor.colours import Colour
from shardlang.tools.editor.completion import Completion
from shardlang.tools.editor.outline import Entry
from shardlang.tools.lsp.documents import Document

SOURCE = "shardlang"
_SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_SKIPPED = "SL106"  # a formula that is no statement: said softly, as papers are full of them
_UNNECESSARY = frozenset({"SL225", "SL310"})

# The names that colour schemes know, by what our tokens are.
_TOKEN_TYPES = {
    "array": "variable",
    "dimension": "parameter",
    "axis": "enumMember",
    "collective": "macro",
    "operation": "function",
    "keyword": "keyword",
    "dtype": "type",
    "hardware": "class",
    "topology": "enum",
    "figure": "property",
    "number": "number",
    "string": "string",
    "comment": "comment",
    "operator": "operator",
}
LEGEND = types.SemanticTokensLegend(token_types=list(_TOKEN_TYPES.values()), token_modifiers=[])
_TOKEN_NUMBERS = {kind: number for number, kind in enumerate(_TOKEN_TYPES)}

_ITEM_KINDS = {
    "array": types.CompletionItemKind.Variable,
    "dimension": types.CompletionItemKind.TypeParameter,
    "axis": types.CompletionItemKind.EnumMember,
    "collective": types.CompletionItemKind.Method,
    "operation": types.CompletionItemKind.Function,
    "keyword": types.CompletionItemKind.Keyword,
    "hardware": types.CompletionItemKind.Class,
    "dtype": types.CompletionItemKind.Struct,
    "topology": types.CompletionItemKind.Enum,
    "size": types.CompletionItemKind.Value,
}
_SYMBOL_KINDS = {
    "mesh": types.SymbolKind.Namespace,
    "axis": types.SymbolKind.EnumMember,
    "sizes": types.SymbolKind.Namespace,
    "dimension": types.SymbolKind.TypeParameter,
    "hardware": types.SymbolKind.Class,
    "array": types.SymbolKind.Variable,
}


def range_of(document: Document, span: Span) -> types.Range:
    """Return a span as the editor counts."""
    start, end = document.whole(span)
    return types.Range(types.Position(*start), types.Position(*end))


def text_edits(document: Document, edits: Iterable[Edit]) -> list[types.TextEdit]:
    """Return edits of one text."""
    return [types.TextEdit(range_of(document, edit.span), edit.text) for edit in edits]


def workspace_edit(document: Document, edits: Iterable[Edit], versioned: bool) -> types.WorkspaceEdit:
    """Return edits of one text as a change; versioned: the editor refuses it if the text has changed meanwhile."""
    made = text_edits(document, edits)
    if not versioned:
        return types.WorkspaceEdit(changes={document.uri: made})
    identifier = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, list(made))])


def diagnostics(document: Document, analysis: Analysis) -> list[types.Diagnostic]:
    """Return the findings of a text."""
    return [diagnostic(document, finding) for finding in analysis.findings]


def diagnostic(document: Document, finding: Diagnostic) -> types.Diagnostic:
    """Return a finding with its labels, its page, and the advice where there is one."""
    related = [
        types.DiagnosticRelatedInformation(types.Location(document.uri, range_of(document, label.span)), label.message)
        for label in finding.labels
    ]
    soft = finding.code == _SKIPPED
    page = _page(finding.code)
    return types.Diagnostic(
        range=range_of(document, finding.span),
        message=finding.message + (f"\nhelp: {finding.hint}" if finding.hint else ""),
        severity=types.DiagnosticSeverity.Hint if soft else _SEVERITY[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(page) if page else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in _UNNECESSARY else None,
        related_information=related or None,
    )


@cache
def _page(code: str) -> str | None:
    """Return the address of the page of a code: the file of this very version; None where the package is in an archive."""
    page = files("shardlang.diagnostics") / "pages" / f"{CODES[code].code}.md"
    return page.resolve().as_uri() if isinstance(page, Path) and page.is_file() else None


def completion_items(document: Document, items: Sequence[Completion]) -> list[types.CompletionItem]:
    """Return what may be typed, in the order in which it is given."""
    return [
        types.CompletionItem(
            label=item.label,
            kind=_ITEM_KINDS[item.kind],
            detail=item.detail or None,
            sort_text=f"{number:04}",
            filter_text=item.label,
            text_edit=types.TextEdit(range_of(document, item.span), item.text),
        )
        for number, item in enumerate(items)
    ]


def symbol(document: Document, entry: Entry) -> types.DocumentSymbol:
    """Return a line of an outline with those under it."""
    return types.DocumentSymbol(
        name=entry.name,
        kind=_SYMBOL_KINDS[entry.kind],
        range=range_of(document, entry.span),
        selection_range=range_of(document, entry.place),
        detail=entry.detail or None,
        children=[symbol(document, inner) for inner in entry.inner] or None,
    )


def selection_range(document: Document, spans: Sequence[Span]) -> types.SelectionRange:
    """Return spans, the innermost first, as what a selection grows to."""
    found: types.SelectionRange | None = None
    for span in reversed(spans):
        found = types.SelectionRange(range_of(document, span), found)
    assert found is not None, "all of the text is around every place"
    return found


def token_data(document: Document, colours: Iterable[Colour], span: Span) -> list[int]:
    """Return five numbers a token, each relative to the one before, of the colours in a part of the text."""
    data: list[int] = []
    line = column = 0
    for start, end, kind in _on_one_line(document, colours, span):
        place = document.place(start)
        length = document.place(end).column - place.column
        if place.line != line:
            line, column, skipped = place.line, 0, place.line - line
        else:
            skipped = 0
        data += [skipped, place.column - column, length, _TOKEN_NUMBERS[kind], 0]
        column = place.column
    return data


def _on_one_line(document: Document, colours: Iterable[Colour], span: Span) -> Iterator[Colour]:
    """Yield the colours that have a type, those over several lines cut at their ends."""
    for colour in colours:
        if colour.kind not in _TOKEN_NUMBERS or colour.end <= span.start or colour.start >= span.end:
            continue
        start = colour.start
        while start < colour.end:
            stop = min(colour.end, document.line_end(start))
            if start < stop:
                yield Colour(start, stop, colour.kind)
            start = max(stop, start) + 1 if stop < colour.end else colour.end
