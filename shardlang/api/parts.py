"""Documents of several texts: docstrings of one file, and blocks that are marked as new.

Each text is resolved and planned by itself; what is found in them is put together again in the order of the document.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic, Label
from shardlang.limits import MOST_SEEN_AGAIN
from shardlang.rules.plan import Plan
from shardlang.semantics.program import Program
from shardlang.source import Span
from shardlang.syntax import ast

_OF_OPTIONS = Span(0, 0)  # where findings stand that are about no place of the text


class Text(NamedTuple):
    """One of the texts of a document. place: where that stands which it has alone. seen: the text that it sees besides."""

    module: ast.Module
    place: Span
    seen: Span


class Found(NamedTuple):
    """What is found in one of the texts. place: what is its own. first: its first statement of its own."""

    place: Span
    first: Span
    findings: Sequence[Diagnostic]


class Texts(NamedTuple):
    """The texts of a document in order, none where it is one. findings: why some are left out."""

    texts: tuple[Text, ...] = ()
    findings: tuple[Diagnostic, ...] = ()


def texts_of(module: ast.Module, length: int) -> Texts:
    """Take a document with so many characters apart into its texts; those without a statement do not count.

    Where they see the first one, it is in each of the others, and none by itself.
    """
    if not module.starts:
        return Texts()
    starts = [0, *module.starts]
    own: list[list[ast.Statement]] = [[] for _ in starts]
    for statement in module.statements:
        own[bisect_right(starts, statement.span.start) - 1].append(statement)
    seen = own[0] if module.shared else []
    numbers = [number for number, statements in enumerate(own) if statements and statements is not seen]
    if len(numbers) < 2:
        return Texts()
    findings: tuple[Diagnostic, ...] = ()
    if len(seen) * len(numbers) > MOST_SEEN_AGAIN:
        most = max(1, MOST_SEEN_AGAIN // len(seen))
        message = (
            f"the docstring of the module has {len(seen)} statements, and {len(numbers)} others see them: "
            "those from here on are not checked"
        )
        findings = (Diagnostic("SL601", message, own[numbers[most]][0].span),)
        numbers = numbers[:most]
    places = [Span(*ends) for ends in pairwise((*starts, length + 1))]
    others = places[0] if seen else Span(0, 0)
    texts = (
        Text(module._replace(statements=(*seen, *own[number]), starts=()), places[number], others) for number in numbers
    )
    return Texts(tuple(texts), findings)


def found_in(findings: Sequence[Diagnostic], text: Text) -> tuple[Diagnostic, ...]:
    """Return the findings that stand in a text."""
    return tuple(one for one in findings if any(_is_in(one, place) for place in (text.seen, text.place)))


def _is_in(finding: Diagnostic, place: Span) -> bool:
    return place.start <= finding.span.start < place.end


def together(found: Sequence[Found]) -> tuple[Diagnostic, ...]:
    """Return the findings of all texts; what is outside of the own place of each, in a text that they see, once.

    There an error or a warning of any of them counts, and says of which, a note only where it is one of all.
    """
    kept: dict[object, Diagnostic] = {}
    seen: dict[object, Diagnostic] = {}
    counts: dict[object, int] = {}
    for place, first, findings in found:
        outside: dict[object, Diagnostic] = {}
        for finding in findings:
            if finding.span != _OF_OPTIONS and _is_in(finding, place):
                kept[finding] = finding
            else:
                outside.setdefault((finding.code, finding.span, *_words(finding)), finding)
        for key, finding in outside.items():
            label = Label(first, "so it is for the text that starts here")
            seen.setdefault(key, finding._replace(labels=(*finding.labels, label)))
            kept.setdefault(key, finding)
            counts[key] = counts.get(key, 0) + 1
    partial = {key for key, count in counts.items() if count < len(found)}
    return tuple(
        seen[key] if key in partial else finding
        for key, finding in kept.items()
        if key not in partial or finding.severity != "info"
    )


def _words(finding: Diagnostic) -> tuple[str, ...]:
    """Return what tells findings at one place apart: of one that is about options, the message."""
    return (finding.message,) if finding.span == _OF_OPTIONS else ()


def one_program(programs: Sequence[Program]) -> Program:
    """Return the statements of all texts; what else there is of a program is that of the first."""
    first, *others = programs
    found = {statement.span: statement for statement in first.statements}
    for program in others:
        for statement in program.statements:
            found.setdefault(statement.span, statement)
    return first._replace(statements=tuple(found.values()))


def one_plan(program: Program, plans: Sequence[Plan], findings: tuple[Diagnostic, ...]) -> Plan:
    """Return the plans of the statements of all texts."""
    first, *others = plans
    found = {planned.statement.span: planned for planned in first.statements}
    for plan in others:
        for planned in plan.statements:
            found.setdefault(planned.statement.span, planned)
    return Plan(program, tuple(found.values()), findings)


def programs_apart(programs: Sequence[Program]) -> list[Program]:
    """Return the program of each text with those statements only that none before has."""
    done: set[Span] = set()
    found: list[Program] = []
    for program in programs:
        own = tuple(statement for statement in program.statements if statement.span not in done)
        done.update(statement.span for statement in own)
        found.append(program._replace(statements=own))
    return found


def plans_apart(plans: Sequence[Plan]) -> list[Plan]:
    """Return the plan of each text with those statements only that none before has."""
    done: set[Span] = set()
    found: list[Plan] = []
    for plan in plans:
        own = tuple(planned for planned in plan.statements if planned.statement.span not in done)
        done.update(planned.statement.span for planned in own)
        found.append(plan._replace(statements=own))
    return found
