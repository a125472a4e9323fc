"""What is made to take long does not: calls are counted, not seconds, so that the answer is the same on every machine."""

from random import Random

import pytest

from tests.fuzz.families import FAMILIES, STAGES, Family, Growth, calls, growth
from tests.fuzz.stages import check, edit
from tests.fuzz.texts import Text

SHORT, LONG = 400, 1_600
# Fixes are checked by reading the text again, until `limits.MOST_READ_AGAIN` characters were read: that takes the square
# of a short text, and at most so many calls.
READ_AGAIN = {"values in other layouts": 3_000_000}


def linear(name: str) -> None:
    """Four times the text takes at most about four times the calls; with their square it would be sixteen times."""
    short, long = (calls(check, FAMILIES[name].text(length)) for length in (SHORT, LONG))
    assert long < 6 * short + READ_AGAIN.get(name, 20_000), (name, short, long)


@pytest.mark.parametrize("name", FAMILIES)
def test_calls_grow_as_the_text_does(name: str) -> None:
    linear(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_calls_grow_as_the_text_does_in_every_stage(name: str) -> None:
    for stage, part in STAGES.items():
        found = growth(FAMILIES[name], stage, 1_200 // part, calls)
        assert found.seconds[-1] < 12 * found.seconds[0] + 100_000, (name, found)


def test_the_square_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def square(text: Text, random: Random):
        for _ in text.text:
            yield str([ord(char) for char in text.text])

    assert growth(Family("a"), square, 400, calls).exponent > 1.9
    monkeypatch.setitem(linear.__globals__, "check", square)
    with pytest.raises(AssertionError):
        linear("blanks")


def test_the_exponent_is_that_of_the_growth() -> None:
    assert Growth("", (100, 200, 400, 800), (1.0, 2.0, 4.0, 8.0)).exponent == pytest.approx(1)
    assert Growth("", (100, 200, 400, 800), (1.0, 4.0, 16.0, 64.0)).exponent == pytest.approx(2)
    assert Growth("", (100, 800), (1.0, 8.0)).each == 10


def test_a_family_grows_to_the_length_that_is_asked_for() -> None:
    for name, family in FAMILIES.items():
        assert abs(len(family.text(2_000).text) - 2_000) < 200, name
        assert family.text(2_000) != family.text(4_000)


def test_calls_are_the_same_each_time() -> None:
    text = FAMILIES["fixes"].text(200)
    calls(edit, text)  # fills the tables that a process keeps
    assert calls(edit, text) == calls(edit, text)
