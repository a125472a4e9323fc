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
        of_file = [comment for comment in self._comments if self._is_for_the_file(comment)]
        self._all_of_file = any(not comment.codes for comment in of_file)
        self._codes_of_file = {code for comment in of_file for code in comment.codes}
        self._above: dict[int, list[ast.Ignore]] = {}
        for comment in self._comments:
            if comment.alone and not comment.file:
                for line in self._lines_below(comment):
                    self._above.setdefault(line, []).append(comment)

    def has(self, finding: Diagnostic) -> bool:
        """Say whether a comment of the file, on a line of the finding's statement or above it, ignores it."""
        code = finding.code
        if code in self._codes_of_file or (self._all_of_file and code != UNUSED):
            return True
        return any(_covers(comment, code) for comment in self._near(finding))

    def unused(self, findings: Iterable[Diagnostic], document: bool) -> tuple[Diagnostic, ...]:
        """Return SL109 for each comment that ignores something which is not among `findings`.

        document: the text has prose, where a comment that is for no statement is not judged: it may be an example.
        """
        all_codes: set[str] = set()
        hidden: dict[ast.Ignore, set[str]] = {}
        for finding in findings:
            all_codes.add(finding.code)
            for comment in self._near(finding):
                hidden.setdefault(comment, set()).add(finding.code)
        first_lines = {self._source.position(start).line for start in self._starts}
        judged = (one for one in self._comments if not document or self._is_for_something(one, first_lines))
        found = (self._unused(one, all_codes if one.file else hidden.get(one, set())) for one in judged)
        return tuple(finding for finding in found if finding is not None)

    def _near(self, finding: Diagnostic) -> list[ast.Ignore]:
        """Return the comments on the lines of a finding's statement, and those right above it."""
        position, at = self._source.position, finding.span.start
        first = last = position(at).line
        index = bisect_right(self._starts, at) - 1
        if index >= 0 and at < self._spans[index].end:
            first, last = (position(offset).line for offset in self._spans[index])
        beside = self._comments[bisect_left(self._lines, first) : bisect_right(self._lines, last)]
        return [*self._above.get(first, ()), *(comment for comment in beside if not comment.file)]

    def _is_for_the_file(self, comment: ast.Ignore) -> bool:
        return comment.file and comment.alone and (not self._starts or comment.span.start < self._starts[0])

    def _lines_below(self, comment: ast.Ignore) -> set[int]:
        """Return the lines whose findings a comment on a line of its own ignores too.

        They are the one after it, and the first of the next statement where one line at most stands between: in a document
        that opens the formula or the block.
        """
        index = bisect_right(self._starts, comment.span.start)
        line = self._source.position(self._starts[index]).line if index < len(self._starts) else 0
        return {comment.line + 1, line} if line == comment.line + 2 else {comment.line + 1}

    def _is_for_something(self, comment: ast.Ignore, first_lines: set[int]) -> bool:
        if comment.file:
            return self._is_for_the_file(comment)
        return self._is_at_a_statement(comment) or (
            comment.alone and not first_lines.isdisjoint(self._lines_below(comment))
        )

    def _is_at_a_statement(self, comment: ast.Ignore) -> bool:
        index = bisect_right(self._starts, comment.span.start) - 1
        return index >= 0 and self._source.position(self._spans[index].end).line >= comment.line

    def _unused(self, comment: ast.Ignore, hidden: set[str]) -> Diagnostic | None:
        if comment.file and not self._is_for_the_file(comment):
            message = "this comment ignores nothing: for a file it stands alone on a line, before the first statement"
            return self._finding(message, comment, ())
        if not comment.codes:
            return None if hidden else self._finding("this comment ignores nothing: nothing is found here", comment, ())
        left = tuple(code for code in comment.codes if _is_unused(code, hidden))
        if not left:
            return None
        named = " and ".join(f"`{code}`" for code in left)
        unknown = [code for code in left if code not in CODES]
        message = f"{named} {'is' if len(left) == 1 else 'are'} not found here: the comment ignores nothing"
        if len(unknown) == len(left):
            message = f"there is no code {named}: the comment ignores nothing"
        return self._finding(message, comment, tuple(code for code in comment.codes if code not in left))

    def _finding(self, message: str, comment: ast.Ignore, kept: tuple[str, ...]) -> Diagnostic:
        words = "shardlang: ignore-file" if comment.file else "shardlang: ignore"
        edit = Edit(comment.span, f"{words}[{', '.join(kept)}]") if kept else self._removal(comment)
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
