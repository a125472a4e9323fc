"""A server that embeds the validator answers hostile requests, all at once, and its memory stays what it was."""

import sys

import pytest

from tests.fuzz.server import Running, ask_at_once, request, server

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the memory is read from /proc")
MOST_GROWTH = 40.0  # megabytes, of a process that has some 60; a text that is kept would take more
MOST_GROWTH_PRICED = 80.0  # formulas are kept too, as many as the tables of `cost` say


def growth(running: Running, count: int, rounds: int, seed: int, warm: int = 1, path: str = "/") -> float:
    """Return how much the memory grew after the first `warm` of `rounds`, each of other requests.

    In the first the tables of common layouts are made that the process keeps, as many as `planning.search` says.
    """
    first = 0.0
    for turn in range(rounds):
        answers = ask_at_once(running.port, [request(turn * count + number, seed, path) for number in range(count)])
        assert sum(answers.values()) == count
        assert answers["200"] > 0.7 * count
        assert set(answers) <= {"200", "400", "411", "413", "501", "refused", "no status"}  # the rest were no requests
        first = running.megabytes if turn < warm else first
    return running.megabytes - first


def test_a_hundred_requests_at_once() -> None:
    with server() as running:
        assert growth(running, 100, 3, 31) < MOST_GROWTH
        assert ask_at_once(running.port, [request(0, 31)] * 3).total() == 3  # it is still there


def test_texts_that_are_priced() -> None:
    with server() as running:
        assert growth(running, 60, 3, 34, path="/cost") < MOST_GROWTH_PRICED


@pytest.mark.slow
@pytest.mark.parametrize(("path", "most"), [("/", MOST_GROWTH), ("/cost", MOST_GROWTH_PRICED)])
def test_a_thousand_requests_at_once(path: str, most: float) -> None:
    with server() as running:
        assert growth(running, 1000, 8, 32, warm=4, path=path) < most


def test_growth_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that keeps every text fails."""
    from tests.fuzz import server as module

    planted = "KEPT = []\noriginal = shardlang.check\nshardlang.check = lambda text, **k: (KEPT.append(b'x' * 10**6), original(text, **k))[1]\n"
    monkeypatch.setattr(module, "_START", planted + module._START)
    with server() as running:
        assert growth(running, 60, 3, 33) > MOST_GROWTH
