"""The types of a finding."""

from typing import NamedTuple

from shardlang.diagnostics.codes import CODES
from shardlang.source import Span


class Label(NamedTuple):
    """Another place that is involved in a finding, with a few words on its part."""

    span: Span
    message: str


class Edit(NamedTuple):
    """Replace the text under `span` by `text`."""

    span: Span
    text: str


class Fix(NamedTuple):
    """A change that mends the finding."""

    title: str
    edits: tuple[Edit, ...]


class Diagnostic(NamedTuple):
    """One finding: what is wrong, where, and how to mend it."""

    code: str
    message: str
    span: Span
    labels: tuple[Label, ...] = ()
    hint: str | None = None
    fixes: tuple[Fix, ...] = ()

    @property
    def severity(self) -> str:
        """`error`, `warning` or `info`, as the registry says for the code."""
        return CODES[self.code].severity
