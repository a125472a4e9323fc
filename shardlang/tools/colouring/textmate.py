r"""Make the TextMate grammar: `python -m shardlang.tools.colouring.textmate` writes it, `--check` says whether it is fresh.

Editors colour a text with it before, or without, the language server. Every pattern is a terminal of the grammar as the
saved tables have it; words are told by the brackets that they stand in, with the operations, element types and
declaration words of the compiler's own tables. Patterns keep to what Oniguruma and Python read alike.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from shardlang.syntax.dtypes import SHORT_NAMES
from shardlang.syntax.operations import COLLECTIVES, FREE_STEPS, OPERATIONS
from shardlang.syntax.tables import TERMINALS
from shardlang.syntax.tokens import DECLARATION_WORDS
from shardlang.tools.editor.colours import KIND_OF_TERMINAL

ROOT = Path(__file__).resolve().parents[3]
TARGET = ROOT / "editors" / "vscode" / "syntaxes" / "shard.tmLanguage.json"

SCOPES = {
    "array": "variable.other.array",
    "dimension": "variable.parameter.dimension",
    "axis": "constant.other.axis",
    "collective": "entity.name.function.collective",
    "operation": "support.function",
    "keyword": "keyword.declaration",
    "dtype": "storage.type",
    "hardware": "entity.name.type.hardware",
    "topology": "entity.name.type.topology",
    "comment": "comment.line.number-sign",
    "number": "constant.numeric",
    "string": "string.quoted",
    "operator": "keyword.operator",
    "punctuation": "punctuation",
    "markup": "constant.character.escape",
    "name": "variable.other",
}
_WORD_END = r"(?![\w'’′])"
_CAPITAL = r"[A-Z][0-9'′]*"
_BRACKETS = ("LSQB", "RSQB", "LBRACE", "RBRACE", "LSUB", "LPAR", "RPAR")
_UNUSED = ("NEWLINE", "WORD", "SUBWORD", "INVISIBLE", "OTHER", "DOLLAR", *_BRACKETS)


def grammar() -> str:
    """Return the grammar as JSON, the same bytes everywhere."""
    made = {
        "$comment": "Generated from the terminals of grammar/ by `make tables`; do not edit.",
        "name": "Sharding notation",
        "scopeName": "source.shard",
        "fileTypes": ["shard"],
        "patterns": [{"include": f"#{name}"} for name in ("declarations", "operations", "arrays", "signs")],
        "repository": _repository(),
    }
    return json.dumps(made, indent=2, ensure_ascii=True) + "\n"


def _repository() -> dict[str, Any]:
    return {
        "declarations": {"patterns": _declarations()},
        "operations": {"patterns": _operations()},
        "arrays": {"patterns": _arrays()},
        "brackets": _between("LSQB", "RSQB", ["dimensions", "signs"]),
        "subscript": _between("LSUB", "RBRACE", ["axes", "signs"]),
        "pending": _between("LBRACE", "RBRACE", ["pendings", "signs"]),
        "dimensions": {"patterns": _dimensions()},
        "axes": {"patterns": [_match(_pattern("WORD"), "axis")]},
        "pendings": {
            "patterns": [
                {
                    "match": rf"\b(U|max|min|sum)(_|\.|:)((?:{_pattern('WORD')})?)",
                    "captures": _captures("keyword", "punctuation", "axis"),
                },
                {"include": "#subscript"},
                _match(_pattern("WORD"), "axis"),
            ]
        },
        "signs": {
            "patterns": [
                *(_match(pattern, KIND_OF_TERMINAL[name]) for name, pattern in _terminals() if name not in _UNUSED),
                {"include": "#subscript"},
                {"include": "#brackets"},
                {"include": "#pending"},
                *(_match(_pattern(name), "punctuation") for name in _BRACKETS),
            ]
        },
    }


def _declarations() -> list[dict[str, Any]]:
    """Return the patterns of lines that start with a declaration word."""
    start = r"(?:^|(?<=;))([ \t]*)"
    words = "|".join(sorted(DECLARATION_WORDS - {"hardware", "dtype"}))
    keep = r"(?![ \t]*[\[=:])"
    return [
        _match(_pattern("COMMENT"), "comment"),
        {
            "match": rf"{start}(hardware)\b{keep}([ \t]+)([^\s#;]*)",
            "captures": {"2": _scope("keyword"), "4": _scope("hardware")},
        },
        {
            "match": rf"{start}(dtype)\b{keep}([ \t]+)([^\s#;]*)",
            "captures": {"2": _scope("keyword"), "4": _scope("dtype")},
        },
        {"match": rf"{start}(?:{words})\b{keep}", "name": SCOPES["keyword"]},
    ]


def _operations() -> list[dict[str, Any]]:
    """Return the patterns of operations: the name, then its subscript, where an operand follows."""
    found = []
    for kind, chosen in (("collective", True), ("operation", False)):
        spellings = sorted(
            {
                spelling
                for operation in OPERATIONS
                if (operation.name in (*COLLECTIVES, *FREE_STEPS)) is chosen
                for spelling in (operation.name, *operation.aliases)
            },
            key=lambda spelling: (-len(spelling), spelling),
        )
        names = "|".join(map(re.escape, spellings))
        found.append(
            {
                "match": rf"\b({names})(?:(_)(?!\{{)([^\W_][\w'’′]*))(?=[ \t]*[\[(:]|[ \t]+\w)",
                "captures": _captures(kind, "punctuation", "axis" if chosen else "dimension"),
            }
        )
        found.append(_match(rf"\b(?:{names})(?=_\{{|[ \t]*\(|[ \t]+[^\W\d])", kind))
    return found


def _arrays() -> list[dict[str, Any]]:
    """Return the patterns of names outside of brackets: an array, an element type, what else is a name."""
    dtypes = "|".join(sorted(map(re.escape, SHORT_NAMES), key=lambda name: (-len(name), name)))
    return [
        _match(rf"\b(?:{dtypes}){_WORD_END}(?=[ \t]*\[)", "dtype"),
        _match(rf"{_pattern('WORD')}(?=[ \t]*(?:\\?\[|:))", "array"),
        {
            "match": r"(\\?_)([^\W_][\w'’′]*(?<!_))",
            "captures": _captures("punctuation", "dimension"),
        },
        _match(_pattern("WORD"), "name"),
    ]


def _dimensions() -> list[dict[str, Any]]:
    """Return the patterns of words between brackets: split at their subscript where they have one."""
    pair = _captures("dimension", "punctuation", "axis")
    return [
        {"match": rf"\b({_CAPITAL})(_)([^\W\d_][\w'’′]*(?<!_)){_WORD_END}", "captures": pair},
        {"match": rf"([^\W\d_][\w'’′]*)(_)((?:{_CAPITAL})+){_WORD_END}", "captures": pair},
        {"match": rf"(@)({_pattern('WORD')})", "captures": _captures("operator", "axis")},
        _match(_pattern("WORD"), "dimension"),
        {"match": r"(\\?_)([^\W_][\w'’′]*(?<!_))", "captures": _captures("punctuation", "axis")},
    ]


def _terminals() -> list[tuple[str, str]]:
    """Return the terminals with patterns that Oniguruma reads as Python does."""
    return [(name, _portable(pattern)) for name, pattern in TERMINALS]


def _pattern(name: str) -> str:
    return next(pattern for terminal, pattern in _terminals() if terminal == name)


def _portable(pattern: str) -> str:
    r"""Return a pattern with characters in the place of `\u0300`, which Oniguruma does not know."""
    return re.sub(r"\\[ux]([0-9a-f]{4}|[0-9a-f]{2})", lambda match: chr(int(match[1], 16)), pattern)


def _match(pattern: str, kind: str) -> dict[str, Any]:
    return {"match": pattern, "name": SCOPES[kind]}


def _between(opening: str, closing: str, inside: list[str]) -> dict[str, Any]:
    return {
        "begin": _pattern(opening),
        "end": f"{_pattern(closing)}|$",
        "beginCaptures": {"0": _scope("punctuation")},
        "endCaptures": {"0": _scope("punctuation")},
        "patterns": [{"include": f"#{name}"} for name in inside],
    }


def _captures(*kinds: str) -> dict[str, Any]:
    return {str(number): _scope(kind) for number, kind in enumerate(kinds, 1)}


def _scope(kind: str) -> dict[str, str]:
    return {"name": SCOPES[kind]}


def main(arguments: list[str]) -> int:
    """Write the grammar, or with `--check` say whether it is fresh. Returns the exit status; 2 outside of a checkout."""
    if not (ROOT / "grammar").is_dir():
        sys.stderr.write("the TextMate grammar belongs to the source: run this in a checkout of shardlang\n")
        return 2
    text = grammar()
    if "--check" in arguments:
        fresh = TARGET.is_file() and TARGET.read_text("utf-8") == text
        sys.stdout.write(f"{TARGET.name} is {'fresh' if fresh else 'stale: run `make tables`'}\n")
        return 0 if fresh else 1
    TARGET.write_text(text, "utf-8", newline="\n")
    sys.stdout.write(f"wrote {TARGET.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
