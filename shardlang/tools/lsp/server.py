"""The server: which request is answered by what. Answers come from `tools.editor`; a failure is logged and answered with null."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from shardlang import __version__
from shardlang.tools.editor.analysis import Analysis
from shardlang.tools.lsp.convert import diagnostic
from shardlang.tools.lsp.documents import Document, Documents
from shardlang.tools.lsp.settings import Settings, defaults_for, read_settings

logger = logging.getLogger(__name__)

DELAY = 0.03
"""Seconds from the last change of a text to its check: letters that follow one another closely are checked once."""


class Server(LanguageServer):
    """The state of one session: the open texts and the settings."""

    def __init__(self) -> None:
        # Whole texts are sent: they are short, and what is checked again is the whole text in any case.
        super().__init__("shardlang", __version__, types.TextDocumentSyncKind.Full)
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

    # -- texts ---------------------------------------------------------------------------------------

    def opened(self, uri: str, language: str, version: int | None, text: str) -> None:
        """Take a new version of a text, and check it soon."""
        self.documents.put(Document(uri, language, version, text, self.encoding))
        self.check_soon(uri)

    def closed(self, uri: str) -> None:
        """Forget a text and its findings."""
        self._stop_waiting(uri)
        self.documents.close(uri)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def check_soon(self, uri: str, delay: float = DELAY) -> None:
        """Check a text after a moment, unless another version of it comes before."""
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
        except Exception:
            logger.exception("cannot check %s", uri)
            return
        if self.documents.get(uri) is document:
            found = [diagnostic(document, finding) for finding in analysis.findings]
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
        """Take settings, say what is wrong with them, and check every open text with them."""
        self.settings, problems = read_settings(value, self.root)
        for problem in problems:
            self.tell(f"shardlang: {problem}")
        self.check_all()
        self._refresh_hints()

    def _refresh_hints(self) -> None:
        """Let the editor ask for inlay hints again, if it takes such requests."""
        workspace = self.client_capabilities.workspace
        hints = workspace.inlay_hint if workspace is not None else None
        if hints is not None and hints.refresh_support:
            self.workspace_inlay_hint_refresh(None)

    def check_all(self) -> None:
        """Check every open text anew."""
        self.documents.forget_checks()
        for document in self.documents.all():
            self.check_soon(document.uri)

    def tell(self, message: str) -> None:
        """Show a message, once a session."""
        if message not in self._told:
            self._told.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what the editor sent that cannot be read; it is no matter for the user."""
        logger.error("%s: %s", getattr(source, "__name__", source), error)
