"""The table of everything that can be set, and what is derived from it."""

from pathlib import Path

import pytest

from shardlang.api.keywords import CheckKeywords, CostKeywords, PlanKeywords, SendKeywords, TextKeywords
from shardlang.api.settings import SETTINGS, of_calls, settings_in
from shardlang.cli import group

ROOT = Path(__file__).parents[2]
OF_A_CALL = {"name", "document", "limits", "alternatives"}  # what one call is about, and no setting


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
