"""What the documentation shows is what happens."""

import doctest
from pathlib import Path

import pytest

import shardlang
from tests.docs.sessions import ROOT, commands, documents, fences, run_block, with_outputs

_DOCUMENTS = documents()
_IDS = [page.relative_to(ROOT).as_posix() for page in _DOCUMENTS]


@pytest.fixture(autouse=True)
def _at_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("page", _DOCUMENTS, ids=_IDS)
def test_console_sessions_are_true(page: Path, request: pytest.FixtureRequest) -> None:
    text = page.read_text("utf-8")
    now = with_outputs(text)
    if request.config.getoption("--update-golden"):
        page.write_text(now, "utf-8", newline="\n")
    else:
        assert text == now


@pytest.mark.parametrize("page", _DOCUMENTS, ids=_IDS)
def test_python_sessions_are_true(page: Path) -> None:
    text = page.read_text("utf-8")
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    names: dict[str, object] = {}  # one session a page
    for fence in fences(text, "pycon"):
        line = text.count("\n", 0, fence.start)
        test = doctest.DocTestParser().get_doctest(fence.text, names, page.name, str(page), line)
        test.globs = names
        runner.run(test, clear_globs=False)
    assert runner.failures == 0


@pytest.mark.parametrize("page", _DOCUMENTS, ids=_IDS)
def test_shard_examples_are_accepted(page: Path) -> None:
    for fence in fences(page.read_text("utf-8"), "shard"):
        report = shardlang.check(fence.text)
        assert report.ok, report.diagnostics


def test_each_command_has_a_page() -> None:
    from shardlang.cli import group

    assert {page.stem for page in (ROOT / "docs" / "commands").glob("*.md")} == set(
        group.commands or group.list_commands(None)
    )


def test_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert "make demo" in text
    assert "make test" in text
    assert any("explain" in command for fence in fences(text, "console") for command in commands(fence.text))


def test_a_false_session_is_noticed() -> None:
    block = "$ cat docs/examples/bugs/stray-letter.shard\nsomething else\n"
    assert run_block(block) != block
