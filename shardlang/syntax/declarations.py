"""Nodes of declarations and sizes; see `shardlang.syntax.nodes`."""

# ruff: noqa: D102 - a method is described by the alternative of the grammar that has its name

from typing import Any

from shardlang.diagnostics import Diagnostic
from shardlang.source import Span
from shardlang.syntax import ast
from shardlang.syntax.meshes import Argument, Attribute, Call, Text, Unparted, mesh_axes, parted_axes
from shardlang.syntax.tokens import Token


def word_of(token: Token) -> ast.Word:
    """Return the name that a token is."""
    return ast.Word(token[1], Span(token[2], token[3]))


def between(first: Token, last: Token) -> Span:
    """Return the place from one token to another."""
    return Span(first[2], last[3])


class Declarations:
    """Builds lists, sizes and declarations; `findings` are collected on the way."""

    def __init__(self) -> None:
        self.findings: list[Diagnostic] = []

    # -- lists and words -----------------------------------------------------------------------------

    def first(self, item: Any) -> list[Any]:
        return [item]

    def more(self, items: list[Any], _comma: Token, item: Any) -> list[Any]:
        items.append(item)
        return items

    def next(self, items: list[Any], item: Any) -> list[Any]:
        items.append(item)
        return items

    def trailing(self, items: list[Any], _comma: Token) -> list[Any]:
        return items

    def parenthesis(self, _open: Token, inner: Any, _close: Token) -> Any:
        return inner

    def word(self, token: Token) -> ast.Word:
        return ast.Word(token[1], Span(token[2], token[3]))

    # -- sizes ---------------------------------------------------------------------------------------

    def size_op(self, left: ast.SizeExpr, op: Token, right: ast.SizeExpr) -> ast.SizeExpr:
        symbol = {"DOT": "*", "STAR": "*", "PLUS": "+", "MINUS": "-", "SLASH": "/", "DSLASH": "//"}.get(op[0], "**")
        return ast.SizeOp(symbol, left, right, left.span.to(right.span))

    def size_negative(self, minus: Token, operand: ast.SizeExpr) -> ast.SizeExpr:
        return ast.SizeOp("neg", operand, None, Span(minus[2], operand.span.end))

    # -- declarations --------------------------------------------------------------------------------

    def mesh(self, word: Token, listed: list[ast.MeshAxis | Unparted]) -> ast.Statement:
        axes = parted_axes(listed)
        last = axes[-1]
        end = max(part.span.end for part in (last.name, last.size, last.topology) if part is not None)
        return ast.MeshDecl(axes, Span(word[2], end))

    def next_axis(self, listed: list[ast.MeshAxis | Unparted], axis: ast.MeshAxis) -> list[ast.MeshAxis | Unparted]:
        listed.append(Unparted(axis))
        return listed

    def mesh_pairs(self, word: Token, _open: Token, pairs: list[ast.MeshAxis], close: Token) -> ast.Statement:
        return ast.MeshDecl(tuple(pairs), between(word, close))

    def mesh_call(self, word: Token, _open: Token, arguments: list[Argument], close: Token) -> ast.Statement:
        span = between(word, close)
        axes = mesh_axes(arguments)
        if isinstance(axes, str):
            self.findings.append(Diagnostic("SL101", axes, span, hint="mesh X=4, Y=2"))
            return ast.MeshDecl((), span)
        return ast.MeshDecl(axes, span)

    def axis(self, token: Token) -> ast.MeshAxis:
        return ast.MeshAxis(word_of(token), None, None)

    def axis_topology(self, token: Token, topology: Token) -> ast.MeshAxis:
        return ast.MeshAxis(word_of(token), None, word_of(topology))

    def axis_size(
        self, token: Token, _equals: Token, size: ast.SizeExpr, topology: Token | None = None
    ) -> ast.MeshAxis:
        return ast.MeshAxis(word_of(token), size, word_of(topology) if topology else None)

    def pair(self, key: ast.Word | Text, _colon: Token, size: ast.SizeExpr) -> ast.MeshAxis:
        word = key.word if isinstance(key, Text) else key
        return ast.MeshAxis(word, size, None)

    def string(self, token: Token) -> Text:
        return Text(ast.Word(token[1][1:-1], Span(token[2] + 1, token[3] - 1)), Span(token[2], token[3]))

    def quoted(self, left: Token, token: Token, right: Token) -> Text:
        return self.string(token)._replace(span=between(left, right))

    def argument(self, value: Any) -> Argument:
        return Argument("", value)

    def named_size(self, name: Token, _colon: Token, size: ast.SizeExpr) -> Argument:
        return Argument("", ast.MeshAxis(self.string(name).word, size, None))

    def keyword(self, name: Token, _equals: Token, value: Any) -> Argument:
        return Argument(name[1], value)

    def empty(self, _left: Token, _right: Token) -> list[Any]:
        return []

    def pair_of(self, _left: Token, head: Any, _comma: Token, rest: list[Any], _right: Token) -> list[Any]:
        return [head, *rest]

    def one_of(self, _left: Token, head: Any, _comma: Token, _right: Token) -> list[Any]:
        return [head]

    def mapping(self, _left: Token, pairs: list[ast.MeshAxis], _right: Token) -> tuple[ast.MeshAxis, ...]:
        return tuple(pairs)

    def attribute(self, value: Any, _dot: Token, name: Token) -> Attribute:
        return Attribute(value, name[1])

    def called(self, value: Any, _open: Token, *rest: Any) -> Call:
        return Call(value, tuple(rest[0]) if len(rest) == 2 else ())

    def hardware(self, word: Token, name: Token) -> ast.Statement:
        return ast.HardwareDecl(word_of(name), between(word, name))

    def dtype(self, word: Token, name: Token) -> ast.Statement:
        return ast.DtypeDecl(word_of(name), between(word, name))

    def let(self, word: Token, bindings: list[tuple[ast.Word, ast.SizeExpr]]) -> ast.Statement:
        return ast.LetDecl(tuple(bindings), Span(word[2], bindings[-1][1].span.end))

    def binding(self, name: ast.Word, _equals: Token, size: ast.SizeExpr) -> tuple[ast.Word, ast.SizeExpr]:
        return name, size

    def explicit(self, word: Token) -> ast.Statement:
        return ast.ExplicitDecl(Span(word[2], word[3]))

    def rule(self, name: Token, _arrow: Token, axes: list[ast.Word]) -> list[tuple[ast.Word, ast.Word]]:
        return [(word_of(name), axis) for axis in axes]

    def joined(self, rules: list[tuple[ast.Word, ast.Word]]) -> list[tuple[ast.Word, ast.Word]]:
        return rules

    def joined_more(
        self, rules: list[tuple[ast.Word, ast.Word]], _comma: Token, more: list[tuple[ast.Word, ast.Word]]
    ) -> list[tuple[ast.Word, ast.Word]]:
        return [*rules, *more]

    def rules(self, word: Token, rules: list[tuple[ast.Word, ast.Word]]) -> ast.Statement:
        return ast.RulesDecl(tuple(rules), Span(word[2], rules[-1][1].span.end))
