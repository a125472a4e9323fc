"""From what a rule of the grammar has matched to the node that it makes.

Each method is named in `grammar/shardlang.lark` and gets what the symbols of its alternative have given:
tokens for terminals, nodes or lists for rules.
"""

# ruff: noqa: D102 - a method is described by the alternative of the grammar that has its name

from typing import Any

from shardlang.diagnostics import Diagnostic, Edit, Fix, Label
from shardlang.source import Span
from shardlang.syntax import ast
from shardlang.syntax.declarations import Declarations, between, word_of
from shardlang.syntax.dtypes import SHORT_NAMES
from shardlang.syntax.operations import find_operation
from shardlang.syntax.tokens import Token

_PENDING = {"U": "sum", "sum": "sum", "max": "max", "min": "min", "u": "sum"}


class Nodes(Declarations):
    """Builds the nodes of one statement; `findings` and `bare` (arrays without brackets) are collected on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.bare: list[ast.Array] = []

    def clear(self) -> None:
        """Forget what the last statement has left."""
        if self.findings or self.bare:
            self.findings, self.bare = [], []

    name = Declarations.word

    def name_sub(self, token: Token, _open: Token, parts: list[ast.Word], close: Token) -> ast.Word:
        wrong = next((part for part in parts if any(sign in part.text for sign in ".+-")), None)
        if wrong is not None:  # `W_{0.5}`, `W_{1e+3}`
            message = f"`{wrong.text}` cannot be in a name: names have letters, digits and `_`"
            self.findings.append(Diagnostic("SL101", message, wrong.span))
        return ast.Word(token[1] + "_" + "_".join(part.text for part in parts), between(token, close))

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
        return ast.Binary(symbol, left, right, Span(left.span.start, right.span.end))

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
        sub = self._plain(sub)
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
        return ast.Array(word_of(number), None, (), unreduced, Span(number[2], unreduced.span.end))

    def call(self, name: Token, _open: Token, args: list[ast.Expr], close: Token) -> ast.Expr:
        if len(args) > 1 and isinstance(axis := args[1], ast.Array) and axis.name is not None and axis.dims is None:
            operation = find_operation(name[1])
            if operation is not None and operation.kind == "collective":  # `psum(A[I]{U_X}, 'X')`, as in JAX
                self.bare = [array for array in self.bare if array is not axis]
                if len(args) > 2:
                    self._positions(name, f"{operation.name}_{axis.name.text}", Span(args[2].span.start, close[2]))
                return self._apply(name, ast.Subscript((axis.name,), axis.span), args[:1], close[3])
        return self._apply(name, None, args, close[3])

    def _positions(self, name: Token, meant: str, place: Span) -> None:
        message = f"`{name[1]}` takes one array and its mesh axes; dimensions are said by name, in the subscript or the result"
        self.findings.append(Diagnostic("SL101", message, place, hint=f"{meant} A[…] -> …"))

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
        if sub is not None and operation is not None and operation.kind not in ("collective", "free"):
            sub = self._plain(sub)
        return ast.Apply(op, word_of(name), sub, tuple(args), Span(name[2], end))

    # -- arrays --------------------------------------------------------------------------------------

    def array(self, name: ast.Word, dims: tuple[Any, Span], unreduced: ast.Unreduced | None = None) -> ast.Array:
        span = Span(name.span.start, unreduced.span.end if unreduced else dims[1].end)
        if name.text in SHORT_NAMES:
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
        kept = dims[0][len(index[0]) :] or dims[0] + index[0]
        if len(kept) < len(dims[0]):
            advice = f"write `{name.text}` without the dimension that is indexed"
            title = "leave out the dimension and the index"
        else:
            advice, title = "write all dimensions in one pair of brackets", "join the brackets"
        place, texts = Span(name.span.start, index[1].end), [_entry_text(dim) for dim in kept]
        meant = None if "?" in texts else f"{name.text}[{', '.join(texts)}]"
        self.findings.append(
            Diagnostic(
                "SL909",
                f"indexing an array is not supported yet: {advice}",
                index[1],
                (Label(dims[1], "the dimensions of the whole array"),),
                hint=meant,
                fixes=(Fix(title, (Edit(place, meant),), safe=False),) if meant is not None else (),
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
        return ast.Dim("named", word_of(token), self._plain(sub), None, Span(token[2], sub.span.end))

    def dim_size(self, token: Token, _equals: Token, size: ast.SizeExpr) -> ast.Dim:
        return ast.Dim("named", word_of(token), None, size, Span(token[2], size.span.end))

    def dim_sub_size(self, token: Token, sub: ast.Subscript, _equals: Token, size: ast.SizeExpr) -> ast.Dim:
        return ast.Dim("named", word_of(token), self._plain(sub), size, Span(token[2], size.span.end))

    def dim_hole(self, token: Token, hole: Token) -> ast.Dim:
        return ast.Dim("hole", word_of(token), None, None, between(token, hole))

    def literal(self, token: Token) -> ast.Dim:
        return ast.Dim("literal", None, None, self.number(token), Span(token[2], token[3]))

    def literal_sub(self, token: Token, sub: ast.Subscript) -> ast.Dim:
        return ast.Dim("literal", None, self._plain(sub), self.number(token), Span(token[2], sub.span.end))

    def ellipsis(self, token: Token) -> ast.Dim:
        return ast.Dim("ellipsis", None, None, None, Span(token[2], token[3]))

    def first_word(self, token: Token) -> list[ast.Word]:
        return [word_of(token)]

    def next_word(self, words: list[ast.Word], token: Token) -> list[ast.Word]:
        words.append(word_of(token))
        return words

    def group(self, left: Token, words: list[ast.Word], right: Token) -> ast.Dim:
        return ast.Dim("group", None, None, None, between(left, right), tuple(words))

    def group_sub(self, left: Token, words: list[ast.Word], _right: Token, sub: ast.Subscript) -> ast.Dim:
        return ast.Dim("group", None, self._plain(sub), None, Span(left[2], sub.span.end), tuple(words))

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
        whole = between(left, right)
        subscript = ast.Subscript(tuple(words), words[0].span.to(words[-1].span) if words else whole)
        return ast.Unreduced(kind or "sum", subscript, whole)

    def _mixed(self, mark: str, span: Span, other: str, place: Span) -> None:
        self.findings.append(
            Diagnostic(
                "SL210",
                f"`{mark}` and `{other}` are pending in one array: sums and maxima do not commute",
                place,
                (Label(span, f"`{mark}` is pending here"),),
                hint="reduce one of them before, with an AllReduce or a ReduceScatter",
            )
        )

    def pending(self, token: Token) -> tuple[str, Span, list[ast.Word]]:
        mark, _, axis = token[1].partition("_")
        span = Span(token[2], token[3])
        if mark not in _PENDING:
            return "", span, [word_of(token)]
        axis = axis.lstrip("'")  # a quote that is never closed, which is left out between braces too
        if not axis or axis[0] == "_":
            message = f"an axis is missing after `{mark}_`"
            self.findings.append(Diagnostic("SL101", message, span, hint=f"{{{mark}_X}}"))
            return mark, span, []
        return mark, span, [ast.Word(axis, Span(token[3] - len(axis), token[3]))]

    def pending_sub(self, token: Token, sub: ast.Subscript) -> tuple[str, Span, list[ast.Word]]:
        return token[1], Span(token[2], sub.span.end), list(self._plain(sub).parts)

    def pending_group(self, token: Token, _mark: Token, axes: list[ast.Word]) -> tuple[str, Span, list[ast.Word]]:
        return token[1], Span(token[2], axes[-1].span.end), axes

    # -- subscripts ----------------------------------------------------------------------------------

    def sub_word(self, token: Token) -> ast.Subscript:
        text = token[1].lstrip("\\_'")  # also a quote that is never closed, which is left out between braces too
        if not text or text[-1] == "_":
            message = f"a name is missing after `{text or '_'}`"
            self.findings.append(Diagnostic("SL101", message, Span(token[2], token[3])))
        word = ast.Word(text, Span(max(token[2], token[3] - len(text)), token[3]))
        return ast.Subscript((word,), Span(token[2], token[3]))

    def sub_braces(self, left: Token, parts: list[ast.Word], right: Token) -> ast.Subscript:
        return ast.Subscript(tuple(parts), between(left, right))

    def sub_target(
        self, left: Token, parts: list[ast.Word], _arrow: Token, target: ast.Word, right: Token
    ) -> ast.Subscript:
        return ast.Subscript(tuple(parts), between(left, right), target)

    def _plain(self, sub: ast.Subscript) -> ast.Subscript:
        """Return a subscript without a target, which only that of a collective has, with a finding if it has one."""
        if sub.target is None:
            return sub
        message = "an arrow in a subscript says where an AllToAll moves an axis; here it has no meaning"
        fix = Fix("leave out the arrow", (Edit(Span(sub.parts[-1].span.end, sub.target.span.end), ""),))
        self.findings.append(Diagnostic("SL101", message, sub.span, fixes=(fix,)))
        return sub._replace(target=None)

    def at(self, sign: Token, axes: list[ast.Word]) -> ast.Subscript:
        return ast.Subscript(tuple(axes), Span(sign[2], axes[-1].span.end))


def _entry_text(dim: ast.Dim) -> str:
    """Return a plain entry between brackets without its markup, `?` for one of another kind."""
    plain = dim.word if dim.size is None else dim.size if dim.kind == "literal" else None
    if not isinstance(plain, ast.Word | ast.Number) or dim.kind == "hole":
        return "?"
    axes = ",".join(part.text for part in dim.subscript.parts) if dim.subscript is not None else ""
    return f"{plain.text}_{{{axes}}}" if len(axes) > 1 else f"{plain.text}_{axes}" if axes else plain.text
