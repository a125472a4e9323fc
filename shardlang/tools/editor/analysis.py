"""One version of a text with all that is known of it: `analyse`."""

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from shardlang.api.arguments import CHECK_NAMES, DEFAULTS, Request, read_request
from shardlang.api.running import Run, run_text
from shardlang.api.stages import Planned
from shardlang.diagnostics import Diagnostic
from shardlang.limits import ENDLESS, Clock
from shardlang.rules.plan import StatementPlan
from shardlang.semantics.program import Statement
from shardlang.source import SourceText, Span
from shardlang.syntax.blocks import regions_of
from shardlang.syntax.documents import Region
from shardlang.tools.editor.names import Name, names_of


class Analysis:
    """What is known of one version of a text.

    run: what command line and CI have of the same text. source: the text as offsets count it, without a byte-order mark.
    document: None for plain statements, else `markdown`, `latex`, `html`, `rst`, `text` or `python`. findings: in the order
    of the text, with fixes that nobody has tried yet. What takes longer is worked out when it is asked for, as far as the
    clock lets it.
    """

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def request(self) -> Request:
        """What the text is checked and priced with."""
        return self.run.request

    @property
    def planned(self) -> Planned:
        """The text, its plan and its machine."""
        return self.run.planned

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the text."""
        return self.run.findings

    @property
    def source(self) -> SourceText:
        """The text."""
        return self.planned.front.source

    @property
    def document(self) -> str | None:
        """The kind of document."""
        return self.planned.front.document

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Every name with its place, in the order of the text."""
        return names_of(self.source, self.planned.front.program)

    @cached_property
    def _name_starts(self) -> list[int]:
        return [name.span.start for name in self.names]

    @cached_property
    def _plans(self) -> dict[Span, StatementPlan]:
        return {planned.statement.span: planned for planned in self.planned.plan.statements}

    @cached_property
    def verified(self) -> tuple[Diagnostic, ...]:
        """The findings with those fixes only that have been tried and work."""
        return self.run.tried()

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The parts of the document, in order."""
        return regions_of(self.source.text, self.document)

    def of(self, text: str) -> "Analysis":
        """Return what is known of another text of the same kind, with the same settings."""
        return Analysis(run_text(text, self.request._replace(clock=ENDLESS), before=self.run))

    def name_at(self, offset: int) -> Name | None:
        """Return the name at an offset, or that ends there; of several the shortest."""
        at = bisect_right(self._name_starts, offset)
        near = (name for name in self.names[max(0, at - 8) : at] if name.span.start <= offset <= name.span.end)
        return min(near, key=lambda name: (offset == name.span.end, name.span.end - name.span.start), default=None)

    def statement_at(self, offset: int) -> Statement | None:
        """Return the statement that an offset is in."""
        statements = self.planned.front.program.statements
        at = bisect_right(statements, offset, key=lambda statement: statement.span.start) - 1
        return statements[at] if at >= 0 and offset <= statements[at].span.end else None

    def plan_of(self, statement: Statement) -> StatementPlan | None:
        """Return the plan of a statement; None of a declaration."""
        return self._plans.get(statement.span)


def analyse(
    text: str,
    name: str = "<text>",
    document: str | None = None,
    defaults: Mapping[str, Any] | None = None,
    before: Analysis | None = None,
    clock: Clock = ENDLESS,
) -> Analysis:
    """Return what is known of a text.

    defaults: what holds where the text says nothing, as `[tool.shardlang]` has it. before: of a text that this one was
    changed from: the same is found with it, without searching again what stayed. clock: when it is stopped what is left
    is given up, and the findings say so. Never raises on any text; raises OptionError for defaults that cannot be used.
    """
    keywords = {"name": name, "document": document, DEFAULTS: dict(defaults or {})}
    request = read_request(keywords, CHECK_NAMES)._replace(clock=clock)
    return Analysis(run_text(text, request, before=before.run if before is not None else None))
