"""With sizes open: one of the plans listed is as cheap as the best plan for any sizes, and the conditions say which.

The judge is the search with all sizes known, whose optimum is proved elsewhere, and arithmetic on the formulas of
bytes and times; the text of every condition is computed by a reader of its own.
"""

import ast
import operator
from fractions import Fraction
from math import prod
from random import Random

import pytest

from shardlang.planning import Settings, frontier, winners
from shardlang.pricing import find_hardware, machine_for
from shardlang.pricing import steps as pricing
from shardlang.pricing.machine import collective_timer, math_rate
from shardlang.rules.plan import COLLECTIVES
from shardlang.semantics import inequality
from shardlang.semantics.program import Mesh, MeshAxis
from tests.planning.helpers import plan_of

SIZES = (2, 3, 4, 5, 8)
SHAPES = (
    ("IJ", " · ", "JK", "IK"),
    ("IJ", " + ", "IJ", "IJ"),
    ("IJ", " ⊙ ", "JI", "IJ"),
    ("IJ", " · ", "J", "I"),
    ("IJ", "", "", "IJ"),
)
_ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_ORDER = {ast.Lt: operator.lt, ast.Gt: operator.gt}


def true(condition: str, values: dict[str, int]) -> bool:
    """Say whether `2*K < J and J < X` is true of these sizes, exactly."""
    if condition in ("always", "never"):
        return condition == "always"

    def value(node: ast.expr) -> Fraction:
        match node:
            case ast.Constant(value=int(number)):
                return Fraction(number)
            case ast.Name(id=name):
                return Fraction(values[name])
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))):
                return value(left) ** power
            case ast.BinOp(left=left, op=op, right=right):
                return _ARITHMETIC[type(op)](value(left), value(right))
            case ast.Call(func=ast.Name(id="Max"), args=args):
                return max(map(value, args))
        raise AssertionError(ast.dump(node))

    parts = (ast.parse(part, mode="eval").body for part in condition.split(" and "))
    return all(_ORDER[type(part.ops[0])](value(part.left), value(part.comparators[0])) for part in parts)


def random_statement(draw: Random, axes: list[str]) -> str:
    def array(name: str, dims: str) -> str:
        places: dict[str, list[str]] = {place: [] for place in (*dims, "pending", "whole")}
        for axis in draw.sample(axes, len(axes)):
            places[draw.choice([*dims, *dims, "pending", "whole"])].append(axis)
        inside = ", ".join(f"{dim}_{{{''.join(places[dim])}}}" if places[dim] else dim for dim in dims)
        pending = f"{{U_{{{''.join(sorted(places['pending']))}}}}}" if places["pending"] else ""
        return f"{name}[{inside}]{pending}"

    a, op, b, c = draw.choice(SHAPES)
    operands = f"{array('A', a)}{op}{array('B', b)}" if op else array("A", a)
    return f"{operands} -> {array('C', c)}"


def received(steps, mesh, dims) -> Fraction:
    """The bytes that a device receives, exactly: the sizes go through the formulas as fractions."""
    sizes = pricing.Sizes({d: Fraction(n) for d, n in dims.items()}, {a: Fraction(n) for a, n in mesh.items()}, "bf16")
    return sum((Fraction(pricing.bytes_received(step, sizes)) for step in steps), Fraction(0))


def wrong_of(text: str, mesh: dict[str, int], open_mesh: bool, draw: Random, draws: int) -> list[str]:
    """What is wrong about the plans of a statement with open sizes, for some sizes."""
    (entry,) = plan_of(text, None if open_mesh else mesh, Settings(alternatives=True)).statements
    found = []
    for _ in range(draws if entry.output is not None else 0):
        dims = {d: prod(mesh.values()) * draw.choice((1, 2, 3)) * 2 ** draw.randrange(12) for d in "IJK"}
        values = mesh | dims
        (known,) = plan_of(text, mesh, **dims).statements
        mine = received(entry.steps, mesh, dims)
        others = [received(other.steps, mesh, dims) for other in entry.alternatives]
        if min([mine, *others]) != received(known.steps, mesh, dims):
            found.append(f"no plan is the best one for {values}: {text}")
        for other, price in zip(entry.alternatives, others, strict=True):
            if price != mine and true(other.wins_when, values) != (price < mine):
                found.append(f"{other.name} wins when {other.wins_when}, not for {values}: {text}")
            rest = [mine, *(p for o, p in zip(entry.alternatives, others, strict=True) if o is not other)]
            if other.best_when is not None and true(other.best_when, values) != all(price < p for p in rest):
                found.append(f"{other.name} is best when {other.best_when}, not for {values}: {text}")
    return found


def wrong_of_many(seed: int, statements: int, draws: int = 6) -> list[str]:
    draw = Random(seed)
    found = []
    for _ in range(statements):
        axes = ["X", "Y"][: draw.choice((1, 2, 2))]
        mesh = dict(zip(axes, draw.sample(SIZES, len(axes)), strict=True))
        found += wrong_of(random_statement(draw, axes), mesh, draw.random() < 0.5, draw, draws)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_best_plan_for_any_sizes_is_listed_and_the_conditions_say_so(seed):
    assert wrong_of_many(seed, 25) == []


def test_over_chains():
    draw = Random(3)
    for text in (
        "A[I, J_X] · B[J, K_X] · D[K, I] -> C[I_X]",
        "C[I, K_X] = gelu(A[I, J_X] · B[J_X, K]) + D[I_X, K]",
        "C[I, J]{U_X} = (A[I, J]{U_X} + B[I, J_X]) * 2",
    ):
        for mesh in ({"X": 2}, {"X": 5}):
            assert wrong_of(text, mesh, True, draw, 12) == []


def test_examples_are_where_a_plan_is_the_best():
    draw = Random(11)
    seen = 0
    for _ in range(20):
        text = random_statement(draw, ["X", "Y"])
        (entry,) = plan_of(text, None, Settings(alternatives=True)).statements
        plans = [entry.steps, *(other.steps for other in entry.alternatives)]
        for number, other in enumerate(entry.alternatives, 1):
            if other.example:
                sizes = dict.fromkeys(("X", "Y"), 2) | dict.fromkeys("IJK", 1) | dict(other.example)
                mesh, dims = {a: sizes[a] for a in "XY"}, {d: sizes[d] for d in "IJK"}
                prices = [received(steps, mesh, dims) for steps in plans]
                assert prices.index(min(prices)) == number
                assert prices.count(min(prices)) == 1
                seen += 1
    assert seen > 40


@pytest.mark.parametrize("chip", ["tpu-v5p", "h100"])
def test_by_time_on_named_hardware(chip):
    """T_math + T_comms of the known-size optimum is met; the mesh is known, as it decides about wraparound."""
    draw = Random(2)
    mesh = {"X": 4, "Y": 2} if chip == "h100" else {"X": 4, "Y": 8}
    machine, _ = machine_for(Mesh(tuple(MeshAxis(a, n) for a, n in mesh.items()), True), find_hardware(chip))
    timer = collective_timer(machine, mesh)
    hardware = Settings(timer, lambda dtype: math_rate(machine, dtype), machine, alternatives=True)

    def seconds(steps, dims):
        sizes = pricing.Sizes(dims, mesh, "bf16")
        rate = math_rate(machine, "bf16")
        moved = (timer(s.kind, pricing.operand_bytes(s, sizes), s.axes) for s in steps if s.kind in COLLECTIVES)
        return sum(moved) + sum(pricing.flops(step, sizes) for step in steps) / rate

    for _ in range(12):
        text = random_statement(draw, ["X", "Y"])
        (entry,) = plan_of(text, mesh, hardware).statements
        figures = {
            "C": int(math_rate(machine, "bf16")),
            "W_ici": machine.bandwidth("X"),
            "W_egress": machine.bandwidth("X"),
        }
        for _ in range(6 if entry.output is not None else 0):
            dims = {d: 32 * draw.choice((1, 3)) * 2 ** draw.randrange(12) for d in "IJK"}
            (known,) = plan_of(text, mesh, hardware._replace(alternatives=False), **dims).statements
            mine, *others = (seconds(steps, dims) for steps in (entry.steps, *(o.steps for o in entry.alternatives)))
            assert min(mine, *others, mine) == pytest.approx(seconds(known.steps, dims), rel=1e-6), (text, dims)
            for other, price in zip(entry.alternatives, others, strict=True):
                if abs(price - mine) > 1e-6 * mine:
                    assert true(other.wins_when, figures | dims) == (price < mine), (text, other.wins_when, dims)


def one_label(labels, spend=None):
    return sorted(labels, key=lambda label: (label.vector, label.tie))[:1]


def sides_swapped(condition):
    left, relation, right = _SHOWN(condition)
    return right, relation, left


_SHOWN = inequality.shown
_WINNERS = winners.Race.winners

BUGS = [
    (frontier, "pareto", one_label),
    (frontier, "_covers", lambda small, large: small[0] <= large[0]),
    (winners.Race, "winners", lambda self: _WINNERS(self)[:-1]),
    (inequality, "shown", sides_swapped),
    (inequality, "cancelled", lambda difference: -difference),
]


@pytest.mark.parametrize(("where", "name", "bug"), BUGS, ids=[name for _, name, _ in BUGS])
def test_a_planted_bug_is_found(monkeypatch, where, name, bug):
    monkeypatch.setattr(where, name, bug)
    assert wrong_of_many(1, 60) != []
