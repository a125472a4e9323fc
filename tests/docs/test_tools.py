"""The set-ups of docs/tools for settings, servers and pytest are copied from the pages, and run."""

import json
import re
import shutil
import threading
import tomllib
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

import shardlang
from shardlang.api.project import _OF_PROJECT, included_names, settings_for
from tests.docs.sessions import ROOT
from tests.docs.setups import blocks, shell


def test_settings_can_be_used(tmp_path):
    plan, chips = blocks("settings", "toml")
    (tmp_path / "pyproject.toml").write_text(plan, "utf-8")
    text = "AllGather_X A[B_X, D] -> A[B, D]"
    report = shardlang.check(text, **settings_for(tmp_path / "a.shard"))
    assert report.statements[0].steps[0].bytes_received == 1024 * 8192 * 2 * 15 / 16
    report = shardlang.check(text, **settings_for(tmp_path / "plans" / "big" / "a.shard"))
    assert report.statements[0].steps[0].bytes_received == 1024 * 8192 * 2 * 31 / 32
    product = "A[I, J] · B[J, K] -> C[I, K]"
    priced = shardlang.cost(product, sizes="I=10,J=10,K=10", **settings_for(tmp_path / "a.shard"))
    assert priced.value(priced.t_math) == pytest.approx(2 * 10**3 / 4.59e14)  # the rate of a TPU v5p in bf16
    (tmp_path / "docs" / "old").mkdir(parents=True)
    assert included_names(tmp_path, ["a.shard", "README.md", "x.md", "m.py"]) == ["a.shard", "README.md"]
    assert included_names(tmp_path / "docs" / "new", ["x.md"]) == ["x.md"]
    assert included_names(tmp_path / "docs" / "old", ["x.md", "a.shard"]) == []
    note = "So $T = V / W$.\n"  # SL106, which the project ignores
    assert [finding.code for finding in shardlang.check(note, document="text").diagnostics] == ["SL106"]
    assert shardlang.check(note, document="text", **settings_for(tmp_path / "a.txt")).diagnostics == ()
    (tmp_path / "pyproject.toml").write_text(chips, "utf-8")
    priced = shardlang.cost(
        "A[I, J] · B[J, K] -> C[I, K]", sizes="I=10,J=10,K=10", **settings_for(tmp_path / "a.shard")
    )
    assert priced.value(priced.t_math) == pytest.approx(2 * 10**3 / 4.0e14)
    assert tomllib.loads(chips)["tool"]["shardlang"]["hardware"]["mine"]["ici"]["one_way_per_link"] == 9.0e10


def test_the_page_names_every_setting():
    page = (ROOT / "docs" / "tools" / "settings.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.*?) \|", page.partition("## Chips")[0], re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([\w-]+)(?:\.\"pattern\")?`", row)]
    assert sorted(named) == sorted(_OF_PROJECT)


def test_comments_of_the_page_are_all_used():
    (text,) = blocks("settings", "shard")
    assert shardlang.check(text).diagnostics == ()
    bare = shardlang.check(text.replace("shardlang: ignore", "")).diagnostics
    assert [(finding.code, finding.span.line) for finding in bare] == [("SL201", 1), ("SL201", 4)]


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


def test_curl_asks_the_server(server, tmp_path):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    (lines,) = blocks("server", "bash")
    lines = "; echo; ".join(lines.strip().splitlines())
    assert lines.count("http://127.0.0.1:8000/") == 2
    (tmp_path / "plan.shard").write_text("# 🙂\nA[I_X, J_X]\n", "utf-8")
    done = shell("unset http_proxy; " + lines.replace("http://127.0.0.1:8000/", server), tmp_path)
    assert done.returncode == 0, done.stderr
    checked, priced = (json.loads(answer) for answer in done.stdout.splitlines())
    assert priced["diagnostics"] == checked["diagnostics"]
    assert "total" in priced
    (found,) = checked["diagnostics"]
    assert (found["code"], found["line"], found["column"]) == ("SL201", 2, 10)


NOTES = "# Notes\n\n```shard\nA[I_X, J] -> A[I, J]\n```\n\nHere:\n```shard\nA[I_X, J_X]\n```\n"
_PYTEST = "COLUMNS=80 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest -p shardlang.tools.pytest_plugin -p no:cacheprovider "


def test_files_that_pytest_collects(tmp_path):
    (setting,) = blocks("pytest", "toml")
    (tmp_path / "pyproject.toml").write_text(setting, "utf-8")
    docstring = '"""A layer.\n\n```shard\nA[I_X, J] -> A[I, J]\n```\n"""\n'
    texts = {"a.shard": "A[I]\n", "plans/b.shard": "B[J]\n", "docs/notes.md": NOTES, "src/c/model.py": docstring}
    others = {"other.py": docstring, "CHANGES.md": NOTES}  # two that the setting does not name
    for name, text in {**texts, **others}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    done = shell(_PYTEST + "-v", tmp_path)
    shown = dict(re.findall(r"^(\S+::\S+) (\w+)", done.stdout, re.M))
    assert shown == {
        "a.shard::plan": "PASSED",
        "plans/b.shard::plan": "PASSED",
        "docs/notes.md::document": "PASSED",
        "docs/notes.md::line4": "PASSED",
        "docs/notes.md::line9": "FAILED",
        "src/c/model.py::document": "PASSED",
        "src/c/model.py::line4": "PASSED",
    }


def test_what_pytest_prints_of_a_wrong_plan(tmp_path):
    """The report on the page is what comes of notes with a plan of two axes in line 9."""
    shown, _ = blocks("pytest", "text")
    command, *printed = shown.rstrip().splitlines()
    (tmp_path / "pyproject.toml").write_text(blocks("pytest", "toml")[0], "utf-8")
    (tmp_path / "README.md").write_text(NOTES, "utf-8")
    done = shell(_PYTEST + command.removeprefix("$ pytest "), tmp_path)
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    start = lines.index(printed[0])
    assert lines[start : start + len(printed)] == printed


def test_the_tests_of_the_page_on_pytest(tmp_path):
    (module,) = blocks("pytest", "python")
    _, shown = blocks("pytest", "text")
    wrong = '\n\ndef test_wrong(shardlang):\n    shardlang.assert_plan(layer("D"), collectives=["AllReduce"])\n'
    (tmp_path / "test_plans.py").write_text(module + wrong, "utf-8")
    done = shell(_PYTEST, tmp_path)
    assert "1 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert "\n".join(shown.rstrip().splitlines()) in "\n".join(lines)


def test_one_include_for_all():
    """The pages of CI, hooks, pytest and settings show the same files."""
    shown = {tomllib.loads(blocks(page, "toml")[0])["tool"]["shardlang"]["include"].__repr__() for page in _PAGES}
    assert len(shown) == 1
    for page in _PAGES:
        text = (ROOT / "docs" / "tools" / f"{page}.md").read_text("utf-8")
        assert re.findall(r"shardlang check \. \w", text) == []


_PAGES = ("settings", "ci", "pre-commit", "pytest")
