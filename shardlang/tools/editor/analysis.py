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
        if not self.planned.parts:
            return names_of(self.source, self.planned.front.program)
        numbers = {one.span: number for number, one in enumerate(self.planned.front.program.statements)}
        found: list[Name] = []
        for text in self._texts:
            statements, start = text.planned.front.program.statements, text.planned.front.place.start
            own = (name for name in text.names if not found or name.span.start >= start)
            found += [name._replace(statement=numbers[statements[name.statement].span]) for name in own]
        return tuple(found)

    @cached_property
    def _name_starts(self) -> list[int]:
        return [name.span.start for name in self.names]

    @cached_property
    def _plans(self) -> dict[Span, StatementPlan]:
        return {planned.statement.span: planned for planned in self.planned.plan.statements}

    @cached_property
    def _texts(self) -> "tuple[Analysis, ...]":
        return tuple(Analysis(self.run._replace(planned=part)) for part in self.planned.parts)

    def at(self, offset: int) -> "Analysis":
        """Return what is known of the text that an offset is in, with what that sees; of what several see, the first."""
        parts = self.planned.parts
        if not parts:
            return self
        return self._texts[max(0, bisect_right(parts, offset, key=lambda part: part.front.place.start) - 1)]

    def scope(self, offset: int) -> "Analysis":
        """Return where the name at an offset has one meaning: its text, or all where it stands in what the others see."""
        here, parts = self.name_at(offset), self.planned.parts
        if here is None or not parts:
            return self
        shared = (name for name in self.names if name.span.start < parts[0].front.place.start)
        return self if any((n.kind, n.name) == (here.kind, here.name) for n in shared) else self.at(offset)

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
