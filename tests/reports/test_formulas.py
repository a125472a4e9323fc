"""Formulas as text and LaTeX, statements as LaTeX, long lines folded."""

import pytest
from sympy import Add, Float, Integer, Max, Rational, Symbol, ceiling, log, sqrt

import shardlang
from shardlang.reports.formulas import FormulaPrinter
from shardlang.reports.notation import latex_notation
from shardlang.reports.text import fold

B, D, F, X, Y, C, W = (Symbol(name, positive=True) for name in ("B", "D", "F", "X", "Y", "C", "W_ici"))
KINDS = dict.fromkeys("BDF", "dimension") | dict.fromkeys("XY", "mesh axis") | {"C": "hardware", "W_ici": "hardware"}


@pytest.mark.parametrize(
    ("expr", "text", "latex"),
    [
        (2 * B * D / (X * W), "2·B·D/(X·W_ici)", r"\frac{2 B D}{X W_{\text{ici}}}"),
        (C / W, "C/W_ici", r"\frac{C}{W_{\text{ici}}}"),
        (B / X, "B/X", r"\frac{B}{X}"),
        (Integer(0), "0", "0"),
        (Rational(1, 2) * B, "B/2", r"\frac{B}{2}"),
        (Float(2.5) * B, "2.5·B", "2.5 B"),
        (-B, "-B", "-B"),
        (B - D, "B - D", "B - D"),
        (1 - X, "1 - X", "1 - X"),
        (X - 1, "X - 1", "X - 1"),
        (B * (X - 1) / (X * W), "B·(X - 1)/(X·W_ici)", r"\frac{B \left(X - 1\right)}{X W_{\text{ici}}}"),
        ((B + D) / W, "(B + D)/W_ici", r"\frac{B + D}{W_{\text{ici}}}"),
        (B / (X + Y), "B/(X + Y)", r"\frac{B}{X + Y}"),
        (X**2 / 3, "X^2/3", r"\frac{X^{2}}{3}"),
        (1 / X**2, "1/X^2", r"\frac{1}{X^{2}}"),
        (sqrt(B * X / Y), "sqrt(B·X/Y)", r"\sqrt{\frac{B X}{Y}}"),
        (2 * sqrt(B / X), "2·sqrt(B/X)", r"2 \sqrt{\frac{B}{X}}"),
        (ceiling(X / 2), "ceil(X/2)", r"\lceil \frac{X}{2} \rceil"),
        (Max(B / X, D, evaluate=False), "max(D, B/X)", r"\max\left(D, \frac{B}{X}\right)"),
        (2 * C * log(X * Y) / log(2), "2·C·log2(X·Y)", r"2 C \log_2\left(X Y\right)"),
        (log(X) / log(2), "log2(X)", r"\log_2\left(X\right)"),
        (W * log(2) / log(X), "W_ici/log2(X)", r"\frac{W_{\text{ici}}}{\log_2\left(X\right)}"),
        (Symbol("d_model", positive=True) / 2, "d_model/2", r"\frac{d_{\text{model}}}{2}"),
    ],
)
def test_formulas(expr, text, latex):
    assert FormulaPrinter(KINDS).formula(expr) == text
    assert FormulaPrinter(KINDS, latex=True).formula(expr) == latex


def test_formulas_in_text_mean_the_same():
    """Text is SymPy's own syntax with other signs: read it back, factor by factor, and compare numbers."""
    import random

    draw = random.Random(1)
    symbols = [B, D, F, X, Y, C, W]
    printer = FormulaPrinter(KINDS)
    for _ in range(300):
        expr = Add(*(_term(draw, symbols) for _ in range(draw.randint(1, 3)))) / _term(draw, symbols)
        values = {symbol: draw.uniform(1, 9) for symbol in symbols}
        found = _evaluate(printer.formula(expr), {symbol.name: value for symbol, value in values.items()})
        assert found == pytest.approx(float(expr.subs(values)))


def _term(draw, symbols):
    term = Integer(draw.randint(1, 4))
    for symbol in draw.sample(symbols, draw.randint(0, 4)):
        term *= symbol ** draw.choice((-2, -1, 1, 1, 2))
    return draw.choice((1, 1, -1)) * term


def _evaluate(text, values):
    """Evaluate `+ - · / ^ ( )` by hand: no text is run as code."""
    tokens = text.replace("·", " · ").replace("/", " / ").replace("^", " ^ ").replace("(", " ( ").replace(")", " ) ")
    tokens = tokens.replace("-", " - ").split()
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else ""

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def total():
        value = product()
        while peek() in ("+", "-"):
            value = value + product() if take() == "+" else value - product()
        return value

    def product():
        value = power()
        while peek() in ("·", "/"):
            value = value * power() if take() == "·" else value / power()
        return value

    def power():
        if peek() == "-":
            take()
            return -product()
        value = atom()
        if peek() == "^":
            take()
            value **= atom()
        return value

    def atom():
        token = take()
        if token != "(":
            return values[token] if token in values else float(token)
        value = total()
        assert take() == ")"
        return value

    value = total()
    assert position == len(tokens)
    return value


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("A[I, J_X] · B[J_X, K] -> C[I, K]{U_X}", r"A[I, J_X] \cdot B[J_X, K] \rightarrow C[I, K]\{U_X\}"),
        (
            "In[B_X, D] ·_LOCAL W_in[D, F] -> H[B_X, F]",
            r"\text{In}[B_X, D] \cdot_\text{LOCAL} W_\text{in}[D, F] \rightarrow H[B_X, F]",
        ),
        ("AllGather_{XY} A[I_{XY}] -> A[I]", r"\textbf{AllGather}_{XY} A[I_{XY}] \rightarrow A[I]"),
        ("A[I_{data,model}]", r"A[I_{\text{data},\text{model}}]"),
        (
            "ReduceScatter_{X,J} A[I, J]{U_X} -> A[I, J_X]",
            r"\textbf{ReduceScatter}_{X,J} A[I, J]\{U_X\} \rightarrow A[I, J_X]",
        ),
    ],
)
def test_statements_as_latex(text, latex):
    assert latex_notation(text) == latex


@pytest.mark.parametrize(
    "text",
    [
        "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}",
        "W_in[d_model, F_{XY}] · H[F_{XY}, B] -> Out2[d_model, B]{U_{XY}}",
        "ReduceScatter_{X,J} A'[I, J]{U_X} -> A'[I, J_X]",
        "AllToAll_{X,K} A[I_X, K] -> A[I, K_X]",
        "C[I] = gelu(A[I] + B[I]) * 2",
        "s[I]{max_X} = max_J A[I, J_X]",
        "A[I, J] ⊙ B[I, J] -> C[I, J]",
        "Slice_X A[I] -> A[I_X]",
        "-A[I] -> B[I]",
    ],
)
def test_statements_as_latex_read_back(text):
    (canonical,) = shardlang.parse(text).statements
    (back,) = shardlang.parse(f"${latex_notation(canonical.canonical)}$", document="latex").statements
    assert back.canonical == canonical.canonical
    assert back.arrays == canonical.arrays


def test_fold():
    text = "= max(2·B·D/X + 2·D·F/Y, 2·B·F/(X·Y) + 4·D·F/Y, 2·B)"
    assert fold(text, 80) == [text]
    assert fold(text, 45) == ["= max(2·B·D/X + 2·D·F/Y,", "      2·B·F/(X·Y) + 4·D·F/Y, 2·B)"]
    assert fold(text, 24) == ["= max(2·B·D/X + 2·D·F/Y,", "      2·B·F/(X·Y)", "      + 4·D·F/Y, 2·B)"]
    assert "".join(part.strip() + " " for part in fold(text, 24)).strip() == text


def test_fold_breaks_before_signs_and_not_inside_a_call_that_fits():
    condition = "1/K + 4/I < max(X, Y)/B + 2·C/W_ici"
    assert fold(condition, 22) == ["1/K + 4/I", "< max(X, Y)/B", "+ 2·C/W_ici"]
    assert fold(condition, 28) == ["1/K + 4/I < max(X, Y)/B", "+ 2·C/W_ici"]
    total = "= 6·B·D/X + 2·B·F/Y + max(2·B·D/X + 2·B·F/Y, 2·D·F/X)"
    assert fold(total, 40) == ["= 6·B·D/X + 2·B·F/Y", "  + max(2·B·D/X + 2·B·F/Y, 2·D·F/X)"]
    assert fold(total, 30) == ["= 6·B·D/X + 2·B·F/Y", "  + max(2·B·D/X + 2·B·F/Y,", "        2·D·F/X)"]
    statement = "In[B_X, D] ·_LOCAL W[D, F_Y] -> Tmp[B_X, F_Y]"
    assert fold(statement, 40) == ["In[B_X, D] ·_LOCAL W[D, F_Y]", "-> Tmp[B_X, F_Y]"]
