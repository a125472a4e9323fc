"""`shardlang lsp` where it cannot start. Sessions are in tests/tools/lsp."""

import sys

import pytest
from click.testing import CliRunner

from shardlang.cli import group


@pytest.mark.parametrize("missing", ["pygls", "lsprotocol"])
def test_what_to_install_is_one_line(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    result = CliRunner().invoke(group, ["lsp"], prog_name="shardlang")
    assert result.exit_code == 2
    assert "Error: The language server needs pygls: pip install 'shardlang[lsp]'." in result.output


def test_help_names_the_editors() -> None:
    result = CliRunner().invoke(group, ["lsp", "--help"], prog_name="shardlang")
    assert result.exit_code == 0
    told = " ".join(result.output.split())
    assert all(name in told for name in ("VS Code", "Neovim", "Helix", "Emacs"))
