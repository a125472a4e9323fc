"""What is printed parses to a tree that says the same."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlang.semantics.dtypes import canonical_dtype
from shardlang.semantics.text import Printer
from shardlang.semantics.words import split_axes, split_word
from shardlang.source import SourceText, Span
from shardlang.syntax import ast, parse
from shardlang.syntax.operations import BY_NAME
from tests.syntax.printing import statement_text
from tests.syntax.test_spellings import ROWS

SPAN = Span(0, 0)
PRINT = Printer(None).statement


def meaning(node: Any) -> Any:
    """Return what a tree says where no mesh is declared, whatever words and places it says it with."""
    match node:
        case Span():
            return SPAN
        case ast.Apply(op=op, subscript=subscript, args=args):
            parts = () if subscript is None else (*subscript.parts, *((subscript.target,) if subscript.target else ()))
            return op, [part.text for part in parts], meaning(args)
        case ast.Product(left, right, symbol, dims, local):
            return symbol, local, [part.text for part in dims.parts] if dims else [], meaning((left, right))
        case ast.Array(name, dtype, dims, unreduced):
            return name and name.text, dtype and canonical_dtype(dtype.text), meaning(dims), meaning(unreduced)
        case ast.Unreduced(pending, axes):
            return pending, sorted(axes_of(axes))
        case ast.Dim(kind, word, subscript, size, _, factors):
            stem, axes = word.text if word else "", axes_of(subscript)
            if kind == "named" and subscript is None:
                stem, axes = split_word(stem, None)[:2]
            return kind, stem, axes, meaning(size), [factor.text for factor in factors]
        case tuple():
            return type(node).__name__, [meaning(part) for part in node]
        case _:
            return node


def axes_of(subscript: ast.Subscript | None) -> tuple[str, ...]:
    parts = subscript.parts if subscript is not None else ()
    return tuple(axis for part in parts for axis in split_axes(part.text, None)[0])


def parse_one(text: str) -> ast.Statement:
    module, findings = parse(SourceText(text))
    assert findings == (), text
    (statement,) = module.statements
    return statement


@pytest.mark.parametrize("text", [row.values[0] for row in ROWS])
def test_every_spelling_makes_the_round_trip(text: str) -> None:
    statement = parse_one(text)
    assert meaning(parse_one(statement_text(statement))) == meaning(statement)


def word(text: str) -> ast.Word:
    return ast.Word(text, SPAN)


names = st.sampled_from(["A", "B", "W_in", "dTmp'", "In", "X9", "h2", "mesh", "Mask", "norm_w", "注意"]).map(word)
axes = st.sampled_from(["X", "Y", "XY", "data", "model_1"]).map(word)
dims = st.sampled_from(["I", "J", "K", "d_model", "I_X", "D'", "GHIJ"]).map(word)
subscripts = st.lists(axes, min_size=1, max_size=3).map(lambda parts: ast.Subscript(tuple(parts), SPAN))
numbers = st.sampled_from(["1", "2", "0.5", "1e9", "4_096"]).map(lambda text: ast.Number(text, SPAN))


def size_op(parts: Any) -> ast.SizeExpr:
    op, left, right = parts
    return ast.SizeOp(op, left, None if op == "neg" else right, SPAN)


sizes = st.recursive(
    st.one_of(numbers, dims.filter(lambda name: "'" not in name.text)),
    lambda inner: st.tuples(st.sampled_from(["+", "-", "*", "/", "//", "**", "neg"]), inner, inner).map(size_op),
    max_leaves=5,
)


@st.composite
def entries(draw: Any) -> ast.Dim:
    kind = draw(st.sampled_from(["named", "named", "named", "literal", "ellipsis", "group", "hole"]))
    sub = draw(st.none() | subscripts)
    match kind:
        case "named":
            stem = draw(dims if sub is None else dims.filter(lambda word: word.text != "I_X"))  # one subscript
            return ast.Dim(kind, stem, sub, draw(st.none() | sizes), SPAN)
        case "literal":
            return ast.Dim(kind, None, sub, draw(numbers), SPAN)
        case "group":
            return ast.Dim(kind, None, sub, None, SPAN, tuple(draw(st.lists(dims, min_size=1, max_size=3))))
        case "hole":
            return ast.Dim(kind, draw(dims), None, None, SPAN)
        case _:
            return ast.Dim(kind, None, None, None, SPAN)


@st.composite
def arrays(draw: Any) -> ast.Array:
    name = draw(st.none() | names)
    if name is not None and name.text == "Mask":  # before `:` it is the operation
        return ast.Array(name, None, (), None, SPAN)
    dtype = draw(st.none() | st.sampled_from(["bf16", "float32"]).map(word))
    pending = draw(st.none() | st.tuples(st.sampled_from(["sum", "max", "min"]), subscripts))
    unreduced = ast.Unreduced(*pending, SPAN) if pending else None
    return ast.Array(name, dtype, tuple(draw(st.lists(entries(), max_size=4))), unreduced, SPAN)


OPERATIONS = sorted(name for name, operation in BY_NAME.items() if operation.kind != "function")
FUNCTIONS = sorted(name for name, operation in BY_NAME.items() if operation.kind == "function")


def grow(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    products = st.tuples(inner, inner, st.sampled_from("·⊙"), st.none() | subscripts, st.booleans())
    applied = st.tuples(
        st.sampled_from(OPERATIONS), st.none() | subscripts, st.lists(inner, min_size=1, max_size=2).map(tuple)
    )
    called = st.tuples(st.sampled_from(FUNCTIONS), st.lists(inner, min_size=1, max_size=2).map(tuple))
    return st.one_of(
        products.map(lambda parts: ast.Product(*parts, SPAN, SPAN)),
        st.tuples(st.sampled_from("+-/"), inner, inner).map(lambda parts: ast.Binary(*parts, SPAN)),
        inner.map(lambda operand: ast.Negate(operand, SPAN)),
        applied.map(lambda parts: ast.Apply(parts[0], word(parts[0]), parts[1], parts[2], SPAN)),
        called.map(lambda parts: ast.Apply(parts[0], word(parts[0]), None, parts[1], SPAN)),
    )


expressions = st.recursive(st.one_of(arrays(), numbers), grow, max_leaves=6)


@st.composite
def formulas(draw: Any) -> ast.Formula:
    form = draw(st.sampled_from(["arrow", "assign", "bare"]))
    return ast.Formula(draw(expressions), None if form == "bare" else draw(arrays()), form, SPAN)


@settings(max_examples=400, deadline=None)
@given(formulas())
def test_any_formula_makes_the_round_trip(formula: ast.Formula) -> None:
    again = parse_one(PRINT(formula))
    if isinstance(again, ast.ArrayDecl):  # a named array with an element type that stands alone
        again = ast.Formula(again.array, None, "bare", SPAN)
    assert meaning(again) == meaning(formula)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(dims, sizes), min_size=1, max_size=3))
def test_any_declaration_of_sizes_makes_the_round_trip(bindings: list[tuple[ast.Word, ast.SizeExpr]]) -> None:
    declaration = ast.LetDecl(tuple(bindings), SPAN)
    assert meaning(parse_one(PRINT(declaration))) == meaning(declaration)
