"""Every feature of the server in a session, as an editor has it."""

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from shardlang.tools.lsp.convert import LEGEND
from tests.tools.lsp.session import CONFIG, Text, start

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLAN = """\
mesh X=4, Y=2            # two axes
hardware tpu-v5p
let B = 4096, D = 8192, F = 4*D
W_in: int8[D_X, F_Y]
In[B_X, D_Y] · W_in[D_X, F_Y] -> Tmp[B_X, F_Y]
Tmp[B_X, F_Y] · W_out[F_Y, D]
AllGather_X(Tmp[B_X, F_Y]) -> Tmp[B, F_Y]
"""


@pytest_lsp.fixture(config=CONFIG, scope="module")
async def client(lsp_client: LanguageClient):
    await start(lsp_client)
    yield
    await lsp_client.shutdown_session()


async def test_findings_come_with_code_page_labels_and_advice(client: LanguageClient) -> None:
    text = Text(client, "mesh X=4, Y=2\nA[I_X, J_X]\nA[I_Q, J] · B[J, K]\n").open()
    found = await text.findings()
    assert [finding.code for finding in found] == ["SL201", "SL203"]
    twice, unknown = found
    assert twice.severity == types.DiagnosticSeverity.Error
    assert twice.source == "shardlang"
    assert text.slice(twice.range) == "X"
    assert twice.range.start == text.place("X]")
    assert [text.slice(label.location.range) for label in twice.related_information] == ["X"]
    assert twice.related_information[0].location.range.start == text.place("X, J_X")
    assert twice.code_description.href.startswith("file:///")
    assert twice.code_description.href.endswith("SL201.md")
    assert "help: " in unknown.message


async def test_findings_follow_the_text(client: LanguageClient) -> None:
    text = Text(client, "mesh X=4\nA[I_X, J_X]\n").open()
    assert len(await text.findings()) == 1
    text.change("mesh X=4\nA[I_X, J]\n")
    assert await text.findings() == []
    text.change("mesh X=4\nA[I_X, J\n")
    assert [finding.code for finding in await text.findings()] == ["SL102"]


async def test_changes_that_follow_closely_are_checked_once_and_the_last_one_counts(client: LanguageClient) -> None:
    text = Text(client, "mesh X=4\n").open()
    for letters in ("A", "A[", "A[I_", "A[I_X, J_X", "A[I_X, J]"):
        text.change(f"mesh X=4\n{letters}\n")
    assert await text.findings() == []


async def test_an_idle_size_is_marked_as_unnecessary(client: LanguageClient) -> None:
    text = Text(client, "mesh X=4\nA[I_X, J]{U_X} -> A[I_X, J]{U_X}\nCollectivePermute_X(A[I_X]) -> A[I_X]\n").open()
    tags = {finding.code: finding.tags for finding in await text.findings()}
    assert list(tags["SL310"]) == [types.DiagnosticTag.Unnecessary]


async def test_hover_on_an_array_tells_its_block_its_bytes_and_its_state(client: LanguageClient) -> None:
    text = Text(client, PLAN).open()
    found = await client.text_document_hover_async(types.HoverParams(**text.at("In[B_X", 1)))
    value = found.contents.value
    assert text.slice(found.range) == "In"
    assert "In[B_X, D_Y]" in value
    assert "[1024, 4096]" in value  # 4096/4 and 8192/2
    assert "8.389 MB" in value  # 1024 · 4096 · 2 bytes
    assert "| `X` | 4 | sharded: blocks of `B` |" in value
    pending = Text(client, "mesh X=4, Y=2\nC[I, K]{U_Y} · D[K] -> E[I]{U_Y}\n").open()
    found = await client.text_document_hover_async(types.HoverParams(**pending.at("C[I")))
    assert "| `X` | 4 | replicated" in found.contents.value
    assert "| `Y` | 2 | unreduced" in found.contents.value
    assert "`2·I·K` bytes" in found.contents.value


async def test_hover_on_an_arrow_tells_steps_and_costs(client: LanguageClient) -> None:
    text = Text(client, PLAN).open()
    found = await client.text_document_hover_async(types.HoverParams(**text.at("-> Tmp[B_X, F_Y]\n")))
    value = found.contents.value
    assert "AllGather" in value
    assert "T_math" in value
    assert "T_comms" in value


async def test_hover_on_the_rest(client: LanguageClient) -> None:
    text = Text(client, PLAN).open()

    async def told(words: str, shift: int = 0) -> str:
        return (await client.text_document_hover_async(types.HoverParams(**text.at(words, shift)))).contents.value

    assert "mesh axis, 4 devices" in await told("X=4")
    assert "180 GB/s" in await told("Y=2")  # W_ici of a TPU v5p
    assert "size 8\u202f192" in await told("D = 8192")
    assert "`let F = 4*D`" in await told("F_Y]\nIn")
    assert "459 TFLOP/s" in await told("tpu-v5p", 5)
    assert "1 byte" in await told("int8")
    gather = await told("AllGather_X(")
    assert "removes a mesh axis" in gather
    assert "AllGather_X Tmp[B_X, F_Y] -> Tmp[B, F_Y]" in gather
    assert await client.text_document_hover_async(types.HoverParams(**text.at("# two axes", 3))) is None


async def test_completion_knows_what_may_stand_where(client: LanguageClient) -> None:
    async def offered(line: str, text: str = PLAN) -> list[str]:
        opened = Text(client, text + line).open()
        place = {"text_document": opened.identifier, "position": opened.place(text + line, len(text + line))}
        return [
            item.label for item in (await client.text_document_completion_async(types.CompletionParams(**place))).items
        ]

    assert await offered("Q[B_") == ["X", "Y"]
    assert await offered("Q[B_{X") == ["X", "Y"]
    assert await offered("Q[B]{U_") == ["X", "Y"]
    assert (await offered("Tmp["))[:2] == ["B", "F"]
    assert {"tpu-v5p", "h100"} <= set(await offered("hardware "))
    assert {"bf16", "int8"} <= set(await offered("dtype "))
    assert {"bf16", "int8"} <= set(await offered("V: "))
    start_of_line = await offered("")
    assert {"mesh", "let", "AllGather", "gelu", "In[B_X, D_Y]"} <= set(start_of_line)
    assert {"X", "Y", "B", "D"} <= set(await offered("AllGather_"))
    assert "LOCAL" in await offered("In[B, D] ·_")
    assert await offered("# mesh ") == []


async def test_a_completion_replaces_what_was_typed_of_it(client: LanguageClient) -> None:
    text = Text(client, "mesh data=4\nA[I_da").open()
    params = types.CompletionParams(**text.at("A[I_da", 6))
    (item,) = (await client.text_document_completion_async(params)).items
    assert text.edited([item.text_edit]) == "mesh data=4\nA[I_data"


async def test_definition_leads_to_where_a_thing_is_made_or_declared(client: LanguageClient) -> None:
    text = Text(client, PLAN).open()

    async def leads(words: str, shift: int = 0) -> types.Position:
        found = await client.text_document_definition_async(types.DefinitionParams(**text.at(words, shift)))
        assert found.uri == text.uri
        return found.range.start

    assert await leads("Tmp[B_X, F_Y] · W_out") == text.place("Tmp[B_X, F_Y]\nTmp")
    assert await leads("W_in[D_X, F_Y] ->") == text.place("W_in: int8")
    assert await leads("_X, D_Y", 1) == text.place("X=4")
    assert await leads("D_Y]") == text.place("D = 8192")
    assert await leads("In[B_X") == text.place("In[B_X")
    params = types.DefinitionParams(**text.at("# two"))
    assert await client.text_document_definition_async(params) is None


async def test_references_stay_in_their_namespace(client: LanguageClient) -> None:
    text = Text(client, "mesh X=4, Y=2\nlet X = 8\nX[X_X, Y] · B[Y_Y, K] -> C[X_X, K]\n").open()

    async def places(words: str, shift: int, declaration: bool = True) -> list[types.Position]:
        context = types.ReferenceContext(declaration)
        params = types.ReferenceParams(context=context, **text.at(words, shift))
        return [found.range.start for found in await client.text_document_references_async(params)]

    array = text.place("X[X_X")
    assert await places("X[X_X", 0) == [array]
    assert await places("[X_X, Y]", 1) == [text.place("X = 8"), text.place("X_X, Y]"), text.place("X_X, K]")]
    assert await places("[X_X, Y]", 3) == [text.place("X=4"), text.place("X, Y] ·"), text.place("X, K]")]
    assert await places("[X_X, Y]", 3, False) == [text.place("X, Y] ·"), text.place("X, K]")]
    lit = await client.text_document_document_highlight_async(types.DocumentHighlightParams(**text.at("C[X")))
    assert [(found.range.start, found.kind) for found in lit] == [
        (text.place("C[X"), types.DocumentHighlightKind.Write)
    ]


async def test_rename_in_three_namespaces(client: LanguageClient) -> None:
    text = Text(client, "mesh X=4, Y=2\nlet X = 8\nX[X_{XY}, J] · B[J, K] -> C[X_XY, K]\n").open()

    async def renamed(words: str, shift: int, new: str) -> str:
        params = types.RenameParams(new_name=new, **text.at(words, shift))
        return text.changed(await client.text_document_rename_async(params))

    head = "mesh X=4, Y=2\nlet X = 8\n"
    assert await renamed("X[X_", 0, "H") == f"{head}H[X_{{XY}}, J] · B[J, K] -> C[X_XY, K]\n"
    assert await renamed("X = 8", 0, "T") == "mesh X=4, Y=2\nlet T = 8\nX[T_{XY}, J] · B[J, K] -> C[T_XY, K]\n"
    axis = await renamed("X=4", 0, "data")
    assert axis == "mesh data=4, Y=2\nlet X = 8\nX[X_{data,Y}, J] · B[J, K] -> C[X_{data,Y}, K]\n"
    here = await client.text_document_prepare_rename_async(types.PrepareRenameParams(**text.at("X=4")))
    assert (here.placeholder, text.slice(here.range)) == ("X", "X")
    nothing = await client.text_document_prepare_rename_async(types.PrepareRenameParams(**text.at("mesh")))
    assert nothing is None


@pytest.mark.parametrize(
    ("words", "new", "reason"),
    [
        ("X=4", "Y", "already"),
        ("A[I_X", "B", "already"),
        ("J]", "I", "already"),
        ("X=4", "2x", "no name"),
        ("J]", "J_X", "something else"),
        ("mesh", "net", "no array"),
    ],
    ids=["axis", "array", "dimension", "number", "subscript", "keyword"],
)
async def test_rename_refuses_what_would_clash(client: LanguageClient, words: str, new: str, reason: str) -> None:
    text = Text(client, "mesh X=4, Y=2\nA[I_X, J] · B[J, K] -> C[I_X, K]\n").open()
    with pytest.raises(JsonRpcException, match=reason):
        await client.text_document_rename_async(types.RenameParams(new_name=new, **text.at(words)))


async def test_symbols_are_what_is_declared_and_made(client: LanguageClient) -> None:
    text = Text(client, PLAN).open()
    found = await client.text_document_document_symbol_async(types.DocumentSymbolParams(text.identifier))
    assert [(symbol.name, symbol.detail) for symbol in found][:5] == [
        ("mesh", "X, Y"),
        ("tpu-v5p", "hardware"),
        ("let", "B, D, F"),
        ("W_in", "int8[D_X, F_Y]"),
        ("Tmp", "[B_X, F_Y]"),
    ]
    assert [(inner.name, inner.detail) for inner in found[0].children] == [("X", "4"), ("Y", "2")]
    assert [inner.name for inner in found[2].children] == ["B", "D", "F"]


async def test_inlay_hints_show_the_output_and_the_collectives(client: LanguageClient) -> None:
    text = Text(client, "mesh X=4, Y=2\nA[I, J_X] · B[J_X, K]  # bare\nA[I, J_X] · B[J, K] -> C[I, K]\n").open()
    found = await client.text_document_inlay_hint_async(types.InlayHintParams(text.identifier, text.whole))
    output, gather = found
    assert output.label.endswith("[I, K]{U_X}")
    assert output.label.startswith("-> ")
    assert output.position == text.place("  # bare")
    assert gather.label == "AllGather_X A"
    assert gather.position == types.Position(2, len("A[I, J_X] · B[J, K] -> C[I, K]"))
    first = types.Range(types.Position(0, 0), types.Position(0, 5))
    assert not await client.text_document_inlay_hint_async(types.InlayHintParams(text.identifier, first))


async def test_quick_fixes_are_the_verified_ones(client: LanguageClient) -> None:
    text = Text(client, "mesh data=4, model=2\nA[I_dat, J] · B[J, K] -> C[I_data, K]\n").open()
    (finding,) = await text.findings()
    params = types.CodeActionParams(text.identifier, finding.range, types.CodeActionContext([finding]))
    offered = await client.text_document_code_action_async(params)
    fix = next(action for action in offered if action.kind == types.CodeActionKind.QuickFix)
    assert not fix.is_preferred  # it guesses at another meaning
    assert fix.diagnostics[0].code == finding.code
    text.change(text.changed(fix.edit))
    assert text.text == "mesh data=4, model=2\nA[I_data, J] · B[J, K] -> C[I_data, K]\n"
    assert await text.findings() == []


async def test_a_finding_can_be_ignored(client: LanguageClient) -> None:
    text = Text(client, "mesh X=4\nA[I, J] -> C[I]\n").open()
    (finding,) = await text.findings()
    assert finding.code == "SL215"
    params = types.CodeActionParams(text.identifier, finding.range, types.CodeActionContext([finding]))
    offered = await client.text_document_code_action_async(params)
    ignore = next(action for action in offered if action.title.startswith("Ignore"))
    text.change(text.changed(ignore.edit))
    assert "# shardlang: ignore[SL215]" in text.text
    assert await text.findings() == []


MISSING_ALLREDUCE = "mesh X=4\nZ[B, F_X] ·_LOCAL W[F_X, D] -> Out[B, D]\n"


async def test_a_safe_fix_is_preferred(client: LanguageClient) -> None:
    text = Text(client, MISSING_ALLREDUCE).open()
    (finding,) = await text.findings()
    params = types.CodeActionParams(text.identifier, finding.range, types.CodeActionContext([finding]))
    offered = await client.text_document_code_action_async(params)
    assert next(action.is_preferred for action in offered if action.kind == types.CodeActionKind.QuickFix)


async def test_fix_all_makes_the_safe_fixes(client: LanguageClient) -> None:
    import shardlang

    text = Text(client, MISSING_ALLREDUCE).open()
    assert [finding.severity for finding in await text.findings()] == [types.DiagnosticSeverity.Error]
    context = types.CodeActionContext([], only=["source.fixAll"])
    params = types.CodeActionParams(text.identifier, text.whole, context)
    (action,) = await client.text_document_code_action_async(params)
    assert action.kind == "source.fixAll.shardlang"
    assert action.edit is None  # it is run first, and only when it is chosen
    resolved = await client.code_action_resolve_async(action)
    fixed = text.changed(resolved.edit)
    assert fixed != text.text
    assert shardlang.verify(fixed).ok


async def test_fixes_that_guess_are_not_among_all_fixes(client: LanguageClient) -> None:
    text = Text(client, "mesh data=4\nA[I_dat, J] -> A[I, J]\n").open()
    context = types.CodeActionContext([], only=["source.fixAll"])
    params = types.CodeActionParams(text.identifier, text.whole, context)
    assert not await client.text_document_code_action_async(params)


async def test_formatting_is_canonical_and_keeps_comments(client: LanguageClient) -> None:
    text = Text(client, "mesh {X: 4}\n# why\nA[I_X,J]*B[J,K]->C[I_X,K]   # what\n").open()
    options = types.FormattingOptions(4, True)
    edits = await client.text_document_formatting_async(types.DocumentFormattingParams(text.identifier, options))
    assert text.edited(edits) == "mesh X=4\n# why\nA[I_X, J] · B[J, K] -> C[I_X, K]  # what\n"
    broken = Text(client, "mesh X=4\nA[I_X,J\n").open()
    assert not await client.text_document_formatting_async(types.DocumentFormattingParams(broken.identifier, options))


async def test_semantic_tokens_tell_arrays_dimensions_axes_and_the_rest(client: LanguageClient) -> None:
    text = Text(client, "mesh X=4 ring  # c\nX: int8[X_X, J]\nAllGather_X(X[X_X, J]) → X[X, J]\nhalf[I_X\n").open()
    legend = list(LEGEND.token_types)
    found = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(text.identifier))
    tokens = _decoded(found.data, legend, text.text)
    assert tokens[:6] == [
        ("mesh", "keyword"),
        ("X", "enumMember"),
        ("=", "operator"),
        ("4", "number"),
        ("ring", "enum"),
        ("# c", "comment"),
    ]
    assert tokens[6:11] == [
        ("X", "variable"),
        ("int8", "type"),
        ("X", "parameter"),
        ("X", "enumMember"),
        ("J", "parameter"),
    ]
    assert tokens[11:13] == [("AllGather", "macro"), ("X", "enumMember")]
    assert ("→", "operator") in tokens
    assert tokens[-3:] == [("half", "variable"), ("I", "parameter"), ("X", "enumMember")]
    second = types.Range(types.Position(1, 0), types.Position(1, 3))
    params = types.SemanticTokensRangeParams(text.identifier, second)
    part = await client.text_document_semantic_tokens_range_async(params)
    assert _decoded(part.data, legend, text.text) == [("X", "variable")]


def _decoded(data: list[int], legend: list[str], text: str) -> list[tuple[str, str]]:
    lines = text.split("\n")
    line = column = 0
    found = []
    for at in range(0, len(data), 5):
        down, right, length, kind, _ = data[at : at + 5]
        line, column = line + down, right + (0 if down else column)
        found.append((lines[line][column : column + length], legend[kind]))
    return found


async def test_blocks_of_markdown_are_checked_where_they_are(client: LanguageClient) -> None:
    prose = "# Plan\n\nText with A[1] in it.\n\n```shard\nmesh X=4\nA[I_X, J_X]\n```\n\n```python\nx[0] -> y\n```\n"
    text = Text(client, prose, name="notes.md", language="markdown").open()
    (finding,) = await text.findings()
    assert finding.code == "SL201"
    assert finding.range.start == text.place("X]")
    hover = types.HoverParams(**text.at("A[I_X"))
    assert "A[I_X" in (await client.text_document_hover_async(hover)).contents.value
    inside = types.CompletionParams(**text.at("J_X]", 2))
    assert [item.label for item in (await client.text_document_completion_async(inside)).items] == ["X"]
    outside = types.CompletionParams(**text.at("Text with", 4))
    assert list((await client.text_document_completion_async(outside)).items) == []


async def test_blocks_of_markdown_are_formatted_and_prose_is_not(client: LanguageClient) -> None:
    text = Text(client, "A  *  B\n\n```shard\nmesh X=4\nA[I_X,J]  # c\n```\n", "notes2.md", "markdown").open()
    options = types.FormattingOptions(4, True)
    edits = await client.text_document_formatting_async(types.DocumentFormattingParams(text.identifier, options))
    assert text.edited(edits) == "A  *  B\n\n```shard\nmesh X=4\nA[I_X, J]  # c\n```\n"


async def test_a_closed_text_is_answered_with_null(client: LanguageClient) -> None:
    text = Text(client, PLAN).open()
    await text.findings()
    text.close()
    assert await client.text_document_hover_async(types.HoverParams(**text.at("In["))) is None
    assert await client.text_document_completion_async(types.CompletionParams(**text.at("In["))) is None
    assert await client.text_document_rename_async(types.RenameParams(new_name="Z", **text.at("In["))) is None
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(text.identifier))
    assert symbols is None


async def test_closing_takes_the_findings_away(client: LanguageClient) -> None:
    text = Text(client, "mesh X=4\nA[I_X, J_X]\n").open()
    assert await text.findings()
    client.diagnostics.pop(text.uri)
    text.close()
    assert await text.findings() == []
