"""The canonical form of a whole text: statements as they print, comments and blank lines kept."""

import re

from shardlang.semantics.program import Program
from shardlang.semantics.text import program_statement_text
from shardlang.source import SourceText

_LINE_END = re.compile(r"\r\n?|[\n\x85\u2028\u2029]")  # as in the grammar


def canonical_text(source: SourceText, program: Program) -> str:
    """Return `source` with one statement a line in canonical form.

    A comment after a statement stays on its line, one inside it moves above it; several blank lines become
    one. What only delimits statements (`;`, `$`, line ends of LaTeX) is left out. The text must have been read
    whole: what is not part of a statement or a comment is lost.
    """
    out: list[str] = []
    at = 0
    for statement in program.statements:
        _gap(source.text[at : statement.span.start], out, at == 0)
        out += _comments(source.slice(statement.span))
        text = program_statement_text(statement, program.mesh)
        if text.startswith("-") and out and out[-1] and not out[-1].startswith("#"):
            out.append("")  # a line that starts with `-` continues the one before, but not over a blank line
        out.append(text)
        at = statement.span.end
    _gap(source.text[at:], out, at == 0)
    while out and not out[-1]:
        out.pop()
    return "\n".join(out) + "\n" if out else ""


def _gap(text: str, out: list[str], at_start: bool) -> None:
    """Add what stands between two statements: the rest of the first one's line, comments, blank lines."""
    first, *rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    comments = _comments(first)
    if comments and out and not at_start:
        out[-1] += f"  {comments[0]}"
    else:
        out += comments
    for line in rest[:-1]:
        comments = _comments(line)
        if comments:
            out += comments
        elif out and out[-1] and not line.strip():
            out.append("")
    if rest:
        out += _comments(rest[-1])


def _comments(text: str) -> list[str]:
    """Return the comments in `text`, one for each line that has one."""
    found = (line[line.index("#") :].rstrip() for line in _LINE_END.split(text) if "#" in line)
    return [
        "# " + body if (body := comment.lstrip("#").strip()) and comment[1:2] not in ("#", "!") else comment
        for comment in found
    ]
