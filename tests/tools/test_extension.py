"""The extension for Visual Studio Code: what it says of itself, and that it loads, starts the server and ends it."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import shardlang
from tests.docs.sessions import ROOT

EXTENSION = ROOT / "editors" / "vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text("utf-8"))
_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
_modules = pytest.mark.skipif(not (EXTENSION / "node_modules").is_dir(), reason="run `npm ci` in editors/vscode first")


def _session(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", "test/session.js", *words], cwd=EXTENSION, capture_output=True, text=True, timeout=60, check=False
    )


@_node
def test_the_extension_activates_starts_the_server_and_deactivates() -> None:
    done = _session(sys.executable, "-m", "shardlang")
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


@_node
def test_a_server_that_is_not_there_is_said_with_what_to_install() -> None:
    done = _session("/no/such/shardlang")
    assert done.returncode == 1
    assert "pip install 'shardlang[lsp]'" in done.stderr


@_node
@_modules
@pytest.mark.slow
def test_the_extension_packs_and_the_bundle_runs_with_the_real_client(tmp_path: Path) -> None:
    packed = subprocess.run(["npm", "run", "package"], cwd=EXTENSION, capture_output=True, text=True, check=False)
    assert packed.returncode == 0, packed.stderr
    with zipfile.ZipFile(EXTENSION / "dist" / "shardlang.vsix") as vsix:
        names = set(vsix.namelist())
    for name in ("dist/extension.js", "syntaxes/shard.tmLanguage.json", "language-configuration.json", "package.json"):
        assert f"extension/{name}" in names
    assert not any("node_modules" in name or "test/" in name for name in names)
    done = _session("--bundle", sys.executable, "-m", "shardlang")
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_version_and_licence_are_those_of_the_package() -> None:
    assert PACKAGE["version"] == shardlang.__version__
    assert (EXTENSION / "LICENSE").read_text("utf-8") == (ROOT / "LICENSE").read_text("utf-8")


def test_every_file_that_it_names_is_there() -> None:
    contributed = PACKAGE["contributes"]
    named = [contributed["languages"][0]["configuration"], *(grammar["path"] for grammar in contributed["grammars"])]
    for name in named:
        json.loads((EXTENSION / name).read_text("utf-8"))


def test_the_lock_file_has_what_the_package_asks_for() -> None:
    lock = json.loads((EXTENSION / "package-lock.json").read_text("utf-8"))
    assert lock["packages"][""]["devDependencies"] == PACKAGE["devDependencies"]
    assert all("integrity" in entry for name, entry in lock["packages"].items() if name)


def test_every_setting_is_one_that_the_server_knows_and_its_defaults_say_nothing() -> None:
    from shardlang.tools.lsp.settings import Settings, read_settings

    sent: dict[str, Any] = {}
    for name, about in PACKAGE["contributes"]["configuration"]["properties"].items():
        *path, last = name.removeprefix("shardlang.").split(".")
        table = sent
        for part in path:
            table = table.setdefault(part, {})
        table[last] = about["default"]
    assert read_settings({"shardlang": sent}) == (Settings(), ())


JSON_TYPES = {dict: "object", str: "string", bool: "boolean", list: "array"}


def test_the_settings_are_those_of_the_table() -> None:
    from shardlang.api.settings import settings_in

    properties = dict(PACKAGE["contributes"]["configuration"]["properties"])
    for setting in settings_in("editor"):
        about = properties.pop(f"shardlang.{setting.in_editor}")
        types = about["type"] if isinstance(about["type"], list) else [about["type"]]
        assert set(types) <= {JSON_TYPES[one] for one in setting.types}
        assert about["scope"] == "resource"
        assert set(about.get("enum", [])) == ({"", *setting.choices} if setting.choices else set())
    own = {name.removeprefix("shardlang.").partition(".")[0] for name in properties}
    assert own == {"path", "markdown", "inlayHints", "trace"}


def test_words_and_comments_of_the_language() -> None:
    language = json.loads((EXTENSION / "language-configuration.json").read_text("utf-8"))
    assert language["comments"] == {"lineComment": "#"}
    words = re.findall(language["wordPattern"], "In[B_X, D]·W_in → {U_Y}")
    assert words == ["In", "B", "X", "D", "W", "in", "U", "Y"]
