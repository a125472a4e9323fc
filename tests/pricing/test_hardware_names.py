"""Names of a user's chips in reports: nothing of them moves a cursor or is markup."""

import pytest

import shardlang

CHIP = """[mine]
kind = "tpu"
name = "<script>alert(1)</script>&\\u001b[31m\\u202e"
hbm_bytes = 1e9
hbm_bandwidth = 1e12
flops = { bf16 = 1e14 }
ici = { bidirectional_per_axis = 1e11, torus_axes = 2 }
"""


@pytest.mark.parametrize("call", ["memory", "roofline"])
def test_a_name_is_no_markup(tmp_path, call):
    (tmp_path / "my.toml").write_text(CHIP, "utf-8")
    hardware = str(tmp_path / "my.toml")
    report = getattr(shardlang, call)(
        "A[I_X, J] -> B[I, J]", mesh={"X": 4}, sizes={"I": 64, "J": 64}, hardware=hardware
    )
    for text in (report._repr_markdown_(), report._repr_latex_(), report._repr_html_(), str(report)):
        assert not any(char in text for char in "\x1b\u202e")
    assert "script" in report._repr_markdown_()
    assert "<script" not in report._repr_markdown_()
    assert "<script" not in report._repr_html_()
