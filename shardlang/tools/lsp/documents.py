"""The texts that are open in an editor, each version checked once, with what is known of the one before, in a thread of its own."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from lsprotocol import types
from pygls.uris import to_fs_path

from shardlang.limits import Clock
from shardlang.source import Span
from shardlang.syntax.kinds import kind_in_editor
from shardlang.tools.editor.analysis import Analysis, analyse
from shardlang.tools.editor.positions import Lines, Place

_T = TypeVar("_T")
_MARK = "\ufeff"


class OutdatedError(Exception):
    """What was asked about is a text that has changed since."""


class Document:
    """One version of an open text. `place` and `offset` translate between the editor's places and our offsets."""

    def __init__(self, uri: str, language: str, version: int | None, text: str, encoding: str) -> None:
        self.uri = uri
        self.language = language
        self.version = version
        self.text = text
        self.encoding = encoding
        self.lines = Lines(text, encoding)
        self.before: Analysis | None = None  # of the last version of which a check came to its end
        self.clock = Clock()  # of what is done for this version: the check, and trying the fixes
        self.checking: asyncio.Future[Analysis] | None = None
        self._kind = kind_in_editor(language, uri.partition("?")[0].partition("#")[0])
        self._skipped = int(text.startswith(_MARK))  # a byte-order mark counts for the editor, and not for us

    @property
    def path(self) -> str | None:
        """The file, None for a text that is in none."""
        return to_fs_path(self.uri) if self.uri.startswith("file:") else None

    @property
    def holds_plans(self) -> bool:
        """Whether it is of a kind that plans are written in; of any other language nothing is read."""
        return self._kind is not None

    @property
    def kind(self) -> str | None:
        """The kind of document, None for plain statements."""
        return None if self._kind is None else self._kind.name

    @property
    def known(self) -> Analysis | None:
        """What was found last, of this version or of one before."""
        done = self.checking
        fine = done is not None and done.done() and not done.cancelled() and done.exception() is None
        return done.result() if done is not None and fine else self.before

    def stop_check(self) -> None:
        """Give up the check, also where it runs; the next one begins anew."""
        self.before = self.known
        if self.checking is not None:
            self.checking.cancel()
        self.clock.stop()
        self.clock, self.checking = Clock(), None

    def edited(self, version: int | None, changes: Iterable[types.TextDocumentContentChangeEvent]) -> "Document":
        """Return the next version. changes: each of the text that the one before gives, or all of the new text."""
        text, lines = self.text, self.lines
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = (lines.offset(at.line, at.character) for at in (change.range.start, change.range.end))
                text = text[:start] + change.text + text[max(start, end) :]
            else:
                text = change.text
            lines = Lines(text, self.encoding)
        return Document(self.uri, self.language, version, text, self.encoding)

    def place(self, offset: int) -> Place:
        """Return the place of an offset."""
        return self.lines.place(offset + self._skipped)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place."""
        return max(0, self.lines.offset(line, column) - self._skipped)

    def line_end(self, offset: int) -> int:
        """Return the offset at which the line of `offset` ends."""
        return self.lines.line_span(self.lines.line_at(offset + self._skipped)).end - self._skipped

    def whole(self, span: Span) -> tuple[Place, Place]:
        """Return where a span starts and ends."""
        return self.place(span.start), self.place(span.end)


class Documents:
    """The open texts. Checks run one after the other in one thread, everything else that takes long in another one."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self._checker = ThreadPoolExecutor(1, "check")
        self._worker = ThreadPoolExecutor(1, "answer")

    def put(self, document: Document) -> None:
        """Open a text, or replace it by another version of it, whose check is then given up."""
        before = self._open.get(document.uri)
        if before is not None:
            before.stop_check()
            document.before = before.before
        self._open[document.uri] = document

    def close(self, uri: str) -> None:
        """Forget a text."""
        document = self._open.pop(uri, None)
        if document is not None:
            document.stop_check()

    def get(self, uri: str) -> Document | None:
        """Return an open text, None for one that is not open."""
        return self._open.get(uri)

    def all(self) -> tuple[Document, ...]:
        """Return every open text."""
        return tuple(self._open.values())

    def forget_checks(self) -> None:
        """Let every text be checked anew, as settings have changed."""
        for document in self._open.values():
            document.stop_check()

    async def analysis(self, document: Document, defaults: Callable[[Document], Mapping[str, Any]]) -> Analysis:
        """Return what is known of a text; it is checked when this is first asked for.

        Raises OutdatedError when there is a newer version, or other settings, before the check comes to its end.
        """
        if document.checking is None:
            work = partial(
                analyse,
                document.text,
                document.path or document.uri,
                document.kind,
                defaults(document),
                document.before,
                document.clock,
            )
            document.checking = asyncio.get_running_loop().run_in_executor(self._checker, work)
        checking = document.checking
        try:
            return await asyncio.shield(checking)
        except asyncio.CancelledError:
            if checking.cancelled():
                raise OutdatedError from None
            raise  # nobody waits for this answer any more; others may wait for the check

    async def run(self, work: Callable[..., _T], *arguments: Any) -> _T:
        """Return what `work` returns, done beside the loop that listens to the editor."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *arguments)

    def stop(self) -> None:
        """End the threads; what waits is dropped."""
        self._checker.shutdown(wait=False, cancel_futures=True)
        self._worker.shutdown(wait=False, cancel_futures=True)
        for document in self._open.values():
            document.clock.stop()
