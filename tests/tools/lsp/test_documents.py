"""Versions of a text: edits in any encoding, and what happens to the check of a version that is outdated."""

import asyncio
from threading import Event, Thread
from time import sleep
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from shardlang.limits import Clock
from shardlang.tools.editor.analysis import Analysis, analyse
from shardlang.tools.lsp import documents
from shardlang.tools.lsp.documents import Document, Documents, OutdatedError

ENCODINGS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
SIGNS = st.text(st.sampled_from("ab·→é\u0301😀𝔸\t\u2028\x0c\r\n"), max_size=8)
AXES = "XYZV"
LONG = "mesh X=4, Y=4, Z=4, V=2\nlet B=4096, D=8192, F=32768, K=128\n" + "\n".join(
    f"A{i}[B_{AXES[i % 4]}, D_Y] · W{i}[D_{AXES[i // 4 % 4]}, F_{AXES[i // 16 % 4]}] · V{i}[F_Z, K_X] -> C{i}[B_X, K]"
    for i in range(64)
)


def place(text: str, at: int, encoding: str) -> types.Position:
    """The place of an offset, as the protocol has it: `\\r\\n`, `\\n` and `\\r` end a line, and nothing else does."""
    lines = text[:at].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    codec, width = ENCODINGS[encoding]
    return types.Position(len(lines) - 1, len(lines[-1].encode(codec)) // width)


@given(
    SIGNS, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), SIGNS), max_size=5), st.sampled_from([*ENCODINGS])
)
def test_edits_are_made_where_the_editor_says(text: str, edits: list[tuple[int, int, str]], encoding: str) -> None:
    document = Document("untitled:a", "shard", 1, text, encoding)
    changes: list[types.TextDocumentContentChangeEvent] = []
    for first, second, new in edits:
        start, end = sorted((min(first, len(text)), min(second, len(text))))
        if any(text[at - 1 : at + 1] == "\r\n" for at in (start, end)):
            continue  # between the two there is no place
        change = types.Range(place(text, start, encoding), place(text, end, encoding))
        changes.append(types.TextDocumentContentChangePartial(change, new))
        text = text[:start] + new + text[end:]
    assert document.edited(2, changes).text == text


def test_a_whole_text_may_be_sent_between_edits() -> None:
    document = Document("untitled:a", "shard", 1, "abc", "utf-16")
    nothing = types.Range(types.Position(0, 1), types.Position(0, 1))
    whole = types.TextDocumentContentChangeWholeDocument("😀😀")
    partly = types.TextDocumentContentChangePartial(types.Range(types.Position(0, 2), types.Position(9, 9)), "!")
    inserted = types.TextDocumentContentChangePartial(nothing, "·")
    assert document.edited(2, [inserted, whole, partly]).text == "😀!"


def test_a_range_that_is_turned_round_inserts_at_its_start() -> None:
    turned = types.Range(types.Position(0, 2), types.Position(0, 1))
    change = types.TextDocumentContentChangePartial(turned, "x")
    assert Document("untitled:a", "shard", 1, "abc", "utf-8").edited(2, [change]).text == "abxc"


def nothing_set(_document: Document) -> dict[str, Any]:
    return {}


def opened(text: str) -> Document:
    return Document("untitled:plan.shard", "shard", 1, text, "utf-16")


def test_the_check_of_an_outdated_version_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Analysis] = []
    started = Event()

    def waiting(*arguments: Any) -> Analysis:
        clock = arguments[-1]
        started.set()
        while "A[I]" not in arguments[0] and not clock.over():
            sleep(0.001)
        made.append(analyse(*arguments))
        return made[-1]

    monkeypatch.setattr(documents, "analyse", waiting)

    async def play() -> None:
        texts = Documents()
        first, second = opened(LONG), opened("A[I]\n")
        texts.put(first)
        asked = asyncio.create_task(texts.analysis(first, nothing_set))
        await asyncio.to_thread(started.wait)
        texts.put(second)
        with pytest.raises(OutdatedError):
            await asked
        assert (await texts.analysis(second, nothing_set)).findings == ()
        texts.stop()

    asyncio.run(play())
    assert [[finding.code for finding in one.findings] for one in made] == [["SL607"], []]
    assert "stopped" in made[0].findings[0].message


def test_who_waits_no_longer_does_not_end_the_check_for_others() -> None:
    async def play() -> None:
        texts = Documents()
        document = opened("A[I]\n")
        texts.put(document)
        one, other = (asyncio.create_task(texts.analysis(document, nothing_set)) for _ in range(2))
        await asyncio.sleep(0)
        one.cancel()
        assert (await other).findings == ()
        with pytest.raises(asyncio.CancelledError):
            await one
        texts.stop()

    asyncio.run(play())


def test_what_was_found_is_handed_from_version_to_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before: list[Analysis | None] = []

    def noted(*arguments: Any) -> Analysis:
        before.append(arguments[4])
        return analyse(*arguments)

    monkeypatch.setattr(documents, "analyse", noted)

    async def play() -> None:
        texts = Documents()
        first, second, third = (opened(f"A[I]\n{mark}") for mark in ("", "B[", "B[I]"))
        texts.put(first)
        found = await texts.analysis(first, nothing_set)
        texts.put(second)  # is never asked for
        texts.put(third)
        again = await texts.analysis(third, nothing_set)
        texts.forget_checks()  # as settings have changed
        await texts.analysis(third, nothing_set)
        assert before == [None, found, again]
        texts.stop()

    asyncio.run(play())


def test_a_clock_that_is_stopped_in_another_thread_ends_a_check() -> None:
    clock, made = Clock(), []
    thread = Thread(target=lambda: made.append(analyse(LONG, clock=clock)))
    thread.start()
    clock.stop()
    thread.join()
    assert "SL607" in [finding.code for finding in made[0].findings]


@pytest.mark.parametrize(
    ("uri", "language", "kind"),
    [
        ("file:///a/plan.shard", "shard", (True, None)),
        ("file:///a/plan.shard", "plaintext", (True, None)),
        ("file:///a/plan.shard", "fundamental", (True, None)),
        ("untitled:plan.shard", "markdown", (True, "markdown")),
        ("file:///a/README.md", "shard", (True, None)),
        ("file:///a/README.md", "", (True, "markdown")),
        ("untitled:1", "shard", (True, None)),
        ("untitled:1", "python", (True, "python")),
        ("untitled:1", "restructuredtext", (True, "rst")),
        ("untitled:1", "plaintext", (True, "text")),
        ("untitled:1", "cpp", (False, None)),
        ("file:///a/main.c", "c", (False, None)),
        ("file:///a/model.py?v=1#x", "", (True, "python")),
    ],
)
def test_the_kind_of_a_text(uri: str, language: str, kind: tuple[bool, str | None]) -> None:
    document = Document(uri, language, 1, "", "utf-16")
    assert (document.holds_plans, document.kind) == kind
