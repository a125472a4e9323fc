"""How much room text takes, without a font: the widths of DejaVu Sans, one of the widest faces in use.

What fits by these widths fits in Helvetica, Arial and Verdana too.
"""

_TABLE = """
32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 64
64 64 34 34 84 84 84 53 100 68 69 70 77 63 58 77 75 29 29 66 56 86 75 79
60 79 69 63 61 73 68 99 69 61 69 39 34 39 84 50 50 61 63 55 63 62 35 63
63 28 28 58 28 97 63 61 63 63 41 52 39 63 59 82 59 59 52 64 34 64 84
"""
"""Of the characters from the blank to the tilde, in hundredths of the size."""
_ASCII = tuple(map(int, _TABLE.split()))

_OTHERS = {"·": 32, "µ": 64, "Σ": 63}
_UNKNOWN, _BOLD = 100, 1.13


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return the pixels that `text` takes at most in letters of `size` pixels."""
    hundredths = sum(_width(char) for char in text)
    return hundredths * size / 100 * (_BOLD if bold else 1)


def _width(char: str) -> int:
    at = ord(char) - 32
    return _ASCII[at] if 0 <= at < len(_ASCII) else _OTHERS.get(char, _UNKNOWN)


def fitted(text: str, size: float, room: float) -> str:
    """Return `text`, cut with `…` where it is wider than `room` pixels; empty where not even that fits."""
    if text_width(text, size) <= room:
        return text
    while text and text_width(text + "…", size) > room:
        text = text[:-1]
    return text and text.rstrip() + "…"


def wrapped(text: str, size: float, room: float) -> list[str]:
    """Return `text` as lines no wider than `room` pixels, broken at blanks; a word that is too long is cut."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, size) > room:
            lines.append(line)
            longer = word
        line = longer
    return [fitted(one, size, room) for one in (*lines, line)]
