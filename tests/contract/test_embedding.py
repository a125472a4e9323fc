"""What programs that embed shardlang were promised, line by line, with values that are worked out by hand."""

import pytest
import sympy

import shardlang

KINDS = (
    "AllGather",
    "ReduceScatter",
    "AllReduce",
    "AllToAll",
    "CollectivePermute",
    "Slice",
    "Mask",
    "Pad",
    "Relabel",
    "Einsum",
    "Elementwise",
    "Reduce",
    "Reshape",
    "Take",
)


def test_check():
    text = "A[I_X, J] · B[J, K]{U_Y} -> C[I_X, K]{U_Y}"
    report = shardlang.check(text, mesh={"X": 4, "Y": 2}, sizes={"B": 1024}, hardware="tpu-v5p", dtype="bf16")
    assert report.ok is True
    assert report.statements[0].output == "C[I_X, K]{U_Y}"


def test_findings():
    found = shardlang.check("mesh X=4\nA[I_X, J_X]").diagnostics[0]
    assert (found.code, found.severity, type(found.message), found.hint) == ("SL201", "error", str, found.hint)
    assert (found.span.line, found.span.column) == (2, 10)
    severities = {
        f.severity for text in ("A[I_X, J_X]", "mesh X=3\nlet I=4\nA[I_X]") for f in shardlang.check(text).diagnostics
    }
    assert severities <= {"error", "warning", "info"}


def test_a_refused_statement_has_no_output_and_no_steps():
    statement = shardlang.check("A[I_X, J_X] · B[J_X, K] -> C[I_X, K]").statements[0]
    assert (statement.output, statement.steps) == (None, ())


def test_steps():
    (step,) = shardlang.check("A[I, J_X] -> A[I, J]", mesh={"X": 4}, sizes={"I": 8, "J": 16}).statements[0].steps
    assert (step.kind, step.axes, step.dims) == ("AllGather", ("X",), ("J",))
    assert step.text == "AllGather_X A[I, J_X] -> A[I, J]"
    assert step.bytes_received == 8 * 16 * 2 * 3 / 4  # bf16; of four blocks a device lacks three
    (moved,) = shardlang.check("A[I, J_X] -> A[I_X, J]", mesh={"X": 4}).statements[0].steps
    assert (moved.kind, moved.dims, moved.bytes_received) == ("AllToAll", ("J", "I"), None)  # lost before gained


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("A[I, J_X] · B[J_X, K] -> C[I, K]", ["Einsum", "AllReduce"]),
        ("A[I, J_X] · B[J_X, K] -> C[I, K_X]", ["Einsum", "ReduceScatter"]),
        ("A[I] -> A[I_X]", ["Slice"]),
        ("gelu(A[I_X]) -> B[I_X]", ["Elementwise"]),
        ("sum_J A[I_X, J] -> B[I_X]", ["Reduce"]),
    ],
)
def test_kinds_of_steps(text, kinds):
    steps = shardlang.check(text, mesh="X=4").statements[0].steps
    assert [step.kind for step in steps] == kinds
    assert set(kinds) <= set(KINDS)


def test_the_schema_has_the_kinds_of_steps():
    assert tuple(shardlang.schema("check")["$defs"]["step"]["properties"]["kind"]["enum"]) == KINDS


def test_steps_can_be_replayed_in_order():
    """Each operand's text is a layout that the statement or an earlier step made, under the same name."""
    text = "In[B_X, D_Y] · W[D_X, F_Y] · V[F_Y, D_X] -> Out[B_X, D_Y]"
    there = {"In[B_X, D_Y]", "W[D_X, F_Y]", "V[F_Y, D_X]"}
    for step in shardlang.check(text).statements[0].steps:
        before, after = step.text.split(" -> ")
        words = before.split(" ", 1)[1] if step.kind in ("AllGather", "ReduceScatter", "AllReduce", "Slice") else before
        for operand in words.replace(" ·_LOCAL ", " · ").split(" · "):
            assert operand in there, step.text
        there.add(after)
    assert "Out[B_X, D_Y]" in there


def test_cost():
    text = "In[B_X, D] · W[D_X, F] -> H[B_X, F]"
    estimate = shardlang.cost(
        text,
        mesh={"X": 4},
        sizes={"B": 1024},
        hardware="tpu-v5p",
        dtype="bf16",
        topology={"X": "line"},
        model="book",
        roofs="math,ici,hbm",
        comms="max",
    )
    b, d, f, x, c, w = sympy.symbols("B D F X C W_ici", positive=True)
    plain = {symbol.name: symbol for symbol in estimate.t_lower.free_symbols}
    assert estimate.flops.subs({plain[s.name]: s for s in (b, d, f, x)}) == 2 * b * d * f / x
    assert estimate.t_math.subs({plain[s.name]: s for s in (b, d, f, x, c)}) == 2 * b * d * f / (x * c)
    # On a line each block goes one way, at half of the rate of both: X-1 blocks of 2·D·F/X bytes.
    expected = (x - 1) * (2 * d * f / x) / (w / 2)
    assert sympy.simplify(estimate.t_comms.subs({plain[s.name]: s for s in (d, f, x, w)}) - expected) == 0
    for name in ("t_hbm", "t_lower", "t_upper", "memory"):
        assert isinstance(getattr(estimate, name), sympy.Expr)
    assert estimate.statements[0].t_comms == estimate.t_comms
    assert estimate.value(estimate.t_comms) is None


def test_crossover():
    estimate = shardlang.cost("In[B_X, D] · W[D_X, F] -> H[B_X, F]", hardware="tpu-v5p")
    found = {one.between: one for one in estimate.crossover("B")}[("math", "ici:X")]
    assert (found.relation, str(found.threshold), found.exact, found.requires) == (">", "C*X/W_ici", True, ())
    assert found.value is None


def test_verify():
    assert shardlang.verify("A[I, J_X] · B[J_X, K] -> C[I, K]", mesh={"X": 2}, sizes={"I": 4, "J": 8, "K": 2}).ok


def test_sizes_take_mesh_axes_and_hardware_symbols():
    text = "AllGather_Y A[I_Y, J] -> A[I, J]"
    estimate = shardlang.cost(text, sizes={"Y": 4, "I": 8, "J": 16, "W_ici": 1e9})
    assert estimate.value(estimate.t_comms) == pytest.approx(8 * 16 * 2 / 1e9)
    assert str(estimate.t_comms) == "2*I*J/W_ici"  # formulas stay symbolic


def test_parse_lists_every_statement_and_check_operations_only():
    text = "mesh X=4\nA[I_X, J]\nA[I_X, J] -> A[I, J]"
    assert [s.kind for s in shardlang.parse(text).statements] == ["declaration", "array", "reshard"]
    assert [s.line for s in shardlang.check(text).statements] == [3]
    assert [s["line"] for s in shardlang.cost(text).to_dict()["statements"]] == [2, 3]


def test_parse_json():
    text = "AllGather_X A[I_X, J]\nint8[16384, K_X]\nB[I_{XY}, J]{U_Z}\nC[I, J] -> D[J, I]"
    collective, literal, array, transpose = shardlang.parse(text, mesh="X,Y,Z").to_dict()["statements"]
    assert (collective["kind"], collective["op"], collective["axes"]) == ("collective", "AllGather", ["X"])
    assert [a["role"] for a in collective["arrays"]] == ["operand"]  # an unwritten result is absent
    assert (literal["arrays"][0]["name"], literal["arrays"][0]["dtype"]) == (None, "int8")
    assert literal["arrays"][0]["dims"][0] == {"name": None, "size": 16384, "axes": []}
    assert array["arrays"][0]["dims"][0] == {"name": "I", "size": None, "axes": ["X", "Y"]}
    assert (array["arrays"][0]["unreduced"], array["arrays"][0]["pending"]) == (["Z"], "sum")
    assert (transpose["kind"], [a["role"] for a in transpose["arrays"]]) == ("reshard", ["operand", "result"])


def test_cost_json():
    data = shardlang.cost("AllGather_X A[B_X, D] -> A[B, D]", sizes="B=8,D=4,W_ici=1e9").to_dict()
    assert data["total"]["t_comms"] == {"formula": "2*B*D/W_ici", "value": pytest.approx(64e-9), "unit": "s"}
    assert {"bidirectional", "one axis"} <= set(data["symbols"]["W_ici"].split(", "))


def test_crossover_json():
    report = shardlang.crossover("In[B_X, D] · W[D_X, F] -> H[B_X, F]", "B", roofs="math,ici")
    (entry,) = report.to_dict()["crossovers"]
    wanted = {"for": "B", "between": ["math", "ici:X"], "relation": ">", "formula": "C*X/W_ici"}
    assert {name: entry[name] for name in wanted} == wanted
    assert (entry["value"], entry["exact"], entry["requires"]) == (None, True, [])
