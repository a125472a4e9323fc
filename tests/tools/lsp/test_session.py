"""How a session starts, what it agrees on, and what it survives."""

import asyncio
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.tools.lsp.session import CONFIG, Text, position, start
from tests.tools.lsp.test_documents import LONG

STRANGE = "mesh X=4, Y=2\nA[I_X, J] · Q[J, K] → C[I_X, K]  # 😀 →\t😀 Q[J_Y, J_Y]\n\t# 🚀\n\tÄ[I_X, J] · 𝔹[J, K] → 𝔻[I_Q, K]\n"


def run(scenario: Callable[[LanguageClient], Awaitable[None]], *arguments: Any, **keywords: Any) -> None:
    """Start a server, say hello, play a scenario, and end the session."""

    async def play() -> None:
        client = await CONFIG.start()
        try:
            client.agreed = await start(client, *arguments, **keywords)
            await asyncio.wait_for(scenario(client), 45)
            await client.shutdown_session()
        except BaseException:
            client._server.kill()  # it would be waited for
            raise
        finally:
            await client.stop()

    asyncio.run(play())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
def test_columns_after_dots_arrows_emoji_and_tabs(encoding: str) -> None:
    async def scenario(client: LanguageClient) -> None:
        assert client.agreed.capabilities.position_encoding == encoding
        text = Text(client, STRANGE).open()
        (finding,) = await text.findings()
        at = STRANGE.index("I_Q") + 2
        assert finding.range == types.Range(position(STRANGE, at, encoding), position(STRANGE, at + 1, encoding))
        place = position(STRANGE, STRANGE.index("𝔻[I_Q"), encoding)
        hover = await client.text_document_hover_async(types.HoverParams(text.identifier, place))
        after = position(STRANGE, STRANGE.index("𝔻[I_Q") + 1, encoding)
        assert hover.range == types.Range(place, after)

    run(scenario, (encoding,))


def test_the_first_encoding_that_both_know_is_agreed_on() -> None:
    async def scenario(client: LanguageClient) -> None:
        assert client.agreed.capabilities.position_encoding == "utf-8"

    run(scenario, ("utf-7", "utf-8", "utf-16"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
def test_edits_and_tokens_after_wide_characters(encoding: str) -> None:
    source = "mesh X=4\n\tA[I_X, J]·B[J, K] → C[I_X, K]  # 😀\n# 😀\nlet I = 8\n"

    async def scenario(client: LanguageClient) -> None:
        text = Text(client, source).open()
        where = position(source, source.index("K] →"), encoding)
        change = await client.text_document_rename_async(types.RenameParams(text.identifier, where, "Kö"))
        edits = change.document_changes[0].edits
        starts = [position(source, match.start(), encoding) for match in re.finditer(r"K(?=\])", source)]
        assert [edit.range.start for edit in edits] == starts
        tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(text.identifier))
        comment = source.index("# 😀")
        end = source.index("\n", comment)
        places = _places(list(tokens.data))
        wide = position(source, end, encoding).character - position(source, comment, encoding).character
        assert (*_pair(position(source, comment, encoding)), wide) in places
        assert (*_pair(position(source, source.index("→"), encoding)), _width("→", encoding)) in places

    run(scenario, (encoding,))


def _pair(place: types.Position) -> tuple[int, int]:
    return place.line, place.character


def _width(text: str, encoding: str) -> int:
    return position(text, len(text), encoding).character


def _places(data: list[int]) -> list[tuple[int, int, int]]:
    line = column = 0
    found = []
    for at in range(0, len(data), 5):
        line, column = line + data[at], data[at + 1] + (0 if data[at] else column)
        found.append((line, column, data[at + 2]))
    return found


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_lines_end_as_the_protocol_says(ending: str) -> None:
    async def scenario(client: LanguageClient) -> None:
        text = Text(client, ending.join(["mesh X=4", "# a\x0cb\x85c\u2028d", "A[I_X, J_X]", ""])).open()
        found = [finding for finding in await text.findings() if finding.code == "SL201"]
        assert [finding.range.start for finding in found] == [types.Position(2, 9)]

    run(scenario)


def test_a_byte_order_mark_counts_for_the_editor() -> None:
    async def scenario(client: LanguageClient) -> None:
        (finding,) = await Text(client, "\ufeffA[I_X, J_X]\n").open().findings()
        assert finding.range.start == types.Position(0, 10)

    run(scenario)


HOSTILE = [
    "",
    "\x00",
    "[" * 5000,
    "A[" * 3000,
    "A[I_" + "X" * 5000 + "]",
    "let A = B, B = A\nlet C = 9**9**9**9",
    "mesh " + ", ".join(f"X{i}=2" for i in range(200)),
    "\u202eA[I_X]\u2066 → \u200b\ufeff",
    "$" * 2000 + "\\text{" * 500,
    "A[I_X, J] ·_LOCAL",
    "AllGather_{X,",
    "A\ud800[I_X]\udc00",
    "a\r\n" * 2000,
    "<sub>" * 1000,
    "·" * 3000,
    "x: " * 2000,
]


def test_hostile_and_half_typed_texts_do_not_end_the_session() -> None:
    async def scenario(client: LanguageClient) -> None:
        for number, hostile in enumerate(HOSTILE):
            text = Text(client, hostile, language=("shard", "markdown")[number % 2]).open()
            await text.findings()
            for line, column in ((0, 0), (0, 3), (10**6, 10**6)):
                place = {"text_document": text.identifier, "position": types.Position(line, column)}
                await client.text_document_hover_async(types.HoverParams(**place))
                await client.text_document_completion_async(types.CompletionParams(**place))
                await client.text_document_definition_async(types.DefinitionParams(**place))
                await client.text_document_prepare_rename_async(types.PrepareRenameParams(**place))
            await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(text.identifier))
            await client.text_document_document_symbol_async(types.DocumentSymbolParams(text.identifier))
            await client.text_document_inlay_hint_async(types.InlayHintParams(text.identifier, text.whole))
            options = types.FormattingOptions(4, True)
            await client.text_document_formatting_async(types.DocumentFormattingParams(text.identifier, options))
            context = types.CodeActionContext([])
            await client.text_document_code_action_async(types.CodeActionParams(text.identifier, text.whole, context))
        (finding,) = await Text(client, "mesh X=4\nA[I_X, J_X]\n").open().findings()
        assert finding.code == "SL201"
        assert client.messages == []

    run(scenario)


def test_each_prefix_of_a_plan_is_answered() -> None:
    plan = (
        "mesh X=4, Y=2\nlet D = 8\nW: int8[D_X, F]\nIn[B, D_{XY}]{U_X} · W[D, F] → Z[B, F]\nAllGather_{X,D}(W[D_X, F])"
    )

    async def scenario(client: LanguageClient) -> None:
        text = Text(client, "").open()
        for length in range(len(plan) + 1):
            text.change(plan[:length])
            place = position(plan, length)
            params = types.CompletionParams(text.identifier, place)
            assert await client.text_document_completion_async(params) is not None
        assert await text.findings() is not None

    run(scenario)


def test_what_is_no_message_does_not_end_the_session() -> None:
    """Garbage between two good messages, on the wire."""
    server = subprocess.Popen(CONFIG.server_command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"capabilities": {}, "processId": None, "rootUri": None},
    }
    hover = {"textDocument": {"uri": "untitled:x"}, "position": {"line": "one"}}
    bodies = [
        json.dumps(hello).encode(),
        b"{not json",
        b'{"jsonrpc": "2.0", "id": 7}',
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": hover}).encode(),
        json.dumps({"jsonrpc": "2.0", "id": "five", "method": "textDocument/rename", "params": 3}).encode(),
        json.dumps({"jsonrpc": "2.0", "id": 3, "method": "no/such", "params": {}}).encode(),
        json.dumps({"jsonrpc": "2.0", "id": 4, "method": "shutdown"}).encode(),
        json.dumps({"jsonrpc": "2.0", "method": "exit"}).encode(),
    ]
    sent = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    out, _ = server.communicate(sent, timeout=30)
    assert b'"id": 1' in out
    assert b'"id": 4' in out
    answers = [json.loads(part[: part.rindex("}") + 1]) for part in out.decode().split("\r\n\r\n")[1:]]
    refused = {answer["id"]: answer["error"]["code"] for answer in answers if "error" in answer}
    assert refused == {2: -32602, "five": -32602, 3: -32601}  # InvalidParams, MethodNotFound of JSON-RPC 2.0
    assert server.returncode == 0


def _hover(text: Text) -> types.HoverParams:
    return types.HoverParams(text.identifier, types.Position(1, 0))


def test_a_request_that_is_cancelled_is_answered_at_once() -> None:
    """The check that it waits for takes seconds; what is asked of another text has an answer when that is done."""

    async def scenario(client: LanguageClient) -> None:
        asked = client.protocol.send_request_async(types.TEXT_DOCUMENT_HOVER, _hover(Text(client, LONG).open()), "one")
        asked = asyncio.ensure_future(asked)
        await asyncio.sleep(0)
        client.cancel_request(types.CancelParams("one"))
        with pytest.raises(JsonRpcException) as refused:
            await asked
        assert refused.value.code == -32800  # RequestCancelled

    run(scenario)


def test_a_newer_version_is_not_kept_waiting_and_what_was_asked_of_the_older_one_is_refused() -> None:
    async def scenario(client: LanguageClient) -> None:
        text = Text(client, LONG).open()
        asked = asyncio.ensure_future(client.text_document_hover_async(_hover(text)))
        await asyncio.sleep(0)
        text.change("mesh X=4\nA[I_X]\n")
        with pytest.raises(JsonRpcException) as refused:
            await asked
        assert refused.value.code == -32801  # ContentModified
        assert "A[I_X]" in (await client.text_document_hover_async(_hover(text))).contents.value
        assert await text.findings() == []

    run(scenario)


def test_a_language_without_plans_is_left_alone_and_python_is_read_as_python() -> None:
    async def scenario(client: LanguageClient) -> None:
        other = Text(client, "#include <stdio.h>\nint A[I_X, J_X];\n", "untitled:one", "cpp").open()
        report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(other.identifier))
        assert (report.kind, list(report.items)) == ("full", [])
        other.edit(0, 1, "A")
        assert await client.text_document_hover_async(types.HoverParams(other.identifier, types.Position(1, 4))) is None
        python = Text(
            client, 'X = A[I_X, J_X]\n"""\n```shard\nmesh X=4\nA[I_X, J_X]\n```\n"""\n', "untitled:two", "python"
        )
        report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(python.open().identifier))
        assert [(found.code, found.range.start.line) for found in report.items] == [("SL201", 4)]

    run(scenario, pulls=True)


def test_an_editor_that_asks_for_findings_is_not_sent_them_too() -> None:
    async def scenario(client: LanguageClient) -> None:
        text = Text(client, "mesh X=4\nA[I_X, J_X]\n").open()

        async def asked() -> list[str]:
            report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(text.identifier))
            assert report.kind == "full"
            return [found.code for found in report.items]

        assert await asked() == ["SL201"]
        text.edit(len("mesh X=4\nA[I_X, J"), len("mesh X=4\nA[I_X, J_X"), "")
        assert await asked() == []
        text.close()
        assert client.diagnostics == {}

    run(scenario, pulls=True)


# -- settings ----------------------------------------------------------------------------------------


def test_settings_at_the_start_hold_where_the_text_says_nothing() -> None:
    async def scenario(client: LanguageClient) -> None:
        (finding,) = await Text(client, "A[I_Q]\n").open().findings()
        assert "`data`" in finding.message
        assert await Text(client, "mesh Q=2\nA[I_Q]\n").open().findings() == []
        assert client.messages == []

    run(scenario, initialization_options={"mesh": {"data": 8}, "hardware": "", "sizes": None})


def test_settings_that_cannot_be_used_are_told_once_and_left_out() -> None:
    async def scenario(client: LanguageClient) -> None:
        for _ in range(3):
            assert await Text(client, "A[I_Q]\n").open().findings() == []
        said = [message.message for message in client.messages]
        assert len(said) == 2
        assert any("mesh" in message and "positive" in message for message in said)
        assert any("Did you mean 'hardware'?" in message for message in said)

    run(scenario, initialization_options={"mesh": "X=-4", "hardwar": "tpu-v5p"})


def test_settings_may_change() -> None:
    async def scenario(client: LanguageClient) -> None:
        text = Text(client, "A[I_Q]\n").open()
        assert await text.findings() == []
        client.diagnostics.pop(text.uri)
        changed = types.DidChangeConfigurationParams({"shardlang": {"mesh": "X=4", "inlayHints": {"output": False}}})
        client.workspace_did_change_configuration(changed)
        (finding,) = await text.findings()
        assert finding.code == "SL203"
        bare = Text(client, "A[I, J_X] · B[J_X, K]\n").open()
        assert not await client.text_document_inlay_hint_async(types.InlayHintParams(bare.identifier, bare.whole))

    run(scenario)


def test_hints_and_findings_are_asked_for_anew_and_projects_watched_where_the_editor_can() -> None:
    async def play() -> None:
        client = await CONFIG.start()
        refreshed, watched = asyncio.Event(), asyncio.Event()

        @client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)
        def refresh(_params: Any) -> None:
            refreshed.set()

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            (registration,) = params.registrations
            assert registration.method == "workspace/didChangeWatchedFiles"
            watched.set()

        try:
            await start(client, asked=True, pulls=True)
            client.workspace_did_change_configuration(
                types.DidChangeConfigurationParams({"shardlang": {"mesh": "X=4"}})
            )
            await asyncio.wait_for(asyncio.gather(refreshed.wait(), watched.wait()), 30)
            await client.shutdown_session()
            assert client.diagnostic_refresh_count > 0
        except BaseException:
            client._server.kill()
            raise
        finally:
            await client.stop()

    asyncio.run(play())


def test_settings_are_asked_for_where_the_editor_answers() -> None:
    async def scenario(client: LanguageClient) -> None:
        client.set_configuration({"shardlang": {"mesh": "X=4"}})
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        for _ in range(100):
            text = Text(client, "A[I_Q]\n").open()
            if await text.findings():
                break
        assert [finding.code for finding in await text.findings()] == ["SL203"]

    run(scenario)


def test_the_project_above_the_file_comes_first(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.shardlang]\nmesh = { model = 2 }\nignore = ["SL215"]\n', "utf-8")
    (tmp_path / "plans").mkdir()

    async def scenario(client: LanguageClient) -> None:
        text = Text(client, "A[I_Q] -> B[]\n", name=(tmp_path / "plans" / "a.shard").as_uri()).open()
        (finding,) = await text.findings()
        assert "`model`" in finding.message
        (tmp_path / "pyproject.toml").write_text("[tool.shardlang]\nmesh = 4\n", "utf-8")
        client.diagnostics.pop(text.uri)
        event = types.FileEvent((tmp_path / "pyproject.toml").as_uri(), types.FileChangeType.Changed)
        client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        assert any("`data`" in finding.message for finding in await text.findings())
        assert any("pyproject.toml" in message.message for message in client.messages)

    run(scenario, initialization_options={"mesh": {"data": 8}})


def test_an_editor_that_cannot_resolve_gets_the_whole_action() -> None:
    async def scenario(client: LanguageClient) -> None:
        text = Text(client, "mesh X=4\nZ[B, F_X] ·_LOCAL W[F_X, D] -> Out[B, D]\n").open()
        context = types.CodeActionContext([], only=["source.fixAll.shardlang"])
        params = types.CodeActionParams(text.identifier, text.whole, context)
        (action,) = await client.text_document_code_action_async(params)
        assert action.edit is not None

    run(scenario, resolve=False)


# -- starting ----------------------------------------------------------------------------------------


def test_a_port_instead_of_pipes() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "shardlang", "lsp", "--tcp", str(port)])
    try:
        body = json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {"capabilities": {}, "processId": None, "rootUri": None},
            }
        ).encode()
        for _ in range(100):
            try:
                connection = socket.create_connection(("127.0.0.1", port), timeout=10)
                break
            except OSError:
                time.sleep(0.1)
        with connection:
            connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            answer = b""
            while b"capabilities" not in answer:
                part = connection.recv(65536)
                assert part
                answer += part
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--tcp", "here"], "is no port"), (["--tcp", "99999"], "is no port"), (["--stdio", "--tcp", "2087"], "not both")],
)
def test_wrong_usage_is_told(arguments: list[str], words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "shardlang", "lsp", *arguments], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 2
    assert words in done.stderr


def test_a_long_text_is_checked_again_after_each_change() -> None:
    """Five hundred lines; tests/bench/lsp_latency.py measures how long it takes."""
    lines = [f"H{i}[B_X, F_Y] = In{i}[B_X, D] · W{i}[D, F_Y]" for i in range(498)]

    async def scenario(client: LanguageClient) -> None:
        text = Text(client, "\n".join(["mesh X=4, Y=2", "let B = 4096, D = 8192", *lines, ""])).open()
        assert await text.findings() == []
        for broken in ("B_X, B_X", "B_X, F_Y"):
            text.change(
                text.text.replace("H250[B_X, F_Y]" if broken == "B_X, B_X" else "H250[B_X, B_X]", f"H250[{broken}]")
            )
            assert bool(await text.findings()) == (broken == "B_X, B_X")

    run(scenario)
