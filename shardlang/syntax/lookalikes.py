"""Names that look the same and are written with other letters: `A` in Latin letters and `А` in Cyrillic ones.

Only letters that most fonts draw alike are taken for one another: a choice from the table of UTS #39 (Unicode Security
Mechanisms, `confusables.txt`), in which `α` is confusable with `a` and `ν` with `v` too; formulas use both side by side,
and their readers tell them apart. Only loaded for texts with letters beyond ASCII.
"""

from collections.abc import Iterable, Mapping
from unicodedata import normalize

from shardlang.diagnostics import Diagnostic, Label
from shardlang.source import Span
from shardlang.syntax.tokens import has_pile

_ALIKE = {
    # Greek
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺͿοϲϳ": "ABEZHIKMNOPTYXCMJocj",
    # Cyrillic
    "АВЕЅІЈКМНОРСТХҮԌԜ": "ABESIJKMHOPCTXYGW",
    "аеорсухѕіјһԁԛԝү": "aeopcyxsijhdqwy",
    # Armenian
    "ՍՏՕօոսցհ": "USOonugh",
    # Latin beyond ASCII
    "ɑɡ": "ag",
    # one sign at two places
    "\u00b5": "\u03bc",
}
_LETTERS = str.maketrans({letter: plain for row, to in _ALIKE.items() for letter, plain in zip(row, to, strict=True)})
# Letters of a certain style or width: what they stand for is known to Unicode.
_STYLED = (range(0x2100, 0x2150), range(0x1D400, 0x1D800), range(0xFF01, 0xFF5F))
_MOST_LETTERS = 3  # that a message names


def skeleton(name: str) -> str:
    """Return what a name looks like: two names of one skeleton cannot be told apart."""
    if name.isascii() or has_pile(name):
        return name
    plain = (normalize("NFKC", char) if any(ord(char) in styled for styled in _STYLED) else char for char in name)
    return normalize("NFD", "".join(plain)).translate(_LETTERS)


def lookalikes(words: Mapping[str, Span], given: Iterable[str] = ()) -> list[Diagnostic]:
    """Return a finding for each name that looks like an earlier one of other letters.

    words: each word of the statements where it first stands, in the order of the text; `I_X` is two names. given: names
    that do not stand in the text.
    """
    first: dict[str, tuple[str, Span | None]] = {}
    for name in given:
        first.setdefault(skeleton(name), (name, None))
    seen = {name for name, _ in first.values()}
    findings: list[Diagnostic] = []
    for word, span in words.items():
        at = 0
        for name in word.split("_"):
            if name and name not in seen:
                seen.add(name)
                where = (
                    Span(span.start + at, span.start + at + len(name)) if len(word) == span.end - span.start else span
                )
                other, place = first.setdefault(skeleton(name), (name, where))
                if other != name:
                    findings.append(_finding(name, where, other, place))
            at += len(name) + 1
    return findings


def _finding(name: str, span: Span, other: str, place: Span | None) -> Diagnostic:
    ours, theirs = _letters(name, other), _letters(other, name)
    where = "" if place is not None else ", which is given beside the text"
    message = f"`{name}` and `{other}` look the same and are two names: {ours} here, {theirs} in the other{where}"
    labels = (Label(place, f"`{other}` with {theirs}"),) if place is not None else ()
    hint = f"write both with {ours if name.isascii() else theirs}"
    return Diagnostic("SL111", message, span, labels, hint=hint)


def _letters(name: str, other: str) -> str:
    """Return the code points of the letters that `other` does not have at their place."""
    pairs = zip(normalize("NFD", name), normalize("NFD", other), strict=False)
    points = [f"U+{ord(one):04X}" for one, two in pairs if one != two]
    return ", ".join(points[:_MOST_LETTERS]) + (" …" if len(points) > _MOST_LETTERS else "")
