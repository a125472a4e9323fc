"""One session with the server of this checkout, as an editor has it."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

CONFIG = ClientServerConfig(server_command=[sys.executable, "-m", "shardlang", "lsp"])
ALL = 10_000


def capabilities(
    encodings: Sequence[str] = ("utf-16",), *, resolve: bool = True, asked: bool = False, pulls: bool = False
) -> types.ClientCapabilities:
    """What an editor of today says that it can do; asked: it takes requests of the server too; pulls: it asks for findings."""
    support = types.ClientCodeActionResolveOptions(properties=["edit"])
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=list(encodings)),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            configuration=True,
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=asked),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=asked),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=asked),
        ),
        text_document=types.TextDocumentClientCapabilities(
            code_action=types.CodeActionClientCapabilities(resolve_support=support if resolve else None),
            diagnostic=types.DiagnosticClientCapabilities() if pulls else None,
        ),
    )


async def start(client: LanguageClient, encodings: Sequence[str] = ("utf-16",), **more: Any) -> types.InitializeResult:
    """Say hello."""
    able = {name: more.pop(name) for name in ("resolve", "asked", "pulls") if name in more}
    return await client.initialize_session(types.InitializeParams(capabilities=capabilities(encodings, **able), **more))


class Text:
    """A text that is open in the editor."""

    count = 0

    def __init__(self, client: LanguageClient, text: str, name: str | None = None, language: str = "shard") -> None:
        Text.count += 1
        self.client, self.text, self.language = client, text, language
        self.uri = name if name is not None and ":" in name else f"untitled:{name or f'plan{Text.count}.shard'}"
        self.version = 1

    @property
    def identifier(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    def open(self) -> "Text":
        item = types.TextDocumentItem(self.uri, self.language, self.version, self.text)
        self.client.diagnostics.pop(self.uri, None)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return self

    def change(self, text: str) -> None:
        self.text, self.version = text, self.version + 1
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.diagnostics.pop(self.uri, None)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    def edit(self, start: int, end: int, new: str, encoding: str = "utf-16") -> None:
        """Replace what stands between two offsets, and tell only that."""
        place = types.Range(position(self.text, start, encoding), position(self.text, end, encoding))
        self.text, self.version = self.text[:start] + new + self.text[end:], self.version + 1
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        change = types.TextDocumentContentChangePartial(place, new)
        self.client.diagnostics.pop(self.uri, None)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    def close(self) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.identifier))

    async def findings(self) -> Sequence[types.Diagnostic]:
        """Wait for what the server publishes of this version."""
        for _ in range(600):
            if self.uri in self.client.diagnostics:
                return list(self.client.diagnostics[self.uri])
            await asyncio.sleep(0.02)
        raise AssertionError("no findings were published within twelve seconds")

    def place(self, words: str, shift: int = 0) -> types.Position:
        """The place of `words`, in UTF-16 units."""
        return position(self.text, self.text.index(words) + shift)

    def at(self, words: str, shift: int = 0) -> dict[str, Any]:
        return {"text_document": self.identifier, "position": self.place(words, shift)}

    @property
    def whole(self) -> types.Range:
        return types.Range(types.Position(0, 0), types.Position(ALL, 0))

    def slice(self, place: types.Range) -> str:
        return self.text[offset(self.text, place.start) : offset(self.text, place.end)]

    def edited(self, edits: Sequence[Any]) -> str:
        """The text with edits made, the last one first."""
        text = self.text
        for edit in sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
            text = text[: offset(text, edit.range.start)] + edit.new_text + text[offset(text, edit.range.end) :]
        return text

    def changed(self, change: types.WorkspaceEdit) -> str:
        (document,) = change.document_changes
        assert document.text_document.version == self.version
        return self.edited(document.edits)


def position(text: str, at: int, encoding: str = "utf-16") -> types.Position:
    """The place of an offset, by encoding the line: no code of ours."""
    line_start = text.rfind("\n", 0, at) + 1
    codec, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    return types.Position(text.count("\n", 0, at), len(text[line_start:at].encode(codec)) // width)


def offset(text: str, place: types.Position) -> int:
    lines = text.split("\n")
    if place.line >= len(lines):
        return len(text)
    before = sum(len(line) + 1 for line in lines[: place.line])
    units = lines[place.line].encode("utf-16-le")[: 2 * place.character]
    return before + len(units.decode("utf-16-le"))
