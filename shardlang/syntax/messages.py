"""What a syntax error says: in the signs of the notation, never in names of terminals."""

from shardlang.diagnostics import Diagnostic
from shardlang.source import Span
from shardlang.syntax.driver import END, Stuck
from shardlang.syntax.tokens import OPERATORS, Token

_NAMES = {
    "RSQB": "`]`",
    "RBRACE": "`}`",
    "RPAR": "`)`",
    "GT": "`>`",
    "COMMA": "`,`",
    "ARROW": "`->`",
    "EQ": "`=`",
    "COLON": "`:`",
    "LSQB": "`[`",
    "LPAR": "`(`",
    "LBRACE": "`{`",
    "OP": "an operation",
    "WORD": "a name",
    "NUMBER": "a number",
    "STRING": "a name in quotes",
    "ELLIPSIS": "`…`",
    "SUBWORD": "a subscript",
    "TOPOLOGY": "a topology (`ring`, `line`, …)",
    END: "the end of the statement",
}
_BEGINS_ARRAY = frozenset({"WORD", "LSQB", "OP", "NUMBER"})
_GOES_ON = ("`{`", "`:`", "`(`", "`[`", "a subscript")
_MOST = 4


def syntax_error(tokens: list[Token], stuck: Stuck, text: str) -> Diagnostic:
    """Return the finding for a statement that the grammar refuses at token `stuck.at`."""
    at_end = stuck.at >= len(tokens)
    end = tokens[-1][3]
    token: Token = (END, "", end, end) if at_end else tokens[stuck.at]
    span = Span(tokens[-1][2], end) if at_end else Span(token[2], token[3])
    before = tokens[stuck.at - 1] if stuck.at else None
    seen = {item[0] for item in tokens[: stuck.at]}
    if token[0] in ("ARROW", "EQ") and seen & {"ARROW", "EQ"}:
        return Diagnostic("SL101", "a statement has one `->` or `=`; give the subresult a statement of its own", span)
    if token[0] == "EQ" and before and before[0] in ("RSQB", "RBRACE", "RPAR"):
        message = "left of `=` stands the result, which is one array; a result on the right takes `->`"
        return Diagnostic("SL101", message, span)
    if token[0] in ("RSQB", "RPAR", "RBRACE") and not _is_open(tokens[: stuck.at], token[0]):
        return Diagnostic("SL101", f"`{_source(token, text)}` closes a bracket that is not open", span)
    where = f" after `{_source(before, text)}`" if before else ""
    found = "the statement ends" if at_end else f"found `{_source(token, text)}`"
    message = f"expected {_expected(stuck.expected)}{where}, but {found}"
    if (
        not at_end
        and before
        and before[0] in ("RSQB", "RBRACE")
        and token[0] in _BEGINS_ARRAY
        and "DOT" in stuck.expected
    ):
        return Diagnostic("SL101", message, span, hint="write `·` between two arrays to multiply them")
    return Diagnostic("SL101", message, span)


def _expected(kinds: frozenset[str]) -> str:
    names = [name for kind, name in _NAMES.items() if kind in kinds]
    if END in kinds:
        names = [name for name in names if name not in _GOES_ON]
    if kinds >= {"DOT", "PLUS"}:
        names = ["an operator", *(name for name in names if name not in _GOES_ON)]
    elif kinds >= {"WORD", "LSQB"}:
        names = ["an array"]
    elif "ELLIPSIS" in kinds:
        names = ["a dimension", *(name for name in names if name == "`]`")]
    elif not names and kinds & OPERATORS:
        names = ["an operator"]
    if len(names) > _MOST:
        names = names[:_MOST]
    if not names:
        return "something else"
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def _is_open(tokens: list[Token], closing: str) -> bool:
    opening = {"RSQB": ("LSQB",), "RPAR": ("LPAR",), "RBRACE": ("LBRACE", "LSUB")}[closing]
    depth = sum((token[0] in opening) - (token[0] == closing) for token in tokens)
    return depth > 0


def _source(token: Token, text: str) -> str:
    """Return what was typed, short enough for a message."""
    typed = text[token[2] : token[3]]
    shown = "".join(character if character.isprintable() else f"\\u{ord(character):04x}" for character in typed[:40])
    return shown + "…" if len(typed) > 40 else shown
