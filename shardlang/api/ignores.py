"""Comments that ignore findings: what they hide, and those that hide nothing."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from shardlang.api.selection import begins_code
from shardlang.diagnostics import Diagnostic, Edit, Fix
from shardlang.source import SourceText, Span
from shardlang.syntax import ast
from shardlang.syntax.comments import OTHER_LETTERS

UNUSED = "SL109"

# What a text has only with the sizes, the hardware or the options of some of its runs, or for another command: a comment
# that ignores one of these may be meant for another run.
_OF_A_RUN = ("SL205", "SL211", "SL218", "SL221", "SL225", "SL405", "SL5", "SL6", UNUSED)
_LIMITS = "SL6"
_SIGNS = ("#", "%", "<!--", "..")
_ENDS = ("", "-->")
_QUOTED = re.compile(r"[ \t>]*")
_OPENS = re.compile(r"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t][ \t>]*)*(?:`{3}|~{3}|\.\.[ \t]|\$\$|\\\[|\\begin\b|<)")
_OPTION = re.compile(r"[ \t>]*:[\w-]+:")  # below the line that opens a block of reStructuredText
_REACH = 200  # characters that are looked at beside a comment, for its sign and its end

_Lines = tuple[int, int]


class Ignores:
    """The comments of a text that ignore findings; every line and statement is looked up, none is searched for.

    document: the text has prose.
    """

    def __init__(self, source: SourceText, module: ast.Module, document: bool = False) -> None:
        self._source = source
        self._spans = sorted(statement.span for statement in module.statements)
        self._starts = [span.start for span in self._spans]
        self._unreadable = [comment for comment in module.ignores if comment.wrong is not None]
        self._comments = sorted(comment for comment in module.ignores if comment.wrong is None)
        self._lines = [comment.line for comment in self._comments]
        self._document = document
        self._first_lines = {source.position(start).line for start in self._starts}
        of_file = [comment for comment in self._comments if self._is_for_the_file(comment)]
        self._all_of_file = any(not comment.codes for comment in of_file)
        self._codes_of_file = tuple({code for one in of_file for code in one.codes if begins_code(code)})
        self._named_at: dict[_Lines, tuple[tuple[str, ...], bool]] = {}
        self._next_at: dict[int, int] = {}
        self._above: dict[int, list[ast.Ignore]] = {}
        for comment in self._comments:
            if comment.alone and not comment.file:
                for line in self._lines_below(comment):
                    self._above.setdefault(line, []).append(comment)

    def has(self, finding: Diagnostic) -> bool:
        """Say whether a comment of the file, on a line of the finding's statement or above it, ignores it.

        No comment hides that a limit kept something from being checked: what was not looked at is not fine.
        """
        code = finding.code
        if code.startswith(_LIMITS) and finding.severity == "error":
            return False
        if _names(self._codes_of_file, code) or (self._all_of_file and code != UNUSED):
            return True
        codes, everything = self._named(self._lines_of(finding))
        return _names(codes, code) or (everything and code != UNUSED)

    def wrong(self) -> Iterator[Diagnostic]:
        """Yield SL109 for each comment that cannot be read, or names a code that there is not.

        One that is for no statement of a document is not judged: it may be an example.
        """
        for comment in filter(self._is_judged, self._unreadable):
            kept = tuple(filter(begins_code, comment.codes))
            message = f"{comment.wrong}: it ignores nothing"
            yield self._finding(message, comment, (self._readable(comment, kept),))
        for comment in filter(self._is_judged, self._comments):
            unknown = tuple(code for code in comment.codes if not begins_code(code))
            if unknown:
                kept = tuple(filter(begins_code, comment.codes))
                message = f"there is no code {_listed(unknown)}" + (": the comment ignores nothing" if not kept else "")
                upper = tuple(code if begins_code(code) else code.upper() for code in comment.codes)
                title = "name only codes that there are" if kept else "remove the comment"
                fixes: tuple[Fix, ...] = (self._fix(comment, kept, title),)
                if all(map(begins_code, upper)):
                    fixes = (self._fix(comment, upper, f"write `{written_comment(comment, upper)}`"), *fixes)
                yield self._finding(message, comment, fixes)

    def unused(self, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return SL109 for each comment that ignores something which is not among `findings`.

        One that is for no statement of a document is not judged: it may be an example.
        """
        all_codes: set[str] = set()
        found_at: dict[_Lines, set[str]] = {}
        for finding in findings:
            all_codes.add(finding.code)
            found_at.setdefault(self._lines_of(finding), set()).add(finding.code)
        hidden: dict[ast.Ignore, set[str]] = {}
        for lines, codes in found_at.items():
            for comment in self._near(lines):
                hidden.setdefault(comment, set()).update(codes)
        judged = filter(self._is_judged, self._comments)
        found = (self._unused(one, all_codes if one.file else hidden.get(one, set())) for one in judged)
        return tuple(finding for finding in found if finding is not None)

    def _lines_of(self, finding: Diagnostic) -> "_Lines":
        """Return the first and the last line of a finding's statement."""
        position, at = self._source.position, finding.span.start
        first = last = position(at).line
        index = bisect_right(self._starts, at) - 1
        if index >= 0 and at < self._spans[index].end:
            first, last = (position(offset).line for offset in self._spans[index])
        return first, last

    def _named(self, lines: "_Lines") -> tuple[tuple[str, ...], bool]:
        """Return the codes that the comments near some lines ignore, and whether one of them ignores all."""
        if lines not in self._named_at:
            near = self._near(lines)
            codes = {code for comment in near for code in comment.codes if begins_code(code)}
            self._named_at[lines] = tuple(codes), not all(comment.codes for comment in near)
        return self._named_at[lines]

    def _near(self, lines: "_Lines") -> list[ast.Ignore]:
        """Return the comments on the lines of a statement, and those right above it."""
        first, last = lines
        beside = self._comments[bisect_left(self._lines, first) : bisect_right(self._lines, last)]
        return [*self._above.get(first, ()), *(comment for comment in beside if not comment.file)]

    def _is_for_the_file(self, comment: ast.Ignore) -> bool:
        return comment.file and comment.alone and (not self._starts or comment.span.start < self._starts[0])

    def _lines_below(self, comment: ast.Ignore) -> set[int]:
        """Return the lines whose findings a comment on a line of its own ignores too.

        They are the one after it, and the first of the next statement where one line at most stands between, or, in a
        document, the line that opens its formula or block and blank lines.
        """
        return {comment.line + 1, self._next_line(comment)}

    def _next_line(self, comment: ast.Ignore) -> int:
        """Return the first line of the statement that a comment alone on its line is above; zero where there is none."""
        if comment.line not in self._next_at:
            index = bisect_right(self._starts, comment.span.start)
            line = self._source.position(self._starts[index]).line if index < len(self._starts) else 0
            right_above = line <= comment.line + 2 or self._opens(comment.line + 1, line)
            self._next_at[comment.line] = line if right_above else 0
        return self._next_at[comment.line]

    def _opens(self, first: int, end: int) -> bool:
        """Say whether the lines from `first` on open what starts on line `end`: they are looked at up to the first that does not."""
        opened = False
        for number in range(first, end):
            start, stop = self._source.line_start(number), self._source.line_end(number)
            blank = _QUOTED.match(self._source.text, start, stop)
            if blank is not None and blank.end() == stop:
                continue
            if (_OPTION if opened else _OPENS).match(self._source.text, start, stop) is None:
                return False
            opened = True
        return opened

    def _is_judged(self, comment: ast.Ignore) -> bool:
        if not self._document:
            return True
        if comment.file:
            return self._is_for_the_file(comment)
        return self._is_at_a_statement(comment) or (
            comment.alone and not self._first_lines.isdisjoint(self._lines_below(comment))
        )

    def _is_at_a_statement(self, comment: ast.Ignore) -> bool:
        index = bisect_right(self._starts, comment.span.start) - 1
        return index >= 0 and self._source.position(self._spans[index].end).line >= comment.line

    def _unused(self, comment: ast.Ignore, hidden: set[str]) -> Diagnostic | None:
        if comment.file and not self._is_for_the_file(comment):
            message = "this comment ignores nothing: for a file it stands alone on a line, before the first statement"
            return self._useless(message, comment)
        if not comment.codes:
            return None if hidden else self._useless("this comment ignores nothing: nothing is found here", comment)
        left = tuple(code for code in comment.codes if begins_code(code) and _is_unused(code, hidden))
        if not left:
            return None
        message = f"{_listed(left)} {'is' if len(left) == 1 else 'are'} not found here: the comment ignores nothing"
        kept = tuple(code for code in comment.codes if code not in left)
        title = "ignore only what is found" if kept else "remove the comment"
        return self._finding(message, comment, (self._fix(comment, kept, title),))

    def _useless(self, message: str, comment: ast.Ignore) -> Diagnostic:
        return self._finding(message, comment, (self._fix(comment, (), "remove the comment"),))

    def _finding(self, message: str, comment: ast.Ignore, fixes: tuple[Fix, ...]) -> Diagnostic:
        return Diagnostic(UNUSED, message, comment.span, fixes=fixes)

    def _fix(self, comment: ast.Ignore, kept: tuple[str, ...], title: str) -> Fix:
        return Fix(title, (Edit(comment.span, written_comment(comment, kept)) if kept else self._removal(comment),))

    def _readable(self, comment: ast.Ignore, kept: tuple[str, ...]) -> Fix:
        """Return the fix of a comment that cannot be read: what it means, where that can be told."""
        if not kept and comment.codes == () and comment.wrong == OTHER_LETTERS:
            written = f"shardlang: ignore{'-file' if comment.file else ''}"
            return Fix(f"write `{written}`", (Edit(comment.span, written),))
        return self._fix(comment, kept, f"write `{written_comment(comment, kept)}`" if kept else "remove the comment")

    def _removal(self, comment: ast.Ignore) -> Edit:
        """Return the edit that removes a comment, or of one that says more the words that ignore."""
        start, end = comment.span
        text, line_end = self._source.text, self._source.line_end(comment.line)
        line = self._source.line_start(comment.line)
        first = max(line, start - _REACH)
        before = text[first:start].rstrip()
        after = text[end : min(line_end, end + _REACH)]
        sign = next((sign for sign in _SIGNS if before.endswith(sign)), None)
        if sign is None and not after.strip():
            return Edit(Span(first + len(before), end + len(after)), "")
        if sign is None or after.strip() not in _ENDS:
            return Edit(Span(start, end + len(after) - len(after.lstrip())), "")
        left = before.removesuffix(sign).rstrip()
        blank = _QUOTED.match(text, line, first + len(left))
        if blank is not None and blank.end() == first + len(left):
            return Edit(self._whole_line(comment.line), "")
        return Edit(Span(first + len(left), end + len(after)), "")

    def _whole_line(self, number: int) -> Span:
        """Return a line with its line end."""
        text, start = self._source.text, self._source.line_start(number)
        return Span(start, text.find("\n", start) + 1 or len(text))


def _names(starts: tuple[str, ...], code: str) -> bool:
    """Say whether one of `starts` is a code or how it starts, as in a project's `ignore`."""
    return code in starts if code == UNUSED else code.startswith(starts)


def _is_unused(start: str, hidden: set[str]) -> bool:
    return not any(code.startswith(start) for code in hidden) and not start.startswith(_OF_A_RUN)


def written_comment(comment: ast.Ignore, codes: tuple[str, ...]) -> str:
    """Return a comment that ignores these codes, without its sign."""
    return f"shardlang: ignore{'-file' if comment.file else ''}[{', '.join(codes)}]"


def _listed(codes: tuple[str, ...]) -> str:
    return " and ".join(f"`{code}`" for code in codes)
