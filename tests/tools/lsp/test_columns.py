"""Every feature on a line that is hard to count: a tab, letters of two code units, combining marks, `·`, `→`, emoji.

Expected places come from encoding the text before them, in each of the three encodings that the protocol knows.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from shardlang.tools.lsp.convert import LEGEND
from shardlang.tools.lsp.features import ANSWERS
from tests.tools.lsp.session import CONFIG, Text, position, start

ENCODINGS = ("utf-16", "utf-8", "utf-32")
MESH = "mesh X=4, Y=2, data=2"
ARRAY = "𝔸e\u0301"  # a letter outside of the basic plane, and one with a combining mark
BEFORE = f"{ARRAY}[I_X, J] · 𝔹[J, K] → ℂ[I_X, K]; "
# The statement of a feature stands behind those marks, in a plan or, behind an emoji, in a formula of Markdown; alone,
# where the edit is one of whole lines.
DOCUMENTS = {
    "shard": f"{MESH}\n\t{BEFORE}{{}}  # 😀 e\u0301",
    "alone": f"{MESH}\n\t{{}}  # 😀 e\u0301",
    "markdown": f"```shard\n{MESH}\n```\n\n😀 e\u0301 →\tso $ {BEFORE}{{}} $ 😀",
}


class Page(NamedTuple):
    """An open text, and how columns are counted."""

    text: Text
    encoding: str

    @property
    def client(self) -> LanguageClient:
        return self.text.client

    @property
    def uri(self) -> types.TextDocumentIdentifier:
        return self.text.identifier

    def offset(self, words: str, number: int = 0) -> int:
        """The offset of the occurrence of words with this number; -1 is the last one."""
        return [match.start() for match in re.finditer(re.escape(words), self.text.text)][number]

    def place(self, offset: int) -> types.Position:
        return position(self.text.text, offset, self.encoding)

    def at(self, words: str, number: int = 0, shift: int = 0) -> dict[str, Any]:
        return {"text_document": self.uri, "position": self.place(self.offset(words, number) + shift)}

    def range(self, words: str, number: int = 0, inside: str | None = None) -> types.Range:
        """The range of words, or of what stands `inside` of them."""
        begin = self.offset(words, number) + (words.index(inside) if inside else 0)
        return types.Range(self.place(begin), self.place(begin + len(inside or words)))

    def each(self, pattern: str) -> list[types.Range]:
        found = re.finditer(pattern, self.text.text)
        return [types.Range(self.place(match.start()), self.place(match.end())) for match in found]

    @property
    def whole(self) -> types.Range:
        return types.Range(types.Position(0, 0), self.place(len(self.text.text)))


def edits_of(change: types.WorkspaceEdit) -> list[tuple[types.Range, str]]:
    (document,) = change.document_changes
    return [(edit.range, edit.new_text) for edit in document.edits]


async def findings(page: Page) -> None:
    (found,) = await page.text.findings()
    assert found.range == page.range("J_X]", -1, inside="X")
    assert found.related_information[0].location.range == page.range("D[I_X,", inside="X")


async def asked_findings(page: Page) -> None:
    report = await page.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(page.uri))
    assert [found.range for found in report.items] == [page.range("J_X]", -1, inside="X")]


async def hover(page: Page) -> None:
    found = await page.client.text_document_hover_async(types.HoverParams(**page.at("Ü[I_X")))
    assert found.range == page.range("Ü[I_X", inside="Ü")


async def completion(page: Page) -> None:
    found = await page.client.text_document_completion_async(types.CompletionParams(**page.at("D[I_da", shift=6)))
    (item,) = [item for item in found.items if item.label == "data"]
    assert (item.text_edit.range, item.text_edit.new_text) == (page.range("D[I_da", inside="da"), "data")


async def definition(page: Page) -> None:
    found = await page.client.text_document_definition_async(types.DefinitionParams(**page.at("ℂ", -1)))
    assert found.range == page.range("ℂ", 0)


async def references(page: Page) -> None:
    context = types.ReferenceContext(True)
    params = types.ReferenceParams(context=context, **page.at("ℂ", -1))
    found = await page.client.text_document_references_async(params)
    assert [one.range for one in found] == page.each("ℂ")


async def highlight(page: Page) -> None:
    params = types.DocumentHighlightParams(**page.at(ARRAY))
    found = await page.client.text_document_document_highlight_async(params)
    assert [one.range for one in found] == page.each(ARRAY)


async def renameable(page: Page) -> None:
    params = types.PrepareRenameParams(**page.at("ℂ", -1))
    found = await page.client.text_document_prepare_rename_async(params)
    assert found.range == page.range("ℂ", -1)


async def rename(page: Page) -> None:
    params = types.RenameParams(new_name="Kö", **page.at("K]", -1))
    change = await page.client.text_document_rename_async(params)
    assert edits_of(change) == [(place, "Kö") for place in page.each(r"K(?=\])")]


async def symbols(page: Page) -> None:
    found = await page.client.text_document_document_symbol_async(types.DocumentSymbolParams(page.uri))
    places = {symbol.name: (symbol.range, symbol.selection_range) for symbol in found}
    statement = "ℂ[I_X, K] -> Ü[I_X, K]"
    assert places["Ü"] == (page.range(statement), page.range(statement, inside="Ü"))


async def hints(page: Page) -> None:
    found = await page.client.text_document_inlay_hint_async(types.InlayHintParams(page.uri, page.whole))
    (output,) = [hint for hint in found if hint.label.startswith("->")]
    statement = "D[I_X, J_Y] · F[J_Y, K]"
    assert output.position == page.place(page.offset(statement) + len(statement))
    behind = page.place(page.offset("D[I_X, J_Y]"))
    params = types.InlayHintParams(page.uri, types.Range(behind, behind))
    assert len(await page.client.text_document_inlay_hint_async(params)) == 1


async def quick_fix(page: Page) -> None:
    (found,) = await page.text.findings()
    params = types.CodeActionParams(page.uri, found.range, types.CodeActionContext([found]))
    offered = await page.client.text_document_code_action_async(params)
    (fix,) = [action for action in offered if not action.title.startswith("Ignore")]
    assert edits_of(fix.edit) == [(page.range("D[I_dat", inside="dat"), "data")]


async def all_fixes(page: Page) -> None:
    context = types.CodeActionContext([], only=["source.fixAll"])
    params = types.CodeActionParams(page.uri, page.whole, context)
    (action,) = await page.client.text_document_code_action_async(params)
    ((place, new),) = edits_of((await page.client.code_action_resolve_async(action)).edit)
    line = page.offset("\t")  # the lines that differ are replaced whole
    assert place.start == page.place(page.text.text.rindex("\n", 0, line) + 1)
    assert place.end == page.place(len(page.text.text))
    assert "AllReduce" in new


async def formatting(page: Page) -> None:
    options = types.FormattingOptions(4, True)
    params = types.DocumentFormattingParams(page.uri, options)
    (edit,) = await page.client.text_document_formatting_async(params)
    assert edit.range == types.Range(page.place(page.offset("\n") + 1), page.place(len(page.text.text)))
    assert "D[I_X, J]" in edit.new_text


async def range_formatting(page: Page) -> None:
    line = types.Range(page.place(page.offset("D[")), page.place(len(page.text.text)))
    params = types.DocumentRangeFormattingParams(page.uri, line, types.FormattingOptions(4, True))
    (edit,) = await page.client.text_document_range_formatting_async(params)
    assert edit.range == types.Range(page.place(page.offset("\n") + 1), page.place(len(page.text.text)))
    first = types.Range(types.Position(0, 0), types.Position(0, 1))
    params = types.DocumentRangeFormattingParams(page.uri, first, types.FormattingOptions(4, True))
    assert not await page.client.text_document_range_formatting_async(params)


async def selection(page: Page) -> None:
    params = types.SelectionRangeParams(page.uri, [page.place(page.offset("ℂ[I_X, K] ->", 0))])
    (found,) = await page.client.text_document_selection_range_async(params)
    grown = []
    while found is not None:
        grown.append(found.range)
        found = found.parent
    statement = "ℂ[I_X, K] -> Ü[I_X, K]"
    wanted = [page.range(statement, inside="ℂ"), page.range(statement, inside="ℂ[I_X, K]"), page.range(statement)]
    assert grown == [*wanted, page.whole]


KIND = {"I": "parameter", "J": "parameter", "K": "parameter", "X": "enumMember", "→": "operator", "·": "operator"}


def coloured(page: Page) -> Iterator[tuple[int, int, int, str]]:
    """The place, the width and the type of every word of `BEFORE`."""
    begin = page.offset(BEFORE)
    for match in re.finditer(r"[^\W_]\u0301?(?:e\u0301)?|[·→]", BEFORE):
        first, last = page.place(begin + match.start()), page.place(begin + match.end())
        yield first.line, first.character, last.character - first.character, KIND.get(match[0], "variable")


def decoded(data: list[int]) -> Iterator[tuple[int, int, int, str]]:
    line = column = 0
    for at in range(0, len(data), 5):
        line, column = line + data[at], data[at + 1] + (0 if data[at] else column)
        yield line, column, data[at + 2], LEGEND.token_types[data[at + 3]]


async def tokens(page: Page) -> None:
    found = await page.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(page.uri))
    told = list(decoded(list(found.data)))
    wanted = list(coloured(page))
    at = told.index(wanted[0])
    assert told[at : at + len(wanted)] == wanted


async def tokens_in_range(page: Page) -> None:
    params = types.SemanticTokensRangeParams(page.uri, page.range("ℂ", 0))
    found = await page.client.text_document_semantic_tokens_range_async(params)
    place = page.range("ℂ", 0)
    width = place.end.character - place.start.character
    assert list(decoded(list(found.data))) == [(place.start.line, place.start.character, width, "variable")]


async def edits(page: Page) -> None:
    await page.text.findings()
    at = page.offset("J_X]", -1)
    page.text.edit(at + 1, at + 3, "", page.encoding)
    assert await page.text.findings() == []
    page.text.edit(at + 1, at + 1, "_Q", page.encoding)
    (found,) = await page.text.findings()
    assert found.range == page.range("J_Q]", -1, inside="Q")


class Row(NamedTuple):
    """A feature: its method, the statement on the line, what is asserted, and in which documents it is."""

    method: str
    statement: str
    check: Callable[[Page], Awaitable[None]]
    documents: tuple[str, ...] = ("shard", "markdown")


USES = "ℂ[I_X, K] -> Ü[I_X, K]"
TABLE = [
    Row(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, "D[I_X, J_X]", findings),
    Row(types.TEXT_DOCUMENT_DIAGNOSTIC, "D[I_X, J_X]", asked_findings),
    Row(types.TEXT_DOCUMENT_DID_CHANGE, "D[I_X, J_X]", edits),
    Row(types.TEXT_DOCUMENT_HOVER, USES, hover),
    Row(types.TEXT_DOCUMENT_COMPLETION, "D[I_da", completion),
    Row(types.TEXT_DOCUMENT_DEFINITION, USES, definition),
    Row(types.TEXT_DOCUMENT_REFERENCES, USES, references),
    Row(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, f"{ARRAY}[I_X, J] -> {ARRAY}[I, J]", highlight),
    Row(types.TEXT_DOCUMENT_PREPARE_RENAME, USES, renameable),
    Row(types.TEXT_DOCUMENT_RENAME, USES, rename),
    Row(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, USES, symbols),
    Row(types.TEXT_DOCUMENT_INLAY_HINT, "D[I_X, J_Y] · F[J_Y, K]", hints),
    Row(types.TEXT_DOCUMENT_CODE_ACTION, "D[I_dat, J] -> D[I, J]", quick_fix),
    Row(types.CODE_ACTION_RESOLVE, f"{ARRAY}[I, J_X] ·_LOCAL V[J_X, K] -> Q[I, K]", all_fixes, ("alone",)),
    Row(types.TEXT_DOCUMENT_FORMATTING, "D[I_X,J]", formatting, ("shard",)),
    Row(types.TEXT_DOCUMENT_RANGE_FORMATTING, "D[I_X,J]", range_formatting, ("shard",)),
    Row(types.TEXT_DOCUMENT_SELECTION_RANGE, USES, selection),
    Row(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, USES, tokens),
    Row(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, USES, tokens_in_range),
]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_feature_after_what_is_hard_to_count(encoding: str) -> None:
    """One session for all rows; the messages name those that fail."""

    async def play() -> list[str]:
        client = await CONFIG.start()
        failed = []
        try:
            agreed = await start(client, (encoding,))
            assert agreed.capabilities.position_encoding == encoding
            for row in TABLE:
                for name in row.documents:
                    language = "markdown" if name == "markdown" else "shard"
                    text = Text(client, DOCUMENTS[name].format(row.statement), None, language)
                    page = Page(text.open(), encoding)
                    try:
                        await asyncio.wait_for(row.check(page), 30)
                    except Exception as problem:  # also an assertion: the other rows are asked too
                        failed.append(f"{row.method} in {name}: {problem!r}")
            await client.shutdown_session()
        except BaseException:
            client._server.kill()  # it would be waited for
            raise
        finally:
            await client.stop()
        return failed

    assert asyncio.run(play()) == []


def test_every_feature_of_the_server_is_in_the_table() -> None:
    served = {method for method, _, _ in ANSWERS} | {types.CODE_ACTION_RESOLVE}
    others = {types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, types.TEXT_DOCUMENT_DID_CHANGE}
    assert {row.method for row in TABLE} == served | others


@pytest.mark.parametrize("name", ["shard", "markdown"])
def test_the_line_is_hard_to_count(name: str) -> None:
    text = DOCUMENTS[name].format(USES)
    assert len({position(text, text.index(USES), encoding).character for encoding in ENCODINGS}) == 3
