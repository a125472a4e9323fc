"""Spellings that are refused although it is clear what is meant: the tokens as mended, and the finding.

The statement is read as mended, so that the findings that follow are right. Only loaded on the way to a finding.
"""

import re
from typing import NamedTuple
from unicodedata import normalize

from shardlang.diagnostics import Diagnostic, Edit, Fix, Label
from shardlang.source import Span
from shardlang.syntax import ast
from shardlang.syntax.driver import Stuck
from shardlang.syntax.operations import find_operation
from shardlang.syntax.tokens import PRODUCTS, RAISED_LETTERS, Token

_RUN = re.compile(f"[{RAISED_LETTERS}][{RAISED_LETTERS}\u2080-\u2089]*$")
_IS_NAME = re.compile(r"\w+").fullmatch
_LEADING = re.compile(f"[{RAISED_LETTERS}]+")
_GREEK = {"β": "b", "γ": "y", "ρ": "p", "φ": "f", "χ": "x"}
_PENDING = frozenset({"U", "sum", "max", "min"})
_PROSE = frozenset(
    {"WORD", "OP", "SUBWORD", "NUMBER", "COMMA", "PERIOD", "COLON", "MINUS", "SLASH", "STAR", "POWER", "QUOTE", "OTHER"}
)
_MOST_LABELS = 3


class Mended(NamedTuple):
    """The tokens that were meant, and what is said about it."""

    tokens: list[Token]
    finding: Diagnostic


def mend(tokens: list[Token], stuck: Stuck, text: str) -> Mended | None:
    """Return what the tokens of a refused statement were meant to be, None where that is not clear."""
    if stuck.at >= len(tokens):
        return None
    return (
        _mend_local(tokens, stuck.at) or _mend_remark(tokens, stuck.at, text) or _mend_arguments(tokens, stuck.at, text)
    )


# -- letters that look like subscripts ---------------------------------------------------------------


def mend_letters(tokens: list[Token], text: str, statements: list[ast.Statement]) -> Mended | None:
    """Read the letters of Unicode that are shown as subscripts (`Iₓ`, `{Uₓ}`, `·ⱼ`) as the subscripts that they look like.

    They exist in small letters only: one stands for the capital letter, unless the mesh of the statements so
    far has the small one, or the text itself uses it as a word. In the name of an array they stay what they are.
    """
    axes = {axis.name.text for item in statements if isinstance(item, ast.MeshDecl) for axis in item.axes}
    words = axes | {token[1] for token in tokens if token[0] == "WORD"}
    out: list[Token] = []
    edits: list[Edit] = []
    shown = ""
    squares = braces = 0
    for token in tokens:
        kind = token[0]
        squares += (kind == "LSQB") - (kind == "RSQB")
        braces += (kind == "LSUB") - (kind == "RBRACE" and braces > 0)
        before = out[-1][0] if out else ""
        run = _raised(token, before, squares > 0) if kind == "WORD" and not token[1].isascii() else None
        if run is None:
            out.append(token)
            continue
        start = token[2] + run.start()
        end = token[2] + run.end()
        letters = _plain_letters(run[0], words)
        stem, rest = token[1][: run.start()], token[1][run.end() :]
        if braces or "_" in stem:  # `I_Xᵧ`: one more axis of the subscript
            out.append((kind, stem + letters, token[2], end))
            edits.append(Edit(Span(start, end), letters))
        else:
            out += [(kind, stem, token[2], start)] if stem else []
            out += [("LSUB", "_{", start, start), ("WORD", letters, start, end), ("RBRACE", "}", end, end)]
            out += [(kind, rest, end, token[3])] if rest else []
            edits.append(Edit(Span(start, end), f"_{letters}" if len(letters) == 1 else f"_{{{letters}}}"))
            if rest:
                edits[-1] = edits[-1]._replace(text=edits[-1].text + " ")
        shown = shown or stem + edits[-1].text.strip()
    if not edits:
        return None
    first, *others = [edit.span for edit in edits]
    message = f"`{text[first.start : first.end]}` is a letter that only looks like a subscript: write `{shown}`"
    labels = tuple(Label(span, "here too") for span in others[:_MOST_LABELS])
    fix = Fix("write the subscripts with `_`", tuple(edits))
    return Mended(out, Diagnostic("SL103", message, first, labels, hint=shown, fixes=(fix,)))


def _raised(token: Token, before: str, in_brackets: bool) -> re.Match[str] | None:
    """Return the letters of a word that are meant as a subscript, if any."""
    text = token[1]
    if len(text) != token[3] - token[2]:
        return None  # composed of several characters: the places would be wrong
    leading = _LEADING.match(text)
    if leading is not None:
        return leading if before in PRODUCTS or before == "OP" else None
    run = _RUN.search(text)
    if run is None:
        return None
    stem = text[: run.start()]
    pending = stem in _PENDING and before in ("LBRACE", "LT", "COMMA")
    return run if in_brackets or pending or find_operation(stem) is not None else None


def _plain_letters(raised: str, words: set[str]) -> str:
    small = "".join(_GREEK.get(letter, letter) for letter in normalize("NFKC", raised))
    return small if small in words or all(letter in words for letter in small) else small.upper()


# -- subscripts --------------------------------------------------------------------------------------


def mend_chain(tokens: list[Token], at: int) -> tuple[list[Token], int, Diagnostic] | None:
    """Read a dimension with two subscripts as one with a single one: `B_X_Y`, `B_X_{Y}` and `B_X@Y` as `B_{XY}`.

    Return what stands for the tokens from the one at `at` on, how many it stands for, and the finding.
    """
    kind, text, start, end = tokens[at]
    body, count = _subscript_after(tokens, at + 1)
    stem = text[: _chain_start(text)]
    axes = text[len(stem) :].replace("_", "")
    if not ((body and axes) or len(axes) > 1) or _IS_NAME(stem) is None:
        return None
    middle = start + len(stem) if end - start == len(text) else end
    close = tokens[at + count][3]
    words = [axes, *(token[1] for token in body if token[0] != "COMMA")]
    plain = all(word.isalpha() and word.isupper() for word in words)
    meant = f"{stem}_{{{('' if plain else ',').join(words)}}}"
    written = text + "".join(token[1] for token in tokens[at + 1 : at + 1 + count])
    found = len(axes) + bool(body)
    message = f"`{written}` has {found} subscripts; all mesh axes of a dimension stand in one: `{meant}`"
    fix = Fix("write one subscript", (Edit(Span(start, close), meant),))
    out: list[Token] = [(kind, stem, start, middle), ("LSUB", "_{", middle, middle), ("WORD", axes, middle, end)]
    out += [("COMMA", ",", end, end), *body] if body else []
    finding = Diagnostic("SL101", message, Span(start, close), hint=meant, fixes=(fix,))
    return [*out, ("RBRACE", "}", close, close)], 1 + count, finding


def _chain_start(text: str) -> int:
    """Return where the capitals start that end a word, each after an underscore; its end where there are none."""
    at = len(text)
    while at > 2 and text[at - 2] == "_" and "A" <= text[at - 1] <= "Z":
        at -= 2
    return at


def _subscript_after(tokens: list[Token], at: int) -> tuple[list[Token], int]:
    """Return the words and commas of the subscript at `at`, and how many tokens it has; none where none stands there."""
    kinds = [token[0] for token in tokens[at : at + 2]]
    if kinds == ["AT", "WORD"]:
        return [tokens[at + 1]], 2
    closing = "RBRACE" if kinds[:1] == ["LSUB"] else "RPAR" if kinds == ["AT", "LPAR"] else None
    start = at + (2 if closing == "RPAR" else 1)
    for end in range(start, len(tokens) if closing else 0):
        if tokens[end][0] == closing and end > start:
            return tokens[start:end], end + 1 - at
        if tokens[end][0] not in ("WORD", "COMMA"):
            break
    return [], 0


def _mend_local(tokens: list[Token], at: int) -> Mended | None:
    """Read `·LOCAL B[J]` as `·_LOCAL B[J]`."""
    if at < 2 or tokens[at - 1][:2] != ("WORD", "LOCAL") or tokens[at - 2][0] not in PRODUCTS:
        return None
    _, word, start, end = tokens[at - 1]
    fix = Fix("make it a subscript", (Edit(Span(start, start), "_"),))
    message = f"`{word}` is a subscript of the product: write `·_{word}`"
    finding = Diagnostic("SL101", message, Span(start, end), hint=f"·_{word}", fixes=(fix,))
    return Mended([*tokens[: at - 1], ("SUBWORD", "_" + word, start, end), *tokens[at:]], finding)


# -- remarks -----------------------------------------------------------------------------------------


def _mend_remark(tokens: list[Token], at: int, text: str) -> Mended | None:
    """Leave out words in parentheses after a statement: `A[I_X] -> A[I] (not on the critical path)`."""
    if tokens[at][0] != "LPAR" or tokens[-1][0] != "RPAR" or len(tokens) - at < 3:
        return None
    inner = [token[0] for token in tokens[at + 1 : -1]]
    words = sum(kind in ("WORD", "OP") for kind in inner)
    arrow = any(token[0] == "ARROW" for token in tokens[:at])
    if not words or not _PROSE.issuperset(inner) or (words < 2 and not arrow):
        return None
    span = Span(tokens[at][2], tokens[-1][3])
    newline = text.find("\n", span.end)
    if text[span.end : newline if newline >= 0 else len(text)].strip():
        before = text[: span.start].rstrip(" \t")
        fix = Fix("leave out the remark", (Edit(Span(len(before), span.end), ""),))
    else:
        fix = Fix("make the remark a comment", (Edit(Span(span.start, span.start), "# "),))
    message = "a remark in parentheses is not part of a statement; a remark starts with `#`"
    return Mended(tokens[:at], Diagnostic("SL101", message, span, fixes=(fix,)))


# -- arguments as in JAX -----------------------------------------------------------------------------


def _mend_arguments(tokens: list[Token], at: int, text: str) -> Mended | None:
    """Read `psum(A[I]{U_X}, axis_name='X', …)` as `psum_X(A[I]{U_X})`: one array, and the axes as a subscript."""
    opening = next(
        (
            index
            for index in range(min(at, len(tokens) - 1) - 1, 0, -1)
            if tokens[index][0] == "LPAR" and tokens[index - 1][0] == "OP"
        ),
        0,
    )
    operation = find_operation(tokens[opening - 1][1]) if opening else None
    if operation is None or operation.kind != "collective":
        return None
    commas, closing = _parts_of_call(tokens, opening)
    if not commas or closing < at:
        return None
    axes = _axes_argument(tokens, commas, closing)
    if not axes:
        return None
    name = tokens[opening - 1]
    axis = axes[0][1] if len(axes) == 1 else "{" + ",".join(token[1] for token in axes) + "}"
    meant = f"{operation.name}_{axis}"
    start, end = tokens[commas[0]][2], tokens[closing][3]
    operand = text[tokens[opening][2] : start]
    fix = Fix("write the axes as a subscript", (Edit(Span(name[2], end), f"{meant}{operand})"),))
    message = f"`{name[1]}` takes one array, and its mesh axes as a subscript: `{meant}{operand})`"
    separated = [token for item in axes for token in (item, ("COMMA", ",", item[3], item[3]))][:-1]
    subscript = [("LSUB", "_{", name[3], name[3]), *separated, ("RBRACE", "}", name[3], name[3])]
    mended = [*tokens[:opening], *subscript, *tokens[opening : commas[0]], *tokens[closing:]]
    return Mended(mended, Diagnostic("SL101", message, Span(start, end - 1), hint=f"{meant}{operand})", fixes=(fix,)))


def _parts_of_call(tokens: list[Token], opening: int) -> tuple[list[int], int]:
    """Return where the commas of a call are, and where it closes (-1: nowhere)."""
    depth = 0
    commas: list[int] = []
    for index in range(opening, len(tokens)):
        kind = tokens[index][0]
        depth += (kind in ("LPAR", "LSQB", "LBRACE", "LSUB")) - (kind in ("RPAR", "RSQB", "RBRACE"))
        if depth == 0:
            return commas, index
        if depth == 1 and kind == "COMMA":
            commas.append(index)
    return commas, -1


def _axes_argument(tokens: list[Token], commas: list[int], closing: int) -> list[Token]:
    """Return the words of `axis_name=…`, else of the argument after the array, if it has no keyword."""
    parts = [tokens[start + 1 : end] for start, end in zip(commas, [*commas[1:], closing], strict=True)]
    for part in parts:
        if len(part) > 2 and part[0][1] in ("axis_name", "axis_names") and part[1][0] == "EQ":
            return [token for token in part[2:] if token[0] == "WORD"]
    if any(token[0] == "EQ" for token in parts[0]):
        return []
    return [token for token in parts[0] if token[0] == "WORD"]
