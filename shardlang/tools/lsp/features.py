"""The features: each is a function from a request to its answer, and a line in a table."""

from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types

from shardlang.source import Span
from shardlang.tools.editor import actions, navigation
from shardlang.tools.editor.analysis import Analysis
from shardlang.tools.editor.colours import Colour, colours
from shardlang.tools.editor.completion import completions
from shardlang.tools.editor.hints import hints
from shardlang.tools.editor.hover import hover
from shardlang.tools.editor.names import Name
from shardlang.tools.editor.outline import outline
from shardlang.tools.lsp.convert import (
    LEGEND,
    completion_items,
    diagnostic,
    diagnostics,
    range_of,
    selection_range,
    symbol,
    text_edits,
    token_data,
    workspace_edit,
)
from shardlang.tools.lsp.documents import Document
from shardlang.tools.lsp.server import RefusedError, Server

_REQUEST_FAILED = -32803
FIX_ALL = "source.fixAll.shardlang"
_TRIGGERS = ["[", "_", "{", "@", ",", ":"]

Answer = Callable[[Server, Document, Analysis, Any], Awaitable[Any]]


async def _diagnose(
    server: Server, document: Document, analysis: Analysis, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport:
    return types.RelatedFullDocumentDiagnosticReport(diagnostics(document, analysis))


async def _hover(
    server: Server, document: Document, analysis: Analysis, params: types.HoverParams
) -> types.Hover | None:
    found = await server.documents.run(hover, analysis, _offset(document, params))
    if found is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, found.text), range_of(document, found.span))


async def _complete(
    server: Server, document: Document, analysis: Analysis, params: types.CompletionParams
) -> types.CompletionList:
    found = await server.documents.run(completions, analysis, _offset(document, params))
    return types.CompletionList(False, completion_items(document, found))


async def _definition(
    server: Server, document: Document, analysis: Analysis, params: types.DefinitionParams
) -> types.Location | None:
    found = navigation.definition(analysis, _offset(document, params))
    return None if found is None else types.Location(document.uri, range_of(document, found.span))


async def _references(
    server: Server, document: Document, analysis: Analysis, params: types.ReferenceParams
) -> list[types.Location]:
    found = navigation.references(analysis, _offset(document, params), params.context.include_declaration)
    return [types.Location(document.uri, range_of(document, name.span)) for name in found]


async def _highlight(
    server: Server, document: Document, analysis: Analysis, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    found = navigation.references(analysis, _offset(document, params))
    return [types.DocumentHighlight(range_of(document, name.span), _highlight_kind(name)) for name in found]


def _highlight_kind(name: Name) -> types.DocumentHighlightKind:
    return types.DocumentHighlightKind.Read if name.role == "use" else types.DocumentHighlightKind.Write


async def _prepare_rename(
    server: Server, document: Document, analysis: Analysis, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    found = navigation.renameable(analysis, _offset(document, params))
    return None if found is None else types.PrepareRenamePlaceholder(range_of(document, found.span), found.name)


async def _rename(
    server: Server, document: Document, analysis: Analysis, params: types.RenameParams
) -> types.WorkspaceEdit:
    try:
        made = await server.documents.run(navigation.rename, analysis, _offset(document, params), params.new_name)
    except navigation.RenameError as problem:
        raise RefusedError(str(problem), _REQUEST_FAILED) from None
    return workspace_edit(document, made.edits, _versioned(server))


async def _symbols(
    server: Server, document: Document, analysis: Analysis, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol]:
    return [symbol(document, entry) for entry in outline(analysis)]


async def _hints(
    server: Server, document: Document, analysis: Analysis, params: types.InlayHintParams
) -> list[types.InlayHint]:
    span = _span(document, params.range)
    found = await server.documents.run(hints, analysis, span.start, span.end, server.settings.hints)
    return [
        types.InlayHint(
            types.Position(
                *document.place(document.line_end(hint.offset) if hint.kind == "collectives" else hint.offset)
            ),
            hint.text,
            padding_left=True,
        )
        for hint in found
    ]


async def _format(
    server: Server, document: Document, analysis: Analysis, params: types.DocumentFormattingParams
) -> list[types.TextEdit]:
    return text_edits(document, await server.documents.run(actions.formatting, analysis))


async def _format_range(
    server: Server, document: Document, analysis: Analysis, params: types.DocumentRangeFormattingParams
) -> list[types.TextEdit]:
    span = _span(document, params.range)
    return text_edits(document, await server.documents.run(actions.formatting, analysis, span))


async def _select(
    server: Server, document: Document, analysis: Analysis, params: types.SelectionRangeParams
) -> list[types.SelectionRange]:
    offsets = (document.offset(place.line, place.character) for place in params.positions)
    return [selection_range(document, navigation.around(analysis, offset)) for offset in offsets]


async def _tokens(
    server: Server, document: Document, analysis: Analysis, params: types.SemanticTokensParams
) -> types.SemanticTokens:
    return await server.documents.run(_token_answer, document, analysis, Span(0, len(document.text)))


async def _tokens_in_range(
    server: Server, document: Document, analysis: Analysis, params: types.SemanticTokensRangeParams
) -> types.SemanticTokens:
    return await server.documents.run(_token_answer, document, analysis, _span(document, params.range))


def _token_answer(document: Document, analysis: Analysis, span: Span) -> types.SemanticTokens:
    return types.SemanticTokens(token_data(document, _colours(analysis), span))


def _colours(analysis: Analysis) -> list[Colour]:
    return list(colours(analysis.source, analysis.planned.front.program, analysis.names, analysis.regions))


# -- code actions ------------------------------------------------------------------------------------


async def _actions(
    server: Server, document: Document, analysis: Analysis, params: types.CodeActionParams
) -> list[types.CodeAction]:
    only = params.context.only
    span = _span(document, params.range)
    found: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix.value, only):
        offers = await server.documents.run(_offers, analysis, span)
        found += [_quick_fix(server, document, offer) for offer in offers]
    if _wanted(FIX_ALL, only) and any(fix.safe for finding in analysis.findings for fix in finding.fixes):
        action = types.CodeAction("Fix all safe findings (each is run first)", kind=FIX_ALL, data={"uri": document.uri})
        if only and not _resolves(server):
            action = await with_all_fixed(server, document, analysis, action)
        found.append(action)
    return found


def _offers(analysis: Analysis, span: Span) -> list[actions.Action]:
    return [*actions.fixes(analysis, span), *actions.ignores(analysis, span)]


def _quick_fix(server: Server, document: Document, offer: actions.Action) -> types.CodeAction:
    return types.CodeAction(
        offer.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(document, offer.finding)],
        is_preferred=offer.best or None,
        edit=workspace_edit(document, offer.edits, _versioned(server)),
    )


async def with_all_fixed(
    server: Server, document: Document, analysis: Analysis, action: types.CodeAction
) -> types.CodeAction:
    """Return the action with its edit, which is run first."""
    action.edit = workspace_edit(document, await server.documents.run(actions.fix_all, analysis), _versioned(server))
    return action


def _wanted(kind: str, only: Any) -> bool:
    """Say whether an editor asks for a kind of action: `source` asks for `source.fixAll` too."""
    if not only:
        return True
    asked = [str(getattr(one, "value", one)) for one in only]
    return any(kind == one or kind.startswith(f"{one}.") for one in asked)


def _resolves(server: Server) -> bool:
    text = server.client_capabilities.text_document
    offered = text.code_action if text is not None else None
    return offered is not None and offered.resolve_support is not None


def _versioned(server: Server) -> bool:
    workspace = server.client_capabilities.workspace
    edit = workspace.workspace_edit if workspace is not None else None
    return bool(edit is not None and edit.document_changes)


# -- registration ------------------------------------------------------------------------------------

ANSWERS: tuple[tuple[str, Answer, Any], ...] = (
    (
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        _diagnose,
        types.DiagnosticOptions(inter_file_dependencies=False, workspace_diagnostics=False, identifier="shardlang"),
    ),
    (types.TEXT_DOCUMENT_HOVER, _hover, None),
    (types.TEXT_DOCUMENT_COMPLETION, _complete, types.CompletionOptions(trigger_characters=_TRIGGERS)),
    (types.TEXT_DOCUMENT_DEFINITION, _definition, None),
    (types.TEXT_DOCUMENT_REFERENCES, _references, None),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, _highlight, None),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, _prepare_rename, None),
    (types.TEXT_DOCUMENT_RENAME, _rename, types.RenameOptions(prepare_provider=True)),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _symbols, None),
    (types.TEXT_DOCUMENT_INLAY_HINT, _hints, None),
    (types.TEXT_DOCUMENT_FORMATTING, _format, None),
    (types.TEXT_DOCUMENT_RANGE_FORMATTING, _format_range, None),
    (types.TEXT_DOCUMENT_SELECTION_RANGE, _select, None),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _tokens, LEGEND),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, _tokens_in_range, LEGEND),
    (
        types.TEXT_DOCUMENT_CODE_ACTION,
        _actions,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL], resolve_provider=True),
    ),
)

# What is answered where there is nothing to say and the protocol knows no null.
NOTHING: dict[Answer, Any] = {_diagnose: types.RelatedFullDocumentDiagnosticReport([])}


# -- places ------------------------------------------------------------------------------------------


def _offset(document: Document, params: Any) -> int:
    return document.offset(params.position.line, params.position.character)


def _span(document: Document, place: types.Range) -> Span:
    start = document.offset(place.start.line, place.start.character)
    return Span(start, max(start, document.offset(place.end.line, place.end.character)))
