"""The table of everything that can be set, and what is derived from it."""

from pathlib import Path

import pytest

import shardlang
from shardlang.api.keywords import CheckKeywords, CostKeywords, PlanKeywords, SendKeywords, TextKeywords
from shardlang.api.project import settings_for
from shardlang.api.settings import SETTINGS, of_calls, settings_in
from shardlang.cli import group

ROOT = Path(__file__).parents[2]
OF_A_CALL = {"name", "document", "limits", "alternatives"}  # what one call is about, and no setting
GATHER = "AllGather_X A[I_X, J] -> A[I, J]"


def test_the_table_has_every_keyword() -> None:
    text, send, plan = (set(known.__annotations__) for known in (TextKeywords, SendKeywords, PlanKeywords))
    cost, check = set(CostKeywords.__annotations__), set(CheckKeywords.__annotations__)
    own = {"text": text - {"mesh"}, "send": send - text | {"mesh"}, "plan": plan - send, "cost": cost - plan}
    for calls, keywords in own.items():
        assert {setting.keyword for setting in of_calls(calls)} == keywords - OF_A_CALL
    assert check - plan == {"alternatives"}
    assert len({setting.keyword for setting in SETTINGS}) == len(SETTINGS)


def test_each_is_an_option_of_the_command_line() -> None:
    names = {name: param for command in ("check", "cost") for param in group.get_command(None, command).params
             for name in param.opts}  # fmt: skip
    for setting in settings_in("option"):
        param = names[setting.name]
        assert param.name == setting.keyword
        assert getattr(param, "is_flag", False) == (setting.kind == "switch")


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("settings.md", [setting.in_project for setting in settings_in("project")]),
        ("editor.md", [setting.in_editor for setting in settings_in("editor")]),
    ],
)
def test_the_pages_tell_each(page: str, names: list[str]) -> None:
    text = (ROOT / "docs" / "tools" / page).read_text("utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


GATHERED = f"mesh X=8\n{GATHER}"
VALUES = {
    "topology": ('topology = { X = "line" }', GATHERED, "X=line"),
    "model": ('model = "exact"', GATHERED, "exact"),
    "roofs": ('roofs = ["math"]', GATHERED, "math"),
    "comms": ('comms = "sum"', f"mesh X=4, Y=4\n{GATHER}\nAllGather_Y B[I_Y, J] -> B[I, J]", "sum"),
}


@pytest.mark.parametrize("keyword", VALUES)
def test_a_project_prices_as_the_option_does(tmp_path: Path, keyword: str) -> None:
    line, text, option = VALUES[keyword]
    (tmp_path / "pyproject.toml").write_text(f"[tool.shardlang]\n{line}\n", "utf-8")
    sized = f"hardware tpu-v5p\nlet I = 4096, J = 4096, K = 4096\n{text}"
    of_project = shardlang.cost(sized, **settings_for(tmp_path / "a.shard"))
    of_option, plain = shardlang.cost(sized, **{keyword: option}), shardlang.cost(sized)
    assert of_project.ok
    times = [(report.value(report.t_comms), report.value(report.t_upper)) for report in (of_project, of_option, plain)]
    assert times[0] == times[1] != times[2]


def test_the_links_that_a_text_tells_come_before_those_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.shardlang]\ntopology = { X = "line", Z = "dcn" }\n', "utf-8")
    text = f"hardware tpu-v5p\nmesh X=4 ring\nlet I = 4096, J = 4096\n{GATHER}"
    report = shardlang.cost(text, **settings_for(tmp_path / "a.shard"))
    assert report.findings == shardlang.cost(text).findings
    assert report.value(report.t_comms) == shardlang.cost(text).value(shardlang.cost(text).t_comms)
    asked = shardlang.cost(text.replace(" ring", ""), topology="X=ring", **settings_for(tmp_path / "a.shard"))
    assert asked.value(asked.t_comms) == report.value(report.t_comms)
