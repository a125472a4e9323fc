"""`--assume`: what it takes, what it says of what it does not take, and that everything that is printed follows it."""

import pytest
import sympy

import shardlang
from shardlang.cost.assume import read_assumptions
from shardlang.cost.names import Names
from shardlang.cost.ratio import RatioError, UnknownSymbolError
from shardlang.semantics.program import Program
from tests.cost.plans import plan

NAMES = Names(dims=["B", "D", "F"], axes=["X", "Y"], dtypes=["bf16"])
PROGRAM: Program = plan("Einsum D: A[B,D] W[D,F] -> O[B,F]").program
B, D, F, X = sympy.symbols("B D F X", positive=True)
MATMUL = "In[B, D] · W[D, F] -> Out[B, F]"
FSDP = "In[B_X, D_Y] · W[D_X, F_Y] -> Out[B_X, F_Y]"


def read(*texts):
    return read_assumptions(texts, PROGRAM, NAMES)


@pytest.mark.parametrize(
    ("texts", "negligible", "kept"),
    [
        (["B << D, F"], [B + D, B + F], [D + F]),
        (["B << D", "B << F"], [B + D, B + F], [D + F]),
        (["B ≪ D"], [B + D], [B + F]),
        (["B << D << F"], [B + D, B + F, D + F], []),
        (["B, D << F"], [B + F, D + F], [B + D]),
        (["B << D, D << F"], [B + D, D + F, B + F], []),
        (["B·X << F"], [B * X + F, B + F], [B + D]),
        (["B*X/Y << F"], [], [B * X + F]),
        (["B^2 << D"], [B**2 + D, B + D], [B**2 + F]),
        (["1 << X"], [X - 1], [B + D]),
        (["(B << D)"][:0], [], [B + D]),
    ],
)
def test_what_is_read(texts, negligible, kept):
    found = read(*texts)
    for whole in negligible:
        assert len(sympy.Add.make_args(found.terms(whole))) == 1
    for whole in kept:
        assert found is None or found.terms(whole) == whole


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B", "has no `<<`"),
        ("", "expected what is small beside what"),
        ("B <<", "ends too early"),
        ("<< B", "`<<` has no place there"),
        ("B < D", "`<` has no place"),
        ("B << D,", "ends too early"),
        ("B << 2", "`2` has no place there"),
        ("B << D^99", "larger than 12"),
        ("(B << D)", "`<<` has no place there"),
        ("B << D D", "`D` has no place there"),
        ("B << D, D << B", "contradicts itself"),
        ("X << 1", "contradicts itself"),
        ("B" * 500, "longer than 400 characters"),
        ("B << " + ", ".join(["D"] * 30), "more than 24"),
        ("__import__('os') << D", "has no place"),
    ],
)
def test_what_is_not(text, message):
    with pytest.raises(RatioError, match=message):
        read(text)
    with pytest.raises(ValueError, match=r"^assume: "):
        shardlang.cost(MATMUL, assume=text)


def test_a_name_that_the_plan_does_not_have():
    with pytest.raises(UnknownSymbolError, match="no symbol `Q`"):
        read("B << Q")
    with pytest.raises(shardlang.OptionError, match=r"^assume: the plan has no symbol `b`.*Did you mean B"):
        shardlang.cost(MATMUL, assume="b << D")
    refused = shardlang.cost(f"{MATMUL}\nA[Q, J_X] · B[J, K_X] -> C[Q_X, K_X]", assume="Q << F")
    assert not refused.ok
    for wrong in (3, [3], b"B << D"):
        with pytest.raises(shardlang.OptionError, match=r"^assume: expected"):
            shardlang.cost(MATMUL, assume=wrong)


def test_everything_that_follows_is_of_the_leading_terms():
    whole, short = (
        shardlang.cost(MATMUL, hardware="tpu-v5e", sizes={"B": 8, "D": 1024, "F": 4096}, assume=a)
        for a in ((), "B << D, F")
    )
    assert short.value(short.t_hbm) == pytest.approx(2 * 1024 * 4096 / 8.2e11)
    assert whole.value(whole.t_hbm) > short.value(short.t_hbm)
    assert short.t_math == whole.t_math
    data = short.to_dict()
    assert data["assume"] == ["B << D, F"]
    assert data["total"]["t_hbm"]["shortened"] is True
    assert "shortened" not in data["total"]["t_math"]
    assert data["total"]["t_lower"]["shortened"] is True
    assert data["statements"][0]["steps"][0]["bytes"]["shortened"] is True
    assert "assume" not in whole.to_dict()
    assert "shortened" not in str(whole.to_dict())


def test_what_is_shortened_is_marked_and_said():
    text = str(shardlang.explain(MATMUL, assume=["B << D", "B << F"]))
    rows = {row.split()[0]: row.split()[1] for row in text.splitlines() if row.startswith(("  T_", "  mem"))}
    assert rows == {"T_math": "=", "T_comms": "=", "T_hbm": "≈", "T_lower": "=", "T_upper": "=", "memory": "≈"}
    assert "assuming   B << D; B << F: only leading terms" in text
    crossover = shardlang.crossover(MATMUL, "B", assume="B << D, F", hardware="tpu-v5e")
    assert crossover.to_dict()["crossovers"][0]["shortened"] is True


def test_the_bounds_of_a_part_that_was_shortened_are_shortened_too():
    two = shardlang.cost(f"{MATMUL}\nOut[B, F] · V[F, D] -> Z[B, D]", assume="B << D, F")
    assert {"t_hbm", "t_upper", "t_lower", "memory"} <= two.estimate.shortened
    assert not {"t_math", "flops", "t_comms"} & two.estimate.shortened


def test_collectives_lose_their_factor():
    report = shardlang.crossover(FSDP, "B/X", model="exact", roofs="math,ici", assume=["1 << X", "1 << Y"])
    assert [str(found.threshold) for found in report.crossovers] == ["C/W_ici"]


@pytest.mark.parametrize("form", ["latex", "markdown"])
def test_every_form_marks_what_is_shortened(form):
    text = shardlang.explain(MATMUL, assume="B << D, F").render(form)
    assert r"T_{\text{hbm}}" in text
    assert r"\approx \frac{2 D F}{W_{\text{hbm}}}" in text
    assert r"= \frac{2 B D F}{C}" in text
    assert r"\approx" not in shardlang.explain(MATMUL).render(form)
