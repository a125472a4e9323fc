"""The pytest plugin: plans in files and in documents are tests, and a fixture asserts on plans that a program writes.

Nothing is collected unless `--shardlang` or the setting `shardlang_files` asks for it. pytest imports this module at every
start: what checks plans is imported when the first one is.
"""

import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

_COLLECTED = pytest.StashKey[bool]()

if TYPE_CHECKING:
    from shardlang.diagnostics import Diagnostic
    from shardlang.reports.objects import CheckReport
    from shardlang.source import SourceText, Span
    from shardlang.tools.assertions import Plans


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--shardlang` and the setting `shardlang_files`."""
    group = parser.getgroup("shardlang", "sharding plans")
    group.addoption(
        "--shardlang",
        action="store_true",
        help="check plans as tests: in the files that `shardlang_files` names, else in those that [tool.shardlang] includes (*.shard)",
    )
    parser.addini(
        "shardlang_files",
        type="args",
        default=[],
        help="patterns of files whose plans are tests, always: *.shard, docs/**/*.md, src/*.py (plans in docstrings)",
    )


def pytest_sessionstart(session: pytest.Session) -> None:
    """Refuse settings of the root directory that cannot be used, as `shardlang check` does: they say what is collected."""
    if not _is_asked_for(session.config):
        return
    from shardlang.api import OptionError
    from shardlang.api.project import included

    try:
        included(str(session.config.rootpath))
    except OptionError as problem:
        raise pytest.UsageError(str(problem)) from None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "PlanFile | None":
    """Return the collector of a file with plans, None for any other file."""
    config = parent.config
    if not _is_asked_for(config):
        return None
    patterns = config.getini("shardlang_files")
    root = config.rootpath
    parts = file_path.relative_to(root).parts if file_path.is_relative_to(root) else file_path.parts[-1:]
    if not (_fits(parts, patterns) if patterns else _is_included(file_path)):
        return None
    config.stash[_COLLECTED] = True
    file: PlanFile = PlanFile.from_parent(parent, path=file_path)
    return file


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """Say so where plans were asked for and there was none to test."""
    whole = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
    if not whole or not _is_asked_for(config) or config.stash.get(_COLLECTED, False) or not _looked_everywhere(config):
        return
    patterns = config.getini("shardlang_files")
    name = "shardlang_files" if patterns else "include"
    if not patterns:
        from shardlang.api.project import included

        patterns = included(str(config.rootpath))
    below = f", below testpaths = {_listed(config.args)}" if _is_of_testpaths(config) else ""
    terminalreporter.write_line(f"shardlang: no plan file fits {name} = {_listed(patterns)}{below}", yellow=True)


def _is_asked_for(config: pytest.Config) -> bool:
    return bool(config.getini("shardlang_files")) or bool(config.getoption("--shardlang"))


def _looked_everywhere(config: pytest.Config) -> bool:
    """Say whether this process collected from the whole root directory or from `testpaths`; workers of xdist tell it nothing."""
    if config.getoption("dist", "no") != "no":
        return False
    here, root = config.invocation_params.dir, config.rootpath.resolve()
    return _is_of_testpaths(config) or any((here / name).resolve() == root for name in config.args)


def _is_of_testpaths(config: pytest.Config) -> bool:
    return config.args_source.name == "TESTPATHS"


def _listed(patterns: Iterable[str]) -> str:
    return json.dumps(list(patterns), ensure_ascii=False)  # as TOML has it


def _fits(parts: tuple[str, ...], patterns: list[str]) -> bool:
    from shardlang.api.project import fits

    return any(fits(parts, pattern) for pattern in patterns)


def _is_included(path: Path) -> bool:
    from shardlang.api import OptionError
    from shardlang.api.project import included_names

    try:
        return bool(included_names(path.parent, [path.name]))
    except OptionError:  # the tests of plan files say so
        return path.suffix == ".shard"


@pytest.fixture(name="shardlang")
def _shardlang(request: pytest.FixtureRequest) -> "Plans":
    """Check plans with the settings of the test's project: `shardlang.check`, `shardlang.assert_plan`."""
    from shardlang.api.project import settings_for
    from shardlang.tools.assertions import Plans

    return Plans(settings_for(request.path))


class PlanFile(pytest.File):
    """A file with plans: one test of a plan file; of a document one of each block, and one of what is in no block."""

    def collect(self) -> Iterator["PlanItem"]:
        """Yield the tests."""
        if self.kind is None:
            yield PlanItem.from_parent(self, name="plan")
            return
        yield PlanItem.from_parent(self, name="document", apart=self.spans)
        for span in self.spans:
            text = self._source.slice(span)
            line = self._source.position(span.start + len(text) - len(text.lstrip())).line
            yield PlanItem.from_parent(self, name=f"line{line}", span=span, line=line)

    @cached_property
    def spans(self) -> "tuple[Span, ...]":
        """Where the blocks are; none of a plan file."""
        from shardlang.syntax.blocks import blocks

        return () if self.kind is None else tuple(blocks(self._source.text, self.kind))

    @cached_property
    def _source(self) -> "SourceText":
        from shardlang.api.stages import read_source

        return read_source(self.path.read_bytes(), self.path.name, self.kind)[0]

    @property
    def kind(self) -> str | None:
        """The kind of document, None for a plan file."""
        from shardlang.syntax import document_kind

        return document_kind(self.path.name)

    @cached_property
    def report(self) -> "CheckReport":
        """The report of the whole file: blocks of a document may use what others declare."""
        from shardlang import api
        from shardlang.api.project import settings_for

        here = self.config.invocation_params.dir  # a hardware file that a text names is found from where the text is
        name = self.path.relative_to(here) if self.path.is_relative_to(here) else self.path
        keywords: Any = {"name": str(name), "document": self.kind, "alternatives": False}
        return api.check(self.path.read_bytes(), **keywords, **settings_for(self.path))


class PlanItem(pytest.Item):
    """A plan as a test: it fails where something in its place is an error.

    span: its place, None for the whole file but the places `apart`, which are tests of their own.
    """

    parent: PlanFile

    def __init__(
        self, *, span: "Span | None" = None, apart: "tuple[Span, ...]" = (), line: int = 1, **keywords: Any
    ) -> None:
        super().__init__(**keywords)
        self._span = span
        self._apart = apart
        self._line = line
        self.funcargs: dict[str, object] = {}  # it takes no fixtures; other plugins look for them in every item

    def runtest(self) -> None:
        """Check the plan. Raises PlanError."""
        from shardlang.reports.findings import text_findings
        from shardlang.tools.assertions import PlanError

        report = self.parent.report
        found = [finding for finding in report.findings if self._has(finding)]
        if any(finding.severity == "error" for finding in found):
            raise PlanError(text_findings(report.source, found, fold=True))
        if found:
            self.add_report_section("call", "plan", text_findings(report.source, found, fold=True))

    def _has(self, finding: "Diagnostic") -> bool:
        if self._span is not None:
            return _is_in(finding, self._span)
        return not any(_is_in(finding, span) for span in self._apart)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what is shown of a failure: the findings drawn into the plan, or what is wrong with the settings."""
        from shardlang.api import OptionError
        from shardlang.tools.assertions import PlanError

        if isinstance(excinfo.value, PlanError | OptionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the plan is, the line from zero, and its name."""
        if self._span is None:
            return self.path, 0, f"{self.name} in {self.path.name}"
        return self.path, self._line - 1, f"plan in {self.path.name}, line {self._line}"


def _is_in(finding: "Diagnostic", span: "Span") -> bool:
    return span.start <= finding.span.start < max(span.end, span.start + 1)
