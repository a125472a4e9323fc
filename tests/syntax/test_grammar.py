"""The grammar is the definition: each alternative has an example, and Lark itself agrees with the saved tables."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from lark import Token as LarkToken
from lark.exceptions import LarkError
from lark.lexer import Lexer as LarkLexer

from shardlang.source import SourceText
from shardlang.syntax import nodes, parse
from shardlang.syntax.build import grammar_text, make_lark
from shardlang.syntax.driver import RULES, Stuck, builders_of, run
from shardlang.syntax.lexer import Lexer
from shardlang.syntax.markup import plain_tokens
from shardlang.syntax.tokens import Token
from shardlang.syntax.words import name_tokens
from tests.syntax.test_spellings import ROWS

EXAMPLES = re.findall(r"// (.+)$", "\n".join(line for line in grammar_text("shardlang.lark").splitlines() if "->" in line and not line.startswith("//")), re.M)  # fmt: skip
BROKEN = [
    *("A[I J]", "A[,]", "A[I] B[J]", "-> A[I]", "A[I] ->", "A[I] = B[I] = C[I]", "gelu()", "gelu(A[I],)", "A[I]{}", "A[I]{U_X,}"),
    *("mesh", "mesh X=", "let", "let B", "hardware", "dtype", "rules", "rules a ->", "A[I]_X", "A[(B)]x", "A[B=]", "1{U_X} 2"),
]  # fmt: skip


class Given(LarkLexer):
    """Hands Lark the tokens that our front ends make."""

    def __init__(self, _conf: Any) -> None: ...

    def lex(self, data: list[Token]) -> Iterator[LarkToken]:  # type: ignore[override]
        for kind, text, _, _ in data:
            yield LarkToken(kind, text)


LARK = make_lark(lexer=Given)


def tokens_of(text: str) -> list[Token]:
    (chunk,) = Lexer(text).chunks(0, len(text))
    return name_tokens(plain_tokens(chunk.tokens) if chunk.marked else chunk.tokens)[0]


def lark_accepts(tokens: list[Token]) -> bool:
    try:
        LARK.parse(tokens)  # type: ignore[arg-type]
    except LarkError:
        return False
    return True


def saved_tables_accept(tokens: list[Token]) -> bool:
    return not isinstance(run(tokens, builders_of(nodes.Nodes())), Stuck)


@pytest.mark.parametrize("text", EXAMPLES)
def test_example_of_the_grammar_parses(text: str) -> None:
    module, findings = parse(SourceText(text))
    assert {finding.code for finding in findings} <= {"SL105", "SL909"}  # `A` alone and `W[L, D][i]`
    assert module.statements or findings


def test_every_alternative_that_makes_a_node_has_an_example() -> None:
    lines = [line for line in grammar_text("shardlang.lark").splitlines() if re.search(r"-> [a-z_]+ ", line)]
    assert len(lines) > 100
    assert [line for line in lines if "//" not in line] == []


def test_examples_use_every_rule() -> None:
    used = set()

    builders = builders_of(nodes.Nodes())

    def record(index: int, build: Any) -> Any:
        def recorded(*parts: Any) -> Any:
            used.add(index)
            return build(*parts)

        return recorded

    recording = [build and record(index, build) for index, build in enumerate(builders)]
    for text in EXAMPLES:
        run(tokens_of(text), recording)
    assert [RULES[index] for index, build in enumerate(builders) if build and index not in used] == []


@pytest.mark.parametrize("text", [*EXAMPLES, *BROKEN, *(row.values[0] for row in ROWS if "\n" not in row.values[0])])
def test_lark_and_the_saved_tables_agree(text: str) -> None:
    chunks = list(Lexer(text).chunks(0, len(text)))
    assert chunks
    for chunk in chunks:
        plain = plain_tokens(chunk.tokens) if chunk.marked else chunk.tokens
        if not plain:  # `\\end{align}`
            continue
        tokens = name_tokens(plain)[0]
        assert saved_tables_accept(tokens) == lark_accepts(tokens)
        for end in range(1, len(tokens)):
            assert saved_tables_accept(tokens[:end]) == lark_accepts(tokens[:end])


@pytest.mark.parametrize("text", BROKEN)
def test_broken_text_is_refused(text: str) -> None:
    assert parse(SourceText(text))[1]


def test_tokens_swapped_are_judged_alike() -> None:
    for text in EXAMPLES:
        tokens = tokens_of(text)
        for at, _ in enumerate(pairwise(tokens)):
            swapped = [*tokens[:at], tokens[at + 1], tokens[at], *tokens[at + 2 :]]
            assert saved_tables_accept(swapped) == lark_accepts(swapped)
