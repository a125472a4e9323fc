"""The server: which request is answered by what. Answers come from `tools.editor`; a failure is logged and answered with null."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from shardlang import __version__
from shardlang.tools.editor.analysis import Analysis
from shardlang.tools.lsp.convert import diagnostics
from shardlang.tools.lsp.documents import Document, Documents, OutdatedError
from shardlang.tools.lsp.settings import Settings, defaults_for, read_settings

logger = logging.getLogger(__name__)

DELAY = 0.03
"""Seconds from the last change of a text to its check: letters that follow one another closely are checked once."""


class RefusedError(JsonRpcException):
    """An answer that says why there is none: nothing went wrong."""


def _is_news(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], RefusedError))


logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_news)


class Protocol(LanguageServerProtocol):
    """Without copies of the texts of its own: `Documents` has them, with lines that end as the protocol says."""

    lsp_text_document__did_open = None  # type: ignore[assignment]
    lsp_text_document__did_change = None  # type: ignore[assignment]
    lsp_text_document__did_close = None  # type: ignore[assignment]

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message that came in; a request that cannot be read is answered, as its sender waits for it."""
        try:
            return super().structure_message(data)
        except JsonRpcException as problem:
            if "method" in data and isinstance(data.get("id"), int | str):
                self._send_response(data["id"], error=JsonRpcInvalidParams(str(problem)).to_response_error())
            raise


class Server(LanguageServer):
    """The state of one session: the open texts and the settings."""

    def __init__(self) -> None:
        incremental = types.TextDocumentSyncKind.Incremental
        super().__init__("shardlang", __version__, incremental, protocol_cls=Protocol)
        self.documents = Documents()
        self.settings = Settings()
        self.started_with: Any = None
        self._told: set[str] = set()
        self._waiting: dict[str, asyncio.Task[None]] = {}

    @property
    def encoding(self) -> str:
        """The encoding in whose units columns are counted, as agreed with the editor."""
        agreed = self.server_capabilities.position_encoding
        return str(getattr(agreed, "value", agreed) or "utf-16")

    @property
    def root(self) -> str | None:
        """The folder that is open in the editor."""
        path: str | None = self.workspace.root_path
        return path

    @property
    def pulled(self) -> bool:
        """Whether the editor asks for findings; they are not sent as well."""
        text = self.client_capabilities.text_document
        return text is not None and text.diagnostic is not None

    # -- texts ---------------------------------------------------------------------------------------

    def opened(self, document: Document) -> None:
        """Take a new text, or a new version of one, and check it soon."""
        self.documents.put(document)
        self.check_soon(document.uri)

    def closed(self, uri: str) -> None:
        """Forget a text and its findings."""
        self._stop_waiting(uri)
        self.documents.close(uri)
        if not self.pulled:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def check_soon(self, uri: str, delay: float = DELAY) -> None:
        """Check a text after a moment, unless another version of it comes before, or the editor asks for what is found."""
        if self.pulled:
            return
        self._stop_waiting(uri)
        self._waiting[uri] = asyncio.get_running_loop().create_task(self._check(uri, delay))

    def _stop_waiting(self, uri: str) -> None:
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()

    async def _check(self, uri: str, delay: float) -> None:
        await asyncio.sleep(delay)
        document = self.documents.get(uri)
        if document is None:
            return
        try:
            analysis = await self.analysis(document)
        except OutdatedError:
            return
        except Exception:
            logger.exception("cannot check %s", uri)
            return
        if self.documents.get(uri) is document:
            found = diagnostics(document, analysis)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, document.version))

    async def analysis(self, document: Document) -> Analysis:
        """Return what is known of an open text."""
        return await self.documents.analysis(document, self._defaults)

    def _defaults(self, document: Document) -> Mapping[str, Any]:
        defaults, problem = defaults_for(document.path, self.settings)
        if problem is not None:
            self.tell(problem)
        return defaults

    # -- settings ------------------------------------------------------------------------------------

    def configure(self, value: Any) -> None:
        """Take settings, say what is wrong with them, and check every open text with them if they are others."""
        settings, problems = read_settings(value, self.root)
        for problem in problems:
            self.tell(f"shardlang: {problem}")
        if settings != self.settings:
            self.settings = settings
            self.check_all()

    def check_all(self) -> None:
        """Check every open text anew, and let the editor ask again for what depends on settings, if it can."""
        self.documents.forget_checks()
        for document in self.documents.all():
            self.check_soon(document.uri)
        workspace = self.client_capabilities.workspace
        if workspace is None:
            return
        if workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if self.pulled and workspace.diagnostics is not None and workspace.diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)

    def tell(self, message: str) -> None:
        """Show a message, once a session."""
        if message not in self._told:
            self._told.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what the editor sent that cannot be read; it is no matter for the user."""
        if isinstance(error, RefusedError):
            return
        logger.error("%s: %s", getattr(source, "__name__", source), error)
