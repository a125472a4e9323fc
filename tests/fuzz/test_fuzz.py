"""A million characters of random texts end in reports, in the time that is stated; the same everywhere."""

import hashlib
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.grammar import SPELLED, _rules, sentence
from tests.fuzz.judge import Outcome, Tally, judge, printable
from tests.fuzz.stages import STAGES, Stage, _markup, _safe, check, edit, parse, services
from tests.fuzz.texts import SOURCES, Text, all_examples, draw, mutated, numbered
from tests.property.strategies import calm

ROOT = Path(__file__).parents[2]
PARTS = 8
TEXTS_A_PART = 380
SEED = 20_240_601


def problems(outcome: Outcome, text: Text) -> str:
    return "\n".join((ascii(text), *outcome.problems))


@pytest.mark.parametrize("part", range(PARTS))
def test_random_texts(part: int) -> None:
    """All parts together have a million characters, in some 30 s of processor time."""
    tally = Tally()
    for number in range(part * TEXTS_A_PART, (part + 1) * TEXTS_A_PART):
        outcome = tally.add(SEED, number)
        assert outcome.problems == (), problems(outcome, numbered(SEED, number))
    assert tally.characters > 1_000_000 / PARTS * 0.7
    assert set(tally.seconds) == {stage.__name__ for stage in STAGES}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
def test_ten_million_characters(seed: int) -> None:
    """Each part has a million characters of its own, and is a run of CI by itself: `pytest -m slow -k "ten_million and 7"`."""
    tally, number = Tally(), 0
    while tally.characters < 1_000_000:
        outcome = tally.add(seed, number)
        assert outcome.problems == (), problems(outcome, numbered(seed, number))
        number += 1


@calm
@given(st.randoms(use_true_random=False))
def test_sentences_of_the_grammar(random: Random) -> None:
    """What Hypothesis draws from the grammar; it makes a text that fails small."""
    text = Text("\n".join(sentence(random) for _ in range(random.randint(1, 3))))
    outcome = judge(text)
    assert outcome.problems == (), problems(outcome, text)


@calm
@given(st.sampled_from(all_examples()), st.randoms(use_true_random=False))
def test_mutations_of_examples(example: str, random: Random) -> None:
    text = Text(mutated(random, example))
    outcome = judge(text)
    assert outcome.problems == (), problems(outcome, text)


@calm
@given(
    st.text(alphabet=st.characters(), max_size=60),
    st.sampled_from((None, "markdown", "latex", "html", "text", "python")),
)
def test_any_characters(words: str, kind: str | None) -> None:
    text = Text(words, kind)
    outcome = judge(text)
    assert outcome.problems == (), problems(outcome, text)


GROWN = (
    *("A[I_X, J] · ", "mesh X=2\n", "A[I_X, J_X]\n", "A[I", "$A[I]$ ", "é\u0301", "\u202e", "let D# = #\n"),
    *(
        "A#[I_X, J_X]; ",
        "A[I_X] -> A[I]\n",
        "A#[I#_X, J#] -> A#[I#, J#]\n",
        "B#[I_X] = A#[I] + A[I_Y]\n",
        "# shardlang: ignore[SL203]\n",
        "# shardlang: ignore[SL203] ",
        "A_",
    ),
)


def grown(unit: str, length: int) -> Text:
    """A unit many times, `#` replaced by its number."""
    many = (unit.replace("#", str(number)) for number in range(length // len(unit)))
    return Text("".join(many))


def seconds(stage: Stage, text: Text) -> float:
    start = time.thread_time()
    list(stage(text, Random(1)))
    return time.thread_time() - start


@pytest.mark.parametrize("unit", GROWN)
def test_time_is_linear(unit: str) -> None:
    """Three times the text takes about three times the time, in every stage that all texts may go through."""
    for stage in (check, parse, services, edit):
        short, long = (seconds(stage, grown(unit, length)) for length in (1_500, 4_500))
        assert long < 5 * short + 0.7, (stage.__name__, short, long)


@pytest.mark.slow
@pytest.mark.parametrize("unit", GROWN)
def test_time_is_linear_in_a_long_text(unit: str) -> None:
    """What is quadratic and too fast to be seen in a short text takes minutes here."""
    for stage in (check, parse, services):
        short, long = (seconds(stage, grown(unit, length)) for length in (25_000, 100_000))
        assert long < 6 * short + 2, (stage.__name__, short, long)


@pytest.mark.parametrize("unit", GROWN)
def test_what_is_printed_is_linear(unit: str) -> None:
    """A long line with many findings is not repeated for each; the second length is a limit of docs/tools/server.md."""
    for length in (4_500, 20_000):
        text = grown(unit, length)
        for stage in (check, parse, services) if length < 5_000 else (check,):
            printed = sum(map(len, stage(text, Random(1))))
            assert printed < printable(stage.__name__, length) / 2, (stage.__name__, length, printed)


def digest(*arguments: str, **variables: str) -> str:
    command = [sys.executable, "-m", "tests.fuzz", "--digest", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env={"PATH": "", **variables}, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_the_same_in_every_process_and_with_every_hash_seed() -> None:
    found = {digest("15000", "5", PYTHONHASHSEED=seed) for seed in ("0", "1", "77")}
    assert len(found) == 1


def test_the_same_in_threads() -> None:
    """Calls that run at once have nothing to do with one another."""
    numbers = range(60)
    alone = [judge(numbered(6, number), number).digest for number in numbers]
    barrier = threading.Barrier(4)

    def work(shift: int) -> list[bytes]:
        barrier.wait()
        return [judge(numbered(6, number), number).digest for number in [*numbers[shift:], *numbers[:shift]]]

    with ThreadPoolExecutor(4) as pool:
        for shift, found in zip((0, 15, 30, 45), pool.map(work, (0, 15, 30, 45)), strict=True):
            assert found == [*alone[shift:], *alone[:shift]]


# --- That these tests see what they are for ----------------------------------------------------------


def test_every_terminal_is_spelled_and_every_rule_has_an_end() -> None:
    rules, depth = _rules()
    terminals = {symbol for parts in rules.values() for alternative in parts for symbol in alternative} - set(rules)
    assert terminals == set(SPELLED)
    assert set(depth) == set(rules)


def test_all_sources_are_drawn_and_many_sentences_are_read() -> None:
    import shardlang

    assert len(SOURCES) == 8
    texts = [sentence(Random(number)) for number in range(300)]
    read = [text for text in texts if shardlang.parse(text).statements]
    assert len(read) > 100
    assert len(set(map(draw, map(Random, range(100))))) > 95


def test_an_exception_a_slow_text_and_a_contradiction_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    import shardlang
    from shardlang import api

    original = api.check

    def plant(text: str, **keywords: object) -> object:
        if "boom" in text:
            raise KeyError("boom")
        report = original(text, **keywords)
        return report._replace(ok=not report.ok) if "lie" in text else report

    monkeypatch.setattr(shardlang, "check", plant, raising=False)
    assert "KeyError" in judge(Text("boom")).problems[0]
    assert "findings of" in judge(Text("lie")).problems[0]
    monkeypatch.setattr("tests.fuzz.judge.PRINTED", -2_001)
    assert any("characters printed for 4" in problem for problem in judge(Text("A[I]")).problems)
    monkeypatch.setattr("tests.fuzz.judge.SECONDS", -1.0)
    assert any(" s for 4 characters" in problem for problem in judge(Text("A[I]")).problems)


def test_a_line_that_is_repeated_for_each_finding_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    for bound in ("LONGEST_SHOWN_LINES", "LONGEST_SHOWN_FIX"):
        monkeypatch.setattr(f"shardlang.reports.corrections.{bound}", 10**9)
    with pytest.raises(AssertionError, match="check"):
        test_what_is_printed_is_linear("A#[I_X, J_X]; ")


def test_a_canonical_form_that_says_something_else_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from shardlang import api

    original = api.format_report
    monkeypatch.setattr(api, "format_report", lambda text: original(text.replace("_X", "_Y")))
    with pytest.raises(AssertionError, match="reads differently"):
        list(parse(Text("A[I_X]"), Random(1)))


@pytest.mark.parametrize("shown", ["a\x1b[2J", "\u202eA", "\ud800", "a\u200bb", "\u2028"])
def test_an_unsafe_character_is_seen(shown: str) -> None:
    with pytest.raises(AssertionError, match="printed as it is"):
        _safe(shown)


def test_markup_of_a_text_is_seen() -> None:
    assert _markup('<p>line 1: <code>A</code></p><span style="color:red">x</span>')
    for wrong in ("<script>", '<p onclick="x()">', "<img src=x>", "<a>"):
        with pytest.raises(AssertionError, match="markup"):
            _markup(wrong)


def test_a_digest_depends_on_what_is_printed() -> None:
    assert judge(Text("A[I]")).digest != judge(Text("B[I]")).digest
    assert judge(Text("A[I]")).digest != hashlib.sha256().digest()
