"""Comments that ignore findings: what they hide, and those that hide nothing."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from shardlang.diagnostics import CODES, Diagnostic, Edit, Fix
from shardlang.source import SourceText, Span
from shardlang.syntax import ast

UNUSED = "SL109"

# What a text has only with the sizes, the hardware or the options of some of its runs, or for another command: a comment
# that ignores one of these may be meant for another run.
_OF_A_RUN = ("SL205", "SL211", "SL218", "SL221", "SL225", "SL405", "SL5", "SL6", UNUSED)
_SIGNS = ("#", "%", "<!--", "//")
_ENDS = ("", "-->")


class Ignores:
    """The comments of a text that ignore findings; every line and statement is looked up, none is searched for."""

    def __init__(self, source: SourceText, module: ast.Module) -> None:
        self._source = source
        self._spans = sorted(statement.span for statement in module.statements)
        self._starts = [span.start for span in self._spans]
        self._comments = sorted(module.ignores)
        self._lines = [comment.line for comment in self._comments]

    def has(self, finding: Diagnostic) -> bool:
        """Say whether a comment on a line of the finding's statement ignores it."""
        return any(_covers(comment, finding.code) for comment in self._near(finding))

    def unused(self, findings: Iterable[Diagnostic], document: bool) -> tuple[Diagnostic, ...]:
        """Return SL109 for each comment that ignores something which is not among `findings`.

        document: the text has prose, where a comment counts on the lines of a statement only: it may be an example.
        """
        hidden: dict[ast.Ignore, set[str]] = {}
        for finding in findings:
            for comment in self._near(finding):
                hidden.setdefault(comment, set()).add(finding.code)
        judged = (comment for comment in self._comments if not document or self._is_at_a_statement(comment))
        found = (self._unused(comment, hidden.get(comment, set())) for comment in judged)
        return tuple(finding for finding in found if finding is not None)

    def _near(self, finding: Diagnostic) -> list[ast.Ignore]:
        """Return the comments on the lines of a finding's statement."""
        position, at = self._source.position, finding.span.start
        first = last = position(at).line
        index = bisect_right(self._starts, at) - 1
        if index >= 0 and at < self._spans[index].end:
            first, last = (position(offset).line for offset in self._spans[index])
        return self._comments[bisect_left(self._lines, first) : bisect_right(self._lines, last)]

    def _is_at_a_statement(self, comment: ast.Ignore) -> bool:
        index = bisect_right(self._starts, comment.span.start) - 1
        return index >= 0 and self._source.position(self._spans[index].end).line >= comment.line

    def _unused(self, comment: ast.Ignore, hidden: set[str]) -> Diagnostic | None:
        if not comment.codes:
            message = None if hidden else "this comment ignores nothing: nothing is found here"
            return self._finding(message, comment, ())
        left = tuple(code for code in comment.codes if _is_unused(code, hidden))
        if not left:
            return None
        named = " and ".join(f"`{code}`" for code in left)
        unknown = [code for code in left if code not in CODES]
        message = f"{named} {'is' if len(left) == 1 else 'are'} not found here: the comment ignores nothing"
        if len(unknown) == len(left):
            message = f"there is no code {named}: the comment ignores nothing"
        return self._finding(message, comment, tuple(code for code in comment.codes if code not in left))

    def _finding(self, message: str | None, comment: ast.Ignore, kept: tuple[str, ...]) -> Diagnostic | None:
        if message is None:
            return None
        edit = Edit(comment.span, f"shardlang: ignore[{', '.join(kept)}]") if kept else self._removal(comment)
        title = "ignore only what is found" if kept else "remove the comment"
        return Diagnostic(UNUSED, message, comment.span, fixes=(Fix(title, (edit,)),))

    def _removal(self, comment: ast.Ignore) -> Edit:
        """Return the edit that removes a comment, or of one that says more the words that ignore."""
        start, end = comment.span
        line = self._source.line_start(comment.line)
        before = self._source.text[line:start].rstrip()
        after = self._source.line(comment.line)[end - line :]
        sign = next((sign for sign in _SIGNS if before.endswith(sign)), None)
        if sign is None and not after.strip():
            return Edit(Span(line + len(before), end + len(after)), "")
        if sign is None or after.strip() not in _ENDS:
            return Edit(Span(start, end + len(after) - len(after.lstrip())), "")
        return Edit(Span(line + len(before.removesuffix(sign).rstrip()), end + len(after)), "")


def _covers(comment: ast.Ignore, code: str) -> bool:
    """Say whether a comment ignores a code; that it ignores nothing is only ignored by name."""
    return code in comment.codes if comment.codes else code != UNUSED


def _is_unused(code: str, hidden: set[str]) -> bool:
    return code not in hidden and not code.startswith(_OF_A_RUN)
