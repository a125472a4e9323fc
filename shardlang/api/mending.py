"""A text with its fixes made: of each finding the first, again and again until none is left."""

from collections.abc import Callable
from typing import NamedTuple

from shardlang.api.fixes import judged
from shardlang.api.placing import Surroundings, placed
from shardlang.diagnostics import Diagnostic, Edit, Fix
from shardlang.limits import ENDLESS, Clock
from shardlang.reports.corrections import apply_fix
from shardlang.source import SourceText

MOST_ROUNDS = 30
"""The most times that fixes are made; a fix may bring up another finding, and that one a fix."""

Check = Callable[[str], tuple[Diagnostic, ...]]
Run = Callable[[str], bool | None]


class Made(NamedTuple):
    """A fix, with the finding that it mends and the line of that in the text as it was then."""

    finding: Diagnostic
    fix: Fix
    line: int


class Mended(NamedTuple):
    """What came of mending: the text, the fixes made, and those left out since the text with them is wrong when run."""

    text: str
    made: tuple[Made, ...]
    wrong: tuple[Made, ...]


def mend(
    source: SourceText,
    check: Check,
    run: Run,
    unsafe: bool = False,
    document: str | None = None,
    clock: Clock = ENDLESS,
) -> Mended:
    """Return `source` with the first fix of every error and warning made, and so on with the text that comes of it.

    Only safe fixes are made, unless `unsafe` asks for the others too, and only those that keep the text around them
    whole (see `placed`); `document`: the kind of the text, None for statements.

    check: the findings of a text, with those fixes that are known to work. run: whether a text is right when run, None
    where it cannot be run. Where a text is wrong with a fix, that one is left out, and the next of the finding tried.
    Notes are advice and stay. clock: with its time used up, what was made until then stands.
    """
    text, made, wrong = source.text, list[Made](), list[Made]()
    findings = check(text)
    seen = {text}
    for _ in range(MOST_ROUNDS):
        chosen = _first_fixes(SourceText(text, source.name), findings, wrong, unsafe, document)
        groups = [chosen, *([one] for one in chosen)] if len(chosen) > 1 else [chosen]
        before = len(made), len(wrong)
        for group in () if clock.over() else groups:
            changed = apply_fix(text, Fix("", tuple(edit for one in group for edit in one.fix.edits)))
            if changed is None or changed in seen:  # two fixes may chase each other
                continue
            after, right = check(changed), run(changed)
            if clock.over():
                break
            if right is False and len(group) == 1:
                wrong += group
            elif right is not False and _errors(judged([one.fix for one in group], after)) <= _errors(findings):
                made += [one._replace(fix=one.fix._replace(executed=right)) for one in group]
                text, findings = changed, after
                seen.add(text)
                break
        if before == (len(made), len(wrong)):
            break
    return Mended(text, tuple(made), tuple(wrong))


def _first_fixes(
    source: SourceText, findings: tuple[Diagnostic, ...], wrong: list[Made], unsafe: bool, document: str | None
) -> list[Made]:
    """Return the first fix of each finding that is not known to be wrong; of those that overlap only one."""
    refused = {_key(one.finding, one.fix) for one in wrong}
    around = Surroundings(source.text, document)
    chosen: list[Made] = []
    edits: tuple[Edit, ...] = ()
    for finding in findings:
        fixes = (fix for fix in finding.fixes if (fix.safe or unsafe) and _key(finding, fix) not in refused)
        fix = next((there for fix in fixes if (there := placed(around, fix)) is not None), None)
        if fix is None or finding.severity == "info":
            continue
        if apply_fix(source.text, Fix("", (*edits, *fix.edits))) is not None:
            edits += fix.edits
            chosen.append(Made(finding, fix, source.position(finding.span.start).line))
    return chosen


def _key(finding: Diagnostic, fix: Fix) -> tuple[object, ...]:
    return (finding.code, finding.message, tuple("".join(edit.text.split()) for edit in fix.edits))


def _errors(findings: tuple[Diagnostic, ...]) -> int:
    return sum(finding.severity == "error" for finding in findings)
