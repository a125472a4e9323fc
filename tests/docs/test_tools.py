"""The set-ups in docs/tools are copied from the pages, and run."""

import json
import threading
import tomllib
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

import shardlang
from shardlang.api.project import settings_for
from tests.docs.sessions import ROOT, fences

TOOLS = ROOT / "docs" / "tools"


def blocks(page, language):
    return [fence.text for fence in fences((TOOLS / f"{page}.md").read_text("utf-8"), language)]


def test_settings_can_be_used(tmp_path):
    plan, chips = blocks("settings", "toml")
    (tmp_path / "pyproject.toml").write_text(plan, "utf-8")
    text = "AllGather_X A[B_X, D] -> A[B, D]"
    report = shardlang.check(text, **settings_for(tmp_path / "a.shard"))
    assert report.statements[0].steps[0].bytes_received == 1024 * 8192 * 2 * 15 / 16
    report = shardlang.check(text, **settings_for(tmp_path / "plans" / "big" / "a.shard"))
    assert report.statements[0].steps[0].bytes_received == 1024 * 8192 * 2 * 31 / 32
    (tmp_path / "pyproject.toml").write_text(chips, "utf-8")
    priced = shardlang.cost(
        "A[I, J] · B[J, K] -> C[I, K]", sizes="I=10,J=10,K=10", **settings_for(tmp_path / "a.shard")
    )
    assert priced.value(priced.t_math) == pytest.approx(2 * 10**3 / 4.0e14)
    assert tomllib.loads(chips)["tool"]["shardlang"]["hardware"]["mine"]["ici"]["one_way_per_link"] == 9.0e10


@pytest.fixture
def server():
    (program,) = blocks("server", "python")
    names = {"__name__": "server"}
    exec(compile(program, "server.md", "exec"), names)  # noqa: S102 a page of this repository
    running = names["make_server"](0)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}/"
    running.shutdown()
    running.server_close()
    thread.join()


def test_the_server_answers(server):
    def ask(body):
        with urllib.request.urlopen(server, data=body, timeout=60) as answer:
            return json.load(answer)

    bodies = [
        b"A[I_X, J] -> A[I, J]",
        b"A[I_X, J_X]",
        b"\xff\xfe\x00",
        b"A[I]\n" * 1000,
        b"[" * 50_000,
        b"A[I]\n",
        b"x",
    ]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask, bodies * 3))
    assert (
        answers
        == [shardlang.check(body, limits={"max_chars": 20_000, "max_statements": 200}).to_dict() for body in bodies] * 3
    )
    assert [answer["ok"] for answer in answers[:4]] == [True, False, False, False]
