"""From what a rule of the grammar has matched to the node that it makes.

Each method is named in `grammar/shardlang.lark` and gets what the symbols of its alternative have given:
tokens for terminals, nodes or lists for rules.
"""

from typing import Any

from shardlang.diagnostics import Diagnostic, Label
from shardlang.source import Span
from shardlang.syntax import ast
from shardlang.syntax.dtypes import DTYPES
from shardlang.syntax.meshes import Argument, Attribute, Call, Text, mesh_axes
from shardlang.syntax.operations import find_operation
from shardlang.syntax.tokens import Token

_PENDING = {"U": "sum", "sum": "sum", "max": "max", "min": "min", "u": "sum"}
_SIZE_OPS = {"·": "*", "⋅": "*", "×": "*", "^": "**", "−": "-", "–": "-", "∗": "*", "÷": "/", "\\*": "*", "\\-": "-"}


def _word(token: Token) -> ast.Word:
    return ast.Word(token[1], Span(token[2], token[3]))


def _between(first: Token, last: Token) -> Span:
    return Span(first[2], last[3])


class Nodes:
    """Builds the nodes of one statement; `findings` and `bare` (arrays without brackets) are collected on the way."""

    def __init__(self) -> None:
        self.findings: list[Diagnostic] = []
        self.bare: list[ast.Array] = []

    def clear(self) -> None:
        """Forget what the last statement has left."""
        if self.findings or self.bare:
            self.findings, self.bare = [], []

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

    name = word

    def name_sub(self, token: Token, _open: Token, parts: list[ast.Word], close: Token) -> ast.Word:
        return ast.Word(token[1] + "_" + "_".join(part.text for part in parts), _between(token, close))

    # -- statements ----------------------------------------------------------------------------------

    def alone(self, expr: ast.Expr) -> ast.Statement:
        if isinstance(expr, ast.Array) and expr.name is not None and expr.dtype is not None:
            return ast.ArrayDecl(expr, expr.span)
        return ast.Formula(expr, None, "bare", expr.span)

    def arrow(self, expr: ast.Expr, _arrow: Token, result: ast.Array) -> ast.Statement:
        return ast.Formula(expr, result, "arrow", Span(expr.span.start, result.span.end))

    def assign(self, result: ast.Array, _equals: Token, expr: ast.Expr) -> ast.Statement:
        return ast.Formula(expr, result, "assign", Span(result.span.start, expr.span.end))

    def assign_constant(self, number: Token, unreduced: ast.Unreduced, equals: Token, expr: ast.Expr) -> ast.Statement:
        return self.assign(self.constant_array(number, unreduced), equals, expr)

    # -- expressions ---------------------------------------------------------------------------------

    def binary(self, left: ast.Expr, op: Token, right: ast.Expr) -> ast.Expr:
        symbol = {"PLUS": "+", "MINUS": "-"}.get(op[0], "/")
        return ast.Binary(symbol, left, right, Span(op[2], op[3]), Span(left.span.start, right.span.end))

    def product(self, left: ast.Expr, times: Token, right: ast.Expr) -> ast.Expr:
        return ast.Product(
            left,
            right,
            "⊙" if times[0] == "ODOT" else "·",
            None,
            False,
            Span(times[2], times[3]),
            Span(left.span.start, right.span.end),
        )

    def product_sub(self, left: ast.Expr, times: Token, sub: ast.Subscript, right: ast.Expr) -> ast.Expr:
        kept = tuple(part for part in sub.parts if part.text != "LOCAL")
        local = len(kept) < len(sub.parts)
        symbol = "⊙" if times[0] == "ODOT" else "·"
        place = Span(times[2], sub.span.end)
        dims = sub._replace(parts=kept) if kept else None
        return ast.Product(left, right, symbol, dims, local, place, Span(left.span.start, right.span.end))

    def negate(self, minus: Token, operand: ast.Expr) -> ast.Expr:
        return ast.Negate(operand, Span(minus[2], operand.span.end))

    def number(self, token: Token) -> ast.Number:
        return ast.Number(token[1], Span(token[2], token[3]))

    def constant_array(self, number: Token, unreduced: ast.Unreduced) -> ast.Array:
        return ast.Array(_word(number), None, (), unreduced, Span(number[2], unreduced.span.end))

    def call(self, name: Token, _open: Token, args: list[ast.Expr], close: Token) -> ast.Expr:
        return self._apply(name, None, args, close[3])

    def call_sub(self, name: Token, sub: ast.Subscript, _open: Token, args: list[ast.Expr], close: Token) -> ast.Expr:
        return self._apply(name, sub, args, close[3])

    def prefix(self, name: Token, operand: ast.Expr) -> ast.Expr:
        return self._apply(name, None, [operand], operand.span.end)

    def prefix_sub(self, name: Token, sub: ast.Subscript, operand: ast.Expr) -> ast.Expr:
        return self._apply(name, sub, [operand], operand.span.end)

    def prefix_colon(self, name: Token, _colon: Token, operand: ast.Expr) -> ast.Expr:
        return self._apply(name, None, [operand], operand.span.end)

    def prefix_sub_colon(self, name: Token, sub: ast.Subscript, _colon: Token, operand: ast.Expr) -> ast.Expr:
        return self._apply(name, sub, [operand], operand.span.end)

    def _apply(self, name: Token, sub: ast.Subscript | None, args: list[ast.Expr], end: int) -> ast.Expr:
        operation = find_operation(name[1])
        op = operation.name if operation else name[1]
        return ast.Apply(op, _word(name), sub, tuple(args), Span(name[2], end))

    # -- arrays --------------------------------------------------------------------------------------

    def array(self, name: ast.Word, dims: tuple[Any, Span], unreduced: ast.Unreduced | None = None) -> ast.Array:
        span = Span(name.span.start, unreduced.span.end if unreduced else dims[1].end)
        if name.text in DTYPES:
            return ast.Array(None, name, dims[0], unreduced, span)
        return ast.Array(name, None, dims[0], unreduced, span)

    def nameless(self, dims: tuple[Any, Span], unreduced: ast.Unreduced | None = None) -> ast.Array:
        span = dims[1].to(unreduced.span) if unreduced else dims[1]
        return ast.Array(None, None, dims[0], unreduced, span)

    def typed(
        self,
        name: ast.Word,
        _colon: Token,
        dtype: ast.Word,
        dims: tuple[Any, Span],
        unreduced: ast.Unreduced | None = None,
    ) -> ast.Array:
        span = name.span.to(unreduced.span if unreduced else dims[1])
        return ast.Array(name, dtype, dims[0], unreduced, span)

    def untyped(
        self, name: ast.Word, _colon: Token, dims: tuple[Any, Span], unreduced: ast.Unreduced | None = None
    ) -> ast.Array:
        return self.array(name, dims, unreduced)

    def indexed(
        self, name: ast.Word, dims: tuple[Any, Span], index: tuple[Any, Span], unreduced: ast.Unreduced | None = None
    ) -> ast.Array:
        array = self.array(name, dims, unreduced)
        kept = ", ".join(_dim_source(dim) for dim in dims[0][len(index[0]) :])
        self.findings.append(
            Diagnostic(
                "SL909",
                f"indexing an array is not supported yet: write `{name.text}` without the dimension that is indexed",
                index[1],
                (Label(dims[1], "the dimensions of the whole array"),),
                hint=f"{name.text}[{kept}]",
            )
        )
        return array

    def without_brackets(self, name: ast.Word) -> ast.Array:
        array = ast.Array(name, None, None, None, name.span)
        self.bare.append(array)
        return array

    def scalar(self, left: Token, right: Token) -> tuple[Any, Span]:
        return (), Span(left[2], right[3])

    def dims(self, left: Token, dims: list[ast.Dim], right: Token) -> tuple[Any, Span]:
        return tuple(dims), Span(left[2], right[3])

    # -- dimensions ----------------------------------------------------------------------------------

    def dim(self, token: Token) -> ast.Dim:
        span = Span(token[2], token[3])
        return ast.Dim("named", ast.Word(token[1], span), None, None, span)

    def dim_sub(self, token: Token, sub: ast.Subscript) -> ast.Dim:
        return ast.Dim("named", _word(token), sub, None, Span(token[2], sub.span.end))

    def dim_size(self, token: Token, _equals: Token, size: ast.SizeExpr) -> ast.Dim:
        return ast.Dim("named", _word(token), None, size, Span(token[2], size.span.end))

    def dim_sub_size(self, token: Token, sub: ast.Subscript, _equals: Token, size: ast.SizeExpr) -> ast.Dim:
        return ast.Dim("named", _word(token), sub, size, Span(token[2], size.span.end))

    def dim_hole(self, token: Token, hole: Token) -> ast.Dim:
        return ast.Dim("hole", _word(token), None, None, _between(token, hole))

    def literal(self, token: Token) -> ast.Dim:
        return ast.Dim("literal", None, None, self.number(token), Span(token[2], token[3]))

    def literal_sub(self, token: Token, sub: ast.Subscript) -> ast.Dim:
        return ast.Dim("literal", None, sub, self.number(token), Span(token[2], sub.span.end))

    def ellipsis(self, token: Token) -> ast.Dim:
        return ast.Dim("ellipsis", None, None, None, Span(token[2], token[3]))

    def first_word(self, token: Token) -> list[ast.Word]:
        return [_word(token)]

    def next_word(self, words: list[ast.Word], token: Token) -> list[ast.Word]:
        words.append(_word(token))
        return words

    def group(self, left: Token, words: list[ast.Word], right: Token) -> ast.Dim:
        return ast.Dim("group", None, None, None, _between(left, right), tuple(words))

    def group_sub(self, left: Token, words: list[ast.Word], _right: Token, sub: ast.Subscript) -> ast.Dim:
        return ast.Dim("group", None, sub, None, Span(left[2], sub.span.end), tuple(words))

    # -- pending sums --------------------------------------------------------------------------------

    def unreduced(self, left: Token, pendings: list[tuple[str, Span, list[ast.Word]]], right: Token) -> ast.Unreduced:
        kinds = [(mark, span) for mark, span, _ in pendings]
        mark, span = kinds[0]
        kind = _PENDING.get(mark)
        if kind is None:
            words = pendings[0][2]
            head, _, tail = (mark or words[0].text).partition("_")
            axes = tail or ",".join(word.text for word in words if mark) or head
            self.findings.append(
                Diagnostic(
                    "SL101",
                    f"`{head}` does not say what is pending: a sum is `U_…`, a maximum `max_…`, a minimum `min_…`",
                    span,
                    hint=f"{{U_{axes}}}" if axes.isalnum() and len(axes) == 1 else f"{{U_{{{axes}}}}}",
                )
            )
        words = list(pendings[0][2])
        for other, place, parts in pendings[1:]:
            if other and _PENDING.get(other) != kind:
                self._mixed(mark, span, other, place)
            words.extend(parts)
        whole = _between(left, right)
        subscript = ast.Subscript(tuple(words), True, words[0].span.to(words[-1].span) if words else whole)
        return ast.Unreduced(kind or "sum", subscript, whole)

    def _mixed(self, mark: str, span: Span, other: str, place: Span) -> None:
        self.findings.append(
            Diagnostic(
                "SL210",
                f"`{mark}` and `{other}` are pending in one array: sums and maxima do not commute",
                place,
                (Label(span, f"`{mark}` is pending here"),),
            )
        )

    def pending(self, token: Token) -> tuple[str, Span, list[ast.Word]]:
        mark, _, axis = token[1].partition("_")
        span = Span(token[2], token[3])
        if not axis:
            return (mark, span, []) if mark in _PENDING else ("", span, [_word(token)])
        if mark not in _PENDING:
            return "", span, [_word(token)]
        plain = token[3] - token[2] == len(token[1])
        start = token[2] + len(mark) + 1 if plain else token[3] - len(axis)
        return mark, span, [ast.Word(axis, Span(start, token[3]))]

    def pending_sub(self, token: Token, sub: ast.Subscript) -> tuple[str, Span, list[ast.Word]]:
        return token[1], Span(token[2], sub.span.end), list(sub.parts)

    def pending_group(self, token: Token, _mark: Token, axes: list[ast.Word]) -> tuple[str, Span, list[ast.Word]]:
        return token[1], Span(token[2], axes[-1].span.end), axes

    # -- subscripts ----------------------------------------------------------------------------------

    def sub_word(self, token: Token) -> ast.Subscript:
        text = token[1].lstrip("\\_")
        word = ast.Word(text, Span(max(token[2], token[3] - len(text)), token[3]))
        return ast.Subscript((word,), True, Span(token[2], token[3]))

    def sub_braces(self, left: Token, parts: list[ast.Word], right: Token) -> ast.Subscript:
        return ast.Subscript(tuple(parts), True, _between(left, right))

    def sub_target(
        self, left: Token, parts: list[ast.Word], _arrow: Token, target: ast.Word, right: Token
    ) -> ast.Subscript:
        return ast.Subscript(tuple(parts), True, _between(left, right), target)

    def at(self, sign: Token, axes: list[ast.Word]) -> ast.Subscript:
        return ast.Subscript(tuple(axes), True, Span(sign[2], axes[-1].span.end))

    # -- sizes ---------------------------------------------------------------------------------------

    def size_op(self, left: ast.SizeExpr, op: Token, right: ast.SizeExpr) -> ast.SizeExpr:
        symbol = {"DOT": "*", "STAR": "*", "PLUS": "+", "MINUS": "-", "SLASH": "/", "DSLASH": "//"}.get(op[0], "**")
        return ast.SizeOp(symbol, left, right, left.span.to(right.span))

    def size_negative(self, minus: Token, operand: ast.SizeExpr) -> ast.SizeExpr:
        return ast.SizeOp("neg", operand, None, Span(minus[2], operand.span.end))

    # -- declarations --------------------------------------------------------------------------------

    def mesh(self, word: Token, axes: list[ast.MeshAxis]) -> ast.Statement:
        last = axes[-1]
        end = max(part.span.end for part in (last.name, last.size, last.topology) if part is not None)
        return ast.MeshDecl(tuple(axes), Span(word[2], end))

    def mesh_pairs(self, word: Token, _open: Token, pairs: list[ast.MeshAxis], close: Token) -> ast.Statement:
        return ast.MeshDecl(tuple(pairs), _between(word, close))

    def mesh_call(self, word: Token, _open: Token, arguments: list[Argument], close: Token) -> ast.Statement:
        span = _between(word, close)
        axes = mesh_axes(arguments)
        if isinstance(axes, str):
            self.findings.append(Diagnostic("SL101", axes, span, hint="mesh X=4, Y=2"))
            return ast.MeshDecl((), span)
        return ast.MeshDecl(axes, span)

    def axis(self, token: Token) -> ast.MeshAxis:
        return ast.MeshAxis(_word(token), None, None)

    def axis_topology(self, token: Token, topology: Token) -> ast.MeshAxis:
        return ast.MeshAxis(_word(token), None, _word(topology))

    def axis_size(
        self, token: Token, _equals: Token, size: ast.SizeExpr, topology: Token | None = None
    ) -> ast.MeshAxis:
        return ast.MeshAxis(_word(token), size, _word(topology) if topology else None)

    def pair(self, key: ast.Word | Text, _colon: Token, size: ast.SizeExpr) -> ast.MeshAxis:
        word = key.word if isinstance(key, Text) else key
        return ast.MeshAxis(word, size, None)

    def string(self, token: Token) -> Text:
        return Text(ast.Word(token[1][1:-1], Span(token[2] + 1, token[3] - 1)), Span(token[2], token[3]))

    def quoted(self, left: Token, token: Token, right: Token) -> Text:
        return self.string(token)._replace(span=_between(left, right))

    def argument(self, value: Any) -> Argument:
        return Argument("", value)

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
        return ast.HardwareDecl(_word(name), _between(word, name))

    def dtype(self, word: Token, name: Token) -> ast.Statement:
        return ast.DtypeDecl(_word(name), _between(word, name))

    def let(self, word: Token, bindings: list[tuple[ast.Word, ast.SizeExpr]]) -> ast.Statement:
        return ast.LetDecl(tuple(bindings), Span(word[2], bindings[-1][1].span.end))

    def binding(self, name: ast.Word, _equals: Token, size: ast.SizeExpr) -> tuple[ast.Word, ast.SizeExpr]:
        return name, size

    def explicit(self, word: Token) -> ast.Statement:
        return ast.ExplicitDecl(Span(word[2], word[3]))

    def rule(self, name: Token, _arrow: Token, axes: list[ast.Word]) -> list[tuple[ast.Word, ast.Word]]:
        return [(_word(name), axis) for axis in axes]

    def joined(self, rules: list[tuple[ast.Word, ast.Word]]) -> list[tuple[ast.Word, ast.Word]]:
        return rules

    def joined_more(
        self, rules: list[tuple[ast.Word, ast.Word]], _comma: Token, more: list[tuple[ast.Word, ast.Word]]
    ) -> list[tuple[ast.Word, ast.Word]]:
        return [*rules, *more]

    def rules(self, word: Token, rules: list[tuple[ast.Word, ast.Word]]) -> ast.Statement:
        return ast.RulesDecl(tuple(rules), Span(word[2], rules[-1][1].span.end))


def _dim_source(dim: ast.Dim) -> str:
    from shardlang.syntax.printer import dim_text  # the printer is only wanted on the way to a message

    return dim_text(dim)
