"""Which words are operations and declarations: their position tells, not their spelling alone."""

from itertools import pairwise

from shardlang.diagnostics import Diagnostic, Edit, Fix
from shardlang.diagnostics.suggest import did_you_mean
from shardlang.source import Span
from shardlang.syntax.operations import LONGEST_SPELLING, Operation, all_spellings, find_operation
from shardlang.syntax.tokens import PRODUCTS, Token

_DECLARATIONS = {
    "mesh": "MESH",
    "hardware": "HARDWARE",
    "dtype": "DTYPE",
    "let": "LET",
    "explicit": "EXPLICIT",
    "rules": "RULES",
}
_MESH_CALLS = frozenset({"Mesh", "AbstractMesh", "DeviceMesh", "make_mesh", "init_device_mesh", "create_mesh", "mesh"})
_TOPOLOGIES = frozenset({"ring", "line", "node", "scale", "spine", "dcn", "pcie", "torus", "nvlink"})
_ENDS_OF_A_SIZE = frozenset({"WORD", "STRING", "NUMBER", "RPAR", "TOPOLOGY"})  # after which no name can stand
_JOINTS = {"MINUS": "-", "COLON": ":", "PLUS": "+"}


def name_tokens(tokens: list[Token]) -> tuple[list[Token], tuple[Diagnostic, ...]]:
    """Return `tokens` with operations and declarations as terminals of their own, and what was mended on the way."""
    declaration = _declaration(tokens)
    if declaration is not None:
        return declaration, ()
    return _operations(tokens)


# -- declarations ------------------------------------------------------------------------------------


def is_declaration(tokens: list[Token]) -> bool:
    """Say whether a statement that starts with `tokens` declares something."""
    return _declaration(tokens) is not None


def _declaration(tokens: list[Token]) -> list[Token] | None:
    kind, text, start, end = tokens[0]
    if kind != "WORD":
        return None
    following = tokens[1][0] if len(tokens) > 1 else "$END"
    call = _mesh_call(tokens)
    if call is not None:
        return call
    if text not in _DECLARATIONS or following in ("LSQB", "EQ", "COLON"):
        return None
    word = _DECLARATIONS[text]
    if word == "EXPLICIT" and following != "$END":
        return None
    rest = tokens[1:]
    if word == "MESH":
        rest = _topologies(rest)
    elif word in ("HARDWARE", "DTYPE"):
        rest = _one_name(rest)
    return [(word, text, start, end), *rest]


def _mesh_call(tokens: list[Token]) -> list[Token] | None:
    """Find `Mesh(`, also as `mesh = jax.make_mesh(`; what stands before the bracket is one token."""
    at = 0
    if len(tokens) > 2 and tokens[1][0] == "EQ" and tokens[2][0] == "WORD":
        at = 2
    while at + 2 < len(tokens) and tokens[at + 1][0] == "PERIOD" and tokens[at + 2][0] == "WORD":
        at += 2
    if at + 1 >= len(tokens) or tokens[at + 1][0] != "LPAR" or tokens[at][1] not in _MESH_CALLS:
        return None
    return [("PYMESH", tokens[at][1], tokens[0][2], tokens[at][3]), *tokens[at + 1 :]]


def _topologies(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token[0] == "WORD" and token[1] in _TOPOLOGIES and out and out[-1][0] in _ENDS_OF_A_SIZE:
            end, text = token[3], token[1]
            while at + 1 < len(tokens) and _joins(*tokens[at - 1 : at + 2]):
                text += _JOINTS[tokens[at][0]] + tokens[at + 1][1]
                end = tokens[at + 1][3]
                at += 2
            token = ("TOPOLOGY", text, token[2], end)
        out.append(token)
    return out


def _joins(before: Token, token: Token, after: Token) -> bool:
    """Say whether a token joins its neighbours to one word, without blanks."""
    return token[0] in _JOINTS and token[2] == before[3] and after[2] == token[3]


def _one_name(tokens: list[Token]) -> list[Token]:
    """Join what stands together without blanks to one word: `tpu-v5p`."""
    end, text = (tokens[0][2] if tokens else 0), ""
    for at, token in enumerate(tokens):
        if token[2] != end and at:
            return [("WORD", text, tokens[0][2], end), *tokens[at:]]
        text += token[1].strip("\"'“”‘’") if token[0] == "STRING" else token[1]
        end = token[3]
    return [("WORD", text, tokens[0][2], end)] if tokens else []


# -- operations --------------------------------------------------------------------------------------


def _operations(tokens: list[Token]) -> tuple[list[Token], tuple[Diagnostic, ...]]:
    out: list[Token] = []
    findings: list[Diagnostic] = []
    last = len(tokens) - 1
    squares = braces = at = 0
    while at <= last:
        token = tokens[at]
        kind = token[0]
        at += 1
        if kind == "WORD":
            if squares == 0 and braces == 0 and at <= last:
                following = tokens[at][0]
                if following != "LSQB" or "_" in token[1]:
                    out.extend(_operation(tokens, at - 1, following) or (token,))
                    continue
            elif (
                squares and "_" in token[1] and (token[1].count("_") > 1 or tokens[min(at, last)][0] in ("LSUB", "AT"))
            ):
                from shardlang.syntax.mends import mend_chain  # two subscripts are rare, and mostly an error

                mended = mend_chain(tokens, at - 1)
                if mended is not None:
                    out.extend(mended[0])
                    at += mended[1] - 1
                    findings.append(mended[2])
                    continue
        elif kind == "LSQB":
            squares += 1
            if out and out[-1][0] == "SUBWORD" and out[-1][3] == token[2] and squares == 1:
                _mend_glued(tokens, at, out, findings)
        elif kind == "RSQB":
            squares -= 1
        elif kind == "LSUB" or kind == "LBRACE":
            braces += 1
        elif kind == "RBRACE":
            braces -= 1
        elif kind == "STRING":
            token = ("WORD", token[1][1:-1], token[2] + 1, token[3] - 1)
        out.append(token)
    return out, tuple(findings)


def _operation(tokens: list[Token], at: int, following: str) -> tuple[Token, ...] | None:
    """Return the operation (and its subscript) that the word at `at` is, None if it is none."""
    token = tokens[at]
    found, tail = _known(token[1])
    subscripted = bool(tail) or following in ("LSUB", "SUBWORD")
    if following in ("LSUB", "SUBWORD"):
        following = _after_subscript(tokens, at + 1)
    if found is None:
        array_follows = following == "WORD" and at + 2 < len(tokens) and tokens[at + 2][0] == "LSQB"
        head, _, tail = token[1].partition("_")
        if (following == "LPAR" or array_follows) and did_you_mean(head, all_spellings()) is not None:
            return _split(token, tail)
        return (("OP", token[1], token[2], token[3]),) if following == "LPAR" else None
    if following in ("LPAR", "WORD", "NUMBER"):
        return _split(token, tail)
    if following == "COLON" and (subscripted or found.kind in ("collective", "free")):
        return _split(token, tail) if _applies(tokens, at, found, tail) else None
    if following == "LSQB" and subscripted:
        return _split(token, tail) if _applies(tokens, at, found, tail) else None
    return None


def _known(text: str) -> tuple[Operation | None, str]:
    """Return the operation that `text` names, with or without a subscript, and the subscript."""
    found = find_operation(text)
    if found is not None or "_" not in text:
        return found, ""
    end = text.rfind("_", 0, LONGEST_SPELLING + 1)
    while end > 0:
        found = find_operation(text[:end])
        if found is not None and found.kind != "function":
            return found, text[end + 1 :]
        end = text.rfind("_", 0, end)
    return None, ""


def _after_subscript(tokens: list[Token], at: int) -> str:
    """Return the kind of the token after the subscript that starts at `at`."""
    if tokens[at][0] == "LSUB":
        while at < len(tokens) and tokens[at][0] != "RBRACE":
            at += 1
    return tokens[at + 1][0] if at + 1 < len(tokens) else "$END"


def _applies(tokens: list[Token], at: int, found: Operation, tail: str) -> bool:
    """Say whether `sum_J[I, J]` or `sum_J: A[I, J]` is an operation.

    `norm_w[D]` and `pad_mask: bool[B]` are arrays: there is no dimension `w`, and the free step is `Pad`.
    """
    text = tokens[at][1]
    if found.kind in ("collective", "free"):
        return find_operation(text[: len(text) - len(tail) - 1] if tail else text, exact=True) is not None
    square = next((index for index in range(at, len(tokens)) if tokens[index][0] == "LSQB"), len(tokens))
    if tail:
        wanted = {tail}
    else:
        close = next((index for index in range(at, square) if tokens[index][0] in ("RBRACE", "SUBWORD")), square)
        wanted = {token[1].lstrip("\\_") for token in tokens[at + 1 : close + 1] if token[0] in ("WORD", "SUBWORD")}
    words = _inside(tokens, square + 1)
    return wanted <= {part for token in words for part in (token[1], token[1].partition("_")[0])}


def _split(token: Token, tail: str) -> tuple[Token, ...]:
    _, text, start, end = token
    if not tail:
        return (("OP", text, start, end),)
    head = text[: len(text) - len(tail) - 1]
    middle = start + len(head) if end - start == len(text) else end - len(tail) - 1
    return ("OP", head, start, middle), ("SUBWORD", "_" + tail, middle, end)


def _mend_glued(tokens: list[Token], at: int, out: list[Token], findings: list[Diagnostic]) -> None:
    """Split `·_LOCALB[J]` into `·_LOCAL B[J]`, and `AllGather_XA[I_X]` into `AllGather_X A[I_X]`, with a finding."""
    kind, text, start, end = out[-1]
    subscript = text.lstrip("\\_")
    if len(out) > 1 and out[-2][0] in PRODUCTS:
        head = _product_head(subscript, _stems(tokens, at))
    elif len(out) > 1 and out[-2][0] == "OP":
        head = _operation_head(subscript, tokens, at)
    else:
        return
    name = subscript[len(head) :]
    if not head or not name:
        return
    middle = end - len(name)
    out[-1:] = [(kind, "_" + head, start, middle), ("WORD", name, middle, end)]
    fix = Fix("put a blank between them", (Edit(Span(middle, middle), " "),))
    message = f"the subscript `{head}` runs into the array `{name}`"
    findings.append(Diagnostic("SL104", message, Span(start, end), hint=f"_{head} {name}", fixes=(fix,)))


def _product_head(subscript: str, stems: set[str]) -> str:
    if subscript.startswith("LOCAL"):
        return "LOCAL"
    heads = (subscript[:length] for length in range(len(subscript) - 1, 0, -1))
    return next((head for head in heads if head in stems), "")


def _operation_head(subscript: str, tokens: list[Token], at: int) -> str:
    """Return what is left of the subscript before the name of the result, if that ends it and is no axis of the array."""
    result = tokens[0][1]
    for token, following in pairwise(tokens):
        if token[0] == "ARROW":
            result = following[1]
    used = {part for token in _inside(tokens, at) for part in (token[1], token[1].rpartition("_")[2])}
    if not subscript.endswith(result) or any(result in axes for axes in used if axes.isupper()):
        return ""
    return subscript[: len(subscript) - len(result)]


def _inside(tokens: list[Token], at: int) -> list[Token]:
    """Return the words up to the bracket that closes."""
    end = next((index for index in range(at, len(tokens)) if tokens[index][0] == "RSQB"), len(tokens))
    return [token for token in tokens[at:end] if token[0] == "WORD"]


def _stems(tokens: list[Token], at: int) -> set[str]:
    return {token[1].partition("_")[0] for token in _inside(tokens, at)}
