"""Runs the saved LALR tables over the tokens of one statement."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from shardlang.syntax import tables
from shardlang.syntax.nodes import Nodes
from shardlang.syntax.tokens import Token

END = "$END"
END_STATE = tables.END_STATE
Builder: TypeAlias = Callable[..., Any]


def _read_rules() -> list[tuple[str, str, int]]:
    rows = (line.split() for line in tables.RULES.split("\n") if line)
    return [("" if name == "-" else name, sys.intern(origin), int(length)) for name, origin, length in rows]


def _read_states() -> list[dict[str, int]]:
    symbols = [sys.intern(symbol) for symbol in tables.SYMBOLS.split()]
    rows = []
    for line in tables.STATES.strip("\n").split("\n"):
        numbers = list(map(int, line.split()))
        rows.append(dict(zip([symbols[number] for number in numbers[::2]], numbers[1::2], strict=True)))
    return rows


RULES = _read_rules()
STATES = _read_states()


class Stuck(NamedTuple):
    """Where a parse stopped: the index of the token that does not fit, and the terminals that would."""

    at: int
    expected: frozenset[str]


def builders_of(nodes: Nodes) -> list[Builder | None]:
    """Return for each rule the method of `nodes` that makes its node, None where the rule makes none."""
    return [getattr(nodes, name) if name else None for name, _, _ in RULES]


def run(tokens: list[Token], builders: list[Builder | None]) -> Any:
    """Return the statement that `tokens` are, or a `Stuck`."""
    states, rows = [0], STATES
    values: list[Any] = []
    end: Token = (END, "", 0, 0)
    for index, token in enumerate((*tokens, end)):
        kind = token[0]
        while True:
            action = rows[states[-1]].get(kind)
            if action is None:
                if kind == END and states[-1] == END_STATE:
                    return values[0]
                return Stuck(index, _acceptable(states))
            if action >= 0:
                states.append(action)
                values.append(token)
                break
            rule = -1 - action
            _, origin, length = RULES[rule]
            builder = builders[rule]
            if builder is not None:
                value = builder(*values[-length:])
                values[-length:] = (value,)
            del states[-length:]
            states.append(rows[states[-1]][origin])
    raise AssertionError("unreachable: the end is either accepted or refused")


def _acceptable(states: list[int]) -> frozenset[str]:
    """Return the terminals that can really come next: a merged state lists some that its context refuses."""
    candidates = [symbol for symbol in STATES[states[-1]] if symbol.isupper() or symbol == END]
    if states[-1] == END_STATE:
        candidates.append(END)
    return frozenset(symbol for symbol in candidates if _accepts(states, symbol))


def _accepts(states: list[int], symbol: str) -> bool:
    stack = list(states)
    while True:
        action = STATES[stack[-1]].get(symbol)
        if action is None:
            return symbol == END and stack[-1] == END_STATE
        if action >= 0:
            return True
        _, origin, length = RULES[-1 - action]
        del stack[-length:]
        stack.append(STATES[stack[-1]][origin])
