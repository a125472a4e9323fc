"""The features: each is a function from a request to its answer, and a line in a table."""

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

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
    range_of,
    symbol,
    text_edits,
    token_data,
    workspace_edit,
)
from shardlang.tools.lsp.documents import Document
from shardlang.tools.lsp.server import Server

logger = logging.getLogger(__name__)

_REQUEST_FAILED = -32803
_FIX_ALL = "source.fixAll.shardlang"
_IDLE = 2.0  # seconds after the start
_TRIGGERS = ["[", "_", "{", "@", ",", ":"]

Answer = Callable[[Server, Document, Analysis, Any], Awaitable[Any]]


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
        raise JsonRpcException(str(problem), _REQUEST_FAILED) from None
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
    return list(colours(analysis.source, analysis.planned.front.program, analysis.names, analysis.document))


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
    if _wanted(_FIX_ALL, only) and any(fix.safe for finding in analysis.findings for fix in finding.fixes):
        action = types.CodeAction(
            "Fix all safe findings (each is run first)", kind=_FIX_ALL, data={"uri": document.uri}
        )
        if only and not _resolves(server):
            action = await _with_all_fixed(server, document, analysis, action)
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


async def _with_all_fixed(
    server: Server, document: Document, analysis: Analysis, action: types.CodeAction
) -> types.CodeAction:
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

_ANSWERS: tuple[tuple[str, Answer, Any], ...] = (
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
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _tokens, LEGEND),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, _tokens_in_range, LEGEND),
    (
        types.TEXT_DOCUMENT_CODE_ACTION,
        _actions,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, _FIX_ALL], resolve_provider=True),
    ),
)


def register(server: Server) -> None:
    """Give a server every feature."""
    for method, answer, options in _ANSWERS:
        server.feature(method, options)(_guarded(server, answer))
    _register_resolve(server)
    _register_texts(server)
    _register_settings(server)


def _guarded(server: Server, answer: Answer) -> Callable[[Any], Awaitable[Any]]:
    """Return the handler of a request on an open text: null for a closed one, and where an answer fails."""

    async def handle(params: Any) -> Any:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return None
        try:
            return await answer(server, document, await server.analysis(document), params)
        except JsonRpcException:
            raise
        except Exception:
            logger.exception("no answer to %s", answer.__name__)
            return None

    handle.__name__ = answer.__name__
    return handle


def _register_resolve(server: Server) -> None:
    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(params: types.CodeAction) -> types.CodeAction:
        data = params.data if isinstance(params.data, dict) else {}
        document = server.documents.get(str(data.get("uri")))
        if document is None or params.kind != _FIX_ALL:
            return params
        try:
            return await _with_all_fixed(server, document, await server.analysis(document), params)
        except Exception:
            logger.exception("cannot resolve %s", params.title)
            return params


def _register_texts(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        text = params.text_document
        server.opened(text.uri, text.language_id, text.version, text.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        before = server.documents.get(uri)
        if before is not None and params.content_changes:
            server.opened(uri, before.language, params.text_document.version, params.content_changes[-1].text)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)


def _register_settings(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        gc.set_threshold(100_000, 20, 20)
        server.started_with = params.initialization_options

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        server.configure(server.started_with)
        await _watch(server)
        await _pull(server)
        await asyncio.sleep(_IDLE)
        await server.documents.run(_warm_up)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def reconfigured(params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            server.configure(params.settings)
        else:
            await _pull(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(_params: types.DidChangeWatchedFilesParams) -> None:
        server.check_all()

    @server.feature(types.SHUTDOWN)
    def shutdown(_params: Any) -> None:
        server.documents.stop()


def _warm_up() -> None:
    """Load what hovers need, once the first texts have been checked, and take all that is loaded from the collector.

    A check makes a hundred thousand tuples, most of which the counting of references frees: to look for cycles among them
    and in SymPy at every turn takes as long as the check. It is still done, only more rarely.
    """
    import_module("shardlang.cost")
    gc.collect()
    gc.freeze()


async def _pull(server: Server) -> None:
    """Ask the editor for its settings, if it answers such questions."""
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return
    item = types.ConfigurationItem(section="shardlang")
    try:
        found = await server.workspace_configuration_async(types.ConfigurationParams([item]))
    except JsonRpcException as problem:
        logger.warning("the editor does not tell its settings: %s", problem)
        return
    if found and found[0]:
        server.configure(found[0])


async def _watch(server: Server) -> None:
    """Ask to be told of changes of settings and of `pyproject.toml`, if the editor takes such requests."""
    workspace = server.client_capabilities.workspace
    wanted: list[types.Registration] = []
    if workspace is not None and _dynamic(workspace.did_change_configuration):
        options: Any = types.DidChangeConfigurationRegistrationOptions(section="shardlang")
        wanted.append(types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
    if workspace is not None and _dynamic(workspace.did_change_watched_files):
        watchers = [types.FileSystemWatcher("**/pyproject.toml")]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(types.Registration("projects", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if not wanted:
        return
    try:
        await server.client_register_capability_async(types.RegistrationParams(wanted))
    except JsonRpcException as problem:
        logger.warning("the editor does not tell of changed files: %s", problem)


def _dynamic(capability: Any) -> bool:
    return capability is not None and bool(capability.dynamic_registration)


# -- places ------------------------------------------------------------------------------------------


def _offset(document: Document, params: Any) -> int:
    return document.offset(params.position.line, params.position.character)


def _span(document: Document, place: types.Range) -> Span:
    start = document.offset(place.start.line, place.start.character)
    return Span(start, max(start, document.offset(place.end.line, place.end.character)))
