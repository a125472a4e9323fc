"""Bytes alive on one device while a plan runs.

A layout is alive from the step that makes it (an input: from the start) to the last step that uses it; the
operands and the result of a step are alive together. What later statements still use counts in earlier ones. A
layout that is made again, such as a weight that is gathered anew, is not kept from one making to the next: the
time of making it is paid each time.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from sympy import Add, Expr, Integer, Mul, Symbol

from shardlang.cost.conditions import difference
from shardlang.cost.maximum import ZERO, maximum
from shardlang.cost.signs import decide, exceeds
from shardlang.cost.terms import Powers, Term, term_of
from shardlang.cost.values import Values, evaluate
from shardlang.rules.plan import COLLECTIVES, FREE_STEPS, StatementPlan, Step, Value
from shardlang.semantics.sharding import ArrayType

Layout: TypeAlias = tuple[str | None, ArrayType, int]  # the number tells apart what has one name, or none
Bytes: TypeAlias = dict[Expr, Any]  # monomial -> coefficient, an int or a SymPy number

LARGEST_FORMULA = 400  # addends; a longer formula helps nobody and takes long to print
_NEIGHBOURS = 12


class Peak(NamedTuple):
    """The most bytes alive at once: a maximum over steps, and whether it is exact or a bound.

    at, step, there: the statement of the largest step, its number in it, both from zero, and the sum of what is alive
    at it; None where sizes that are open decide which step that is.
    """

    bytes: Expr
    exact: bool
    at: int | None = None
    step: int | None = None
    there: Expr | None = None


class Event(NamedTuple):
    """One step, or a bare array: the layouts that it uses, the one that it makes, and which step of which statement it is."""

    uses: tuple[Layout, ...]
    makes: Layout | None
    statement: int
    step: int


class _Sum(NamedTuple):
    """The bytes alive at one event."""

    event: int
    total: Bytes


class Change(NamedTuple):
    """What one event adds before and takes away after."""

    born: tuple[Layout, ...]
    dead: tuple[Layout, ...]


def peak(
    statements: Iterable[StatementPlan],
    bytes_of: Callable[[Value], Expr],
    values: Values,
    sizes: frozenset[Symbol] = frozenset(),
    axes: frozenset[Symbol] = frozenset(),
) -> Peak:
    """Return the largest sum of bytes that is alive at one step.

    It is a maximum over steps; what all of these have in common stands before it. Where that would have more than
    some hundred addends it is the sum at the largest step, if the sizes are known, else a bound: each kind of layout
    as often as it ever occurs (then it is not exact). sizes, axes: as `conditions.compare` takes them.
    """
    events = _events(statements)
    changes = _changes(events)
    numbers = _numbers(changes, bytes_of, values)
    front = _front(_sums(changes, bytes_of))
    most = None if front is None else _largest(front, sizes, axes)
    event = (
        numbers.index(max(numbers)) if numbers else front[0].event if front is not None and len(front) == 1 else None
    )
    if event is not None:
        there = _expression(next(islice(_sums(changes, bytes_of), event, None)))
        most = there if most is None else most
        return Peak(most, True, events[event].statement, events[event].step, there)
    if most is not None:
        return Peak(most, True)
    bound: Bytes = {}
    for total, touched in _running(changes, bytes_of):
        for base in touched:
            bound[base] = max(bound.get(base, 0), total.get(base, 0))
    return Peak(_expression(bound), False)


def inputs(statements: Iterable[StatementPlan]) -> tuple[Value, ...]:
    """Return the arrays that are there before the first statement: in these layouts they are used and not made."""
    found: dict[Layout, None] = {}
    made: set[Layout] = set()
    for event in _events(statements):
        found.update((layout, None) for layout in event.uses if layout not in made)
        if event.makes is not None:
            made.add(event.makes)
    return tuple(Value(name, array) for name, array, _ in found)


def alive(statements: Iterable[StatementPlan], at: int, step: int) -> tuple[Value, ...]:
    """Return the arrays that are alive at a step of a statement, both counted from zero."""
    events = _events(statements)
    there: dict[Layout, None] = {}
    for event, change in zip(events, _changes(events), strict=True):
        there.update(dict.fromkeys(change.born))
        if (event.statement, event.step) == (at, step):
            break
        for layout in change.dead:
            there.pop(layout, None)
    return tuple(Value(name, array) for name, array, _ in there)


def _expression(total: Bytes) -> Expr:
    return Add(*(_product(coefficient, base) for base, coefficient in total.items()))


@lru_cache(maxsize=8192)
def _product(coefficient: Any, base: Expr) -> Expr:
    return Mul(coefficient, base)


@lru_cache(maxsize=8192)
def _parts(expr: Expr) -> tuple[Any, Expr]:
    coefficient, base = expr.as_coeff_Mul()
    return (int(coefficient) if coefficient.is_Integer else coefficient), base  # whole numbers compare much faster so


def _largest(front: list[_Sum], sizes: frozenset[Symbol], axes: frozenset[Symbol]) -> Expr:
    """Return the maximum of sums, common addends taken out. Those that another one exceeds for all sizes leave `front`."""
    if 1 < len(front) <= _NEIGHBOURS:
        as_terms = [[_term(base, number) for base, number in total.items()] for _, total in front]
        for at in range(len(front) - 1, -1, -1):
            others = (terms for other, terms in enumerate(as_terms) if other != at)
            if any(_never_larger(as_terms[at], other, sizes, axes) for other in others):
                del front[at], as_terms[at]
    if len(front) < 2:
        return _expression(front[0].total) if front else ZERO
    shared = {base: min(total.get(base, 0) for _, total in front) for base in front[0].total}
    shared = {base: number for base, number in shared.items() if number}
    rest = (
        {base: left for base, number in total.items() if (left := number - shared.get(base, 0))} for _, total in front
    )
    return Add(_expression(shared), maximum(*(_expression(total) for total in rest)))


def _term(base: Expr, number: Any) -> Term:
    return Term(Integer(1) * number, _powers(base))


@lru_cache(maxsize=8192)
def _powers(base: Expr) -> Powers:
    return term_of(base).powers


def _never_larger(one: list[Term], other: list[Term], sizes: frozenset[Symbol], axes: frozenset[Symbol]) -> bool:
    if exceeds(one, other, axes):
        return False
    positive, negative = difference(one, other)
    return not positive or (bool(negative) and decide(positive, negative, sizes, axes) == "never")


def _front(totals: Iterable[Bytes]) -> list[_Sum] | None:
    """Return the sums that no other one contains whatever the sizes are; None if they are too many for a formula."""
    front: list[_Sum] = []
    addends = 0
    for event, total in enumerate(totals):
        near = [*front[:_NEIGHBOURS], *front[-_NEIGHBOURS:]]
        if any(_contains(other, total) for _, other in near):
            continue
        front = [other for other in front if not _contains(total, other.total)]
        front.append(_Sum(event, total))
        addends = sum(len(other) for _, other in front)
        if addends > LARGEST_FORMULA:
            return None
    return front


def _contains(large: Bytes, small: Bytes) -> bool:
    return len(small) <= len(large) and all(large.get(base, 0) >= coefficient for base, coefficient in small.items())


def _sums(changes: list[Change], bytes_of: Callable[[Value], Expr]) -> Iterator[Bytes]:
    for total, _ in _running(changes, bytes_of):
        yield dict(total)


def _running(changes: list[Change], bytes_of: Callable[[Value], Expr]) -> Iterator[tuple[Bytes, list[Expr]]]:
    """Yield at each event the bytes alive (one dictionary, kept up to date) and the kinds of layout that came up."""
    total: Bytes = {}
    for change in changes:
        touched = [_add(total, layout, bytes_of, 1) for layout in change.born]
        yield total, touched
        for layout in change.dead:
            _add(total, layout, bytes_of, -1)


def _numbers(changes: list[Change], bytes_of: Callable[[Value], Expr], values: Values) -> list[float] | None:
    """Return the bytes alive at each event as numbers, None while a size is open."""
    known: dict[tuple[str | None, ArrayType], float] = {}

    def number(layout: Layout) -> float | None:
        key = layout[:2]
        if key not in known:
            value = evaluate(bytes_of(Value(*key)), values)
            if value is None:
                return None
            known[key] = value
        return known[key]

    running, totals = 0.0, []
    for change in changes:
        for layout in change.born:
            value = number(layout)
            if value is None:
                return None
            running += value
        totals.append(running)
        running -= sum(number(layout) or 0.0 for layout in change.dead)
    return totals


def _events(statements: Iterable[StatementPlan]) -> list[Event]:
    layouts = _Layouts()
    events: list[Event] = []
    for number, statement in enumerate(statements):
        layouts.forget()
        events.extend(_event(step, layouts, number, at) for at, step in enumerate(statement.steps))
        if not statement.steps and statement.output is not None:
            events.append(Event((layouts.used(statement.output),), None, number, 0))
    return events


def _event(step: Step, layouts: "_Layouts", statement: int, at: int) -> Event:
    uses = tuple(layouts.used(value) for value in step.operands if value.constant is None)
    if step.result.constant is not None:
        return Event(uses, None, statement, at)
    same = step.kind in COLLECTIVES + FREE_STEPS and any(v.name == step.result.name for v in step.operands)
    return Event(uses, layouts.made(step.result, uses[0] if same else None), statement, at)


class _Layouts:
    """Numbers what has one name in turn. What has none is used once, as no text can say it again, and each has a number of its own."""

    def __init__(self) -> None:
        self._versions: dict[str, int] = {}
        self._nameless = 0
        self._unused: list[Layout] = []

    def forget(self) -> None:
        """Begin a statement: what another one made and did not name is out of reach."""
        self._unused.clear()

    def used(self, value: Value) -> Layout:
        """Return the layout that an operand is."""
        if value.name is not None:
            return (value.name, value.type, self._versions.get(value.name, 0))
        found = next((layout for layout in self._unused if layout[1] == value.type), None)
        if found is None:
            return self._new(value)
        self._unused.remove(found)
        return found

    def made(self, value: Value, of: Layout | None) -> Layout:
        """Return the layout that a result is. of: the operand, where it is the same array in another layout."""
        if value.name is not None:
            if of is None:
                self._versions[value.name] = self._versions.get(value.name, 0) + 1
            return self.used(value)
        layout = self._new(value) if of is None else (None, value.type, of[2])
        self._unused.append(layout)
        return layout

    def _new(self, value: Value) -> Layout:
        self._nameless += 1
        return (None, value.type, self._nameless)


def _changes(events: list[Event]) -> list[Change]:
    """Return the births and deaths at each event; inputs are born at the first."""
    born: list[list[Layout]] = [[] for _ in events]
    dead: list[list[Layout]] = [[] for _ in events]
    last: dict[Layout, int] = {}  # of the copy that is alive
    for at, event in enumerate(events):
        for layout in event.uses:
            if layout not in last:
                born[0].append(layout)
            last[layout] = at
        if event.makes is None:
            continue
        if last.get(event.makes) != at:  # else a step that changes nothing: its operand stays
            if event.makes in last:
                dead[last[event.makes]].append(event.makes)
            born[at].append(event.makes)
        last[event.makes] = at
    for layout, at in last.items():
        dead[at].append(layout)
    return [Change(tuple(b), tuple(d)) for b, d in zip(born, dead, strict=True)]


def _add(total: Bytes, layout: Layout, bytes_of: Callable[[Value], Expr], sign: int) -> Expr:
    number, base = _parts(bytes_of(Value(layout[0], layout[1])))
    left = total.get(base, 0) + sign * number
    if left == 0:
        total.pop(base, None)
    else:
        total[base] = left
    return base
