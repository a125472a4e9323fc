"""What a text is put through: every reader, every form of report, everything that an editor asks.

Each stage takes a text and returns what it printed; it raises for what must not be, whatever the text is.
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from random import Random
from typing import Any

import shardlang
from shardlang.cli.services import SERVICES, service_text
from shardlang.diagnostics import CODES
from shardlang.limits import LONGEST_TEXT, MOST_FINDINGS
from shardlang.reports.findings import text_findings
from shardlang.reports.parsed import parse_listing
from shardlang.reports.summary import check_summary, step_listing
from tests.fuzz.texts import Text

# Control characters, and what changes the reading direction or ends a line: none of it may reach a terminal.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_REFUSALS = (ValueError,)  # of a function that is asked for what a text may not have


def check(text: Text, random: Random) -> Iterator[str]:
    """Parser, resolver, planner, and the forms of findings."""
    report = shardlang.check(text.text, document=text.document, alternatives=random.random() < 0.3)
    _sane(report, text)
    yield json.dumps(report.to_dict())
    shown = text_findings(report.source, report.findings, fold=True)
    for part in (shown, step_listing(report), check_summary(report)):
        yield _safe(part)


def parse(text: Text, random: Random) -> Iterator[str]:
    """The statements as they are read, and the canonical form, which says the same and is its own canonical form."""
    report = shardlang.parse(text.text, document=text.document)
    _sane(report, text)
    yield json.dumps(report.to_dict())
    yield _safe(parse_listing(report))
    if text.document is None:
        formatted = shardlang.api.format_report(text.text).text
        if formatted is not None:
            again = shardlang.api.format_report(formatted)
            assert again.text == formatted, f"not its own canonical form: {formatted!r} -> {again.text!r}"
            assert _meaning(shardlang.parse(formatted)) == _meaning(report), f"reads differently: {formatted!r}"
            yield formatted


def services(text: Text, random: Random) -> Iterator[str]:
    """SARIF, JUnit and GitHub; HTML, Markdown and LaTeX of a notebook."""
    report = shardlang.check(text.text, document=text.document, alternatives=False, name="a.shard")
    for form in SERVICES:
        yield service_text([report], form)
    yield _markup(report._repr_html_())
    yield report._repr_markdown_()
    yield report._repr_latex_()


def price(text: Text, random: Random) -> Iterator[str]:
    """Formulas, with and without numbers, and the derivation in every form."""
    keywords: dict[str, Any] = {"document": text.document}
    if random.random() < 0.5:
        keywords |= {"hardware": random.choice(("tpu-v5p", "h100")), "latency": random.random() < 0.5}
    report = shardlang.explain(text.text, **keywords)
    yield json.dumps(report.to_dict())
    for form in ("text", "markdown", "latex"):
        yield report.render(form)
    yield _markup(report._repr_html_())
    yield json.dumps(shardlang.memory(text.text, **keywords).to_dict())
    yield json.dumps(shardlang.roofline(text.text, **keywords).to_dict())
    try:
        yield json.dumps(shardlang.crossover(text.text, random.choice(("B", "I", "X", "I/X")), **keywords).to_dict())
    except _REFUSALS as refused:
        yield str(refused)


def mend(text: Text, random: Random) -> Iterator[str]:
    """The text with its safe fixes made."""
    report = shardlang.fix(text.text, document=text.document)
    _sane(report.check, Text(report.text, text.document))
    yield report.text


def run(text: Text, random: Random) -> Iterator[str]:
    """The plan on simulated devices."""
    report = shardlang.verify(text.text, document=text.document)
    yield json.dumps(report.to_dict())


def picture(text: Text, random: Random) -> Iterator[str]:
    """The mesh with its blocks."""
    found = shardlang.plot(text.text, document=text.document)
    if found.drawing is not None:
        yield found.svg
        yield _safe(found.text)


def edit(text: Text, random: Random) -> Iterator[str]:
    """Everything that the language server does with a text, at a few places."""
    from shardlang.tools.editor import actions, navigation
    from shardlang.tools.editor.analysis import analyse
    from shardlang.tools.editor.colours import colours
    from shardlang.tools.editor.completion import completions
    from shardlang.tools.editor.hints import hints
    from shardlang.tools.editor.hover import hover
    from shardlang.tools.editor.outline import outline
    from shardlang.tools.editor.positions import Lines

    analysis = analyse(text.text, document=text.document)
    length = len(analysis.source.text)
    for name in analysis.names:
        assert 0 <= name.span.start < name.span.end <= length
    yield repr([(name.kind, name.name, name.role) for name in analysis.names])
    yield repr(hints(analysis, 0, length))
    yield repr(outline(analysis))
    painted = list(colours(analysis.source, analysis.planned.front.program, analysis.names, analysis.regions))
    assert all(one.end <= other.start for one, other in pairwise(painted))
    yield repr(painted)
    whole = shardlang.source.Span(0, length)
    yield repr([*actions.fixes(analysis, whole), *actions.ignores(analysis, whole)])
    yield repr(actions.formatting(analysis))
    places = [random.randint(0, length) for _ in range(3)]
    places += [random.choice(analysis.names).span.start for _ in range(2) if analysis.names]
    for at in places:
        yield repr(hover(analysis, at))
        yield repr(completions(analysis, at))
        yield repr((navigation.definition(analysis, at), navigation.references(analysis, at)))
        try:
            yield repr(navigation.rename(analysis, at, random.choice(("Q", "X", "I", "é", "AllGather", " ", "a b"))))
        except navigation.RenameError as refused:
            yield str(refused)
    for encoding in ("utf-8", "utf-16", "utf-32"):
        lines = Lines(analysis.source.text, encoding)
        for at in places:
            if not 0xD800 <= ord(analysis.source.text[at : at + 1] or "a") < 0xE000:
                assert lines.offset(*lines.place(at)) == at
    yield repr(actions.fix_all(analysis)) if random.random() < 0.2 else ""


Stage = Callable[[Text, Random], Iterator[str]]
# How many texts in a hundred go through each.
STAGES: dict[Stage, int] = {check: 100, parse: 60, services: 25, edit: 20, price: 4, mend: 4, run: 4, picture: 4}


def run_stages(text: Text, random: Random) -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """Yield the stages that a text goes through: what each is called, and what runs it."""
    for stage, share in STAGES.items():
        if random.randrange(100) < share:
            yield stage.__name__, lambda stage=stage: list(stage(text, random))


def _meaning(report: Any) -> list[dict[str, Any]]:
    """Return what the statements of a text say, wherever they stand."""
    return [{key: value for key, value in one.items() if key != "line"} for one in report.to_dict()["statements"]]


def _sane(report: Any, text: Text) -> None:
    """Raise AssertionError for a report that contradicts itself."""
    severities = {finding.severity for finding in report.diagnostics}
    assert report.ok == ("error" not in severities), f"ok is {report.ok} with findings of {severities}"
    assert len(report.findings) <= MOST_FINDINGS + 1
    length = len(report.source.text)
    for finding in report.findings:
        assert finding.code in CODES
        assert finding.message.strip()
        spans = chain(
            (finding.span,),
            (label.span for label in finding.labels),
            (one.span for fix in finding.fixes for one in fix.edits),
        )
        for span in spans:
            assert 0 <= span.start <= span.end <= length <= LONGEST_TEXT, f"{finding.code} at {span}"


def _safe(shown: str) -> str:
    """Return what goes to a terminal. Raises AssertionError where it could hide or move something."""
    found = UNSAFE.search(shown)
    assert found is None, (
        f"U+{ord(found[0]):04X} is printed as it is: {shown[max(0, found.start() - 40) : found.end()]!r}"
    )
    return shown


def _markup(shown: str) -> str:
    """Return HTML. Raises AssertionError where a text made a tag of its own."""
    own = "pre|span|p|ol|ul|li|code|strong|table|tr|td|h[1-6]"
    wrong = re.search(rf"<(?!/?(?:{own})(?:>| style=\"[^\"<>]*\">))", shown)
    assert wrong is None, f"markup of a text: {shown[wrong.start() : wrong.start() + 60]!r}"
    return shown
