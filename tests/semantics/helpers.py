"""Resolve a text in one call, and read what a test wants to know of the outcome."""

from typing import Any, NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.semantics import Options, Program, Statement, program_statement_text, resolve
from shardlang.semantics.program import Computation, Op
from shardlang.source import SourceText
from shardlang.syntax import parse


class Resolved(NamedTuple):
    """A resolved text with its findings."""

    text: str
    program: Program
    findings: tuple[Diagnostic, ...]

    @property
    def last(self) -> Statement:
        return self.program.statements[-1]

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]

    @property
    def op(self) -> Op:
        assert isinstance(self.last.body, Computation)
        return self.last.body.expr

    def finding(self, code: str) -> Diagnostic:
        return next(finding for finding in self.findings if finding.code == code)

    def under(self, code: str) -> str:
        """The text under the span of the first finding with `code`."""
        span = self.finding(code).span
        return self.text[span.start : span.end]

    def labelled(self, code: str) -> list[str]:
        """The texts under the labels of the first finding with `code`."""
        return [self.text[label.span.start : label.span.end] for label in self.finding(code).labels]

    def fixed(self, code: str) -> list[str]:
        """The whole text after each fix of the first finding with `code`."""
        texts = []
        for fix in self.finding(code).fixes:
            text = self.text
            for edit in sorted(fix.edits, reverse=True):
                text = text[: edit.span.start] + edit.text + text[edit.span.end :]
            texts.append(text)
        return texts

    def canonical(self) -> list[str]:
        return [program_statement_text(statement, self.program.mesh) for statement in self.program.statements]


def resolved(text: str, **options: Any) -> Resolved:
    """Parse and resolve; findings of the syntax come first."""
    module, before = parse(SourceText(text))
    program, findings = resolve(module, Options(**options))
    return Resolved(text, program, (*before, *findings))
