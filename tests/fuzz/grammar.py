"""Sentences of the grammar itself: a rule is drawn, then the rules in it, until only terminals are left."""

from collections import defaultdict
from functools import cache
from random import Random

from tests.oracles.nonsense import PIECES

# What each terminal is written as. Few names, so that they meet: an axis that is one, a size that divides.
SPELLED = {
    "WORD": ("A", "B", "W", "I", "J", "K", "I_X", "J_Y", "I_XY", "X", "Y", "U_X", "max", "U", "tpu-v5p", "bf16", "f32", "注", "é", "dA'", "ring", "d_model", "data", "J_Y_Z", "W_in"),
    "SUBWORD": ("_X", "_J", "_Y", "_LOCAL", "\\_X"),
    "LSUB": ("_{", "\\_{"),
    "HOLE": ("_?", "_{?}"),
    "NUMBER": ("0", "1", "2", "8", "16384", "0.5", "1e3", "9999999999", "1_000"),
    "STRING": ("'X'", '"Y"', "‘X’"),
    "COMMA": (",", ", ", "，"),
    "LSQB": ("[",),
    "RSQB": ("]",),
    "LPAR": ("(",),
    "RPAR": (")",),
    "LBRACE": ("{", "\\{"),
    "RBRACE": ("}",),
    "LT": ("<", "⟨", "&lt;"),
    "GT": (">", "⟩"),
    "ARROW": (" -> ", "→", " \\to ", " &rarr; "),
    "DOT": (" · ", " \\cdot ", "⋅", " &middot; "),
    "ODOT": (" ⊙ ",),
    "POWER": ("**",),
    "STAR": (" * ",),
    "AT": ("@",),
    "PLUS": (" + ",),
    "MINUS": (" - ", "−"),
    "DSLASH": ("//",),
    "SLASH": (" / ",),
    "EQ": ("=", " = "),
    "COLON": (":", ": ", "："),
    "ELLIPSIS": ("...", "…"),
    "PERIOD": (".",),
    "CARET": ("^",),
    "OP": ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "CollectivePermute", "Slice", "Mask", "sum", "max", "gelu", "softmax", "psum", "\\text{AllGather}"),
    "MESH": ("mesh",),
    "PYMESH": ("Mesh",),
    "TOPOLOGY": (" ring", " line", " ring:2", " node", " dcn"),
    "HARDWARE": ("hardware",),
    "DTYPE": ("dtype",),
    "LET": ("let",),
    "EXPLICIT": ("explicit",),
    "RULES": ("rules",),
}  # fmt: skip
_TIGHT = frozenset(("LSUB", "SUBWORD", "HOLE", "RBRACE", "RSQB", "RPAR", "COMMA", "AT", "PERIOD"))
_OFTEN = {
    "start": "sum",
    "unary": "primary",
    "primary": "operand",
    "operand": "array",
    "array": "name",
}  # else most is minus signs
_DEEP = 9
_LONGEST = 120  # terminals; from there on the shortest way out is taken


@cache
def _rules() -> tuple[dict[str, list[tuple[str, ...]]], dict[str, int]]:
    """Return the alternatives of every rule, and the depth of its shortest sentence."""
    from shardlang.syntax.build import make_lark

    rules: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for rule in make_lark(lexer="basic").rules:
        rules[rule.origin.name].append(tuple(symbol.name for symbol in rule.expansion))
    for alternatives in rules.values():
        alternatives.sort()  # Lark's own order is another one in each process
    depth: dict[str, int] = {}
    while len(depth) < len(rules):
        for name, alternatives in rules.items():
            known = [
                1 + max((depth.get(symbol, 99) for symbol in parts if symbol in rules), default=0)
                for parts in alternatives
            ]
            if min(known) < 99:
                depth[name] = min(known)
    return rules, depth


def sentence(random: Random) -> str:
    """Return one statement."""
    out: list[str] = []
    _expand("start", random, _DEEP, out)
    written: list[str] = []
    for at, terminal in enumerate(out):
        text = random.choice(SPELLED[terminal])
        if at and terminal not in _TIGHT and written[-1][-1:].isalnum() and text[:1].isalnum():
            text = f" {text}"
        written.append(text)
    return "".join(written)


def _expand(symbol: str, random: Random, deep: int, out: list[str]) -> None:
    rules, _ = _rules()
    if symbol not in rules:
        out.append(symbol)
        return
    alternatives = rules[symbol]
    if deep <= 0 or len(out) > _LONGEST:
        least = min(_depth_of(parts) for parts in alternatives)
        alternatives = [parts for parts in alternatives if _depth_of(parts) == least]
    alternatives = alternatives + 4 * [parts for parts in alternatives if parts[0] == _OFTEN.get(symbol)]
    for part in random.choice(alternatives):
        _expand(part, random, deep - 1, out)


def _depth_of(parts: tuple[str, ...]) -> int:
    rules, depth = _rules()
    return max((depth[symbol] for symbol in parts if symbol in rules), default=0)


def nonsense(random: Random) -> str:
    """Return pieces of the notation in any order."""
    glue = random.choice(("", " "))
    return glue.join(random.choices(PIECES, k=random.randint(1, 25)))
