"""Bytes alive on one device while a plan runs.

A layout is alive from the step that makes it (an input: from the start) to the last step that uses it; the
operands and the result of a step are alive together. What later statements still use counts in earlier ones.
Source: ARCHITECTURE section 5.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from sympy import Add, Expr, Mul

from shardlang.rules.plan import COLLECTIVES, FREE_STEPS, StatementPlan, Step, Value
from shardlang.semantics.sharding import ArrayType

Layout: TypeAlias = tuple[str | None, ArrayType, int]  # the number tells apart what a name is bound to in turn
Bytes: TypeAlias = dict[Expr, Any]  # monomial -> coefficient, an int or a SymPy number


class Event(NamedTuple):
    """One step, or a bare array: the layouts that it uses and the one that it makes."""

    uses: tuple[Layout, ...]
    makes: Layout | None


def statement_peak(statement: StatementPlan, bytes_of: Callable[[Value], Expr]) -> list[Bytes]:
    """Return what is alive at each step of one statement, on its own."""
    return _alive(_events((statement,)), bytes_of)


def plan_peak(statements: Iterable[StatementPlan], bytes_of: Callable[[Value], Expr]) -> list[Bytes]:
    """Return what is alive at each step of a plan."""
    return _alive(_events(statements), bytes_of)


def largest(candidates: list[Bytes]) -> list[Expr]:
    """Return the candidates as sums, without those that another one contains whatever the sizes are."""
    kept: list[Bytes] = []
    for candidate in candidates:
        while kept and _contains(candidate, kept[-1]):
            kept.pop()
        if not kept or not _contains(kept[-1], candidate):
            kept.append(candidate)
    if len(kept) <= _COMPARED:
        kept = [
            c for i, c in enumerate(kept) if not any(_contains(o, c) for j, o in enumerate(kept) if _before(i, j, c, o))
        ]
    return [Add(*(Mul(coefficient, base) for base, coefficient in candidate.items())) for candidate in kept]


_COMPARED = 200  # pairs of more candidates are not compared: the maximum is right without


def _before(i: int, j: int, candidate: Bytes, other: Bytes) -> bool:
    """Say whether `other` may drop `candidate`: any other one, and of equal ones the first."""
    return i != j and (candidate != other or j < i)


def _contains(large: Bytes, small: Bytes) -> bool:
    return len(small) <= len(large) and all(large.get(base, 0) >= coefficient for base, coefficient in small.items())


def _events(statements: Iterable[StatementPlan]) -> list[Event]:
    versions: dict[str | None, int] = {}
    events: list[Event] = []
    for statement in statements:
        events.extend(_event(step, versions) for step in statement.steps)
        if not statement.steps and statement.output is not None:
            events.append(Event((_layout(statement.output, versions),), None))
    return events


def _event(step: Step, versions: dict[str | None, int]) -> Event:
    uses = tuple(_layout(value, versions) for value in step.operands if value.constant is None)
    if step.result.constant is not None:
        return Event(uses, None)
    same = step.kind in COLLECTIVES + FREE_STEPS and any(v.name == step.result.name for v in step.operands)
    if not same:
        versions[step.result.name] = versions.get(step.result.name, 0) + 1
    return Event(uses, _layout(step.result, versions))


def _layout(value: Value, versions: dict[str | None, int]) -> Layout:
    return (value.name, value.type, versions.get(value.name, 0))


def _alive(events: list[Event], bytes_of: Callable[[Value], Expr]) -> list[Bytes]:
    last: dict[Layout, int] = {}
    made: set[Layout] = set()
    inputs: dict[Layout, None] = {}
    for at, event in enumerate(events):
        for layout in event.uses:
            last[layout] = at
            if layout not in made:
                inputs[layout] = None
        if event.makes is not None:
            made.add(event.makes)
            last.setdefault(event.makes, at)
            last[event.makes] = max(last[event.makes], at)
    ends: dict[int, list[Layout]] = {}
    for layout, at in last.items():
        ends.setdefault(at, []).append(layout)
    running: Bytes = {}
    for layout in inputs:
        _add(running, layout, bytes_of, 1)
    candidates: list[Bytes] = []
    alive = set(inputs)
    for at, event in enumerate(events):
        if event.makes is not None and event.makes not in alive:
            alive.add(event.makes)
            _add(running, event.makes, bytes_of, 1)
        candidates.append(dict(running))
        for layout in ends.get(at, ()):
            if layout in alive:
                alive.discard(layout)
                _add(running, layout, bytes_of, -1)
    return candidates


def _add(running: Bytes, layout: Layout, bytes_of: Callable[[Value], Expr], sign: int) -> None:
    coefficient, base = bytes_of(Value(layout[0], layout[1])).as_coeff_Mul()
    number = int(coefficient) if coefficient.is_Integer else coefficient  # whole numbers compare much faster so
    left = running.get(base, 0) + sign * number
    if left == 0:
        running.pop(base, None)
    else:
        running[base] = left
