"""A text that is checked after each edit: what is kept from the version before changes no finding and no step."""

from itertools import permutations, starmap
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlang.planning import budget, searches
from shardlang.tools.editor.analysis import Analysis, analyse
from tests.fuzz.texts import mutated
from tests.property.cases import draw_case, draw_collective

DECLARED = [
    "mesh X=4, Y=2",
    "mesh X=2, Y=2, Z=2",
    "mesh X=2 line, Y=8",
    "mesh X, Y",
    "hardware tpu-v5p",
    "hardware h100",
    "hardware nothing",
    "dtype int8",
    "let I = 64, J = 64, K = 64",
    "let J = 2, W_ici = 1e9",
    "explicit",
    "A0: f32[I, J]",
]
OPTIONS = [{}, {"idle_axes": True}, {"reduce_dtype": "f32"}, {"hardware": "tpu-v5p", "latency": True}, {"uneven": True}]
CHAIN = "A[I_{XY}, J]{U_Z} · B[J, K]{U_Z} · D[K, L_{X}] -> E[I_{XY}, L]"


def edited(random: Random, text: str) -> str:
    """The text after one edit, as one types: often a letter, sometimes a line, sometimes what everything depends on."""
    lines = text.split("\n")
    at = random.randrange(len(lines))
    match random.randrange(8):
        case 0:
            return "\n".join([*lines[:at], *lines[at + 1 :]])
        case 1:
            return "\n".join([*lines[:at], lines[random.randrange(len(lines))], *lines[at:]])
        case 2 | 3:
            return "\n".join([*lines[:at], random.choice(DECLARED), *lines[at + random.randrange(2) :]])
        case 4:
            drawn = draw_case(random).text.split("\n")
            return "\n".join([*lines[:at], random.choice(drawn), *lines[at:]])
        case 5:
            return mutated(random, text)
        case _:
            place = random.randrange(len(text) + 1)
            return text[:place] + random.choice("XYZIJKL_[]{},=·→ 248\n") + text[place + random.randrange(2) :]


def begun(random: Random) -> str:
    """A text to begin with."""
    cases = [(draw_case, draw_collective)[random.randrange(4) == 3](random).text for _ in range(random.randint(1, 3))]
    if random.randrange(2):
        cases.append(CHAIN)
    return "\n".join(cases)


def same(one: Analysis, other: Analysis) -> bool:
    """Say whether all that is known is the same, to the last field."""
    mine, theirs = one.planned, other.planned
    return (one.findings, mine.findings, mine.plan, mine.machine, mine.opened) == (
        other.findings,
        theirs.findings,
        theirs.plan,
        theirs.machine,
        theirs.opened,
    )


def session(random: Random, edits: int) -> bool:
    """Edit a text, and say whether each version, checked with the one before, is as if it were the first."""
    text, options = begun(random), random.choice(OPTIONS)
    before = analyse(text, defaults=options)
    texts = [text]
    for _ in range(edits):
        text = random.choice(texts) if random.randrange(6) == 0 else edited(random, text)  # undo, now and then
        texts.append(text)
        before = analyse(text, defaults=options, before=before)
        if not same(before, analyse(text, defaults=options)):
            return False
    return True


LAYOUTS = ["I_X, J", "I_Y, J", "I, J_X", "I_{XY}, J", "I_{YX}, J", "I, J_{XY}", "I_X, J_Y"]


def rewired(there: str, here: str) -> bool:
    """Say whether a reshard is as if it were new when another axis of the mesh than before has the slow links."""
    body = f"hardware tpu-v5p\nlet I = 4096, J = 4096\nA[{there}] -> A[{here}]\n"
    before = analyse(f"mesh X=4 dcn, Y=4\n{body}")
    after = f"mesh X=4, Y=4 dcn\n{body}"
    return same(analyse(after, before=before), analyse(after))


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_version_checked_after_another_is_as_if_it_were_the_first(random: Random) -> None:
    assert session(random, edits=5)


def bounded(patch: pytest.MonkeyPatch, random: Random) -> bool:
    """Say the same of a session in which searches stop at bounds, of the statement or of the text."""
    patch.setattr(budget, "STEPS_A_STATEMENT", random.choice((20, 100, 400)))
    patch.setattr(budget, "STEPS_A_TEXT", random.choice((60, 500, 2000)))
    return session(random, edits=5)


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_so_it_is_where_searches_stop_at_their_bounds(random: Random) -> None:
    with pytest.MonkeyPatch.context() as patch:
        assert bounded(patch, random)


def test_so_it_is_where_the_links_are_others() -> None:
    assert all(starmap(rewired, permutations(LAYOUTS, 2)))


def test_steps_that_are_not_taken_from_the_budget_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = searches.Searches._again

    def again(self, outcome, search, left):
        return outcome or made(self, None, search, left)

    monkeypatch.setattr(searches.Searches, "_again", again)
    assert not all(bounded(monkeypatch, Random(seed)) for seed in range(100))


def test_searches_under_other_prices_that_are_kept_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    started = searches.Searches.__init__

    def start(self, environment=None, before=None):
        started(self, before.environment if before is not None else environment, before)

    monkeypatch.setattr(searches.Searches, "__init__", start)
    assert not all(starmap(rewired, permutations(LAYOUTS, 2)))


def test_a_search_is_made_once() -> None:
    text = f"mesh X=2, Y=2, Z=2\nlet I=64, J=64, K=64, L=64\n{CHAIN}\n"
    first = analyse(text)
    spent = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget.Budget, "spend", lambda self, count: spent.append(count))
        analyse(text.replace("E[", "Out["), before=first)
        assert spent == []
        analyse(text.replace("let I=64", "let I=128"), before=first)
        assert spent != []
