"""One version of a text with all that is known of it: `analyse`."""

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from shardlang.api.arguments import CHECK_NAMES, DEFAULTS, read_request
from shardlang.api.stages import Planned, plan_text, shown
from shardlang.diagnostics import Diagnostic
from shardlang.limits import ENDLESS, Clock
from shardlang.rules.plan import StatementPlan
from shardlang.semantics.program import Statement
from shardlang.source import SourceText, Span
from shardlang.tools.editor.names import Name, names_of


class Analysis:
    """What is known of one version of a text.

    source: the text as offsets count it, without a byte-order mark. document: None for plain statements, else
    `markdown`, `latex`, `html`, `rst` or `text`. findings: in the order of the text, with fixes that nobody has tried yet.
    keywords: with which `shardlang.api` gives the same findings. What takes longer is worked out when it is asked for,
    as far as the clock lets it.
    """

    def __init__(
        self,
        planned: Planned,
        findings: tuple[Diagnostic, ...],
        keywords: Mapping[str, Any],
        clock: Clock = ENDLESS,
    ) -> None:
        self.planned = planned
        self.findings = findings
        self.keywords = keywords
        self._clock = clock

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
        from shardlang.api.fixes import keep_working_fixes

        request = read_request(self.keywords, CHECK_NAMES)

        def again(text: str) -> tuple[Diagnostic, ...]:
            return plan_text(text, request, before=self.planned).findings

        return keep_working_fixes(self.source, self.findings, self.planned.findings, again, self._clock)

    def of(self, text: str) -> "Analysis":
        """Return what is known of another text of the same kind, under the same defaults."""
        return analyse(text, self.source.name, self.document, self.keywords[DEFAULTS], self)

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
    planned = plan_text(text, request, before=before.planned if before is not None else None)
    return Analysis(planned, shown(planned.front, planned.findings, request), keywords, clock)
