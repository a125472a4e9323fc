"""From text to a `Module`: one parse a statement, so that one bad statement never hides the others."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from shardlang.diagnostics import Diagnostic, Edit, Fix, Label
from shardlang.limits import (
    DEEPEST_BRACKETS,
    ENDLESS,
    LONGEST_NUMBER,
    MOST_FINDINGS,
    MOST_MARKS,
    MOST_OPERATIONS,
    MOST_TOKENS,
    NO_LIMITS,
    Clock,
    Limits,
    OutOfTimeError,
)
from shardlang.source import SourceText, Span
from shardlang.syntax import ast
from shardlang.syntax.comments import read_ignores
from shardlang.syntax.driver import Stuck, builders_of, run
from shardlang.syntax.lexer import DIRECTIONS, Lexer
from shardlang.syntax.messages import syntax_error
from shardlang.syntax.nodes import Nodes
from shardlang.syntax.tokens import (
    CLOSING,
    DECLARATION_WORDS,
    OPERATORS,
    Chunk,
    Token,
    blanks_in,
    chunk_span,
    has_pile,
    token_span,
)
from shardlang.syntax.words import name_tokens

if TYPE_CHECKING:
    from shardlang.syntax.blocks import DocumentText
    from shardlang.syntax.documents import Region

MOST_MENDS = 3

_LINE_ENDS = "\x85\u2028\u2029"  # of Unicode
_FOREIGN = re.compile(r"[^\W\x00-\x7f]").search


def parse(
    source: SourceText,
    document: str | None = None,
    limits: Limits = NO_LIMITS,
    clock: Clock = ENDLESS,
    given: Iterable[str] = (),
) -> tuple[ast.Module, tuple[Diagnostic, ...]]:
    """Return the statements of a text and the findings of syntax, both in order.

    `document` is None for plain statements, else `markdown`, `latex`, `html`, `rst` or `text`: then the statements are taken
    out of formulas, blocks and code spans, and prose is skipped; or `python`, whose docstrings have blocks. A text over one of the `limits` is not read, nor one
    that takes longer than `clock` leaves. `given` are names that count beside those of the text. Never raises on any text.
    """
    text = source.text
    if len(text) > limits.max_chars:
        message = f"the text has {len(text)} characters; the limit is {limits.max_chars}"
        return ast.Module(()), (Diagnostic("SL601", message, Span(0, min(len(text), 1))),)
    reader = _Reader(text, limits.max_statements, clock)
    found: DocumentText | None = None
    if document is None:
        reader.read(0, len(text), strict=True)
    else:
        found = _read_document(source, document, reader, clock)
    if reader.stopped is not None:
        return ast.Module(()), (reader.stopped,)
    if reader.words:
        from shardlang.syntax.lookalikes import lookalikes  # only where a word has letters beyond ASCII

        reader.findings += lookalikes(reader.words, given)
    regions = () if found is None else found.in_document()
    module = ast.Module(tuple(reader.statements), read_ignores(source, document, regions))
    if found is not None:
        starts = tuple(region.start for region in regions if region.new)
        module = module._replace(starts=starts, shared=found.shared)
    return module, reader.all_findings()


def _read_document(source: SourceText, kind: str, reader: "_Reader", clock: Clock) -> "DocumentText | None":
    """Read what a document has of statements; return how it is taken apart, None where the time does not suffice."""
    from shardlang.syntax.blocks import read_document

    try:
        found = read_document(source.text, kind, clock)
    except OutOfTimeError:
        reader.stopped = Diagnostic("SL607", clock.message("the text is not read"), Span(0, 0))
        return None
    reader.decode(found.text, found.places)
    for region in found.regions:
        if region.kind != "other":
            reader.read(region.start, region.end, strict=region.kind == "block", code=region.kind == "code")
    if found.unread is not None:
        line = source.position(found.unread).line
        message = f"this is no Python that can be read to its end: docstrings after line {line} are not checked"
        reader.findings.append(Diagnostic("SL110", message, Span(found.unread, found.unread)))
    if kind != "python" and not clock.over() and reader.stopped is None:
        _note_unread_lines(source, found.regions, reader)
    return found


def _note_unread_lines(source: SourceText, found: "tuple[Region, ...]", reader: "_Reader") -> None:
    from shardlang.syntax.unread import unread_lines

    probe = _Reader(source.text)
    note = unread_lines(source, [Span(region.start, region.end) for region in found], probe.reads_as_statement)
    if note is not None:
        reader.findings.append(note)


class _Reader:
    def __init__(self, text: str, most: int | None = None, clock: Clock = ENDLESS) -> None:
        self.text = text
        self.stopped: Diagnostic | None = None  # why the text is not read at all
        self._most, self._clock = most, clock
        self._count = 0
        self.statements: list[ast.Statement] = []
        self.findings: list[Diagnostic] = []
        self.words: dict[
            str, Span
        ] = {}  # of the statements, and where each first stands; of a text with letters beyond ASCII
        self._foreign = _FOREIGN(text) is not None
        self._lexer = Lexer(text)
        self._places: list[int] | None = None
        self._nodes = Nodes()
        self._overflow: Span | None = None  # the first place whose finding is not shown
        self._full = False  # there are so many errors that nothing more is read
        self._builders = builders_of(self._nodes)

    def decode(self, text: str, places: list[int] | None) -> None:
        """Read `text` instead, whose offsets stand at `places`; None: at the same ones."""
        self._lexer, self._places = Lexer(text), places
        self._foreign = self._foreign or _FOREIGN(text) is not None

    def read(self, start: int, end: int, *, strict: bool, code: bool = False) -> int:
        """Parse the statements between two offsets; return how many there are, read or not.

        strict: whatever is no statement is an error; otherwise a formula that is no statement is only noted,
        and in a span of `code` only what looks like the notation is looked at.
        """
        count = 0
        if self._full:
            return count
        for chunk in self._lexer.chunks(start, end):
            count += 1
            if self._places is not None:
                chunk = _moved(chunk, self._places)
            if self._stops(chunk):
                return count
            statement = self._statement(chunk, chunk.math or not strict, code)
            if statement is not None:
                self.statements.append(statement)
            if len(self.findings) > 2 * MOST_FINDINGS:
                self._drop_notes()
                if len(self.findings) > MOST_FINDINGS:
                    self._full = True
                    return count
        return count

    def _stops(self, chunk: Chunk) -> bool:
        """Say whether a limit of the call is reached with this statement."""
        self._count += 1
        if self._most is not None and self._count > self._most:
            message = f"the text has more than {self._most} statements; that is the limit"
            self.stopped = Diagnostic("SL601", message, chunk_span(chunk.tokens))
        elif self._clock.over():
            self.stopped = Diagnostic("SL607", self._clock.message("the text is not read"), chunk_span(chunk.tokens))
        self._full = self._full or self.stopped is not None
        return self.stopped is not None

    def reads_as_statement(self, start: int, end: int) -> bool:
        """Say whether a line is nothing but statements that have a result; forgets what was read before."""
        self.statements.clear()
        self.findings.clear()
        count = self.read(start, end, strict=False, code=True)
        return 0 < count == len(self.statements) and all(
            isinstance(statement, ast.Formula) and statement.result is not None for statement in self.statements
        )

    def _statement(self, chunk: Chunk, lenient: bool, code: bool) -> ast.Statement | None:
        """Return the statement that the tokens of `chunk` are, if they are one; say what is wrong with them."""
        tokens, nodes = chunk.tokens, self._nodes
        if lenient and not (any(token[0] == "LSQB" for token in tokens) and (not code or _evidence(tokens))):
            return self._refuse(chunk, (), lenient, code)
        while len(tokens) > 1 and tokens[-1][0] in ("PERIOD", "COMMA") and tokens[-2][0] in CLOSING:
            tokens.pop()  # the full stop of the sentence that a formula stands in
        trouble = _limits(chunk) or _bracket_trouble(chunk, self.text)
        if trouble is not None:
            return self._refuse(chunk, (trouble,), lenient, code)
        mended: tuple[Diagnostic, ...] = ()
        if chunk.raised:
            tokens, mended = self._without_raised_letters(tokens)
        if chunk.marked:
            from shardlang.syntax.markup import plain_tokens  # only where there is LaTeX, HTML or Markdown

            tokens = plain_tokens(tokens)
            if not tokens:
                return None
        tokens, more = name_tokens(tokens)
        mended += more
        nodes.clear()
        result = run(tokens, self._builders)
        if isinstance(result, Stuck):
            result, tokens, more = self._mend(tokens, result)
            mended += more
            if isinstance(result, Stuck):
                if lenient and any(token[0] in ("OTHER", "CARET") for token in tokens):
                    return self._refuse(chunk, (), lenient, code)
                error = () if more else (_strange(tokens, self.text) or syntax_error(tokens, result, self.text),)
                return self._refuse(chunk, (*mended, *error), lenient, code)
        if nodes.bare or nodes.findings:
            bare = (_without_brackets(nodes.bare, tokens),) if nodes.bare else ()
            return self._refuse(chunk, (*mended, *bare, *nodes.findings), lenient, code)
        self.findings.extend(mended)
        if self._foreign:
            for token in tokens:
                if token[0] in ("WORD", "SUBWORD"):
                    self.words.setdefault(token[1], token_span(token))
        statement: ast.Statement = result
        if isinstance(statement, ast.Formula):  # parentheses around all of a side are in no part of it
            start, end = min(statement.span.start, tokens[0][2]), max(statement.span.end, tokens[-1][3])
            statement = statement._replace(span=Span(start, end))
        return statement

    def _refuse(
        self, chunk: Chunk, findings: tuple[Diagnostic, ...], lenient: bool, code: bool
    ) -> ast.Statement | None:
        """Report what is wrong with a statement; of what was never meant as one, only that it is skipped."""
        if findings and not (lenient and _evidence(chunk.tokens) < (2 if code else 1)):
            self.findings.extend(findings)
        elif not code:
            self.findings.append(_no_statement(chunk.tokens))
        return None

    def _without_raised_letters(self, tokens: list[Token]) -> tuple[list[Token], tuple[Diagnostic, ...]]:
        from shardlang.syntax.mends import mend_letters

        mended = mend_letters(tokens, self.text, self.statements)
        return (tokens, ()) if mended is None else (mended.tokens, (mended.finding,))

    def _mend(self, tokens: list[Token], stuck: Stuck) -> tuple[Any, list[Token], tuple[Diagnostic, ...]]:
        """Try to read refused tokens as what they were meant to be; return the result, the tokens, and what is said."""
        from shardlang.syntax.mends import mend

        findings: tuple[Diagnostic, ...] = ()
        result: Any = stuck
        while isinstance(result, Stuck) and len(findings) < MOST_MENDS:
            mended = mend(tokens, result, self.text)
            if mended is None:
                break
            tokens = mended.tokens
            findings += (mended.finding,)
            self._nodes.clear()
            result = run(tokens, self._builders)
        return result, tokens, findings

    def _drop_notes(self) -> None:
        """Keep errors and the first notes: a paper with thousands of formulas must not hide its last statements."""
        errors = [finding for finding in self.findings if finding.severity == "error"]
        notes = [finding for finding in self.findings if finding.severity != "error"]
        self._overflow = self.findings[MOST_FINDINGS].span
        self.findings = errors + notes[: max(0, MOST_FINDINGS - len(errors))]

    def all_findings(self) -> tuple[Diagnostic, ...]:
        """Return the findings in the order of the text, at most `MOST_FINDINGS`, and a note if there are more."""
        places = self._places
        for span in self._lexer.invisible[: MOST_FINDINGS + 1]:
            char = self._lexer.text[span.start]
            does = "is left out"
            if char in DIRECTIONS:
                does = "changes the direction in which its line is shown"
            elif char in _LINE_ENDS:
                does = "ends the line, which editors do not show"
            message = f"the invisible character U+{ord(char):04X} {does}"
            place = span if places is None else Span(places[span.start], places[span.end])
            self.findings.append(Diagnostic("SL107", message, place))
        if len(self.findings) > MOST_FINDINGS:
            self._drop_notes()
        found = sorted(self.findings[:MOST_FINDINGS], key=lambda finding: finding.span)
        if self._overflow is not None:
            message = f"there are more than {MOST_FINDINGS} findings; the others are not shown"
            found.append(Diagnostic("SL605", message, self._overflow))
        return tuple(found)


def _moved(chunk: Chunk, places: list[int]) -> Chunk:
    """Return a chunk with its tokens at their places in the file."""

    def move(token: Token) -> Token:
        return (*token[:2], places[token[2]], places[token[3]])

    opened, closed = (token and move(token) for token in (chunk.opened, chunk.closed))
    return chunk._replace(tokens=list(map(move, chunk.tokens)), opened=opened, closed=closed)


def _no_statement(tokens: list[Token]) -> Diagnostic:
    bracketed = any(token[0] == "LSQB" for token in tokens)
    what = (
        "this formula is not a statement of the notation"
        if bracketed
        else "a formula without a bracketed array is no statement"
    )
    return Diagnostic("SL106", f"{what}; it is skipped", chunk_span(tokens))


def _evidence(tokens: list[Token]) -> int:
    from shardlang.syntax.evidence import evidence_of  # only where there is a document

    return evidence_of(tokens)


def _limits(chunk: Chunk) -> Diagnostic | None:
    tokens = chunk.tokens
    if chunk.limit == "nesting":
        return Diagnostic(
            "SL602", f"brackets are nested more than {DEEPEST_BRACKETS} deep", chunk_span(tokens[:DEEPEST_BRACKETS])
        )
    if chunk.limit == "tokens":
        place = Span(tokens[0][2], tokens[0][3])
        return Diagnostic("SL601", f"a statement has more than {MOST_TOKENS} words and signs; that is the limit", place)
    if chunk.limit == "marks":
        place = next((token_span(token) for token in tokens if has_pile(token[1])), chunk_span(tokens))
        return Diagnostic("SL601", f"a name has more than {MOST_MARKS} marks on one letter; that is the limit", place)
    if len(tokens) > MOST_OPERATIONS and _operations(tokens) > MOST_OPERATIONS:
        message = f"a statement has more than {MOST_OPERATIONS} operations; that is the limit"
        return Diagnostic("SL602", message, chunk_span(tokens))
    for token in tokens:
        if token[0] == "NUMBER" and len(token[1]) > LONGEST_NUMBER:
            return Diagnostic(
                "SL601", f"a number has more than {LONGEST_NUMBER} digits; that is the limit", token_span(token)
            )
    return None


def _operations(tokens: list[Token]) -> int:
    """Count what nests without a bracket: operators, and words that stand before another operand.

    In a declaration each size counts by itself, and the most is returned.
    """
    declares = tokens[0][1] in DECLARATION_WORDS and tokens[1][0] not in ("LSQB", "COLON")
    count = most = 0
    for token, following in pairwise(tokens):
        if declares and token[0] in ("COMMA", "EQ", "COLON"):
            count = 0
            continue
        prefixes = token[0] == "WORD" and following[0] in ("WORD", "LSUB", "SUBWORD", "COLON") and not declares
        count += prefixes or token[0] in OPERATORS or token[0] in ("POWER", "DSLASH", "MACRO")
        most = max(most, count)
    return most


def _bracket_trouble(chunk: Chunk, text: str) -> Diagnostic | None:
    if chunk.opened is None:
        return None
    sign = text[chunk.opened[2] : chunk.opened[3]]
    if chunk.closed is None:
        closing = {"LSQB": "]", "LPAR": ")"}.get(chunk.opened[0], "}")
        hint = f"close it with `{closing}`"
        return Diagnostic("SL102", f"`{sign}` is never closed", token_span(chunk.opened), hint=hint)
    other = text[chunk.closed[2] : chunk.closed[3]]
    label = Label(token_span(chunk.closed), "this closes another kind of bracket")
    return Diagnostic("SL102", f"`{sign}` is closed by `{other}`", token_span(chunk.opened), (label,))


def _strange(tokens: list[Token], text: str) -> Diagnostic | None:
    """Return the finding for the first character that the notation does not have."""
    from unicodedata import category

    for token in tokens:
        if token[0] in ("OTHER", "UNDERSCORE", "QMARK", "CARET", "POWER"):
            typed = text[token[2] : token[3]][:40]
            seen = typed.isprintable() and not (category(typed[0]) in ("Mn", "Me") or blanks_in(typed))
            shown = f"`{typed}`" if seen else f"the character U+{ord(typed[0]):04X}"
            return Diagnostic("SL103", f"{shown} is not part of the notation", token_span(token))
    return None


def _without_brackets(bare: list[ast.Array], tokens: list[Token]) -> Diagnostic:
    first = bare[0]
    name = first.name.text if first.name else ""
    labels = tuple(Label(array.span, "this one too") for array in bare[1:4])
    kinds = [token[0] for token in tokens]
    if kinds[:2] == ["WORD", "EQ"] and "NUMBER" in kinds and "LSQB" not in kinds:
        return Diagnostic(
            "SL105",
            f"`{name}` has no dimensions; a size is declared with `let`",
            first.span,
            hint=f"let {name} = {tokens[2][1]}" if len(tokens) == 3 else None,
            fixes=(Fix("declare the size", (Edit(Span(first.span.start, first.span.start), "let "),)),),
        )
    return Diagnostic("SL105", f"`{name}` is written without its dimensions, as in `{name}[I, J]`", first.span, labels)
