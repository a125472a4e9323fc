"""How a server gets its features, its texts and its settings."""

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from shardlang.tools.lsp.documents import Document, OutdatedError
from shardlang.tools.lsp.features import ANSWERS, FIX_ALL, NOTHING, Answer, with_all_fixed
from shardlang.tools.lsp.server import RefusedError, Server

logger = logging.getLogger(__name__)

_UNTIL_WARM_UP = 2.0  # seconds after the start
_CONTENT_MODIFIED = -32801


def register(server: Server) -> None:
    """Give a server every feature."""
    for method, answer, options in ANSWERS:
        server.feature(method, options)(_guarded(server, answer))
    _register_resolve(server)
    _register_texts(server)
    _register_settings(server)


def _guarded(server: Server, answer: Answer) -> Callable[[Any], Awaitable[Any]]:
    """Return the handler of a request on an open text: null for one that is not, or holds no plans, and where an answer fails.

    A request about a version that has changed before the answer is there is refused, as the protocol has it.
    """

    async def handle(params: Any) -> Any:
        nothing = NOTHING.get(answer)
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return nothing
        try:
            return await answer(server, document, await server.analysis(document), params)
        except OutdatedError:
            raise RefusedError("the text has changed", _CONTENT_MODIFIED) from None
        except RefusedError:
            raise
        except Exception:
            logger.exception("no answer to %s", answer.__name__)
            return nothing

    handle.__name__ = answer.__name__
    return handle


def _register_resolve(server: Server) -> None:
    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(params: types.CodeAction) -> types.CodeAction:
        data = params.data if isinstance(params.data, dict) else {}
        document = server.documents.get(str(data.get("uri")))
        if document is None or params.kind != FIX_ALL:
            return params
        try:
            return await with_all_fixed(server, document, await server.analysis(document), params)
        except OutdatedError:
            raise RefusedError("the text has changed", _CONTENT_MODIFIED) from None
        except Exception:
            logger.exception("cannot resolve %s", params.title)
            return params


def _register_texts(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        text = params.text_document
        document = Document(text.uri, text.language_id, text.version, text.text, server.encoding)
        if document.holds_plans:
            server.opened(document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        before = server.documents.get(params.text_document.uri)
        if before is not None:
            server.opened(before.edited(params.text_document.version, params.content_changes))

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
        await asyncio.sleep(_UNTIL_WARM_UP)
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
    import shardlang.api.priced  # noqa: F401 - for the first hover, which would wait for SymPy

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
