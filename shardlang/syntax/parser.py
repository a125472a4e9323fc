"""From text to a `Module`: one parse a statement, so that one bad statement never hides the others."""

import re
from collections.abc import Iterable
from itertools import pairwise

from shardlang.diagnostics import Diagnostic, Edit, Fix, Label
from shardlang.source import SourceText, Span
from shardlang.syntax import ast
from shardlang.syntax.driver import Stuck, builders_of, run
from shardlang.syntax.lexer import DEEPEST, MOST_TOKENS, Lexer
from shardlang.syntax.messages import syntax_error
from shardlang.syntax.nodes import Nodes
from shardlang.syntax.tokens import CLOSING, OPERATORS, Chunk, Token, chunk_span, token_span
from shardlang.syntax.words import name_tokens

LONGEST_TEXT = 2_000_000
LONGEST_NUMBER = 40
MOST_OPERATIONS = 100
MOST_FINDINGS = 1_000

_IGNORE = re.compile(r"(?:#|%|<!--)[^\n]{0,200}?shardlang:[ \t]*ignore(?:[ \t]*\[([\w ,]*)\])?")


def parse(source: SourceText, document: str | None = None) -> tuple[ast.Module, tuple[Diagnostic, ...]]:
    """Return the statements of a text and the findings of syntax, both in order.

    `document` is None for plain statements, else `markdown`, `latex` or `text`: then the statements are taken
    out of formulas, blocks and code spans, and prose is skipped. Never raises on any text.
    """
    text = source.text
    if len(text) > LONGEST_TEXT:
        finding = Diagnostic(
            "SL601", f"the text has {len(text)} characters; the limit is {LONGEST_TEXT}", Span(0, min(len(text), 1))
        )
        return ast.Module(()), (finding,)
    if document is None:
        reader = _Reader(text)
        reader.read(0, len(text), strict=True)
    else:
        from shardlang.syntax.documents import regions

        reader = _Reader(text)
        for region in regions(text, document):
            reader.read(region.start, region.end, strict=region.kind == "block", code=region.kind == "code")
    return ast.Module(tuple(reader.statements), _ignores(source)), reader.all_findings()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.statements: list[ast.Statement] = []
        self.findings: list[Diagnostic] = []
        self._lexer = Lexer(text)
        self._nodes = Nodes()
        self._overflow: Span | None = None  # the first place whose finding is not shown
        self._builders = builders_of(self._nodes)

    def read(self, start: int, end: int, *, strict: bool, code: bool = False) -> None:
        """Parse the statements between two offsets.

        strict: whatever is no statement is an error; otherwise a formula without a bracketed array is only
        noted, and in a span of `code` only what looks like the notation is looked at.
        """
        for chunk in self._lexer.chunks(start, end):
            statement = self._statement(chunk, chunk.math or not strict, code)
            if statement is not None:
                self.statements.append(statement)
            if len(self.findings) > 2 * MOST_FINDINGS:
                self._drop_notes()
                if len(self.findings) > MOST_FINDINGS:
                    return

    def _statement(self, chunk: Chunk, lenient: bool, code: bool) -> ast.Statement | None:
        """Return the statement that the tokens of `chunk` are, if they are one; say what is wrong with them."""
        tokens, findings, nodes = chunk.tokens, self.findings, self._nodes
        if lenient and not any(token[0] == "LSQB" for token in tokens):
            if not code:
                findings.append(_no_statement(tokens))
            return None
        while len(tokens) > 1 and tokens[-1][0] in ("PERIOD", "COMMA") and tokens[-2][0] in CLOSING:
            tokens.pop()  # the full stop of the sentence that a formula stands in
        trouble = _limits(chunk) or _bracket_trouble(chunk, self.text)
        if trouble is not None:
            if not code or _is_notation(tokens, code):
                findings.append(trouble)
            return None
        if chunk.marked:
            from shardlang.syntax.markup import plain_tokens  # only where there is LaTeX, HTML or Markdown

            tokens = plain_tokens(tokens)
            if not tokens:
                return None
        tokens, mended = name_tokens(tokens)
        nodes.clear()
        result = run(tokens, self._builders)
        if isinstance(result, Stuck):
            if not lenient or _is_notation(tokens, code):
                findings.extend(mended)
                findings.append(_strange(tokens, self.text) or syntax_error(tokens, result, self.text))
            elif not code:
                findings.append(_no_statement(chunk.tokens))
            return None
        findings.extend(mended)
        if nodes.bare:
            findings.append(_without_brackets(nodes.bare, tokens))
        findings.extend(nodes.findings)
        statement: ast.Statement | None = None if nodes.bare or nodes.findings else result
        return statement

    def _drop_notes(self) -> None:
        """Keep errors and the first notes: a paper with thousands of formulas must not hide its last statements."""
        errors = [finding for finding in self.findings if finding.severity == "error"]
        notes = [finding for finding in self.findings if finding.severity != "error"]
        self._overflow = self.findings[MOST_FINDINGS].span
        self.findings = errors + notes[: max(0, MOST_FINDINGS - len(errors))]

    def all_findings(self) -> tuple[Diagnostic, ...]:
        """Return the findings in the order of the text, at most `MOST_FINDINGS`, and a note if there are more."""
        self.findings.extend(
            Diagnostic("SL107", f"the invisible character U+{ord(self.text[span.start]):04X} is left out", span)
            for span in self._lexer.invisible[: MOST_FINDINGS + 1]
        )
        if len(self.findings) > MOST_FINDINGS:
            self._drop_notes()
        found = sorted(self.findings[:MOST_FINDINGS], key=lambda finding: finding.span)
        if self._overflow is not None:
            message = f"there are more than {MOST_FINDINGS} findings; the others are not shown"
            found.append(Diagnostic("SL605", message, self._overflow))
        return tuple(found)


def _no_statement(tokens: list[Token]) -> Diagnostic:
    return Diagnostic("SL106", "a formula without a bracketed array is no statement; it is skipped", chunk_span(tokens))


def _limits(chunk: Chunk) -> Diagnostic | None:
    tokens = chunk.tokens
    if chunk.limit == "nesting":
        return Diagnostic("SL602", f"brackets are nested more than {DEEPEST} deep", chunk_span(tokens[:DEEPEST]))
    if chunk.limit == "tokens":
        place = Span(tokens[0][2], tokens[0][3])
        return Diagnostic("SL601", f"a statement has more than {MOST_TOKENS} words and signs; that is the limit", place)
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
    """Count what nests without a bracket: operators, and words that stand before another operand."""
    count = 0
    for token, following in pairwise(tokens):
        prefixes = token[0] == "WORD" and following[0] in ("WORD", "LSUB", "SUBWORD", "COLON")
        count += prefixes or token[0] in OPERATORS or token[0] in ("POWER", "DSLASH", "MACRO")
    return count


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
    for token in tokens:
        if token[0] in ("OTHER", "UNDERSCORE", "QMARK", "CARET", "POWER"):
            typed = text[token[2] : token[3]][:40]
            shown = f"`{typed}`" if typed.isprintable() else f"the character U+{ord(typed[0]):04X}"
            return Diagnostic("SL103", f"{shown} is not part of the notation", token_span(token))
    return None


def _is_notation(tokens: list[Token], code: bool) -> bool:
    """Say whether a formula that does not parse is meant as a statement, rather than as other mathematics."""
    kinds = [token[0] for token in tokens]
    if "OTHER" in kinds or "CARET" in kinds:
        return False
    if code:
        return bool({"ARROW", "DOT", "ODOT", "OP"} & set(kinds))
    return True


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


def _ignores(source: SourceText) -> tuple[tuple[int, tuple[str, ...]], ...]:
    if "shardlang:" not in source.text:
        return ()
    found: Iterable[re.Match[str]] = _IGNORE.finditer(source.text)
    return tuple(
        (source.position(match.start()).line, tuple((match[1] or "").replace(",", " ").split())) for match in found
    )
