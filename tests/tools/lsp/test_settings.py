"""What an editor is set to."""

import os
from pathlib import Path

import pytest

from shardlang.api.settings import settings_in
from shardlang.tools.lsp.settings import Settings, defaults_for, read_settings

ASKED = {
    "select": ["SL2"],
    "ignore": ["SL201"],
    "mesh": {"X": 4},
    "sizes": "B=8",
    "hardware": "tpu-v5p",
    "dtype": "f32",
    "topology": {"X": "line"},
    "reduceDtype": "f32",
    "latency": True,
    "idleAxes": True,
    "uneven": True,
    "explicit": True,
    "model": "exact",
    "roofs": ["math", "ici"],
    "comms": "sum",
}


def test_an_editor_may_be_set_to_what_a_project_says() -> None:
    assert set(ASKED) == {setting.in_editor for setting in settings_in("editor")}
    settings, problems = read_settings(ASKED)
    assert problems == ()
    assert settings.defaults == {setting.keyword: ASKED[setting.in_editor] for setting in settings_in("editor")}


@pytest.mark.parametrize("name", ASKED)
def test_of_the_wrong_type_it_is_told_and_left_out(name: str) -> None:
    settings, (problem,) = read_settings({name: 3.5})
    assert settings == Settings()
    assert problem.startswith(name)


def test_the_names_of_a_project_are_told_what_is_meant() -> None:
    _, (problem,) = read_settings({"reduce-dtype": "f32"})
    assert "Did you mean 'reduceDtype'?" in problem


@pytest.mark.parametrize("name", ["chips.toml", "chips.toml:mine"])
def test_a_hardware_file_is_found_from_the_folder_that_is_open(tmp_path: os.PathLike[str], name: str) -> None:
    settings, _ = read_settings({"hardware": name}, os.fspath(tmp_path))
    assert settings.defaults["hardware"] == os.path.join(tmp_path, name)


def test_chips_of_a_project_leave_the_hardware_of_the_editor(tmp_path: Path) -> None:
    chips = "".join(f'[tool.shardlang.hardware.{name}]\nkind = "tpu"\n' for name in ("mine", "other"))
    settings, _ = read_settings({"hardware": "tpu-v5p"})
    for more, hardware in (("", "tpu-v5p"), ('[tool.shardlang.hardware]\ndefault = "other"\n', "other")):
        (tmp_path / "pyproject.toml").write_text(more + chips, "utf-8")
        defaults, problem = defaults_for(os.fspath(tmp_path / "a.shard"), settings)
        assert problem is None
        assert defaults["hardware"] == hardware
        assert set(defaults["chips"]) == {"mine", "other"}


def test_settings_of_editor_and_project_come_together(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.shardlang]\nmesh = "X=2,Y"\nsizes = { I = 64, J = 8 }\ntopology = { X = "line" }\nignore = "SL201"\n',
        "utf-8",
    )
    editor = {"mesh": {"Z": 4}, "sizes": "I=2,K=4", "topology": "X=ring,Y=node", "ignore": ["SL3"], "dtype": "f32"}
    defaults, problem = defaults_for(os.fspath(tmp_path / "a.shard"), read_settings(editor)[0])
    assert problem is None
    assert defaults == {
        "mesh": "X=2,Y",  # one mesh or the other
        "sizes": {"I": 64, "J": 8, "K": 4},
        "topology": {"X": "line", "Y": "node"},
        "ignore": ["SL3", "SL201"],
        "dtype": "f32",
    }
