"""What a text is put through: every reader, every form of report, everything that an editor asks.

Each stage takes a text and returns what it printed; it raises for what must not be, whatever the text is.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import shardlang
from shardlang import limits
from shardlang.api.project import settings_for
from shardlang.cli.services import SERVICES, service_text
from shardlang.diagnostics import CODES
from shardlang.limits import LONGEST_TEXT, MOST_FINDINGS
from shardlang.reports.findings import text_findings
from shardlang.reports.memory_text import memory_text
from shardlang.reports.parsed import parse_listing
from shardlang.reports.summary import check_summary, step_listing
from tests.fuzz import forms
from tests.fuzz.texts import Text, mutated

# Control characters, and what changes the reading direction or ends a line: none of it may reach a terminal.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
# What a file may be called in a change that somebody else proposes.
NAMES = (
    *("a.shard", "a,b:c.shard", "a\r::stop-commands::x.shard", "a\x1b[2J\u202eb.shard", "\ud800.shard", "\u2028.shard"),
    *(
        "]]>&<x a=\"'>.shard",
        "C:\\x\\y.shard",
        "//host/x",
        "../../x",
        "\x00",
        "a\tb%0A",
        "e" + "\u0301" * 40,
        "漢 字.md",
    ),
)
_REFUSALS = (ValueError,)  # of a function that is asked for what a text may not have


def check(text: Text, random: Random) -> Iterator[str]:
    """Parser, resolver, planner, and the forms of findings."""
    report = shardlang.check(text.text, document=text.document, alternatives=random.random() < 0.3)
    _sane(report, text)
    yield forms.json_text("check", report.to_dict())
    shown = text_findings(report.source, report.findings, fold=True)
    for part in (shown, step_listing(report), check_summary(report)):
        yield _safe(part)


def parse(text: Text, random: Random) -> Iterator[str]:
    """The statements as they are read, and the canonical form, which says the same and is its own canonical form."""
    report = shardlang.parse(text.text, document=text.document)
    _sane(report, text)
    yield forms.json_text("parse", report.to_dict())
    yield _safe(parse_listing(report))
    if text.document is None:
        formatted = shardlang.api.format_report(text.text).text
        if formatted is not None:
            again = shardlang.api.format_report(formatted)
            assert again.text == formatted, f"not its own canonical form: {formatted!r} -> {again.text!r}"
            assert _meaning(shardlang.parse(formatted)) == _meaning(report), f"reads differently: {formatted!r}"
            yield formatted
        return
    written = shardlang.api.format_report(text.text, document=text.document).text
    if written is not None:
        again = shardlang.api.format_report(written, document=text.document)
        # of several byte-order marks the first is one, and no part of the text
        assert again.text == written.removeprefix("\ufeff"), (
            f"not its own canonical form: {written!r} -> {again.text!r}"
        )
        yield written


def services(text: Text, random: Random) -> Iterator[str]:
    """SARIF, JUnit and GitHub, of files of any name; HTML, Markdown and LaTeX of a notebook."""
    name = random.choice(NAMES)
    report = shardlang.check(text.text, document=text.document, alternatives=False, name=name)
    for form in SERVICES:
        forms.service(form, service_text([report], form))
        shown = forms.service(form, service_text([report], form, verbose=True))
        # what is in the edits of a fix a program has to get as it is, and JSON has it as a string
        yield shown if form == "sarif" else _safe(shown)
        assert form != "github" or shown.count("\n") == max(0, len(report.findings) - 1)
    yield _markup(report._repr_html_())
    yield report._repr_markdown_()
    yield forms.latex(report._repr_latex_() or "")


def price(text: Text, random: Random) -> Iterator[str]:
    """Formulas, with and without numbers, and the derivation in every form."""
    keywords: dict[str, Any] = {"document": text.document}
    if random.random() < 0.5:
        keywords |= {"hardware": random.choice(("tpu-v5p", "h100")), "latency": random.random() < 0.5}
    report = shardlang.explain(text.text, **keywords)
    yield forms.json_text("explain", report.to_dict())
    for form in ("text", "markdown", "latex"):
        yield report.render(form)
    yield _markup(report._repr_html_())
    memory = shardlang.memory(text.text, **keywords)
    roofline = shardlang.roofline(text.text, **keywords)
    yield _safe(memory_text(memory))
    for name, other in (("memory", memory), ("roofline", roofline)):
        yield forms.json_text(name, other.to_dict())
        yield _markup(other._repr_html_())
        yield other._repr_markdown_() + other._repr_latex_()
    try:
        found = shardlang.crossover(text.text, random.choice(("B", "I", "X", "I/X")), **keywords)
        yield forms.json_text("crossover", found.to_dict())
    except _REFUSALS as refused:
        yield str(refused)


def stop(text: Text, random: Random) -> Iterator[str]:
    """The clock says at one of its looks that the time is used up: what was done until then is a report like others."""
    keywords: dict[str, Any] = {"document": text.document, "limits": shardlang.Limits(max_time=1.0)}
    work, name = random.choice(_STOPPED)
    _LOOKS.left = random.choice((1, 2, 5, 10, 30, 100))
    try:
        report = work(text.text, **keywords)
    finally:
        _LOOKS.left = None
    yield forms.json_text(name, report.to_dict())


_STOPPED: tuple[tuple[Callable[..., Any], str], ...] = (
    (shardlang.check, "check"),
    (shardlang.explain, "explain"),
    (shardlang.cost, "cost"),
    (shardlang.memory, "memory"),
    (shardlang.roofline, "roofline"),
    (shardlang.verify, "verify"),
)


class _Looks(threading.local):
    """How many looks at the clock are left in this thread before it is late; None: the real clock."""

    left: int | None = None


_LOOKS = _Looks()


def _time() -> float:
    if _LOOKS.left is None:
        return monotonic()
    _LOOKS.left -= 1
    return 0.0 if _LOOKS.left >= 0 else 1e9


limits.monotonic = _time  # type: ignore[attr-defined]


def mend(text: Text, random: Random) -> Iterator[str]:
    """The text with its safe fixes made."""
    report = shardlang.fix(text.text, document=text.document)
    _sane(report.check, Text(report.text, text.document))
    yield report.text


def run(text: Text, random: Random) -> Iterator[str]:
    """The plan on simulated devices."""
    report = shardlang.verify(text.text, document=text.document)
    yield forms.json_text("verify", report.to_dict())


def picture(text: Text, random: Random) -> Iterator[str]:
    """The mesh with its blocks."""
    found = shardlang.plot(text.text, document=text.document)
    if found.drawing is not None:
        yield forms.svg(found.svg)
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
            here = analysis.source.text[max(at - 1, 0) : at + 1]
            if here != "\r\n" and not 0xD800 <= ord(here[-1:] or "a") < 0xE000:  # no editor can be inside of a line end
                assert lines.offset(*lines.place(at)) == at
    yield repr(actions.fix_all(analysis)) if random.random() < 0.2 else ""


def settings(text: Text, random: Random) -> Iterator[str]:
    """A project that says something odd; the text is what it says, and what it says it for."""
    said = json.dumps(text.text[:200].encode("utf-8", "replace").decode())
    table = "".join(
        f"{key} = {random.choice((said, value))}\n" for key, value in _SETTINGS.items() if random.random() < 0.6
    )
    table = f"[tool.shardlang]\n{table}" + random.choice(
        ("", f"[tool.shardlang.per-file]\n{said} = {{ ignore = [{said}] }}\n")
    )
    with TemporaryDirectory() as folder:
        project = mutated(random, table) if random.random() < 0.3 else table
        Path(folder, "pyproject.toml").write_text(project, "utf-8", errors="replace")
        try:
            keywords = settings_for(Path(folder, "a.shard"))
            yield json.dumps(shardlang.check(text.text, document=text.document, **keywords).to_dict())
        except _REFUSALS as refused:
            yield str(refused).replace(folder, "")


_SETTINGS = {
    "mesh": '{ X = 4, Y = "2" }',
    "sizes": '"B=4*1024, D=8192"',
    "hardware": '"tpu-v5p"',
    "dtype": '"bf16"',
    "select": '["SL2", "SL1"]',
    "ignore": '"SL203"',
    "explicit": "true",
    "uneven": "false",
}

Stage = Callable[[Text, Random], Iterator[str]]
# How many texts in a hundred go through each.
STAGES: dict[Stage, int] = {
    check: 100,
    parse: 60,
    services: 25,
    edit: 20,
    price: 4,
    mend: 4,
    run: 4,
    picture: 4,
    settings: 3,
    stop: 4,
}


def run_stages(text: Text, random: Random) -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """Yield the stages that a text goes through: what each is called, and what runs it."""
    for stage, share in STAGES.items():
        if random.randrange(100) < share:
            yield stage.__name__, lambda stage=stage: _listed(stage, text, random)


def _listed(stage: Callable[[Text, Random], Iterator[str]], text: Text, random: Random) -> list[str]:
    """Return what a stage prints; of a document of several plans, where it has one answer for a plan, that it has none."""
    try:
        return list(stage(text, random))
    except shardlang.OptionError as refused:
        if stage in (check, parse, services, mend, edit) or "texts of their own" not in str(refused):
            raise
        return [str(refused)]


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
    return forms.html(shown)
