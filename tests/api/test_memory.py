"""`shardlang.memory` from outside: the finding where it does not fit, and the JSON."""

import re
import subprocess
import sys

import pytest

import shardlang
from shardlang.reports.memory_text import memory_text
from tests.api.test_reports import matches

ADAM = "w: bf16[P_X]\nm: f32[P_X]\nv: f32[P_X]"
WIDE = "A[B, D] · W[D, F] -> C[B, F]"


def finding(report):
    found = [f for f in report.diagnostics if f.code == "SL520"]
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize("run", [shardlang.memory, shardlang.cost, shardlang.explain])
def test_arrays_that_do_not_fit_are_a_warning(run):
    report = run(ADAM, mesh="X=8", sizes={"P": 70e9}, hardware="h100")
    found = finding(report)
    assert report.ok
    assert found.severity == "warning"
    assert found.message == ("the resident arrays take 87.5 GB on each device, 1.094 times the 80 GB of HBM of H100")
    assert (
        found.hint == "shard over at least 10 devices: `--mesh X=10`"
    )  # 700 GB over 80 GB are 8.75; 9 divides no 7e10
    assert found.span.line == 2
    assert finding(run(ADAM, mesh="X=10", sizes={"P": 70e9}, hardware="h100")) is None


def test_nothing_is_said_where_a_size_or_the_chip_is_open():
    for keywords in ({"mesh": "X=8", "hardware": "h100"}, {"sizes": {"P": 70e9}, "mesh": "X=8"}, {"hardware": "h100"}):
        assert finding(shardlang.memory(ADAM, **keywords)) is None
    assert finding(shardlang.check(ADAM, mesh="X=8", sizes={"P": 70e9}, hardware="h100")) is None


def test_an_array_that_is_replicated_where_the_mesh_is_large_enough():
    report = shardlang.memory(ADAM.replace("v: f32[P_X]", "v: f32[P]"), mesh="X=16", sizes={"P": 64e9}, hardware="h100")
    found = finding(report)
    assert found.span.line == 3
    assert found.hint == "shard what is replicated: over all 16 devices the arrays would take 40 GB each"


def test_a_peak_that_does_not_fit():
    sizes = {"B": 1000, "D": 10, "F": 1000, "M_hbm": 2_000_000}
    found = finding(shardlang.memory(WIDE, sizes=sizes))
    assert found.message == "at its peak the plan takes 2.04 MB on each device, 1.02 times the 2 MB of M_hbm"
    assert found.hint == "the largest array then is `C[B, F]`, 2 MB: shard it, or do it in parts"
    assert finding(shardlang.memory(WIDE, sizes={**sizes, "M_hbm": 2_040_000})) is None


def test_what_stays_throughout_counts_for_cost_too():
    sizes = {"B": 10, "D": 10, "F": 10, "S": 1000, "M_hbm": 4000}
    assert finding(shardlang.cost(WIDE, sizes=sizes)) is None
    assert finding(shardlang.cost("KV[2, S]\n" + WIDE, sizes=sizes)).span.line == 1
    assert finding(shardlang.cost("m: f32[S]\n" + WIDE, sizes=sizes)).span.line == 1


def test_a_finding_can_be_ignored():
    sizes = {"P": 70e9}
    assert finding(shardlang.memory(ADAM, mesh="X=8", sizes=sizes, hardware="h100", ignore="SL520")) is None


def test_the_memory_of_a_chip_from_an_option_the_text_or_the_catalogue():
    for text, keywords, room in (
        (ADAM, {"hardware": "h100"}, 8e10),
        (ADAM, {"hardware": "tpu-v5e"}, 1.6e10),
        (ADAM, {"hardware": "h100", "sizes": {"M_hbm": 1.41e11}}, 1.41e11),
        ("let M_hbm = 64\n" + ADAM, {}, 64),
        (ADAM, {}, None),
    ):
        assert shardlang.memory(text, **keywords).to_dict()["capacity"]["value"] == room


def test_json():
    text = "m: f32[D_X, F]\nIn[B_X, D] · W[D_X, F] -> H[B_X, F]"
    report = shardlang.memory(text, "B", mesh="X=4,Y=2", sizes={"D": 64, "F": 32}, hardware="h100")
    data = report.to_dict()
    assert matches("memory", data)
    assert [(a["line"], a["array"], a["dtype"], a["role"], a["resident"]) for a in data["arrays"]] == [
        (1, "m[D_X, F]", "f32", "declared", True),
        (2, "In[B_X, D]", "bf16", "input", True),
        (2, "W[D_X, F]", "bf16", "input", True),
        (2, "H[B_X, F]", "bf16", "result", False),
    ]
    first = data["arrays"][0]
    assert [length["value"] for length in first["local_shape"]] == [16, 32]
    assert first["pieces"] == {"formula": "X", "value": 4, "unit": ""}
    assert first["bytes_all_devices"] == {"formula": "4*D*F*Y", "value": 4 * 64 * 32 * 2, "unit": "bytes"}
    assert data["devices"]["value"] == 8
    assert data["fits"] is None
    assert [limit["of"] for limit in data["limits"]] == ["peak", "resident"]
    assert data["limits"][1]["whole"] == (int(8e10) - (4 + 2) * 64 * 32 // 4) // (2 * 64 // 4)
    assert {"B", "D", "F", "X", "Y", "M_hbm"} <= set(data["symbols"])


def test_every_printed_name_is_in_the_table_of_symbols():
    text = "m: f32[D_X, F]\nIn[B_X, D] · W[D_X, F] -> H[B_X, F]\nH[B_X, F] · V[F, D_X] -> O[B_X, D]"
    data = shardlang.memory(text, "B", mesh="X,Z").to_dict()
    found = str([data[key] for key in ("resident", "peak", "devices", "limits")] + data["arrays"])
    names = {name for text in re.findall(r"'formula': '([^']*)'", found) for name in re.findall(r"[A-Za-z]\w*", text)}
    assert names - {"Max", "Min"} <= set(data["symbols"])


def test_a_refused_statement_makes_the_report_partial():
    data = shardlang.memory("A[I_X, J_X]\nW[D, F]").to_dict()
    assert (data["ok"], data["partial"], [a["array"] for a in data["arrays"]]) == (False, True, ["W[D, F]"])


def test_keywords_of_times_are_none_of_memory():
    with pytest.raises(TypeError, match="no keyword 'model'"):
        shardlang.memory("A[B]", model="book")


def test_formulas_do_not_depend_on_the_order_of_hashes():
    text = "In[B_X, D] · W[D_X, F] -> H[B_X, F]\nH[B_X, F] · V[F, D_X] -> O[B_X, D]"
    program = f"import json, shardlang; print(json.dumps(shardlang.memory({text!r}, 'B').to_dict()))"
    environments = ({"PYTHONHASHSEED": seed, "PYTHONPATH": "."} for seed in ("1", "2"))
    command = [sys.executable, "-c", program]
    first, second = (subprocess.run(command, env=env, capture_output=True, check=True).stdout for env in environments)
    assert first == second
    assert b"Min(" in first


def test_the_hint_of_arrays_that_do_not_fit_works_when_pasted():
    sizes = {"I": 10, "J": 1000, "M_hbm": 7000}
    hint = finding(shardlang.memory("A[I_X, J]", mesh="X=3", sizes=sizes, uneven=True)).hint
    assert hint == "shard over at least 4 devices: `--mesh X=4`"  # nothing is replicated
    mesh = hint.split("--mesh ")[1].strip("`")
    assert shardlang.memory("A[I_X, J]", mesh=mesh, sizes=sizes, uneven=True).fits
    assert shardlang.memory(ADAM, mesh="X=10", sizes={"P": 70e9}, hardware="h100").fits


def test_a_whole_limit_is_tried_with_the_plan_that_is_then_chosen():
    text = "In[B_X,D_Y] ·_D W_in[D_X,F_Y] ·_F W_out[F_Y,D_X] -> Out[B_X,D_Y]"
    given = {"mesh": {"X": 2, "Y": 4}, "hardware": "tpu-v5p", "uneven": True}
    sizes = {"B": 2560, "D": 768, "M_hbm": 3845727}
    (limit,) = [limit for of, limit in shardlang.memory(text, "F", sizes=sizes, **given).limits if of == "peak"]
    put_in = shardlang.memory(text, sizes={**sizes, "F": limit.whole}, **given)
    assert not put_in.fits
    assert limit.replanned == put_in.value(put_in.peak)
    room = {**sizes, "M_hbm": 40e6}
    (limit,) = [limit for of, limit in shardlang.memory(text, "F", sizes=room, **given).limits if of == "peak"]
    assert (limit.replanned is None) == shardlang.memory(text, sizes={**room, "F": limit.whole}, **given).fits


@pytest.mark.parametrize("text", ["A[I_X, J]", "mesh X=2 ring\nA[I_X, J]", "mesh X=2\nlet I = 8\nA[I_X, J]"])
def test_a_whole_limit_is_tried_where_the_text_has_the_mesh(text):
    sizes = {"J": 1000, "M_hbm": 4000, **({} if "let" in text else {"I": 8})}
    mesh = {} if "mesh" in text else {"mesh": "X=2"}
    ((_, limit),) = shardlang.memory(text, "X", sizes=sizes, **mesh).limits
    assert (limit.whole, limit.divisible, limit.replanned) == (4, 4, None)  # two rows of 2000 bytes


def test_the_peak_may_be_at_a_statement_that_has_nothing_to_do():
    """A of 96 bytes is there from the start, B of 2048 until its statement, which has no steps; then A and its half."""
    report = shardlang.memory("mesh X=2\nB[J] -> B[J]\nA[I] -> A[I_X]", sizes={"I": 48, "J": 1024})
    peak = report.to_dict()["peak"]
    assert (peak["line"], peak["step"], peak["value"]) == (2, None, 96 + 2048)
    assert "reached at line 2, which has nothing to do" in memory_text(report)
