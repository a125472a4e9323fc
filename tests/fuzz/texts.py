"""Random texts by number: text `n` of a seed is the same everywhere, whatever came before it."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.docs.sessions import fences
from tests.fuzz.grammar import nonsense, sentence
from tests.oracles.nonsense import PIECES, examples
from tests.property.cases import draw_case, draw_collective

_ROOT = Path(__file__).parents[2]
_HEAD = (
    "mesh X=4, Y=2\n",
    "mesh X=4, Y=2, Z=2\nlet I = 64, J = 64, K = 64\n",
    "mesh X, Y\nhardware tpu-v5p\n",
    "explicit\n",
    "",
)
# Letters that look alike, change the direction, take no room, or take several code units.
STRANGE = "АΑαІΙХΧ𝐀Ａ‐−\u202e\u2066\u2069\u200b\u200d\ufeff\u0301\u0338\u034f\u3164\ufe0f\u00ad\x00\x1b\x9b\x7f\r\u2028\ud800🙂אب٣½ﬁß"


class Text(NamedTuple):
    """A text and the kind of document that it is given as (None: statements)."""

    text: str
    document: str | None = None


@cache
def all_examples() -> tuple[str, ...]:
    """Return every plan of the docs, the pages of the codes and the table of spellings."""
    from tests.syntax.test_grammar import EXAMPLES
    from tests.syntax.test_spellings import ROWS

    pages = [*(_ROOT / "docs").rglob("*.md"), *(_ROOT / "shardlang" / "diagnostics" / "pages").glob("*.md")]
    blocks = [fence.text for page in sorted(pages) for fence in fences(page.read_text("utf-8"), "shard")]
    rows = [row.values[0] for row in ROWS]
    return tuple(dict.fromkeys((*examples(), *blocks, *(text for text in rows if isinstance(text, str)), *EXAMPLES)))


def mutated(random: Random, text: str) -> str:
    """Return a text with a few characters or runs deleted, doubled, exchanged, or strange ones put in."""
    for _ in range(random.randint(1, 5)):
        at = random.randrange(len(text) + 1)
        end = min(len(text), at + random.choice((0, 1, 1, 2, 5, 30)))
        piece = random.choice((
            "", text[at:end] * random.choice((2, 3)), random.choice(PIECES), random.choice(STRANGE),
            text[(start := random.randrange(len(text) + 1)) : start + random.randint(1, 20)],
        ))  # fmt: skip
        text = text[:at] + piece + text[end:]
    return text


def _from_grammar(random: Random) -> Text:
    lines = [sentence(random) for _ in range(random.randint(1, 6))]
    return Text(random.choice(_HEAD) + "\n".join(lines) + "\n")


def _broken_grammar(random: Random) -> Text:
    return Text(mutated(random, _from_grammar(random).text))


def _example(random: Random) -> Text:
    return _placed(random, mutated(random, random.choice(all_examples())))


def _plan(random: Random) -> Text:
    text = random.choice((draw_case, draw_case, draw_collective))(random).text
    return Text(mutated(random, text) if random.random() < 0.5 else text)


def _pieces(random: Random) -> Text:
    return _placed(random, nonsense(random))


def _bytes(random: Random) -> Text:
    data = random.randbytes(random.randint(0, 200))
    return _placed(random, data.decode(random.choice(("latin-1", "utf-8")), "replace"))


def _any_characters(random: Random) -> Text:
    points = (random.choice((0x7F, 0x24F, 0xFFFF, 0x10FFFF)) for _ in range(random.randint(1, 60)))
    return _placed(random, "".join(chr(random.randint(0, most)) for most in points))


def _repeated(random: Random) -> Text:
    """Return one piece many times: what takes more than linear time shows there."""
    unit = random.choice((sentence(random) + "\n", nonsense(random), random.choice(PIECES), random.choice(STRANGE)))
    return _placed(random, unit * max(1, random.choice((300, 3_000)) // max(1, len(unit))))


def _placed(random: Random, text: str) -> Text:
    """Return a text as plain statements, or in a document."""
    kind = random.choice((None, None, None, "markdown", "latex", "html", "text", "python"))
    around = {
        "markdown": ("# A plan\n\n```shard\n{}\n```\nand ${}$\n", "- `{}`\n"),
        "latex": ("\\begin{{align}}\n{} \\\\\n\\end{{align}}\n", "text $${}$$\n"),
        "html": ("<p><code>{}</code></p>\n",),
        "python": ('"""A layer.\n\n```shard\n{}\n```\n"""\n', 'def f():\n    """{}"""\n'),
    }
    frame = random.choice(("{}", *around.get(kind or "", ())))
    return Text(
        re.sub(r"\{\}", lambda _: text, frame).replace("{{", "{").replace("}}", "}") if frame != "{}" else text, kind
    )


# How often each is drawn; what plans to the end takes the longest.
SOURCES: dict[Callable[[Random], Text], int] = {
    _from_grammar: 3,
    _broken_grammar: 3,
    _example: 5,
    _plan: 2,
    _pieces: 2,
    _bytes: 1,
    _any_characters: 1,
    _repeated: 2,
}


def draw(random: Random) -> Text:
    """Return a random text."""
    return random.choices(list(SOURCES), list(SOURCES.values()))[0](random)


def numbered(seed: int, number: int) -> Text:
    """Return the text with this number."""
    return draw(Random(f"{seed}/{number}"))
