"""What `format_report` gives back, and what keeps a text from having a canonical form."""

from typing import NamedTuple

from shardlang.diagnostics import Diagnostic
from shardlang.source import SourceText


class Formatted(NamedTuple):
    """A text in canonical form; `text` is None, and `findings` say why, where it could not be read whole."""

    text: str | None
    source: SourceText
    findings: tuple[Diagnostic, ...]


def drops_statement(finding: Diagnostic) -> bool:
    """Say whether a finding of syntax stands for a statement that was not read: an error, or a skipped formula."""
    return finding.severity == "error" or finding.code == "SL106"
