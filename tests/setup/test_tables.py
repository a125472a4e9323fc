"""The saved parser is that of the grammar, byte for byte, whatever the order in which sets are walked."""

import os
import subprocess
import sys

import pytest

from shardlang.syntax.build import TARGET


@pytest.mark.parametrize("seed", ["0", "1"])
def test_rebuilt_saved_parser_has_the_same_bytes(seed: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from shardlang.syntax.build import build; sys.stdout.buffer.write(build().encode())",
        ],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == TARGET.read_bytes()


def test_check_notices_a_stale_parser(monkeypatch, tmp_path, capsys) -> None:
    from shardlang.syntax import build

    stale = tmp_path / "tables.py"
    stale.write_bytes(TARGET.read_bytes() + b"\n")
    monkeypatch.setattr(build, "TARGET", stale)
    assert build.main(["--check"]) == 1
    assert "stale" in capsys.readouterr().out
    assert build.main([]) == 0
    assert build.main(["--check"]) == 0
