"""A few colours for a terminal, and the rule when to use them."""

from typing import Protocol

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "help": "1;32",
    "strong": "1",
    "gutter": "34",
    "label": "34",
    "dim": "2",
}


class Paint(Protocol):
    """Gives a text the style of a name in the table above, or leaves it as it is."""

    def __call__(self, text: str, style: str) -> str:
        """Return `text` in `style`."""


def plain(text: str, style: str) -> str:
    """Return `text` as it is."""
    return text


def ansi(text: str, style: str) -> str:
    """Return `text` with the terminal's codes for `style` around it."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else text


def wants_colour(choice: str, terminal: bool, environment: "dict[str, str] | None" = None) -> bool:
    """Say whether to use colour: `choice` is `always`, `never` or `auto`.

    `auto` means a terminal that is not `dumb`, without `NO_COLOR` (https://no-color.org: set and not empty)
    in the environment.
    """
    if choice != "auto":
        return choice == "always"
    known = environment or {}
    return terminal and not known.get("NO_COLOR") and known.get("TERM") != "dumb"


def painter(colour: bool) -> Paint:
    """Return the function that styles a text."""
    return ansi if colour else plain
