"""Products of powers of symbols, such as `B/(X·Y)`: what a crossover is solved for, and the sides of assumptions.

Grammar, from the left as everywhere: `product = power (("·" | "*" | "/") power)*`,
`power = atom (("^" | "**") integer)?`, `atom = name | "1" | "(" product ")"`. Nothing is run as code.
"""

import re
from typing import NamedTuple

from sympy import Symbol

from shardlang.cost.names import Names
from shardlang.diagnostics import did_you_mean

Powers = dict[Symbol, int]

_LONGEST = 400
_LARGEST_POWER = 12
_TOKEN = re.compile(r"\s*(\*\*|<<|[*·⋅×/^()≪,]|-?\d+|[^\W\d][\w'′]*)")
_SIGNS = {"⋅": "·", "×": "·", "*": "·", "**": "^", "≪": "<<"}
_BETWEEN = ("<<", ",")
_FORM = "expected a symbol or a ratio of symbols such as `B/X` or `B/(X·Y)`"


class RatioError(ValueError):
    """A text that is not a product of powers of symbols; the message says where it goes wrong."""

    hint: str | None = None


class UnknownSymbolError(RatioError):
    """A crossover was asked for a name that is not a symbol of the plan; the message says so, `hint` is the closest."""

    def __init__(self, message: str, hint: str | None) -> None:
        super().__init__(message)
        self.hint = hint


class _Level(NamedTuple):
    """What an open parenthesis interrupted: the product so far, and whether it divides or multiplies by what follows."""

    product: Powers
    sign: int


def read_ratio(text: str, names: Names) -> list[tuple[Symbol, int]]:
    """Return the symbols of a name or a ratio (`B/X`, `B/(X·Y)`, `D^2/F`) with their powers, none of them zero.

    A printed name comes before the plain name of a dimension or a mesh axis. Raises UnknownSymbolError for a name
    that the plan does not have, RatioError for what is no ratio.
    """
    if not isinstance(text, str):
        raise RatioError(f"{_FORM}, not {type(text).__name__}")
    reader = Reader(text, names)
    found = reader.product()
    if not reader.done:
        raise reader.wrong()
    powers = [(symbol, power) for symbol, power in found.items() if power]
    if not powers:
        why = "cancels: it is" if found else "is"
        raise RatioError(f"`{text.strip()}` {why} 1 whatever the sizes are; {_FORM}")
    return powers


def read_symbol(name: str, names: Names) -> Symbol:
    """Return the symbol of a name, as `read_ratio` reads it. Raises UnknownSymbolError, RatioError as that does."""
    found = read_ratio(name, names)
    if len(found) > 1 or found[0][1] != 1:
        raise RatioError(f"expected the name of one symbol, not `{name.strip()}`")
    return found[0][0]


def _by_name(names: Names) -> dict[str, Symbol]:
    groups = (names.counts(), names.axes(), names.dims(), names.totals(), names.hardware())
    printed = {symbol.name: symbol for group in groups for symbol in group.values()}
    return {
        **names.totals(),
        **names.axes(),
        **{dim: symbol for dim, symbol in names.dims().items() if dim not in names.axes()},
        **printed,
    }


class Reader:
    """Reads one text from the left. Open parentheses are a list, so that no nesting is too deep.

    form: what messages say was expected.
    """

    def __init__(self, text: str, names: Names, form: str = _FORM) -> None:
        self._text = text
        self._form = form
        self._symbols = _by_name(names)
        self._tokens = self._split()
        self._at = 0

    @property
    def done(self) -> bool:
        """Whether everything was read."""
        return self._at >= len(self._tokens)

    def product(self) -> Powers:
        """Return the product that comes next, up to a sign that is no part of one. Raises RatioError where there is none."""
        levels: list[_Level] = []
        product: Powers = {}
        sign = 1
        while True:
            if self.take("("):
                levels.append(_Level(product, sign))
                product, sign = {}, 1
                continue
            value = self._raised(self._atom())
            product = _times(product, value, sign)
            while levels and self.take(")"):
                outer = levels.pop()
                product = _times(outer.product, self._raised(product), outer.sign)
            if self.take("·"):
                sign = 1
            elif self.take("/"):
                sign = -1
            elif levels or not (self.done or self._tokens[self._at] in _BETWEEN):
                raise self.wrong()
            elif any(abs(power) > _LARGEST_POWER for power in product.values()):
                raise RatioError(f"a power in `{self._text.strip()}` is larger than {_LARGEST_POWER}")
            else:
                return product

    def _atom(self) -> Powers:
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        if token != "1" and not (token[:1].isalpha() or token[:1] == "_"):
            raise self.wrong()
        self._at += 1
        if token == "1":
            return {}
        if token not in self._symbols:
            known = ", ".join(dict.fromkeys(symbol.name for symbol in self._symbols.values()))
            message = f"the plan has no symbol `{token}`" + (f"; it has {known}" if known else "")
            raise UnknownSymbolError(message, did_you_mean(token, self._symbols))
        return {self._symbols[token]: 1}

    def _raised(self, powers: Powers) -> Powers:
        if not self.take("^"):
            return powers
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        if not token.lstrip("-").isdecimal() or len(token) > 3:
            raise self.wrong()
        self._at += 1
        return {symbol: power * int(token) for symbol, power in powers.items()}

    def take(self, sign: str) -> bool:
        """Say whether `sign` comes next, and go past it if so."""
        found = self._at < len(self._tokens) and self._tokens[self._at] == sign
        self._at += found
        return found

    def _split(self) -> list[str]:
        if len(self._text) > _LONGEST:
            raise RatioError(f"this is longer than {_LONGEST} characters; {self._form}")
        text, at, tokens = self._text.rstrip(), 0, []
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise RatioError(f"`{text[at:].strip()[:1]}` has no place in `{text.strip()}`; {self._form}")
            tokens.append(_SIGNS.get(match[1], match[1]))
            at = match.end()
        return tokens

    def wrong(self) -> RatioError:
        """Return the error of what comes next, which has no place there."""
        text = self._text.strip()
        if self._at < len(self._tokens):
            return RatioError(f"`{self._tokens[self._at]}` has no place there in `{text}`; {self._form}")
        return RatioError(f"`{text}` ends too early; {self._form}" if text else self._form)


def _times(product: Powers, other: Powers, sign: int) -> Powers:
    found = dict(product)
    for symbol, power in other.items():
        found[symbol] = found.get(symbol, 0) + sign * power
    return found
