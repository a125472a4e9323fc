"""Canonical text of a statement as LaTeX, in the book's style, and back: it parses to the same statement."""

import re

from shardlang.rules.plan import COLLECTIVES, FREE_STEPS

_TOKEN = re.compile(
    r"(?P<word>[^\W\d_](?:[^\W_]|['′]|_(?=\w))*)|(?P<sub>_\{[^}]*\}|_)|(?P<arrow>->)|(?P<space>\s+)|(?P<other>.)",
    re.DOTALL,
)
_SIGNS = {"·": r"\cdot", "⊙": r"\odot", "{": r"\{", "}": r"\}", "…": r"\ldots", "×": r"\times"}


def latex_notation(text: str) -> str:
    r"""Return a canonical statement in LaTeX math: `\text{In}[B_X, D] \cdot W[D, F] \rightarrow …`."""
    out: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "word":
            out.append(_word(token))
        elif kind == "sub":
            out.append("_" if token == "_" else f"_{{{_names(token[2:-1])}}}")
        elif kind == "arrow":
            out.append(r"\rightarrow")
        elif kind == "space":
            out.append(" ")
        else:
            out.append(_SIGNS.get(token, token))
    return "".join(out)


def _word(token: str) -> str:
    """Return a name with its subscripts: `AllGather_X`, `I_X`, `W_in`, `d_model`, `U_X`."""
    stem, *tails = token.split("_")
    bold = stem in (*COLLECTIVES, *FREE_STEPS)
    text = f"\\textbf{{{stem}}}" if bold else _name(stem)
    if not tails:
        return text
    tail = "_".join(tails)
    if not tail:
        return f"{text}_"
    return f"{text}_{tail}" if len(tail) == 1 else f"{text}_\\text{{{tail}}}"


def _names(body: str) -> str:
    return re.sub(r"[^\W\d][\w'′]*", lambda match: _name(match[0]) if not match[0].isupper() else match[0], body)


def _name(name: str) -> str:
    return name if len(name) == 1 or (len(name) == 2 and name[1] in "'′") else f"\\text{{{name}}}"
