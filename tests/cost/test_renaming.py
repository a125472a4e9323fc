"""Statements that differ in names only are priced once: the formulas are those that pricing each of them gives."""

import pytest

import shardlang
from shardlang.cost import forms, pricer, renaming
from shardlang.cost import prices as pricing

SHAPES = """
A{a}[{i}_X, {j}_Y] · B{a}[{j}_X, {k}_Y] -> C{a}[{i}_X, {k}_Y]
C{a}[{i}_X, {k}_Y] · E{a}[{k}_Y, {j}_X] -> G{a}[{i}_X, {j}_Y]
Z{a}[{i}_X, {k}_Y] = gelu(C{a}[{i}_X, {k}_Y])
V{a}[{i}, {j}_X] · int8:W{a}[{j}_X, {k}, 128] -> U{a}[{i}, {k}_Y, 128]
AllToAll_{{X,{i}}} T{a}[{i}, {j}_X] -> T{a}[{i}_X, {j}]
R{a}[{i}_{{XY}}, {j}] -> R{a}[{i}, {j}]
Q{a}[{i}, {k}_X] · P{a}[{i}, {k}_X] -> O{a}[{i}, {k}_X]
N{a}[{j}_X, {k}]
M{a}[{i}_Y, 7, {k}]
"""
# In the second and third the symbols come in another order than in the first, also beside `C_bf16` and `W_ici`.
NAMES = (("0", "B", "D", "F"), ("1", "Zeta", "Alpha", "Mid"), ("2", "F", "B", "D"), ("3", "D", "Q", "Alpha"))
TEXT = "\n".join(SHAPES.format(a=a, i=i, j=j, k=k) for a, i, j, k in NAMES)
SIZES = {"B": 330, "D": 1024, "F": 999, "Zeta": 96, "Alpha": 331, "Mid": 4096, "Q": 1000}
SETTINGS = (
    {},
    {"hardware": "tpu-v5p", "mesh": {"X": 16, "Y": 4}, "model": "exact", "latency": True},
    {"hardware": "h100", "mesh": {"X": 64, "Y": 4}, "model": "exact", "latency": True},
    {"hardware": "tpu-v5e", "mesh": {"X": 4, "Y": 2}, "sizes": SIZES, "uneven": True, "roofs": "math,ici"},
    {"topology": "X=dcn", "reduce_dtype": "f32", "comms": "sum"},
)


def prices(keywords):
    found = shardlang.cost(TEXT, **keywords)
    assert sum(statement.plan.output is not None for statement in found.statements) > 30
    every = [[getattr(s, name) for name in pricing.Prices.__dataclass_fields__] for s in found.statements]
    steps = [step[1:] for statement in found.statements for step in statement.steps]
    return every, steps, list(found.totals.values()), found.to_dict()


def without_renaming(monkeypatch):
    """Make every form different from all others."""
    for module, name in ((pricing, "form_of_statement"), (pricer, "form_of_step"), (pricer, "form_of_array")):
        original = getattr(forms, name)
        monkeypatch.setattr(module, name, lambda *given, made=original: made(*given)._replace(key=(object(),)))


@pytest.mark.parametrize("keywords", SETTINGS)
def test_renamed_formulas_are_those_of_pricing(keywords, monkeypatch):
    renamed = prices(keywords)
    without_renaming(monkeypatch)
    assert prices(keywords) == renamed


def test_statements_of_one_form_are_priced_once(monkeypatch):
    made = []
    original = pricing.price_statement
    monkeypatch.setattr(pricing, "price_statement", lambda *given: made.append(1) or original(*given))
    lines = (f"A{at}[B_X, D{at}_Y] · W{at}[D{at}_X, F{at}_Y] -> O{at}[B_X, F{at}_Y]" for at in range(20))
    assert len(shardlang.cost("\n".join(lines)).statements) == 20
    assert len(made) == 1


def test_a_planted_bug_is_found(monkeypatch):
    """Without the order of SymPy's own sums and products the formulas are others."""
    wanted = prices({})
    monkeypatch.setattr(renaming, "_in_order", lambda expr, args: expr.func._from_args(args, is_commutative=True))
    assert prices({})[0] != wanted[0]


def test_what_depends_on_a_size_is_not_shared():
    """With padding a dimension that divides and one that does not cost otherwise."""
    text = "A[I_X, J]\nA2[K_X, J]\nA3[L_X, J]"
    found = shardlang.cost(text, mesh={"X": 4}, sizes={"I": 8, "K": 10, "L": 12, "J": 3}, uneven=True)
    assert [found.value(statement.memory) for statement in found.statements] == [2 * 2 * 3, 2 * 3 * 3, 2 * 3 * 3]
