"""The language server with hostile texts, changes at places that are not there, and questions about them: each has an answer."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from random import Random
from typing import IO, Any

import pytest

from tests.fuzz.texts import numbered

pytest.importorskip("pygls", reason="pygls is not installed: pip install -e '.[dev]'")
ROOT = Path(__file__).parents[2]


def read_message(stream: IO[bytes]) -> dict[str, Any] | None:
    """Return the next message of a server, None at its end."""
    length = None
    while line := stream.readline().strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return None if length is None else json.loads(stream.read(length))


def message(**fields: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **fields}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def test_the_language_server_answers_whatever_is_typed() -> None:
    """Hostile texts are opened, changed at places that may not be there, and asked about; each request has an answer."""
    random = Random("language server")
    sent = [message(id=0, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})]
    sent.append(message(method="initialized", params={}))
    asked = 0
    kinds = (
        "hover",
        "completion",
        "definition",
        "references",
        "rename",
        "documentSymbol",
        "formatting",
        "semanticTokens/full",
    )
    for number in range(25):
        uri = f"untitled:{number}.{random.choice(('shard', 'md', 'py', 'tex'))}"
        place = {"line": random.choice((0, 0, 1, 5, 10**9)), "character": random.choice((0, 1, 7, 10**9))}
        text = numbered(9, number).text.encode("utf-8", "replace").decode()
        item = {"uri": uri, "languageId": "shard", "version": 1, "text": text}
        sent.append(message(method="textDocument/didOpen", params={"textDocument": item}))
        change = {
            "range": {"start": place, "end": place},
            "text": numbered(10, number).text[:100].encode("utf-8", "replace").decode(),
        }
        versioned = {"uri": uri, "version": 2}
        sent.append(
            message(method="textDocument/didChange", params={"textDocument": versioned, "contentChanges": [change]})
        )
        for kind in random.sample(kinds, 3):
            asked += 1
            params = {"textDocument": {"uri": uri}, "position": place, "newName": random.choice(("Q", " ", "é"))}
            params["context"] = {"includeDeclaration": True, "triggerKind": 1}
            params["options"] = {"tabSize": 4, "insertSpaces": True}
            sent.append(message(id=asked, method=f"textDocument/{kind}", params=params))
    command = [sys.executable, "-m", "shardlang", "lsp"]
    with (
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as server,
    ):
        late = threading.Timer(60, server.kill)
        late.start()
        assert server.stdin is not None
        assert server.stdout is not None
        writer = threading.Thread(target=lambda: (server.stdin.write(b"".join(sent)), server.stdin.flush()))
        writer.start()
        found = {}
        while len(found) <= asked and (answer := read_message(server.stdout)) is not None:
            if "id" in answer and "method" not in answer:
                found[answer["id"]] = answer
        writer.join()
        server.stdin.write(message(id=asked + 1, method="shutdown") + message(method="exit"))
        server.stdin.flush()
        server.wait(60)
        late.cancel()
    assert set(found) == set(range(asked + 1))
    internal = [answer for answer in found.values() if answer.get("error", {}).get("code") == -32603]
    assert internal == []
    assert server.returncode == 0
