"""The set-ups of docs/tools/editor.md can be pasted: they are read by what reads them, and name commands that run."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.docs.sessions import ROOT, fences

PAGE = (ROOT / "docs" / "tools" / "editor.md").read_text("utf-8")
EXTENSION = ROOT / "editors" / "vscode"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def _blocks(language: str) -> list[str]:
    return [fence.text for fence in fences(PAGE, language)]


def test_json_is_json_and_its_settings_are_known() -> None:
    from shardlang.tools.lsp.settings import read_settings

    editor, server = map(json.loads, _blocks("json"))
    known = json.loads((EXTENSION / "package.json").read_text("utf-8"))["contributes"]["configuration"]["properties"]
    assert {name for name in editor if name.startswith("shardlang")} <= set(known)
    settings, problems = read_settings(server)
    assert problems == ()
    assert settings.defaults == {name: value for name, value in server["shardlang"].items() if name != "inlayHints"}


def test_the_readme_of_the_extension_has_known_settings_too() -> None:
    text = (EXTENSION / "README.md").read_text("utf-8")
    known = json.loads((EXTENSION / "package.json").read_text("utf-8"))["contributes"]["configuration"]["properties"]
    for fence in fences(text, "json"):
        assert set(json.loads(fence.text)) <= set(known)


def test_toml_is_toml_and_the_project_is_read(tmp_path: Path) -> None:
    from shardlang.api.arguments import DEFAULTS
    from shardlang.api.project import settings_for

    helix, project = _blocks("toml")
    languages = tomllib.loads(helix)
    assert languages["language-server"]["shardlang"]["command"] == "shardlang"
    assert languages["language-server"]["shardlang"]["args"] == ["lsp"]
    assert all("shardlang" in language["language-servers"] for language in languages["language"])
    (tmp_path / "pyproject.toml").write_text(project, "utf-8")
    said = settings_for(tmp_path / "plan.shard")[DEFAULTS]
    assert (said["mesh"], said["hardware"]) == ({"X": 16, "Y": 4}, "tpu-v5p")


def test_shell_commands_are_there() -> None:
    install, build = _blocks("sh")
    (extra,) = re.findall(r"shardlang\[(\w+)\]", install)
    assert any(package.startswith("pygls") for package in PROJECT["optional-dependencies"][extra])
    scripts = json.loads((EXTENSION / "package.json").read_text("utf-8"))["scripts"]
    assert "package" in scripts
    (made,) = re.findall(r"--install-extension (\S+)", build)
    assert made in scripts["package"]
    for line in build.splitlines():
        assert line.split()[0] in ("cd", "npm", "code")


def test_the_command_that_every_editor_starts_runs() -> None:
    assert '{ "shardlang", "lsp" }' in PAGE
    assert '"shardlang" "lsp"' in PAGE
    assert PROJECT["scripts"]["shardlang"] == "shardlang.cli:main"
    done = subprocess.run(
        [sys.executable, "-m", "shardlang", "lsp", "--help"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert "--tcp" in done.stdout


PLAN = "mesh X=4\n\t𝔸[I_X, J_X]\nB[I, J_X] · C[J_X, K]\n"
MENDED = "\t𝔸[I_X, J]"
HERE = Path(__file__).parent


def _session(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run an editor in a folder with a plan, where the command that the page names is this checkout."""
    (folder / "plan.shard").write_text(PLAN, "utf-8")
    starter = folder / "bin" / "shardlang"
    starter.parent.mkdir()
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m shardlang "$@"\n', "utf-8")
    starter.chmod(0o755)
    there = {
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "PATH": f"{starter.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(
        command, cwd=folder, env=os.environ | there, capture_output=True, text=True, timeout=120, check=False
    )


def _neovim() -> tuple[int, ...]:
    if shutil.which("nvim") is None:
        return ()
    told = subprocess.run(["nvim", "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    return tuple(map(int, re.findall(r"\d+", told)[:2]))


@pytest.mark.skipif(_neovim() < (0, 11), reason="Neovim 0.11 or newer is not installed")
def test_neovim_with_the_pasted_lua_has_findings_and_hints(tmp_path: Path) -> None:
    (tmp_path / "init.lua").write_text(_blocks("lua")[0], "utf-8")
    done = _session(tmp_path, "nvim", "--headless", "-u", "init.lua", "-l", HERE / "neovim.lua")
    assert done.returncode == 0, done.stderr
    before = len("\t𝔸[I_X, J_".encode())  # Neovim counts bytes
    said = [f"1 {before} {before + 1} SL201", "-> D[I, K]{U_X}", MENDED, '"tpu-v5p"']
    assert done.stdout.splitlines() == said


def _has_eglot() -> bool:
    if shutil.which("emacs") is None:
        return False
    asked = ["emacs", "--batch", "--eval", "(progn (package-initialize) (require 'eglot))"]
    return subprocess.run(asked, capture_output=True, timeout=60, check=False).returncode == 0


@pytest.mark.skipif(not _has_eglot(), reason="Emacs with eglot is not installed")
def test_emacs_with_the_pasted_elisp_has_findings(tmp_path: Path) -> None:
    (tmp_path / "init.el").write_text(_blocks("elisp")[0], "utf-8")
    done = _session(tmp_path, "emacs", "--batch", "--load", HERE / "eglot.el")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["_X] shardlang [SL201]", MENDED]


@pytest.mark.parametrize(("language", "opening", "closing"), [("lua", "{(", "})"), ("elisp", "(", ")")])
def test_brackets_close(language: str, opening: str, closing: str) -> None:
    for block in _blocks(language):
        bare = re.sub(r'"(?:\\.|[^"\\])*"|\?.', "", block)
        for left, right in zip(opening, closing, strict=True):
            assert bare.count(left) == bare.count(right)
